"""Decoded frames as arrays."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array
from ...engine.errors import DecodeError
from ...engine.graph.context import Workspace
from ...formats.media import pyav
from ...formats.video.frame_index import FrameIndex
from .colors import color_matrix, has_full_range
from .contexts import DisplayInfo

if TYPE_CHECKING:
    from av import VideoFrame

MOST_PIXELS = 1 << 29
"""Of all frames of a clip, whatever the file's size: 258 of 1920 x 1080, 64 of 3840 x 2160."""

MOST_PIXELS_OF_A_BYTE = 1 << 13
"""By which a larger file may have larger clips. Slides with H.264 have up to 5,000 pixels a byte,
and films below 1,000. Black frames have 20,000 and more: a small file of these would take all
memory. As an error the file is a bad sample."""

_PLANES = frozenset(
    f"yuv{full}{chroma}p" for full in ("", "j") for chroma in ("420", "422", "440", "444")
)


class PictureMaker:
    """Converts frames to RGB or YCbCr, with the matrix and the range that the video states.

    A video that states no matrix is taken for ITU-R BT.601, as FFmpeg takes it. YCbCr is BT.601
    with Y from 16 to 235. Chroma is interpolated linearly. Frames of 8 bits are converted by
    OpenCV, which is as exact as FFmpeg's slow way. One thread uses a maker, which keeps the memory
    of its intermediate results.
    """

    def __init__(self, space: str) -> None:
        """`space` is "RGB" or "YCbCr"."""
        self._kept: dict[int, Array] = {}
        names = pyav().video.reformatter
        self._space = space
        self._reformat: Callable[..., VideoFrame] = names.VideoReformatter().reformat
        way = names.Interpolation
        self._is_exact = hasattr(way, "FULL_CHR_H_INT")  # from PyAV 18 on
        self._way = way.BILINEAR
        if self._is_exact:
            self._way |= way.FULL_CHR_H_INT | way.ACCURATE_RND

    def size_of(self, frame: VideoFrame) -> tuple[int, int]:
        """Return height and width of the upright picture."""
        sideways = round(frame.rotation / 90) % 2 == 1
        return (frame.width, frame.height) if sideways else (frame.height, frame.width)

    def picture(self, frame: VideoFrame, out: Array | None = None) -> Array:
        """Return the upright picture: uint8, HWC; in `out`, if possible."""
        if frame.format.name not in _PLANES:  # more bits, alpha, RGB ...
            frame = self._in_planes(frame)
        planes = [_samples(plane) for plane in frame.planes]
        shape = planes[0].shape
        for number in (1, 2):
            if planes[number].shape != shape:
                memory = self._memory(number, shape)
                planes[number] = cv2.resize(planes[number], shape[::-1], dst=memory)
        is_full = has_full_range(frame.color_range, frame.format.name)
        matrix = color_matrix(frame.colorspace, is_full, self._space)
        merged = cv2.merge(planes, dst=self._memory(0, (*shape, 3)))
        turns = round(frame.rotation / 90) % 4
        if turns:
            return np.rot90(cv2.transform(merged, matrix), turns)
        return cv2.transform(merged, matrix, dst=out)

    def _in_planes(self, frame: VideoFrame) -> VideoFrame:
        """Return a frame of 4:4:4 with 8 bits and the same range."""
        if self._is_exact:
            return self._reformat(frame, format="yuv444p", interpolation=self._way, threads=1)
        ranges = {"dst_color_range": frame.color_range}
        if not frame.format.is_rgb:
            ranges["src_color_range"] = frame.color_range
        return self._reformat(frame, format="yuv444p", interpolation=self._way, **ranges)

    def _memory(self, number: int, shape: tuple[int, ...]) -> Array:
        kept = self._kept.get(number)
        if kept is None or kept.shape != shape:
            kept = self._kept[number] = np.empty(shape, np.uint8)
        return kept


def _samples(plane: Any) -> Array:
    lines = np.frombuffer(plane, np.uint8).reshape(plane.height, plane.line_size)
    return lines[:, : plane.width]


