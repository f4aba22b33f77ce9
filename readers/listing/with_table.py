"""Files and the targets that a table has for them: `fn.readers.file(table=...)`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ...engine.errors import ArgumentError, SourceError
from ..storage.strings import StringTable
from ..storage.urls import is_url
from .list_file import check_remote_name, read_plain_list
from .listing import (
    KNOWN_EXTENSIONS,
    FileList,
    absolute,
    folders_below,
    names_in,
    root_of,
    root_of_list,
)
from .shares import SplitBy, in_column
from .table_file import read_table
from .table_targets import TableRule, files_of_rows, flattened, rows_of_files, targets_of


def list_with_table(
    table: str,
    rule: TableRule,
    *,
    name_column: str | None = None,
    file_root: str | None = None,
    files: Sequence[str] | None = None,
    file_list: str | None = None,
    file_filters: Sequence[str] = KNOWN_EXTENSIONS,
    split: str | None = None,
    split_by: SplitBy | None = None,
    storage_options: Mapping[str, object] | None = None,
) -> FileList:
    """List files with the targets of a table; the arguments are those of `fn.readers.file`.

    Raises:
        ArgumentError: arguments contradict each other, or a column is not there or no target.
        SourceError: the table cannot be read, or files and rows do not fit together.
    """
    if files is not None and file_list is not None:
        raise ArgumentError("give either `files` or `file_list`, not both")
    by_column = split_by if isinstance(split_by, str) else None
    wanted = flattened(rule.columns) + ([by_column] if by_column else [])
    read, column = read_table(table, name_column, wanted, storage_options)
    targets = targets_of(read, rule)
    if files is not None or file_list is not None:
        if files is not None:
            names = names_in(files)
            root = root_of(names, file_root or b"")
        else:
            assert file_list is not None
            names = read_plain_list(os.fsencode(file_list), storage_options)
            root = root_of_list(file_root, file_list)
        if not len(names):
            raise SourceError("`files` or `file_list` names no file")
        rows = rows_of_files(read, column, list(names))
        targets = targets.subset(rows)
    else:
        root = absolute(os.path.dirname(table) if file_root is None else file_root)
        folders = folders_below(root, storage_options or {})(
            root, file_filters, None, case_sensitive=False
        )

        def files_in(wanted: list[bytes]) -> Iterator[list[bytes]]:
            return (found for found, _ in folders.listed(wanted))

        found = files_of_rows(read, column, files_in)
        if is_url(table):
            for number, name in enumerate(found):
                check_remote_name(os.fsencode(table), number, name)
        names, rows = StringTable.of(found), np.arange(len(found))
    labels = np.broadcast_to(np.int32(0), len(names))
    listed = FileList(root, names, labels, targets=targets)
    if by_column is None or split is None:
        return listed.of_split(split, split_by)
    parts = read.columns[by_column]
    return listed.subset(in_column(np.asarray(parts)[rows], split, by_column))
