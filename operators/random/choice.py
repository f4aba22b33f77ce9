"""Random choice of elements: `random.choice`."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ...engine.graph.context import BatchContext
from ...engine.graph.operator import Array, Operator, register
from ...engine.graph.params import FLOATS, INTS, param
from ...engine.graph.rules import BatchRules, Input
from ...engine.order import philox
from ...engine.tensors import TensorList, TensorListCPU
from ..common.whole_batches import UploadedOperator
from .random_numbers import chunks, wanted_shapes

_SUM_TOLERANCE = 1e-4  # probabilities may be float32, and their sum has rounding errors


@register
class Choice(UploadedOperator):
    """Draws elements of the first input, with replacement.

    A scalar input n, which must be an integer, means the numbers from 0 to n - 1. For other
    inputs, the elements are the entries along the first dimension.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=4, num_threads=1, seed=1) as pipe:
    ...     pipe.set_outputs(fn.random.choice(5, p=[0.1, 0.2, 0.4, 0.2, 0.1]))
    ...     (result,) = pipe.run()
    ...     print(result.as_array().tolist())
    [2, 0, 1, 2]

    Inputs:
        a: the elements to draw from.
        shape_like: samples with the shape of the draw, instead of `shape`.

    Outputs:
        the elements: of the input's dtype, shape (*shape, *element).

    Raises:
        ArgumentError: there is no element, or the probabilities do not match the elements.
    """

    name = "random.choice"
    is_random = True
    batches = BatchRules(sample_independent=True)
    inputs = (Input("a", device="cpu"), Input("shape_like", optional=True, device="any"))
    p = param(
        FLOATS,
        None,
        "Probability of each element; they must add up to 1. All equal by default.",
        per_sample=True,
        minimum=0,
        maximum=1,
    )
    shape = param(
        INTS,
        None,
        "Shape of the draw. By default one element is drawn, and the output lacks the first "
        "dimension.",
        per_sample=True,
        minimum=0,
    )

    def prepare(self) -> None:
        if len(self.layouts) > 1 and "shape" in self.given:
            self.refuse("give either shape or the input shape_like")

    def output_layouts(self) -> tuple[str, ...]:
        if len(self.layouts) > 1 or "shape" in self.per_sample:
            return ("",)
        drawn = len(self.shape or ())
        return (self.layouts[0][1:] if drawn == 0 else self.layouts[0] if drawn == 1 else "",)

    def batch(
        self,
        batch: BatchContext,
        a: TensorList,
        shape_like: TensorList | None = None,
        *,
        p: Any,
        shape: Any,
    ) -> TensorListCPU:
        shapes = wanted_shapes(self, batch, shape_like, shape)
        counts = [prod(wanted) for wanted in shapes]
        lengths = _lengths(self, a, batch.size)
        cumulated = _cumulated(self, p, lengths)
        rows: list[Array] = []
        for chunk in chunks(counts):
            numbers = philox.uniform(
                self.placement.random_key, batch.epoch[chunk], batch.position[chunk], max(counts)
            )
            for i, drawn in enumerate(numbers, chunk.start):
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


def _lengths(operator: Operator, a: TensorList, size: int) -> list[int]:
    lengths = []
    for i in range(size):
        source = a.row(i)
        if source.ndim == 0 and source.dtype.kind not in "iu":
            operator.refuse(
                f"a scalar must be an integer, not {source.dtype}; an array may hold any type"
            )
        lengths.append(len(source) if source.ndim else int(source))
        if lengths[-1] < 1:
            operator.refuse(f"there are {lengths[-1]} elements to choose from")
    return lengths


def _cumulated(operator: Operator, p: object, lengths: list[int]) -> list[Array] | None:
    """Return the running sums of the probabilities, one array a sample."""
    if p is None:
        return None
    if isinstance(p, TensorList):
        return [_running_sum(operator, p.row(i), length) for i, length in enumerate(lengths)]
    sums = {length: _running_sum(operator, np.array(p), length) for length in set(lengths)}
    return [sums[length] for length in lengths]


def _running_sum(operator: Operator, p: Array, length: int) -> Array:
    p = p.reshape(-1).astype(np.float64)
    if len(p) != length:
        operator.refuse(f"{len(p)} probabilities for {length} elements")
    if not (p >= 0).all() or not abs(p.sum() - 1) < _SUM_TOLERANCE:
        operator.refuse(
            f"the probabilities are {p}, but probabilities must not be negative and must add up "
            "to 1"
        )
    sums: Array = np.cumsum(p)
    sums /= sums[-1]
    return sums
