"""Independent readers of images: Pillow, imagecodecs, tifffile, and FFmpeg through PyAV.

A reader returns what it reads as levels: float arrays, HWC, 0 dark and 1 bright, of 1 to 4
channels (gray, gray with alpha, RGB, RGBA). It raises any exception for what it does not read.
"""

from __future__ import annotations

import io
import struct
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import av
import imagecodecs
import numpy as np
import pillow_heif
import tifffile
from av.video.reformatter import VideoReformatter
from numpy.typing import NDArray
from PIL import Image, ImageOps

from ...decoders.image.formats.base import ImageHeader

pillow_heif.register_heif_opener()

Levels = NDArray[np.float32]

_MOST_PIXELS = 2**28
_OF_16_BITS = ("PNG", "PPM", "JPEG2000", "TIFF", "HEIF")  # gray of full range
_MOST_PIXELS_BY_HAND = 10**5


class Reading(NamedTuple):
    """An image as one reader reads it.

    Attributes:
        reader: name of the reader.
        levels: HWC, from 0 to 1.
        is_upright: whether the reader has turned the image as its orientation says.
        depth: number of levels that the reader tells apart, less one.
    """

    reader: str
    levels: Levels
    is_upright: bool = False
    depth: int = 255


class Refusal(NamedTuple):
    """The error of a reader that does not read a file."""

    reader: str
    error: str


def readings(content: bytes, header: ImageHeader | None) -> Iterator[Reading | Refusal]:
    """Yield what each reader makes of a file, the usual judge of the format first."""
    format_name = header.format if header is not None else ""
    for reader in _READERS_OF.get(format_name, _READERS):
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                yield reader(content, header)
        except Exception as error:
            text = f"{type(error).__name__}: {str(error)[:160]}"
            yield Refusal(reader.__name__.strip("_"), text)


