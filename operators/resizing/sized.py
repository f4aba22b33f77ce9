"""The arguments by which a resize is told the size, and what follows from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import ArgumentError
from ...engine.params import BOOL, FLOAT, FLOATS, STR, param
from .._rows import numbers_of
from .resampler import Axes, Resampler
from .size import (
    DEFAULT,
    MAX_EXTENT,
    MODES,
    NOT_LARGER,
    NOT_SMALLER,
    STRETCH,
    Plan,
    Region,
    plan,
)
from .sizes import Plans, plan_all

if TYPE_CHECKING:
    from ...engine.batch import Batch

_SEPARATE = ("resize_z", "resize_y", "resize_x")
_WAYS = "size; any of resize_x, resize_y and resize_z; resize_shorter; resize_longer"


class SizedResampler(Resampler):
    """Base of the operators that resize to a wanted size: its arguments, and the plan."""

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
        "What becomes of extents that are not given, and of the aspect ratio. 'default': as "
        "given; missing ones scale by the (geometric) mean of the others. 'stretch': as given; "
        "missing ones stay. 'not_larger': aspect ratio kept, no extent above the given ones. "
        "'not_smaller': aspect ratio kept, no extent below the given ones.",
    )
    max_size = param(
        FLOATS,
        None,
        "Upper limit of the result's extents, one for all or one an axis. Modes that keep the "
        "aspect ratio keep it under the limit too.",
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
        "First edge of the region that counts as the image, (y, x) or (z, y, x), in pixels; may "
        "be fractional and outside of the image, whose border is repeated. A start beyond the "
        "end mirrors the axis.",
        per_sample=True,
    )
    roi_end = param(
        FLOATS, None, "Last edge of the region; see roi_start, which it needs.", per_sample=True
    )
    roi_relative = param(BOOL, False, "Count the region in parts of the image: 1 is its extent.")

    def prepare(self) -> None:
        super().prepare()
        self._check_arguments()
        self._mode = self.mode
        if "resize_shorter" in self.given:
            self._mode = NOT_SMALLER
        elif "resize_longer" in self.given:
            self._mode = NOT_LARGER
        if self._axes is not None:
            self._check_constants(self._axes)
        self._fixed_size = self._constant_size()

    def _constant_size(self) -> tuple[int, ...] | None:
        """The result's extents, where no sample can change them and the whole image fills them."""
        sizes = {"size", "resize_x", "resize_y", "resize_z"}
        varying = sizes | {"resize_shorter", "resize_longer", "roi_start", "roi_end"}
        if (
            self._axes is None
            or varying & set(self.per_sample)
            or (self.given & varying) - sizes
            or self._mode not in (DEFAULT, STRETCH)
            or self.max_size is not None
        ):
            return None
        constants = {name: getattr(self, name) for name in varying}
        wanted = self._requested(self._axes, **constants)
        whole = all(extent >= 1 and extent == int(extent) for extent in wanted)
        return tuple(map(int, wanted)) if whole else None

    def plan(self, axes: Axes, extents: tuple[int, ...], **arguments: Any) -> Plan:
        """What to compute for a sample of these spatial extents."""
        if self._fixed_size is not None:
            return Plan(self._fixed_size, (0,) * len(extents), extents)
        return plan(
            extents,
            self._requested(axes, **arguments),
            mode=self._mode,
            max_size=self._max_size(axes),
            region=self._region(axes, **arguments),
            subpixel_scale=self.subpixel_scale,
        )

    def _requested(
        self,
        axes: Axes,
        *,
        size: Sequence[float] | None,
        resize_x: float,
        resize_y: float,
        resize_z: float,
        resize_shorter: float,
        resize_longer: float,
        **_: Any,
    ) -> tuple[float, ...]:
        """The wanted extents of a sample, one an axis; at most one way of giving it is used."""
        if size is not None:
            return self._per_axis("size", size, axes)
        both = resize_shorter or resize_longer
        if both:
            return (both,) * axes.spatial
        if axes.spatial == 2:
            return resize_y, resize_x
        return resize_z, resize_y, resize_x

    def plan_batch(
        self, batch: Batch, axes: Axes, extents: NDArray[np.int64], **arguments: Any
    ) -> Plans:
        count, spatial = extents.shape
        if self._fixed_size is not None and max(self._fixed_size) <= MAX_EXTENT:
            size = np.full(extents.shape, self._fixed_size)
            whole = extents.astype(np.float64)
            start, possible = np.zeros_like(whole), np.ones(count, bool)
            return Plans(size, start, whole, possible, self._fixed_size)
        start, end = arguments["roi_start"], arguments["roi_end"]
        is_whole = start is None or end is None
        return plan_all(
            extents,
            self._all_requested(count, axes, **arguments),
            mode=self._mode,
            max_size=self._max_size(axes),
            start=None if is_whole else numbers_of(start, count, spatial),
            end=None if is_whole else numbers_of(end, count, spatial),
            relative=self.roi_relative,
            subpixel_scale=self.subpixel_scale,
        )

    def _all_requested(self, count: int, axes: Axes, **arguments: Any) -> NDArray[np.float64]:
        """`_requested` for each of `count` samples: (count, axes)."""
        for name in ("size", "resize_shorter", "resize_longer"):
            if name in self.given:
                return numbers_of(arguments[name], count, axes.spatial)
        names = _SEPARATE[-axes.spatial :]
        return np.column_stack([numbers_of(arguments[name], count) for name in names])

    def _max_size(self, axes: Axes) -> tuple[float, ...] | None:
        return None if self.max_size is None else self._per_axis("max_size", self.max_size, axes)

    def _region(
        self,
        axes: Axes,
        *,
        roi_start: Sequence[float] | None,
        roi_end: Sequence[float] | None,
        **_: Any,
    ) -> Region | None:
        if roi_start is None or roi_end is None:
            return None
        return Region(
            self._per_axis("roi_start", roi_start, axes),
            self._per_axis("roi_end", roi_end, axes),
            self.roi_relative,
        )

    def _per_axis(self, name: str, values: Sequence[float], axes: Axes) -> tuple[float, ...]:
        if len(values) == axes.spatial:
            return tuple(values)
        if len(values) == 1:
            return (*values,) * axes.spatial
        raise ArgumentError(
            f"{self.owner}: {name} must have one number, or one for each of the {axes.spatial} "
            f"axes to resize, but is {tuple(values)}"
        )

    def _check_arguments(self) -> None:
        """What can be said without a sample."""
        given = self.given
        ways = sum(name in given for name in ("size", "resize_shorter", "resize_longer"))
        ways += any(name in given for name in _SEPARATE)
        if ways != 1:
            named = sorted(given & {"size", "resize_shorter", "resize_longer", *_SEPARATE})
            found = f"{' and '.join(named)} are given" if named else "none is given"
            raise ArgumentError(
                f"{self.owner}: give the size in exactly one way ({_WAYS}); {found}"
            )
        if self.mode not in MODES:
            raise ArgumentError(
                f"{self.owner}: mode must be one of {', '.join(MODES)}, but is {self.mode!r}"
            )
        if "mode" in given and given & {"resize_shorter", "resize_longer"}:
            raise ArgumentError(
                f"{self.owner}: resize_shorter and resize_longer are modes of their own; leave "
                "out `mode`, or give `size`"
            )
        if ("roi_start" in given) != ("roi_end" in given):
            raise ArgumentError(f"{self.owner}: give roi_start and roi_end together, or neither")

    def _check_constants(self, axes: Axes) -> None:
        """What can be said once the layout is known."""
        if axes.spatial == 2 and "resize_z" in self.given:
            raise ArgumentError(
                f"{self.owner}: resize_z is for volumes, but the layout is {self.layouts[0]}"
            )
        for name in ("size", "max_size", "roi_start", "roi_end"):
            if name in self.given and name not in self.per_sample:
                self._per_axis(name, getattr(self, name), axes)
