"""`fn.decoders.video`: clips out of encoded files in memory."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...engine.errors import ArgumentError
from ...engine.graph.context import HeapWorkspace, Workspace
from ...engine.graph.limits import Remedies
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import BOOL, INT, INTS, NO_EFFECT, STR, param
from ...engine.graph.row_arguments import arguments_of_row
from ...engine.tensors import TensorListCPU, TensorListGPU
from ...formats.media import pyav
from ...formats.video.selection import PAD_MODES, padded
from ...formats.video.sound_arguments import SoundArguments
from .clip_frames import SMALLER_VIDEOS, ClipFrames, collect
from .frames import FrameReader
from .on_device import DecodesClips
from .pictures import ClipDecoder
from .sound import SoundTrack
from .span_sound import decode_span

if TYPE_CHECKING:
    from ...engine.graph.context import BatchContext

_RANGE = ("start_frame", "end_frame", "sequence_length", "stride")


@register
class Video(SoundArguments, DecodesClips, SampleOperator):
    """Decodes frames of videos: all codecs and containers that FFmpeg reads, such as H.264, HEVC,
    VP9 and AV1 in MP4, Matroska, AVI or MPEG-TS.

    Frames are counted in the order of their presentation, whatever their rate. Without arguments,
    the result holds all frames. `frames` lists frames; or `start_frame`, `stride` and either
    `end_frame` or `sequence_length` give a range. Colors follow the matrix and the range that the
    video states; without a statement, the matrix is ITU-R BT.601. Videos that are marked as turned
    are turned upright.

    With device="mixed" the GPU's video decoder decodes what it can, as a rule H.264 and HEVC of
    4:2:0, VP8, VP9, AV1, MPEG-2 and MPEG-4. Threads of the CPU decode the rest, of which the GPU
    converts the planes (docs/video.md).

    With `audio` the result has the sound, too: from the beginning of the first of the frames, in
    the order of presentation, to the end of the last one, by the file's time stamps. The sound is
    zero where the audio stream has no samples.

    >>> import cv2
    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> writer = cv2.VideoWriter("clip.avi", cv2.VideoWriter.fourcc(*"MJPG"), 25, (64, 48))
    >>> for brightness in range(0, 250, 25):
    ...     _ = writer.write(np.full((48, 64, 3), brightness, np.uint8))
    >>> writer.release()
    >>> clip = np.fromfile("clip.avi", np.uint8)
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.decoders.video(clip, start_frame=2, sequence_length=4))
    ...     (result,) = pipe.run()
    ...     print(result.shape())
    [(4, 48, 64, 3)]

    Inputs:
        encoded: a whole video file a sample; uint8, one dimension.

    Outputs:
        frames: uint8, FHWC, RGB.
        sound: float32 from -1 to 1, shape (samples, channels), or (samples,) with `audio_downmix`.
        rate of the sound: float32, a scalar, in Hz.

    Raises:
        DecodeError: the bytes are no video; a frame that is asked for is damaged, missing, or of
            another size than the clip's first frame. With `audio`: there is no audio stream, or it
            is damaged.
        ArgumentError: the range starts behind the last frame.
    """

    name = "decoders.video"
    aliases = ("experimental.decoders.video",)
    devices = ("cpu", "mixed")
    inputs = ("encoded",)

    frames = param(INTS, None, "Numbers of the frames, in any order.", per_sample=True, minimum=0)
    start_frame = param(INT, None, "First frame, by default 0.", per_sample=True, minimum=0)
    end_frame = param(
        INT, None, "Frame behind the last one, by default the video's end.", per_sample=True
    )
    sequence_length = param(INT, None, "Number of frames.", per_sample=True, minimum=0)
    stride = param(
        INT,
        None,
        "Distance between two frames of the clip, by default 1.",
        per_sample=True,
        minimum=1,
    )
    pad_mode = param(
        STR,
        "constant",
        "What replaces frames behind the video's end: 'constant' is a frame of `fill_value`, "
        "'edge' or 'repeat' the last frame; 'reflect_1001' or 'symmetric' goes back through the "
        "video from its last frame on, 'reflect_101' or 'reflect' from the last frame but one; "
        "'none' leaves the frames out, and refuses such numbers in `frames`.",
        choices=PAD_MODES,
    )
    fill_value = param(
        INTS, (0,), "One value from 0 to 255, or one a channel.", minimum=0, maximum=255
    )
    affine = param(BOOL, True, NO_EFFECT)
    build_index = param(BOOL, True, NO_EFFECT)

    def num_outputs(self) -> int:
        return 3 if self.audio else 1

    def prepare(self) -> None:
        super().prepare()
        pyav()
        if len(self.fill_value) not in (1, 3):
            self.refuse(f"fill_value has {len(self.fill_value)} values; give 1 or 3")
        ranged = [name for name in _RANGE if name in self.given]
        if "frames" in self.given and ranged:
            self.refuse(f"`frames` excludes {' and '.join(ranged)}")
        if "end_frame" in self.given and "sequence_length" in self.given:
            self.refuse("`end_frame` excludes `sequence_length`")
        self.decode_by(ClipDecoder(fill=self.fill_value))

    def output_layouts(self) -> tuple[str, ...]:
        return ("FHWC", "", "")[: self.num_outputs()]

    def sample(self, workspace: Workspace, encoded: Array, **arguments: Any) -> Any:
        reader = FrameReader(io.BytesIO(encoded.data), check_running=workspace.check_running)
        try:
            numbers = self._numbers(len(reader.index), **arguments)
            frames = self._decoder.decode(reader, numbers, workspace)
            if not self.audio:
                return frames
            return frames, *self._sound(encoded, reader.index.span(numbers), workspace)
        finally:
            reader.close()

    def batch_gpu(
        self, batch: BatchContext, encoded: TensorListCPU, **arguments: Any
    ) -> tuple[TensorListGPU, ...]:
        on_device = self._on_device
        assert on_device is not None
        pool = on_device.pool_for(batch.device)

        def decode(row: int) -> tuple[ClipFrames, *tuple[Array, ...]]:
            own = arguments_of_row(self, arguments, row)
            video = encoded.row(row)
            reader = FrameReader(io.BytesIO(video.data), pool=pool)
            try:
                numbers = self._numbers(len(reader.index), **own)
                frames = collect(reader, numbers, self._decoder.space)
                if not self.audio:
                    return (frames,)
                span = reader.index.span(numbers)
                return frames, *self._sound(video, span, HeapWorkspace(batch.empty))
            finally:
                reader.close()

        return on_device.run(batch, decode, self._silence(), self.output_layouts())

    def remedies(self) -> Remedies:
        return {"decoding": SMALLER_VIDEOS}

    def _sound(
        self, encoded: Array, span: tuple[float, float], workspace: Workspace
    ) -> tuple[Array, Any]:
        track = SoundTrack(io.BytesIO(encoded.data))
        try:
            return decode_span(track, span, workspace, **self.sound_arguments(), output=1)
        finally:
            track.close()

    def _silence(self) -> tuple[Array, ...]:
        shape = (0,) if self.audio_downmix else (0, 1)
        return (np.zeros(shape, np.float32), np.zeros((), np.float32)) if self.audio else ()

    def _numbers(
        self,
        count: int,
        *,
        frames: Sequence[int] | None,
        start_frame: int | None,
        end_frame: int | None,
        sequence_length: int | None,
        stride: int | None,
    ) -> Array:
        if frames is not None:
            return self._listed(np.array(frames, np.int64), count)
        start, step = start_frame or 0, stride or 1
        if not 0 <= start < count:
            raise ArgumentError(f"start_frame is {start}, but the video has {count} frames")
        if sequence_length is not None:
            end = start + sequence_length * step
        else:
            end = count if end_frame is None else end_frame
        if end < start:
            raise ArgumentError(f"end_frame is {end}, before start_frame, {start}")
        return padded(np.arange(start, end, step), count, self.pad_mode)

    def _listed(self, numbers: Array, count: int) -> Array:
        result = padded(numbers, count, self.pad_mode)
        if numbers.min(initial=0) < 0 or len(result) < len(numbers):
            raise ArgumentError(
                f"frames are {numbers.tolist()}, but the video has {count} frames, from 0 on; set "
                "pad_mode to replace frames behind its end"
            )
        return result
