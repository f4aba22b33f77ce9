"""The form of samples, in which the samples of a batch must agree: dtype and dimensions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Mapping
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine.errors import DecodeError
from ..engine.tensors import TensorList

SampleForm = tuple[np.dtype[Any], int]
"""Dtype and number of dimensions of a sample."""


def form_of(array: NDArray[Any]) -> SampleForm:
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


def enter_other_forms(
    errors: dict[int, BaseException],
    usual: SampleForm | None,
    others: Mapping[int, SampleForm],
    where: Callable[[int], str],
) -> None:
    """Enter the errors of samples that have another form than most of their batch.

    Args:
        errors: of the batch, by row.
        usual, others: what `usual_form` has returned.
        where: returns the location of the sample in a row.
    """
    for row, own in others.items():
        assert usual is not None
        errors[row] = other_form(where(row), own, usual)


def check_form(sample: NDArray[Any], usual: SampleForm | None, where: Callable[[], str]) -> None:
    """Raise DecodeError for a sample that has another form than most of its batch, if known."""
    if usual is not None and form_of(sample) != usual:
        raise other_form(where(), form_of(sample), usual)


def other_form(where: str, own: SampleForm, usual: SampleForm) -> DecodeError:
    """Return the error of a sample that has another form than most of its batch."""
    return DecodeError(
        f"{where}: the sample has {own[1]} dimensions and the type {own[0]}, where most of its "
        f"batch have {usual[1]} and {usual[0]}; the samples of a batch must agree in both"
    )
