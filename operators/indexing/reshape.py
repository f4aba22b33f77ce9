"""The same numbers in another shape: `reshape` and `reinterpret`."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ...engine.arrays import DType, Shape
from ...engine.errors import ArgumentError
from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import DTYPE, FLOATS, INTS, LAYOUT, param
from ...engine.graph.row_arguments import arguments_of_row
from ...engine.graph.rules import Input
from ...engine.tensors import TensorList, TensorListGPU
from ...engine.tensors.dtypes import to_numpy_type
from .same_memory import in_shapes


class _Reshaping(SampleOperator):
    """Base of `reshape` and `reinterpret`: the arguments that say the shape of the output."""

    inputs = ("data", Input("shape_input", optional=True, device="cpu"))
    shape = param(
        INTS,
        None,
        "Shape of the output. One extent may be negative: it follows from the others.",
        per_sample=True,
    )
    rel_shape = param(
        FLOATS,
        None,
        "Extents of the output relative to those of the input (or, with `src_dims`, of the "
        "dimensions named there), rounded to whole numbers. One may be negative.",
        per_sample=True,
    )
    src_dims = param(
        INTS,
        None,
        "Dimensions of the input whose extents the output has, in its order; -1 inserts "
        "an extent of 1.",
        per_sample=True,
    )
    layout = param(
        LAYOUT,
        None,
        "Layout of the output; by default the input's, if the number of dimensions stays.",
    )

    def prepare(self) -> None:
        ways: list[str] = [name for name in ("shape", "rel_shape") if name in self.given]
        ways += ["shape_input"] if len(self.layouts) > 1 else []
        if len(ways) > 1:
            self.refuse(f"{' and '.join(ways)} exclude each other")
        if not ways and not self.given & {"src_dims", "layout", "dtype"}:
            self.refuse("give the shape or the layout of the output")
        if "shape" in ways and "src_dims" in self.given:
            self.refuse("src_dims goes with rel_shape or alone, not with shape")

        given = self.layouts[0]
        if given and self.layout is None and self._ndim(len(given)) is None:
            self.assumed_layouts = {len(given): given}
        for name in {"shape", "rel_shape"} & self.given - set(self.per_sample):
            extents = getattr(self, name)
            if sum(extent < 0 for extent in extents) > 1:
                self.refuse(f"only one extent may be negative, but {name} is {extents}")

    def output_layouts(self) -> tuple[str, ...]:
        if self.layout is not None:
            return (self.layout,)
        given = self.layouts[0]
        kept = len(given) == self._ndim(len(given))
        return (given if kept else "",)

    def _ndim(self, before: int) -> int | None:
        """Return the output's number of dimensions, None where it differs among samples."""
        if len(self.layouts) > 1 or {"shape", "rel_shape", "src_dims"} & set(self.per_sample):
            return None
        for extents in (self.shape, self.rel_shape, self.src_dims):
            if extents is not None:
                return len(extents)
        return before

    def _target(
        self,
        before: Shape,
        shape_input: Array | None,
        shape: Sequence[int] | None,
        rel_shape: Sequence[float] | None,
        src_dims: Sequence[int] | None,
    ) -> Shape:
        """Return the wanted shape, in which one extent may be -1."""
        if shape_input is not None:
            shape = shape_input.reshape(-1).tolist()
        if shape is None and rel_shape is None and src_dims is None:
            return before
        extents: Sequence[float]
        if shape is not None:
            extents = shape
        else:
            extents = _source_extents(before, src_dims)
            if rel_shape is not None:
                extents = _scaled(extents, rel_shape, src_dims is not None)
        target = tuple(-1 if extent < 0 else int(extent + 0.5) for extent in extents)
        if target.count(-1) > 1:
            raise ArgumentError(f"only one extent may be negative, but the shape is {target}")
        return target

    def _checked(self, result: Shape) -> Shape:
        if self.layout and len(self.layout) != len(result):
            raise ArgumentError(
                f"the layout {self.layout!r} has {len(self.layout)} letters, but the sample has "
                f"the shape {result}"
            )
        return result

    def _shape(
        self, before: Shape, dtype: DType, shape_input: Array | None, **arguments: Any
    ) -> Shape:
        """Return the shape of the output of a sample of the shape `before` and type `dtype`."""
        target = self._target(before, shape_input, **arguments)
        return self._checked(_resolved(target, before, prod(before)))

    def _dtype(self, dtype: DType) -> DType:
        """Return the type of the output, from that of the input."""
        return dtype

    def batch_gpu(
        self,
        batch: BatchContext,
        data: TensorListGPU,
        *shape_input: TensorList,
        **arguments: object,
    ) -> TensorListGPU:
        dtype = to_numpy_type(data.dtype)

        def shape_of(i: int, shape: Shape) -> Shape:
            wanted = shape_input[0].row(i) if shape_input else None
            return self._shape(shape, dtype, wanted, **arguments_of_row(self, arguments, i))

        varies = any(isinstance(value, TensorList) for value in arguments.values())
        alike = not (varies or shape_input)
        return in_shapes(batch, data, shape_of, alike=alike, dtype=self._dtype(dtype))


