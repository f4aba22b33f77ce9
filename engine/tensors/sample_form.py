"""The form in which the samples of a batch agree: dtype and number of dimensions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from ..errors import DecodeError
from .tensor_base import TensorList


class SampleForm(NamedTuple):
    """Form of a sample.

    Attributes:
        dtype: dtype of its elements.
        ndim: number of its dimensions.
    """

    dtype: np.dtype[Any]
    ndim: int

    @classmethod
    def of(cls, sample: Any) -> SampleForm:
        """Return the form of a sample on the host or on a device."""
        return cls(sample.dtype, sample.ndim)

    def refusal(self, where: str, usual: SampleForm) -> DecodeError:
        """Return the error of a sample of this form.

        Args:
            where: location of the sample.
            usual: form of most samples of its batch.
        """
        return DecodeError(
            f"{where}: the sample has {self.ndim} dimensions and the type {self.dtype}, where most "
            f"of its batch have {usual.ndim} and {usual.dtype}; the samples of a batch must agree "
            "in both"
        )


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
    forms = {row: SampleForm.of(column.row(row)) for row in rows}
    if len(set(forms.values())) <= 1:
        return next(iter(forms.values()), None), {}
    ((usual, _),) = Counter(forms.values()).most_common(1)  # of several, the first one
    return usual, {row: form for row, form in forms.items() if form != usual}
