"""Frames of a video by their numbers."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import TYPE_CHECKING

from ...engine.errors import DecodeError
from ...formats.media import pyav
from ...formats.media_ends import MediaFile
from ...formats.video.frame_index import SOUGHT_BY_PRESENTATION, FrameIndex, read_index
from ...formats.video.library import decoded, open_container, packets_of, seek
from ...formats.video.numbered_packets import packets_from
from .contexts import Decoder, DisplayInfo
from .decoder_pool import DecoderPool

if TYPE_CHECKING:
    from av import Packet, VideoCodecContext, VideoFrame, VideoStream

_SKIP_EXACTLY = frozenset({"h264", "mpeg2video", "mpeg4"})
"""Codecs whose packets say whether any other frame refers to the frame. HEVC says this for one of
its layers only, and AV1's decoder skips too much."""


_READ_FIRST_PACKET = frozenset({"h264", "hevc", "mpeg2video", "mpeg4"})
"""Codecs whose first packet may say what the decoder must know of all packets. x264 leaves its
version there, and FFmpeg decodes 4:4:4 of old versions in another way."""

_LONGEST_WAY = 300
"""Frames. A frame that misses a part, although no packet is damaged, is sought from the video's
start, too, if the start is not farther; once for a reader if that does not help."""

IsWanted = Callable[[int], bool]
CheckRunning = Callable[[], None]
"""Raises an exception if the work should end."""


def _nobody(number: int) -> bool:
    return False


def _everybody(number: int) -> bool:
    return True


def _always() -> None:
    pass


class _OwnDecoder(Decoder):
    """The stream's own decoder, which PyAV flushes when the container seeks."""

    display = None
    is_in_place = True

    @contextmanager
    def acquired(self) -> Iterator[bool]:
        yield True

    def decode(self, packet: Packet[VideoStream]) -> list[VideoFrame] | None:
        return decoded(packet)

    def flush(self) -> None:
        pass

    def close(self) -> None:
        pass


class _Skipping:
    """Which frames the decoder skips on its way.

    Attributes:
        codec: the stream's codec context.
        is_possible: whether packets say that no other frame needs the frame.
        goal: number of the frame that the decoder is on the way to.
        is_wanted: whether a frame on the way is decoded in any case.
    """

    def __init__(self, codec: VideoCodecContext, *, is_possible: bool) -> None:
        self.codec = codec
        self.is_possible = is_possible
        self.goal = 0
        self.is_wanted: IsWanted = _nobody

    def choose(self, number: int | None) -> None:
        """Let the decoder skip the next packet if nobody wants its frame and no frame needs it."""
        skips = number is not None and number < self.goal and not self.is_wanted(number)
        self.codec.skip_frame = "NONREF" if skips else "DEFAULT"


