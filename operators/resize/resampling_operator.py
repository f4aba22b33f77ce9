"""The base of the resizing operators: filters, result type, and samples of all layouts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from itertools import product
from operator import itemgetter
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import DType
from ...engine.errors import ArgumentError
from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, SampleOperator
from ...engine.graph.params import BOOL, DTYPE, INT, INTERP, NO_EFFECT, param
from ...engine.graph.rules import GpuRules
from ...engine.tensors import TensorListGPU
from ...engine.tensors.dtypes import INTERP_LINEAR, to_numpy_type
from ...geometry.layouts import VIDEO_LAYOUTS, layout_of
from ..common.batch_arguments import enter_errors, numbers_of
from .axes import Axes, plan_axes, whole_axes
from .cpu_plan import DTYPES, unsupported
from .cpu_resample import resample
from .cpu_volume import resample_volume
from .filters import Filter
from .gpu_blocks import ImageStacks
from .gpu_resample import resample_batch
from .sizing import ResizePlan, ResizePlans
from .spatial_axes import SpatialAxes, spatial_axes

_TABLE = 1 << 13  # extents below it are planned by a table
_FILTERS = tuple(Filter)  # by number; the numbers are those of DALIInterpType


class FilterChoice(NamedTuple):
    """The arguments that choose the filters, of a sample or of a batch."""

    interp_type: Any
    min_filter: Any
    mag_filter: Any

    @classmethod
    def of(cls, arguments: Mapping[str, object]) -> FilterChoice:
        """Return the values of these arguments among those of an operator."""
        return cls(*_FILTER_CHOICE(arguments))

    def each(self) -> tuple[Any, Any]:
        """Return the choice for axes that shrink, and the choice for the others."""
        shrinking = self.interp_type if self.min_filter is None else self.min_filter
        other = self.interp_type if self.mag_filter is None else self.mag_filter
        return shrinking, other


_FILTER_CHOICE = itemgetter(*FilterChoice._fields)


class ResamplingOperator(SampleOperator, ABC):
    """Base of the operators that resample images: their common arguments and their work."""

    inputs = ("images",)
    devices = ("cpu", "gpu")
    on_gpu = GpuRules(rehearses=True)
    assumed_layouts: Mapping[int, str] = VIDEO_LAYOUTS
    takes_empty: ClassVar[bool] = False
    """Whether samples without pixels are taken: axes without extent keep none."""

    interp_type = param(
        INTERP,
        INTERP_LINEAR,
        "Filter, where `min_filter` or `mag_filter` do not say otherwise.",
        per_sample=True,
    )
    min_filter = param(
        INTERP, None, "Filter for an axis that shrinks. Default: interp_type.", per_sample=True
    )
    mag_filter = param(
        INTERP,
        None,
        "Filter for an axis that keeps its extent or grows. Default: interp_type.",
        per_sample=True,
    )
    antialias = param(
        BOOL,
        True,
        "Widen the filter of a shrinking axis by the reduction factor, so that all pixels count. "
        "Nearest neighbor is never widened.",
    )
    dtype = param(DTYPE, None, "Type of the result: FLOAT, or that of the input (the default).")
    temp_buffer_hint = param(INT, 0, NO_EFFECT)
    minibatch_size = param(INT, 32, NO_EFFECT)

    def prepare(self) -> None:
        layout = self.layouts[0] if self.layouts else ""
        self._axes = spatial_axes(self.called, layout) if layout else None
        self.prepare_filters()

    def rehearse(self, batch: BatchContext, *inputs: object, **arguments: object) -> object:
        if not set(self.per_sample) <= {"mirror"}:
            return None  # sizes are not known
        return super().rehearse(batch, *inputs, **arguments)

    def prepare_filters(self) -> None:
        """Set what follows from the arguments that are common to all."""
        self._dtype = None if self.dtype is None else to_numpy_type(self.dtype)
        self._filters = None
        if not set(FilterChoice._fields) & set(self.per_sample):
            self._filters = _chosen(FilterChoice.of(vars(self)))

    @abstractmethod
    def plan_sample(
        self,
        workspace: Workspace,
        axes: SpatialAxes,
        extents: tuple[int, ...],
        arguments: Mapping[str, object],
    ) -> ResizePlan:
        """Return the work on a sample of these spatial extents."""

    @abstractmethod
    def plan_batch(
        self,
        batch: BatchContext,
        axes: SpatialAxes,
        extents: NDArray[np.int64],
        arguments: Mapping[str, object],
    ) -> ResizePlans:
        """Return the work on a batch of these spatial extents: (batch, axes)."""

    def axes_of(self, ndim: int) -> SpatialAxes:
        """Return the axes of a sample of `ndim` dimensions; without a layout, these tell it."""
        if self._axes is not None and self._axes.ndim == ndim:
            return self._axes
        layout = self.layouts[0] if self.layouts else ""
        return spatial_axes(self.called, layout_of(layout, ndim, VIDEO_LAYOUTS))

    def sample(self, workspace: Workspace, image: Array, **arguments: Any) -> Any:
        axes = self.axes_of(image.ndim)
        extents = image.shape[axes.spatial]
        if 0 in extents and not self.takes_empty:
            self.refuse(f"a sample of shape {image.shape} has no pixels to make an image of")
        whole = extents if all(extents) else tuple(max(extent, 1) for extent in extents)
        plan = self.plan_sample(workspace, axes, whole, arguments)
        before, after = image.shape[: axes.first], image.shape[axes.spatial.stop :]
        pairs = zip(plan.size, extents, strict=True)
        size = plan.size if whole is extents else [new if old else 0 for new, old in pairs]
        out = workspace.empty((*before, *size, *after), self._result_type(image.dtype))
        if out.size or not self.takes_empty:
            self._resample(image, out, axes, plan, arguments)
        return out

    def _resample(
        self,
        image: Array,
        out: Array,
        axes: SpatialAxes,
        plan: ResizePlan,
        arguments: Mapping[str, object],
    ) -> None:
        """Resample every image, frame or volume of a sample."""
        filters = self._filters or _chosen(FilterChoice.of(arguments))
        is_whole = not any(plan.start) and plan.end == image.shape[axes.spatial]
        roi = None if is_whole and axes.count == 2 else (*plan.start, *plan.end)
        resample_one: Callable[..., object] = resample if axes.count == 2 else resample_volume
        try:
            for index in product(*map(range, image.shape[: axes.first])):
                source, target = image[index], out[index]
                if not axes.channels_last:
                    source, target = source[..., None], target[..., None]
                resample_one(
                    source,
                    plan.size,
                    roi=roi,
                    min_filter=filters[0],
                    mag_filter=filters[1],
                    antialias=self.antialias,
                    out=target,
                    dtype=out.dtype,
                )
        except (TypeError, ValueError) as error:
            raise ArgumentError(f"{self.called}: {error}") from error

    def _result_type(self, source: DType) -> DType:
        dtype: DType | None = self._dtype
        if dtype is None or dtype == source:
            return source
        if dtype != np.float32:
            self.refuse(
                f"dtype must be FLOAT or that of the input, {source}, but is {dtype}; use fn.cast "
                "for others"
            )
        return dtype

    def batch_gpu(self, batch: BatchContext, images: TensorListGPU, **arguments: object) -> Any:
        """Resample a batch."""
        axes, shapes = self.axes_of(images.ndim), images.extents()
        plans = self.plan_batch(batch, axes, np.maximum(shapes[:, axes.spatial], 1), arguments)

        def result_shapes(size: NDArray[np.int64]) -> NDArray[np.int64]:
            resized = shapes.copy()
            resized[:, axes.spatial] = size
            return resized

        return self._resample_gpu(batch, images, axes, shapes, plans, result_shapes, arguments)

    def _resample_gpu(
        self,
        batch: BatchContext,
        images: TensorListGPU,
        axes: SpatialAxes,
        shapes: NDArray[np.int64],
        plans: ResizePlans,
        result_shapes: Callable[[NDArray[np.int64]], NDArray[np.int64]],
        arguments: Mapping[str, object],
    ) -> TensorListGPU:
        """Resample a batch by plans.

        Args:
            images: the samples.
            axes: those of `shapes` that are resampled.
            shapes: of the samples, as the axes say: (batch, axes.ndim).
            plans: the work.
            result_shapes: returns the shapes of the results for their spatial extents.
            arguments: of the operator, for the whole batch.
        """
        source = to_numpy_type(images.dtype)
        if source not in DTYPES:
            self.refuse(unsupported(source))
        result = self._result_type(source)
        extents, channels = shapes[:, axes.spatial], axes.channel_counts(shapes)
        resampled, known = self._resampled_axes(plans, extents, FilterChoice.of(arguments))
        counts, size = axes.image_counts(shapes), plans.size
        possible = known & plans.possible & (plans.start != plans.end).all(1)
        fits = np.logical_and.reduce([axis["possible"] for axis in resampled])
        if not shapes.all():  # there are samples without pixels
            if self.takes_empty:
                size = np.where(extents > 0, size, 0)
                counts = np.where((shapes > 0).all(1), counts, 0)
            else:
                possible &= (extents > 0).all(1)
            fits = (fits & (channels > 0)) | (counts == 0)
        possible &= fits
        if not possible.all():
            enter_errors(self, batch, images, possible, arguments)
            size, counts = np.where(possible[:, None], size, 1), np.where(possible, counts, 0)
        out = batch.device.empty(result_shapes(size), result, self.output_layouts()[0])
        before = ImageStacks(images.pointers(), counts, extents, channels, source, images)
        after = ImageStacks(out.pointers(), counts, size, channels, result, out)
        resample_batch(batch, before, after, resampled)
        return out

    def _resampled_axes(
        self, plans: ResizePlans, extents: NDArray[np.int64], choice: FilterChoice
    ) -> tuple[list[Axes], NDArray[np.bool_]]:
        """Return how each spatial axis is resampled, and which samples have known filters."""
        count, spatial = extents.shape
        known = np.ones(count, bool)
        if self._filters is None:
            filters, known = _all_chosen(choice, count)
        else:
            constant = int(self._filters[0]), int(self._filters[1])
            if plans.constant is not None and (longest := int(extents.max())) < _TABLE:
                longest = (1 << longest.bit_length()) - 1
                return [
                    whole_axes(longest, size, constant, self.antialias).take(sizes)
                    for size, sizes in zip(plans.constant, extents.T, strict=True)
                ], known
            filters = np.full(count, constant[0]), np.full(count, constant[1])
        in_size, out_size = np.maximum(extents, 1).T.reshape(-1), plans.size.T.reshape(-1)
        edges = plans.start.T.reshape(-1), plans.end.T.reshape(-1)
        chosen = np.tile(filters[0], spatial), np.tile(filters[1], spatial)
        planned = plan_axes(in_size, out_size, *edges, chosen, self.antialias)
        return [*planned.reshape(spatial, count)], known


def _chosen(choice: FilterChoice) -> tuple[Filter, Filter]:
    """Return the filter for axes that shrink, and the filter for the others."""
    shrinking, other = choice.each()
    return _FILTERS[shrinking], _FILTERS[other]


def _all_chosen(
    choice: FilterChoice, count: int
) -> tuple[tuple[NDArray[np.int64], NDArray[np.int64]], NDArray[np.bool_]]:
    """Return `_chosen` of each of `count` samples, and for which samples the filters exist."""
    numbers = np.stack([numbers_of(filters, count)[:, 0] for filters in choice.each()])
    known = np.isin(numbers, _FILTERS)
    shrinking, other = np.where(known, numbers, 0).astype(np.int64)
    return (shrinking, other), known[0] & known[1]
