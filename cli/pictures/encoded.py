"""Encoded files as arrays: images, and sound and video if the libraries are installed."""

from __future__ import annotations

import importlib
import importlib.util
import io
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...datasets.media import AUDIO, VIDEO, extension_of, medium_of
from ...decoders.image.decode import decode
from ...decoders.image.table import read_header
from ...engine.arrays import Array
from ...engine.errors import DecodeError
from ...formats.video.library import open_container
from .roles import Output, Role

_FRAMES = 6  # of a video
_FORWARD = 300  # frames that are decoded behind a key frame, at most

# soundfile raises RuntimeError; PyAV raises errors that derive from ValueError, OSError, EOFError.
_DAMAGE = (DecodeError, RuntimeError, ValueError, OSError, EOFError, LookupError)


@dataclass(frozen=True)
class _Medium:
    """How files of one type become arrays.

    Attributes:
        recognize: whether a file is of this type.
        decode: returns the array of a file, of `layout`; raises one of `_DAMAGE`.
        layout: of the array.
        role: what the array shows.
        library: what must be installed.
    """

    recognize: Callable[[Array], bool]
    decode: Callable[[Array], Array]
    layout: str
    role: Role
    library: str


def decoded(output: Output) -> Output:
    """Return an output of encoded files as arrays; other outputs as they are.

    A damaged file becomes an empty array.
    """
    rows = output.filled
    if not rows or rows[0].ndim != 1 or rows[0].dtype != np.uint8:
        return output
    for medium in _MEDIA:
        if any(map(medium.recognize, rows)) and importlib.util.find_spec(medium.library):
            return _decoded(output, medium)
    return output


def _decoded(output: Output, medium: _Medium) -> Output:
    rows, damaged = [], set[int]()
    for number, row in enumerate(output.rows):
        array: Array = np.empty((0,) * len(medium.layout), np.uint8)
        if row.size:
            try:
                array = medium.decode(np.ascontiguousarray(row))
            except _DAMAGE:
                damaged.add(number)
        rows.append(array)
    return replace(
        output, rows=rows, layout=medium.layout, role=medium.role, damaged=frozenset(damaged)
    )


def _is_image(data: Array) -> bool:
    try:
        return bool(read_header(np.ascontiguousarray(data)))
    except DecodeError:
        return False


def _is(medium: str) -> Callable[[Array], bool]:
    return lambda data: medium_of(extension_of(data[:16].tobytes())) == medium


def _image(data: Array) -> Array:
    is_gray = read_header(data).channels == 1  # masks, too
    return decode(data, output="GRAY" if is_gray else "RGB")


def _sound(data: Array) -> Array:
    soundfile = importlib.import_module("soundfile")
    samples: Array = soundfile.read(io.BytesIO(data.tobytes()), dtype="float32", always_2d=True)[0]
    return samples


def _video(data: Array) -> Array:
    """Return frames that are spread over a video."""
    container, stream = open_container(io.BytesIO(data.tobytes()))
    with container:
        start, length = stream.start_time or 0, stream.duration or 0
        times = [start + length * number // _FRAMES for number in range(_FRAMES)]
        frames = [_frame_at(container, stream, time) for time in times]
    pictures = [frame for frame in frames if frame is not None]
    if not pictures:
        raise DecodeError("the video has no frame")
    return np.stack(pictures)


def _frame_at(container: Any, stream: Any, time: int) -> Array | None:
    """Return the frame at a time, or one before, if the key frame is far away; None without one.

    MPEG files without an index may lead behind their last key frame.
    """
    container.seek(time, stream=stream)
    frame = None
    for number, frame in enumerate(container.decode(stream)):
        if frame.pts is None or frame.pts >= time or number == _FORWARD:
            break
    if frame is None:
        return None
    pixels: Array = frame.to_ndarray(format="rgb24")
    return pixels


_MEDIA = (
    _Medium(_is_image, _image, "HWC", Role.ENCODED, "cv2"),
    _Medium(_is(AUDIO), _sound, "tc", Role.SOUND, "soundfile"),
    _Medium(_is(VIDEO), _video, "FHWC", Role.VIDEO, "av"),
)
