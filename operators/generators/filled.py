"""Batches filled with one value: `zeros`, `ones`, `full`, and their variants `..._like`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import DType
from ...engine.errors import ArgumentError
from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, BatchOperator, Operator, SampleOperator, register
from ...engine.graph.params import DTYPE, INTS, LAYOUT, param
from ...engine.graph.rules import BatchRules, Input
from ...engine.tensors import TensorList, TensorListCPU, TensorListGPU
from ...engine.tensors.dtypes import INT32, to_numpy_type
from ..common.number_arguments import check_numbers
from ..elementwise.gpu_expression import filled
from ..random.random_numbers import wanted_shapes


class _Shaped(Operator):
    """Base: a shape that may vary by sample, and a layout."""

    shape = param(
        INTS, None, "Shape of a sample's output; by default one number.", per_sample=True, minimum=0
    )
    layout = param(LAYOUT, "", "Layout of the output.")

    def output_layouts(self) -> tuple[str, ...]:
        return (self.layout,)

    def _check_layout(self, shape: tuple[int, ...]) -> None:
        if self.layout and len(self.layout) != len(shape):
            self.refuse(f"the layout {self.layout!r} does not describe the shape {shape}")


class _Number(_Shaped, BatchOperator):
    """Base of the operators that fill a shape with one number."""

    devices = ("cpu", "gpu")
    batches = BatchRules(sample_independent=True)
    dtype = param(DTYPE, INT32, "Dtype of the output.")
    _number: int

    def batch(self, batch: BatchContext, *, shape: Any) -> TensorListCPU:
        shapes, dtype = self._shapes(batch, shape), to_numpy_type(self.dtype)
        if len(set(shapes)) == 1:
            filled = batch.empty((batch.size, *shapes[0]), dtype)
            filled.fill(self._number)
            return TensorListCPU(filled, self.layout)
        return TensorListCPU(
            [np.full(extents, self._number, dtype) for extents in shapes], self.layout
        )

    def batch_gpu(self, batch: BatchContext, *, shape: object) -> TensorListGPU:
        extents = _extents(self._shapes(batch, shape), self.called)
        return _filled_with(batch, self._number, extents, to_numpy_type(self.dtype))

    def _shapes(self, batch: BatchContext, shape: object) -> list[tuple[int, ...]]:
        shapes = wanted_shapes(self, batch, None, shape)
        for extents in dict.fromkeys(shapes):
            self._check_layout(extents)
        return shapes


@register
class Zeros(_Number):
    """Returns zeros.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.zeros(shape=[2, 3]))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [[0 0 0]
     [0 0 0]]
    """

    name = "zeros"
    _number = 0


@register
class Ones(_Number):
    """Returns ones.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.ones(shape=[2, 3]))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [[1 1 1]
     [1 1 1]]
    """

    name = "ones"
    _number = 1


class _NumberLike(SampleOperator):
    devices = ("cpu", "gpu")
    inputs = (Input("data_like", device="any"),)
    dtype = param(DTYPE, None, "Dtype of the output; by default the dtype of the input.")
    _number: int

    def sample(self, workspace: Workspace, data_like: Array) -> Array:
        dtype = data_like.dtype if self.dtype is None else to_numpy_type(self.dtype)
        out = workspace.empty(data_like.shape, dtype)
        out.fill(self._number)
        return out

    def batch_gpu(self, batch: BatchContext, data_like: TensorList) -> TensorListGPU:
        dtype = to_numpy_type(data_like.dtype if self.dtype is None else self.dtype)
        extents = _extents(data_like.shape(), self.called)
        return _filled_with(batch, self._number, extents, dtype)


@register
class ZerosLike(_NumberLike):
    """Returns zeros with the shape, dtype and layout of the input.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.zeros_like([[1.5, 2.5]]))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [[0. 0.]]
    """

    name = "zeros_like"
    _number = 0


@register
class OnesLike(_NumberLike):
    """Returns ones with the shape, dtype and layout of the input.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.ones_like([[1.5, 2.5]]))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [[1. 1.]]
    """

    name = "ones_like"
    _number = 1


@register
class Full(_Shaped, SampleOperator):
    """Returns the input, broadcast to a shape by NumPy's rules, in the dtype of the input.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.full(5, shape=[2, 3]))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [[5 5 5]
     [5 5 5]]
    """

    name = "full"
    devices = ("cpu", "gpu")
    inputs = (Input("fill_value", device="any"),)

    def sample(self, workspace: Workspace, fill_value: Array, *, shape: Any) -> Array:
        check_numbers(self, {} if shape is None else {"shape": shape})
        wanted = fill_value.shape if shape is None else tuple(shape)
        self._check_layout(wanted)
        return _filled(workspace, fill_value, wanted, fill_value.dtype, self.called)

    def batch_gpu(
        self, batch: BatchContext, fill_value: TensorList, *, shape: object
    ) -> TensorListGPU:
        shapes = fill_value.shape() if shape is None else wanted_shapes(self, batch, None, shape)
        for extents in dict.fromkeys(shapes):
            self._check_layout(extents)
        return _filled_on_gpu(batch, fill_value, shapes, fill_value, self.called)


@register
class FullLike(SampleOperator):
    """Returns the second input with the shape, dtype and layout of the first input.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.full_like([[1, 2], [3, 4]], 7))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [[7 7]
     [7 7]]
    """

    name = "full_like"
    devices = ("cpu", "gpu")
    inputs = (Input("data_like", device="any"), Input("fill_value", device="any"))

    def sample(self, workspace: Workspace, data_like: Array, fill_value: Array) -> Array:
        return _filled(workspace, fill_value, data_like.shape, data_like.dtype, self.called)

    def batch_gpu(
        self, batch: BatchContext, data_like: TensorList, fill_value: TensorList
    ) -> TensorListGPU:
        return _filled_on_gpu(batch, fill_value, data_like.shape(), data_like, self.called)


def _filled(
    workspace: Workspace, value: Array, shape: tuple[int, ...], dtype: DType, owner: str
) -> Array:
    out = workspace.empty(shape, dtype)
    try:
        np.copyto(out, value, casting="unsafe")
    except ValueError:
        raise _misfit(value.shape, shape, owner) from None
    return out


def _misfit(value: tuple[int, ...], shape: tuple[int, ...], owner: str) -> ArgumentError:
    return ArgumentError(f"{owner}: a fill value of shape {value} cannot be broadcast to {shape}")


def _filled_on_gpu(
    batch: BatchContext,
    value: TensorList,
    shapes: Sequence[tuple[int, ...]],
    like: TensorList,
    owner: str,
) -> TensorListGPU:
    extents = _extents(shapes, owner)
    own = _extents(value.shape(), owner)
    both = max(own.shape[1], extents.shape[1])
    have, want = (
        np.pad(shape, ((0, 0), (both - shape.shape[1], 0)), constant_values=1)
        for shape in (own, extents)
    )
    for row in np.flatnonzero(((have != 1) & (have != want)).any(axis=1)).tolist():
        batch.fail_row(row, _misfit(value.shape()[row], shapes[row], owner))
        extents[row] = 0
    return filled(batch, value, extents, to_numpy_type(like.dtype))


def _filled_with(
    batch: BatchContext, number: int, extents: NDArray[np.int64], dtype: DType
) -> TensorListGPU:
    return filled(batch, TensorListCPU(np.full(batch.size, number, dtype)), extents, dtype)


def _extents(shapes: Sequence[tuple[int, ...]], owner: str) -> NDArray[np.int64]:
    """Return the shapes of a batch on the GPU as (batch, ndim); check the number of dimensions."""
    if len({len(shape) for shape in shapes}) > 1:
        raise ArgumentError(
            f"{owner}: the samples have the shapes {sorted(set(shapes))}, but all samples of a "
            "batch on the GPU must have the same number of dimensions"
        )
    return np.array(shapes, np.int64).reshape(len(shapes), len(shapes[0]))
