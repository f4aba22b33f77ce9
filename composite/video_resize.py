"""Clips of video files, resized: `fn.readers.video_resize`."""

from __future__ import annotations

from ..engine.graph.nodes import add_node
from ..engine.graph.operator import register
from ..operators.resize.resize import Resize
from .video import VideoReader


def _of_resize(name: str) -> object:
    """Return an argument of `fn.resize`; it has one value for all clips."""
    return Resize.params[name]._replace(per_sample=False)


@register
class VideoResizeReader(VideoReader):
    """Reads clips of video files, decoded and resized: `readers.video`, then `resize`.

    With device="gpu" the GPU decodes and resizes: see `decoders.video`.

    >>> import cv2
    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> writer = cv2.VideoWriter("clip.avi", cv2.VideoWriter.fourcc(*"MJPG"), 25, (64, 48))
    >>> for brightness in range(0, 250, 25):
    ...     _ = writer.write(np.full((48, 64, 3), brightness, np.uint8))
    >>> writer.release()
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     output = fn.readers.video_resize(filenames=["clip.avi"], sequence_length=4, size=24)
    ...     pipe.set_outputs(output)
    ...     (result,) = pipe.run()
    ...     print(result.shape())
    [(4, 24, 24, 3)]

    Outputs:
        clips: uint8 or float, FHWC; the other outputs are those of `experimental.readers.video`.

    Raises:
        SourceError, OSError, DecodeError: as `experimental.readers.video`.
    """

    name = "readers.video_resize"
    aliases = ("video_reader_resize",)

    antialias = _of_resize("antialias")
    interp_type = _of_resize("interp_type")
    mag_filter = _of_resize("mag_filter")
    max_size = _of_resize("max_size")
    min_filter = _of_resize("min_filter")
    minibatch_size = _of_resize("minibatch_size")
    mode = _of_resize("mode")
    resize_longer = _of_resize("resize_longer")
    resize_shorter = _of_resize("resize_shorter")
    resize_x = _of_resize("resize_x")
    resize_y = _of_resize("resize_y")
    resize_z = _of_resize("resize_z")
    roi_end = _of_resize("roi_end")
    roi_relative = _of_resize("roi_relative")
    roi_start = _of_resize("roi_start")
    size = _of_resize("size")
    subpixel_scale = _of_resize("subpixel_scale")
    temp_buffer_hint = _of_resize("temp_buffer_hint")

    def finished(self, clips: object) -> object:
        names = self.given & (Resize.params.keys() - VideoReader.params.keys())
        (resized,) = add_node(Resize, (clips,), {name: getattr(self, name) for name in names})
        return resized
