"""The meaning of a sample's axes: layouts and the arguments `axes` and `axis_names`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..engine.errors import ArgumentError, LayoutError

VOLUME_LAYOUTS = {2: "HW", 3: "HWC", 4: "DHWC", 5: "FDHWC"}
"""The layouts assumed by number of dimensions; samples of four dimensions are volumes."""

VIDEO_LAYOUTS = {2: "HW", 3: "HWC", 4: "FHWC", 5: "FDHWC"}
"""The layouts assumed by number of dimensions; samples of four dimensions are videos."""

IMAGE_LAYOUTS = {2: "HW", 3: "HWC"}
"""The layouts assumed by number of dimensions, for operators that get videos frame by frame."""


_DECODE = "An encoded file is decoded first: fn.decoders.image"
_NAME = "Name the layout where the data enter the pipeline, or use fn.reshape(layout=...)"


def layout_of(layout: str, ndim: int, defaults: Mapping[int, str]) -> str:
    """Return the layout of a sample of `ndim` dimensions, one letter each.

    Args:
        layout: the layout of the sample, "" if unknown.
        ndim: number of dimensions of the sample.
        defaults: the layouts of samples without a layout, by number of dimensions.
    """
    if not layout:
        layout = defaults.get(ndim, "")
        if not layout:
            expected = " or ".join(sorted(defaults.values(), key=len))
            raise LayoutError(
                f"the sample has {ndim} dimensions and no layout; expected {expected}. "
                + (_DECODE if ndim == 1 else _NAME)
            )
    if layout.endswith("*"):  # dimensions without names
        layout = layout.rstrip("*").ljust(ndim, "*")
    if len(layout) != ndim:
        raise LayoutError(
            f"the layout {layout!r} names {len(layout)} dimensions, but the sample has {ndim}"
        )
    return layout


def image_layout(owner: str, layout: str, ndim: int, *others: str) -> str:
    """Return the layout of an image, as `layout_of`: HW, HWC, or one of `others`.

    Raises:
        ArgumentError: the layout is another one; the message names the operator, `owner`.
    """
    layout = layout_of(layout, ndim, IMAGE_LAYOUTS)
    allowed = (*IMAGE_LAYOUTS.values(), *others)
    if layout not in allowed:
        *first, last = allowed
        raise ArgumentError(
            f"{owner} takes {', '.join(first)} and {last}, or F in front of them, but the sample "
            f"is {layout!r}; bring it into such an order with fn.transpose"
        )
    return layout


def find_axis(layout: str, letter: str) -> int:
    """Return the index of `letter` in the layout."""
    axis = layout.find(letter)
    if axis < 0:
        known = f" in the layout {layout!r} of the sample" if layout else ": it has no layout"
        raise LayoutError(f"there is no axis {letter!r}{known}; give its index instead")
    return axis


def lines_axis(owner: str, layout: str, ndim: int) -> int:
    """Return the index of H in images or videos, which W must follow."""
    known = layout_of(layout, ndim, VIDEO_LAYOUTS)
    first = find_axis(known, "H")
    if find_axis(known, "W") != first + 1:
        raise ArgumentError(
            f"{owner} needs W right after H, but the layout is {known!r}; use fn.transpose before"
        )
    return first


def chosen_axes(
    layout: str, ndim: int, axes: Sequence[int] | None, axis_names: str | None
) -> tuple[int, ...]:
    """Return the axes that the user chose, as indices from the front, in the order of the choice.

    Args:
        layout: the sample's layout; only `axis_names` needs it.
        ndim: number of dimensions of the sample.
        axes: indices; negative ones count from the back.
        axis_names: letters of the layout; if given, they replace `axes`.
    """
    if axis_names:
        chosen = tuple(find_axis(layout, letter) for letter in axis_names)
    else:
        chosen = tuple(_index(axis, ndim) for axis in axes or ())
    if len(set(chosen)) != len(chosen):
        raise ArgumentError(
            f"an axis is named twice in {axis_names or axes!r} (a negative index may be the "
            "same axis as a positive one); name each axis once"
        )
    return chosen


def _index(axis: int, ndim: int) -> int:
    if not -ndim <= axis < ndim:
        raise ArgumentError(
            f"the axis {axis} is outside of [{-ndim}, {ndim - 1}], the axes of a sample with "
            f"{ndim} dimensions"
        )
    return axis % ndim


def per_axis(name: str, values: Sequence[object], count: int) -> tuple[Any, ...]:
    """Return one value for each of `count` axes; a single value serves all of them."""
    if len(values) == count:
        return tuple(values)
    if len(values) == 1:
        return (values[0],) * count
    raise ArgumentError(
        f"{name!r} has {len(values)} values for {count} axes; give one for each axis, or one "
        "for all"
    )


def check_exclusive(owner: str, given: frozenset[str], *names: str) -> None:
    """Raise if the user gave more than one of the arguments `names`."""
    both = [name for name in names if name in given]
    if len(both) > 1:
        listed = " and ".join(both)
        raise ArgumentError(f"{owner}: {listed} exclude one another; give one of them")
