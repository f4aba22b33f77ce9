"""The clips that a list of videos has."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...engine.arrays import Int64s
from ...engine.errors import ArgumentError
from ...formats.video.frame_index import FrameIndex
from ...formats.video.selection import padded
from ..storage.damage import NAMED_FILES
from .list_file import ListedVideo

ROUNDINGS = {
    "start_down_end_up": (math.floor, math.ceil),
    "start_up_end_down": (math.ceil, math.floor),
    "all_up": (math.ceil, math.ceil),
    "all_down": (math.floor, math.floor),
}


@dataclass(frozen=True)
class RangeRule:
    """The rule by which the range of a line becomes a range of frames.

    Attributes:
        in_frames: whether start and end are frames, counted from the end if negative; else they
            are seconds, by the video's own clock.
        rounding: one of `ROUNDINGS`.
        includes_end: whether the frame at the end belongs to the range.
    """

    in_frames: bool = False
    rounding: str = "start_down_end_up"
    includes_end: bool = False

    def frames(self, video: ListedVideo, index: FrameIndex) -> range:
        """Return the frames of a video's range; an empty range if the line gives none."""
        count = len(index)
        round_start, round_end = ROUNDINGS[self.rounding]
        start, end = 0, count
        if video.start is not None:
            start = round_start(self._position(video.start, index))
        if video.end is not None:
            end = round_end(self._position(video.end, index)) + self.includes_end
        return range(max(start, 0), min(end, count))

    def _position(self, value: float, index: FrameIndex) -> float:
        """Return a position between frames: 2.5 lies between the frames 2 and 3."""
        if self.in_frames:
            return value + len(index) if value < 0 else value
        seconds = index.seconds
        after = int(np.searchsorted(seconds, value - 1e-6))
        if after == len(seconds) or after == 0 or seconds[after] - value <= 1e-6:
            return after
        return after - 0.5


@dataclass(frozen=True)
class ClipRule:
    """The frames that a clip has, and the start of the next clip.

    Attributes:
        length: frames of a clip.
        stride: from a frame of the clip to the next one.
        step: from a clip's first frame to that of the next clip.
        pad_mode: see `padded`; with "none", incomplete clips are left out.
        uniform: whether a video has one clip, of frames at equal distances all over its range.
        whole_strides: whether a clip takes `length` times `stride` frames, and only the first
            incomplete clip of a range is padded. Else a clip ends with its last frame, and all
            incomplete clips are padded. DALI's two readers differ in this way.
    """

    length: int
    stride: int = 1
    step: int = 1
    pad_mode: str = "none"
    uniform: bool = False
    whole_strides: bool = False

    def starts(self, frames: range) -> range:
        """Return the first frames of all clips in a range of frames."""
        if self.uniform:
            return frames[:1]
        stride = self.stride
        reach = self.length * stride if self.whole_strides else (self.length - 1) * stride + 1
        complete = range(frames.start, frames.stop - reach + 1, self.step)
        if self.pad_mode == "none":
            return complete
        after = frames.start + len(complete) * self.step + 1
        return range(
            frames.start, min(after, frames.stop) if self.whole_strides else frames.stop, self.step
        )

    def numbers(self, start: int, frames: range) -> Int64s:
        """Return the frames of the clip that begins at `start`; -1 for a filled frame."""
        if self.uniform:
            even = np.linspace(frames.start, frames.stop - 1, self.length)
            return np.floor(even + 0.5).astype(np.int64)
        numbers = start + np.arange(self.length, dtype=np.int64) * self.stride
        return padded(numbers, frames.stop, self.pad_mode)


@dataclass(frozen=True)
class ClipTable:
    """All clips.

    Attributes:
        videos: number of each clip's video: (clips,).
        starts: first frame of each clip: (clips,).
        ranges: frames of each video that clips may have.
        rule: which frames a clip has.
    """

    videos: Int64s
    starts: Int64s
    ranges: Sequence[range]
    rule: ClipRule

    def __len__(self) -> int:
        return len(self.starts)

    def numbers(self, clip: int) -> Int64s:
        """Return the frames of a clip: (length,)."""
        frames = self.ranges[int(self.videos[clip])]
        return self.rule.numbers(int(self.starts[clip]), frames)


def clip_table(
    ranges: Sequence[range], rule: ClipRule, names: Sequence[str] | None = None
) -> ClipTable:
    """Return the clips of all videos, in order. Videos without a clip give a warning.

    Args:
        ranges: frames of each video that clips may have.
        rule: which frames a clip has.
        names: of the videos, for the warning.

    Raises:
        ArgumentError: there is none.
    """
    starts = [rule.starts(frames) for frames in ranges]
    counts = [len(of_file) for of_file in starts]
    without = [number for number, count in enumerate(counts) if not count]
    if names is not None and 0 < len(without) < len(counts):
        _warn_of(without, ranges, rule, names)
    if not sum(counts):
        longest = max((len(frames) for frames in ranges), default=0)
        raise ArgumentError(
            f"no video has a clip of {rule.length} frames at distances of {rule.stride}; the "
            f"longest range has {longest} frames. Shorten the clips, or set pad_mode"
        )
    videos = np.repeat(np.arange(len(ranges)), counts)
    return ClipTable(videos, np.concatenate([np.array(e, np.int64) for e in starts]), ranges, rule)


def _warn_of(
    without: Sequence[int], ranges: Sequence[range], rule: ClipRule, names: Sequence[str]
) -> None:
    """Warn of videos, or ranges of videos, that have no clip."""
    first = [f"{names[number]} ({len(ranges[number])} frames)" for number in without[:NAMED_FILES]]
    more = f" and {len(without) - NAMED_FILES} more" * (len(without) > NAMED_FILES)
    warnings.warn(
        f"{len(without)} of {len(ranges)} videos or ranges of videos have no clip of {rule.length} "
        f"frames at distances of {rule.stride}, and are left out: {', '.join(first)}{more}. "
        "Correct their start and end, shorten the clips, or set pad_mode",
        RuntimeWarning,
        stacklevel=2,
    )
