"""The arguments of the operators that resize to a wanted size."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import ArgumentError
from ...engine.graph.operator import Operator
from ...engine.graph.params import BOOL, FLOAT, FLOATS, STR, param
from ..common.batch_arguments import numbers_of
from .sizing import (
    DEFAULT,
    MODES,
    NOT_LARGER,
    NOT_SMALLER,
    STRETCH,
    Region,
    ResizePlan,
    ResizePlans,
    Sizing,
    check_size,
    plan_resize,
    plan_resizes,
)
from .spatial_axes import SpatialAxes

_SEPARATE = ("resize_z", "resize_y", "resize_x")
_WAYS = "size; any of resize_x, resize_y and resize_z; resize_shorter; resize_longer"


class SizeArguments(Operator):
    """Declares the arguments of a wanted size, for an operator that resamples."""

    _axes: SpatialAxes | None  # those of the layout, which `ResamplingOperator` sets

    size = param(
        FLOATS,
        None,
        "Wanted (height, width) in pixels, or (depth, height, width) for volumes; one number "
        "stands for all. 0 leaves an extent to `mode`; a negative one mirrors the axis.",
        per_sample=True,
    )
    resize_x = param(
        FLOAT, 0.0, "Wanted width in pixels; 0 and negative as in `size`.", per_sample=True
    )
    resize_y = param(
        FLOAT, 0.0, "Wanted height in pixels; 0 and negative as in `size`.", per_sample=True
    )
    resize_z = param(
        FLOAT, 0.0, "Wanted depth of a volume; 0 and negative as in `size`.", per_sample=True
    )
    resize_shorter = param(
        FLOAT,
        0.0,
        "Wanted length of the shorter side; the aspect ratio is kept. `max_size` may limit the "
        "longer one.",
        per_sample=True,
    )
    resize_longer = param(
        FLOAT, 0.0, "Wanted length of the longer side; the aspect ratio is kept.", per_sample=True
    )
    mode = param(
        STR,
        DEFAULT,
        "How missing extents are chosen, and the aspect ratio. 'default': as "
        "given; missing ones scale by the (geometric) mean of the others. 'stretch': as given; "
        "missing ones stay. 'not_larger': aspect ratio kept, no extent above the given ones. "
        "'not_smaller': aspect ratio kept, no extent below the given ones.",
        choices=MODES,
    )
    max_size = param(
        FLOATS,
        None,
        "Upper limit of the result's extents, one for all or one an axis; 0 and less are no "
        "limit. Modes that keep the aspect ratio keep it under the limit too.",
    )
    subpixel_scale = param(
        BOOL,
        True,
        "Where an extent was rounded, show a little more or less of the input, so that the "
        "scale is the one asked for. Otherwise the scale changes.",
    )
    roi_start = param(
        FLOATS,
        None,
        "First edge of the region to resize, (y, x) or (z, y, x), in pixels. The edge may be "
        "fractional. Outside of the image, the border is repeated. A start beyond the end "
        "mirrors the axis.",
        per_sample=True,
    )
    roi_end = param(FLOATS, None, "Last edge of the region; needs `roi_start`.", per_sample=True)
    roi_relative = param(BOOL, False, "Edges of the region are fractions of the image's extents.")

    def prepare(self) -> None:
        super().prepare()
        self._check_choices()
        self._check_size()
        self._mode = self.mode
        if "resize_shorter" in self.given:
            self._mode = NOT_SMALLER
        elif "resize_longer" in self.given:
            self._mode = NOT_LARGER
        if self._axes is not None:
            self._check_layout(self._axes)

    def constant_size(self) -> tuple[int, ...] | None:
        """Return the result's extents, if the whole of every sample becomes the same size."""
        sizes = {"size", *_SEPARATE}
        if (
            self._axes is None
            or set(Sizing._fields) & set(self.per_sample)
            or (self.given & set(Sizing._fields)) - sizes
            or self._mode not in (DEFAULT, STRETCH)
            or self.max_size is not None
        ):
            return None
        wanted = self._requested(self._axes, Sizing.of(vars(self)))
        whole = all(extent >= 1 and extent == int(extent) for extent in wanted)
        return tuple(map(int, wanted)) if whole else None

    def plan_size(self, axes: SpatialAxes, extents: tuple[int, ...], sizing: Sizing) -> ResizePlan:
        """Return the work on a sample of these spatial extents."""
        return plan_resize(
            extents,
            self._requested(axes, sizing),
            mode=self._mode,
            max_size=self._max_size(axes),
            region=self._region(axes, sizing),
            subpixel_scale=self.subpixel_scale,
        )

    def plan_sizes(
        self, axes: SpatialAxes, extents: NDArray[np.int64], sizing: Sizing
    ) -> ResizePlans:
        """Return `plan_size` of each sample of a batch."""
        count, spatial = extents.shape
        start, end = sizing.roi_start, sizing.roi_end
        is_whole = start is None or end is None
        return plan_resizes(
            extents,
            self._all_requested(count, axes, sizing),
            mode=self._mode,
            max_size=self._max_size(axes),
            start=None if is_whole else numbers_of(start, count, spatial),
            end=None if is_whole else numbers_of(end, count, spatial),
            relative=self.roi_relative,
            subpixel_scale=self.subpixel_scale,
        )

    def _requested(self, axes: SpatialAxes, sizing: Sizing) -> tuple[float, ...]:
        """Return the wanted extents of a sample, one an axis; the user gave them in one way."""
        if sizing.size is not None:
            return self._per_axis("size", sizing.size, axes)
        both = sizing.resize_shorter or sizing.resize_longer
        if both:
            return (both,) * axes.count
        if axes.count == 2:
            return sizing.resize_y, sizing.resize_x
        return sizing.resize_z, sizing.resize_y, sizing.resize_x

    def _all_requested(self, count: int, axes: SpatialAxes, sizing: Sizing) -> NDArray[np.float64]:
        """Return `_requested` of each of `count` samples: (count, axes)."""
        for name in ("size", "resize_shorter", "resize_longer"):
            if name in self.given:
                return numbers_of(getattr(sizing, name), count, axes.count)
        names = _SEPARATE[-axes.count :]
        return np.column_stack([numbers_of(getattr(sizing, name), count) for name in names])

    def _max_size(self, axes: SpatialAxes) -> tuple[float, ...] | None:
        return None if self.max_size is None else self._per_axis("max_size", self.max_size, axes)

    def _region(self, axes: SpatialAxes, sizing: Sizing) -> Region | None:
        if sizing.roi_start is None or sizing.roi_end is None:
            return None
        return Region(
            self._per_axis("roi_start", sizing.roi_start, axes),
            self._per_axis("roi_end", sizing.roi_end, axes),
            self.roi_relative,
        )

    def _per_axis(self, name: str, values: Sequence[float], axes: SpatialAxes) -> tuple[float, ...]:
        if len(values) not in (1, axes.count):
            self.refuse(
                f"{name} must have one number, or one for each of the {axes.count} axes to resize, "
                f"but is {tuple(values)}"
            )
        return tuple(values) if len(values) == axes.count else (*values,) * axes.count

    def _check_choices(self) -> None:
        """Raise ArgumentError if arguments contradict one another."""
        given = self.given
        ways = sum(name in given for name in ("size", "resize_shorter", "resize_longer"))
        ways += any(name in given for name in _SEPARATE)
        if ways != 1:
            named = sorted(given & {"size", "resize_shorter", "resize_longer", *_SEPARATE})
            listed = f"{' and '.join(named)} are given" if named else "none is given"
            self.refuse(f"give the size in exactly one way ({_WAYS}); {listed}")
        if "mode" in given and given & {"resize_shorter", "resize_longer"}:
            self.refuse(
                "resize_shorter and resize_longer are modes of their own; leave out `mode`, or "
                "give `size`"
            )
        if ("roi_start" in given) != ("roi_end" in given):
            self.refuse("give roi_start and roi_end together, or neither")

    def _check_size(self) -> None:
        """Raise ArgumentError for a constant size that is beyond any memory."""
        size = None if "size" in self.per_sample else self.size
        if not size or self.mode not in (DEFAULT, STRETCH) or self.max_size is not None:
            return
        extents = [max(abs(extent), 1) for extent in size]
        try:
            check_size(extents * 2 if len(extents) == 1 else extents)
        except ArgumentError as error:
            raise ArgumentError(f"{self.called}: {error}") from None

    def _check_layout(self, axes: SpatialAxes) -> None:
        """Raise ArgumentError for constants that do not fit the layout."""
        if axes.count == 2 and "resize_z" in self.given:
            self.refuse(f"resize_z is for volumes, but the layout is {self.layouts[0]}")
        for name in ("size", "max_size", "roi_start", "roi_end"):
            if name in self.given and name not in self.per_sample:
                self._per_axis(name, getattr(self, name), axes)
