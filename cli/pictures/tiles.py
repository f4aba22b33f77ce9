"""The tile of one sample: its pictures side by side, and text below them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from ...engine.arrays import Array
from . import pixels
from .lettering import BLACK, DIM, LINE, WHITE, cut_to, draw_text
from .overlays import box_form, draw_boxes, draw_mask
from .pixels import Picture
from .roles import IMAGES, Output, Role, picture_size, text_of

MARGIN = 6
BACKGROUND = 40
_FRAMES = 6  # of a clip, at most
_WIDE = 2  # sides of a tile that a wide picture may take
_LINES = 5  # of text, at most


@dataclass(frozen=True)
class SampleText:
    """What is known of a sample beside its arrays.

    Attributes:
        number: its index in the data set, or its row in the batch.
        key: where the sample is stored, or "".
        class_names: names of the labels 0, 1, 2, ...; may be empty.
    """

    number: int
    key: str = ""
    class_names: Sequence[str] = ()


def draw_tile(
    pictures: Sequence[Picture], lines: Sequence[str], known: SampleText, *, side: int, height: int
) -> Picture:
    """Return the tile of a sample.

    Args:
        pictures: see `pictures_of`.
        lines: see `captions`.
        known: number and key of the sample.
        side: the least width of a tile in pixels.
        height: of the area for the pictures.
    """
    framed = [_framed(picture, side) for picture in pictures]
    width = max(side, sum(picture.shape[1] for picture in framed) + MARGIN * (len(framed) - 1))
    start = height + MARGIN if height else 0
    tile = np.full((start + LINE * len(lines), width, 3), BACKGROUND, np.uint8)
    x = 0
    for picture in framed:
        top = (height - picture.shape[0]) // 2
        tile[top : top + picture.shape[0], x : x + picture.shape[1]] = picture
        x += picture.shape[1] + MARGIN
    for number, line in enumerate(lines):
        text = cut_to(line, width - 2, keep_end=line == known.key)
        baseline = start + LINE * (number + 1) - 5
        draw_text(tile, text, 1, baseline, DIM if number else WHITE)
    return tile


def captions(outputs: Sequence[Output], row: int, known: SampleText) -> list[str]:
    """Return the lines of text below a sample's pictures: its number, label, key, other values."""
    first = [f"#{known.number}"]
    others = []
    for output in outputs:
        text = _caption(output.rows[row], output.role, known.class_names)
        if output.role == Role.LABEL:
            first.append(text)
        elif text:
            others.append(text if output.role == Role.TEXT else f"{output.name}: {text}")
    return ["  ".join(first), *([known.key] if known.key else []), *others][:_LINES]


def _caption(array: Array, role: Role, class_names: Sequence[str]) -> str:
    if role == Role.LABEL:
        return _label(int(array.reshape(-1)[0]), class_names) if array.size else "no label"
    if role == Role.TEXT:
        return text_of(array) or ""
    if role == Role.BYTES:
        return f"{array.size:,} bytes" if array.size else ""
    if role == Role.NUMBERS:
        return np.array2string(array, precision=4, separator=", ", threshold=8).replace("\n", "")
    return ""


def _label(number: int, class_names: Sequence[str]) -> str:
    name = _name(number, class_names)
    return f"label {number}" if name == str(number) else f"{name} ({number})"


def _name(number: int, class_names: Sequence[str]) -> str:
    """Return the name of a class, or its number."""
    is_named = 0 <= number < len(class_names) and class_names[number]
    return class_names[number] if is_named else str(number)


