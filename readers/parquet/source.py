"""Rows of tables as samples: the storage of `fn.readers.parquet`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array, Bytes, DType, Int64s
from ...engine.errors import DecodeError, SourceError
from ..source import Allocate, Column, scattered
from ..storage.damage import STRICT, Damages
from ..storage.urls import is_url
from .blocks import RowBlocks, open_tables
from .columns import ColumnRule, rule_of
from .features import class_names, features_of
from .linked_files import read_linked
from .nested import FileListValues
from .parquet_file import FOOTER
from .paths import table_paths
from .values import BadValueError, ColumnValues, refuse
from .whole_columns import label_columns, labels_of, lengths_of, whole_column

if TYPE_CHECKING:
    import pyarrow as pa


class RowGroup:
    """The wanted columns of a block, in record batches."""

    def __init__(self, rules: Sequence[ColumnRule], batches: Sequence[pa.RecordBatch]) -> None:
        counts = [batch.num_rows for batch in batches]
        self._firsts: Int64s = np.cumsum([0, *counts], dtype=np.int64)
        self._batches = [[rule.values(batch) for rule in rules] for batch in batches]
        self._rules = rules
        self._paths: dict[str, list[str | None]] = {}

    def __len__(self) -> int:
        return int(self._firsts[-1])

    @property
    def nbytes(self) -> int:
        """Memory that the values take."""
        return sum(values.nbytes for batch in self._batches for values in batch)

    def take(self, rows: Int64s, allocate: Allocate, links: Links | None = None) -> list[Pieces]:
        """Return the samples of each column; `links` reads files that the column names.

        Raises:
            BadValueError: a value is no sample; the row counts in the group.
            OSError: a file that a column names cannot be read.
        """
        numbers = np.searchsorted(self._firsts, rows, "right") - 1
        columns: list[Pieces] = [[] for _ in self._rules]
        for number in np.unique(numbers).tolist():
            places = np.flatnonzero(numbers == number)
            own = rows[places] - self._firsts[number]
            first = int(self._firsts[number])
            for column, rule, values in zip(
                columns, self._rules, self._batches[number], strict=True
            ):
                try:
                    taken = self._taken(rule, values, own, first, allocate, links)
                except BadValueError as error:
                    reason = f"the column {rule.name!r} {error.reason}"
                    raise BadValueError(error.row + first, reason) from None
                column.append((places, taken))
        return columns

    def _taken(
        self,
        rule: ColumnRule,
        values: ColumnValues,
        rows: Int64s,
        first: int,
        allocate: Allocate,
        links: Links | None,
    ) -> Column:
        """Return samples of a batch, whose first row is row `first` of the group."""
        missing = np.zeros(0, np.intp)
        if values.there is not None and (rule.fill is not None or (rule.path and links)):
            missing = np.flatnonzero(~values.there[rows])
        there = np.delete(np.arange(len(rows)), missing)
        if isinstance(values, FileListValues):
            taken = values.take(rows[there], allocate, links.read if links else None)
        else:
            taken = values.take(rows[there], allocate)
        if not len(missing):
            return taken
        if not rule.ndim:
            column: Array = allocate((len(rows),), rule.dtype)
            column[there], column[missing] = taken, rule.fill
            return column
        samples: list[Any] = [None] * len(rows)
        for place, sample in zip(there.tolist(), taken, strict=True):
            samples[place] = sample
        stand_ins = self._stand_ins(rule, rows[missing], first, allocate, links)
        for place, sample in zip(missing.tolist(), stand_ins, strict=True):
            samples[place] = sample
        return samples

    def _stand_ins(
        self, rule: ColumnRule, rows: Int64s, first: int, allocate: Allocate, links: Links | None
    ) -> list[Array]:
        """Return what stands for missing values: files that the column names, and `fill`."""
        paths = [""] * len(rows)
        if rule.path and links is not None:
            if rule.name not in self._paths:
                self._paths[rule.name] = links.paths(rule)
            paths = [self._paths[rule.name][first + row] or "" for row in rows.tolist()]
        named = np.array([bool(path) for path in paths])
        if rule.fill is None:
            refuse(rows, ~named, "is missing (null)")
        try:
            contents = links.read([*filter(None, paths)], allocate) if links and any(paths) else []
        except DecodeError as error:
            raise BadValueError(int(rows[np.argmax(named)]), str(error)) from None
        wrong = np.array([content.size % rule.dtype.itemsize != 0 for content in contents], bool)
        reason = f"names a file whose size is no multiple of {rule.dtype.itemsize} bytes"
        refuse(rows[named], wrong, reason)
        linked = iter(contents)
        samples: list[Array] = []
        for is_named in named.tolist():
            if is_named:
                samples.append(next(linked).view(rule.dtype))
                continue
            assert rule.fill is not None
            sample = allocate(rule.fill.shape, rule.dtype)
            sample[...] = rule.fill
            samples.append(sample)
        return samples


class Links(NamedTuple):
    """Access to files that a block's columns name in place of holding their bytes.

    Attributes:
        paths: returns the paths in a column of the block.
        read: returns the content of files: see `read_linked`.
    """

    paths: Callable[[ColumnRule], list[str | None]]
    read: Callable[[Sequence[str], Allocate], list[Bytes]]


Pieces = list[tuple[NDArray[np.intp], Column]]
"""Samples, and their places in a batch."""


class ParquetSource:
    """Rows of Parquet and Arrow files; a sample has one array for each column."""

    def __init__(
        self,
        blocks: RowBlocks[RowGroup],
        rules: Sequence[ColumnRule],
        paths: Sequence[str],
        options: Mapping[str, object],
    ) -> None:
        """Take the rows and what becomes of the columns.

        Args:
            blocks: of the rows.
            rules: of the columns.
            paths: of the files, local paths or URLs.
            options: `Reader.storage_options`, for URLs.
        """
        self.blocks = blocks
        self.rules = tuple(rules)
        self._paths = tuple(paths)
        self._options = options

    def __len__(self) -> int:
        return len(self.blocks)

    def read(self, indices: NDArray[np.int64], allocate: Allocate) -> tuple[Column, ...]:
        """Return one column an output; each row group is decoded once at most.

        Raises:
            IndexError: an index is negative or not below `len(self)`.
            OSError: a file, or one that a column names, cannot be read. SourceError if it is
                damaged.
            DecodeError: a value is missing, or fits no array or type.
        """
        pieces: list[Pieces] = [[] for _ in self.rules]
        for number, group, places, rows in self.blocks.groups(indices):
            try:
                columns = group.take(rows, allocate, self._links(number))
            except BadValueError as error:
                index = int(indices[places[np.flatnonzero(rows == error.row)[0]]])
                raise DecodeError(f"{self.where(index)}: {error.reason}") from None
            for column, some in zip(pieces, columns, strict=True):
                column += [(places[own], values) for own, values in some]
        for column, rule in zip(pieces, self.rules, strict=True):
            if not column:  # of no sample
                column.append((indices, np.empty((0,) * (rule.ndim + 1), rule.dtype)))
        return tuple(scattered(column, len(indices), allocate) for column in pieces)

    def _links(self, number: int) -> Links:
        """Return access to the files that a block's columns name."""
        file, block = self.blocks.position_of(number)
        table = self._paths[self.blocks.file_of(number)]

        def paths(rule: ColumnRule) -> list[str | None]:
            return rule.paths(file.read(block, [rule.path]))

        def read(paths: Sequence[str], allocate: Allocate) -> list[Bytes]:
            return read_linked(table, paths, self._options, allocate)

        return Links(paths, read)

    def where(self, index: int) -> str:
        """Return the file and the row in it, from 0."""
        return self.blocks.where(index)

    def known_column(self, name: str) -> Array | None:
        """Return a column of numbers or texts, read once; it need not be one of the outputs."""
        return whole_column(self.blocks.files, name, labels_of)

    def known_columns(self) -> list[str]:
        """Return the columns of the first file that `known_column` may have."""
        return label_columns(self.blocks.files[0].schema)

    def known_lengths(self, name: str) -> NDArray[np.float64] | None:
        """Return the numbers of a column, or the lengths of its lists, texts or bytes."""
        return whole_column(self.blocks.files, name, lengths_of)

    def class_names(self) -> dict[str, tuple[str, ...]]:
        """Return the names of the classes of each column that has some, as the first file says."""
        features = features_of(self.blocks.files[0].schema.metadata)
        names = {rule.name: class_names(features, rule.name) for rule in self.rules}
        return {name: classes for name, classes in names.items() if classes}

    def class_outputs(self) -> dict[str, int]:
        """Return the number of the output that each of `class_names` numbers."""
        return {rule.name: number for number, rule in enumerate(self.rules)}

    def nbytes(self) -> int:
        """Return about how many bytes the columns of all rows take, as the first group does.

        Raises:
            OSError: the group cannot be read. SourceError if it is damaged.
        """
        (group,) = (group for _, group, _, _ in self.blocks.groups(np.zeros(1, np.int64)))
        return group.nbytes * len(self) // len(group)

    def groups(self) -> int:
        """Return the number of row groups."""
        return sum(len(file.counts) for file in self.blocks.files)

    def close(self) -> None:
        """Release files and row groups; a later `read` opens them again."""
        self.blocks.close()


