"""The judge of images: Penstock's pixels against those of Pillow, imagecodecs, tifffile and FFmpeg.

The stored pixels of ANY_DATA are compared, in the file's depth: exactly for lossless files, within
a few levels for lossy ones. RGB must follow from them, and the orientation must be Pillow's. A file
agrees if one reader agrees.

A refusal that speaks of damage is right if a reader that knows the form refuses the file too, or if
two readers see different pictures: readers fill in what is missing, each in its own way. Such a
file counts as refused by all.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...decoders.image.decode import decode
from ...decoders.image.formats.base import ImageHeader
from ...decoders.image.table import read_header
from ...engine.errors import DecodeError, MissingDependencyError
from .image_conventions import convention, holds_numbers, mixes_inks
from .image_readers import (
    Levels,
    Reading,
    Refusal,
    orientation_by_pillow,
    readings,
    reads_behind_the_end,
)
from .verdicts import Kind, Verdict

_LOSSLESS = frozenset({"PNG", "BMP", "PNM", "GIF", "JPEG 2000", "TIFF", "JPEG XR"})
_OF_FORM = ("unsupported", "not supported", "not implemented", "not yet", "keyerror", "assertion")
_INKS = 2.6 / 255  # each reader rounds mixtures of inks in its own way
_SAYS_DAMAGED = "fetch it again"


def judge(path: Path) -> Verdict:
    """Return the verdict on one image file."""
    content = path.read_bytes()
    data = np.frombuffer(content, np.uint8)
    header = None
    try:
        header = read_header(data)
        if holds_numbers(content, header):
            numbers = decode(data, output="ANY_DATA", dtype=np.float32, use_exif=False)
            return _judge_pixels(content, header, numbers / (2.0**header.bits - 1), None)
        stored = _levels(data, header, "ANY_DATA")
        colors = _levels(data, header, "RGB", np.uint8)
    except (DecodeError, MissingDependencyError) as error:
        return _judge_refusal(content, header, str(error))
    return _judge_pixels(content, header, stored, colors)


def _levels(
    data: NDArray[np.uint8], header: ImageHeader, output: str, dtype: type | None = None
) -> Levels:
    dtype = dtype or (np.uint8 if header.bits <= 8 else np.uint16)
    image = decode(data, output=output, dtype=dtype, use_exif=False)
    return image.astype(np.float32) / (np.iinfo(dtype).max)


def _judge_pixels(
    content: bytes, header: ImageHeader, stored: Levels, colors: Levels | None
) -> Verdict:
    faults = []
    is_rgb_judged = header.space == "CMYK"
    for reading in readings(content, header):
        if isinstance(reading, Refusal):
            faults.append(f"{reading.reader} refuses ({reading.error})")
            continue
        ours = colors if is_rgb_judged and colors is not None else stored
        tolerance = _INKS if mixes_inks(content, header) else _tolerance(reading, header)
        fault = _difference(_turned(ours, header, reading), reading, tolerance)
        if not fault:
            break
        faults.append(f"{reading.reader}: {fault}")
    else:
        return _with_convention(content, header, "; ".join(faults))
    if (
        not is_rgb_judged
        and colors is not None
        and not _is_close(colors, _colors(stored), 1.01 / 255)
    ):
        return Verdict(Kind.DIFFERS, "RGB does not follow from ANY_DATA")
    orientation = orientation_by_pillow(content)
    if orientation is not None and header.orientation != orientation:
        words = f"orientation {header.orientation}; Pillow: {orientation}"
        return _with_convention(content, header, words)
    return Verdict(Kind.AGREE, reading.reader)


def _turned(ours: Levels, header: ImageHeader, reading: Reading) -> Levels:
    if not reading.is_upright:
        return ours
    return _UPRIGHT[header.orientation](ours)


_UPRIGHT = {
    1: lambda stored: stored,
    2: lambda stored: stored[:, ::-1],
    3: lambda stored: stored[::-1, ::-1],
    4: lambda stored: stored[::-1],
    5: lambda stored: stored.swapaxes(0, 1),
    6: lambda stored: np.rot90(stored, -1),
    7: lambda stored: stored[::-1, ::-1].swapaxes(0, 1),
    8: lambda stored: np.rot90(stored, 1),
}


def _tolerance(reading: Reading, header: ImageHeader) -> float:
    if header.format not in _LOSSLESS:
        return 6 / 255
    if header.format == "BMP":
        return 1.01 / 255  # each reader expands 5 and 6 bits in its own way
    wide = 255 if header.bits <= 8 else 65535
    if wide > 255 and reading.depth > 255:
        return 1.01 / wide  # integers may be rounded each in its own way on the way to 0..1
    return 0.6 / wide if wide == reading.depth else 1.01 / 255


def _difference(ours: Levels, reading: Reading, tolerance: float) -> str:
    """Return how the pixels differ; "" if they do not."""
    theirs = np.clip(np.nan_to_num(reading.levels), 0, 1)
    if ours.shape[:2] != theirs.shape[:2]:
        return f"{theirs.shape[1]} x {theirs.shape[0]} pixels; came {ours.shape[1::-1]}"
    if not _is_close(_colors(ours), _colors(theirs), tolerance):
        gap = np.abs(_colors(ours) - _colors(theirs))
        place = np.unravel_index(int(np.nanargmax(gap.max(axis=2))), gap.shape[:2])
        return (
            f"colors differ by {np.nanmean(gap) * 255:.2f} of 255 in the mean, "
            f"{np.nanmax(gap) * 255:.2f} at most, at {tuple(map(int, place))}: came "
            f"{_told(ours[place])}, expected {_told(theirs[place])}"
        )
    mine, other = _alpha(ours), _alpha(theirs)
    if mine is None and other is not None and (other < 1).any():
        return "alpha is dropped"
    if mine is not None and other is not None and not _is_close(mine, other, tolerance):
        return "alpha differs"
    return ""


def _told(pixel: Levels) -> list[float]:
    return [round(float(value) * 255, 1) for value in pixel]


def _is_close(one: Levels, other: Levels, tolerance: float) -> bool:
    return one.shape == other.shape and bool((np.abs(one - other) <= tolerance).all())


def _colors(levels: Levels) -> Levels:
    if levels.shape[2] in (1, 2):
        return np.repeat(levels[..., :1], 3, axis=2)
    return levels[..., :3]


def _alpha(levels: Levels) -> Levels | None:
    return levels[..., -1:] if levels.shape[2] in (2, 4) else None


def _with_convention(content: bytes, header: ImageHeader, words: str) -> Verdict:
    reason = convention(content, header, words)
    if reason:
        return Verdict(Kind.BY_CONVENTION, f"{reason}: {words}")
    return Verdict(Kind.DIFFERS, words)


def _judge_refusal(content: bytes, header: ImageHeader | None, words: str) -> Verdict:
    results = list(readings(content, header))
    pictures = [result for result in results if isinstance(result, Reading)]
    if not pictures:
        return Verdict(Kind.REFUSED_BY_ALL, words)
    readers = ", ".join(picture.reader for picture in pictures)
    if _SAYS_DAMAGED not in words.lower():
        return Verdict(Kind.REFUSED_WITH_REASON, f"{words} (read by {readers})")
    damage = _damage(content, results, header)
    if damage:
        return Verdict(Kind.REFUSED_BY_ALL, f"{words} (filled in by {readers}, but {damage})")
    return Verdict(Kind.REFUSED_THOUGH_WHOLE, f"{words} (read by {readers})")


def _damage(content: bytes, results: list[Reading | Refusal], header: ImageHeader | None) -> str:
    """Return what shows that a file which some readers read is damaged; "" if nothing does."""
    for result in results:
        if isinstance(result, Refusal) and not _is_of_form(result.error):
            return f"{result.reader} refuses: {result.error}"
    pictures = [result for result in results if isinstance(result, Reading)]
    for one in pictures[1:]:
        if header is None or _difference(pictures[0].levels, one, _tolerance(one, header)):
            return f"{pictures[0].reader} and {one.reader} see different pictures"
    if content[:2] == b"\xff\xd8" and reads_behind_the_end(content):
        return "Pillow reads bytes behind the end of the picture's data"
    return ""


def _is_of_form(error: str) -> bool:
    """Return whether a reader refuses a file because it does not know the form."""
    return any(word in error.lower() for word in _OF_FORM)
