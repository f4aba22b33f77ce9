"""Random graphs of operators, whose results must not depend on workers, queues or batch sizes."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from penstock import Pipeline, fn
from penstock.engine.errors import PenstockError

from .graph_steps import BOXES, COLORS, FEATURES, SHAPES, SIGNALS, VALUES

SAMPLES = 12
Data = list[NDArray[Any]]


def pictures(random: Random, generator: np.random.Generator) -> Data:
    """Return small RGB images."""
    shapes = [(random.randint(8, 40), random.randint(8, 40), 3) for _ in range(SAMPLES)]
    return [generator.integers(0, 256, shape, np.uint8) for shape in shapes]


def signals(random: Random, generator: np.random.Generator) -> Data:
    """Return noise that starts with silence."""
    made = []
    for _ in range(SAMPLES):
        signal = generator.normal(0, 0.1, random.randint(600, 3000)).astype(np.float32)
        signal[: random.randint(0, 500)] = 0
        made.append(signal)
    return made


def boxes(random: Random, generator: np.random.Generator) -> Data:
    """Return boxes as left, top, right and bottom, as fractions of an image."""
    corners = [generator.random((random.randint(1, 9), 2, 2)) for _ in range(SAMPLES)]
    return [np.sort(corner, axis=1).reshape(-1, 4).astype(np.float32) for corner in corners]


KINDS = (
    ("HWC", pictures, (*SHAPES, *VALUES), 6),
    ("HWC", pictures, (*SHAPES, *VALUES, *COLORS), 4),
    ("t", signals, SIGNALS, 4),
    ("t", signals, (*SIGNALS, *FEATURES), 2),
    ("", boxes, BOXES, 4),
)
"""The layout of the data, their maker, the steps, and how many steps a graph has at most."""


def case(seed: int) -> None:
    """Run one graph with several settings, and compare the results."""
    random = Random(seed)
    generator = np.random.default_rng(seed)
    kind = random.choice(KINDS)
    data = kind[1](random, generator)
    reference = results(kind, data, seed, SAMPLES, num_threads=1, prefetch_queue_depth=1)
    for batch_size in random.sample((1, 3, 5, 12), 2):
        settings = {
            "num_threads": random.randint(1, 4),
            "prefetch_queue_depth": random.randint(1, 4),
            "exec_processes": random.random() < 0.1,
        }
        other = results(kind, data, seed, batch_size, **settings)
        where = f"batch size {batch_size}, {settings}"
        assert (reference is None) == (other is None), f"only one run was refused: {where}"
        for number, (one, two) in enumerate(zip(reference or (), other or (), strict=True)):
            assert one.dtype == two.dtype, f"sample {number}, {where}"
            assert one.shape == two.shape, f"sample {number}, {where}"
            np.testing.assert_array_equal(one, two, f"sample {number}, {where}")


def results(kind: Any, data: Data, seed: int, batch_size: int, **settings: Any) -> Data | None:
    """Return the samples that the graph of this seed makes; None if an operator refuses one."""
    try:
        return run_graph(kind, data, Random(seed), batch_size, **settings)
    except PenstockError:
        return None


def run_graph(kind: Any, data: Data, random: Random, batch_size: int, **settings: Any) -> Data:
    """Build a random graph, and run it until each sample was processed once."""
    layout, _, steps, most = kind
    with Pipeline(batch_size, seed=7, **settings) as pipeline:
        node: Any = fn.external_source(
            source=lambda info: data[info.idx_in_epoch % SAMPLES], batch=False, layout=layout
        )
        for _ in range(random.randint(1, most)):
            node = random.choice(steps)(node, random)
        pipeline.set_outputs(node)
        samples: Data = []
        while len(samples) < SAMPLES:
            (output,) = pipeline.run()
            samples += [np.array(output.at(i)) for i in range(len(output))]
    return samples[:SAMPLES]
