"""Tables of targets, CSV and Parquet, as columns of texts and numbers."""

from __future__ import annotations

import csv
import io
import re
from array import array
from collections.abc import Mapping, Sequence
from typing import IO, Any, NamedTuple

import numpy as np

from ...engine.arrays import Array
from ...engine.errors import ArgumentError, SourceError
from ...engine.suggestions import not_among
from ..storage.opening import opened
from ..storage.urls import shown

_MAGIC = b"PAR1"
_DELIMITERS = ",\t;"
_LONGEST_HEADER = 1 << 20
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_REAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|nan|[+-]?inf", re.IGNORECASE)

Values = Array | list[str]
"""Numbers of shape (rows,) or (rows, k); or texts."""


class TargetTable(NamedTuple):
    """Columns of a table.

    Attributes:
        name: of the file, for messages.
        columns: values by name of the column.
        lines: number of each row's line in a text; None for Parquet.
    """

    name: str
    columns: dict[str, Values]
    lines: Sequence[int] | None = None

    def where(self, row: int) -> str:
        """Return the file and the line, or the row."""
        return f"{self.name}, {self.place(row)}"

    def place(self, row: int) -> str:
        """Return the line, or the row."""
        return f"row {row}" if self.lines is None else f"line {self.lines[row]}"


def read_table(
    path: str,
    name_column: str | None,
    columns: Sequence[str],
    options: Mapping[str, object] | None = None,
) -> tuple[TargetTable, str]:
    """Return the wanted columns of a table, and the name of the column of names.

    Args:
        path: of a CSV file with a header, separated by commas, semicolons or tabs, or of a Parquet
            file; a local path or a URL.
        name_column: the column of names, whose values stay texts; None for the first with a name.
        columns: other columns.
        options: `Reader.storage_options`, for a URL.

    Raises:
        ArgumentError: a column is not there, or holds what cannot be read.
        SourceError: the file cannot be read, a value is missing, or a row has too few.
        MissingDependencyError: PyArrow is not installed, for Parquet.
    """
    try:
        with opened(path, options) as file:
            is_parquet = file.read(len(_MAGIC)) == _MAGIC
            file.seek(0)
            read = _parquet if is_parquet else _csv
            return read(file, shown(path), name_column, columns)
    except SourceError:
        raise
    except OSError as error:
        raise SourceError(
            f"`table` {shown(path)!r} cannot be read: {error.strerror or error}"
        ) from error


def _csv(
    file: IO[bytes], name: str, name_column: str | None, columns: Sequence[str]
) -> tuple[TargetTable, str]:
    with io.TextIOWrapper(file, "utf-8-sig", newline="") as text:
        try:
            first = text.readline(_LONGEST_HEADER)
            delimiter = max(_DELIMITERS, key=first.count)
            # Tables with tabs, such as those of Common Voice, do not quote.
            quoting: Any = csv.QUOTE_NONE if delimiter == "\t" else csv.QUOTE_MINIMAL
            form = {"delimiter": delimiter, "quoting": quoting}
            (header,) = csv.reader([first], **form) if first.strip() else ([],)
            chosen = _chosen(name, header, name_column)
            rows = csv.reader(text, **form)
            every = list(dict.fromkeys([chosen, *columns]))
            cells, lines = _cells(name, rows, header, every)
        except UnicodeDecodeError as error:
            raise SourceError(f"{name} is no text in UTF-8 ({error.reason})") from None
        except csv.Error as error:
            raise SourceError(f"{name} is no CSV: {error}") from None
    names = cells.pop(chosen)
    values: dict[str, Values] = {column: _parsed(texts) for column, texts in cells.items()}
    values[chosen] = names
    return TargetTable(name, values, lines), chosen


def _chosen(name: str, header: Sequence[str], name_column: str | None) -> str:
    """Return the column of names. What pandas writes of an index has no name."""
    named = [column for column in header if column]
    if not named:
        raise SourceError(f"{name}: expected a first line with the names of the columns")
    if name_column is None:
        return named[0]
    if name_column not in named:
        raise ArgumentError(f"{name} has no column {not_among(name_column, named)}")
    return name_column


