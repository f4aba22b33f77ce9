"""Records of TensorFlow: `fn.readers.tfrecord` and its storage."""

from __future__ import annotations

import importlib.util
import warnings
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import DecodeError, install_hint
from ...engine.graph.operator import Array, register
from ...engine.graph.params import ANY, REQUIRED, STR, STRS, param
from ..listing.path_patterns import expand_paths
from ..record_reader import RecordReader
from ..source import Allocate, Column
from ..storage.index_cache import forget_index
from ..storage.records import RecordFiles, Records
from .columns import Examples, Wanted, columns, one
from .crc32c import checksum
from .example_batch import Locator
from .features import checked_features
from .framing import Checksums, check_lengths, inner
from .index import open_frames, record_paths
from .patterns import SLACK
from .sequence import WantedList, sequence_columns

VERIFY = ("always", "index", "never")


class TFRecordSource:
    """Records of TFRecord files; a sample is the wanted features of one.

    A batch is read in one pass over its files and parsed together. Bytes features are views of the
    memory that holds the files' bytes.
    """

    def __init__(
        self,
        files: RecordFiles,
        wanted: list[Wanted],
        wanted_lists: list[WantedList] | None = None,
        *,
        verify: bool,
    ) -> None:
        """Take the framed records and the features to read.

        Args:
            files: the records with their frames.
            wanted: features of Examples, or of the context of SequenceExamples.
            wanted_lists: feature lists; None for Examples.
            verify: whether each record's checksum is verified when it is read.
        """
        self._files = files
        self._wanted = wanted
        self._lists = wanted_lists
        self._verify = verify
        self._locator = Locator({output.key: output.feature_type for output in wanted})

    def __len__(self) -> int:
        return len(self._files)

    def read(self, indices: NDArray[np.int64], allocate: Allocate) -> tuple[Column, ...]:
        """Return the columns of the features, in the order in which they were declared.

        Raises:
            IndexError: an index is negative or not below `len(self)`.
            OSError: a file cannot be read. SourceError if it became shorter.
            DecodeError: a record is damaged, or a feature is missing or of another form.
        """
        checksums = Checksums(len(indices)) if self._verify else None
        use = checksums.compute if checksums else None
        frames = self._files.read(indices, allocate, SLACK, use)
        where = partial(self._where_row, indices)
        try:
            check_lengths(frames)
        except DecodeError as error:
            if len(indices) != 1:  # the records are read one by one then
                raise
            forget_index(self._files.storage_of(int(indices[0])))
            raise DecodeError(f"{where(0)}: {error}") from None
        if checksums:
            for row in checksums.wrong(frames):
                raise DecodeError(f"{where(row)}: the data do not agree with their checksum")
        return self._columns(inner(frames), where, allocate)

    def _columns(self, records: Records, where: Any, allocate: Allocate) -> tuple[Column, ...]:
        located = self._locator.locate(records, not_at_all=self._lists is not None)
        examples = Examples.parse(records, located, self._wanted, where)
        stored = columns(self._wanted, examples, allocate)
        if self._lists is None:
            return stored
        data = [(where(row), one(records, row)) for row in range(len(records))]
        return stored + sequence_columns(self._lists, data)

    def _where_row(self, indices: NDArray[np.int64], row: int) -> str:
        return self.where(int(indices[row]))

    def where(self, index: int) -> str:
        """Return file, number in the file (from 0) and offset of the record's frame."""
        return self._files.where(index)

    def source_info(self, index: int, output: int = 0) -> str:
        """Return file and offset of a record, as DALI does: "FILE at index OFFSET"."""
        name, _, offset = self._files.position_of(index)
        return f"{name} at index {offset}"

    def close(self) -> None:
        """Release the files; a later `read` opens them again."""
        self._files.close()


