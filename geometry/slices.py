"""The arguments of a slice, which `fn.slice` and `fn.decoders.image_slice` share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine.errors import ArgumentError
from ..engine.graph.context import RowsContext
from ..engine.graph.operator import Array, Operator
from ..engine.graph.params import BOOL, FLOATS, INTS, STR, param
from ..engine.graph.row_arguments import arguments_of_row, array_of
from ..engine.tensors import TensorList
from .layouts import VIDEO_LAYOUTS, check_exclusive, chosen_axes, per_axis
from .rounding import round_all_away, round_away
from .windows import Window, WindowBatch, windows_of_batch

Column = Any
"""A number; where a whole batch is computed at once, an array (samples,) of numbers. The sums and
products are the same."""

Values = Sequence[Column] | None
"""An entry an axis."""

Range = tuple[Sequence[Column], Sequence[Column]]


class SliceArguments(Operator):
    """Base of the operators with the arguments of a slice."""

    axes = param(
        INTS,
        (1, 0),
        "The axes that the values are for, in their order; all axes if it is empty.",
        per_sample=True,
    )
    axis_names = param(
        STR,
        None,
        'The axes, as letters of the layout: "WH" by default, if `axes` is not given. Samples '
        "without a layout count as HW, HWC, FHWC or FDHWC.",
    )
    start = param(INTS, None, "First element.", per_sample=True)
    end = param(INTS, None, "The element after the last.", per_sample=True)
    shape = param(INTS, None, "Number of elements.", per_sample=True)
    rel_start = param(FLOATS, None, "Start, in fractions of the extent.", per_sample=True)
    rel_end = param(FLOATS, None, "End, in fractions of the extent.", per_sample=True)
    rel_shape = param(FLOATS, None, "Shape, in fractions of the extent.", per_sample=True)
    normalized_anchor = param(
        BOOL, True, "Whether an input `anchor` of floats is in fractions of the extent."
    )
    normalized_shape = param(
        BOOL, True, "Whether an input `shape_input` of floats is in fractions of the extent."
    )

    def prepare(self) -> None:
        super().prepare()
        owner = self.called
        check_exclusive(owner, self.given, "axes", "axis_names")
        check_exclusive(owner, self.given, "start", "rel_start")
        check_exclusive(owner, self.given, "end", "rel_end", "shape", "rel_shape")
        named = self.given & {"start", "rel_start", "end", "rel_end", "shape", "rel_shape"}
        if bool(named) == (len(self.layouts) > 1) or len(self.layouts) == 2:
            raise ArgumentError(
                f"{owner} was given {len(self.layouts)} inputs and {sorted(named) or 'no'} named "
                "arguments; give either start, end or shape by name, or both the inputs anchor "
                "and shape"
            )
        if "axes" not in self.given and self.axis_names is None:
            self.axis_names = "WH"

    def window(
        self,
        layout: str,
        sample_shape: tuple[int, ...],
        anchor: Array | None = None,
        shape_input: Array | None = None,
        *,
        axes: Sequence[int],
        **named: Values,
    ) -> Window:
        """Return the window of a sample that the arguments describe."""
        chosen = self._chosen(layout, len(sample_shape), axes)
        extents = [sample_shape[axis] for axis in chosen]
        if anchor is not None and shape_input is not None:
            first, last = self._from_arrays(anchor, shape_input, extents)
        else:
            first, last = from_arguments(extents, **named)
        return _on_axes(sample_shape, chosen, first, last)

    def windows(
        self,
        batch: RowsContext,
        layout: str,
        extents: NDArray[np.int64],
        *ends: TensorList,
        axes: Any,
        **named: Any,
    ) -> WindowBatch:
        """Return the windows of a batch; errors of rows go to the batch.

        Args:
            batch: the batch.
            layout: layout of the samples.
            extents: shapes of the samples: (batch, ndim).
            ends: the inputs anchor and shape, if they were given.
            axes, named: the arguments of `window`; each may be a `TensorList`.
        """

        def together() -> tuple[WindowBatch, NDArray[np.bool_]]:
            if isinstance(axes, TensorList):
                raise ValueError("samples differ in their axes")
            chosen = self._chosen(layout, extents.shape[1], axes)
            sizes = extents[:, chosen]
            if ends:
                first, last = self._from_batches(ends, sizes)
            else:
                columns = {name: self._columns(name, named[name], sizes) for name in named}
                first, last = from_arguments(list(sizes.T), **columns)
            return slice_windows(extents, chosen, *_tables(sizes.shape, first, last))

        def alone(i: int) -> Window:
            arguments = arguments_of_row(self, {"axes": axes, **named}, i)
            shape = tuple(extents[i].tolist())
            return self.window(layout, shape, *(end.row(i) for end in ends), **arguments)

        return windows_of_batch(batch, extents, together, alone)

    def _columns(self, name: str, value: Any, sizes: Array) -> Values:
        """Return an argument of all samples as a column (batch,) an axis, or None."""
        if value is None:
            return None
        values = array_of(self, name, value, len(sizes))
        return list(np.broadcast_to(values, sizes.shape).T) if values.shape[1] else None

    def _from_batches(self, ends: Sequence[TensorList], sizes: Array) -> Range:
        anchor, shape = (np.asarray(end.dense()).reshape(len(sizes), -1) for end in ends)
        floats = anchor.dtype.kind == "f"
        if floats != (shape.dtype.kind == "f") or {anchor.shape, shape.shape} != {sizes.shape}:
            raise ValueError("the inputs do not fit")
        columns = (list(values.astype(np.float64).T) for values in (anchor, shape, sizes))
        return self._from_inputs(*columns, floats=floats)

    def _chosen(self, layout: str, ndim: int, axes: Sequence[int]) -> tuple[int, ...]:
        """Return the axes that are sliced, of samples with `ndim` dimensions.

        Samples without a layout count as images, videos or volumes with channels last.
        """
        if self.axis_names is None:
            return chosen_axes("", ndim, axes, None) or tuple(range(ndim))
        return chosen_axes(layout or VIDEO_LAYOUTS.get(ndim, ""), ndim, None, self.axis_names)

    def _from_arrays(self, anchor: Array, shape: Array, extents: Sequence[int]) -> Range:
        if (anchor.dtype.kind == "f") != (shape.dtype.kind == "f"):
            raise ArgumentError(
                f"the inputs anchor ({anchor.dtype}) and shape ({shape.dtype}) must both be "
                "integers or both be floats; convert one with fn.cast"
            )
        if anchor.size != len(extents) or shape.size != len(extents):
            raise ArgumentError(
                f"the inputs anchor and shape have {anchor.size} and {shape.size} values, but the "
                f"slice is along {len(extents)} axes; give one value for each"
            )
        values = anchor.reshape(-1).tolist(), shape.reshape(-1).tolist()
        return self._from_inputs(*values, extents, floats=anchor.dtype.kind == "f")

    def _from_inputs(
        self,
        anchor: Sequence[Column],
        shape: Sequence[Column],
        extents: Sequence[Column],
        *,
        floats: bool,
    ) -> Range:
        """Return where the slice starts and ends on each axis, not yet rounded.

        Args:
            anchor, shape: values of the inputs; one number an axis, or one column of a batch.
            extents: extents of the samples, in the same form.
            floats: whether the inputs are floats, which may be fractions of the extents.
        """
        if floats and self.normalized_anchor:
            anchor = [start * extent for start, extent in zip(anchor, extents, strict=True)]
        if floats and self.normalized_shape:
            shape = [size * extent for size, extent in zip(shape, extents, strict=True)]
        return anchor, _sums(anchor, shape)


def _tables(shape: tuple[int, ...], *ends: Sequence[Column]) -> list[Array]:
    """Return starts and ends, a column an axis, as arrays of this shape, (batch, axes)."""
    tables = []
    for columns in ends:
        table = np.empty(shape)
        for axis, column in enumerate(columns):
            table[:, axis] = column
        tables.append(table)
    return tables


def slice_windows(
    shapes: Array, axes: Sequence[int], first: Array, last: Array
) -> tuple[WindowBatch, NDArray[np.bool_]]:
    """Return the windows of a batch's slices, and for which samples `SliceArguments` raises.

    Args:
        shapes: shapes of the samples: (batch, ndim).
        axes: the axes that are sliced.
        first, last: starts and ends of the slices, not yet rounded: (batch, axes).
    """
    start, shape = np.zeros_like(shapes), shapes.copy()
    usable = (last >= first) & np.isfinite(first) & np.isfinite(last)
    wrong: NDArray[np.bool_] = np.any(~usable, axis=1)
    right = ~wrong[:, None]
    rounded = round_all_away(np.where(right, first, 0))
    start[:, axes] = rounded
    shape[:, axes] = round_all_away(np.where(right, last, 0)) - rounded
    return WindowBatch(start, shape), wrong


def from_arguments(
    extents: Sequence[Column],
    *,
    start: Values = None,
    end: Values = None,
    shape: Values = None,
    rel_start: Values = None,
    rel_end: Values = None,
    rel_shape: Values = None,
) -> Range:
    """Return where the slice starts and ends on each axis, not yet rounded.

    Each value is one number an axis; in batches, one column (batch,) an axis. Fractions are
    float32. Each operation has the precision that it has in NVIDIA DALI, which decides in which
    direction halves are rounded.
    """
    count = len(extents)
    first: Sequence[float] = (0,) * count
    if start:
        first = per_axis("start", start, count)
    elif rel_start:
        first = _fractions("rel_start", rel_start, extents)
    if end:
        return first, per_axis("end", end, count)
    if rel_end:
        return first, _fractions("rel_end", rel_end, extents)
    if shape:
        return first, _sums(first, per_axis("shape", shape, count))
    if rel_shape and rel_start:
        a, b = per_axis("rel_start", rel_start, count), per_axis("rel_shape", rel_shape, count)
        both = _sums([np.float64(np.float32(x)) for x in a], [np.float64(np.float32(x)) for x in b])
        return first, [end * extent for end, extent in zip(both, extents, strict=True)]
    if rel_shape:
        return first, _sums(first, _fractions("rel_shape", rel_shape, extents))
    return first, extents


def _fractions(name: str, values: Sequence[object], extents: Sequence[Column]) -> list[Column]:
    given = per_axis(name, values, len(extents))
    with np.errstate(over="ignore"):  # infinity is out of bounds, as the number is
        return [
            np.float64(np.float32(value) * np.float32(extent))
            for value, extent in zip(given, extents, strict=True)
        ]


def _sums(first: Sequence[Column], sizes: Sequence[Column]) -> list[Column]:
    return [a + size for a, size in zip(first, sizes, strict=True)]


def _on_axes(
    extents: tuple[int, ...], axes: tuple[int, ...], first: Sequence[float], last: Sequence[float]
) -> Window:
    start, shape = [0] * len(extents), list(extents)
    for axis, a, b in zip(axes, first, last, strict=True):
        if not b >= a:
            raise ArgumentError(
                f"the slice ends before it starts: it is from {tuple(first)} to {tuple(last)}; "
                "negative ends do not count from the back"
            )
        start[axis] = round_away(a)
        shape[axis] = round_away(b) - start[axis]
    return Window(tuple(start), tuple(shape))
