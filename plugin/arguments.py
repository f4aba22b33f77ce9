"""Checks of an iterator's arguments against its pipelines, and the shards that result."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from ..engine.errors import ArgumentError
from ..engine.order import checkpoint
from ..engine.order.cursor import state_of
from ..engine.order.sampler import dealt_samples
from ..engine.pipeline.pipeline import Pipeline
from .epochs import Shards


def as_pipelines(value: Any) -> list[Pipeline]:
    """Return one or several pipelines as a list."""
    pipelines = list(value) if isinstance(value, list | tuple) else [value]
    if not pipelines or not all(isinstance(pipeline, Pipeline) for pipeline in pipelines):
        raise ArgumentError(f"pipelines must be a Pipeline or a list of them, not {value!r}")
    return pipelines


def as_names(output_map: Sequence[str] | None, pipelines: list[Pipeline]) -> list[str]:
    """Return the names of the outputs, which must differ: those of `output_map`, or the own ones.

    A pipeline has names of its own if its definition returns a dict.
    """
    if output_map is None:
        own = _same("output_names", [pipeline.output_names for pipeline in pipelines])
        if own is None:
            raise ArgumentError(
                "the outputs of the pipeline have no names: give output_map, a name for each "
                "output, or return a dict in the definition, such as "
                "{'image': images, 'label': labels}"
            )
        return list(own)
    names = [output_map] if isinstance(output_map, str) else list(output_map)
    if len(set(names)) != len(names):
        raise ArgumentError(f"the names in output_map must differ, but it is {names}")
    return names


def common_batch_size(pipelines: list[Pipeline]) -> int:
    """Return the batch size of all pipelines."""
    return int(_same("batch_size", [pipeline.max_batch_size for pipeline in pipelines]))


def sized_shards(size: int, pipelines: int, padded: bool) -> Shards | None:
    """Return how `size` samples are split among the pipelines; None for size -1."""
    if size == 0 or size < -1:
        raise ArgumentError(f"size must be the number of samples of an epoch, or -1, not {size}")
    if size == -1 and pipelines > 1:
        raise ArgumentError(
            f"with {pipelines} pipelines the epoch's size must be known: give reader_name or size"
        )
    return None if size == -1 else Shards(size, pipelines, padded=padded, stick=False)


def reader_shards(pipelines: list[Pipeline], reader: str) -> tuple[Shards, list[int]]:
    """Return how the readers of that name split their data, and the rank of each pipeline."""
    metas = [pipeline.reader_meta(reader) for pipeline in pipelines]

    def common(key: str) -> int:
        return int(_same(f"{key} in reader {reader!r}", [meta[key] for meta in metas]))

    samples, count = common("epoch_size"), common("number_of_shards")
    padded, stick = bool(common("pad_last_batch")), bool(common("stick_to_shard"))
    state = reader_state(pipelines[0], reader)
    own = pipelines[0].shard_sizes(reader)
    dealt = None if own is None else partial(_dealt, pipelines[0], reader)
    left = (own,) if own is not None else _left(state, count, stick)
    largest = metas[0].get("largest_batch")  # of a reader whose global batch is held
    shards = Shards(samples, count, padded, stick, state.epoch, left, 0, dealt, largest)
    return shards, [int(meta["shard_id"]) for meta in metas]


def _dealt(pipeline: Pipeline, reader: str, epoch: int) -> tuple[int, ...]:
    sizes = pipeline.shard_sizes(reader, epoch)
    assert sizes is not None  # the reader has no shards
    return sizes


def reader_state(pipeline: Pipeline, reader: str) -> Any:
    """Return where a reader stands.

    The reader is past the start of its data if the pipeline has run or continues a checkpoint.
    """
    return state_of(checkpoint.load(pipeline.checkpoint()).inputs[reader])


def next_epoch(pipeline: Pipeline, reader: str) -> int:
    """Return the first epoch of which no rank has read a sample: see `Pipeline.begin_epoch`."""
    state = reader_state(pipeline, reader)
    return int(state.epoch) + len(state.remaining)


def leave_epoch(pipelines: list[Pipeline], epoch: int) -> None:
    """Leave out what the readers have left of `epoch` and of those before it."""
    for pipeline in pipelines:
        saved = checkpoint.load(pipeline.checkpoint())
        for name in pipeline.reader_meta():
            state = state_of(saved.inputs[name])
            saved.inputs[name] = state.after_epoch(epoch).to_json()
        pipeline.restore(saved.dump())


def _left(state: Any, count: int, stick: bool) -> tuple[tuple[int, ...], ...]:
    """Return how many samples each rank has left in each unfinished epoch."""
    left = []
    for epoch, intervals in sorted(state.remaining.items()):
        total = sum(stop - start for start, stop in intervals)
        if state.dealt is not None and epoch == state.epoch:
            left.append(tuple(dealt_samples(total, rank, *state.dealt) for rank in range(count)))
            continue
        cuts = state.cuts.get(epoch) or [total * shard // count for shard in range(count + 1)]
        moved = 0 if stick else epoch
        shards = [(rank + moved) % count for rank in range(count)]
        left.append(tuple(cuts[shard + 1] - cuts[shard] for shard in shards))
    return tuple(left)


def _same(what: str, values: list[object]) -> Any:
    if any(value != values[0] for value in values):
        raise ArgumentError(f"the pipelines must have the same {what}, but they have {values}")
    return values[0]
