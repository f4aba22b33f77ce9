"""Values of LMDB databases as samples: `fn.readers.lmdb` and its storage."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import ArgumentError, DecodeError
from ...engine.graph.operator import Array, register
from ...engine.graph.params import BOOL, REQUIRED, STR, STRS, param
from ...formats.npy import array_of_npy
from ..record_reader import RecordReader
from ..source import Allocate, Column
from ..storage.records import Records

if TYPE_CHECKING:
    from .files import LMDBFiles

Parse = Callable[[Records], tuple[Column, ...]]
"""Makes columns of values; raises DecodeError."""


class LMDBSource:
    """The records of `LMDBFiles`; a function makes the samples of them."""

    def __init__(self, files: LMDBFiles, parse: Parse, keys: bool = False) -> None:
        """Take the files.

        Args:
            files: the records.
            parse: makes the columns; must be picklable for the source to be.
            keys: whether the keys are another column, the last one.
        """
        self._files = files
        self._parse = parse
        self._with_keys = keys

    def __len__(self) -> int:
        return len(self._files)

    def read(self, indices: NDArray[np.int64], allocate: Allocate) -> tuple[Column, ...]:
        """Return the columns that `parse` makes of the values, and the keys if wanted.

        Raises:
            IndexError: an index is negative or not below `len(self)`.
            OSError: a file cannot be read. SourceError if it has been changed.
            DecodeError: a value has another form; the message names the value.
        """
        records = self._files.read(indices, allocate)
        try:
            columns = self._parse(records)
        except DecodeError:
            self._name_the_first(records, indices)
            raise
        if self._with_keys:
            columns += (self._files.keys(indices, allocate),)
        return columns

    def _name_the_first(self, records: Records, indices: NDArray[np.int64]) -> None:
        for row, index in enumerate(indices.tolist()):
            one = slice(row, row + 1)
            try:
                self._parse(Records(records.block, records.starts[one], records.lengths[one]))
            except DecodeError as error:
                raise DecodeError(f"{self.where(index)}: {error}") from error.__cause__

    def where(self, index: int) -> str:
        """Return the file and the key of sample `index`."""
        return self._files.where(index)

    def close(self) -> None:
        """Release the files; a later `read` opens them again."""
        self._files.close()


def values_as_bytes(records: Records) -> tuple[Column, ...]:
    """Return the values as they are, uint8 (size,) each."""
    return (records.views(),)


def values_as_npy(records: Records) -> tuple[Column, ...]:
    """Return the arrays that the values hold in .npy format."""
    return ([array_of_npy(view) for view in records.views()],)


def values_as_pickle(records: Records) -> tuple[Column, ...]:
    """Return the pickled arrays or numbers; unpickling runs the code that the values name."""
    return ([_unpickled(view) for view in records.views()],)


def _unpickled(content: NDArray[np.uint8]) -> NDArray[Any]:
    try:
        array = np.asarray(pickle.loads(content.tobytes()))
    except Exception as error:  # unpickling may raise anything
        raise DecodeError(f"cannot be unpickled: {type(error).__name__}: {error}") from error
    if array.dtype.kind not in "biuf":
        raise DecodeError(f"unpickled to elements of type {array.dtype}; numbers are needed")
    return array


_VALUES: dict[str, Parse] = {
    "bytes": values_as_bytes,
    "npy": values_as_npy,
    "pickle": values_as_pickle,
}


class LMDBReader(RecordReader):
    """Base of the readers of LMDB."""

    path = param(
        STRS,
        REQUIRED,
        "The databases, read one after the other: folders that hold data.mdb, or files.",
    )

    def open_files(self, database: str | None = None) -> LMDBFiles:
        """Return the records of the paths."""
        from .files import LMDBFiles  # takes 2 ms

        return LMDBFiles(self.path, database, self.storage_options)


@register
class LMDB(LMDBReader):
    """Reads the values of LMDB databases, in the order of their keys.

    Files of LMDB 0.9 and of LMDB 1.0 are read, on read-only file systems, too, and without the
    LMDB library. They must not be written to meanwhile; that is noticed and refused.

    On four cores and more, processes of the reader's own read local files after a fifth of a second
    of reading, unless the pipeline has `exec_processes=False`.

    Outputs:
        the value: uint8, shape (size,) for "bytes"; for "npy" and "pickle" the array in it.
        with `keys`, its key: uint8, shape (length,).

    Raises:
        SourceError: a file is no LMDB file, is damaged, is written to while it is read, holds
            no such database, or no records.
        OSError: a file cannot be read.
        DecodeError: a value is not in the format that `values` says (see `on_error`).
    """

    name = "readers.lmdb"

    database = param(STR, None, "Name of the database in each file; by default the unnamed one.")
    values = param(
        STR,
        "bytes",
        "What the values are: 'bytes', 'npy' (arrays as numpy.save writes them) or 'pickle' "
        "(pickled arrays or numbers). Unpickling runs whatever code a value names: use it only "
        "for files that you have written yourself.",
    )
    keys = param(BOOL, False, "Whether the key is a second output.")

    def prepare(self) -> None:
        super().prepare()
        if self.values not in _VALUES:
            raise ArgumentError(
                f"fn.readers.lmdb: values must be one of {', '.join(map(repr, _VALUES))}, "
                f"but is {self.values!r}"
            )

    def num_outputs(self) -> int:
        return 2 if self.keys else 1

    def open_source(self) -> LMDBSource:
        return LMDBSource(self.open_files(self.database), _VALUES[self.values], self.keys)

    def placeholder(self) -> tuple[Array, ...]:
        return (np.empty(0, np.uint8),) * self.num_outputs()
