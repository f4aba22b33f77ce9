"""Frames for the clips of several threads: a group of pictures is decoded once for all of them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from math import gcd, inf
from typing import TYPE_CHECKING, TypeAlias

from ...formats.media_ends import MediaFile
from ...formats.video.frame_index import FrameIndex
from ...formats.video.known_files import FileState, OpenUrl
from .contexts import DisplayInfo
from .decoder_pool import DecoderPool
from .frames import FrameReader
from .open_videos import IndexOf, OpenVideos, open_frames

if TYPE_CHECKING:
    from av import VideoFrame

MAX_RUN_FRAMES = 32
"""Frames that a thread decodes before another thread may go on with the decoder. They are kept in
memory until they are converted."""

MAX_EXPECTED_FRAMES = 128
"""Frames that are kept for the clips to come, if clips overlap. Of more frames none is kept: a part
would not save the way from the key frame."""

WAIT_SECONDS = 0.2
"""Seconds after which a thread that waits looks whether the pipeline was closed."""


Frames: TypeAlias = "Generator[tuple[int, VideoFrame]]"


@dataclass(eq=False)
class _DecodeRun:
    """Frames that one thread decodes one after the other.

    Attributes:
        key: the group of pictures: an entry of `FrameIndex.keys`.
        place: number of the next frame.
    """

    key: int
    place: int


@dataclass(eq=False)
class _Clip:
    """A clip whose frames a thread takes.

    Attributes:
        wanted: numbers of the frames that it has not taken.
        last: its last frame in each group of pictures, by the group's entry in `FrameIndex.keys`.
        expected: numbers of the frames that the next clip will want, too.
    """

    wanted: set[int]
    last: dict[int, int]
    expected: range


@dataclass(eq=False)
class _Video:
    """Facts that the threads share about a video.

    Attributes:
        index: index of its frames.
        codec, nbytes, display: see `FrameReader`.
        clips: at work.
        runs: runs of the threads that decode now.
        kept: decoded frames for other clips, by number.
        expected: numbers of the frames that a clip to come will want.
    """

    index: FrameIndex
    codec: str
    nbytes: int
    display: DisplayInfo | None
    clips: list[_Clip] = field(default_factory=list)
    runs: list[_DecodeRun] = field(default_factory=list)
    kept: dict[int, VideoFrame] = field(default_factory=dict)
    expected: range = range(0)

    def is_wanted(self, number: int) -> bool:
        """Return whether a frame should be kept."""
        return number in self.expected or any(
            number in clip.wanted or number in clip.expected for clip in self.clips
        )

    def is_coming(self, number: int) -> bool:
        """Return whether a thread is decoding on the way to this frame."""
        key = self.index.key_of(number)
        return any(run.key == key and run.place <= number for run in self.runs)


class SharedVideos:
    """Lends frames of videos to threads.

    Of a group of pictures that several clips need at the same time, one thread decodes a part, and
    keeps the frames that other clips want. The next thread goes on with the same decoder. So a
    thread decodes frames that others have passed only if nobody knew that they would be wanted.
    Which thread decodes a frame does not change the frame.

    Args:
        open_url: see `OpenVideos`.
        step: from a clip's first frame to that of the next clip, if clips are read in order; the
            frames that two such clips share are kept. 0 if the next clip is unknown.
        index_of: see `open_frames`.

    Attributes:
        pool: lends the decoders of videos that are opened from now on; see `FrameReader`.
    """

    def __init__(
        self, open_url: OpenUrl | None = None, step: int = 0, index_of: IndexOf | None = None
    ) -> None:
        self.pool: DecoderPool | None = None
        self._index_of = index_of
        self._open = OpenVideos(self._open_frames, open_url)
        self._step = step
        self._videos: dict[FileState, _Video] = {}
        self._change = threading.Condition()

    @contextmanager
    def lend(
        self, path: str, numbers: Sequence[int], check_running: Callable[[], None]
    ) -> Iterator[SharedFrames]:
        """Lend the frames of one clip.

        Args:
            path: absolute, or a URL.
            numbers: numbers of the frames, ascending, at least one.
            check_running: raises an exception if the work should end.

        Raises:
            OSError: the file cannot be opened.
            DecodeError: it is no video.
        """
        video = self._video(path, check_running)
        last = {video.index.key_of(number): number for number in numbers}
        clip = _Clip(set(numbers), last, self._expected(numbers))
        with self._change:
            video.clips.append(clip)
        try:
            yield SharedFrames(path, video, clip, self._open, self._change, check_running)
        finally:
            with self._change:
                video.clips.remove(clip)
                video.expected = clip.expected
                video.kept = {n: f for n, f in video.kept.items() if video.is_wanted(n)}

    def close(self) -> None:
        """Close all videos that no thread uses."""
        self._open.close()
        self._videos.clear()

    def _expected(self, numbers: Sequence[int]) -> range:
        """Return which frames the clips to come will want, of those that this clip passes."""
        if not self._step:
            return range(0)
        stride = gcd(self._step, *(after - before for before, after in pairwise(numbers)))
        expected = range(numbers[0] + self._step, numbers[-1] + 1, stride)
        return expected if len(expected) <= MAX_EXPECTED_FRAMES else range(0)

    def _open_frames(self, file: MediaFile, state: FileState) -> FrameReader:
        return open_frames(file, state, self._index_of, self.pool)

    def _video(self, path: str, check_running: Callable[[], None]) -> _Video:
        """Return the known facts of a video; forget the other videos that no clip is read of."""
        state = self._open.key_of(path)
        video = self._videos.get(state)
        if video is None:
            with self._open.lend(path) as reader:
                reader.check_running = check_running
                video = _Video(reader.index, reader.codec, reader.nbytes, reader.display)
        with self._change:
            self._videos = {s: v for s, v in self._videos.items() if v.clips or s == state}
            return self._videos.setdefault(state, video)


class SharedFrames:
    """The frames of one clip, for one thread; `SharedVideos.lend` makes it."""

    def __init__(
        self,
        path: str,
        video: _Video,
        clip: _Clip,
        readers: OpenVideos[FrameReader],
        change: threading.Condition,
        check_running: Callable[[], None],
    ) -> None:
        self.index = video.index
        self.codec, self.nbytes, self.display = video.codec, video.nbytes, video.display
        self._path = path
        self._video = video
        self._clip = clip
        self._open = readers
        self._change = change
        self._check_running = check_running

    def read(self, numbers: Sequence[int]) -> Frames:
        """Yield each of the clip's frames with its number; `numbers` ascend.

        Raises:
            DecodeError: a frame is damaged or missing; the message has its number and time.
        """
        left = list(reversed(numbers))
        while left:
            run = self._start_run(left[-1])
            yield from self._take_kept(left) if run is None else self._decode(run, left)

    def _start_run(self, number: int) -> _DecodeRun | None:
        """Return a run that decodes a frame, or None once another thread has decoded it."""
        while True:
            with self._change:
                if number in self._video.kept:
                    return None
                if not self._video.is_coming(number):
                    key = self.index.key_of(number)
                    run = _DecodeRun(key, int(self.index.keys[key]))
                    self._video.runs.append(run)
                    return run
                self._change.wait(WAIT_SECONDS)
            self._check_running()

    def _take_kept(self, left: list[int]) -> Frames:
        while left:
            with self._change:
                frame = self._video.kept.get(left[-1])
                if frame is None:
                    return
                self._take(left[-1])
            yield left.pop(), frame

    def _decode(self, run: _DecodeRun, left: list[int]) -> list[tuple[int, VideoFrame]]:
        frames: list[tuple[int, VideoFrame]] = []
        try:
            lent = self._open.lend(self._path, partial(self._cost, left[-1]))
            with lent as reader, reader.at_work():
                reader.check_running = self._check_running
                run.place = left[-1] - reader.distance_to(left[-1])
                while left and self._may_go_on(run, left[-1], len(frames)):
                    number = left.pop()
                    frame = reader.advance_to(number, partial(self._pass, run), self._is_wanted)
                    self._pass(run, number, frame, is_own=True)
                    frames.append((number, frame))
        finally:
            with self._change:
                self._video.runs.remove(run)
                self._change.notify_all()
        return frames

    def _cost(self, number: int, reader: FrameReader) -> float:
        """Return how far a reader is from a frame; infinity if another clip is to go on with it."""
        distance, place = reader.distance_to(number), reader.place
        if place + distance == number or place >= len(self.index):
            return distance
        group = self.index.key_of(place)
        others = [clip for clip in self._video.clips if clip is not self._clip]
        return inf if any(clip.last.get(group, -1) >= place for clip in others) else distance

    def _may_go_on(self, run: _DecodeRun, number: int, count: int) -> bool:
        """Return whether a run that has decoded so many frames goes on to this frame."""
        if not count:
            return True
        with self._change:
            # Whoever is alone converts each frame while the frame is in the core's cache.
            most = MAX_RUN_FRAMES if len(self._video.clips) > 1 else 1
            if count >= most or number in self._video.kept:
                return False
        return self.index.key_of(number) == run.key

    def _pass(
        self, run: _DecodeRun, number: int, frame: VideoFrame, *, is_own: bool = False
    ) -> None:
        with self._change:
            run.place = number + 1
            if is_own:
                self._take(number)
            if self._video.is_wanted(number):
                self._video.kept[number] = frame
                self._change.notify_all()

    def _is_wanted(self, number: int) -> bool:
        with self._change:
            return self._video.is_wanted(number)

    def _take(self, number: int) -> None:
        """Note that the clip has this frame, and drop the frame if no other clip wants it."""
        self._clip.wanted.discard(number)
        if not self._video.is_wanted(number):
            self._video.kept.pop(number, None)
