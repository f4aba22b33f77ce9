"""The clips of video files as samples."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array
from ...engine.errors import DecodeError, PenstockError
from ...engine.graph.portable import portable
from ...formats.video.frame_index import FrameIndex, index_video
from ...formats.video.known_files import INDEXES
from ..source import Allocate, Column, checked_indices
from ..storage.damage import STRICT, Damages
from ..storage.index_cache import cached_index, have_dtypes
from ..storage.opening import open_storage
from ..storage.read_team import READ_TEAM
from ..storage.storage import Storage
from ..storage.urls import is_url, shown
from .clips import ClipRule, RangeRule, clip_table
from .files import file_of
from .list_file import ListedVideo

_CONTENT = "frames of a video, 5"  # version of the cached index

_THREADS = 2
"""That read the indexes of local files. Packets come one by one, each with the GIL: four threads
take twice the time of one."""


class ClipSource:
    """Clips of videos.

    A sample is the file's path or URL, the clip's frames, the label, the times, and the span.

    Only times and key frames of a video are read here. Decoding opens the file again.

    Args:
        videos: with their labels and ranges.
        limits: how ranges are read.
        rule: which frames a clip has.
        options: `Reader.storage_options`.
        damages: takes the errors of files that cannot be opened, or are no videos.

    Raises:
        OSError: a file cannot be read; the note names it. DecodeError: a file is no video.
    """

    def __init__(
        self,
        videos: Sequence[ListedVideo],
        limits: RangeRule,
        rule: ClipRule,
        options: Mapping[str, object] | None = None,
        damages: Damages = STRICT,
    ) -> None:
        indexes = read_indexes([video.path for video in videos], options or {}, damages)
        self._videos = [video for video in videos if video.path in indexes]
        self._indexes = [indexes[video.path] for video in self._videos]
        ranges = [
            limits.frames(video, index)
            for video, index in zip(self._videos, self._indexes, strict=True)
        ]
        self._clips = clip_table(ranges, rule, [shown(video.path) for video in self._videos])

    def __len__(self) -> int:
        return len(self._clips)

    def read(self, indices: NDArray[np.int64], allocate: Allocate) -> tuple[Column, ...]:
        """Return paths, frames, labels, times and spans.

        Returns:
            paths: or URLs: uint8, one array a sample.
            frames: int32, (samples, length); -1 for a filled frame.
            labels: int32, (samples, 1).
            times: float64 seconds, (samples, length); -1 for a filled frame.
            spans: when the first frame begins and the last one ends: float64 seconds, (samples, 2).
        """
        clips = checked_indices(indices, len(self)).tolist()
        numbers = np.empty((len(clips), self._clips.rule.length), np.int32)
        times = np.full(numbers.shape, -1.0)
        spans = np.empty((len(clips), 2))
        owners = self._clips.videos[indices].tolist()
        for row, (clip, video) in enumerate(zip(clips, owners, strict=True)):
            numbers[row] = own = self._clips.numbers(clip)
            times[row, own >= 0] = self._indexes[video].seconds[own[own >= 0]]
            spans[row] = self._indexes[video].span(own)
        paths = [np.frombuffer(os.fsencode(self._videos[v].path), np.uint8) for v in owners]
        labels = np.array([self._videos[v].label for v in owners], np.int32)
        return paths, numbers, labels[:, np.newaxis], times, spans

    def where(self, index: int) -> str:
        """Return the path, and the clip's first frame."""
        checked_indices(np.array([index]), len(self))
        path = self._videos[int(self._clips.videos[index])].path
        return f"{shown(path)}, frame {int(self._clips.starts[index])}"

    def close(self) -> None:
        """Do nothing: no file stays open between two reads."""


def read_indexes(
    paths: Sequence[str], options: Mapping[str, object], damages: Damages = STRICT
) -> dict[str, FrameIndex]:
    """Return the index of each video by path, out of the cache if possible.

    Args:
        paths: absolute, or URLs.
        options: `Reader.storage_options`.
        damages: takes the errors of files that cannot be opened, or are no videos.

    Raises:
        OSError: a file cannot be read; the note names it. DecodeError: a file is no video.
    """
    indexes: dict[str, FrameIndex] = {}
    bad: dict[str, Exception] = {}
    different = list(dict.fromkeys(paths))
    remote = [path for path in different if is_url(path)]
    opened = {remote[n]: storage for n, storage in damages.open(remote, options).items()}

    def read(path: str) -> None:
        try:
            indexes[path] = read_index_of(opened.get(path) or open_storage(path))
        except (OSError, PenstockError) as error:
            bad[path] = _named(error, path)
            if damages is STRICT:
                raise bad[path] from error

    READ_TEAM.run_jobs(read, [path for path in different if not is_url(path)], _THREADS)
    READ_TEAM.run_jobs(read, list(opened))
    for path in sorted(bad):
        damages.take(path, bad[path])
    damages.require(indexes)
    return indexes


def _named(error: OSError | PenstockError, path: str) -> Exception:
    """Return an error of a video that names the file."""
    if isinstance(error, DecodeError):
        return DecodeError(f"{shown(path)}: {error}")
    error.add_note(f"the video {shown(path)!r}")
    return error


@portable
def index_of_file(path: str) -> FrameIndex:
    """Return the index of a local video: see `read_index_of`."""
    return read_index_of(open_storage(path))


def read_index_of(storage: Storage) -> FrameIndex:
    """Return the index of one video, and keep the index for the decoder."""
    file, state = file_of(storage)

    def build() -> tuple[NDArray[np.int64], ...]:
        index = index_video(file)
        unit = np.array([index.time_base.numerator, index.time_base.denominator], np.int64)
        end = np.array([index.end])
        return index.times, index.keys, index.key_seeks, unit, end, index.packets.ravel()

    times, keys, seeks, unit, end, packets = cached_index(storage, _CONTENT, build, _are_arrays)
    from fractions import Fraction  # takes 2 ms

    base = Fraction(int(unit[0]), int(unit[1]))
    index = FrameIndex(times, keys, seeks, base, int(end[0]), packets.reshape(-1, 3))
    INDEXES.keep(state, index)
    return index


def _are_arrays(_: int, *arrays: Array) -> bool:
    """Return whether the arrays can be those of an index of frames."""
    times, keys, seeks, unit, end, packets = arrays
    return (
        have_dtypes(*((array, np.int64) for array in arrays))
        and (len(unit), len(end), len(packets) % 3) == (2, 1, 0)
        and bool((unit > 0).all() and len(keys) == len(seeks) > 0)
        and bool((times[1:] >= times[:-1]).all() and (keys[1:] > keys[:-1]).all())
        and 0 <= int(keys[0]) <= int(keys[-1]) < len(times)
        and int(end[0]) > int(times[-1])
        and (not len(packets) or bool(((seeks >= 0) & (seeks < len(packets) // 3)).all()))
    )
