"""JSON text in a file, read value by value.

The file is read into a window that grows at its end. `JsonText.compact` drops the bytes that were
used.
"""

from __future__ import annotations

import json
import re
from typing import IO, Any

from ..engine.errors import DecodeError

READ_BYTES = 1 << 17
"""Bytes that are read together, at least."""

FIRST_WINDOW_BYTES = 1 << 12
"""Bytes in which the end of a value is looked for first."""

MAX_VALUE_BYTES = 256 << 20
"""Bytes of one value, at most."""


DECODER = json.JSONDecoder()
_NEAR_THE_END = 16  # characters: an error so near to the end may come from the cut
_SPACE = re.compile(rb"[ \t\r\n]*")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class JsonText:
    """A position in a JSON file.

    Attributes:
        window: bytes of the file.
        offset: position of the window in the file, in bytes.
        at: the position in the window.

    >>> import io
    >>> text = JsonText(io.BytesIO(b'[1, "two"]'), "example")
    >>> text.take(b"["), text.value(), text.take(b","), text.value(), text.here
    (True, 1, True, 'two', 9)
    """

    def __init__(self, file: IO[bytes], name: str) -> None:
        """Take a file that is open at its start, and its name for messages."""
        self._file = file
        self._name = name
        self.window = b""
        self.offset = self.at = 0
        self._ended = False  # whether the window holds the last byte of the file
        if self.peek(3) == _BYTE_ORDER_MARK:
            self.at += 3

    def error(self, problem: str, offset: int) -> DecodeError:
        """Return an error that names the file and the offset of a byte."""
        return DecodeError(f"{self._name}: {problem}, at byte {offset}")

    def value(self) -> Any:
        """Return the next value, and move behind it."""
        self.peek()
        size = FIRST_WINDOW_BYTES
        while True:
            whole = self.fill(size)
            text = decoded(self.window[self.at : self.at + size])
            parsed = self._parse(text, whole)
            if parsed is not None:
                value, end = parsed
                self.at += self._checked_length(text[:end])
                return value
            if size > MAX_VALUE_BYTES:
                raise self.error(f"a value takes more than {MAX_VALUE_BYTES} bytes", self.here)
            size *= 2

    def _parse(self, text: str, whole: bool) -> tuple[Any, int] | None:
        """Return the value at the start of `text`, and its length; None if `text` is too short."""
        try:
            value, end = DECODER.raw_decode(text)
        except json.JSONDecodeError as error:
            cut_off = error.pos >= len(text) - _NEAR_THE_END or "Unterminated" in error.msg
            if cut_off and not whole:
                return None
            at = self.here + len(encoded(text[: error.pos]))
            if cut_off:
                raise self.error("the file ends within a value that starts", self.here) from None
            raise self.error(f"no JSON ({error.msg})", at) from None
        except RecursionError:
            raise self.error("values are nested too deeply", self.here) from None
        except ValueError as error:  # a number with thousands of digits
            raise self.error(f"no JSON ({error})", self.here) from None
        return (value, end) if whole or end < len(text) else None

    def _checked_length(self, text: str) -> int:
        """Return the length of a text in bytes; raise DecodeError if the bytes are not UTF-8."""
        content = encoded(text)
        try:
            content.decode()
        except UnicodeDecodeError as error:
            raise self.error("the text is not UTF-8", self.here + error.start) from None
        return len(content)

    @property
    def here(self) -> int:
        """Offset of the current position in the file."""
        return self.offset + self.at

    def fill(self, size: int) -> bool:
        """Make the window hold `size` more bytes; return whether it holds the file's last one."""
        while len(self.window) - self.at < size and not self._ended:
            more = self._file.read(max(size, READ_BYTES))
            self._ended = not more
            self.window += more
        return self._ended and len(self.window) - self.at <= size

    def compact(self) -> None:
        """Drop the bytes before the current position."""
        self.window = self.window[self.at :]
        self.offset += self.at
        self.at = 0

    def peek(self, count: int = 1) -> bytes:
        """Skip white space; return the next `count` bytes, or less at the file's end."""
        while True:
            self.fill(max(count, FIRST_WINDOW_BYTES))
            if space := _SPACE.match(self.window, self.at):  # as ever: it may be empty
                self.at = space.end()
            if len(self.window) - self.at >= count or self._ended:
                return self.window[self.at : self.at + count]

    def take(self, wanted: bytes) -> bool:
        """Move behind the next byte if that is `wanted`, and return whether it is."""
        is_next = self.peek() == wanted
        self.at += int(is_next)
        return is_next

    def expect(self, wanted: bytes) -> None:
        """Move behind the next byte; raise DecodeError if that is not `wanted`."""
        if not self.take(wanted):
            got = self.peek()
            expected = f"no JSON: {got!r}" if got else "the file is cut off: it ends"
            raise self.error(f"{expected} where {wanted.decode()!r} is needed", self.here)


def decoded(content: bytes) -> str:
    """Return text of bytes that may be no UTF-8."""
    return content.decode(errors="surrogateescape")


def encoded(text: str) -> bytes:
    """Return the bytes that `decoded` decoded, valid or not."""
    return text.encode(errors="surrogateescape")
