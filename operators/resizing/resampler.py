"""What the resizing operators share: filters, result type, and samples of all layouts."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import ArgumentError
from ...engine.layouts import VIDEO_LAYOUTS, layout_of
from ...engine.operator import Array, Row, SampleOperator
from ...engine.params import BOOL, DTYPE, INT, INTERP, NO_EFFECT, param
from ...engine.tensors import TensorListGPU
from ...engine.types import INTERP_LINEAR, DALIInterpType, to_numpy_type
from .._rows import numbers_of, why_not
from ..resampling import Filter, batched, resample
from ..resampling.resize import DTYPES, unsupported
from .resample_batch import resample_batch
from .resample_layout import Stack
from .size import Plan
from .sizes import Plans
from .volume import resample_volume

if TYPE_CHECKING:
    from ...engine.batch import Batch

_LAYOUT = re.compile("([FC]*)(D?HW)(C?)")
_TABLE = 1 << 13  # extents below that are planned by a table
_FILTERS = tuple(Filter)  # by number; the numbers are those of DALIInterpType

Filters = tuple[Filter, Filter]
"""The filter for axes that shrink, and that for the others."""


@dataclass(frozen=True, slots=True)
class Axes:
    """Which axes of a sample are resampled.

    Attributes:
        first: index of the first spatial axis; each index in front of it selects an image.
        spatial: number of spatial axes, 2 or 3.
        channels_last: whether an axis of channels follows them.
    """

    first: int
    spatial: int
    channels_last: bool

    @property
    def ndim(self) -> int:
        """Number of dimensions of a sample."""
        return self.first + self.spatial + self.channels_last

    def extents(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """The spatial extents of a sample."""
        return shape[self.first : self.first + self.spatial]

    def resized(self, shape: tuple[int, ...], size: tuple[int, ...]) -> tuple[int, ...]:
        """The shape of a sample after its spatial extents have become `size`."""
        return (*shape[: self.first], *size, *shape[self.first + self.spatial :])


def axes_of(owner: str, layout: str) -> Axes:
    """Return the axes that a layout names.

    Raises:
        ArgumentError: the layout is not one of images, videos or volumes.
    """
    match = _LAYOUT.fullmatch(layout)
    if match is None or len(set(layout)) != len(layout):
        raise ArgumentError(
            f"{owner} cannot resize the layout {layout!r}; it must have H, W (or D, H, W) next to "
            "each other, C behind or in front of them, and F, if any, in front: HW, HWC, CHW, "
            "FHWC, FCHW, CFHW, DHWC, CDHW and so on"
        )
    leading, spatial, channels = match.groups()
    return Axes(len(leading), len(spatial), bool(channels))


class Resampler(SampleOperator):
    """Base of the operators that resample images: their common arguments and their work."""

    inputs = ("images",)
    devices = ("cpu", "gpu")

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
        "Nearest neighbour is never widened.",
    )
    dtype = param(DTYPE, None, "Type of the result: FLOAT, or that of the input (the default).")
    temp_buffer_hint = param(INT, 0, NO_EFFECT)
    minibatch_size = param(INT, 32, NO_EFFECT)

    def prepare(self) -> None:
        self.owner = f"fn.{self.name}"
        layout = self.layouts[0] if self.layouts else ""
        self._axes = axes_of(self.owner, layout) if layout else None
        self._dtype = None if self.dtype is None else to_numpy_type(self.dtype)
        self._filters = None
        if not {"interp_type", "min_filter", "mag_filter"} & set(self.per_sample):
            self._filters = _choose(self.interp_type, self.min_filter, self.mag_filter)

    def axes(self, ndim: int) -> Axes:
        """The axes of a sample of `ndim` dimensions; without a layout, these tell it."""
        if self._axes is not None and self._axes.ndim == ndim:
            return self._axes
        layout = self.layouts[0] if self.layouts else ""
        return axes_of(self.owner, layout_of(layout, ndim, VIDEO_LAYOUTS))

    def extents(self, axes: Axes, image: Array) -> tuple[int, ...]:
        """The spatial extents of a sample, none of them 0."""
        extents = axes.extents(image.shape)
        if 0 in extents:
            raise ArgumentError(
                f"{self.owner}: a sample of shape {image.shape} has no pixels to make an image of"
            )
        return extents

    def filters(
        self,
        interp_type: DALIInterpType,
        min_filter: DALIInterpType | None,
        mag_filter: DALIInterpType | None,
        **_: Any,
    ) -> Filters:
        """The filters of a sample, out of its arguments."""
        return self._filters or _choose(interp_type, min_filter, mag_filter)

    def resample(self, row: Row, image: Array, axes: Axes, plan: Plan, filters: Filters) -> Array:
        """Resample every image, frame or volume of a sample."""
        dtype = self._result_type(image.dtype)
        out = row.empty(axes.resized(image.shape, plan.size), dtype)
        size = plan.size
        is_whole = not any(plan.start) and plan.end == axes.extents(image.shape)
        roi = None if is_whole and axes.spatial == 2 else (*plan.start, *plan.end)
        work: Callable[..., object] = resample if axes.spatial == 2 else resample_volume
        try:
            for index in product(*map(range, image.shape[: axes.first])):
                source, target = image[index], out[index]
                if not axes.channels_last:
                    source, target = source[..., None], target[..., None]
                work(
                    source,
                    size,
                    roi=roi,
                    min_filter=filters[0],
                    mag_filter=filters[1],
                    antialias=self.antialias,
                    out=target,
                    dtype=dtype,
                )
        except (TypeError, ValueError) as error:
            raise ArgumentError(f"{self.owner}: {error}") from error
        return out

    def _result_type(self, source: np.dtype[Any]) -> np.dtype[Any]:
        dtype: np.dtype[Any] | None = self._dtype
        if dtype is None or dtype == source:
            return source
        if dtype != np.float32:
            raise ArgumentError(
                f"{self.owner}: dtype must be FLOAT or that of the input, {source}, but is "
                f"{dtype}; use fn.cast for others"
            )
        return dtype

    def gpu(self, batch: Batch, images: TensorListGPU, **arguments: Any) -> Any:
        """Resample a batch."""
        axes = self.axes(images.ndim)
        shapes = images.extents()
        source = to_numpy_type(images.dtype)
        if source not in DTYPES:
            raise ArgumentError(f"{self.owner}: {unsupported(source)}")
        result = self._result_type(source)
        extents = shapes[:, axes.first : axes.first + axes.spatial]
        channels = shapes[:, -1] if axes.channels_last else np.ones_like(shapes[:, 0])
        number = shapes[:, : axes.first].prod(1)

        seen = np.maximum(extents, 1)
        plans = self.plan_batch(batch, axes, seen, **arguments)
        lines, possible = self._lines(plans, seen, **arguments)
        possible &= plans.possible & ((extents > 0) & (plans.start != plans.end)).all(1)
        within = channels > 0
        for line in lines:
            within &= line.possible()
        possible &= within | (number == 0)
        size = plans.size
        if not possible.all():
            for i in np.flatnonzero(~possible).tolist():
                batch.errors.setdefault(i, why_not(self, batch, i, shapes[i], source, arguments))
            size = np.where(possible[:, None], size, 1)
            number = np.where(possible, number, 0)
        resized = shapes.copy()
        resized[:, axes.first : axes.first + axes.spatial] = size
        out = batch.device.empty(resized, result, self.output_layouts()[0])
        resample_batch(
            batch,
            Stack(images.pointers(), number, extents, channels, source, images),
            Stack(out.pointers(), number, size, channels, result, out),
            lines,
        )
        return out

    def plan_batch(
        self, batch: Batch, axes: Axes, extents: NDArray[np.int64], **arguments: Any
    ) -> Plans:
        """What to compute for each sample of a batch; `extents` are its spatial extents."""
        raise NotImplementedError

    def _lines(
        self, plans: Plans, extents: NDArray[np.int64], **arguments: Any
    ) -> tuple[list[batched.Axes], NDArray[np.bool_]]:
        """How each spatial axis is resampled, and which samples are given filters that exist."""
        count, known = len(extents), np.ones(len(extents), bool)
        if self._filters is None:
            filters, known = _filters_of(count, **arguments)
        else:
            constant = int(self._filters[0]), int(self._filters[1])
            if plans.constant is not None and len(plans.constant) == 2 and extents.max() < _TABLE:
                sizes = zip(extents.T, plans.constant, strict=True)
                axes = [batched.whole_axes(*each, constant, self.antialias) for each in sizes]
                return axes, known
            filters = np.full(count, constant[0]), np.full(count, constant[1])
        return _lines(plans, extents, filters, self.antialias), known


def _filters_of(
    count: int, *, interp_type: Any, min_filter: Any, mag_filter: Any, **_: Any
) -> tuple[tuple[NDArray[np.int64], NDArray[np.int64]], NDArray[np.bool_]]:
    """The filters of each sample, and whether there are such filters."""
    chosen = (interp_type if f is None else f for f in (min_filter, mag_filter))
    numbers = np.stack([numbers_of(f, count)[:, 0] for f in chosen])
    known = np.isin(numbers, _FILTERS)
    shrinking, other = np.where(known, numbers, 0).astype(np.int64)
    return (shrinking, other), known[0] & known[1]


def _lines(
    plans: Plans,
    extents: NDArray[np.int64],
    filters: tuple[NDArray[np.int64], NDArray[np.int64]],
    antialias: bool,
) -> list[batched.Axes]:
    """How each spatial axis is resampled, with the bases that the CPU takes."""
    spatial = extents.shape[1]
    in_size, out_size = extents.T.reshape(-1), plans.size.T.reshape(-1)
    edges = plans.start.T.reshape(-1), plans.end.T.reshape(-1)
    chosen = np.tile(filters[0], spatial), np.tile(filters[1], spatial)
    planned = batched.plan_axes(in_size, out_size, *edges, chosen, antialias)
    *depth, vertical, horizontal = batched.split(planned, spatial)
    if not depth:
        regions = (plans.start != 0).any(1) | (plans.end != extents).any(1)
        return list(batched.with_bases(vertical, horizontal, regions))
    always = np.ones(len(extents), bool)
    area = extents[:, 1] * extents[:, 2]
    whole = batched.unchanged(area, filters[1])
    deep, _ = batched.with_bases(depth[0], whole, always)
    return [deep, *batched.with_bases(vertical, horizontal, always)]


def _choose(
    interp_type: DALIInterpType,
    min_filter: DALIInterpType | None,
    mag_filter: DALIInterpType | None,
) -> Filters:
    shrinking = interp_type if min_filter is None else min_filter
    other = interp_type if mag_filter is None else mag_filter
    return _FILTERS[shrinking], _FILTERS[other]
