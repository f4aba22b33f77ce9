"""Random chains of operators and random shards of a reader, with NVIDIA DALI as judge.

The attack does nothing where `nvidia.dali` is not installed. Results must have DALI's shape and
dtype. Their values may differ by the rounding of one operator for each step of the chain.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

import penstock
from penstock.engine.errors import PenstockError

SAMPLES = 5
ROUNDING = 0.75
"""Mean difference, of 255 levels, that one step may add."""

Step = Callable[[Any, Any, Any, Random], Any]
INTERPOLATIONS = ("INTERP_NN", "INTERP_LINEAR", "INTERP_CUBIC", "INTERP_TRIANGULAR")


def size(random: Random) -> list[int]:
    """Return a random height and width."""
    return [random.randint(4, 40), random.randint(4, 40)]


STEPS: tuple[Step, ...] = (
    lambda x, fn, t, r: fn.resize(
        x, size=size(r), interp_type=getattr(t, r.choice(INTERPOLATIONS))
    ),
    lambda x, fn, t, r: fn.resize(x, resize_shorter=r.randint(5, 60), antialias=r.random() < 0.5),
    lambda x, fn, t, r: fn.resize(x, size=size(r), mode=r.choice(("not_larger", "not_smaller"))),
    lambda x, fn, t, r: fn.crop(
        x, crop=size(r), crop_pos_x=r.random(), crop_pos_y=r.random(), out_of_bounds_policy="pad"
    ),
    lambda x, fn, t, r: fn.flip(x, horizontal=r.randint(0, 1), vertical=r.randint(0, 1)),
    lambda x, fn, t, r: fn.rotate(x, angle=r.uniform(-180, 180), fill_value=r.randint(0, 255)),
    lambda x, fn, t, r: fn.pad(x, fill_value=r.randint(0, 9), axes=[0, 1], shape=[50, 60]),
    lambda x, fn, t, r: fn.cast(x + r.randint(0, 9), dtype=t.UINT8),
    lambda x, fn, t, r: fn.cast(x * r.uniform(0, 2), dtype=t.UINT8),
    lambda x, fn, t, r: fn.slice(
        x, r.uniform(0, 0.8), r.uniform(0.2, 1), axes=[r.randint(0, 1)], out_of_bounds_policy="pad"
    ),
    lambda x, fn, t, r: fn.cat(x, x, axis=r.randint(0, 2)),
    lambda x, fn, t, r: fn.transpose(x, perm=[1, 0, 2], transpose_layout=False),
)
LAST_STEPS: tuple[Step, ...] = (
    lambda x, fn, t, r: x,
    lambda x, fn, t, r: fn.cast(x, dtype=t.FLOAT),
    lambda x, fn, t, r: fn.crop_mirror_normalize(
        x, mean=[9.0], std=[r.uniform(1, 3)], mirror=r.randint(0, 1), output_layout="CHW"
    ),
    lambda x, fn, t, r: fn.transpose(x, perm=[2, 0, 1]),
)


def case(seed: int) -> None:
    """Compare one chain of operators, or one reader."""
    try:
        import nvidia.dali as dali
    except ImportError:  # `find_spec` raises this, too, without any package `nvidia`
        return

    random = Random(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if random.random() < 0.75:
            compare_chains(dali, seed)
        else:
            compare_readers(dali, random)


def compare_chains(dali: Any, seed: int) -> None:
    """Run one chain in both libraries; both must refuse it, or agree."""
    generator = np.random.default_rng(seed)
    shapes = generator.integers(6, 50, (SAMPLES, 2))
    images = [smooth(generator, int(height), int(width)) for height, width in shapes]
    try:
        expected = run_chain(dali, images, Random(seed))
    except Exception as refusal:  # DALI raises RuntimeError, ValueError and others
        expected = str(refusal)[:300]
    try:
        results = run_chain(penstock, images, Random(seed))
    except PenstockError as error:
        if not isinstance(expected, str):
            raise AssertionError("only Penstock refuses the chain") from error
        return
    if isinstance(expected, str):
        return  # Penstock may accept more than DALI
    for number, (one, other) in enumerate(zip(results, expected, strict=True)):
        assert one.dtype == other.dtype, f"sample {number}: {one.dtype} for {other.dtype}"
        assert one.shape == other.shape, f"sample {number}: {one.shape} for {other.shape}"
        difference = np.abs(one.astype(np.float64) - other)
        mean = float(difference.mean()) if difference.size else 0.0
        steps = chain_length(Random(seed)) + 1
        assert mean <= ROUNDING * steps, f"sample {number}: mean difference {mean:.2f}"


def smooth(generator: np.random.Generator, height: int, width: int) -> NDArray[np.uint8]:
    """Return a picture without hard edges, which different rounding of positions would move."""
    y, x = np.mgrid[:height, :width]
    slopes = generator.uniform(-1, 1, (2, 3))
    waves = np.sin((y[..., None] * slopes[0] + x[..., None] * slopes[1]) / 4)
    return (127 + 120 * waves).astype(np.uint8)


def chain_length(random: Random) -> int:
    """Return the number of steps, which is the first number that a chain draws."""
    return random.randint(1, 4)


def run_chain(library: Any, images: list[NDArray[np.uint8]], random: Random) -> list[NDArray[Any]]:
    """Return the results of the chain that `random` gives."""
    fn, types = library.fn, library.types
    with library.Pipeline(
        batch_size=len(images), num_threads=1, device_id=None, seed=1
    ) as pipeline:
        node = fn.external_source(source=lambda: images, layout="HWC")
        for _ in range(chain_length(random)):
            node = random.choice(STEPS)(node, fn, types, random)
        pipeline.set_outputs(random.choice(LAST_STEPS)(node, fn, types, random))
    pipeline.build()
    (output,) = pipeline.run()
    return [np.array(output.at(i)) for i in range(len(images))]


def compare_readers(dali: Any, random: Random) -> None:
    """Read some epochs of one shard in both libraries; contents and labels must be equal."""
    samples = random.randint(1, 40)
    for number in range(samples):
        folder = Path("tree", f"class{number % random.randint(1, 4)}")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{number:03}.jpg").write_bytes(random.randbytes(random.randint(1, 90)))
    shards = random.randint(1, min(4, samples))
    options = {
        "file_root": "tree",
        "num_shards": shards,
        "shard_id": random.randrange(shards),
        "stick_to_shard": random.random() < 0.5,
        "pad_last_batch": random.random() < 0.5,
    }
    batch_size = random.randint(1, 9)
    ours, theirs = (read_batches(library, options, batch_size) for library in (penstock, dali))
    assert ours == theirs, f"batches of {batch_size} with {options}"


def read_batches(library: Any, options: dict[str, Any], batch_size: int) -> list[Any]:
    """Return the contents and labels of ten batches."""
    with library.Pipeline(batch_size=batch_size, num_threads=1, device_id=None) as pipeline:
        pipeline.set_outputs(*library.fn.readers.file(name="Reader", **options))
    pipeline.build()
    batches = []
    for _ in range(10):
        contents, labels = pipeline.run()
        every = range(batch_size)
        batches.append(
            [(np.array(contents.at(i)).tobytes(), int(np.array(labels.at(i))[0])) for i in every]
        )
    return batches
