"""Arguments of operators as JSON, with their types: what a stored pipeline consists of.

JSON's own values stand for None, bool, int, finite float, str and list. All other values are
objects with a key "type":

    {"type": "tuple", "items": [1, 2]}                  also "slice"
    {"type": "dict", "items": [["key", "value"]]}
    {"type": "float", "text": "inf"}                    infinities and NaN
    {"type": "bytes", "data": "<Base64>"}
    {"type": "array", "dtype": "<f4", "shape": [2], "data": "<Base64>"}
    {"type": "dtype", "name": "float32"}
    {"type": "ellipsis"}
    {"type": "DALIDataType", "name": "FLOAT"}           enums that are `portable`
    {"type": "FixedLenFeature", "fields": {...}}        classes that are `portable`
    {"type": "function", "name": "index_of_file"}       functions that are `portable`
    {"type": "partial", "function": {...}, "keywords": {...}}
    {"type": "pickle", "data": "<Base64>"}              anything else, if that was asked for

Nothing is imported or called for a name in such a value, unless a module of Penstock has entered
that name by `portable`. Pickles are loaded by the function that the caller gives, or not at all.
"""

from __future__ import annotations

import base64
import binascii
import os
from collections.abc import Callable, Mapping
from enum import Enum
from functools import partial
from math import isfinite, prod
from typing import Any, TypeVar

import numpy as np

from ..tensors.dtypes import DALIDataType, DALIImageType, DALIInterpType, to_dali_type
from ..tensors.given_arrays import host_array
from .index_keys import IndexFromData, NewAxis

Json = Any
"""A value that `json` writes and reads. Of files that somebody may have changed, it may be any."""

Pickled = Callable[[object], bytes] | None
"""Pickles what has no other form; None if nothing may be pickled."""

Unpickled = Callable[[bytes], object] | None
"""Loads a pickle; None if no pickle may be loaded."""

T = TypeVar("T", bound=Callable[..., object])

_FIELDS: dict[str, tuple[str, ...]] = {}
_CLASSES: dict[str, Callable[..., object]] = {}  # enums, classes and functions by their names


class NotPortable(Exception):  # noqa: N818  (a reason, not a fault)
    """A value cannot be stored, or a stored value is none; the message is the reason."""


def portable(thing: T, *fields: str) -> T:
    """Let arguments of operators hold members of an enum, objects of a class, or a function.

    Args:
        thing: the enum, the class or the function; its name is unique among all of these.
        fields: of a class, the attributes that its constructor takes by keyword.
    """
    name = thing.__name__
    _CLASSES[name], _FIELDS[name] = thing, fields
    return thing


portable(DALIDataType)
portable(DALIImageType)
portable(DALIInterpType)
portable(NewAxis, "name")
portable(IndexFromData, "number")


def encode(value: Any, pickled: Pickled = None) -> Json:
    """Return a value as JSON.

    Args:
        value: an argument of an operator.
        pickled: pickles what has no other form; None if nothing may be pickled.

    Raises:
        NotPortable: the value has no form.
    """
    if value is None or type(value) in (bool, int, str):
        return value
    if isinstance(value, float):
        return float(value) if isfinite(value) else {"type": "float", "text": repr(float(value))}
    if isinstance(value, Enum) and _is_known(type(value)):
        return {"type": type(value).__name__, "name": value.name}
    if type(value) in (list, range):
        return [encode(item, pickled) for item in value]
    if isinstance(value, tuple | slice):
        parts = (value.start, value.stop, value.step) if isinstance(value, slice) else value
        items = [encode(item, pickled) for item in parts]
        return {"type": "slice" if isinstance(value, slice) else "tuple", "items": items}
    if isinstance(value, Mapping):
        items = [[encode(item, pickled) for item in pair] for pair in value.items()]
        return {"type": "dict", "items": items}
    simple = _simple(value)
    if simple is not None:
        return simple
    if _is_known(type(value)):
        name = type(value).__name__
        fields = {key: encode(getattr(value, key), pickled) for key in _FIELDS[name]}
        return {"type": name, "fields": fields}
    if callable(value) and _is_known(value):
        return {"type": "function", "name": value.__name__}
    if type(value) is partial and not value.args and _is_known(value.func):
        keywords = {key: encode(each, pickled) for key, each in value.keywords.items()}
        return {"type": "partial", "function": encode(value.func), "keywords": keywords}
    return _array(value) or _pickle(value, pickled)


def _is_known(thing: object) -> bool:
    return _CLASSES.get(getattr(thing, "__name__", "")) is thing


