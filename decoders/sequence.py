"""The frames of `fn.readers.sequence`, decoded to one array."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.errors import DecodeError
from ..engine.operator import Array, Row, SampleOperator, register
from ..engine.params import IMAGE_TYPE, param
from ..engine.types import RGB
from .image import decode, peek_shape


@register
class DecodeSequence(SampleOperator):
    """Decodes images of one size to the frames of a sequence.

    Inputs:
        frames: one encoded image each; uint8, one dimension.

    Outputs:
        the frames: uint8, FHWC.

    Raises:
        DecodeError: an image is damaged, or of another size than the first one.
    """

    name = "_decode_sequence"
    inputs = ("*frames",)

    image_type = param(IMAGE_TYPE, RGB, "Colour space of the output.")

    def output_layouts(self) -> tuple[str, ...]:
        return ("FHWC",)

    def sample(self, row: Row, *frames: Array) -> Array:
        output = self.image_type.name
        shape = peek_shape(frames[0], output=output)
        out = row.empty((len(frames), *shape), np.uint8)
        for number, frame in enumerate(frames):
            try:
                _decode_into(out[number], frame, output)
            except DecodeError as error:
                error.add_note(f"frame {number} of the sequence")
                raise
        return out


def _decode_into(out: Array, frame: Array, output: str) -> None:
    def empty(shape: tuple[int, ...], dtype: Any) -> Array:
        return out if shape == out.shape else np.empty(shape, dtype)

    image = decode(frame, output=output, empty=empty)
    if image.shape != out.shape:
        raise DecodeError(f"the frame has shape {image.shape}, the first one {out.shape}")
    if not np.may_share_memory(image, out):
        np.copyto(out, image)
