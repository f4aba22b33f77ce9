"""The same numbers in another shape: `reshape` and `reinterpret`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..engine.errors import ArgumentError
from ..engine.operator import Array, Row, SampleOperator, register
from ..engine.params import DTYPE, FLOATS, INTS, STR, param
from ..engine.types import to_numpy_type

Shape = tuple[int, ...]


class _Reshaping(SampleOperator):
    """What `reshape` and `reinterpret` share: how the shape of the output is found."""

    inputs = ("data", "shape_input?")
    shape = param(
        INTS,
        None,
        "Shape of the output. One extent may be negative: it is what the others leave.",
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
        STR,
        None,
        "Layout of the output; by default the input's, if the number of dimensions stays.",
    )

    def prepare(self) -> None:
        ways: list[str] = [name for name in ("shape", "rel_shape") if name in self.given]
        ways += ["shape_input"] if len(self.layouts) > 1 else []
        if len(ways) > 1:
            raise ArgumentError(f"fn.{self.name}: {' and '.join(ways)} exclude each other")
        if not ways and not self.given & {"src_dims", "layout", "dtype"}:
            raise ArgumentError(f"fn.{self.name}: say which shape or layout the output is to have")
        if "shape" in ways and "src_dims" in self.given:
            raise ArgumentError(
                f"fn.{self.name}: src_dims goes with rel_shape or alone, not with shape"
            )

    def output_layouts(self) -> tuple[str, ...]:
        if self.layout is not None:
            return (self.layout,)
        given = self.layouts[0]
        kept = len(given) == self._ndim(len(given))
        return (given if kept else "",)

    def _ndim(self, before: int) -> int | None:
        """Return the output's number of dimensions, None where samples decide it."""
        if len(self.layouts) > 1 or {"shape", "rel_shape", "src_dims"} & set(self.per_sample):
            return None
        for extents in (self.shape, self.rel_shape, self.src_dims):
            if extents is not None:
                return len(extents)
        return before

    def _target(
        self,
        data: Array,
        shape_input: Array | None,
        shape: Sequence[int] | None,
        rel_shape: Sequence[float] | None,
        src_dims: Sequence[int] | None,
    ) -> Shape:
        """Return the wanted shape, in which one extent may be -1."""
        if shape_input is not None:
            shape = shape_input.reshape(-1).tolist()
        if shape is None and rel_shape is None and src_dims is None:
            return data.shape
        extents: Sequence[float]
        if shape is not None:
            extents = shape
        else:
            extents = _source_extents(data.shape, src_dims)
            if rel_shape is not None:
                extents = _scaled(extents, rel_shape, src_dims is not None)
        target = tuple(-1 if extent < 0 else int(extent + 0.5) for extent in extents)
        if target.count(-1) > 1:
            raise ArgumentError(f"only one extent may be negative, but the shape is {target}")
        return target

    def _check_layout(self, result: Array) -> Array:
        if self.layout and len(self.layout) != result.ndim:
            raise ArgumentError(
                f"the layout {self.layout!r} has {len(self.layout)} letters, but the sample has "
                f"the shape {result.shape}"
            )
        return result


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


def _reshaped(data: Array, target: Shape) -> Array:
    try:
        return data.reshape(target)
    except ValueError:
        raise ArgumentError(
            f"a sample of shape {data.shape} has {data.size} elements, which do not fill the "
            f"shape {target}"
        ) from None


@register
class Reshape(_Reshaping):
    """Gives samples another shape, another layout, or both; the numbers stay in their order.

    `shape`, `rel_shape` and the input `shape_input` exclude each other. Where the number of
    dimensions is found sample by sample, the layout is empty unless it is given.

    Inputs:
        data: any samples.
        shape_input: the shape of the output, one number a dimension.

    Outputs:
        the same numbers: of the input's type, in the new shape.

    Raises:
        ArgumentError: the elements do not fill the shape, or the layout does not describe it.
    """

    name = "reshape"

    def sample(
        self,
        row: Row,
        data: Array,
        shape_input: Array | None = None,
        *,
        shape: Any,
        rel_shape: Any,
        src_dims: Any,
    ) -> Array:
        target = self._target(data, shape_input, shape, rel_shape, src_dims)
        return self._check_layout(_reshaped(data, target))


@register
class Reinterpret(_Reshaping):
    """Takes the bytes of samples for numbers of another type, and may give them another shape.

    Without a shape the last dimension grows or shrinks, so that the number of bytes stays.

    Inputs:
        data: any samples.
        shape_input: the shape of the output, one number a dimension.

    Outputs:
        the same bytes: of type `dtype`, in the new shape.

    Raises:
        ArgumentError: the bytes are no whole number of elements, or do not fill the shape.
    """

    name = "reinterpret"
    dtype = param(DTYPE, None, "Type of the output; by default the input's.")

    def sample(
        self,
        row: Row,
        data: Array,
        shape_input: Array | None = None,
        *,
        shape: Any,
        rel_shape: Any,
        src_dims: Any,
    ) -> Array:
        target = self._target(data, shape_input, shape, rel_shape, src_dims)
        if self.dtype is None:
            return self._check_layout(_reshaped(data, target))
        dtype = to_numpy_type(self.dtype)
        if shape_input is None and shape is None and rel_shape is None:
            target = _adjust_last(target, data.dtype, dtype)
        flat = np.ascontiguousarray(data).reshape(-1)
        if flat.nbytes % dtype.itemsize:
            raise ArgumentError(
                f"a sample of {flat.nbytes} bytes is no whole number of {dtype} values"
            )
        return self._check_layout(_reshaped(flat.view(dtype), target))


def _adjust_last(target: Shape, before: np.dtype[Any], after: np.dtype[Any]) -> Shape:
    if before.itemsize == after.itemsize:
        return target
    if not target or target[-1] * before.itemsize % after.itemsize:
        raise ArgumentError(
            f"the last dimension of a sample of shape {target} and type {before} is no whole "
            f"number of {after} values; give the shape of the output"
        )
    return (*target[:-1], target[-1] * before.itemsize // after.itemsize)
