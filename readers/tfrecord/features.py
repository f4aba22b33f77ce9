"""The descriptions of features that users write; public as `penstock.tfrecord`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array, DType
from ...engine.errors import ArgumentError
from ...engine.graph.portable import portable
from .example import FeatureType

string = FeatureType.BYTES
float32 = FeatureType.FLOAT
int64 = FeatureType.INT64

DTYPES: dict[FeatureType, DType] = {
    FeatureType.BYTES: np.dtype(np.uint8),
    FeatureType.FLOAT: np.dtype(np.float32),
    FeatureType.INT64: np.dtype(np.int64),
}


@dataclass(frozen=True)
class FixedLenFeature:
    """A feature that has the same number of values in all records.

    Numbers become tensors of `shape`: `[]` means scalars, `[3]` vectors of three elements. A string
    becomes its bytes, uint8 of shape (size,). A string feature has one value: its shape is `[]` or
    `[1]`.

    Attributes:
        shape: extents.
        dtype: `string`, `int64` or `float32`.
        default_value: value for records without the feature: a number for all elements, an array
            that broadcasts to `shape`, or a string. With None, such records are errors.
    """

    shape: Sequence[int]
    dtype: int
    default_value: object = None

    def __post_init__(self) -> None:
        shape = _shape("FixedLenFeature", self.shape)
        object.__setattr__(self, "shape", shape)
        object.__setattr__(self, "dtype", _feature_type("FixedLenFeature", self.dtype))
        if self.dtype == string and prod(shape) != 1:
            raise ArgumentError(
                f"FixedLenFeature: a string feature has the shape [] or [1], not {list(shape)}; "
                "use VarLenFeature(string) for several strings"
            )


class VarLenFeature:
    """A feature whose number of values varies.

    Numbers become tensors of one dimension, or, with `partial_shape`, of the shape
    (values / prod(partial_shape), *partial_shape). Strings become two outputs. The output of the
    feature's name has the bytes of all strings end to end. The output `<name>.lengths` has the
    number of bytes of each string, int64 (strings,).

    Called as VarLenFeature(dtype), VarLenFeature(dtype, default_value) or
    VarLenFeature(partial_shape, dtype, default_value).

    Attributes:
        dtype: `string`, `int64` or `float32`.
        default_value: value for records without the feature: one value, or an array of values.
            None stands for no values.
        partial_shape: extents of all dimensions but the first.
    """

    def __init__(self, *arguments: object, **named: object) -> None:
        if arguments and isinstance(arguments[0], Sequence) and not isinstance(arguments[0], str):
            named["partial_shape"], arguments = arguments[0], arguments[1:]
        for name, value in zip(("dtype", "default_value"), arguments, strict=False):
            named.setdefault(name, value)
        if "dtype" not in named or not named.keys() <= _VAR_LEN_NAMES or len(arguments) > 2:
            raise ArgumentError(
                "VarLenFeature is called as (dtype), (dtype, default_value) or "
                "(partial_shape, dtype, default_value)"
            )
        self.dtype = _feature_type("VarLenFeature", named["dtype"])
        self.default_value = named.get("default_value")
        self.partial_shape = _shape("VarLenFeature", named.get("partial_shape", ()))
        if self.partial_shape and (self.dtype == string or prod(self.partial_shape) == 0):
            raise ArgumentError(
                f"VarLenFeature: the partial_shape {list(self.partial_shape)} is for numbers, and "
                "must have no extent 0"
            )

    def __repr__(self) -> str:
        return (
            f"VarLenFeature(dtype={self.dtype.name}, default_value={self.default_value!r}, "
            f"partial_shape={self.partial_shape!r})"
        )


_VAR_LEN_NAMES = {"dtype", "default_value", "partial_shape"}

portable(FeatureType)
portable(FixedLenFeature, "shape", "dtype", "default_value")
portable(VarLenFeature, "dtype", "default_value", "partial_shape")

Feature = FixedLenFeature | VarLenFeature
"""The description of a feature."""


def _shape(owner: str, shape: Any) -> tuple[int, ...]:
    extents = (shape,) if isinstance(shape, int | np.integer) else shape
    try:
        checked = tuple(int(extent) for extent in extents)
    except (TypeError, ValueError):
        checked = (-1,)
    if any(extent < 0 for extent in checked) or prod(checked) > _MOST_VALUES:
        raise ArgumentError(f"{owner}: a shape is a list of extents, got {shape!r}")
    return checked


_MOST_VALUES = 1 << 40


def _feature_type(owner: str, dtype: Any) -> FeatureType:
    try:
        return FeatureType(dtype)
    except ValueError:
        raise ArgumentError(
            f"{owner}: the dtype is one of tfrecord.string, tfrecord.int64 and tfrecord.float32, "
            f"not {dtype!r}"
        ) from None


def checked_features(argument: str, features: object) -> dict[str, Feature]:
    """Return the dict of features that a user passed; raise ArgumentError for other objects."""
    if not isinstance(features, Mapping):
        raise ArgumentError(f"fn.readers.tfrecord: {argument} must be a dict, got {features!r}")
    for name, feature in features.items():
        if not isinstance(name, str) or not isinstance(feature, Feature):
            raise ArgumentError(
                f"fn.readers.tfrecord: {argument} maps names to tfrecord.FixedLenFeature or "
                f"tfrecord.VarLenFeature, but {name!r} to {feature!r}"
            )
    return dict(features)


def default_array(name: str, feature: Feature) -> Array | None:
    """Return the value for records without the feature; None if such records are errors."""
    value = feature.default_value
    feature_type = FeatureType(feature.dtype)
    if isinstance(feature, VarLenFeature) and value is None:
        return np.empty((0, *feature.partial_shape), DTYPES[feature_type])
    if value is None:
        return None
    if feature_type is string:
        return _default_string(name, value)
    try:
        array = np.asarray(value, DTYPES[feature_type])
        if isinstance(feature, FixedLenFeature):
            return np.broadcast_to(array, feature.shape)
        if array.ndim == 0:
            return np.full((1, *feature.partial_shape), array)
        return array.reshape(-1, *feature.partial_shape)
    except (TypeError, ValueError, OverflowError) as error:
        raise ArgumentError(
            f"fn.readers.tfrecord: the default_value {value!r} of feature {name!r} does not fit "
            f"{feature!r} ({error})"
        ) from None


def _default_string(name: str, value: object) -> NDArray[np.uint8]:
    if isinstance(value, str):
        value = value.encode()
    if not isinstance(value, bytes):
        raise ArgumentError(
            f"fn.readers.tfrecord: the default_value of feature {name!r} must be a string, "
            f"got {value!r}"
        )
    return np.frombuffer(value, np.uint8)
