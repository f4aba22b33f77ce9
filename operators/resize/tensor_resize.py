"""`fn.tensor_resize`: arrays of any axes to another size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from types import MappingProxyType
from typing import Any

import numpy as np

from ...engine.arrays import Float64s, Int64s
from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, register
from ...engine.graph.params import BOOL, FLOATS, INTS, LAYOUT, STR, param
from ...engine.graph.rules import GpuRules
from ...engine.tensors import TensorListGPU
from ...geometry.layouts import check_exclusive, chosen_axes, layout_of, per_axis
from ..common.batch_arguments import numbers_of
from ..common.number_arguments import check_numbers
from .resampling_operator import ResamplingOperator
from .sizing import (
    DEFAULT,
    MODES,
    NOT_LARGER,
    NOT_SMALLER,
    ROUND,
    ROUNDINGS,
    Region,
    ResizePlan,
    ResizePlans,
    plan_resize,
    plan_resizes,
)
from .spatial_axes import SpatialAxes

_MOST_AXES = 3


@register
class TensorResize(ResamplingOperator):
    """Resizes arrays along any axes.

    The wanted extents are given by `sizes` or by `scales`. The kernels, their positions and the
    sizes are those of DALI; integer results round halves to even. The axes that change, with those
    between them, are three at most. CPU and GPU agree exactly for nearest neighbor, in integers
    else within 1, in floats within 1e-5 of the range (float16: 1e-3).

    Inputs:
        data: of any number of axes from 1 on, and any layout. The dtype is uint8, int8, uint16,
            int16, uint32, int32 or a float type.

    Outputs:
        resized: of the input's layout, and of other extents.

    Raises:
        ArgumentError: arguments contradict one another, or do not fit the sample.
    """

    name = "tensor_resize"
    on_gpu = GpuRules(rehearses=True)  # with its own `batch_gpu`, too
    aliases = ("experimental.tensor_resize",)
    inputs = ("data",)
    assumed_layouts = MappingProxyType({})
    takes_empty = True

    alignment = param(
        FLOATS,
        (0.5,),
        "Point of the region that stays in its place where an extent was rounded: 0 is the start, "
        "1 the end. One, or one for each of the axes.",
        per_sample=True,
    )
    axes = param(
        INTS,
        None,
        "Indices of the axes that the arguments are for; negative ones count from the back. By "
        "default all.",
    )
    axis_names = param(LAYOUT, None, "Letters of these axes in the layout, in place of `axes`.")
    max_size = param(
        FLOATS,
        None,
        "Upper limit of the result's extents, one for all or one an axis; 0 is no limit. Modes "
        "that keep the aspect ratio keep it under the limit too.",
        minimum=0,
    )
    mode = param(
        STR,
        DEFAULT,
        "How missing extents are chosen, and the aspect ratio: see `fn.resize`. All axes count. "
        "'not_larger' and 'not_smaller' do not go with `scales`.",
        choices=MODES,
    )
    roi_end = param(FLOATS, None, "Last edge of the region; needs `roi_start`.", per_sample=True)
    roi_relative = param(BOOL, False, "Edges of the region are fractions of the extents.")
    roi_start = param(
        FLOATS,
        None,
        "First edge of the region to resize, in elements: one, or one for each of the axes. "
        "Outside of the sample, the border is repeated. A start beyond the end mirrors the axis.",
        per_sample=True,
    )
    scales = param(
        FLOATS,
        None,
        "Factors of the input's extents: one, or one for each of the axes. A negative one mirrors "
        "the axis. Not with `sizes`.",
        per_sample=True,
    )
    size_rounding = param(
        STR,
        ROUND,
        "How extents that follow from `scales` are rounded: round, truncate or ceil.",
        choices=ROUNDINGS,
    )
    sizes = param(
        FLOATS,
        None,
        "Wanted extents: one, or one for each of the axes. 0 leaves an extent to `mode`; a "
        "negative one mirrors the axis.",
        per_sample=True,
    )
    subpixel_scale = param(
        BOOL,
        True,
        "Where an extent was rounded, show a little more or less of the input, so that the "
        "scale is the one asked for. Otherwise the scale changes.",
    )

    def prepare(self) -> None:
        check_exclusive(self.called, self.given, "axes", "axis_names")
        given = self.given
        if ("sizes" in given) == ("scales" in given):
            self.refuse("give either sizes or scales")
        if "scales" in given and self.mode in (NOT_LARGER, NOT_SMALLER):
            self.refuse(f"scales do not go with the mode {self.mode!r}")
        if ("roi_start" in given) != ("roi_end" in given):
            self.refuse("give roi_start and roi_end together, or neither")
        self._rounding = self.size_rounding if "scales" in given else ROUND
        self.prepare_filters()

    def _chosen(self, ndim: int) -> list[int]:
        """Return the axes that the arguments are for."""
        if ndim < 1:
            self.refuse("a single number has no axis that could be resized")
        if self.axes is None and self.axis_names is None:
            return list(range(ndim))
        layout = layout_of(self.layouts[0], ndim, {}) if self.axis_names else ""
        return list(chosen_axes(layout, ndim, self.axes, self.axis_names))

    def _limits(self, ndim: int) -> tuple[float, ...] | None:
        if self.max_size is None:
            return None
        chosen = self._chosen(ndim)
        given = per_axis("max_size", self.max_size, len(chosen))
        return _spread([0.0] * ndim, chosen, given)

    def plan_sample(
        self,
        workspace: Workspace,
        axes: SpatialAxes,
        extents: tuple[int, ...],
        arguments: Mapping[str, Any],
    ) -> ResizePlan:
        ndim = len(extents)
        chosen = self._chosen(ndim)
        check_numbers(self, {"alignment": arguments["alignment"]})

        def full(name: str, others: Sequence[float]) -> tuple[float, ...]:
            return _spread(others, chosen, per_axis(name, arguments[name], len(chosen)))

        if arguments["scales"] is not None:
            factors = np.array(full("scales", [1.0] * ndim), np.float32)
            requested = tuple((factors * np.array(extents, np.float32)).tolist())
        else:
            requested = full("sizes", extents)
        region = None
        if arguments["roi_start"] is not None:
            last = [1.0] * ndim if self.roi_relative else extents
            start, end = full("roi_start", [0.0] * ndim), full("roi_end", last)
            region = Region(start, end, self.roi_relative)
        return plan_resize(
            extents,
            requested,
            mode=self.mode,
            max_size=self._limits(ndim),
            region=region,
            subpixel_scale=self.subpixel_scale,
            alignment=full("alignment", [0.5] * ndim),
            rounding=self._rounding,
        )

    def plan_batch(
        self,
        batch: BatchContext,
        axes: SpatialAxes,
        extents: Int64s,
        arguments: Mapping[str, object],
    ) -> ResizePlans:
        count, ndim = extents.shape
        chosen = self._chosen(ndim)

        def full(name: str, others: object) -> Float64s:
            table = np.broadcast_to(np.asarray(others, np.float64), extents.shape).copy()
            table[:, chosen] = numbers_of(arguments[name], count, len(chosen))
            return table

        if arguments["scales"] is not None:
            factors = full("scales", 1.0).astype(np.float32)
            requested = (factors * extents.astype(np.float32)).astype(np.float64)
        else:
            requested = full("sizes", extents)
        is_whole = arguments["roi_start"] is None
        alignment = full("alignment", 0.5)
        plans = plan_resizes(
            extents,
            requested,
            mode=self.mode,
            max_size=self._limits(ndim),
            start=None if is_whole else full("roi_start", 0.0),
            end=None if is_whole else full("roi_end", 1.0 if self.roi_relative else extents),
            relative=self.roi_relative,
            subpixel_scale=self.subpixel_scale,
            alignment=np.nan_to_num(alignment),
            rounding=self._rounding,
        )
        return plans._replace(possible=plans.possible & np.isfinite(alignment).all(axis=1))

    def sample(self, workspace: Workspace, image: Array, **arguments: object) -> Array:
        extents = tuple(max(extent, 1) for extent in image.shape)
        plan = self.plan_sample(workspace, self._view(1), extents, arguments)
        if not image.size:
            pairs = zip(plan.size, image.shape, strict=True)
            size = tuple(new if old else 0 for new, old in pairs)
            return workspace.empty(size, self._result_type(image.dtype))
        changed = [
            axis
            for axis, extent in enumerate(extents)
            if (plan.size[axis], plan.start[axis], plan.end[axis]) != (extent, 0, extent)
        ]
        first, last = self._block(changed, len(extents))
        out = workspace.empty(plan.size, self._result_type(image.dtype))
        lone = last - first == 1  # an axis of extent 1 joins it
        part = ResizePlan(
            (1,) * lone + plan.size[first:last],
            (0.0,) * lone + plan.start[first:last],
            (1.0,) * lone + plan.end[first:last],
        )
        source, target = (
            array.reshape(
                prod(array.shape[:first]),
                *(1,) * lone,
                *array.shape[first:last],
                prod(array.shape[last:]),
            )
            for array in (np.ascontiguousarray(image), out)
        )
        self._resample(source, target, self._view(last - first + lone), part, arguments)
        return out

    def _block(self, changed: Sequence[int], ndim: int) -> tuple[int, int]:
        """Return the first axis that is resampled, and the one after the last."""
        first, last = (changed[0], changed[-1] + 1) if changed else (ndim - 1, ndim)
        if last - first > _MOST_AXES:
            self.refuse(
                f"the axes {first} to {last - 1} would be resized, but {_MOST_AXES} that follow "
                "one another are the most; resize in two steps"
            )
        return first, last

    @staticmethod
    def _view(count: int) -> SpatialAxes:
        """Return the axes of a sample in the form (outer, `count` axes, inner)."""
        return SpatialAxes(1, slice(1, 1 + count), count, 2 + count, True)

    def batch_gpu(self, batch: BatchContext, images: TensorListGPU, **arguments: object) -> Any:
        shapes = images.extents()
        extents = np.maximum(shapes, 1)
        ndim = extents.shape[1]
        plans = self.plan_batch(batch, self._view(1), extents, arguments)
        stay = (plans.size == extents) & (plans.start == 0) & (plans.end == extents)
        used = plans.possible
        first, last = self._block(np.flatnonzero((~stay[used]).any(axis=0)).tolist(), ndim)
        lone = last - first == 1

        def part(table: Any, other: float) -> Any:
            return np.column_stack([np.full((len(table), int(lone)), other), table[:, first:last]])

        def result_shapes(size: Int64s) -> Int64s:
            resized = shapes.copy()
            resized[:, first:last] = size[:, int(lone) :]
            return resized

        outer, inner = shapes[:, :first].prod(axis=1), shapes[:, last:].prod(axis=1)
        view = np.column_stack([outer, part(shapes, 1).astype(np.int64), inner])
        some = ResizePlans(
            part(plans.size, 1).astype(np.int64),
            part(plans.start, 0.0),
            part(plans.end, 1.0),
            used,
        )
        axes = self._view(last - first + lone)
        return self._resample_gpu(batch, images, axes, view, some, result_shapes, arguments)


def _spread(
    others: Sequence[float], chosen: Sequence[int], values: Sequence[float]
) -> tuple[float, ...]:
    """Return `others` with values in place of those of the chosen axes."""
    result = list(map(float, others))
    for axis, value in zip(chosen, values, strict=True):
        result[axis] = float(value)
    return tuple(result)
