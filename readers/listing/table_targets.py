"""Files whose targets are the rows of a table: which row belongs to which file."""

from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array, DType, Int64s
from ...engine.errors import ArgumentError, SourceError
from ...engine.graph.params import ArgumentType
from ...engine.suggestions import listed as in_words
from ..storage.strings import StringTable
from .table_file import TargetTable, Values
from .targets import Target, Targets, numbered

SMALL_TABLE = 50
"""Rows of a table in which each may have a class of its own."""

_SHOWN = 3
"""Names in a message, at most."""

Columns = tuple[str | tuple[str, ...], ...]
"""A column for each output, or several that form one."""


def _columns(value: Any) -> Columns:
    names = [value] if isinstance(value, str) else [*value]
    columns = tuple(name if isinstance(name, str) else tuple(name) for name in names)
    flat = flattened(columns)
    if not flat or not all(isinstance(name, str) for name in flat) or () in columns:
        raise TypeError("not names of columns")
    return columns


def flattened(columns: Columns) -> list[str]:
    """Return the names of all columns in order, each once."""
    parts = ((c,) if isinstance(c, str) else c for c in columns)
    return list(dict.fromkeys(name for part in parts for name in part))


COLUMNS = ArgumentType("str | Sequence[str | Sequence[str]]", _columns)


class TableRule(NamedTuple):
    """How columns of a table become outputs.

    Attributes:
        columns: for each output.
        dtypes: of the outputs; () for those of the columns.
        class_names: numbers of texts, for all columns or by column.
    """

    columns: Columns
    dtypes: Sequence[DType] = ()
    class_names: Sequence[str] | Mapping[str, Sequence[str]] | None = None


def targets_of(table: TargetTable, rule: TableRule) -> Targets:
    """Return the outputs of all rows.

    Raises:
        ArgumentError: columns do not form an output, or a number does not fit into its dtype.
        SourceError: a text is no class.
    """
    dtypes: Sequence[DType | None] = [*rule.dtypes] or [None] * len(rule.columns)
    if len(dtypes) != len(rule.columns):
        raise ArgumentError(
            f"{len(dtypes)} dtypes for {len(rule.columns)} columns; give one for each, or none"
        )
    outputs: list[Target] = []
    classes: dict[str, tuple[str, ...]] = {}
    for column, dtype in zip(rule.columns, dtypes, strict=True):
        if isinstance(column, str):
            values = table.columns[column]
            if isinstance(values, list) and dtype != np.uint8:
                values, classes[column] = _class_numbers(table, column, values, rule)
        else:
            values = _together(table, column)
        outputs.append(_output(table, column, values, dtype))
    return Targets(rule.columns, tuple(outputs), classes)


def _class_numbers(
    table: TargetTable, column: str, texts: list[str], rule: TableRule
) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    names = rule.class_names
    names = names.get(column) if isinstance(names, Mapping) else names
    numbers, classes = numbered(texts, names)
    if len(wrong := np.flatnonzero(numbers < 0)):
        row = int(wrong[0])
        raise SourceError(
            f"{table.where(row)}: {texts[row]!r} in the column {column!r} is none of the "
            f"{len(classes)} `class_names`"
        )
    if names is None and len(classes) == len(texts) > SMALL_TABLE:
        raise ArgumentError(
            f"{table.name}: each row has another text in the column {column!r}, so these are no "
            "classes; dtypes=types.UINT8 for it gives the texts as they are, in UTF-8"
        )
    return numbers, classes


def _together(table: TargetTable, columns: Sequence[str]) -> Array:
    """Return columns of numbers as one array (rows, columns)."""
    parts = []
    for column in columns:
        values = table.columns[column]
        if isinstance(values, list) or values.ndim > 1:
            raise ArgumentError(
                f"{table.name}: the column {column!r} holds {table_word(values)}, so it forms no "
                "output together with other columns"
            )
        parts.append(values)
    joined = np.stack(parts, axis=1)
    return joined.astype(np.float32) if joined.dtype == np.float64 else joined


def table_word(values: Values) -> str:
    """Return what a column holds."""
    return "texts" if isinstance(values, list) else "lists"


def _output(
    table: TargetTable, column: str | tuple[str, ...], values: Values, dtype: DType | None
) -> Target:
    if isinstance(values, list):
        return StringTable.of(text.encode() for text in values)
    if values.ndim == 1:
        values = values[:, np.newaxis]
    if dtype is None or dtype == values.dtype:
        return values
    with np.errstate(invalid="ignore", over="ignore"):
        converted = values.astype(dtype)
    if dtype.kind != "f":
        same = (converted.astype(values.dtype) == values) & ((converted < 0) == (values < 0))
        if len(wrong := np.argwhere(~same)):
            place = tuple(wrong[0].tolist())
            raise ArgumentError(
                f"{table.where(place[0])}: {values[place]} in the column {column!r} is no number "
                f"of type {dtype.name}"
            )
    return converted


