"""Values of LMDB databases as samples: `fn.readers.lmdb` and its storage."""

from __future__ import annotations

import os
import pickle
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import DecodeError
from ...engine.graph.operator import Array, register
from ...engine.graph.params import BOOL, DTYPES, REQUIRED, STR, STRS, param
from ...engine.tensors.dtypes import to_numpy_type
from ...formats.npy import array_of_npy
from ..archives.tar_index import split_name
from ..record_reader import RecordReader
from ..source import Allocate, Column, Source
from ..storage.records import Records
from ..webdataset.choosing import MISSING, outputs_of

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

    def source_info(self, index: int) -> str:
        """Return path and key of sample `index`: "FOLDER at key KEY"."""
        return self._files.source_info(index)

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


def _unpickled(content: NDArray[np.uint8]) -> Array:
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
        "The databases, read one after the other: folders that hold data.mdb, or files. A folder "
        "of such folders (shards) and globs stand for all of them.",
    )

    def open_files(self, database: str | None = None) -> LMDBFiles:
        """Return the records of the paths."""
        from .files import LMDBFiles  # takes 2 ms

        return LMDBFiles(self.path, database, self.storage_options, self.damages)


@register
class LMDB(LMDBReader):
    """Reads LMDB databases: samples of several values (`ext`), or value by value.

    With `ext`, keys are names of files, as `penstock convert --to lmdb` writes them: the text up to
    the first dot of the name is the sample's key, the rest is the extension. The values of a key,
    such as `cat/001.cls` and `cat/001.jpg`, are one sample:

    >>> import lmdb
    >>> from penstock import fn, pipeline_def, types
    >>> files = {b"a.cls": b"7", b"a.jpg": b"...", b"b.cls": b"12", b"b.jpg": b"..."}
    >>> with lmdb.open("photos") as database, database.begin(write=True) as transaction:
    ...     for key, content in files.items():
    ...         _ = transaction.put(key, content)
    >>> @pipeline_def(batch_size=2, num_threads=1)
    ... def samples():
    ...     return fn.readers.lmdb(
    ...         path="photos", ext=["jpg", "cls"], dtypes=[types.UINT8, types.INT32]
    ...     )
    >>> with samples() as pipe:
    ...     images, labels = pipe.run()
    >>> labels.as_array().tolist()
    [[7], [12]]

    Without `ext` each value is a sample. The order is that of the keys in both cases.

    Files of LMDB 0.9 and of LMDB 1.0 are read, on read-only file systems, too, and without the
    LMDB library. They must not be written to meanwhile; that is noticed and refused.

    On four cores and more, processes of the reader's own read local files after a fifth of a second
    of reading, unless the pipeline has `exec_processes=False`.

    Outputs:
        with `ext`, for each entry the value: of the type in `dtypes`, shape (size,). A number that
            is written as text: shape (1,).
        without `ext` the value: uint8, shape (size,) for "bytes"; for "npy" and "pickle" the
            array in it.
        with `keys`, the key: uint8, shape (length,).

    Raises:
        SourceError: a file is no LMDB file, is damaged, is written to while it is read, holds
            no such database, or no records.
        OSError: a file cannot be read.
        DecodeError: a value is not in the format that `values` says, or no number where one is
            wanted (see `on_error`).
    """

    name = "readers.lmdb"

    database = param(STR, None, "Name of the database in each file; by default the unnamed one.")
    ext = param(
        STRS,
        None,
        "An entry for each output: extensions, separated by ';', as in `fn.readers.webdataset`.",
    )
    dtypes = param(
        DTYPES,
        None,
        "With `ext`: types that the outputs' bytes are taken for, one each; by default UINT8. "
        "Decimal numbers in cls, txt and others are read as in `fn.readers.webdataset`.",
    )
    missing_component_behavior = param(
        STR,
        "empty",
        "With `ext`: what to do with a sample that has no component for an output: 'empty' gives "
        "an empty array, 'skip' leaves the sample out, 'error' raises. Without this argument a "
        "warning counts such samples.",
        choices=MISSING,
    )
    values = param(
        STR,
        "bytes",
        "Without `ext`: what the values are: 'bytes', 'npy' (arrays as numpy.save writes them) or "
        "'pickle' (pickled arrays or numbers). Unpickling runs whatever code a value names: use it "
        "only for files that you have written yourself.",
        choices=_VALUES,
    )
    keys = param(BOOL, False, "Whether the key is one more output, the last one.")

    def prepare(self) -> None:
        super().prepare()
        if self.ext is not None and self.values != "bytes":
            self.refuse(
                "`values` is for databases whose values are samples, so it does not go with "
                "`ext`; fn.decoders.numpy decodes components in .npy format"
            )
        if self.ext is None and self.dtypes is not None:
            self.refuse("`dtypes` needs `ext`, with an entry for each")
        if self.ext is None and "missing_component_behavior" in self.given:
            self.refuse("`missing_component_behavior` needs `ext`, whose entries are components")

    def num_outputs(self) -> int:
        outputs: int = 1 if self.ext is None else len(self.ext)
        return outputs + bool(self.keys)

    def open_source(self) -> Source:
        if self.ext is None:
            files = self.open_files(self.database)
            _warn_of_components(files)
            return LMDBSource(files, _VALUES[self.values], self.keys)
        from .components import open_components  # takes 2 ms

        source = open_components(
            self.path,
            self.ext,
            outputs_of(f"fn.{self.name}", self.ext, self.dtypes or ()),
            database=self.database,
            missing=self.missing_component_behavior,
            keys=self.keys,
            options=self.storage_options,
            damages=self.damages,
        )
        if "missing_component_behavior" not in self.given:
            source.warn_of_missing(self.ext)
        return source

    def placeholder(self) -> tuple[Array, ...]:
        types = [to_numpy_type(dtype) for dtype in self.dtypes or ()]
        usual = (np.empty(0, np.uint8),) * (self.num_outputs() - len(types))
        return (*(np.empty(0, dtype) for dtype in types), *usual)


def _warn_of_components(files: LMDBFiles) -> None:
    """Warn if the first two values look like the components of one sample."""
    if len(files) < 2:
        return
    (key, first), (other, second) = (split_name(files.key_table[i], "first") for i in (0, 1))
    if key == other and first != second and first and second:
        names = [os.fsdecode(extension) for extension in (first, second)]
        warnings.warn(
            f"{files.where(0)}: the keys are names of files, and each value is handed out as a "
            f"sample of its own; ext={names} puts the values of a key together",
            stacklevel=2,
        )
