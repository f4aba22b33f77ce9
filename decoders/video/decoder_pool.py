"""FFmpeg's decoders that go from one video to the next of the same configuration.

A decoder on the GPU takes long to make, and has memory of its own.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from ...formats.media import pyav
from ...formats.video.known_files import KnownFacts
from ...formats.video.library import decoded
from .contexts import Decoder, DecoderConfig, DisplayInfo, config_of, display_of

if TYPE_CHECKING:
    from av import Packet, VideoCodecContext, VideoFrame, VideoStream

ON_GPU = frozenset(
    ("h264", "hevc", "av1", "vp8", "vp9", "mpeg1video", "mpeg2video", "mpeg4", "vc1")
)
"""Codecs that NVIDIA's decoder may take. Which streams of these depends on the GPU."""

_ONLY_ON_GPU = "av1"  # FFmpeg's own decoder of this codec cannot go on without the GPU

MAX_DECODERS = 16
"""Decoders of one pool; more, if more threads decode at once."""


class Gpu(NamedTuple):
    """The GPU whose decoder is used.

    Attributes:
        device: number of the CUDA device.
        current: makes the device's context current in a thread until the returned context ends.
    """

    device: int
    current: Callable[[], AbstractContextManager[Any]]


_ABILITIES = KnownFacts[tuple[Any, ...], bool]()
"""Whether a GPU decodes streams, by the device's number and `DecoderConfig.ability`."""


