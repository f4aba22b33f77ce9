"""Random graphs of operators, whose results must not depend on workers, queues or batch sizes."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from penstock import Pipeline, fn, types
from penstock.engine.errors import PenstockError

SAMPLES = 12
Step = Callable[[Any, Random], Any]


def drawn(low: float, high: float) -> Any:
    """Return a node of one random number for each sample."""
    return fn.random.uniform(range=[low, high])


_PADDED = {"out_of_bounds_policy": "pad"}
STEPS: tuple[Step, ...] = (
    lambda x, r: fn.resize(x, size=[r.randint(1, 40), r.randint(1, 40)]),
    lambda x, r: fn.resize(x, resize_shorter=drawn(5, 60), antialias=r.random() < 0.5),
    lambda x, r: fn.crop(x, crop=(r.randint(1, 8), 7), crop_pos_x=drawn(0, 1), **_PADDED),
    lambda x, r: fn.random_resized_crop(x, size=[r.randint(2, 30), r.randint(2, 30)]),
    lambda x, r: fn.flip(x, horizontal=fn.random.coin_flip(), vertical=r.randint(0, 1)),
    lambda x, r: fn.rotate(x, angle=drawn(-180, 180), fill_value=r.randint(0, 255)),
    lambda x, r: fn.pad(x, fill_value=r.randint(0, 9), axes=[0, 1], shape=[64, 70]),
    lambda x, r: fn.cast(x, dtype=r.choice((types.FLOAT, types.UINT8, types.INT16, types.INT32))),
    lambda x, r: x + r.randint(0, 9),
    lambda x, r: fn.cast(x * drawn(0, 2), dtype=types.UINT8),
    lambda x, r: fn.slice(x, drawn(0, 1), 0.5, axes=[r.randint(0, 1)], **_PADDED),
    lambda x, r: fn.cat(x, x, axis=r.randint(0, 1)),
    lambda x, r: fn.normalize(x, axes=[0, 1], epsilon=1.0),
)


def case(seed: int) -> None:
    """Run one graph with several settings, and compare the results."""
    random = Random(seed)
    generator = np.random.default_rng(seed)
    images = [
        generator.integers(0, 256, (random.randint(8, 40), random.randint(8, 40), 3), np.uint8)
        for _ in range(SAMPLES)
    ]
    reference = results(images, seed, SAMPLES, num_threads=1, prefetch_queue_depth=1)
    for batch_size in random.sample((1, 3, 5, 12), 2):
        settings = {
            "num_threads": random.randint(1, 4),
            "prefetch_queue_depth": random.randint(1, 4),
            "exec_processes": random.random() < 0.1,
        }
        other = results(images, seed, batch_size, **settings)
        where = f"batch size {batch_size}, {settings}"
        assert (reference is None) == (other is None), f"only one run was refused: {where}"
        for number, (one, two) in enumerate(zip(reference or (), other or (), strict=True)):
            assert one.dtype == two.dtype, f"sample {number}, {where}"
            assert one.shape == two.shape, f"sample {number}, {where}"
            np.testing.assert_array_equal(one, two, f"sample {number}, {where}")


def results(
    images: list[NDArray[np.uint8]], seed: int, batch_size: int, **settings: Any
) -> list[NDArray[Any]] | None:
    """Return the samples that the graph of this seed makes; None if an operator refuses one."""
    try:
        return run_graph(images, Random(seed), batch_size, **settings)
    except PenstockError:
        return None


def run_graph(
    images: list[NDArray[np.uint8]], random: Random, batch_size: int, **settings: Any
) -> list[NDArray[Any]]:
    """Build a random graph, and run it until each image was processed once."""
    with Pipeline(batch_size, seed=7, **settings) as pipeline:
        node: Any = fn.external_source(
            source=lambda info: images[info.idx_in_epoch % SAMPLES], batch=False, layout="HWC"
        )
        for _ in range(random.randint(1, 6)):
            node = random.choice(STEPS)(node, random)
        pipeline.set_outputs(node)
        samples: list[NDArray[Any]] = []
        while len(samples) < SAMPLES:
            (output,) = pipeline.run()
            samples += [np.array(output.at(i)) for i in range(len(output))]
    return samples[:SAMPLES]
