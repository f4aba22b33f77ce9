"""FFmpeg's decoders that go from one video to the next of the same kind.

A decoder on the GPU takes long to make, and has memory of its own.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..media import pyav
from .contexts import Decoder, Kind, Look, kind_of, look_of
from .library import decoded

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


_abilities: dict[tuple[Any, ...], bool] = {}
"""Whether a GPU decodes a kind of streams, by the device's number and `Kind.ability`."""


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
        self._idle: list[_Kept] = []  # the last one was used last
        self._busy = 0
        self._lock = threading.Lock()

    def decoder_for(
        self, stream: Any, packets: Callable[[], Iterable[Any]], look: Look | None = None
    ) -> Decoder | None:
        """Return the decoder of a stream; None if the stream's own one should decode.

        Args:
            stream: that is open.
            packets: goes to the first key frame, and returns the packets from there on.
            look: of the stream, if it is known.
        """
        kind = kind_of(stream, is_on_gpu=self._gpu is not None)
        if (self._gpu is not None and kind.codec not in ON_GPU) or not self._ability(kind, True):
            return None
        if look is None:
            first = _first_frame(packets(), decoded)
            if first is None:  # the reader says which frame is damaged
                return None
            look = look_of(first)
        decoder = _LentDecoder(self, kind, look)
        if self._ability(kind, False) or self._try(decoder, packets):
            return decoder
        decoder.close()
        return None

    def close(self) -> None:
        """Drop all decoders that no reader uses."""
        with self._lock:
            idle, self._idle = self._idle, []
        del idle

    def _ability(self, kind: Kind, otherwise: bool) -> bool:
        """Return whether the pool decodes such streams; `otherwise` if that is not known."""
        if self._gpu is None:
            return True
        return _abilities.get((self._gpu.device, *kind.ability), otherwise)

    def _try(self, decoder: _LentDecoder, packets: Callable[[], Iterable[Any]]) -> bool:
        """Return whether the GPU decodes a stream; remember the answer for its kind."""
        assert self._gpu is not None
        try:
            with decoder.lent():
                first = _first_frame(packets(), decoder.decode)
        except pyav().error.FFmpegError as error:
            first, self.refusal = None, str(error)
        able = first is not None and first.format.name == "cuda"
        _abilities[self._gpu.device, *decoder.kind.ability] = able
        return able

    def lend(self, borrower: _LentDecoder) -> tuple[Any, bool]:
        """Return a context, and whether it is the one that the borrower had last."""
        with self._lock:
            kept = self._choose(borrower)
            if kept is not None:
                self._remove(kept)
            self._busy += 1
        if kept is not None:
            return kept.context, kept.user is borrower
        try:
            return self._make(borrower.kind), False
        except BaseException:
            with self._lock:
                self._busy -= 1
            raise

    def take_back(self, borrower: _LentDecoder, context: Any) -> None:
        """Keep a context for its borrower, or for others."""
        with self._lock:
            self._busy -= 1
            self._idle.append(_Kept(borrower.kind, context, borrower))
            borrower.is_in_place = True

    def release(self, borrower: _LentDecoder) -> None:
        """Let any borrower have the context that this one has given back."""
        with self._lock:
            for kept in self._idle:
                if kept.user is borrower:
                    kept.user = None

    def _choose(self, borrower: _LentDecoder) -> _Kept | None:
        """Return what to lend, or None to make a new one; drop one if there are too many."""
        same = [kept for kept in self._idle if kept.kind == borrower.kind]
        is_full = self._busy + len(self._idle) >= MAX_DECODERS
        for kept in same:
            if kept.user is borrower:
                return kept
        for kept in same:
            if kept.user is None or is_full:
                return kept
        if is_full and self._idle:
            self._remove(self._idle[0])
        return None

    def _remove(self, kept: _Kept) -> None:
        self._idle.remove(kept)
        if kept.user is not None:
            kept.user.is_in_place = False

    def _make(self, kind: Kind) -> Any:
        av = pyav()
        if self._gpu is None:
            context = av.CodecContext.create(kind.codec, "r")
            context.pix_fmt = kind.pixels
        else:
            with self._gpu.current():
                accelerator = av.codec.hwaccel.HWAccel(
                    "cuda",
                    device=str(self._gpu.device),
                    allow_software_fallback=kind.codec != _ONLY_ON_GPU,
                    # CuPy's context, which is the primary one. FFmpeg refuses to ask for that one
                    # itself, because its flags are others than FFmpeg's.
                    options={"primary_ctx": "0", "current_ctx": "1"},
                    is_hw_owned=True,
                )
                context = av.CodecContext.create(kind.codec, "r", hwaccel=accelerator)
        context.height, context.width = kind.size
        context.extradata = kind.header
        context.reorder_depth = kind.reorder
        if kind.tag:
            context.codec_tag = kind.tag
        context.thread_type = "NONE"
        return context


@dataclass(eq=False)
class _Kept:
    """A context that is not at work, and who used it last."""

    kind: Kind
    context: Any
    user: _LentDecoder | None


class _LentDecoder(Decoder):
    """The decoder of one stream, with contexts out of a pool."""

    def __init__(self, pool: DecoderPool, kind: Kind, look: Look) -> None:
        self.kind = kind
        self.look = look
        self.is_in_place = False
        self._pool = pool
        self._context: Any = None

    @contextmanager
    def lent(self) -> Iterator[bool]:
        self._context, stays = self._pool.lend(self)
        if not stays:
            self.flush()
        try:
            yield stays
        finally:
            self._pool.take_back(self, self._context)
            self._context = None

    def decode(self, packet: Any) -> list[Any] | None:
        return decoded(packet, self._context)

    def flush(self) -> None:
        self._context.flush_buffers()

    def close(self) -> None:
        self._pool.release(self)


def _first_frame(packets: Iterable[Any], decode: Callable[[Any], list[Any] | None]) -> Any | None:
    """Return the first frame of some packets, or None if a packet before it is damaged."""
    for packet in packets:
        frames = decode(packet)
        if frames is None:
            return None
        if frames:
            return frames[0]
    return None
