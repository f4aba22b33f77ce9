"""The data of tensors in requests: binary, and in JSON."""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine.arrays import Array
from .requests import RequestError
from .signature import BYTES, DTYPES, TensorSpec


def from_binary(
    tensor: Mapping[str, Any], spec: TensorSpec, shape: tuple[int, ...], data: memoryview
) -> object:
    """Return the samples of an input that is in binary form, without a copy.

    Args:
        tensor: the entry of the request.
        spec: of the input.
        shape: of the entry, which is as the input has it.
        data: the bytes.

    Raises:
        RequestError: the bytes are not as many as the shape demands.
    """
    if tensor["datatype"] == BYTES:
        return _elements(data, shape[0], spec.name)
    dtype = DTYPES[tensor["datatype"]]
    wanted = math.prod(shape) * dtype.itemsize
    if len(data) != wanted:
        raise RequestError(
            f"the input {spec.name!r} has {len(data)} bytes, but its shape {list(shape)} and its "
            f"type {tensor['datatype']} make {wanted}"
        )
    return _of_pipeline(np.frombuffer(data, dtype), spec, shape)


def _of_pipeline(array: Array, spec: TensorSpec, shape: tuple[int, ...]) -> Array:
    """Return an array in the dimensions of the pipeline: [samples, 1] may stand for [samples]."""
    return array.reshape(shape[:1] if spec.ndim == 0 else shape)


def _elements(data: memoryview, count: int, name: str) -> list[NDArray[np.uint8]]:
    """Return the elements of a BYTES tensor, without a copy.

    Raises:
        RequestError: there are not `count` elements, which fill the data.
    """
    elements = []
    offset = 0
    for number in range(count):
        if len(data) - offset < 4:
            raise RequestError(
                f"the input {name!r} ends before element {number} of {count}; each element is its "
                "size in four bytes, little-endian, and as many bytes"
            )
        (size,) = struct.unpack_from("<I", data, offset)
        offset += 4
        if size > len(data) - offset:
            raise RequestError(
                f"element {number} of the input {name!r} has {size} bytes, but "
                f"{len(data) - offset} are left"
            )
        elements.append(np.frombuffer(data, np.uint8, size, offset))
        offset += size
    if offset != len(data):
        raise RequestError(f"the input {name!r} has {len(data) - offset} bytes behind its elements")
    return elements


def from_json(tensor: Mapping[str, Any], spec: TensorSpec, shape: tuple[int, ...]) -> Any:
    """Return the samples of an input whose data are in the JSON, flat or nested.

    Raises:
        RequestError: the data are not of the input's type, or not as many as the shape demands.
    """
    if "data" not in tensor:
        raise RequestError(f"the input {spec.name!r} has no data")
    values = tensor["data"]
    if tensor["datatype"] == BYTES:
        return _texts(values, spec, shape[0])
    dtype = DTYPES[tensor["datatype"]]
    if dtype == np.float16:
        raise RequestError(f"the input {spec.name!r} is FP16, which goes as binary data alone")
    try:
        as_sent = np.asarray(values)
        is_good = not as_sent.size or as_sent.dtype.kind in _KINDS.get(dtype.kind, "iu")
        array = np.asarray(values, dtype) if is_good else None
    except (ValueError, TypeError, OverflowError, RecursionError):
        array = None
    if array is None or array.size != math.prod(shape):
        raise RequestError(
            f"the data of the input {spec.name!r} are no {tensor['datatype']} of shape "
            f"{list(shape)}"
        )
    return _of_pipeline(array, spec, shape)


_KINDS = {"b": "b", "f": "fiu"}
"""Kinds of NumPy types that JSON values of a kind may have; "iu" for all others."""


def _texts(values: object, spec: TensorSpec, count: int) -> list[NDArray[np.uint8]]:
    flat = values if isinstance(values, list) else []
    if flat and all(isinstance(entry, list) and len(entry) == 1 for entry in flat):
        flat = [text[0] for text in flat]
    if len(flat) != count or not all(isinstance(text, str) for text in flat):
        raise RequestError(
            f"the data of the input {spec.name!r} must be {count} strings; bytes that are no UTF-8 "
            "go as binary data"
        )
    return [np.frombuffer(text.encode(), np.uint8) for text in flat]
