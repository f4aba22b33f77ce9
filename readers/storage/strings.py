"""Millions of byte strings in two blocks of memory."""

from __future__ import annotations

import io
from array import array
from collections.abc import Iterable, Iterator
from itertools import accumulate, islice, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

_CHUNK = 1 << 16  # strings joined at once: enough to be fast, too few to weigh anything


class StringTable:
    """An immutable sequence of byte strings: their bytes end to end, and where each ends.

    A string costs its own bytes and eight more, where a list of `bytes` costs about fifty
    more. Strings are bytes because file names are: `os.fsdecode` turns one into text.
    Tables are built by a `StringTableBuilder`; they can be pickled and read by many threads.

    >>> table = StringTable.of([b"cat.jpg", b"", b"dog.jpg"])
    >>> len(table), table[2], table.take(np.array([2, 0]))
    (3, b'dog.jpg', [b'dog.jpg', b'cat.jpg'])
    """

    def __init__(self, joined: bytes, bounds: NDArray[np.int64]) -> None:
        """Cut `joined` at `bounds`: string i is `joined[bounds[i]:bounds[i + 1]]`."""
        self._joined = joined
        self._bounds = bounds

    @classmethod
    def of(cls, strings: Iterable[bytes]) -> StringTable:
        """Return a table of `strings`."""
        builder = StringTableBuilder()
        builder.extend(strings)
        return builder.finish()

    def to_arrays(self) -> list[NDArray[Any]]:
        """Return the two blocks as arrays, for a file: uint8 and int64."""
        return [np.frombuffer(self._joined, np.uint8), self._bounds]

    @classmethod
    def from_arrays(cls, joined: NDArray[np.uint8], bounds: NDArray[np.int64]) -> StringTable:
        """Return the table that was taken apart by `to_arrays`."""
        return cls(joined.tobytes(), bounds)

    def __len__(self) -> int:
        return len(self._bounds) - 1

    def __getitem__(self, index: int) -> bytes:
        if not 0 <= index < len(self):
            raise IndexError(f"string {index} of a table of {len(self)}")
        begin, end = self._bounds[index : index + 2].tolist()
        return self._joined[begin:end]

    def __iter__(self) -> Iterator[bytes]:
        return (self._joined[begin:end] for begin, end in pairwise(map(int, self._bounds)))

    def contain(self, text: bytes) -> bool:
        """Whether a string, or the end of one with the beginning of the next, has this text."""
        return text in self._joined

    def some_begin_with(self, byte: int) -> bool:
        """Whether a string begins with this byte."""
        begins = self._bounds[:-1][np.diff(self._bounds) > 0]
        return bool((np.frombuffer(self._joined, np.uint8)[begins] == byte).any())

    def take(self, indices: NDArray[np.int64]) -> list[bytes]:
        """Return the strings `indices`, each of which must be in [0, len), in that order."""
        begins = self._bounds[indices].tolist()
        ends = self._bounds[indices + 1].tolist()
        joined = self._joined
        return [joined[begin:end] for begin, end in zip(begins, ends, strict=True)]


def joined_bounds(tables: Iterable[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return the bounds of tables put end to end, from the bounds of each.

    >>> joined_bounds([np.array([0, 3, 5]), np.array([0]), np.array([0, 2])]).tolist()
    [0, 3, 5, 7]
    """
    end, parts = 0, [np.zeros(1, np.int64)]
    for bounds in tables:
        parts.append(bounds[1:] + end)
        end += int(bounds[-1])
    return np.concatenate(parts)


class StringTableBuilder:
    """Grows the two blocks of a `StringTable`; holds no string as an object of its own."""

    def __init__(self) -> None:
        self._joined = io.BytesIO()
        self._bounds = array("q", [0])

    def __len__(self) -> int:
        return len(self._bounds) - 1

    def append(self, string: bytes) -> None:
        """Add one string."""
        self._joined.write(string)
        self._bounds.append(self._joined.tell())

    def extend(self, strings: Iterable[bytes], prefix: bytes = b"") -> None:
        """Add `prefix + string` for each of `strings`."""
        strings = iter(strings)
        while chunk := list(islice(strings, _CHUNK)):
            # `prefix` as the separator spares one concatenation a string.
            self._joined.write(prefix)
            self._joined.write(prefix.join(chunk))
            ends = accumulate((len(prefix) + len(s) for s in chunk), initial=self._bounds[-1])
            self._bounds.extend(islice(ends, 1, None))

    def finish(self) -> StringTable:
        """Return the table, which takes the memory over: the builder takes no more strings."""
        # Neither call copies; BytesIO gives its buffer away when nobody else holds it.
        return StringTable(self._joined.getvalue(), np.frombuffer(self._bounds, np.int64))
