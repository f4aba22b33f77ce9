"""Rows of tables as samples: the storage of `fn.readers.parquet`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Int64s
from ...engine.errors import DecodeError, SourceError
from ..source import Allocate, Column
from ..storage.damage import STRICT, Damages
from .blocks import RowBlocks, open_tables
from .columns import ColumnRule, rule_of
from .features import class_names, features_of
from .paths import table_paths
from .values import BadValueError, ColumnValues


class RowGroup:
    """The wanted columns of a block, in record batches."""

    def __init__(self, rules: Sequence[ColumnRule], batches: Sequence[Any]) -> None:
        counts = [batch.num_rows for batch in batches]
        self._firsts: Int64s = np.cumsum([0, *counts], dtype=np.int64)
        self._batches = [[rule.values(batch) for rule in rules] for batch in batches]
        self._names = [rule.name for rule in rules]

    def __len__(self) -> int:
        return int(self._firsts[-1])

    @property
    def nbytes(self) -> int:
        """Memory that the values take."""
        return sum(values.nbytes for batch in self._batches for values in batch)

    def take(self, rows: Int64s, allocate: Allocate) -> list[Pieces]:
        """Return the samples of each column.

        Raises:
            BadValueError: a value is no sample; the row counts in the group.
        """
        numbers = np.searchsorted(self._firsts, rows, "right") - 1
        columns: list[Pieces] = [[] for _ in self._names]
        for number in np.unique(numbers).tolist():
            places = np.flatnonzero(numbers == number)
            own = rows[places] - self._firsts[number]
            for column, name, values in zip(
                columns, self._names, self._batches[number], strict=True
            ):
                column.append((places, self._taken(values, name, own, number, allocate)))
        return columns

    def _taken(
        self, values: ColumnValues, name: str, rows: Int64s, number: int, allocate: Allocate
    ) -> Column:
        try:
            return values.take(rows, allocate)
        except BadValueError as error:
            row = error.row + int(self._firsts[number])
            raise BadValueError(row, f"the column {name!r} {error.reason}") from None


Pieces = list[tuple[NDArray[np.intp], Column]]
"""Samples, and their places in a batch."""


class ParquetSource:
    """Rows of Parquet and Arrow files; a sample has one array for each column."""

    def __init__(self, blocks: RowBlocks[RowGroup], rules: Sequence[ColumnRule]) -> None:
        """Take the rows and what becomes of the columns."""
        self.blocks = blocks
        self.rules = tuple(rules)

    def __len__(self) -> int:
        return len(self.blocks)

    def read(self, indices: NDArray[np.int64], allocate: Allocate) -> tuple[Column, ...]:
        """Return one column an output; each row group is decoded once at most.

        Raises:
            IndexError: an index is negative or not below `len(self)`.
            OSError: a file cannot be read. SourceError if it is damaged.
            DecodeError: a value is missing, or fits no array or type.
        """
        pieces: list[Pieces] = [[] for _ in self.rules]
        for _, group, places, rows in self.blocks.groups(indices):
            try:
                columns = group.take(rows, allocate)
            except BadValueError as error:
                index = int(indices[places[np.flatnonzero(rows == error.row)[0]]])
                raise DecodeError(f"{self.where(index)}: {error.reason}") from None
            for column, some in zip(pieces, columns, strict=True):
                column += [(places[own], values) for own, values in some]
        return tuple(
            _joined(column, rule, len(indices), allocate)
            for column, rule in zip(pieces, self.rules, strict=True)
        )

    def where(self, index: int) -> str:
        """Return the file and the row in it, from 0."""
        return self.blocks.where(index)

    def class_names(self) -> dict[str, tuple[str, ...]]:
        """Return the names of the classes of each column that has some, as the first file says."""
        features = features_of(self.blocks.files[0].schema.metadata)
        names = {rule.name: class_names(features, rule.name) for rule in self.rules}
        return {name: classes for name, classes in names.items() if classes}

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


def _joined(pieces: Pieces, rule: ColumnRule, count: int, allocate: Allocate) -> Column:
    """Return the samples in the order of their places."""
    dense = [column for _, column in pieces if isinstance(column, np.ndarray)]
    shapes = {column.shape[1:] for column in dense}
    if len(dense) == len(pieces) and len(shapes) <= 1:
        shape = next(iter(shapes), (0,) * rule.ndim)
        joined_column: NDArray[Any] = allocate((count, *shape), rule.dtype)
        for places, column in pieces:
            joined_column[places] = column
        return joined_column
    samples: list[Any] = [None] * count
    for places, column in pieces:
        for place, sample in zip(places.tolist(), column, strict=True):
            samples[place] = sample
    return samples


def open_parquet(
    paths: Sequence[str],
    columns: Sequence[str],
    *,
    dtypes: Sequence[np.dtype[Any]] = (),
    cache_bytes: int,
    storage_options: Mapping[str, Any] | None = None,
    damages: Damages = STRICT,
) -> ParquetSource:
    """Open files; the arguments are those of `fn.readers.parquet`, and what takes the damages.

    Raises:
        ArgumentError: a column is not there, or its type cannot be read.
        OSError: a file cannot be read. SourceError if it is damaged, is another sort of file, has
            other columns than the first one, or there is no row.
    """
    opened = damages.open(table_paths(paths, storage_options or {}), storage_options)
    files = open_tables([*opened.values()], damages)
    wanted: list[np.dtype[Any] | None] = [*dtypes] or [None] * len(columns)
    rules: list[list[ColumnRule]] = []
    for file in files:
        name = file.storage.name
        matching = [
            rule_of(file.schema, column, dtype, name)
            for column, dtype in zip(columns, wanted, strict=True)
        ]
        for first, own in zip(rules[0] if rules else matching, matching, strict=True):
            if (own.dtype, own.ndim) != (first.dtype, first.ndim):
                raise SourceError(
                    f"{name}: the column {own.name!r} has the type {own.type}, but {first.type} in "
                    f"{files[0].storage.name}; the samples of a reader must agree in dtype"
                )
        rules.append(matching)
    selection = list(dict.fromkeys(rule.selection for matching in rules for rule in matching))
    blocks = RowBlocks(files, selection, partial(_row_group, rules), cache_bytes)
    damages.require(len(blocks))
    if not len(blocks):
        more = " ..." if len(files) > 1 else ""
        raise SourceError(f"{files[0].storage.name}{more}: there is no row")
    return ParquetSource(blocks, rules[0])


def _row_group(
    rules: Sequence[Sequence[ColumnRule]], file: int, batches: list[Any]
) -> tuple[RowGroup, int]:
    group = RowGroup(rules[file], batches)
    return group, group.nbytes
