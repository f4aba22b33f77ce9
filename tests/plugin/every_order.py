"""An iterator of each order, over the same small files: what ranks that come and go must keep."""

from __future__ import annotations

import numpy as np

from penstock import Pipeline, fn
from penstock.plugin.arrays import GenericIterator

SAMPLES = 90
LENGTHS = np.random.default_rng(1).integers(3, 20, SAMPLES)


def written(folder):
    """Write the samples: file i holds as many bytes as `LENGTHS` says."""
    for i, length in enumerate(LENGTHS):
        np.save(folder / f"{i:03}.npy", np.full(length, i, np.uint8))


def _files(folder):
    paths = [str(folder / f"{i:03}.npy") for i in range(SAMPLES)]

    def reader(start=0, stop=SAMPLES, **options):
        labels = list(range(start, stop))
        return fn.readers.file(files=paths[start:stop], labels=labels, **options)

    return paths, reader


def _plain(folder, **shard):
    _, reader = _files(folder)
    return reader(name="data", pad_last_batch=True, **shard)[1]


def _mix(folder, **options):
    _, reader = _files(folder)
    members = {"a": reader(0, 60), "b": reader(60, SAMPLES)}
    return fn.readers.mix(members, name="data", pad_last_batch=True, **options)[1]


def _weights(folder, **shard):
    return _mix(folder, weights={"a": 1, "b": 2}, **shard)


def _per_batch(folder, **shard):
    return _mix(folder, per_batch=[2, 1], **shard)


def _balance(folder, **shard):
    _, reader = _files(folder)
    by = np.arange(SAMPLES) % 7 // 3
    options = {"by": by, "name": "data", "pad_last_batch": True}
    return fn.readers.balance(reader(), **options, **shard)[1]


def _cost(folder, **shard):
    _, reader = _files(folder)
    cost = {"by": LENGTHS, "budget": 40, "buckets": 4}
    return reader(name="data", batch_cost=cost, **shard)[1]


def _pack(folder, **shard):
    paths, _ = _files(folder)
    arrays = fn.readers.numpy(files=paths)
    options = {"length": 24, "lengths": LENGTHS, "name": "data", "pad_last_batch": True}
    *_, samples = fn.readers.pack(arrays, **options, **shard)
    return fn.pad(samples, fill_value=-1)


ORDERS = {
    "plain": _plain,
    "mix": _mix,
    "weights": _weights,
    "per_batch": _per_batch,
    "balance": _balance,
    "batch_cost": _cost,
    "pack": _pack,
}
HOLDS_STEPS = [name for name in ORDERS if name not in ("per_batch", "batch_cost")]
"""Orders that `keep_global_batch` allows."""


def opened(name, folder, rank=0, ranks=1):
    """Return the iterator of an order."""
    pipeline = Pipeline(16 if name == "batch_cost" else 3, 1, seed=1, exec_processes=False)
    with pipeline:
        shard = {"shard_id": rank, "num_shards": ranks, "random_shuffle": True}
        pipeline.set_outputs(ORDERS[name](folder, **shard))
    return GenericIterator(
        pipeline,
        ["sample"],
        reader_name="data",
        auto_reset=True,
        last_batch_policy="partial",
        with_valid=True,
        batch_form="dict",
    )


def following(iterator):
    """Return the next batch, of this epoch or the next one."""
    return next(iterator, None) or next(iterator)


def samples(batch):
    """Return the numbers of the samples in a batch, without copies."""
    numbers = batch["sample"][batch["valid"]].ravel()
    return numbers[numbers >= 0].tolist()
