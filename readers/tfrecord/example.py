"""`tf.train.Example` and `tf.train.SequenceExample`, one record at a time.

The messages, from TensorFlow's `example.proto` and `feature.proto`:

    Example          { Features features = 1; }
    SequenceExample  { Features context = 1; FeatureLists feature_lists = 2; }
    Features         { map<string, Feature> feature = 1; }
    FeatureLists     { map<string, FeatureList> feature_list = 1; }
    FeatureList      { repeated Feature feature = 1; }
    Feature          { oneof feature_type { BytesList = 1; FloatList = 2; Int64List = 3; } }
    BytesList        { repeated bytes value = 1; }
    FloatList        { repeated float value = 1 [packed]; }
    Int64List        { repeated int64 value = 1 [packed]; }

A map is a repeated message { key = 1; value = 2; }, and the last entry of a key counts.
This parser reads every valid message. `example_batch` locates the features of many records at once
where the records are alike, and leaves the others to this parser.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array
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


class FeatureType(IntEnum):
    """The type of a feature's values; the numbers are those of the fields of `Feature`."""

    BYTES = 1
    FLOAT = 2
    INT64 = 3


StoredFeature = tuple[FeatureType, list[Span]]
"""A feature's feature_type, and the spans of its list message (several are to be merged)."""


def find_features(
    data: bytes, wanted: Iterable[bytes], field: int = 1
) -> dict[bytes, StoredFeature]:
    """Return the wanted features that a message's `Features` holds and that have a value.

    Args:
        data: an Example, or a SequenceExample to get its context.
        wanted: keys.
        field: number of the `Features` or `FeatureLists` in the message.
    """
    features = {}
    for key, spans in _entries(data, wanted, field).items():
        feature = _feature_type(data, spans)
        if feature is not None:
            features[key] = feature
    return features


def find_feature_lists(
    data: bytes, wanted: Iterable[bytes]
) -> dict[bytes, list[StoredFeature | None]]:
    """Return the wanted feature lists of a SequenceExample: for each step, its feature."""
    return {
        key: [_feature_type(data, [span]) for span in messages(data, spans, 1)]
        for key, spans in _entries(data, wanted, 2).items()
    }


def stored_names(data: bytes, field: int = 1) -> list[str]:
    """Return the names of all features (field 1), or feature lists (field 2), of a message."""
    return [key.decode(errors="backslashreplace") for key, _ in _all_entries(data, field)]


def _entries(data: bytes, wanted: Iterable[bytes], field: int) -> dict[bytes, list[Span]]:
    """Return the values of the wanted entries of the map in `field`."""
    keys = frozenset(wanted)
    return {key: value for key, value in _all_entries(data, field) if key in keys}


def _all_entries(data: bytes, field: int) -> Iterator[tuple[bytes, list[Span]]]:
    """Yield key and value of the entries of the map in `field`; the last of equal keys counts."""
    maps = list(messages(data, [(0, len(data))], field))
    for entry in messages(data, maps, 1):
        key = b""
        value: list[Span] = []
        for number, wire, start, end in fields(data, [entry]):
            if wire == LENGTH and number == 1:
                key = data[start:end]
            elif wire == LENGTH and number == 2:
                value.append((start, end))
        yield key, value


def _feature_type(data: bytes, spans: Sequence[Span]) -> StoredFeature | None:
    feature_type, lists = 0, list[Span]()
    for number, wire, start, end in fields(data, spans):
        if wire == LENGTH and number in (1, 2, 3):
            if number != feature_type:  # of a oneof, the last that is set counts
                feature_type, lists = number, []
            lists.append((start, end))
    return (FeatureType(feature_type), lists) if feature_type else None


def byte_strings(data: bytes, lists: Sequence[Span]) -> list[Span]:
    """Return the spans of the values of a BytesList."""
    return list(messages(data, lists, 1))


def numbers(data: bytes, feature_type: FeatureType, lists: Sequence[Span]) -> Array:
    """Return the values of a FloatList (float32) or an Int64List (int64)."""
    parse: Callable[[NDArray[np.uint8]], Array]
    parse, single = (
        (decode_floats, FIXED32) if feature_type is FeatureType.FLOAT else (decode_varints, VARINT)
    )
    parts = [
        parse(bytes_of(data, (start, end)))
        for number, wire, start, end in fields(data, lists)
        if number == 1 and wire in (LENGTH, single)
    ]
    if len(parts) == 1:
        return parts[0]
    return np.concatenate([parse(np.empty(0, np.uint8)), *parts])
