"""Clips for the GPU: threads drive FFmpeg's decoders, and one launch of a kernel converts a batch.

NVIDIA's decoder, an engine of the GPU beside its cores, decodes the streams that it can take. The
CPU decodes all others, in the same threads, and their planes are copied to the GPU. Frames are
released when the device is done with the batch, because FFmpeg reuses their memory at once.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ...engine.graph.operator import Array, Operator
from ...engine.tensors import TensorListCPU, TensorListGPU
from ...formats.video.library import has_gpu_frames
from ..on_cpu import CpuFallback
from .clip_frames import NO_FRAMES, ClipFrames
from .conversion import PlaneConversion
from .decoder_pool import DecoderPool, Gpu
from .pictures import ClipDecoder

if TYPE_CHECKING:
    from ...engine.gpu.device import Device
    from ...engine.graph.context import BatchContext


_ON_CPU = "clips decoded by the CPU"

MAX_HELD_BYTES = 1 << 30
"""Bytes of a batch, in FFmpeg's memory on the GPU. With more, the thread that launches work waits
for the device, so that another batch's frames can have the memory."""


class ClipsOnDevice:
    """Decodes the clips of batches in threads of its own.

    Args:
        decoder: what makes the same clips on the CPU.
    """

    def __init__(self, decoder: ClipDecoder) -> None:
        self._conversion = PlaneConversion(
            decoder.space, decoder.dtype, decoder.normalized, decoder.fill
        )
        self._fallback = CpuFallback(_ON_CPU)
        self._pool: DecoderPool | None = None
        self._lock = threading.Lock()

    def pool_for(self, device: Device) -> DecoderPool | None:
        """Return the pool that lends the GPU's decoders; None if the GPU cannot be used."""
        with self._lock:
            if self._pool is None and can_decode():
                self._pool = DecoderPool(Gpu(device.id, device.current))
            return self._pool

    def run(
        self,
        batch: BatchContext,
        decode: Callable[[int], tuple[ClipFrames, *tuple[Array, ...]]],
        nothing: tuple[Array, ...],
        layouts: tuple[str, ...],
    ) -> tuple[TensorListGPU, ...]:
        """Call `decode` with each row, for the frames, and for one array for each other output.

        Rows that fail have no frames and `nothing`, and their errors become entries of
        `batch.errors`.
        """
        self._fallback.open(batch.device)
        calls = self._fallback.start(range(batch.size), decode)
        clips = [NO_FRAMES] * batch.size
        others = [nothing] * batch.size
        for row, (clip, *rest) in self._fallback.finish(batch, calls):
            clips[row], others[row] = clip, tuple(rest)
        return self.convert(batch, clips), *(
            batch.device.to_device(TensorListCPU([np.asarray(row[i]) for row in others], layout))
            for i, layout in enumerate(layouts[1:])
        )

    def convert(self, batch: BatchContext, clips: list[ClipFrames]) -> TensorListGPU:
        """Return the frames of clips as a batch: FHWC."""
        result = self._conversion.run(batch, clips)
        self._hold(batch, clips)
        return result

    def event_counts(self) -> dict[str, int]:
        """See `Operator.event_counts`."""
        return self._fallback.event_counts()

    def close(self) -> None:
        """End the threads, and drop the decoders."""
        self._fallback.close()
        if self._pool is not None:
            self._pool.close()

    def _hold(self, batch: BatchContext, clips: list[ClipFrames]) -> None:
        """Keep frames in the GPU's memory until the device has read them."""
        pictures = [picture for clip in clips for picture in clip.pictures]
        frames = [picture.frame for picture in pictures if picture.is_on_gpu]
        held = sum(picture.nbytes for picture in pictures if picture.is_on_gpu)
        batch.count_bytes(host=sum(picture.nbytes for picture in pictures if not picture.is_on_gpu))
        self._fallback.count(
            sum(any(not picture.is_on_gpu for picture in clip.pictures) for clip in clips)
        )
        if held > MAX_HELD_BYTES:
            batch.device.synchronize()
        else:
            batch.device.hold(frames)
            batch.count_bytes(device=held)


class DecodesClips(Operator):
    """Base of operators that decode clips on either device."""

    _on_device: ClipsOnDevice | None = None

    def decode_by(self, decoder: ClipDecoder) -> None:
        """Use a decoder; with `device="mixed"`, on the GPU what makes the same clips."""
        self._decoder = decoder
        if self.device == "mixed":
            self._on_device = ClipsOnDevice(decoder)

    def event_counts(self) -> dict[str, int]:
        return self._on_device.event_counts() if self._on_device else {}

    def close(self) -> None:
        if self._on_device is not None:
            self._on_device.close()


def can_decode() -> bool:
    """Return whether PyAV and the driver have what NVIDIA's decoder needs."""
    if not has_gpu_frames():
        return False
    try:
        ctypes.CDLL("libnvcuvid.so.1")
    except OSError:  # no driver; or a container without NVIDIA_DRIVER_CAPABILITIES=video
        return False
    return True
