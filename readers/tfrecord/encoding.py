"""`tf.train.Example`, written; the messages are those of `example`."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...engine.arrays import Array
from ..protobuf.encoding import bytes_field, encode_varints, field_head
from .example import FeatureType

FeatureValue = bytes | memoryview | Array
"""A byte string, or numbers: float32, or integers, which are stored as int64."""


def encode_example(features: Mapping[str, FeatureValue]) -> bytes:
    """Return the message that holds features by name.

    >>> encode_example({"a": b"b"}).hex(" ")
    '0a 0c 0a 0a 0a 01 61 12 05 0a 03 0a 01 62'
    """
    pieces: list[bytes | memoryview] = []
    for name, value in features.items():
        pieces += _entry(name.encode(), value)
    return b"".join([field_head(1, sum(map(len, pieces))), *pieces])


def _entry(key: bytes, value: FeatureValue) -> list[bytes | memoryview]:
    """Return the pieces of one entry of the map; a long byte string is a piece of its own."""
    head, content = _values(value)
    size = len(head) + len(content)
    feature_type = _type(value)
    feature = field_head(feature_type, size) + head
    named = bytes_field(1, key) + field_head(2, len(feature) + len(content)) + feature
    return [field_head(1, len(named) + len(content)) + named, content]


def _type(value: FeatureValue) -> FeatureType:
    if not isinstance(value, np.ndarray):
        return FeatureType.BYTES
    return FeatureType.FLOAT if value.dtype.kind == "f" else FeatureType.INT64


def _values(value: FeatureValue) -> tuple[bytes, bytes | memoryview]:
    """Return the head of the one field of a list message, and its content."""
    content: bytes | memoryview
    if not isinstance(value, np.ndarray):
        content = value
    elif value.dtype.kind == "f":
        content = value.astype("<f4").tobytes()
    else:
        content = encode_varints(value)
    return field_head(1, len(content)), content
