"""The base of the readers of arrays in files.

The samples of a batch must agree in dtype and number of dimensions. Those that differ from most of
their batch are bad samples.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..engine.graph.context import BatchContext
from ..engine.graph.params import STR, STRS, param
from ..engine.tensors import TensorList, TensorListCPU
from ..engine.tensors.sample_form import usual_form
from .listing.listing import FileList, list_plain_files
from .listing.shares import SPLIT, SPLIT_BY, SplitBy, check_split
from .reader import Reader
from .source import Column

FILES = param(STRS, None, "Paths of the files, relative to `file_root` if that is given.")
FILE_LIST = param(
    STR,
    None,
    "Text file with a path on each line, relative to `file_root` or, without it, to the list.",
)
FILE_ROOT = param(
    STR, None, "Folder whose files, and those of the folders right inside it, are read."
)


class ArrayFileReader(Reader):
    """Base of the readers of arrays in files without labels.

    A reader class has the arguments `FILES`, `FILE_LIST` and `FILE_ROOT`, and a filter of its own.
    """

    files: Sequence[str] | None
    file_list: str | None
    file_root: str | None
    file_filter: str
    split: str | None = SPLIT
    split_by: SplitBy | None = SPLIT_BY

    def prepare(self) -> None:
        super().prepare()
        check_split(self.called, self.split, self.split_by)
        if isinstance(self.split_by, str):
            self.refuse(f"split_by={self.split_by!r} must be shares, such as 0.9")

    def listed_files(self) -> FileList:
        """Return the files that the arguments name: see `list_plain_files`."""
        listed = list_plain_files(
            self.called,
            files=self.files,
            file_list=self.file_list,
            file_root=self.file_root,
            file_filter=self.file_filter,
            storage_options=self.storage_options,
        )
        return listed.of_split(self.split, self.split_by)

    def batch(self, batch: BatchContext, **arguments: Any) -> Any:
        return of_one_form(self, batch, super().batch(batch))


def of_one_form(
    reader: Reader, batch: BatchContext, columns: Sequence[Column | TensorList]
) -> tuple[TensorList, ...]:
    """Fail the rows that differ in form from most of their batch; return the columns as batches."""
    selection = batch.selections[reader.placement.ordinal]
    lists = tuple(
        column if isinstance(column, TensorList) else TensorListCPU(column) for column in columns
    )
    for column in lists:
        usual, others = usual_form(column, batch.errors)
        for row, form in others.items():
            assert usual is not None  # where there are others
            where = reader.source.where(int(selection.index[row]))
            batch.fail_row(row, form.refusal(where, usual))
    return lists
