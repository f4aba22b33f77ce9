"""Large JSON objects whose members are arrays, parsed block by block.

Annotation files hold a few arrays with a million elements. The standard parser takes a whole file
at once, and needs ten times the memory of its text. `JsonArrays` reads a window of the file, cuts
the window behind an element, and gives the block before the cut to the standard parser.

One member of the elements may be *lifted*: its text is cut out by a regular expression and handed
out as bytes. A text that is not parsed costs a fifth of the time.
"""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import IO, Any

from .json_text import DECODER, JsonText, decoded, encoded

WINDOW_BYTES = 1 << 17
"""Bytes that are parsed together. Larger blocks leave the caches."""


_MOST_TRIES = 256  # to find the end of an object
_OTHER = re.compile(rb'["\[{]')
_COMMA = re.compile(r"[ \t\r\n]*,[ \t\r\n]*")


@dataclass(frozen=True)
class JsonBlock:
    """Some elements of an array, one after another.

    Attributes:
        elements: values of the standard parser; the lifted member is 0, or is not there.
        lifted: the JSON text of the lifted member of each element; b"" where there is none.
        first: number of the first element in its array, from 0.
        offset: position of the block in the file, in bytes.
        text: the bytes of the block.
    """

    elements: list[Any]
    lifted: list[bytes]
    first: int
    offset: int
    text: bytes

    def offset_of(self, element: int) -> int:
        """Return the offset in the file, in bytes, of element `element` of this block."""
        text, start = decoded(self.text), 0
        with suppress(ValueError):  # of a lifted text that is no JSON
            for _ in range(element):
                start = DECODER.raw_decode(text, start)[1]
                if comma := _COMMA.match(text, start):
                    start = comma.end()
        return self.offset + len(encoded(text[:start]))


class JsonArrays:
    """The members of a JSON object in a file, one after another.

    >>> import io
    >>> arrays = JsonArrays(io.BytesIO(b'{"a": [{"x": 1}, {"x": 2}], "b": 3}'), "example")
    >>> {name: [e for block in arrays.blocks() for e in block.elements] for name in arrays.names()}
    {'a': [{'x': 1}, {'x': 2}], 'b': []}
    """

    def __init__(self, file: IO[bytes], name: str) -> None:
        """Take a file that is open at its start, and its name for messages."""
        self._text = JsonText(file, name)
        self._entered = True  # whether the value of the last name was used
        self._careful_until = 0  # offset

    def names(self) -> Iterator[str]:
        """Yield the names of the members; values that `blocks` does not take are skipped."""
        self._text.expect(b"{")
        if self._text.take(b"}"):
            self._check_end()
            return
        while True:
            name = self._text.value()
            if not isinstance(name, str):
                raise self._text.error(f"no JSON: {name!r} is no name of a member", self._text.here)
            self._text.expect(b":")
            self._entered = False
            yield name
            if not self._entered:
                for _ in self.blocks():
                    pass
            if self._text.take(b"}"):
                self._check_end()
                return
            self._text.expect(b",")

    def _check_end(self) -> None:
        if rest := self._text.peek(20):
            raise self._text.error(
                f"more than one JSON value: {rest!r} follows the end of the object; were several "
                "files joined?",
                self._text.here,
            )

    @property
    def here(self) -> int:
        """Offset of the current position in the file, in bytes."""
        return self._text.here

    def blocks(self, lift: str = "") -> Iterator[JsonBlock]:
        """Yield the elements of the array that is the member's value; nothing for other values.

        Args:
            lift: name of the member of elements whose text is cut out.

        Raises:
            DecodeError: the file is cut off, or is no JSON; the message has the offset.
        """
        self._entered = True
        if not self._text.take(b"["):
            self._text.value()
            return
        first, ended = 0, self._text.take(b"]")
        while not ended:
            self._text.peek()
            self._text.compact()
            block = self._quick_block(first, lift) or self._careful_block(first, lift)
            yield block
            first += len(block.elements)
            ended = self._text.take(b"]")
            if not ended:
                self._text.expect(b",")

    def _quick_block(self, first: int, lift: str) -> JsonBlock | None:
        """Return the elements that the window holds; None if each must be looked at."""
        if self._text.here < self._careful_until:
            return None
        self._text.fill(WINDOW_BYTES)
        end = _last_cut(self._text.window)
        text = self._text.window[:end]
        parsed = _parse_lifting(text, lift) if end else None
        if parsed is None:
            self._careful_until = self._text.offset + len(self._text.window)
            return None
        self._text.at = end
        return JsonBlock(*parsed, first, self._text.offset, text)

    def _careful_block(self, first: int, lift: str) -> JsonBlock:
        """Return the elements up to the window's end, each parsed by itself."""
        text = self._text
        elements, lifted = [], []
        while True:
            element = text.value()
            has = isinstance(element, dict) and lift in element
            lifted.append(json.dumps(element.pop(lift)).encode() if has else b"")
            elements.append(element)
            end = text.at
            if text.here >= self._careful_until or text.peek() != b",":
                return JsonBlock(elements, lifted, first, text.offset, text.window[:end])
            text.expect(b",")