def _source_extents(shape: Shape, src_dims: Sequence[int] | None) -> Sequence[int]:
    if src_dims is None:
        return shape
    for dim in src_dims:
        if not -1 <= dim < len(shape):
            raise ArgumentError(
                f"src_dims holds {dim}; a sample of shape {shape} has the dimensions 0 to "
                f"{len(shape) - 1}, and -1 inserts one"
            )
    return [1 if dim == -1 else shape[dim] for dim in src_dims]


def _scaled(extents: Sequence[int], factors: Sequence[float], mapped: bool) -> list[float]:
    surplus = len(factors) - len(extents)
    adds_last = surplus == 1 and factors[-1] < 0 and not mapped
    if (surplus > 0 and not adds_last) or (mapped and surplus):
        raise ArgumentError(
            f"rel_shape has {len(factors)} elements for {len(extents)} dimensions"
            + ("" if mapped else "; use src_dims to insert dimensions")
        )
    padded = [*extents, 1]
    return [
        -1.0 if factor < 0 else factor * extent
        for factor, extent in zip(factors, padded, strict=False)
    ]


def _resolved(target: Shape, before: Shape, elements: int) -> Shape:
    """Return the shape of this number of elements, with the extent that is left open."""
    rest = prod(extent for extent in target if extent != -1)
    if -1 in target and rest and elements % rest == 0:
        target = tuple(elements // rest if extent == -1 else extent for extent in target)
    if -1 in target or prod(target) != elements:
        raise ArgumentError(
            f"a sample of shape {before} has {elements} elements, which do not fill the shape "
            f"{target}"
        )
    return target


@register
class Reshape(_Reshaping):
    """Gives samples another shape, another layout, or both; the numbers stay in their order.

    `shape`, `rel_shape` and the input `shape_input` exclude each other. Where the number of
    dimensions may differ among samples, the layout is empty unless it is given.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.reshape([1, 2, 3, 4, 5, 6], shape=[2, -1]))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [[1 2 3]
     [4 5 6]]

    Inputs:
        data: any samples.
        shape_input: the shape of the output, one number a dimension.

    Outputs:
        the same numbers: of the input's type, in the new shape.

    Raises:
        ArgumentError: the elements do not fill the shape, or the layout does not describe it.
    """

    name = "reshape"
    devices = ("cpu", "gpu")

    def sample(
        self,
        workspace: Workspace,
        data: Array,
        shape_input: Array | None = None,
        **arguments: object,
    ) -> Array:
        return data.reshape(self._shape(data.shape, data.dtype, shape_input, **arguments))


@register
class Reinterpret(_Reshaping):
    """Takes the bytes of samples for numbers of another type, and may give them another shape.

    Without a shape the last dimension grows or shrinks, so that the number of bytes stays.

    >>> import numpy as np
    >>> from penstock import Pipeline, fn, types
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.reinterpret(np.uint8([1, 0, 0, 1]), dtype=types.UINT16))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [  1 256]

    Inputs:
        data: any samples.
        shape_input: the shape of the output, one number a dimension.

    Outputs:
        the same bytes: of type `dtype`, in the new shape.

    Raises:
        ArgumentError: the bytes are no whole number of elements, or do not fill the shape.
    """

    name = "reinterpret"
    devices = ("cpu", "gpu")
    dtype = param(DTYPE, None, "Type of the output; by default the input's.")

    def sample(
        self,
        workspace: Workspace,
        data: Array,
        shape_input: Array | None = None,
        **arguments: object,
    ) -> Array:
        shape = self._shape(data.shape, data.dtype, shape_input, **arguments)
        flat = np.ascontiguousarray(data).reshape(-1)
        return flat.view(self._dtype(data.dtype)).reshape(shape)

    def _dtype(self, dtype: DType) -> DType:
        return dtype if self.dtype is None else to_numpy_type(self.dtype)

    def _shape(
        self, before: Shape, dtype: DType, shape_input: Array | None, **arguments: Any
    ) -> Shape:
        after = self._dtype(dtype)
        target = self._target(before, shape_input, **arguments)
        given = shape_input is not None or {"shape", "rel_shape"} & self.given
        if not given and self.dtype is not None:
            target = _adjust_last(target, dtype, after)
        size = prod(before) * dtype.itemsize
        if size % after.itemsize:
            raise ArgumentError(f"a sample of {size} bytes is no whole number of {after} values")
        return self._checked(_resolved(target, before, size // after.itemsize))


def _adjust_last(target: Shape, before: DType, after: DType) -> Shape:
    if before.itemsize == after.itemsize:
        return target
    if not target or target[-1] * before.itemsize % after.itemsize:
        raise ArgumentError(
            f"the last dimension of a sample of shape {target} and type {before} is no whole "
            f"number of {after} values; give the shape of the output"
        )
    return (*target[:-1], target[-1] * before.itemsize // after.itemsize)