def open_parquet(
    paths: Sequence[str],
    columns: Sequence[str],
    *,
    split: str = "",
    config: str = "",
    dtypes: Sequence[DType] = (),
    fill: Mapping[str, object] | None = None,
    cache_bytes: int,
    storage_options: Mapping[str, object] | None = None,
    damages: Damages = STRICT,
) -> ParquetSource:
    """Open files; the arguments are those of `fn.readers.parquet`, and what takes the damages.

    Raises:
        ArgumentError: a column is not there, or its type cannot be read.
        OSError: a file cannot be read. SourceError if it is damaged, is another sort of file, has
            other columns than the first one, or there is no row.
    """
    located = table_paths(paths, storage_options or {}, split, config)
    opened = damages.open(located, storage_options, FOOTER)
    files = open_tables([*opened.values()], damages)
    wanted: list[DType | None] = [*dtypes] or [None] * len(columns)
    rules: list[list[ColumnRule]] = []
    for file in files:
        name = file.storage.name
        matching = [
            _filled(rule_of(file.schema, column, dtype, name), fill or {}, name)
            for column, dtype in zip(columns, wanted, strict=True)
        ]
        for first, own in zip(rules[0] if rules else matching, matching, strict=True):
            if (own.dtype, own.ndim, own.kind) != (first.dtype, first.ndim, first.kind):
                raise SourceError(
                    f"{name}: the column {own.name!r} has the type {own.type}, but {first.type} in "
                    f"{files[0].storage.name}; the samples of a reader must agree"
                )
        rules.append(matching)
    selection = list(dict.fromkeys(rule.selection for matching in rules for rule in matching))
    blocks = RowBlocks(files, selection, partial(_row_group, rules), cache_bytes)
    damages.require(len(blocks))
    if not len(blocks):
        more = " ..." if len(files) > 1 else ""
        raise SourceError(f"{files[0].storage.name}{more}: there is no row")
    path_of = {id(storage): located[number] for number, storage in opened.items()}
    tables = [path_of[id(file.storage)] for file in files]
    return ParquetSource(
        blocks,
        rules[0],
        [path if is_url(path) else os.path.abspath(path) for path in tables],
        storage_options or {},
    )


def _filled(rule: ColumnRule, fill: Mapping[str, object], where: str) -> ColumnRule:
    return rule.filled(fill[rule.name], where) if rule.name in fill else rule


def _row_group(
    rules: Sequence[Sequence[ColumnRule]], file: int, batches: list[pa.RecordBatch]
) -> tuple[RowGroup, int]:
    group = RowGroup(rules[file], batches)
    return group, group.nbytes
