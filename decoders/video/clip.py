"""Decode the clips of video readers."""

from __future__ import annotations

import os

from ...engine.graph.context import Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import BOOL, DTYPE, IMAGE_TYPE, INTS, param
from ...engine.tensors.dtypes import RGB, UINT8, to_numpy_type
from ...formats.video.open_videos import OpenVideos
from ...formats.video.pictures import ClipDecoder


@register
class DecodeClip(SampleOperator):
    """Decodes clips of videos in files.

    Inputs:
        path: of the file; uint8, one dimension.
        numbers: of the frames; -1 for a frame that is filled. int64, one dimension.

    Outputs:
        the frames: FHWC.

    Raises:
        OSError: the file cannot be read.
        DecodeError: the file is no video, or a frame is damaged or missing.
    """

    name = "_decode_clip"
    inputs = ("path", "numbers")

    image_type = param(IMAGE_TYPE, RGB, "Color space of the output.")
    dtype = param(DTYPE, UINT8, "Element type of the output.")
    normalized = param(BOOL, False, "Whether floats span 0 to 1.")
    fill_value = param(INTS, (0,), "Color of filled frames.")

    def prepare(self) -> None:
        self._videos = OpenVideos()
        self._decoder = ClipDecoder(
            self.image_type.name, to_numpy_type(self.dtype).type, self.normalized, self.fill_value
        )

    def output_layouts(self) -> tuple[str, ...]:
        return ("FHWC",)

    def sample(self, workspace: Workspace, path: Array, numbers: Array) -> Array:
        with self._videos.lend(os.fsdecode(path.tobytes())) as reader:
            return self._decoder.decode(reader, numbers, workspace.empty)

    def close(self) -> None:
        self._videos.close()
