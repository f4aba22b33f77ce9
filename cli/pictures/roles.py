"""What the outputs of a pipeline show: images, masks, boxes, clips, spectrograms, labels, text.

A pipeline does not say what its arrays mean. The layout, the dtype and the shapes of an output do,
and the other outputs of the batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from ...engine.arrays import Array

CHANNELS = (1, 3, 4)
_FEW = 8  # so many numbers are written as text, more are drawn


class Role(Enum):
    """What an output shows, and so how it is drawn."""

    IMAGE = "image"
    ENCODED = "encoded image"
    MASK = "mask"
    BOXES = "boxes"
    BOX_LABELS = "labels of the boxes"
    CLIP = "clip"
    VOLUME = "volume"
    MAP = "array"
    SPECTROGRAM = "spectrogram"
    WAVE = "waveform"
    SOUND = "encoded sound"
    VIDEO = "encoded video"
    LABEL = "label"
    NUMBERS = "numbers"
    TEXT = "text"
    BYTES = "bytes"
    UNKNOWN = ""


IMAGES = (Role.IMAGE, Role.ENCODED)


@dataclass(frozen=True)
class Output:
    """One output of a batch.

    Attributes:
        name: such as "output 0" or the name of a feature.
        rows: the samples' arrays.
        layout: meaning of the dimensions, one letter each, or "".
        role: what the output shows.
        damaged: rows whose encoded file is damaged; their arrays are empty.
    """

    name: str
    rows: Sequence[Array]
    layout: str = ""
    role: Role = Role.UNKNOWN
    damaged: frozenset[int] = frozenset()

    @property
    def filled(self) -> list[Array]:
        """The arrays that have elements."""
        return [row for row in self.rows if row.size]

    def shown_as(self, role: Role) -> Output:
        """Return the output with a role."""
        return replace(self, role=role)


def with_roles(outputs: Sequence[Output]) -> list[Output]:
    """Return the outputs with the role of each; of complex numbers, the magnitudes are shown."""
    known = [output.shown_as(_own_role(output)) for output in map(_real, outputs)]
    images = [output for output in known if output.role in IMAGES]
    known = [
        output.shown_as(Role.MASK) if any(_covers(output, image) for image in images) else output
        for output in known
    ]
    boxes = next((output for output in known if output.role == Role.BOXES), None)
    if boxes is None:
        return known
    return [
        output.shown_as(Role.BOX_LABELS) if _counts(output, boxes) else output for output in known
    ]


def _real(output: Output) -> Output:
    is_complex = any(row.dtype.kind == "c" for row in output.rows)
    return replace(output, rows=[np.abs(row) for row in output.rows]) if is_complex else output


def _own_role(output: Output) -> Role:
    """Return the role that an output has by itself, whatever the other outputs are."""
    if output.role != Role.UNKNOWN:
        return output.role
    if not output.filled:
        return Role.NUMBERS
    ndim = output.filled[0].ndim
    if ndim < 4:
        return (_of_numbers, _of_vectors, _of_matrices, _of_three)[ndim](output)
    if ndim > 4:
        return Role.NUMBERS
    return Role.VOLUME if "D" in output.layout else Role.CLIP


def _of_numbers(output: Output) -> Role:
    return Role.LABEL if output.filled[0].dtype.kind in "iub" else Role.NUMBERS


def _of_vectors(output: Output) -> Role:
    rows = output.filled
    if rows[0].dtype == np.uint8:
        return Role.TEXT if all(text_of(row) is not None for row in rows) else Role.BYTES
    longest = max(row.size for row in rows)
    if longest == 1:
        return _of_numbers(output)
    return Role.WAVE if longest > _FEW else Role.NUMBERS


def _of_matrices(output: Output) -> Role:
    rows = output.filled
    if output.layout in ("ft", "tf"):
        return Role.SPECTROGRAM
    if output.layout == "tc":
        return Role.WAVE
    if output.layout in ("", "xyXY", "xyWH") and all(row.shape[1] == 4 for row in rows):
        return Role.BOXES
    return Role.IMAGE if rows[0].dtype == np.uint8 else Role.MAP


def _of_three(output: Output) -> Role:
    rows = output.filled
    if "C" in output.layout:
        return _of_channels(rows, output.layout.index("C"))
    if output.layout:
        return Role.VOLUME
    return _of_channels(rows, -1) if rows[0].shape[-1] in CHANNELS else _of_channels(rows, 0)


def _of_channels(rows: Sequence[Array], axis: int) -> Role:
    return Role.IMAGE if all(row.shape[axis] in CHANNELS for row in rows) else Role.VOLUME


def _covers(output: Output, image: Output) -> bool:
    """Return whether an output has an integer for each pixel of an image."""
    if output is image or output.role not in (*IMAGES, Role.MAP):
        return False
    return all(
        row.dtype.kind in "iub"
        and _plane(picture, image.layout) is None
        and _plane(row, output.layout) == picture_size(picture, image.layout)
        for row, picture in zip(output.rows, image.rows, strict=True)
        if row.size and picture.size
    )


def _plane(row: Array, layout: str) -> tuple[int, int] | None:
    """Return height and width of an array with one number a pixel; None for other arrays."""
    if row.ndim == 2:
        return row.shape[0], row.shape[1]
    channels = layout.find("C") if "C" in layout else -1
    return picture_size(row, layout) if row.ndim == 3 and row.shape[channels] == 1 else None


def picture_size(picture: Array, layout: str) -> tuple[int, int]:
    """Return height and width of an image, whichever axis holds its channels."""
    first = is_channels_first(picture, layout)
    height, width = picture.shape[1:] if first else picture.shape[:2]
    return height, width


def is_channels_first(picture: Array, layout: str) -> bool:
    """Return whether an image's channels are its first axis."""
    if picture.ndim < 3:
        return False
    if "C" in layout:
        return layout.index("C") < layout.index("W")
    return picture.shape[-1] not in CHANNELS and picture.shape[-3] in CHANNELS


def _counts(output: Output, boxes: Output) -> bool:
    """Return whether an output has an integer for each box."""
    return output.role in (Role.LABEL, Role.NUMBERS, Role.WAVE) and all(
        row.dtype.kind in "iu" and row.ndim in (1, 2) and row.size == len(box)
        for row, box in zip(output.rows, boxes.rows, strict=True)
    )


def text_of(data: Array) -> str | None:
    """Return the text that bytes hold in UTF-8; None if these are no printable text."""
    try:
        text = data.tobytes().decode()
    except UnicodeDecodeError:
        return None
    return text if all(letter.isprintable() or letter in "\n\t" for letter in text) else None
