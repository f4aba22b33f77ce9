"""Images in other layouts: with their axes in another order, or two of them as a video."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..engine.arrays import Array
from ..engine.graph.operator import OPERATORS

IMAGE = "HWC"

__all__ = ["IMAGE", "frames_of", "in_layout", "takes_all_axes", "with_letters"]


def with_letters(operator: str, arguments: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return arguments for images with letters in place of the numbers of axes.

    None if the operator takes numbers alone: these name other axes in other layouts.
    """
    named, params = dict(arguments), OPERATORS[operator].params
    for number, letters in (("axes", "axis_names"), ("axis", "axis_name")):
        default = getattr(params.get(letters), "default", None)
        axes = named.pop(number, None)
        if axes is None and number in params and not default and letters not in named:
            axes = params[number].default
        if axes is None:
            continue
        if letters not in params or letters in named:
            return None
        named[letters] = "".join(IMAGE[axis] for axis in np.atleast_1d(axes))
    return named


def takes_all_axes(operator: str, arguments: Mapping[str, Any]) -> bool:
    """Return whether an operator that works along chosen axes is given none, which means all."""
    params = OPERATORS[operator].params
    chosen = arguments.get("axis_names") or getattr(params.get("axis_names"), "default", None)
    return "axes" in params and not chosen


def frames_of(inputs: Sequence[Sequence[Any]], layout: str) -> list[list[list[Array]]]:
    """Return the inputs for each frame of a layout: two if it has F, the second upside down."""
    return [
        [
            [turned(row) if np.ndim(row) == len(IMAGE) else np.asarray(row) for row in rows]
            for rows in inputs
        ]
        for turned in (np.asarray, np.flipud)[: 1 + ("F" in layout)]
    ]


def in_layout(frames: Sequence[Sequence[Array]], given: str, layout: str) -> list[Array]:
    """Return samples of a layout, made from those of each frame, which have the layout `given`.

    >>> image = np.zeros((4, 5, 3))
    >>> [sample.shape for sample in in_layout([[image], [image]], "HWC", "FCHW")]
    [(2, 3, 4, 5)]
    """
    is_video = "F" in layout
    order = [("F" + given if is_video else given).index(letter) for letter in layout]
    samples = [np.stack(rows) if is_video else rows[0] for rows in zip(*frames, strict=True)]
    return [sample.transpose(order) for sample in samples]