def _simple(value: Any) -> Json:
    """Return a value without parts as JSON; None for other values."""
    if isinstance(value, str):  # of a class of its own, such as `TensorLayout`
        return str(value)
    if isinstance(value, os.PathLike):
        return encode(os.fspath(value))
    if isinstance(value, bytes | bytearray):
        return {"type": "bytes", "data": _text_of(value)}
    if value is Ellipsis:
        return {"type": "ellipsis"}
    is_dtype = isinstance(value, np.dtype) or (isinstance(value, type) and value in _DTYPE_CLASSES)
    if is_dtype or (isinstance(value, type) and issubclass(value, np.generic)):
        return {"type": "dtype", "name": np.dtype(_DTYPE_CLASSES.get(value, value)).name}
    if type(value).__module__ == "torch" and type(value).__name__ == "dtype":
        return encode(to_dali_type(value))
    return None


_DTYPE_CLASSES: dict[object, str] = {bool: "bool", int: "int32", float: "float32"}


def _array(value: object) -> Json:
    """Return an array, or a number of NumPy, as JSON; None for other values."""
    array = host_array(value)
    if array is None or array.dtype.kind not in "biufSU":
        return None
    data = _text_of(np.ascontiguousarray(array).tobytes())
    return {"type": "array", "dtype": array.dtype.str, "shape": [*array.shape], "data": data}


def _pickle(value: object, pickled: Pickled) -> Json:
    if pickled is None:
        name = getattr(value, "__qualname__", None)
        what = f"the function {name}" if callable(value) and name else f"a {type(value).__name__}"
        raise NotPortable(f"{what} of the program, which is no plain value")
    try:
        return {"type": "pickle", "data": _text_of(pickled(value))}
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
        raise NotPortable(f"{value!r}, which cannot be pickled: {problem}") from error


def _text_of(data: bytes | bytearray) -> str:
    return base64.b64encode(data).decode()


def decode(value: Json, unpickled: Unpickled = None) -> Any:
    """Return the value that `encode` has made JSON of.

    Args:
        value: any JSON, also of a file that somebody has changed.
        unpickled: loads a pickle; None if no pickle may be loaded.

    Raises:
        NotPortable: the JSON stands for no value, or for a pickle that may not be loaded.
    """
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list):
        return [decode(item, unpickled) for item in value]
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        raise NotPortable('an object has no "type"')
    try:
        return _decoded(value["type"], value, unpickled)
    except NotPortable:
        raise
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
        raise NotPortable(
            f"an object of type {value['type']!r} is not well formed "
            f"({type(error).__name__}: {error})"
        ) from None


def _decoded(kind: str, value: dict[str, Json], unpickled: Unpickled) -> object:
    again = partial(decode, unpickled=unpickled)
    if kind == "tuple":
        return tuple(map(again, value["items"]))
    if kind == "slice":
        start, stop, step = map(again, value["items"])
        return slice(start, stop, step)
    if kind == "dict":
        return {again(key): again(each) for key, each in value["items"]}
    if kind == "float":
        return float(value["text"])
    if kind == "bytes":
        return _bytes_of(value["data"])
    if kind == "array":
        return _array_of(value)
    if kind == "dtype":
        return np.dtype({"bool_": "bool"}.get(value["name"], str(value["name"])))
    if kind == "ellipsis":
        return Ellipsis
    if kind == "partial":
        keywords = {key: again(each) for key, each in value["keywords"].items()}
        return partial(_function(value["function"]), **keywords)
    if kind == "function":
        return _function(value)
    if kind == "pickle":
        if unpickled is None:
            raise NotPortable("a pickled object")
        return unpickled(_bytes_of(value["data"]))
    return _object_of(kind, value, again)


def _object_of(kind: str, value: dict[str, Json], again: Callable[[Json], object]) -> object:
    known = _CLASSES.get(kind)
    if not isinstance(known, type):
        raise NotPortable(f"the type {kind!r} is unknown")
    if issubclass(known, Enum):
        return known[value["name"]]
    fields = value["fields"]
    return known(**{key: again(fields[key]) for key in _FIELDS[kind]})


def _function(value: dict[str, Json]) -> Callable[..., object]:
    known = _CLASSES.get(value["name"])
    if known is None or isinstance(known, type):
        raise NotPortable(f"the function {value['name']!r} is unknown")
    function: Callable[..., object] = known
    return function


def _bytes_of(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ValueError(f"no Base64: {error}") from None


def _array_of(value: dict[str, Json]) -> object:
    dtype, shape = np.dtype(str(value["dtype"])), value["shape"]
    if dtype.kind not in "biufSU" or dtype.hasobject:
        raise ValueError(f"the dtype {dtype} is none of numbers or text")
    if not all(type(extent) is int and extent >= 0 for extent in shape):
        raise ValueError(f"{shape!r} is no shape")
    data = _bytes_of(value["data"])
    if len(data) != prod(shape) * dtype.itemsize:
        raise ValueError(f"{len(data)} bytes are no array of {dtype} of shape {tuple(shape)}")
    array = np.frombuffer(data, dtype).reshape(shape).copy()
    return array[()] if not shape else array