def _cells(
    name: str, rows: Any, header: Sequence[str], columns: Sequence[str]
) -> tuple[dict[str, list[str]], Sequence[int]]:
    places = []
    for column in columns:
        if column not in header:
            raise ArgumentError(f"{name} has no column {not_among(column, filter(None, header))}")
        if header.count(column) > 1:
            raise ArgumentError(f"{name} has {header.count(column)} columns named {column!r}")
        places.append(header.index(column))
    cells: list[list[str]] = [[] for _ in columns]
    lines = array("q")
    for row in rows:
        if not row:
            continue  # an empty line
        if len(row) != len(header):
            raise SourceError(
                f"{name}, line {rows.line_num + 1}: expected {len(header)} values, as the first "
                f"line names, but got {len(row)}"
            )
        for values, place, column in zip(cells, places, columns, strict=True):
            if not row[place]:
                raise SourceError(
                    f"{name}, line {rows.line_num + 1}: the column {column!r} is empty; write a "
                    "value, such as nan for a number that is not known, or leave out the row"
                )
            values.append(row[place])
        lines.append(rows.line_num + 1)
    if not cells[0]:
        raise SourceError(f"{name} has no row below the names of its columns")
    return dict(zip(columns, cells, strict=True)), lines


def _parsed(texts: list[str]) -> Values:
    """Return int64 if all are whole numbers, float32 if all are numbers, else the texts."""
    if all(map(_WHOLE.fullmatch, texts)):
        return np.array(texts).astype(np.int64)
    if all(map(_REAL.fullmatch, texts)):
        return np.array(texts).astype(np.float32)
    return texts


def _parquet(
    file: IO[bytes], name: str, name_column: str | None, columns: Sequence[str]
) -> tuple[TargetTable, str]:
    from ..parquet.library import named_errors, pyarrow  # an optional library

    arrow = pyarrow()
    with named_errors(name):
        stored = arrow.parquet.ParquetFile(file)
        known = stored.schema_arrow.names
        chosen = _chosen(name, known, name_column)
        for column in columns:
            if column not in known:
                raise ArgumentError(f"{name} has no column {not_among(column, known)}")
        every = list(dict.fromkeys([chosen, *columns]))
        table = stored.read(every, use_threads=False)
        if not len(table):
            raise SourceError(f"{name} has no row")
        values = {c: _arrow_values(name, c, table.column(c)) for c in every}
    if not isinstance(values[chosen], list):
        values[chosen] = [*map(str, table.column(chosen).to_pylist())]
    return TargetTable(name, values), chosen


def _arrow_values(name: str, column: str, stored: Any) -> Values:
    from ..parquet.library import pyarrow

    arrow, types = pyarrow(), pyarrow().types
    numbers: Array
    stored = stored.combine_chunks()
    if types.is_dictionary(stored.type):
        stored = stored.cast(stored.type.value_type)
    if stored.null_count:
        row = stored.is_null().to_pylist().index(True)
        raise SourceError(
            f"{name}, row {row}: the column {column!r} is missing (null); write a value, such as "
            "NaN for a number that is not known, or leave out the row"
        )
    if types.is_string(stored.type) or types.is_large_string(stored.type):
        texts: list[str] = stored.to_pylist()
        return texts
    if types.is_list(stored.type) or types.is_fixed_size_list(stored.type):
        lengths = arrow.compute.list_value_length(stored).to_numpy(zero_copy_only=False)
        if len(wrong := np.flatnonzero(lengths != lengths[0])):
            raise SourceError(
                f"{name}, row {wrong[0]}: the column {column!r} holds {lengths[wrong[0]]} numbers, "
                f"but {lengths[0]} in row 0; the lists of a target must have one length"
            )
        inner = _arrow_values(name, column, arrow.chunked_array([stored.flatten()]))
        if not isinstance(inner, list) and inner.ndim == 1:
            return inner.reshape(len(stored), -1)
    elif types.is_integer(stored.type) or types.is_boolean(stored.type):
        numbers = stored.to_numpy(zero_copy_only=False)
        return numbers
    elif types.is_floating(stored.type):
        numbers = stored.to_numpy(zero_copy_only=False)
        return numbers.astype(np.float32)
    raise ArgumentError(
        f"{name}: the column {column!r} has the type {stored.type}; numbers, texts and lists of "
        "numbers are read"
    )