@cache
def _parser() -> Callable[[bytes], Any]:
    """Return a function that parses JSON: of orjson, which is faster, if that is installed.

    What orjson refuses and the standard parser takes, such as NaN, is parsed element by element.
    """
    try:
        parser: Any = importlib.import_module("orjson")
    except ImportError:
        parser = json
    loads: Callable[[bytes], Any] = parser.loads
    return loads


def _last_cut(window: bytes) -> int:
    """Return the end of the last element that another one of its kind follows, or 0."""
    first = window[:1]
    if first not in _BRACKETS:
        return _last_plain_cut(window)
    opening, closing = first, _BRACKETS[first]
    start = len(window)
    for _ in range(_MOST_TRIES):
        start = window.rfind(opening, 0, start)
        if start <= 0:
            return 0
        before = window[max(0, start - 256) : start].rstrip()
        if before.endswith(b",") and before[:-1].rstrip().endswith(closing):
            return window.rindex(closing, 0, start) + 1
    return 0


_BRACKETS = {b"{": b"}", b"[": b"]", b'"': b'"'}


def _last_plain_cut(window: bytes) -> int:
    """Return the end of the last number, true, false or null before any other value, or 0."""
    other = _OTHER.search(window)
    return max(window.rfind(b",", 0, other.start() if other else len(window)), 0)


@cache
def _lifting(name: str) -> re.Pattern[bytes]:
    """Return a pattern that splits text at the arrays, arrays of arrays and objects of a member.

    The pattern starts with the name, because the engine finds a literal start much faster; that no
    backslash precedes the name is looked at afterwards.
    """
    array = rb"\[\s*+(?:\[[^\]]*+\]\s*+,?\s*+)*+\]"
    key = b'"%s"' % re.escape(name.encode())
    return re.compile(rb"%s(?<!\\%s)\s*+:\s*+(%s|\{[^{}]*+\})" % (key, key, array))


def _parse_lifting(text: bytes, lift: str) -> tuple[list[object], list[bytes]] | None:
    """Return the elements and the texts of their lifted members; None if `text` is unusual."""
    key = b'"%s"' % lift.encode()
    pieces = _lifting(lift).split(text) if lift else [text]
    lifted = pieces[1::2]
    rest = (key + b":0").join(pieces[::2])
    # No text that was cut out may hold a further one: polygons hold no text at all.
    quoted = [text for text in lifted if b'"' in text]
    if lift and (rest.count(key) != len(lifted) or any(key in text for text in quoted)):
        return None
    try:
        elements = _parser()(b"[%s]" % rest)
    except (ValueError, RecursionError):
        return None
    if not lift:
        return elements, [b""] * len(elements)
    having = [type(element) is dict and lift in element for element in elements]
    if sum(having) != len(lifted):
        return None  # A member of that name stands inside of another member.
    if len(lifted) == len(elements):
        return elements, lifted
    texts = iter(lifted)
    return elements, [next(texts) if has else b"" for has in having]