def rows_of_files(table: TargetTable, column: str, names: Sequence[bytes]) -> Int64s:
    """Return the row of each of the files that `files` or `file_list` name.

    The table's names are those of the files, or their last parts, with or without the endings.

    Raises:
        SourceError: a name comes twice in the table, or a file has no row.
    """
    rows = {name: row for row, name in enumerate(_unique(table, column))}
    found: list[int | None] = []
    for form in (_whole, os.path.basename, _stem, _base_stem):
        found = [rows.get(form(os.fsdecode(name))) for name in names]
        if any(row is not None for row in found):
            break
    missing = [os.fsdecode(n) for n, row in zip(names, found, strict=True) if row is None]
    if missing:
        raise SourceError(
            f"{table.name}: {len(missing):,} of {len(names):,} files have no row with their name "
            f"in the column {column!r}: {_some(missing)}; the table names "
            f"{_some(table.columns[column])}"
        )
    used = np.array(found, np.int64)
    if unused := len(rows) - len(np.unique(used)):
        left = np.delete(np.arange(len(rows)), used)
        every = [*rows]
        _warn(
            f"{table.name}: {unused:,} of {len(rows):,} rows",
            "belong to no listed file",
            [every[row] for row in left[:_SHOWN].tolist()],
            unused,
        )
    return used


def files_of_rows(
    table: TargetTable, column: str, list_folders: Callable[[list[bytes]], Iterator[list[bytes]]]
) -> list[bytes]:
    """Return the file of each row, as a path below the root, or as the table names it.

    Names of absolute paths and URLs are not looked for.

    Args:
        table: the table.
        column: the column of names.
        list_folders: returns the names of the files in each of some folders below the root.

    Raises:
        SourceError: a name comes twice, or a row has no file.
    """
    names = [os.fsencode(name) for name in _unique(table, column)]
    looked_for = [name for name in names if not name.startswith(b"/") and b"://" not in name]
    folders = sorted({os.path.dirname(name) for name in looked_for})
    there: set[bytes] = set()
    for folder, files in zip(folders, list_folders(folders), strict=True):
        there.update(os.path.join(folder, file) for file in files)
    whole = set(looked_for)
    if not there & whole:
        names = _with_endings(table, names, there)
        whole = set(names)
    wrong = [row for row, name in enumerate(names) if name not in there and name in whole]
    wrong = [row for row in wrong if not names[row].startswith(b"/") and b"://" not in names[row]]
    if wrong:
        some = (f"{os.fsdecode(names[row])!r} ({table.place(row)})" for row in wrong[:_SHOWN])
        raise SourceError(
            f"{table.name}: {len(wrong):,} of {len(names):,} rows have no file: {', '.join(some)}; "
            f"the names in the column {column!r} are paths below `file_root`, or below the table's "
            "folder without it"
        )
    if others := sorted(there - whole):
        few = [os.fsdecode(name) for name in others[:_SHOWN]]
        _warn(
            f"{len(others):,} of {len(there):,} files",
            f"have no row in {table.name}",
            few,
            len(others),
        )
    return names


def _with_endings(table: TargetTable, names: list[bytes], there: set[bytes]) -> list[bytes]:
    """Return names with the endings of the files; names without such a file stay as they are."""
    stems: dict[bytes, bytes] = {}
    wanted = set(names)
    for file in sorted(there):
        stem = os.path.splitext(file)[0]
        if stem in wanted and stem in stems:
            raise SourceError(
                f"{table.name}: {os.fsdecode(stem)!r} names two files, {os.fsdecode(stems[stem])!r}"
                f" and {os.fsdecode(file)!r}; write the names with their endings"
            )
        stems[stem] = file
    return [stems.get(name, name) for name in names]


def _unique(table: TargetTable, column: str) -> list[str]:
    names = table.columns[column]
    assert isinstance(names, list)
    counts = Counter(names)
    if len(counts) < len(names):
        twice = next(name for name, count in counts.items() if count > 1)
        rows = [row for row, name in enumerate(names) if name == twice][:2]
        raise SourceError(
            f"{table.name}: {sum(c > 1 for c in counts.values()):,} names come more than once in "
            f"the column {column!r}, such as {twice!r} in {in_words(map(table.place, rows))}; a "
            "file has one row"
        )
    return names


def _whole(name: str) -> str:
    return name


def _stem(name: str) -> str:
    return os.path.splitext(name)[0]


def _base_stem(name: str) -> str:
    return os.path.splitext(os.path.basename(name))[0]


def _some(names: Any) -> str:
    text = ", ".join(map(repr, names[:_SHOWN]))
    return f"{text} ..." if len(names) > _SHOWN else text


def _warn(what: str, problem: str, names: Sequence[str], count: int) -> None:
    more = " ..." if count > len(names) else ""
    warnings.warn(
        f"{what} {problem}: {', '.join(map(repr, names))}{more}", RuntimeWarning, stacklevel=2
    )
