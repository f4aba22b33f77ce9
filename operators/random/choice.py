"""Random choice of elements: `random.choice`."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from ...engine import philox
from ...engine.errors import ArgumentError
from ...engine.operator import Array, register
from ...engine.params import FLOATS, INTS, param
from ...engine.tensors import TensorList, TensorListCPU, TensorListGPU
from .._uploaded import UploadedOperator
from .random_numbers import chunks, wanted_shapes

if TYPE_CHECKING:
    from ...engine.batch import Batch

_SUM_TOLERANCE = 1e-4  # probabilities come as float32, whose sums are off by rounding


@register
class Choice(UploadedOperator):
    """Draws elements of the first input, with replacement.

    A scalar n, which must be an integer, stands for the numbers from 0 to n - 1. Otherwise
    elements along the input's first dimension are drawn. The type is that of the input.

    Inputs:
        a: what is drawn from.
        shape_like: samples whose shape is that of the draw, in place of `shape`.

    Outputs:
        the elements: of the input's type, shape (*shape, *element).

    Raises:
        ArgumentError: there is nothing to choose from, or the probabilities do not fit.
    """

    name = "random.choice"
    inputs = ("a", "shape_like?")
    p = param(
        FLOATS,
        None,
        "Probability of each element; they must add up to 1. All equal by default.",
        per_sample=True,
    )
    shape = param(
        INTS,
        None,
        "How many elements are drawn, as a shape; by default one, and the output lacks the "
        "first dimension.",
        per_sample=True,
    )

    def prepare(self) -> None:
        if len(self.layouts) > 1 and "shape" in self.given:
            raise ArgumentError("fn.random.choice: give either shape or the input shape_like")

    def output_layouts(self) -> tuple[str, ...]:
        if len(self.layouts) > 1 or "shape" in self.per_sample:
            return ("",)
        drawn = len(self.shape or ())
        return (self.layouts[0][1:] if drawn == 0 else self.layouts[0] if drawn == 1 else "",)

    def batch(
        self,
        batch: Batch,
        a: TensorList,
        shape_like: TensorList | None = None,
        *,
        p: Any,
        shape: Any,
    ) -> TensorListCPU:
        if isinstance(a, TensorListGPU):
            raise ArgumentError(
                "fn.random.choice: what is drawn from must be on the CPU; move it with .cpu()"
            )
        shapes = wanted_shapes(batch, shape_like, shape)
        counts = [prod(wanted) for wanted in shapes]
        lengths = _lengths(a, batch.size)
        cumulated = _cumulated(p, lengths)
        rows: list[Array] = []
        for part in chunks(counts):
            numbers = philox.uniform(
                batch.seed, self.stream, batch.epoch[part], batch.position[part], max(counts)
            )
            for i, drawn in enumerate(numbers, part.start):
                drawn = drawn[: counts[i]]
                if cumulated is None:
                    index = (drawn * lengths[i]).astype(np.int64)
                else:
                    index = np.searchsorted(cumulated[i], drawn, side="right")
                source = a.row(i)
                picked = index.astype(source.dtype) if source.ndim == 0 else source[index]
                rows.append(picked.reshape(shapes[i] + source.shape[1:]))
        dense = len({(row.shape, row.dtype) for row in rows}) == 1
        return TensorListCPU(np.stack(rows) if dense else rows, self.output_layouts()[0])


def _lengths(a: TensorList, size: int) -> list[int]:
    lengths = []
    for i in range(size):
        source = a.row(i)
        if source.ndim == 0 and source.dtype.kind not in "iu":
            raise ArgumentError(
                f"fn.random.choice: a scalar must be an integer, not {source.dtype}; "
                "an array may hold any type"
            )
        lengths.append(len(source) if source.ndim else int(source))
        if lengths[-1] < 1:
            raise ArgumentError(
                f"fn.random.choice: there are {lengths[-1]} elements to choose from"
            )
    return lengths


def _cumulated(p: Any, lengths: list[int]) -> list[Array] | None:
    """Return the running sums of the probabilities, one array a sample."""
    if p is None:
        return None
    if isinstance(p, TensorList):
        return [_running_sum(p.row(i), length) for i, length in enumerate(lengths)]
    sums = {length: _running_sum(np.array(p), length) for length in set(lengths)}
    return [sums[length] for length in lengths]


def _running_sum(p: Array, length: int) -> Array:
    p = p.reshape(-1).astype(np.float64)
    if len(p) != length:
        raise ArgumentError(f"fn.random.choice: {len(p)} probabilities for {length} elements")
    if not (p >= 0).all() or not abs(p.sum() - 1) < _SUM_TOLERANCE:
        raise ArgumentError(
            f"fn.random.choice: probabilities must not be negative and add up to 1, but are {p}"
        )
    sums: Array = np.cumsum(p)
    sums /= sums[-1]
    return sums