class FrameReader:
    """An open video, for one thread at a time.

    The decoder stays where it is between two calls. It seeks only if a key frame lies between its
    position and the next frame that is wanted, or if that frame lies behind it. On the way it skips
    frames that nobody wants and that no other frame needs.

    Args:
        file: path, or a file object.
        index: index of the video, if it is known.
        pool: lends the decoder; by default the stream's own one decodes.
        display: display of the video, if it is known.
        check_running: raises an exception if the work should end; called for each packet.

    Attributes:
        index: index of the video.
        codec: name of the codec, such as "h264".
        nbytes: size of the file; 0 if it is unknown.
        check_running: see above.
    """

    def __init__(
        self,
        file: MediaFile,
        index: FrameIndex | None = None,
        pool: DecoderPool | None = None,
        display: DisplayInfo | None = None,
        check_running: CheckRunning = _always,
    ) -> None:
        self._container, self._stream = open_container(file)
        self.decoder: Decoder = _OwnDecoder()
        self.check_running = check_running
        is_at_start = index is not None and not len(index.packets)
        try:
            if index is None:
                index = read_index(self._container, self._stream, check_running)
            self.index = index
            if pool is not None and not self._is_read_from_start_only():
                pooled = pool.decoder_for(self._stream, self._packets_from, display)
                self.decoder = pooled or self.decoder
                is_at_start = False
        except BaseException:
            self._container.close()
            raise
        codec = self._stream.codec_context
        self.codec = str(codec.codec.canonical_name)
        self.nbytes = max(0, self._container.size)
        self._frames: Iterator[tuple[int, VideoFrame, bool]] = iter(())
        self._next = 0 if is_at_start else len(self.index)  # number of the next frame to come
        is_own = isinstance(self.decoder, _OwnDecoder)
        self._skipping = _Skipping(codec, is_possible=is_own and codec.name in _SKIP_EXACTLY)
        self._has_read_first = not (is_own and codec.name in _READ_FIRST_PACKET)
        self._first: Packet[VideoStream] | None = None  # packet of the stream, if it was read
        self._has_refused = False  # whether the decoder has refused a packet since the last seek
        self._start_may_help = True
        if is_at_start:
            packets = packets_of(self._container, self._stream)
            self._first = next(packets)
            self._frames = self._decode(chain([self._first], packets))

    def close(self) -> None:
        """Close the file."""
        self.decoder.close()
        self._container.close()

    def read(self, numbers: Sequence[int]) -> Generator[tuple[int, VideoFrame]]:
        """Yield each of these frames with its number; `numbers` ascend.

        A decoder out of a pool goes back when the generator ends or is closed.

        Raises:
            DecodeError: a frame is damaged or missing; the message has its number and time.
        """
        with self.at_work():
            for number in numbers:
                yield number, self.advance_to(number)

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Have a decoder for calls of `advance_to` until the context ends."""
        with self.decoder.acquired() as stays:
            if not stays:
                self._next = len(self.index)  # so that the first frame is sought
            yield

    @property
    def display(self) -> DisplayInfo | None:
        """The display of the video: see `FrameSource`."""
        return self.decoder.display

    @property
    def place(self) -> int:
        """The number of the frame that comes next without a seek."""
        return self._next if self.decoder.is_in_place else len(self.index)

    def distance_to(self, number: int) -> int:
        """Return how many frames are decoded before the frame with this number."""
        start = self.index.keys[self.index.key_of(number)]
        return int(number - (self.place if start <= self.place <= number else start))

    def advance_to(
        self,
        number: int,
        on_passed: Callable[[int, VideoFrame], None] | None = None,
        is_wanted: IsWanted | None = None,
    ) -> VideoFrame:
        """Return the frame with this number: see `read`.

        Args:
            number: number of the frame.
            on_passed: called with number and frame of each whole frame on the way.
            is_wanted: whether a frame on the way should be passed.
        """
        key = self.index.key_of(number)
        self._skipping.goal, self._skipping.is_wanted = number, is_wanted or _nobody
        if not self.index.keys[key] <= self._next <= number:
            self._seek(key)
        frame = self._search(number, on_passed)
        if frame is None:
            for start, decodes in self._tries(key, number):
                self._skipping.is_wanted = decodes
                self._seek(start)
                frame = self._search(number, on_passed)
                if frame is not None:
                    return frame
            raise self._damaged(number)
        return frame

    def _tries(self, key: int, number: int) -> Iterator[tuple[int, IsWanted]]:
        """Yield from which keys to try again, and which frames to decode on the way."""
        if self._skipping.is_possible:
            # Damage to a frame that others want must not change the outcome.
            yield key, _nobody
            yield key, _everybody
        # Some key frames do not begin anew, whatever the container says.
        if key > 0:
            yield key - 1, _everybody
        if key > 1 and number <= _LONGEST_WAY and self._start_may_help and not self._has_refused:
            yield 0, _everybody
            self._start_may_help = False

    def _search(
        self, number: int, on_passed: Callable[[int, VideoFrame], None] | None
    ) -> VideoFrame | None:
        """Return a frame that is ahead; None if the frame is damaged or missing."""
        while True:
            number_there, frame, is_whole = next(self._frames, (len(self.index), None, False))
            self._next = number_there + 1
            if number_there >= number:
                return frame if number_there == number and is_whole else None
            if is_whole and frame is not None and on_passed is not None:
                on_passed(number_there, frame)

    def _is_read_from_start_only(self) -> bool:
        """Return whether FFmpeg can seek only where it has been: no container, no offsets."""
        untimed = self._container.format.flags & pyav().format.Flags.no_timestamps.value
        return bool(untimed) and not len(self.index.packets)

    def _seek(self, key: int) -> None:
        if not self._has_read_first:
            self._has_read_first = True
            if key:
                self._read_first_packet()
        packets = self._packets_from(key)
        self.decoder.flush()
        self._has_refused = False
        self._next = int(self.index.keys[key])
        self._frames = self._decode(packets)

    def _read_first_packet(self) -> None:
        """Let the decoder read what the first packet says beside its frame."""
        first = self._first or next(self._packets_from())
        self._skipping.codec.skip_frame = "ALL"
        self.decoder.decode(first)
        self._skipping.codec.skip_frame = "DEFAULT"

    def _packets_from(self, key: int = 0) -> Iterator[Packet[VideoStream]]:
        """Go to a key frame, by its entry in the index; return the packets from there on."""
        seeks = self.index.key_seeks
        if len(self.index.packets):
            table = self.index.packets
            return packets_from(
                self._container, self._stream, table, int(seeks[key]), self.check_running
            )
        # Some containers seek to a later packet than asked for.
        for step in (0, *(1 << power for power in range(int(key).bit_length()))):
            goal = int(seeks[max(0, key - step)])
            seek(self._container, self._stream, goal)
            packets = packets_of(self._container, self._stream)
            first = next(packets)
            if not self._is_behind(first, int(seeks[key])):
                return chain([first], packets)
        seek(self._container, self._stream, int(seeks[0]))
        return packets_of(self._container, self._stream)

    def _is_behind(self, packet: Packet[VideoStream], time: int) -> bool:
        """Return whether a packet comes after the key frame that is sought by this time."""
        is_by_presentation = self._container.format.name.startswith(SOUGHT_BY_PRESENTATION)
        own = packet.pts if is_by_presentation else packet.dts
        return not packet.size or (own is not None and own > time)

    def _decode(
        self, packets: Iterator[Packet[VideoStream]]
    ) -> Iterator[tuple[int, VideoFrame, bool]]:
        """Yield number, frame, and whether the frame is whole: damage lasts until a key frame."""
        whole = True
        for packet in packets:
            self.check_running()
            if self._skipping.is_possible:
                self._skipping.choose(self.index.number_of(packet.pts))
            frames = self.decoder.decode(packet)
            if frames is None:
                self._has_refused, whole = True, False
                continue
            for frame in frames:
                if frame.is_corrupt or frame.key_frame:
                    whole = not frame.is_corrupt
                number = self.index.number_of(frame.pts)
                if number is not None:
                    yield number, frame, whole

    def _damaged(self, number: int) -> DecodeError:
        seconds = self.index.seconds[number]
        return DecodeError(
            f"frame {number}, at {seconds:.3f} s, is damaged or missing; the video has "
            f"{len(self.index)} frames"
        )
