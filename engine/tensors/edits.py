"""Changes of tensors and batches in place; the elements stay where they are."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import ArgumentError
from .dtypes import to_numpy_type


def fitting_layout(layout: str | None, ndim: int) -> str:
    """Return a layout that names so many dimensions; "" for None.

    Raises:
        ArgumentError: the number of letters is another.
    """
    if layout and len(layout) != ndim and not layout.endswith("*"):
        raise ArgumentError(
            f"the layout {str(layout)!r} has {len(layout)} letters, but there are {ndim} "
            "dimensions; give one letter for each dimension"
        )
    return str(layout or "")


def reinterpreted(array: Any, new_type: Any) -> Any:
    """Return the bytes of an array as elements of another type of the same size."""
    return array.view(same_size(array.dtype, new_type))


def same_size(present: np.dtype[Any], new_type: Any) -> np.dtype[Any]:
    """Return another type of elements as a dtype.

    Raises:
        ArgumentError: its elements have another size.
    """
    dtype = to_numpy_type(new_type)
    if dtype.itemsize != present.itemsize:
        raise ArgumentError(
            f"elements of {present} cannot be taken for elements of {dtype}, which have a "
            f"different size: {dtype.itemsize} bytes for {present.itemsize}"
        )
    return dtype