class DecoderPool:
    """Decoders that several readers use in turn.

    A reader that is not at work keeps its decoder, which is where the reader has stopped, until
    another reader needs a decoder and there are `MAX_DECODERS` already.

    Args:
        gpu: the GPU that decodes; None for the CPU.

    Attributes:
        refusal: why no decoder could be made on the GPU, or "".
    """

    def __init__(self, gpu: Gpu | None) -> None:
        self.refusal = ""
        self._gpu = gpu
        self._idle: list[_IdleContext] = []  # the last one was used last
        self._busy = 0
        self._lock = threading.Lock()

    def decoder_for(
        self,
        stream: VideoStream,
        packets: Callable[[], Iterable[Packet[VideoStream]]],
        display: DisplayInfo | None = None,
    ) -> Decoder | None:
        """Return the decoder of a stream; None if the stream's own one should decode.

        Args:
            stream: stream that is open.
            packets: goes to the first key frame, and returns the packets from there on.
            display: display of the stream, if it is known.
        """
        config = config_of(stream, is_on_gpu=self._gpu is not None)
        is_foreign = self._gpu is not None and config.codec not in ON_GPU
        if is_foreign or not self._ability(config, True):
            return None
        if display is None:
            first = _first_frame(packets(), decoded)
            if first is None:  # the reader says which frame is damaged
                return None
            display = display_of(first)
        decoder = _PooledDecoder(self, config, display)
        if self._ability(config, False) or self._try(decoder, packets):
            return decoder
        decoder.close()
        return None

    def close(self) -> None:
        """Drop all decoders that no reader uses."""
        with self._lock:
            idle, self._idle = self._idle, []
        del idle

    def _ability(self, config: DecoderConfig, otherwise: bool) -> bool:
        """Return whether the pool decodes such streams; `otherwise` if that is not known."""
        if self._gpu is None:
            return True
        known = _ABILITIES.get((self._gpu.device, *config.ability))
        return otherwise if known is None else known

    def _try(
        self, decoder: _PooledDecoder, packets: Callable[[], Iterable[Packet[VideoStream]]]
    ) -> bool:
        """Return whether the GPU decodes a stream; remember the answer for its configuration."""
        assert self._gpu is not None
        try:
            with decoder.acquired():
                first = _first_frame(packets(), decoder.decode)
        except pyav().error.FFmpegError as error:
            first, self.refusal = None, str(error)
        able = first is not None and first.format.name == "cuda"
        _ABILITIES.keep((self._gpu.device, *decoder.config.ability), able)
        return able

    def acquire(self, user: _PooledDecoder) -> tuple[Any, bool]:
        """Return a context for a decoder, and whether the decoder had this one last."""
        with self._lock:
            kept = self._choose(user)
            if kept is not None:
                self._remove(kept)
            self._busy += 1
        if kept is not None:
            return kept.context, kept.user is user
        try:
            return self._make(user.config), False
        except BaseException:
            with self._lock:
                self._busy -= 1
            raise

    def release(self, user: _PooledDecoder, context: VideoCodecContext) -> None:
        """Take a context back, and keep it for its user, or for others."""
        with self._lock:
            self._busy -= 1
            self._idle.append(_IdleContext(user.config, context, user))
            user.is_in_place = True

    def forget(self, user: _PooledDecoder) -> None:
        """Let any user have the context that this one has released."""
        with self._lock:
            for kept in self._idle:
                if kept.user is user:
                    kept.user = None

    def _choose(self, user: _PooledDecoder) -> _IdleContext | None:
        """Return an idle context, or None to make a new one; drop one if there are too many."""
        same = [kept for kept in self._idle if kept.config == user.config]
        is_full = self._busy + len(self._idle) >= MAX_DECODERS
        for kept in same:
            if kept.user is user:
                return kept
        for kept in same:
            if kept.user is None or is_full:
                return kept
        if is_full and self._idle:
            self._remove(self._idle[0])
        return None

    def _remove(self, kept: _IdleContext) -> None:
        self._idle.remove(kept)
        if kept.user is not None:
            kept.user.is_in_place = False

    def _make(self, config: DecoderConfig) -> object:
        av = pyav()
        if self._gpu is None:
            context = av.CodecContext.create(config.codec, "r")
            context.pix_fmt = config.pixels
        else:
            with self._gpu.current():
                accelerator = av.codec.hwaccel.HWAccel(
                    "cuda",
                    device=str(self._gpu.device),
                    allow_software_fallback=config.codec != _ONLY_ON_GPU,
                    # CuPy's context, which is the primary one. FFmpeg refuses to ask for that one
                    # itself, because its flags are others than FFmpeg's.
                    options={"primary_ctx": "0", "current_ctx": "1"},
                    is_hw_owned=True,
                )
                context = av.CodecContext.create(config.codec, "r", hwaccel=accelerator)
        context.height, context.width = config.size
        context.extradata = config.header
        context.reorder_depth = config.reorder
        if config.tag:
            context.codec_tag = config.tag
        context.thread_type = "NONE"
        return context


@dataclass(eq=False)
class _IdleContext:
    """A context that is not at work, and who used it last."""

    config: DecoderConfig
    context: VideoCodecContext
    user: _PooledDecoder | None


class _PooledDecoder(Decoder):
    """The decoder of one stream, with contexts out of a pool."""

    def __init__(self, pool: DecoderPool, config: DecoderConfig, display: DisplayInfo) -> None:
        self.config = config
        self.display = display
        self.is_in_place = False
        self._pool = pool
        self._context: Any = None

    @contextmanager
    def acquired(self) -> Iterator[bool]:
        self._context, stays = self._pool.acquire(self)
        if not stays:
            self.flush()
        try:
            yield stays
        finally:
            self._pool.release(self, self._context)
            self._context = None

    def decode(self, packet: Packet[VideoStream]) -> list[VideoFrame] | None:
        return decoded(packet, self._context)

    def flush(self) -> None:
        self._context.flush_buffers()

    def close(self) -> None:
        self._pool.forget(self)


def _first_frame(
    packets: Iterable[Packet[VideoStream]],
    decode: Callable[[Packet[VideoStream]], list[VideoFrame] | None],
) -> Any | None:
    """Return the first frame of some packets, or None if a packet before it is damaged."""
    for packet in packets:
        frames = decode(packet)
        if frames is None:
            return None
        if frames:
            return frames[0]
    return None
