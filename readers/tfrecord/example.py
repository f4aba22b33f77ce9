"""`tf.train.Example` and `tf.train.SequenceExample`, one record at a time.

The messages, from TensorFlow's `example.proto` and `feature.proto`:

    Example          { Features features = 1; }
    SequenceExample  { Features context = 1; FeatureLists feature_lists = 2; }
    Features         { map<string, Feature> feature = 1; }
    FeatureLists     { map<string, FeatureList> feature_list = 1; }
    FeatureList      { repeated Feature feature = 1; }
    Feature          { oneof kind { BytesList = 1; FloatList = 2; Int64List = 3; } }
    BytesList        { repeated bytes value = 1; }
    FloatList        { repeated float value = 1 [packed]; }
    Int64List        { repeated int64 value = 1 [packed]; }

A map is a repeated message { key = 1; value = 2; }, and the last entry of a key counts.
This parser takes everything that is valid. `example_layouts` does the same for many records
at once where they are alike, and leaves the others to this one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..protobuf.wire import (
    FIXED32,
    LENGTH,
    VARINT,
    Span,
    bytes_of,
    decode_floats,
    decode_varints,
    fields,
    messages,
)


class Kind(IntEnum):
    """What a feature holds: the numbers of the fields of `Feature`."""

    BYTES = 1
    FLOAT = 2
    INT64 = 3


Found = tuple[Kind, list[Span]]
"""A feature's kind, and the spans of its list message (several are to be merged)."""


def find_features(data: bytes, wanted: Iterable[bytes], field: int = 1) -> dict[bytes, Found]:
    """Return the wanted features that a message's `Features` holds and that have a value.

    Args:
        data: an Example, or a SequenceExample to get its context.
        wanted: keys.
        field: number of the `Features` or `FeatureLists` in the message.
    """
    found = {}
    for key, spans in _entries(data, wanted, field).items():
        feature = _kind(data, spans)
        if feature is not None:
            found[key] = feature
    return found


def find_feature_lists(data: bytes, wanted: Iterable[bytes]) -> dict[bytes, list[Found | None]]:
    """Return the wanted feature lists of a SequenceExample: for each step, its feature."""
    return {
        key: [_kind(data, [span]) for span in messages(data, spans, 1)]
        for key, spans in _entries(data, wanted, 2).items()
    }


def _entries(data: bytes, wanted: Iterable[bytes], field: int) -> dict[bytes, list[Span]]:
    """Return the values of the wanted entries of the map in `field`."""
    keys = frozenset(wanted)
    maps = list(messages(data, [(0, len(data))], field))
    found = {}
    for entry in messages(data, maps, 1):
        key = b""
        value: list[Span] = []
        for number, wire, begin, end in fields(data, [entry]):
            if wire == LENGTH and number == 1:
                key = data[begin:end]
            elif wire == LENGTH and number == 2:
                value.append((begin, end))
        if key in keys:
            found[key] = value
    return found


def _kind(data: bytes, spans: Sequence[Span]) -> Found | None:
    kind, lists = 0, list[Span]()
    for number, wire, begin, end in fields(data, spans):
        if wire == LENGTH and number in (1, 2, 3):
            if number != kind:  # of a oneof, the last that is set counts
                kind, lists = number, []
            lists.append((begin, end))
    return (Kind(kind), lists) if kind else None


def byte_strings(data: bytes, lists: Sequence[Span]) -> list[Span]:
    """Return where the values of a BytesList lie."""
    return list(messages(data, lists, 1))


def numbers(data: bytes, kind: Kind, lists: Sequence[Span]) -> NDArray[Any]:
    """Return the values of a FloatList (float32) or an Int64List (int64)."""
    parse: Callable[[NDArray[np.uint8]], NDArray[Any]]
    parse, single = (decode_floats, FIXED32) if kind is Kind.FLOAT else (decode_varints, VARINT)
    parts = [
        parse(bytes_of(data, (begin, end)))
        for number, wire, begin, end in fields(data, lists)
        if number == 1 and wire in (LENGTH, single)
    ]
    if len(parts) == 1:
        return parts[0]
    return np.concatenate([parse(np.empty(0, np.uint8)), *parts])
