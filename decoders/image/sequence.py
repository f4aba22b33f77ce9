"""Decode the frames of `fn.readers.sequence` into one array."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine.errors import DecodeError
from ...engine.graph.context import Workspace
from ...engine.graph.operator import Array, register
from ...engine.graph.params import IMAGE_TYPE, param
from ...engine.graph.rules import Input
from ...engine.tensors.dtypes import RGB
from .decode import decode, peek_shape
from .image_decoder import FormatUser


@register
class DecodeSequence(FormatUser):
    """Decodes images of one size to the frames of a sequence.

    Inputs:
        frames: one encoded image a frame; uint8, one dimension.

    Outputs:
        the frames: uint8, FHWC.

    Raises:
        DecodeError: an image is damaged, or differs in size from the first image.
    """

    name = "_decode_sequence"
    inputs = (Input("frames", many=True),)

    image_type = param(IMAGE_TYPE, RGB, "Color space of the output.")

    def output_layouts(self) -> tuple[str, ...]:
        return ("FHWC",)

    def sample(self, workspace: Workspace, *frames: Array) -> Array:
        output = self.image_type.name
        shape = peek_shape(frames[0], output=output)
        out = workspace.empty((len(frames), *shape), np.uint8)
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
        raise DecodeError(f"the frame has shape {image.shape}, the first frame {out.shape}")
    if not np.may_share_memory(image, out):
        np.copyto(out, image)
