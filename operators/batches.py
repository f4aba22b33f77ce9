"""Samples of a batch put in another order, also a random one, and batches of constants."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from ..engine import philox
from ..engine.errors import ArgumentError
from ..engine.operator import Array, BatchOperator, register
from ..engine.params import BOOL, DTYPE, FLOATS, INTS, REQUIRED, STR, param
from ..engine.tensors import TensorList, TensorListCPU, TensorListGPU
from ..engine.types import FLOAT, INT32, to_numpy_type
from ._uploaded import UploadedOperator
from .moving.moves import copied
from .moving.strided import Views
from .numeric.expression import filled
from .numeric.saturation import saturated

if TYPE_CHECKING:
    from ..engine.batch import Batch

_ATTEMPTS = 64
"""A random order has no fixed point more than once in three times, so some attempt succeeds."""


@register
class PermuteBatch(BatchOperator):
    """Returns a batch in which sample i is the input's sample `indices[i]`.

    Samples may be repeated and left out.

    Inputs:
        data: any samples.

    Outputs:
        the chosen samples: of the input's type and layout.

    Raises:
        ArgumentError: there are not as many indices as samples, or one lies outside of the batch.
    """

    name = "permute_batch"
    devices = ("cpu", "gpu")
    inputs = ("data",)
    indices = param(
        INTS,
        REQUIRED,
        "One index a sample: a sequence as long as the batch, or a node of scalars.",
        per_sample=True,
    )

    def batch(self, batch: Batch, data: TensorList, *, indices: Any) -> TensorListCPU:
        chosen = self._chosen(batch, indices)
        layout = self.output_layouts()[0]
        if data.is_dense_tensor():
            source = data.dense()
            out = batch.empty(source.shape, source.dtype)
            return TensorListCPU(np.take(source, chosen, 0, out), layout)
        return TensorListCPU([data.row(index) for index in chosen], layout)

    def gpu(self, batch: Batch, data: TensorListGPU, *, indices: Any) -> TensorListGPU:
        return copied(batch, Views.of(data).rows(self._chosen(batch, indices)))

    def _chosen(self, batch: Batch, indices: Any) -> Array:
        if isinstance(indices, TensorList):
            if any(shape != () for shape in indices.shape()):
                raise ArgumentError(
                    f"indices must be scalars, but have the shapes {set(indices.shape())}"
                )
            indices = [int(indices.row(i)) for i in range(len(indices))]
        if len(indices) != batch.size:
            raise ArgumentError(
                f"{len(indices)} indices were given for a batch of {batch.size} samples"
            )
        for index in indices:
            if not 0 <= index < batch.size:
                raise ArgumentError(f"there is no sample {index} in a batch of {batch.size}")
        return np.array(indices, np.intp)


@register
class BatchPermutation(UploadedOperator):
    """Draws, for each sample, the index of a sample: what `permute_batch` takes as `indices`."""

    name = "batch_permutation"
    allow_repetitions = param(
        BOOL, False, "Draw every index alone, so that some may come twice and others never."
    )
    no_fixed_points = param(
        BOOL, False, "Give no sample its own index. Without effect on a batch of one sample."
    )

    def batch(self, batch: Batch) -> Array:
        if self.allow_repetitions:
            return self._alone(batch)
        own = np.arange(batch.size, dtype=np.int32)
        avoid = self.no_fixed_points and batch.size > 1
        keys = self._uniform(batch, _ATTEMPTS if avoid else 1)
        for column in keys.T:
            order = np.argsort(column, kind="stable").astype(np.int32)
            if not (avoid and (order == own).any()):
                return order
        return np.roll(own, 1)

    def _alone(self, batch: Batch) -> Array:
        numbers = self._uniform(batch, 1)[:, 0]
        if not self.no_fixed_points or batch.size == 1:
            return (numbers * batch.size).astype(np.int32)
        steps = 1 + (numbers * (batch.size - 1)).astype(np.int32)
        return ((np.arange(batch.size) + steps) % batch.size).astype(np.int32)

    def _uniform(self, batch: Batch, count: int) -> Array:
        return philox.uniform(batch.seed, self.stream, batch.epoch, batch.position, count)


@register
class ConstantData(BatchOperator):
    """Returns the same numbers for every sample.

    A single number fills the whole shape. Without a shape the output is one-dimensional.

    Outputs:
        the numbers: of the type, shape and layout that the arguments say.

    Raises:
        ArgumentError: the numbers do not fill the shape, or the layout does not describe it.
    """

    name = "constant"
    devices = ("cpu", "gpu")
    idata = param(INTS, None, "Integers; excludes `fdata`.")
    fdata = param(FLOATS, None, "Floating point numbers; excludes `idata`.")
    shape = param(INTS, None, "Shape of the output.")
    dtype = param(DTYPE, None, "Type of the output: by default int32 or float32.")
    layout = param(STR, "", "Layout of the output.")

    def prepare(self) -> None:
        if len(self.given & {"idata", "fdata"}) != 1:
            raise ArgumentError("fn.constant: give either idata or fdata")
        integers = self.idata is not None
        numbers = np.array(self.idata if integers else self.fdata)
        shape = numbers.shape if self.shape is None else self.shape
        if numbers.size not in (1, prod(shape)):
            raise ArgumentError(
                f"fn.constant: {numbers.size} numbers do not fill the shape {shape}"
            )
        if self.layout and len(self.layout) != len(shape):
            raise ArgumentError(
                f"fn.constant: the layout {self.layout!r} does not describe the shape {shape}"
            )
        default = INT32 if integers else FLOAT
        numbers = saturated(numbers, to_numpy_type(default if self.dtype is None else self.dtype))
        filled = numbers.reshape(() if numbers.size == 1 else shape)
        self._value: Array = np.broadcast_to(filled, shape)

    def output_layouts(self) -> tuple[str, ...]:
        return (self.layout,)

    def batch(self, batch: Batch) -> Array:
        return np.broadcast_to(self._value, (batch.size, *self._value.shape))

    def gpu(self, batch: Batch) -> TensorListGPU:
        shapes = np.broadcast_to(
            np.array(self._value.shape, np.int64), (batch.size, self._value.ndim)
        )
        return filled(batch, TensorListCPU(self.batch(batch)), shapes, self._value.dtype)
