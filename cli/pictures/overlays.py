"""Masks and boxes on images."""

from __future__ import annotations

import colorsys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np

from ...engine.arrays import Array
from .lettering import WHITE, Color, draw_text, text_width
from .pixels import Picture
from .roles import Output

_GOLDEN = 0.618034
"""Step of the hue from one number to the next, so that near numbers differ."""

_OPACITY = 0.5

CORNERS, SIZES = _BOX_LAYOUTS = ("xyXY", "xyWH")
"""Layouts of boxes, in DALI's letters."""


@cache
def color_of(number: int) -> Color:
    """Return the color of a class."""
    red, green, blue = colorsys.hsv_to_rgb(number * _GOLDEN % 1, 0.75, 1.0)
    return round(255 * red), round(255 * green), round(255 * blue)


def draw_mask(picture: Picture, mask: Array) -> None:
    """Color the pixels of each class of a mask, and outline them; 0 is the background.

    Args:
        picture: the image, at the size at which it is drawn.
        mask: an integer for each pixel of the stored image: (height, width), or with an axis of
            length 1.
    """
    height, width = picture.shape[:2]
    plane = mask.reshape([extent for extent in mask.shape if extent != 1] or [1, 1])
    plane = plane.reshape(len(plane), -1).astype(np.int32)
    shown = cv2.resize(plane, (width, height), interpolation=cv2.INTER_NEAREST)
    for number in np.unique(shown[shown != 0]).tolist():
        chosen = shown == number
        color = np.array(color_of(number), np.float32)
        picture[chosen] = picture[chosen] * (1 - _OPACITY) + color * _OPACITY
        outlines, _ = cv2.findContours(
            chosen.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE
        )
        cv2.drawContours(picture, outlines, -1, color_of(number), 1)


@dataclass(frozen=True)
class BoxForm:
    """The meaning of a box's four numbers.

    Attributes:
        corners: left, top, right and bottom; otherwise left, top, width and height.
        relative: fractions of the image's sides; otherwise pixels.
    """

    corners: bool
    relative: bool

    def __str__(self) -> str:
        names = "left, top, right, bottom" if self.corners else "left, top, width, height"
        return f"{names} in {'fractions' if self.relative else 'pixels'}"


def box_form(boxes: Output) -> BoxForm:
    """Return the form of all boxes of a batch, as far as layout and numbers show it.

    The layout "xyXY" stands for corners, "xyWH" for width and height. Without either, boxes are
    taken for corners if each right end is right of the left end, and each bottom below the top.
    Boxes whose numbers are at most 1 are taken for fractions.
    """
    rows = [row.reshape(-1, 4) for row in boxes.filled]
    numbers = np.concatenate([np.empty((0, 4)), *rows])
    corners = bool((numbers[:, 2:] >= numbers[:, :2]).all())
    if boxes.layout in _BOX_LAYOUTS:
        corners = boxes.layout == CORNERS
    return BoxForm(corners, relative=bool((np.abs(numbers) <= 1.01).all()))


def draw_boxes(
    picture: Picture,
    boxes: Array,
    form: BoxForm,
    size: tuple[int, int],
    labels: Sequence[tuple[int, str]],
) -> None:
    """Draw the outlines of boxes, with their labels.

    Args:
        picture: the image, at the size at which it is drawn.
        boxes: shape (boxes, 4).
        form: the meaning of the numbers.
        size: height and width of the image whose pixels the boxes count.
        labels: number and text for each box, or nothing; the number selects the color.
    """
    height, width = picture.shape[:2]
    scale = (width, height) if form.relative else (width / size[1], height / size[0])
    for number, box in enumerate(boxes.astype(np.float64).tolist()):
        ends = box[2:] if form.corners else [box[0] + box[2], box[1] + box[3]]
        left, top, right, bottom = (
            int(np.clip(round(end * factor), 0, side - 1)) if np.isfinite(end) else 0
            for end, factor, side in zip(
                [*box[:2], *ends], [*scale, *scale], [width, height] * 2, strict=True
            )
        )
        class_number, label = labels[number] if number < len(labels) else (number, "")
        color = color_of(class_number)
        cv2.rectangle(picture, (left, top), (right, bottom), color, 2)
        if label:
            _draw_label(picture, label, left, top, color)


def _draw_label(picture: Picture, label: str, left: int, top: int, color: Color) -> None:
    """Draw a label in the corner of a box, on the box's color."""
    dark = color[0] // 2, color[1] // 2, color[2] // 2
    cv2.rectangle(picture, (left, top), (left + text_width(label) + 5, top + 15), dark, -1)
    draw_text(picture, label, left + 3, top + 12, WHITE)
