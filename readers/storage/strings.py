"""Millions of byte strings in two blocks of memory."""

from __future__ import annotations

import io
from array import array
from collections.abc import Iterable, Iterator
from itertools import accumulate, islice, pairwise

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array

_CHUNK = 1 << 16  # strings that are joined together: enough to be fast, with little memory


class StringTable:
    """An immutable sequence of byte strings: one block of their bytes, and the end of each string.

    A string costs its own bytes and 8 more; in a list of `bytes` it would cost about 50 more. The
    strings are bytes, because file names are. `StringTableBuilder` makes tables. A table can be
    pickled, and many threads may read it.

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

    def to_arrays(self) -> list[Array]:
        """Return the two blocks as arrays, for a file: uint8 and int64."""
        return [np.frombuffer(self._joined, np.uint8), self._bounds]

    @classmethod
    def from_arrays(cls, joined: NDArray[np.uint8], bounds: NDArray[np.int64]) -> StringTable:
        """Return the table whose `to_arrays` gave these arrays."""
        return cls(joined.tobytes(), bounds)

    def __len__(self) -> int:
        return len(self._bounds) - 1

    def __getitem__(self, index: int) -> bytes:
        if not 0 <= index < len(self):
            raise IndexError(f"string {index} of a table of {len(self)}")
        start, end = self._bounds[index : index + 2].tolist()
        return self._joined[start:end]

    def __iter__(self) -> Iterator[bytes]:
        return (self._joined[start:end] for start, end in pairwise(map(int, self._bounds)))

    def contain(self, text: bytes) -> bool:
        """Return whether the joined strings contain this text, perhaps across two strings."""
        return text in self._joined

    def some_begin_with(self, byte: int) -> bool:
        """Return whether any string starts with this byte."""
        starts = self._bounds[:-1][np.diff(self._bounds) > 0]
        return bool((np.frombuffer(self._joined, np.uint8)[starts] == byte).any())

    def take(self, indices: NDArray[np.int64]) -> list[bytes]:
        """Return the strings `indices`, each of which must be in [0, len), in that order."""
        starts = self._bounds[indices].tolist()
        ends = self._bounds[indices + 1].tolist()
        joined = self._joined
        return [joined[start:end] for start, end in zip(starts, ends, strict=True)]


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
    """Grows the two blocks of a `StringTable`, without an object for each string."""

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
            # `prefix` as the separator saves one concatenation for each string.
            self._joined.write(prefix)
            self._joined.write(prefix.join(chunk))
            ends = accumulate((len(prefix) + len(s) for s in chunk), initial=self._bounds[-1])
            self._bounds.extend(islice(ends, 1, None))

    def so_far(self) -> StringTable:
        """Return a copy of the table; the builder accepts further strings."""
        return StringTable(self._joined.getvalue(), np.array(self._bounds, np.int64))

    def finish(self) -> StringTable:
        """Return the table, which takes over the memory; the builder accepts no more strings."""
        # Neither call copies: BytesIO hands over its buffer if nobody else holds it.
        return StringTable(self._joined.getvalue(), np.frombuffer(self._bounds, np.int64))
