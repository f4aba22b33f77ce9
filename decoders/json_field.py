"""`fn.decoders.json`: numbers and texts from JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..engine.errors import DecodeError
from ..engine.graph.context import Workspace
from ..engine.graph.operator import Array, SampleOperator, register
from ..engine.graph.params import ANY_FLOAT, DTYPE, STR, param
from ..engine.suggestions import not_among
from ..engine.tensors.dtypes import FLOAT, to_numpy_type
from .errors import check_encoded

_MISSING = object()


@register
class JsonDecoder(SampleOperator):
    """Picks a field of JSON documents, such as the components `.json` of tar archives.

    >>> import numpy as np
    >>> from penstock import fn, pipeline_def, types
    >>> text = b'{"caption": "a cat", "objects": [{"box": [1, 2, 30, 40]}]}'
    >>> @pipeline_def(batch_size=1, num_threads=1)
    ... def boxes():
    ...     data = types.Constant(np.frombuffer(text, np.uint8))
    ...     box = fn.decoders.json(data, field="objects.0.box", dtype=types.INT32)
    ...     return box, fn.decoders.json(data, field="caption")
    >>> with boxes() as pipe:
    ...     box, caption = pipe.run()
    >>> box.at(0).tolist(), bytes(caption.at(0)).decode()
    ([1, 2, 30, 40], 'a cat')

    Python's `json` reads the documents. It holds the GIL: a large document takes time from other
    threads.

    Inputs:
        data: a document a sample: uint8, one dimension.

    Outputs:
        a number or true or false: of type `dtype`, shape ().
        lists of numbers, also nested: of type `dtype`, with an axis for each level.
        a text: its UTF-8, uint8, shape (size,).

    Raises:
        DecodeError: the data are no JSON, have no such field, or the field is no number of the
            type, no text, and no array of numbers. An object with two fields of one name, and NaN,
            Infinity and halves of surrogate pairs, are no JSON that others read alike.
    """

    name = "decoders.json"
    inputs = ("data",)

    field = param(
        STR,
        "",
        "Path of the field: names and indices of lists, with dots between them: 'objects.0.box'. "
        "By default the whole document.",
    )
    dtype = param(DTYPE, FLOAT, "Type of the numbers. A number that does not fit is an error.")
    default = param(
        ANY_FLOAT, None, "Number where the field is missing or null, in place of an error."
    )

    def prepare(self) -> None:
        self._dtype = to_numpy_type(self.dtype)
        self._path = self.field.split(".") if self.field else []

    def output_layouts(self) -> tuple[str, ...]:
        return ("",)

    def sample(self, workspace: Workspace, data: Array) -> Array:
        check_encoded(data, "JSON")
        value = self._found(_document(data.tobytes()))
        if isinstance(value, str):
            content = np.frombuffer(self._utf8(value), np.uint8)
        else:
            content = self._numbers(value)
        out: Array = workspace.empty(content.shape, content.dtype)
        np.copyto(out, content)
        return out

    def _found(self, document: object) -> object:
        value = document
        for name in self._path:
            value = self._step(value, name)
            if value is _MISSING:
                return self.default
        return self.default if value is None and self.default is not None else value

    def _step(self, value: object, name: str) -> Any:
        """Return an element of a value; `_MISSING` if it is not there and there is a default."""
        if isinstance(value, dict) and name in value:
            return value[name]
        if isinstance(value, list) and name.isdecimal() and int(name[:20]) < len(value):
            return value[int(name)]
        if self.default is not None:
            return _MISSING
        raise DecodeError(f"there is no field {self.field!r}: {_contents(value, name)}")

    def _utf8(self, text: str) -> bytes:
        try:
            return text.encode()
        except UnicodeEncodeError as error:
            half = f"U+{ord(text[error.start]):04X}"
            raise DecodeError(
                f"{self._name()}: character {error.start} is {half}, half of a surrogate pair, "
                "which no UTF-8 has"
            ) from None

    def _numbers(self, value: object) -> Array:
        try:
            given = np.array(value)
        except (ValueError, OverflowError):
            raise DecodeError(f"{self._name()} holds lists that differ in length") from None
        if given.dtype.kind == "O" and all(isinstance(element, int) for element in given.flat):
            raise DecodeError(f"{self._name()} holds a number that is too large")
        if given.dtype.kind not in "biuf":
            type_name = "null" if value is None else type(value).__name__
            raise DecodeError(f"{self._name()} is {type_name}, no number, text or list of numbers")
        if not given.size:
            return given.astype(self._dtype)
        with np.errstate(invalid="ignore", over="ignore"):
            numbers = given.astype(self._dtype)
            changed = (numbers.astype(given.dtype) != given) | ((numbers < 0) != (given < 0))
        if self._dtype.kind == "f":  # a number is rounded, but none becomes infinite
            changed = np.isinf(numbers) & (value is not self.default)
        if changed.any():
            wrong = given[changed].flat[0]
            raise DecodeError(f"{self._name()}: {wrong} is no number of {self._dtype.name}")
        return numbers

    def _name(self) -> str:
        return f"the field {self.field!r}" if self.field else "the document"


def _document(data: bytes) -> object:
    """Return what JSON stands for.

    Raises:
        DecodeError: it is no JSON. The message says where.
    """
    try:
        return json.loads(data, parse_constant=_refuse_constant, object_pairs_hook=_object)
    except _NoJsonError as error:
        at = _offset_of(error.token, error.number, data)
        raise DecodeError(f"this is no JSON: {error}, at byte {at}") from None
    except (ValueError, RecursionError) as error:
        raise DecodeError(f"this is no JSON: {error}") from None


class _NoJsonError(ValueError):
    """Something that Python reads, but that is no JSON: its text, and which one of such texts."""

    def __init__(self, message: str, token: str, number: int) -> None:
        super().__init__(message)
        self.token, self.number = token, number


def _refuse_constant(text: str) -> object:
    raise _NoJsonError(f"{text} is no number", text, 0)


def _object(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        name = next(name for i, name in enumerate(names) if name in names[:i])
        raise _NoJsonError(f"an object has the field {name!r:.80} twice", json.dumps(name), 1)
    return found


_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[^\s\[\]{},:"]+', re.DOTALL)


def _offset_of(token: str, number: int, data: bytes) -> int:
    """Return where a token stands for the first time, or after so many others; for messages."""
    found = [each.start() for each in _TOKEN.finditer(data) if each[0] == token.encode()]
    return found[min(number, len(found) - 1)] if found else 0


def _contents(value: object, name: str) -> str:
    if isinstance(value, dict):
        return f"no {not_among(name, value)}"
    if isinstance(value, list):
        return f"{name!r} is no index of a list of {len(value)}"
    return f"{name!r} is asked of {json.dumps(value)[:50]}"