def orientation_by_pillow(content: bytes) -> int | None:
    """Return the orientation in EXIF or XMP metadata, else 1.

    None for files of other readers, and for HEIF, which Pillow turns when it reads them.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            image = Image.open(io.BytesIO(content))
            return None if image.format == "HEIF" else int(image.getexif().get(0x0112, 1))
        except Exception:
            return None


def reads_behind_the_end(content: bytes) -> bool:
    """Return whether bytes between the data of a JPEG and its last marker change the picture."""
    end = content.rfind(b"\xff\xd9")
    pictures = [
        np.asarray(Image.open(io.BytesIO(content[:end] + filler + b"\xff\xd9")))
        for filler in (b"\x55\x55", b"\xaa\xaa")
    ]
    return not np.array_equal(*pictures)


def _pillow(content: bytes, header: ImageHeader | None) -> Reading:
    Image.MAX_IMAGE_PIXELS = _MOST_PIXELS
    image = Image.open(io.BytesIO(content))
    form = image.format
    image.load()
    is_upright = form in ("TIFF", "AVIF", "HEIF")
    if is_upright:
        image = ImageOps.exif_transpose(image)
    mode = image.mode
    if mode in ("P", "PA"):
        has_alpha = mode == "PA" or "transparency" in image.info
        image = image.convert("RGBA" if has_alpha else "RGB")
    elif mode in ("CMYK", "YCbCr", "HSV", "RGBX", "RGBa", "La"):
        image = image.convert("RGB")
    elif mode == "LAB":
        raise ValueError("unsupported: Lab")
    array = np.asarray(image)
    if mode == "1":
        array = array.astype(np.uint8) * 255
    elif mode == "I" or mode.startswith("I;16"):
        if form not in _OF_16_BITS or (mode == "I" and form == "TIFF"):
            raise ValueError(f"unsupported: mode {mode} of unknown range")
        array = array.astype(np.float32) / 65535
        return Reading("Pillow", _channels_last(array), is_upright, 65535)
    return _reading("Pillow", array, None, is_upright)


def _imagecodecs(content: bytes, header: ImageHeader | None) -> Reading:
    assert header is not None
    decode, options = _IMAGECODECS[header.format]
    if header.format == "JPEG" and header.channels == 4:
        raise ValueError("unsupported: inks are not converted")
    if header.format == "BMP" and _is_of_odd_masks(content):
        raise ValueError("unsupported: imagecodecs crashes at empty masks, and cuts long ones")
    array = decode(content, **options)
    bits = header.bits if array.dtype.kind == "u" and header.bits > 8 else None
    return _reading("imagecodecs", array, bits, header.format == "AVIF")


def _masks(content: bytes) -> tuple[int, ...]:
    """Return the masks of a BMP with bit fields: red, green, blue and alpha; none without them."""
    size, compression, *masks = struct.unpack_from("<I12xI20xIIII", content.ljust(70, b"\0"), 14)
    if compression not in (3, 6):
        return ()
    has_alpha = (size >= 56 or compression == 6) and masks[3]
    return tuple(masks if has_alpha else masks[:3])


def _is_of_odd_masks(content: bytes) -> bool:
    return any(not 0 < mask.bit_count() <= 8 for mask in _masks(content))


def _bmp_by_hand(content: bytes, header: ImageHeader | None) -> Reading:
    """Read a small BMP of bit fields or of a palette pixel by pixel, as Microsoft describes it."""
    assert header is not None
    masks = _masks(content)
    start, size, width, height, bits, compression = struct.unpack_from("<IIii2xHI", content, 10)
    if not (masks or (bits <= 8 and compression == 0 and size >= 40)):
        raise ValueError("unsupported: neither bit fields nor indices of a palette")
    if header.height * header.width > _MOST_PIXELS_BY_HAND:
        raise ValueError("unsupported: too many pixels")
    line = (width * bits + 31) // 32 * 4

    def color(x: int, y: int) -> list[float]:
        at, bit = divmod(x * bits, 8)
        if masks:
            at += start + y * line
            pixel = int.from_bytes(content[at : at + bits // 8], "little")
            return [(pixel & mask) / mask if mask else 0.0 for mask in masks]
        index = content[start + y * line + at] >> (8 - bits - bit) & ((1 << bits) - 1)
        blue, green, red = content[14 + size + 4 * index :][:3]
        return [red / 255, green / 255, blue / 255]

    lines = [[color(x, y) for x in range(width)] for y in range(abs(height))]
    levels = np.array(lines[::-1] if height > 0 else lines, np.float32)
    return Reading("by hand", levels, False, 255)


def _pfm_by_hand(content: bytes, header: ImageHeader | None) -> Reading:
    """Read a PFM, as Netpbm describes it: FFmpeg approximates floats."""
    form, width, height, scale, samples = content.split(maxsplit=4)
    if form not in (b"PF", b"Pf"):
        raise ValueError("unsupported: no PFM")
    shape = (int(height), int(width), 3 if form == b"PF" else 1)
    samples = content[-4 * int(np.prod(shape)) :]
    levels = np.frombuffer(samples, "<f4" if float(scale) < 0 else ">f4").reshape(shape)[::-1]
    return Reading("by hand", levels.astype(np.float32), False, 2**24)


def _libtiff(content: bytes, header: ImageHeader | None) -> Reading:
    array = imagecodecs.tiff_decode(content, index=0, asrgb=True)
    return _reading("libtiff", array[..., :3], None)


def _tifffile(content: bytes, header: ImageHeader | None) -> Reading:
    page = tifffile.TiffFile(io.BytesIO(content)).pages[0]
    array = page.asarray()
    if page.axes.startswith("S"):
        array = np.moveaxis(array, 0, -1)
    photometric = int(page.photometric)
    if photometric == tifffile.PHOTOMETRIC.PALETTE:
        colors = np.moveaxis(page.colormap, 0, -1)[array.reshape(array.shape[:2])]
        return _reading("tifffile", colors, 16)
    if photometric not in (0, 1, 2, 5) and not (photometric == 6 and int(page.compression) == 7):
        raise ValueError(f"unsupported: photometric interpretation {photometric}")
    if photometric == 0 and array.dtype.kind not in "ub":
        raise ValueError("unsupported: white is 0 in other than unsigned samples")
    is_integer = array.dtype.kind in "uib"
    # Integers of more than 16 bits are numbers, which may be negative.
    is_short_signed = array.dtype.kind == "i" and page.bitspersample <= 16
    depth = 2 ** (page.bitspersample - is_short_signed) - 1 if is_integer else 2**24
    levels = _channels_last(array.astype(np.float64) / (depth if is_integer else 1))
    if photometric == 0 and page.bitspersample <= 16:
        levels = 1 - levels
    elif photometric == 5:
        levels = (1 - levels[..., :3]) * (1 - levels[..., 3:4])
    return Reading("tifffile", levels.astype(np.float32), False, depth)


def _ffmpeg(content: bytes, header: ImageHeader | None) -> Reading:
    with av.open(io.BytesIO(content)) as container:
        if container.format.name == "apng":
            raise ValueError("unsupported: FFmpeg shows the animation, not the default image")
        container.streams.video[0].codec_context.options = {"err_detect": "explode+crccheck"}
        frame = next(container.decode(video=0))
    name = frame.format.name
    if "16" in name or "10" in name or "12" in name:
        wanted = "gray16le" if name.startswith(("gray1", "gray9")) else "rgba64le"
    elif name in ("gray", "monob", "monow"):
        wanted = "gray"
    else:
        wanted = "rgba" if frame.format.name in _WITH_ALPHA else "rgb24"
    array = VideoReformatter().reformat(frame, format=wanted).to_ndarray()
    return _reading("FFmpeg", array, None)


_WITH_ALPHA = {"rgba", "bgra", "argb", "abgr", "ya8", "yuva420p", "pal8", "gbrap"}

_IMAGECODECS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "JPEG": (imagecodecs.jpeg_decode, {}),
    "PNG": (imagecodecs.png_decode, {}),
    "WebP": (imagecodecs.webp_decode, {}),
    "BMP": (imagecodecs.bmp_decode, {}),
    "JPEG 2000": (imagecodecs.jpeg2k_decode, {}),
    "AVIF": (imagecodecs.avif_decode, {"index": 0}),
    "JPEG XL": (imagecodecs.jpegxl_decode, {"index": 0, "keeporientation": True}),
    "JPEG XR": (imagecodecs.jpegxr_decode, {}),
    "GIF": (imagecodecs.gif_decode, {"index": 0}),
}
_Reader = Callable[[bytes, "ImageHeader | None"], Reading]
_READERS: tuple[_Reader, ...] = (_pillow, _imagecodecs, _ffmpeg)
_READERS_OF: dict[str, tuple[_Reader, ...]] = {
    "TIFF": (_pillow, _libtiff, _tifffile, _ffmpeg),
    "BMP": (_pillow, _ffmpeg, _imagecodecs, _bmp_by_hand),
    "PNM": (_pillow, _ffmpeg, _pfm_by_hand),
    # Penstock decodes this with imagecodecs.
    "AVIF": (_pillow, _ffmpeg),
    "HEIF": (_ffmpeg, _pillow),
}


def _reading(name: str, array: NDArray[Any], bits: int | None, is_upright: bool = False) -> Reading:
    depth = 1
    if array.dtype.kind == "u":
        depth = 2 ** (bits or array.dtype.itemsize * 8) - 1
    levels = _channels_last(array.astype(np.float32) / depth)
    return Reading(name, levels, is_upright, depth if depth > 1 else 2**24)


def _channels_last(levels: NDArray[Any]) -> Levels:
    if levels.ndim == 2:
        levels = levels[..., None]
    if levels.ndim != 3 or not 1 <= levels.shape[2] <= 16:
        raise ValueError(f"an array of shape {levels.shape}")
    return levels
