"""Checkpoints at random steps, restored with other numbers of ranks, threads and batch sizes.

The rest of the epoch must hold each remaining sample exactly once.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from penstock import Pipeline, fn

from .reader_settings import make_files


def case(seed: int) -> None:
    """Read part of an epoch, resume up to twice, and count what was read."""
    random = Random(seed)
    samples = random.randint(4, 80)
    files = make_files(samples)
    shuffle = random.random() < 0.7
    options = {"random_shuffle": shuffle, "shuffle_seed": seed} if shuffle else {}
    if shuffle and random.random() < 0.4:
        options |= {"shuffle_block": random.randint(1, 16), "shuffle_window": random.randint(1, 5)}
    seen: list[int] = []
    checkpoint: Any = None
    for _ in range(random.randint(1, 3)):
        ranks = random.randint(1, 4)
        batch_size = random.randint(1, 9)
        steps = random.randint(0, max(0, (samples - len(seen)) // (ranks * batch_size) - 1))
        taken, checkpoint = read(files, options, checkpoint, ranks, batch_size, random, steps)
        seen += taken
    assert len(set(seen)) == len(seen), f"samples came twice: {sorted(seen)}"
    ranks = random.randint(1, 4)
    rest = read_rest(files, options, checkpoint, ranks, random, samples - len(seen))
    assert sorted(seen + rest) == list(range(samples)), f"{sorted(seen)} and {sorted(rest)}"


def read(
    files: list[str],
    options: dict[str, Any],
    checkpoint: Any,
    ranks: int,
    batch_size: int,
    random: Random,
    steps: int,
) -> tuple[list[int], Any]:
    """Return the labels that all ranks take in `steps` steps, and a checkpoint."""
    taken: list[int] = []
    for rank in range(ranks):
        with pipeline_of(files, options, checkpoint, rank, ranks, batch_size, random) as pipeline:
            for _ in range(steps):
                taken += labels(pipeline.run())
            saved = pipeline.checkpoint()
    return taken, saved


def read_rest(
    files: list[str],
    options: dict[str, Any],
    checkpoint: Any,
    ranks: int,
    random: Random,
    left: int,
) -> list[int]:
    """Return the labels of the rest of the epoch, divided among ranks, one sample a batch."""
    rest: list[int] = []
    for rank in range(ranks):
        with pipeline_of(files, options, checkpoint, rank, ranks, 1, random) as pipeline:
            cuts = [left * shard // ranks for shard in range(ranks + 1)]
            for _ in range(cuts[rank + 1] - cuts[rank]):
                rest += labels(pipeline.run())
    return rest


def labels(outputs: Sequence[Any]) -> list[int]:
    """Return the labels of a batch."""
    values: list[int] = outputs[0].as_array().ravel().tolist()
    return values


def pipeline_of(
    files: list[str],
    options: dict[str, Any],
    checkpoint: Any,
    rank: int,
    ranks: int,
    batch_size: int,
    random: Random,
) -> Pipeline:
    """Return a pipeline that outputs labels."""
    pipeline = Pipeline(
        batch_size,
        num_threads=random.randint(1, 3),
        seed=1,
        prefetch_queue_depth=random.randint(1, 4),
        checkpoint=checkpoint,
    )
    with pipeline:
        _, numbers = fn.readers.file(files=files, shard_id=rank, num_shards=ranks, **options)
        pipeline.set_outputs(numbers)
    return pipeline