def pictures_of(outputs: Sequence[Output], row: int, known: SampleText, side: int) -> list[Picture]:
    """Return the pictures of a sample, at most `side` pixels high, with masks and boxes."""
    overlays = [output for output in outputs if output.role == Role.MASK]
    boxes = next((output for output in outputs if output.role == Role.BOXES), None)
    labels = next((output for output in outputs if output.role == Role.BOX_LABELS), None)
    drawn = []
    for output in outputs:
        array = output.rows[row]
        if row in output.damaged:
            drawn.append(_damaged(side))
        elif not array.size:
            continue
        elif output.role in IMAGES:
            whole = pixels.image(array, output.layout)
            picture = fitted(whole, side, side)
            for mask in overlays:
                if picture_size(mask.rows[row], mask.layout) == whole.shape[:2]:
                    draw_mask(picture, mask.rows[row])
            if boxes is not None and boxes.rows[row].size:
                numbers = [] if labels is None else labels.rows[row].ravel().tolist()
                named = [(number, _name(number, known.class_names)) for number in numbers]
                draw_boxes(picture, boxes.rows[row], box_form(boxes), whole.shape[:2], named)
            drawn.append(picture)
        elif output.role in _DRAW:
            drawn.append(_DRAW[output.role](array, output.layout, side))
    return drawn


def _damaged(side: int) -> Picture:
    picture = np.full((side, side, 3), 70, np.uint8)
    draw_text(picture, "damaged", side // 2 - 30, side // 2)
    return picture


def fitted(picture: Picture, width: int, height: int) -> Picture:
    """Return a picture that fills the width or the height; small ones in whole large pixels."""
    factor = min(width / picture.shape[1], height / picture.shape[0])
    if factor >= 2:
        factor = int(factor)
    size = [max(1, round(extent * factor)) for extent in picture.shape[1::-1]]
    way = cv2.INTER_AREA if factor < 1 else cv2.INTER_NEAREST if factor >= 2 else cv2.INTER_LINEAR
    return np.array(cv2.resize(picture, size, interpolation=way), np.uint8)


def _framed(picture: Picture, side: int) -> Picture:
    """Return the picture, in the middle of a square's width if it is narrower."""
    rest = max(0, side - picture.shape[1])
    return np.pad(
        picture, ((0, 0), (rest // 2, rest - rest // 2), (0, 0)), constant_values=BACKGROUND
    )


def _clip(array: Array, layout: str, side: int) -> Picture:
    numbers = np.unique(np.linspace(0, len(array) - 1, _FRAMES).round().astype(int))
    frames = [
        fitted(pixels.image(array[number], layout.replace("F", "")), side, side * 2 // 3)
        for number in numbers
    ]
    for number, frame in zip(numbers, frames, strict=True):
        draw_text(frame, str(number), 4, 15, BLACK)
        draw_text(frame, str(number), 3, 14)
    return np.hstack([np.pad(frame, ((0, 0), (0, 2), (0, 0))) for frame in frames])


def _sound(array: Array, side: int) -> Picture:
    """Return the waveform, and below it the spectrogram of all channels together."""
    curve = pixels.wave(array, _WIDE * side, side // 3)
    powers = pixels.short_time_powers(array.mean(axis=1))
    below = fitted_freely(pixels.spectrogram(powers, "ft"), _WIDE * side, side - len(curve))
    return np.vstack([curve, below])


_DRAW: dict[Role, Callable[[Array, str, int], Picture]] = {
    Role.CLIP: _clip,
    Role.VIDEO: _clip,
    Role.VOLUME: lambda array, layout, side: fitted(pixels.volume_slice(array, layout), side, side),
    Role.MAP: lambda array, layout, side: fitted(pixels.heat_map(array), _WIDE * side, side),
    Role.SPECTROGRAM: lambda array, layout, side: fitted_freely(
        pixels.spectrogram(array, layout), _WIDE * side, side
    ),
    Role.WAVE: lambda array, layout, side: pixels.wave(array, _WIDE * side, side // 2),
    Role.SOUND: lambda array, layout, side: _sound(array, side),
}
"""The pictures of roles that nothing is drawn upon."""


def fitted_freely(picture: Picture, width: int, height: int) -> Picture:
    """Return a picture of this width and height, whatever its proportions."""
    way = cv2.INTER_AREA if picture.shape[1] > width else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(picture, (width, height), interpolation=way), np.uint8)
