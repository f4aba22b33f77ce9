"""Batches of about equal cost: the argument `batch_cost` of readers."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NoReturn, Protocol

import numpy as np

from ..engine.arrays import Int64s
from ..engine.order.length_classes import LengthClasses
from ..engine.order.rounds import Rounds, RoundsState
from ..engine.suggestions import and_so, not_among
from .sample_values import one_for_each
from .source import Source

KEYS = (
    *("by", "budget", "buckets", "max_samples", "multiple_of", "quadratic", "long", "drop_last"),
    "pad_to",
)
"""What `batch_cost` may have; `by` and `budget` must be there."""

_OTHERS = ("pad_last_batch", "shuffle_block", "stick_to_shard", "shuffle_after_epoch")


class CostedReader(Protocol):
    """A reader, as far as its batches by cost go."""

    batch_cost: Mapping[str, Any]
    device: str
    given: frozenset[str]
    source: Source
    shard_id: int
    num_shards: int
    random_shuffle: bool
    classes: LengthClasses | None

    def refuse(self, problem: str) -> NoReturn:
        """Raise ArgumentError."""

    def fixed_samples(self) -> Int64s | range:
        """Return the indices of the samples that are read; raise ArgumentError if they change."""

    def order_seed(self) -> int:
        """Return the seed of the order."""


def check_cost(reader: CostedReader) -> None:
    """Raise ArgumentError unless `batch_cost` has what it needs, and fits the other arguments."""
    for key in reader.batch_cost:
        if key not in KEYS:
            reader.refuse(f"batch_cost has no key {not_among(key, KEYS)}")
    for key in ("by", "budget"):
        if key not in reader.batch_cost:
            reader.refuse(f"batch_cost needs the key {key!r}")
    if reader.batch_cost.get("pad_to", "longest") not in ("longest", "bound"):
        reader.refuse(f"batch_cost: pad_to={reader.batch_cost['pad_to']!r}, expected 'bound'")
    if reader.batch_cost.get("pad_to") == "bound" and reader.device != "cpu":
        reader.refuse("batch_cost: pad_to='bound' is for readers on the CPU")
    for name in _OTHERS:
        if name in reader.given and getattr(reader, name):
            reader.refuse(f"batch_cost decides what {name} decides; leave {name} out")


def rounds_of(reader: CostedReader, most: int, state: object) -> Rounds:
    """Return the order of a reader with `batch_cost`.

    Args:
        reader: the reader, whose source is open.
        most: samples of a batch at most.
        state: where to go on, of JSON types, or None.
    """
    options = dict(reader.batch_cost)
    options.pop("pad_to", None)
    drop_last = bool(options.pop("drop_last", False))
    batch_size, most = most, min(most, options.pop("max_samples", most))
    classes = reader.classes
    if classes is None:
        lengths = _lengths(reader, options.pop("by"))
        numbers = np.asarray(reader.fixed_samples())
        lengths = lengths[numbers]
        unknown = numbers[~np.isfinite(lengths.astype(np.float64))]
        if len(unknown):
            reader.refuse(
                f"batch_cost: {reader.source.where(int(unknown[0]))} lacks a length"
                f"{and_so(len(unknown) - 1, 'does', 'do')}: leave out such samples by indices="
            )
        classes = LengthClasses(
            lengths,
            most=most,
            samples=numbers,
            where=reader.source.where,
            **options,
        )
        reader.classes = classes
    return Rounds(
        classes,
        batch_size,
        shard_id=reader.shard_id,
        num_shards=reader.num_shards,
        shuffle=reader.random_shuffle,
        seed=reader.order_seed(),
        drop_last=drop_last,
        state=None if state is None else RoundsState.from_json(state),
    )


def cost_meta(reader: CostedReader) -> dict[str, Any]:
    """Return what `Pipeline.reader_meta` tells of the classes of a reader with `batch_cost`."""
    classes = reader.classes
    assert classes is not None  # the reader is open
    return {
        "bounds": classes.bounds,
        "batch_sizes": classes.batch_sizes,
        "samples_of_classes": classes.sizes,
        "dropped": classes.dropped,
    }


def _lengths(reader: CostedReader, by: object) -> Any:
    """Return the length of each sample of the source."""
    source = reader.source
    if isinstance(by, str):
        column = getattr(source, "known_column", lambda name: None)
        known = getattr(source, "known_lengths", column)(by)
        if known is None:
            reader.refuse(
                f"batch_cost: the reader knows no {by!r} of its samples without reading them, or "
                "it is no length; give an array with a length for each sample"
            )
        by = known
    return one_for_each(
        *(reader.refuse, "batch_cost: by", by, len(source)), kinds="biuf", expected="a length"
    )


def file_sizes(paths: list[bytes]) -> Any:
    """Return the size of each file in bytes; NaN for those that are not there."""

    def size(path: bytes) -> float:
        try:
            return float(os.stat(path).st_size)
        except OSError:
            return float("nan")

    return np.array([size(path) for path in paths])
