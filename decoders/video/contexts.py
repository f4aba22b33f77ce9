"""Decoders of the packets of a stream: its own, or one that others use, too.

The others are in `decoder_pool`.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from av import Packet, VideoFrame, VideoStream

_UNSTATED = 2  # number of no matrix in ITU-T H.273


@dataclass(frozen=True)
class DisplayInfo:
    """The container's rules for the display of frames.

    Decoders out of a pool do not know these rules.

    Attributes:
        rotation: degrees by which frames are turned counterclockwise.
        matrix: number in ITU-T H.273, for frames that state none.
        color_range: FFmpeg's number of the range, for frames that state none.
    """

    rotation: int
    matrix: int
    color_range: int

    def matrix_of(self, frame: VideoFrame) -> int:
        """Return the number of a frame's matrix."""
        return self.matrix if frame.colorspace == _UNSTATED else int(frame.colorspace)

    def range_of(self, frame: VideoFrame) -> int:
        """Return the number of a frame's range."""
        return int(frame.color_range) or self.color_range


def display_of(frame: VideoFrame) -> DisplayInfo:
    """Return the container's statement about a frame of the stream's own decoder."""
    return DisplayInfo(int(frame.rotation), int(frame.colorspace), int(frame.color_range))


class Decoder(Protocol):
    """The decoder of the packets of one stream.

    Attributes:
        display: display of the frames; None if the frames themselves state everything.
        is_in_place: whether the decoder is where the last packet has left it, as far as is known.
    """

    display: DisplayInfo | None
    is_in_place: bool

    def acquired(self) -> AbstractContextManager[bool]:
        """Take the decoder; yield whether it is where the last packet has left it.

        Other threads may use the decoder when the context ends.
        """

    def decode(self, packet: Packet[VideoStream]) -> list[VideoFrame] | None:
        """Return the frames that a packet completes; None if the packet is damaged."""

    def flush(self) -> None:
        """Forget the packets so far, after a seek."""

    def close(self) -> None:
        """Give back what the decoder holds."""


@dataclass(frozen=True)
class DecoderConfig:
    """The configuration of a decoder; streams that agree in it can have one decoder in turn.

    Attributes:
        codec: name of the decoder. On the GPU, FFmpeg's own ones have the names of codecs.
        profile: profile of the codec.
        size: height and width.
        pixels: name of the pixels' format.
        tag: the container's name of the codec, which tells encoders apart.
        header: the stream's parameters outside of its packets.
        reorder: frames that the decoder holds back to sort them.
    """

    codec: str
    profile: str | None
    size: tuple[int, int]
    pixels: str | None
    tag: str | None
    header: bytes | None
    reorder: int

    @property
    def ability(self) -> tuple[Any, ...]:
        """The facts that decide whether a GPU can decode the stream."""
        return self.codec, self.profile, self.size, self.pixels


def config_of(stream: VideoStream, *, is_on_gpu: bool) -> DecoderConfig:
    """Return the configuration for a stream that is open."""
    context = stream.codec_context
    codec = context.codec.canonical_name if is_on_gpu else context.codec.name
    tag = None
    with suppress(UnicodeDecodeError):
        tag = context.codec_tag
    size = context.height, context.width
    return DecoderConfig(
        codec,
        context.profile,
        size,
        context.pix_fmt,
        tag,
        context.extradata,
        context.reorder_depth,
    )