@register
class TFRecord(RecordReader):
    """Reads features from TFRecord files, the records of TensorFlow.

    Returns a dict from names to outputs: one for each of `features`, and for each of
    `sequence_features`. See `penstock.tfrecord` for how to declare them. Features that hold
    several strings, and feature lists that form no tensor, have a second output named
    `<name>.lengths`.

    Files compressed with gzip or zlib are recognized, and unpacked once into the cache folder
    (`$XDG_CACHE_HOME/penstock`). Between runs the cache keeps at most 32 GiB of unpacked files, or
    a quarter of its file system; the environment variable PENSTOCK_CACHE_BYTES sets another limit.
    Where `index_path` is not given, each file is walked
    through once, and its index kept beside it (or, where that cannot be written, in the
    cache folder) until the file changes.

    On four cores and more, processes of the reader's own read local files after a fifth of a second
    of reading, unless the pipeline has `exec_processes=False`.

    >>> from pathlib import Path
    >>> from penstock import Pipeline, datasets, fn
    >>> from penstock.tfrecord import FixedLenFeature, int64
    >>> for name in ("cat", "dog"):
    ...     Path("photos", name).mkdir(parents=True)
    ...     _ = Path("photos", name, "0.jpg").write_text(name)
    >>> _ = datasets.convert("photos", "shards", to="tfrecord")
    >>> features = {"label": FixedLenFeature([1], int64, 0)}
    >>> with Pipeline(batch_size=2, num_threads=1) as pipe:
    ...     output = fn.readers.tfrecord(path="shards/shard-00000.tfrecord", features=features)
    ...     pipe.set_outputs(output["label"])
    ...     (labels,) = pipe.run()
    ...     print(labels.as_array().tolist())
    [[0], [1]]

    Outputs:
        `string` features: uint8, shape (size,).
        `int64` and `float32` features: int64 and float32, of the declared shape.

    Differences from DALI: defaults are used; what is missing and has none is an error, as is
    a number of values that does not fit the shape; checksums are verified.

    Raises:
        SourceError: a file cannot be read, is cut off, or is no TFRecord file; an index
            belongs to another file.
        DecodeError: a record is damaged or has not the form that was declared (see `on_error`
            of the pipeline).
    """

    name = "readers.tfrecord"
    aliases = ("tfrecord_reader",)
    names_all_outputs = True

    path = param(
        STRS,
        REQUIRED,
        "Paths of the files; their records are numbered through. Braces ('part-{000..127}'), globs "
        "and folders stand for the files that they name, without indexes and descriptions (*.idx, "
        "*.json, *.pbtxt, *.txt ...).",
    )
    index_path = param(
        STRS,
        None,
        "Paths of index files as DALI's `tfrecord2idx` writes them, one a file. Not needed.",
    )
    features = param(
        ANY,
        REQUIRED,
        "Dict from names to `tfrecord.FixedLenFeature` or `tfrecord.VarLenFeature`.",
    )
    sequence_features = param(
        ANY,
        None,
        "The same for the feature lists of records that are SequenceExamples; `features` are then "
        "those of the context. Numbers of a `FixedLenFeature` give the shape (steps, *shape).",
    )
    verify_crc = param(
        STR,
        None,
        "When the records' checksums are verified: 'always' (whenever a record is read), 'index' "
        "(once, when the index is made), 'never'. By default 'always', if the package crc32c is "
        "installed, which the extra `tfrecord` brings. Headers are always checked.",
        choices=VERIFY,
    )

    def prepare(self) -> None:
        super().prepare()
        features = checked_features("features", self.features)
        self._wanted = [Wanted(name, feature) for name, feature in features.items()]
        self._lists: list[WantedList] | None = None
        if self.sequence_features is not None:
            lists = checked_features("sequence_features", self.sequence_features)
            self._lists = [WantedList(name, feature) for name, feature in lists.items()]
        self._all = [*self._wanted, *(self._lists or [])]
        self._names = [name for output in self._all for name in output.names()]
        doubled = {name for name in self._names if self._names.count(name) > 1}
        if doubled or not self._names:
            problem = f"two outputs are named {sorted(doubled)[0]!r}" if doubled else "no features"
            self.refuse(f"{problem}; see features, sequence_features")

    def num_outputs(self) -> int:
        return len(self._names)

    def wrap(self, outputs: tuple[object, ...]) -> Any:
        """Return the outputs by name, as DALI does."""
        return dict(zip(self._names, outputs, strict=True))

    def open_source(self) -> TFRecordSource:
        verify = self._verification()
        paths = record_paths(self.path, self.storage_options)
        indexes = expand_paths(self.index_path or (), "*.idx", self.storage_options)
        if self.index_path is not None and len(indexes) != len(paths):
            self.refuse(
                f"index_path names {len(indexes)} files, path {len(paths)}; each file has one index"
            )
        storages, frames = open_frames(
            paths,
            self.storage_options,
            index_paths=None if self.index_path is None else indexes,
            verify_data=verify == "index",
            damages=self.damages,
        )
        files = RecordFiles(storages, frames)
        return TFRecordSource(files, self._wanted, self._lists, verify=verify == "always")

    def _verification(self) -> str:
        if self.verify_crc is None and importlib.util.find_spec("crc32c") is None:
            warnings.warn(
                "fn.readers.tfrecord: the checksums of the records are not verified, because "
                f"the package crc32c is not installed: {install_hint('tfrecord')}, or pass "
                "verify_crc='never' to silence this",
                stacklevel=2,
            )
            return "never"
        verify: str = self.verify_crc or "always"
        if verify != "never":
            checksum()
        return verify

    def placeholder(self) -> tuple[Array, ...]:
        return tuple(array for output in self._all for array in output.placeholder())
