"""The argument `dtype`, and conversion that cuts fractions off."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from ...engine.arrays import Array, DType
from ...engine.tensors.dtypes import DALIDataType, to_numpy_type
from .saturation import saturate


class HasDtype(Protocol):
    """An operator with the argument `dtype`."""

    @property
    def dtype(self) -> DALIDataType | None:
        """The argument."""


def target_type(operator: HasDtype) -> DType | None:
    """Return the dtype that the argument `dtype` names; None where it is not given."""
    return None if operator.dtype is None else to_numpy_type(operator.dtype)


def cut_off(source: Array, out: Array) -> None:
    """Convert the numbers in `source` into `out`, which has the same shape.

    In integers, fractions are cut off. Numbers out of the range of the dtype of `out` become the
    nearest number in it, which is finite in floats, too.
    """
    if source.dtype.kind == "f" and out.dtype.kind in "iu":
        source = np.trunc(source)
    elif out.dtype.kind == "f" and source.dtype.kind in "iuf":
        limit = float(np.finfo(out.dtype).max)
        have: Any = np.finfo(source.dtype) if source.dtype.kind == "f" else np.iinfo(source.dtype)
        if float(have.max) > limit:
            source = source.astype(np.float64).clip(-limit, limit)
    saturate(source, out)
