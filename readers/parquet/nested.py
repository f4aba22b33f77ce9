"""Nested values: lists of files, and values that become JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Bytes
from ...engine.errors import DecodeError
from ...formats.bundle import bundled
from ..source import Allocate, Column
from .library import pyarrow
from .values import BadValueError, ByteValues, ColumnValues, Rows, Sound

if TYPE_CHECKING:
    import pyarrow as pa

Read = Callable[[Sequence[str], Allocate], list[Bytes]]
"""Reads files by their paths: see `linked_files.read_linked`."""


class FileListValues(ColumnValues):
    """Lists of files: a sample is a bundle of them.

    Args:
        files: the content of the files of all rows.
        paths: PyArrow's array of their paths; None if they have none.
        bounds: row i has the files `bounds[i]` to `bounds[i + 1]`.
        sound: the lists that are there.
    """

    def __init__(
        self, files: ByteValues, paths: pa.Array, bounds: NDArray[np.int64], sound: Sound
    ) -> None:
        self._files = files
        self._paths = paths
        self._bounds = bounds
        self.sound = sound

    def take(self, rows: Rows, allocate: Allocate, read: Read | None = None) -> Column:
        """See `ColumnValues.take`; `read` reads files that are named in place of their bytes."""
        self._check(rows)
        return [bundled(self._files_of(row, read), allocate) for row in rows.tolist()]

    def _files_of(self, row: int, read: Read | None) -> list[Bytes]:
        first, last = self._bounds[row : row + 2].tolist()
        files: list[Bytes | None] = [self._files.view(number) for number in range(first, last)]
        places = [place for place, content in enumerate(files) if content is None]
        if places:
            paths = [self._path(first + place) if read else "" for place in places]
            if read is None or not all(paths):
                bare = next(at for at, path in zip(places, paths, strict=True) if not path)
                raise BadValueError(row, f"holds a file without bytes: number {bare} of its list")
            try:
                contents = read(paths, np.empty)
            except DecodeError as error:
                raise BadValueError(row, str(error)) from None
            for place, content in zip(places, contents, strict=True):
                files[place] = content
        return [content for content in files if content is not None]

    def _path(self, number: int) -> str:
        return "" if self._paths is None else self._paths[number].as_py() or ""

    @property
    def nbytes(self) -> int:
        """See `ColumnValues.nbytes`."""
        return self._files.nbytes + self._bounds.nbytes


class JsonValues(ColumnValues):
    """Lists and structs: a sample is their JSON in UTF-8."""

    def __init__(self, array: pa.Array, sound: Sound) -> None:
        self._array = array
        self.sound = sound

    def take(self, rows: Rows, allocate: Allocate) -> Column:
        """See `ColumnValues.take`."""
        self._check(rows)
        values = self._array.take(pyarrow().array(rows)).to_pylist()
        samples: list[Bytes] = []
        for row, value in zip(rows.tolist(), values, strict=True):
            try:
                text = json.dumps(value, ensure_ascii=False, allow_nan=False)
            except ValueError:
                reason = "holds NaN or an infinity, which no JSON has"
                raise BadValueError(row, reason) from None
            content = np.frombuffer(text.encode(), np.uint8)
            sample = allocate(content.shape, np.uint8)
            sample[...] = content
            samples.append(sample)
        return samples

    @property
    def nbytes(self) -> int:
        """See `ColumnValues.nbytes`."""
        return int(self._array.nbytes)