class FrameSource(Protocol):
    """Frames of one video.

    Attributes:
        index: index of its frames.
        codec: name of the codec, such as "h264".
        nbytes: size of the file.
    """

    index: FrameIndex
    codec: str
    nbytes: int

    @property
    def display(self) -> DisplayInfo | None:
        """Display of all frames, if their decoder does not know what the container states."""

    def read(self, numbers: Sequence[int]) -> Generator[tuple[int, VideoFrame]]:
        """Yield each of these frames with its number; `numbers` ascend."""


def frames_of(numbers: NDArray[np.int64]) -> list[int]:
    """Return which frames a clip needs, in ascending order; a filled clip has a frame's size."""
    return np.unique(numbers[numbers >= 0]).tolist() or [0]


@dataclass(frozen=True)
class ClipDecoder:
    """Decodes clips to arrays.

    Attributes:
        space: "RGB" or "YCbCr".
        dtype: dtype of the elements: uint8 or a float type.
        normalized: whether floats span 0 to 1 in place of 0 to 255.
        fill: color of filled frames: one value from 0 to 255, or one a channel.
    """

    space: str = "RGB"
    dtype: type[Any] = np.uint8
    normalized: bool = False
    fill: tuple[int, ...] = (0,)

    def decode(
        self, reader: FrameSource, numbers: NDArray[np.int64], workspace: Workspace
    ) -> Array:
        """Decode a clip.

        Args:
            reader: the video.
            numbers: numbers of the clip's frames, in any order; -1 stands for a filled frame.
            workspace: gives the memory.

        Returns:
            `dtype`, FHWC.

        Raises:
            DecodeError: a frame is damaged, missing, or of another size than the first one; or the
                clip is too large: see `check_size`.
            PipelineStopped: the pipeline was closed.
        """
        maker = PictureMaker(self.space)
        out: Array | None = None
        # Closed here: a traceback may keep the generator, until the collector finds it anywhere.
        with closing(reader.read(frames_of(numbers))) as frames:
            for number, frame in frames:
                workspace.check_running()
                size = maker.size_of(frame)
                if out is None:
                    check_size(reader, len(numbers), size)
                    out = workspace.empty((len(numbers), *size, 3), self.dtype)
                if size != out.shape[1:3]:
                    raise changed_size(reader, number, size, out.shape[1:3])
                entries = np.flatnonzero(numbers == number).tolist()
                if entries:
                    self._convert(maker, frame, out[entries[0]])
                for entry in entries[1:]:
                    out[entry] = out[entries[0]]
        assert out is not None
        for entry in np.flatnonzero(numbers < 0).tolist():
            self._store(np.array(self.fill, np.uint8), out[entry])
        return out

    def _convert(self, maker: PictureMaker, frame: VideoFrame, out: Array) -> None:
        fits = out.dtype == np.uint8 and not self.normalized
        picture = maker.picture(frame, out if fits else None)
        if picture is not out:
            self._store(picture, out)

    def _store(self, picture: Array, out: Array) -> None:
        if self.normalized:
            np.multiply(picture, 1 / 255, out=out, casting="unsafe")
        else:
            np.copyto(out, picture)


def check_size(reader: FrameSource, count: int, size: tuple[int, int]) -> None:
    """Raise DecodeError if so many frames of a height and width are too large for a clip."""
    limit = max(MOST_PIXELS, MOST_PIXELS_OF_A_BYTE * reader.nbytes)
    if count * size[0] * size[1] > limit:
        raise DecodeError(
            f"the clip has {count} frames of {size[0]} x {size[1]} pixels; the limit of a clip of "
            f"a file with {reader.nbytes} bytes is {limit} pixels, {limit // (size[0] * size[1])} "
            "frames: set `sequence_length` to this number or fewer"
        )


def changed_size(
    reader: FrameSource, number: int, size: tuple[int, ...], first: tuple[int, ...]
) -> DecodeError:
    """Return the error of a frame that has another size than the clip's first frame."""
    return DecodeError(
        f"frame {number}, at {reader.index.seconds[number]:.3f} s, has {size[0]} x {size[1]} "
        f"pixels, but the clip's first frame has {first[0]} x {first[1]}; take clips that "
        "do not cross the change"
    )
