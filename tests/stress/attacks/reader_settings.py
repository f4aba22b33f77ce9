"""Random settings of a reader against the documented rules of order and shards.

Shard i of n holds the positions from `samples * i // n` to `samples * (i + 1) // n` of each epoch.
A rank takes the next shard in each epoch unless it sticks to its own shard. Without padding, a
batch may hold the end of one shard and the start of the next. With padding, the last sample is
repeated until the last batch is full. Threads and queues change nothing.
"""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

from penstock import Pipeline, fn

EPOCHS = 3


def case(seed: int) -> None:
    """Read some epochs of all ranks, and compare them with the rule."""
    random = Random(seed)
    samples = random.randint(1, 60)
    shards = random.randint(1, min(5, samples))
    options: dict[str, Any] = {
        "num_shards": shards,
        "stick_to_shard": random.random() < 0.3,
        "pad_last_batch": random.random() < 0.5,
        "random_shuffle": random.random() < 0.6,
        "prefetch_queue_depth": random.randint(1, 4),
    }
    if options["random_shuffle"] and random.random() < 0.4:
        options |= {"shuffle_block": random.randint(1, 16), "shuffle_window": random.randint(1, 6)}
    batch_size = random.randint(1, 17)
    files = make_files(samples)
    ranks = [
        labels_of(files, rank, batch_size, random, shuffle_seed=seed, **options)
        for rank in range(shards)
    ]
    again = labels_of(files, 0, batch_size, random, shuffle_seed=seed, **options)
    assert again == ranks[0], "threads or queues changed the order"
    assert len(set(map(len, ranks))) == 1, "ranks take different numbers of steps"
    for rank, labels in enumerate(ranks):
        sizes = [shard_size(samples, shards, rank, epoch, options) for epoch in range(EPOCHS)]
        compare(labels, sizes, batch_size, options, samples, shards, rank)
    if not options["pad_last_batch"]:
        check_epochs(ranks, samples, options)


def check_epochs(ranks: list[list[int]], samples: int, options: dict[str, Any]) -> None:
    """Check that each epoch of all ranks holds every sample once."""
    shards = len(ranks)
    divided = [
        divided_into_epochs(labels, samples, shards, rank, options)
        for rank, labels in enumerate(ranks)
    ]
    for number in range(EPOCHS - 1):
        seen = sorted(label for epochs in divided for label in epochs[number])
        assert seen == list(range(samples)), f"epoch {number} holds {seen}"
        if options["stick_to_shard"]:
            stayed = all(set(epochs[number]) == set(epochs[0]) for epochs in divided)
            assert stayed, f"a rank left its shard in epoch {number}"


def make_files(count: int) -> list[str]:
    """Write files of one byte; the file's number is its label."""
    for number in range(count):
        Path(f"{number:03}").write_bytes(bytes([number]))
    return [f"{number:03}" for number in range(count)]


def labels_of(
    files: list[str], rank: int, batch_size: int, random: Random, **options: Any
) -> list[int]:
    """Return the labels of the batches of all epochs of the largest shard."""
    shuffle_seed = options.pop("shuffle_seed")
    queue, threads = random.randint(1, 4), random.randint(1, 4)
    largest = -(-len(files) // options["num_shards"])
    with Pipeline(
        batch_size, num_threads=threads, seed=random.randrange(99), prefetch_queue_depth=queue
    ) as pipeline:
        if options["random_shuffle"]:
            options = {**options, "shuffle_seed": shuffle_seed}
        _, labels = fn.readers.file(files=files, shard_id=rank, **options)
        pipeline.set_outputs(labels)
        taken: list[int] = []
        for _ in range(-(-largest // batch_size) * EPOCHS):
            (output,) = pipeline.run()
            taken += output.as_array().ravel().tolist()
    return taken


def shard_size(samples: int, shards: int, rank: int, epoch: int, options: dict[str, Any]) -> int:
    """Return the number of samples that a rank reads in an epoch."""
    shard = rank if options["stick_to_shard"] else (rank + epoch) % shards
    return samples * (shard + 1) // shards - samples * shard // shards


def divided_into_epochs(
    labels: list[int], samples: int, shards: int, rank: int, options: dict[str, Any]
) -> list[list[int]]:
    """Return the labels of a rank, divided into epochs."""
    start, epochs = 0, []
    for epoch in range(EPOCHS):
        size = shard_size(samples, shards, rank, epoch, options)
        epochs.append(labels[start : start + size])
        start += size
    return epochs


def compare(
    labels: list[int],
    sizes: list[int],
    batch_size: int,
    options: dict[str, Any],
    samples: int,
    shards: int,
    rank: int,
) -> None:
    """Compare unshuffled labels with the rule; shuffled epochs hold no sample twice."""
    expected: list[int] = []
    start = 0
    largest = -(-samples // shards)
    for epoch, size in enumerate(sizes):
        shard = rank if options["stick_to_shard"] else (rank + epoch) % shards
        first = samples * shard // shards
        epoch_labels = list(range(first, first + size))
        if options["pad_last_batch"]:
            filled = -(-largest // batch_size) * batch_size
            mine = labels[start : start + filled]
            assert len(set(mine)) == size, f"epoch {epoch} of rank {rank}: {mine}"
            assert set(mine[size - 1 :]) == {mine[size - 1]}, "padding is another sample"
            epoch_labels += [first + size - 1] * (filled - size)
            start += filled
        expected += epoch_labels
    if not options["random_shuffle"]:
        length = min(len(labels), len(expected))
        assert labels[:length] == expected[:length], f"{labels} is not {expected}"
