"""Decode the clips of video readers: frames and sound."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ...engine.graph.context import Workspace
from ...engine.graph.limits import Remedies
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import ANY, BOOL, DTYPE, FLOAT, IMAGE_TYPE, INT, INTS, param
from ...engine.tensors.dtypes import RGB, UINT8, to_numpy_type
from .clip_frames import SMALLER_VIDEOS, ClipFrames, collect
from .on_device import DecodesClips
from .open_videos import OpenVideos, open_sound
from .pictures import ClipDecoder, frames_of
from .shared_videos import SharedVideos
from .span_sound import decode_span

if TYPE_CHECKING:
    from ...engine.graph.context import BatchContext
    from ...engine.tensors import TensorListCPU, TensorListGPU


@register
class DecodeClip(DecodesClips, SampleOperator):
    """Decodes clips of videos in files.

    Inputs:
        path: of the file, or its URL; uint8, one dimension.
        numbers: of the frames; -1 for a frame that is filled. int64, one dimension.

    Outputs:
        the frames: FHWC.

    Raises:
        OSError: the file cannot be read.
        DecodeError: the file is no video, or a frame is damaged or missing.
    """

    name = "_decode_clip"
    devices = ("cpu", "mixed")
    inputs = ("path", "numbers")

    image_type = param(IMAGE_TYPE, RGB, "Color space of the output.")
    dtype = param(DTYPE, UINT8, "Element type of the output.")
    normalized = param(BOOL, False, "Whether floats span 0 to 1.")
    fill_value = param(INTS, (0,), "Color of filled frames.")
    open_url = param(ANY, None, "Function that opens URLs.")
    index_of = param(ANY, None, "Function that returns the index of a video.")
    step = param(INT, 0, "See `SharedVideos`.")

    def prepare(self) -> None:
        dtype = to_numpy_type(self.dtype).type
        self.decode_by(ClipDecoder(self.image_type.name, dtype, self.normalized, self.fill_value))
        self._videos = SharedVideos(self.open_url, self.step, self.index_of)

    def output_layouts(self) -> tuple[str, ...]:
        return ("FHWC",)

    def sample(self, workspace: Workspace, path: Array, numbers: Array) -> Array:
        name, wanted = os.fsdecode(path.tobytes()), frames_of(numbers)
        with self._videos.lend(name, wanted, workspace.check_running) as frames:
            return self._decoder.decode(frames, numbers, workspace)

    def batch_gpu(
        self, batch: BatchContext, path: TensorListCPU, numbers: TensorListCPU
    ) -> tuple[TensorListGPU, ...]:
        on_device = self._on_device
        assert on_device is not None
        self._videos.pool = on_device.pool_for(batch.device)

        def decode(row: int) -> tuple[ClipFrames]:
            name, own = os.fsdecode(path.row(row).tobytes()), numbers.row(row)
            with self._videos.lend(name, frames_of(own), lambda: None) as frames:
                return (collect(frames, own, self.image_type.name),)

        return on_device.run(batch, decode, (), self.output_layouts())

    def remedies(self) -> Remedies:
        return {"decoding": SMALLER_VIDEOS}

    def close(self) -> None:
        self._videos.close()
        super().close()


@register
class DecodeClipSound(SampleOperator):
    """Decodes the sound of clips of videos in files.

    Inputs:
        path: of the file, or its URL; uint8, one dimension.
        span: when the clip begins and ends in seconds; float64, shape (2,).

    Outputs:
        the sound, and its rate: see `fn.readers.video`.

    Raises:
        OSError: the file cannot be read.
        DecodeError: the file has no audio stream, or the stream is damaged.
    """

    name = "_decode_clip_sound"
    inputs = ("path", "span")
    outputs = 2

    rate = param(FLOAT, 0.0, "Rate to resample to, in Hz; 0 or less for the file's own.")
    downmix = param(BOOL, False, "Return the mean of all channels.")
    open_url = param(ANY, None, "Function that opens URLs.")

    def prepare(self) -> None:
        self._videos = OpenVideos(open_sound, self.open_url)

    def sample(self, workspace: Workspace, path: Array, span: Array) -> tuple[Array, Any]:
        with self._videos.lend(os.fsdecode(path.tobytes())) as track:
            return decode_span(
                track, (span[0], span[1]), workspace, rate=self.rate, downmix=self.downmix
            )

    def close(self) -> None:
        self._videos.close()
