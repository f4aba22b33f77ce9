"""Decoded frames of clips, in the memory where FFmpeg has put them: the GPU's, or the CPU's."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...engine.arrays import Array, Int64s
from .colors import has_full_range
from .contexts import display_of
from .pictures import (
    FrameSource,
    PictureMaker,
    changed_size,
    check_size,
    frames_of,
)

if TYPE_CHECKING:
    from av import VideoFrame

SMALLER_VIDEOS = (
    "decode on the GPU: device='mixed'",
    "smaller videos, or videos with key frames that lie closer together",
    "more cores",
)
"""Remedies where the decoding of videos limits a pipeline."""


class PlaneFormat(NamedTuple):
    """The layout of luma and chroma in planes.

    Attributes:
        is_wide: whether a number has 16 bits, else 8.
        unit: factor from the numbers to those of 8 bits.
        is_interleaved: whether both numbers of chroma lie side by side in one plane.
    """

    is_wide: bool = False
    unit: float = 1.0
    is_interleaved: bool = False


def _formats() -> dict[str, PlaneFormat]:
    formats = {
        f"yuv{full}{chroma}p": PlaneFormat()
        for full in ("", "j")
        for chroma in (420, 422, 440, 444)
    }
    for bits in (9, 10, 12, 14, 16):
        for chroma in (420, 422, 444):
            formats[f"yuv{chroma}p{bits}le"] = PlaneFormat(True, 2.0 ** (8 - bits))
    # What NVIDIA's decoder gives: the bits lie at the upper end of 16.
    for name in ("yuv444p10msble", "yuv444p12msble"):
        formats[name] = PlaneFormat(True, 2.0**-8)
    for name in ("nv12", "nv16", "nv24"):
        formats[name] = PlaneFormat(is_interleaved=True)
    for name in ("010", "012", "016", "210", "212", "216"):
        formats[f"p{name}le"] = PlaneFormat(True, 2.0**-8, True)
    return formats


FORMATS = _formats()
"""Formats of pixels that the GPU converts, by FFmpeg's names."""


@dataclass(frozen=True)
class Picture:
    """A frame, not yet converted.

    Attributes:
        frame: holds the memory.
        form: how its planes lie; None if `planes` has the upright picture itself.
        planes: arrays in the host's memory, or addresses on the GPU.
        pitch: bytes from a line to the next one, of luma and chroma.
        size: height and width as stored.
        chroma: height and width of the chroma.
        shift: from the middle of pixels to where their chroma lies, in numbers of chroma.
        turns: quarter turns counterclockwise to the upright picture.
        matrix: number of the matrix in ITU-T H.273.
        is_full: whether numbers span 0 to 255.
    """

    frame: VideoFrame | None
    form: PlaneFormat | None
    planes: tuple[Any, ...]
    pitch: tuple[int, int]
    size: tuple[int, int]
    chroma: tuple[int, int]
    shift: float = 0.0
    turns: int = 0
    matrix: int = 0
    is_full: bool = False

    @property
    def upright_size(self) -> tuple[int, int]:
        """Height and width of the upright picture."""
        return self.size[::-1] if self.turns % 2 else self.size

    @property
    def is_on_gpu(self) -> bool:
        """Whether the planes are in the GPU's memory."""
        return isinstance(self.planes[0], int)

    @property
    def nbytes(self) -> int:
        """Size of the planes."""
        chroma = self.chroma[0] * self.pitch[1] * (len(self.planes) - 1)
        return self.size[0] * self.pitch[0] + chroma


class ClipFrames(NamedTuple):
    """The frames of a clip.

    Attributes:
        pictures: all different frames.
        entries: for each frame of the clip its number among `pictures`; -1 for a filled frame.
        size: height and width of the upright pictures.
    """

    pictures: tuple[Picture, ...]
    entries: Int64s
    size: tuple[int, int]


_LEFT_CHROMA = frozenset(("h264", "hevc"))
"""Codecs whose chroma lies at the left pixel of two. FFmpeg, which converts frames of more than 8
bits for the CPU, knows of that; OpenCV, which converts those of 8 bits, takes the middle."""

NO_FRAMES = ClipFrames((), np.empty(0, np.int64), (1, 1))


def collect(reader: FrameSource, numbers: Int64s, space: str) -> ClipFrames:
    """Decode the frames of a clip, without a conversion if the GPU can convert them.

    Args:
        reader: the video.
        numbers: numbers of the clip's frames, in any order; -1 stands for a filled frame.
        space: "RGB" or "YCbCr", for frames that the CPU converts.

    Raises:
        DecodeError: a frame is damaged, missing, or of another size than the first one; or the
            clip is too large.
    """
    wanted = frames_of(numbers)
    maker = PictureMaker(space)
    pictures: list[Picture] = []
    with closing(reader.read(wanted)) as frames:
        for number, frame in frames:
            pictures.append(_picture(reader, frame, maker))
            size = pictures[0].upright_size
            if len(pictures) == 1:
                check_size(reader, len(numbers), size)
            if pictures[-1].upright_size != size:
                raise changed_size(reader, number, pictures[-1].upright_size, size)
    entries = np.where(numbers < 0, -1, np.searchsorted(wanted, numbers))
    return ClipFrames(tuple(pictures), entries, pictures[0].upright_size)


def _picture(reader: FrameSource, frame: VideoFrame, maker: PictureMaker) -> Picture:
    is_on_gpu = frame.format.name == "cuda"
    pixels = frame.sw_format if is_on_gpu else frame.format
    name = "" if pixels is None else pixels.name
    form = FORMATS.get(name)
    size = frame.height, frame.width
    if form is None:
        picture = np.ascontiguousarray(maker.picture(frame))
        size = picture.shape[:2]
        return Picture(None, None, (picture,), (3 * size[1], 0), size, (0, 0))
    luma, chroma = frame.planes[:2]
    display = reader.display or display_of(frame)
    is_halved = chroma.width < frame.width
    return Picture(
        frame,
        form,
        tuple(plane.buffer_ptr if is_on_gpu else _lines(plane) for plane in frame.planes),
        (abs(luma.line_size), abs(chroma.line_size)),
        size,
        (chroma.height, chroma.width),
        0.25 if form.is_wide and is_halved and reader.codec in _LEFT_CHROMA else 0.0,
        round(display.rotation / 90) % 4,
        display.matrix_of(frame),
        has_full_range(display.range_of(frame), name),
    )


def _lines(plane: Any) -> Array:
    return np.frombuffer(plane, np.uint8)
