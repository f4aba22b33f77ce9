"""The base of the readers of arrays in files, and the form that the samples of a batch share.

The samples of a batch must agree in dtype and number of dimensions. Those that differ from most of
their batch are bad samples.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence
from itertools import islice
from typing import Any

import numpy as np

from ..engine.arrays import Array
from ..engine.errors import DecodeError
from ..engine.graph.context import BatchContext
from ..engine.graph.params import STR, STRS, param
from ..engine.order.sampler import Selection
from ..engine.tensors import TensorList, TensorListCPU
from .listing.listing import FileList, list_plain_files
from .reader import Reader

FILES = param(STRS, None, "Paths of the files, relative to `file_root` if that is given.")
FILE_LIST = param(
    STR,
    None,
    "Text file with a path on each line, relative to `file_root` or, without it, to the list.",
)
FILE_ROOT = param(
    STR, None, "Folder whose files, and those of the folders right inside it, are read."
)

SampleForm = tuple[np.dtype[Any], int]
"""Dtype and number of dimensions of a sample."""

_FORMS = "forms"
"""In `Selection.extra`: the usual form of each output, once the batch is read."""


class ArrayFileReader(Reader):
    """Base of the readers of arrays in files without labels.

    A reader class has the arguments `FILES`, `FILE_LIST` and `FILE_ROOT`, and a filter of its own.
    """

    files: Sequence[str] | None
    file_list: str | None
    file_root: str | None
    file_filter: str

    def listed_files(self) -> FileList:
        """Return the files that the arguments name: see `list_plain_files`."""
        return list_plain_files(
            self.called,
            files=self.files,
            file_list=self.file_list,
            file_root=self.file_root,
            file_filter=self.file_filter,
            storage_options=self.storage_options,
        )

    def batch(self, batch: BatchContext, **arguments: Any) -> Any:
        selection = batch.selections[self.placement.ordinal]
        columns = tuple(
            column if isinstance(column, TensorList) else TensorListCPU(column)
            for column in super().batch(batch)
        )
        usual_forms = []
        for column in columns:
            usual, others = usual_form(column, batch.errors)
            usual_forms.append(usual)
            for row, form in others.items():
                batch.errors[row] = self._other_form(selection, row, form, usual)
        selection.extra[_FORMS] = usual_forms
        return columns

    def replacement(self, selection: Selection, row: int, attempt: int) -> tuple[Array, ...] | None:
        sample = super().replacement(selection, row, attempt)
        for array, usual in zip(sample or (), selection.extra.get(_FORMS, ()), strict=False):
            if usual is not None and form_of(array) != usual:
                raise self._other_form(selection, row, form_of(array), usual)
        return sample

    def _other_form(
        self, selection: Selection, row: int, form: SampleForm, usual: SampleForm | None
    ) -> DecodeError:
        """Return the error of a sample that has another form than most of its batch."""
        assert usual is not None
        return DecodeError(
            f"{self.source.where(int(selection.index[row]))}: the sample has {form[1]} dimensions "
            f"and the type {form[0]}, where most of its batch have {usual[1]} and {usual[0]}; the "
            "samples of a batch must agree in both"
        )


def form_of(array: Array) -> SampleForm:
    """Return the form of a sample."""
    return array.dtype, array.ndim


def usual_form(
    column: TensorList, bad: Container[int]
) -> tuple[SampleForm | None, dict[int, SampleForm]]:
    """Return the form of most samples of a batch, and the other forms by their rows.

    Args:
        column: the samples.
        bad: rows that hold no sample.
    """
    sound = (row for row in range(len(column)) if row not in bad)
    rows = islice(sound, 1) if column.is_dense_tensor() else sound  # all are like the first one
    forms = {row: form_of(column.row(row)) for row in rows}
    if len(set(forms.values())) <= 1:
        return next(iter(forms.values()), None), {}
    ((usual, _),) = Counter(forms.values()).most_common(1)  # of several, the first one
    return usual, {row: form for row, form in forms.items() if form != usual}
