"""`fn.experimental.inputs.video`: sequences of videos that the program feeds."""

from __future__ import annotations

import io
from collections import deque
from itertools import islice

import numpy as np

from ...engine.errors import ArgumentError
from ...engine.graph.context import BatchContext, HeapWorkspace
from ...engine.graph.inputs import FedInput
from ...engine.graph.operator import Array, register
from ...engine.graph.params import BOOL, INT, NO_EFFECT, REQUIRED, STR, param
from ...engine.graph.rules import GpuRules
from ...engine.order.selection import Selection
from ...engine.tensors import TensorListCPU, TensorListGPU
from ...formats.media import pyav
from .clip_frames import collect
from .decoder_pool import DecoderPool
from .frames import FrameReader
from .on_device import DecodesClips
from .pictures import ClipDecoder


@register
class VideoInput(DecodesClips, FedInput):
    """Hands out one long video after the other in sequences of frames.

    `Pipeline.feed_input(name, video)` queues a video: its bytes as an array of uint8, or a list of
    one such array, or an array whose other extents are 1. Each run returns a batch of the next
    sequences. The last batch of a video may be smaller. Only the frames of a batch are decoded at
    a time.

    With device="mixed" the GPU's video decoder decodes what it can: see `decoders.video`.

        with Pipeline(batch_size=4, num_threads=2) as pipe:
            frames = fn.experimental.inputs.video(name="camera", sequence_length=16)
            pipe.set_outputs(frames)
            pipe.feed_input("camera", np.fromfile("walk.mp4", np.uint8))
            (sequences,) = pipe.run()  # each (16, height, width, 3)

    Outputs:
        sequences: uint8, FHWC, RGB.

    Raises:
        DecodeError: the bytes are no video (from `feed_input`), or a frame is damaged.
    """

    name = "experimental.inputs.video"
    devices = ("cpu", "mixed")
    on_gpu = GpuRules(in_order=True)  # the decoder goes on from batch to batch

    sequence_length = param(INT, REQUIRED, "Frames of a sequence.", minimum=1)
    last_sequence_policy = param(
        STR,
        "partial",
        "Whether the last sequence of a video may have fewer frames ('partial'), or black frames "
        "fill it up ('pad').",
        choices=("partial", "pad"),
    )
    blocking = param(
        BOOL, False, "If no video was fed, let `run` wait for one, instead of raising an error."
    )
    no_copy = param(
        BOOL, False, "Use the bytes without a copy; the program must not change them meanwhile."
    )
    affine = param(BOOL, True, NO_EFFECT)

    def prepare(self) -> None:
        pyav()
        self.waits_for_feed = self.blocking
        self.decode_by(ClipDecoder())
        self._videos: deque[_FedVideo] = deque()
        self._batch_size = self._handed_out = 0
        self._clips: dict[int, tuple[_FedVideo, list[Array]]] = {}
        self._selections: dict[int, Selection] = {}

    def output_layouts(self) -> tuple[str, ...]:
        return ("FHWC",)

    def open(self, batch_size: int, state: object) -> None:
        self._batch_size = batch_size

    def available(self) -> int:
        return sum(video.batches(self._batch_size) for video in list(self._videos))

    def feed(self, data: object, layout: str | None = None, cuda_stream: object = None) -> None:
        """Queue a video; `Pipeline.feed_input` calls this in any thread."""
        encoded = np.asarray(data)
        if encoded.ndim > 1 and encoded.size == encoded.shape[-1]:
            encoded = encoded.reshape(-1)  # a batch of one video, as DALI's programs make it
        if encoded.ndim != 1 or encoded.dtype != np.uint8:
            self.refuse(
                "a video is an array of uint8 with one dimension, or a list of one such array: a "
                f"batch has one video; got {encoded.dtype} of shape {encoded.shape}"
            )
        self._videos.append(
            _FedVideo(np.array(encoded, copy=None if self.no_copy else True, order="C"), self)
        )

    def fetch(self, number: int, batch_size: int) -> int:
        while self._videos and not self._videos[0].left:
            self._videos.popleft()
        if not self._videos:
            raise ArgumentError("no video was fed: call feed_input before the run")
        video = self._videos[0]
        clips = video.take_clips(batch_size)
        positions = np.arange(self._handed_out, self._handed_out + len(clips))
        self._handed_out += len(clips)
        self._clips[number] = video, clips
        self._selections[number] = Selection(
            positions, np.zeros_like(positions), positions, np.ones(len(clips), bool)
        )
        return len(clips)

    def select(self, number: int, batches: int = 1) -> Selection | None:
        return self._selections.pop(number)

    def batch(self, batch: BatchContext) -> tuple[TensorListCPU, ...]:
        video, clips = self._clips.pop(batch.number)
        workspace = HeapWorkspace(batch.empty)
        rows = [self._decoder.decode(video.reader, clip, workspace) for clip in clips]
        self._close_if_done(video)
        return (TensorListCPU(rows, "FHWC"),)

    def batch_gpu(self, batch: BatchContext) -> tuple[TensorListGPU]:
        assert self._on_device is not None
        video, clips = self._clips.pop(batch.number)
        video.use_pool(self._on_device.pool_for(batch.device))
        rows = [collect(video.reader, clip, self._decoder.space) for clip in clips]
        self._close_if_done(video)
        return (self._on_device.convert(batch, rows),)

    def close(self) -> None:
        for video in self._videos:
            video.reader.close()
        self._videos.clear()
        super().close()

    def _close_if_done(self, video: _FedVideo) -> None:
        if not video.left and not any(video is other for other, _ in [*self._clips.values()]):
            video.reader.close()


class _FedVideo:
    """A video, and the sequences that are left of it."""

    def __init__(self, encoded: Array, owner: VideoInput) -> None:
        self._encoded = encoded
        self._pool: DecoderPool | None = None
        self.reader = FrameReader(io.BytesIO(encoded.data))
        self._length = owner.sequence_length
        self._pads = owner.last_sequence_policy == "pad"
        self._starts = deque(range(0, len(self.reader.index), self._length))

    @property
    def left(self) -> int:
        """The number of sequences that were not taken."""
        return len(self._starts)

    def batches(self, batch_size: int) -> int:
        """Return the number of batches that are left."""
        return -(-self.left // max(1, batch_size))

    def use_pool(self, pool: DecoderPool | None) -> None:
        """Read with decoders out of a pool from now on."""
        if pool is not None and self._pool is None:
            self._pool = pool
            self.reader.close()
            self.reader = FrameReader(io.BytesIO(self._encoded.data), self.reader.index, pool)

    def take_clips(self, most: int) -> list[Array]:
        """Take the next sequences: the numbers of their frames, -1 for a black frame."""
        starts = list(islice(self._starts, most))
        for _ in starts:
            self._starts.popleft()
        return [self._clip(start) for start in starts]

    def _clip(self, start: int) -> Array:
        numbers = np.arange(start, start + self._length)
        count = len(self.reader.index)
        return np.where(numbers < count, numbers, -1) if self._pads else numbers[numbers < count]
