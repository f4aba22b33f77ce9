"""Decode TIFF through the libraries tifffile and imagecodecs.

tifffile decodes each strip or tile to its samples as stored. libtiff, inside imagecodecs, decodes
the few forms that tifffile does not: to RGB if only libtiff knows the color, else to samples.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import numpy as np

from ....engine.arrays import Array, Bytes
from ....engine.errors import DecodeError
from ...errors import FETCH_AGAIN, decode_error
from ..engines import libraries
from . import tiff, tiff_color
from .base import CONVERT, Box, DecodeRequest, ImageHeader, StoredImage
from .tiff_forms import (
    BY_LIBTIFF,
    JPEGS,
    LOSSLESS,
    NONE,
    OLD_JPEG,
    PACKBITS,
    refuse_unsupported,
)
from .tiff_strips import (
    CHECKED,
    Strip,
    StripGrid,
    check_strip,
    damaged,
    read_grid,
    read_strips,
)

_UPRIGHT = 1
_HORIZONTAL = 2  # predictor
_HIGH_BIT_FIRST, _LOW_BIT_FIRST = 1, 2  # fill orders
_MOST_PADDING = 1 << 24
"""Bytes behind the picture that its only strip may hold."""


def library() -> ModuleType:
    """Return the module tifffile.

    Raises:
        MissingDependencyError: tifffile or imagecodecs is missing.
    """
    libraries.load("imagecodecs", tiff.NAME)  # tifffile does without for some files, and fails late
    return libraries.load("tifffile", tiff.NAME)


def decode(data: Bytes, header: ImageHeader, request: DecodeRequest) -> StoredImage:
    """Decode the first image of a file; of a region, the strips or tiles that it touches.

    Raises:
        DecodeError: a strip or tile is outside the data or damaged, or the form of the file is
            not supported.
        MissingDependencyError: tifffile or imagecodecs is missing.
    """
    tifffile = library()
    directory = tiff.read_directory(data.data)
    compression = directory.value(tiff.COMPRESSION)
    refuse_unsupported(directory, compression)
    grid = read_grid(directory, header)
    strips = read_strips(directory, header, grid, compression)
    if tiff_color.is_left_to_libtiff(directory) and compression not in JPEGS:
        if compression in (NONE, *LOSSLESS):
            _check_lengths(directory, grid, strips, compression)
        return _by_libtiff(directory, header, as_rgb=True)
    if compression in BY_LIBTIFF:
        if compression == OLD_JPEG:
            return _by_libtiff(directory, header, as_rgb=True)
        pixels = _by_libtiff(directory, header, as_rgb=False).pixels
    else:
        pixels = _by_tifffile(tifffile, directory, header, grid, strips, compression, request.box)
    return tiff_color.interpreted(_integers(pixels, directory), directory, header)


@contextmanager
def _library_errors(strip: Strip | None = None) -> Iterator[None]:
    """Raise what the library raises as DecodeError: it has no common class of errors."""
    try:
        yield
    except (DecodeError, MemoryError):
        raise
    except Exception as error:
        raise _library_error(error, strip) from error


def _library_error(error: Exception, strip: Strip | None) -> DecodeError:
    words = f"{type(error).__name__}: {' '.join(str(error).split())}"
    if isinstance(error, NotImplementedError) or "not supported" in words:
        return decode_error(tiff.NAME, words.rstrip("."), remedy=CONVERT)
    if strip is None:
        problem = f"the library cannot decode the data ({words})"
        return decode_error(tiff.NAME, problem, remedy=FETCH_AGAIN)
    return damaged(strip, words)


def _by_tifffile(
    tifffile: ModuleType,
    directory: tiff.TiffDirectory,
    header: ImageHeader,
    grid: StripGrid,
    strips: list[Strip],
    compression: int,
    box: Box,
) -> Array:
    """Return the samples as stored, in lines, columns and samples."""
    with _library_errors():
        page = tifffile.TiffFile(io.BytesIO(directory.view), is_lsm=False, is_stk=False).pages[0]
        tables, head = page.jpegtables, page.jpegheader
        is_known = page.dtype is not None
        claims: tuple[object, ...] = (page.imagelength, page.imagewidth, page.samplesperpixel)
        claims += (page.bitspersample, page.compression, page.is_tiled)
        claims += (page.tilelength, page.tilewidth) if page.is_tiled else ()
    expected = (header.height, header.width, grid.planes * grid.samples)
    form: tuple[Any, ...] = (*expected, grid.bits, compression, grid.is_tiled)
    form += (grid.height, grid.width) if grid.is_tiled else ()
    if claims != form or not is_known:
        raise decode_error(
            tiff.NAME, f"the library reads another header, {claims}", expected=f"{form}"
        )
    if compression in LOSSLESS:  # `_decompressed` leaves bytes as they are without compression
        page.compression, page.fillorder = NONE, _HIGH_BIT_FIRST
    options = {"jpegtables": tables, "jpegheader": head} if compression in JPEGS else {}
    pixels: Array | None = None
    for strip in strips:
        if not (strip.start or strip.size) or not _touches(strip, box):
            continue
        part = _decoded(page, directory, grid, strip, compression, options)
        if part.shape == expected and len(strips) == 1:
            return part
        if pixels is None:
            pixels = np.zeros(expected, part.dtype)
        lines = slice(strip.top, strip.top + strip.height)
        columns = slice(strip.left, strip.left + strip.width)
        channels = slice(strip.plane, strip.plane + 1) if grid.planes > 1 else slice(None)
        pixels[lines, columns, channels] = part[: strip.height, : strip.width]
    return np.zeros(expected, page.dtype) if pixels is None else pixels


def _touches(strip: Strip, box: Box) -> bool:
    y0, x0, y1, x1 = box
    return (
        strip.top < y1
        and strip.left < x1
        and y0 < strip.top + strip.height
        and x0 < strip.left + strip.width
    )


def _decoded(
    page: Any,
    directory: tiff.TiffDirectory,
    grid: StripGrid,
    strip: Strip,
    compression: int,
    options: dict[str, Any],
) -> Array:
    """Return the samples of one strip or tile: lines, columns and samples."""
    data = bytes(directory.view[strip.start : strip.start + strip.size])
    nbytes = grid.nbytes_of(strip)
    if compression == NONE and len(data) < nbytes:
        raise decode_error(
            tiff.NAME,
            f"strip or tile {strip.number} holds {len(data)} bytes",
            at=strip.start,
            expected=f"{nbytes} bytes of pixels",
        )
    if compression in CHECKED:
        check_strip(directory, grid, compression, strip)
    if compression in LOSSLESS:
        data = _decompressed(directory, grid, strip, compression, data)
    part: Array
    try:  # a context manager takes as long as a short strip
        part = page.decode(data, strip.number, **options)[0][0]
    except MemoryError:
        raise
    except Exception as error:
        raise _library_error(error, strip) from error
    if part.shape[0] < strip.height or part.shape[1] < strip.width:
        raise damaged(strip, f"{part.shape[1]} x {part.shape[0]} pixels")
    if part.dtype.kind != "f" and 8 * part.itemsize != grid.container:
        raise damaged(strip, f"samples of {8 * part.itemsize} bits; expected {grid.bits}")
    return part


def _decompressed(
    directory: tiff.TiffDirectory, grid: StripGrid, strip: Strip, compression: int, data: bytes
) -> bytes:
    """Return the bytes of a strip or tile of a lossless compression, or fewer if it holds fewer.

    Writers store the last strip at its full height, and PackBits with a byte that fills up to an
    even size. Decoders that are told the size of the picture's lines call both an error.
    """
    import imagecodecs

    decompress = library().TIFF.DECOMPRESSORS[compression]
    if directory.value(tiff.FILL_ORDER) == _LOW_BIT_FIRST:
        data = bytes(imagecodecs.bitorder_decode(data))
    nbytes, whole = grid.nbytes_of(strip), grid.nbytes(grid.height)
    stated = grid.nbytes(directory.value(tiff.STRIP_LINES))
    padded = max(whole, min(stated, whole + _MOST_PADDING))
    forms = [(data, nbytes), (data, padded)]
    if compression == PACKBITS:
        stripped = data[:-1] if data.endswith(b"\0") else data.rstrip(b"\x80")
        forms.insert(1, (stripped, nbytes))
    problem: Exception | None = None
    for content, size in forms:
        try:
            decoded = bytes(decompress(content, out=size))
        except MemoryError:
            raise
        except Exception as error:
            problem = problem or error
        else:  # no checksum says that PackBits of another length are sound
            if size == nbytes or compression != PACKBITS or len(decoded) == padded:
                return decoded[:nbytes]
    assert problem is not None
    raise _library_error(problem, strip) from problem


def _integers(pixels: Array, directory: tiff.TiffDirectory) -> Array:
    """Return integers of any depth in order: the library leaves their high bits undefined."""
    bits = directory.value(tiff.BITS)
    if pixels.dtype == np.bool_:
        return pixels.view(np.uint8)
    if pixels.dtype.kind == "f" or bits == 8 * pixels.itemsize or bits > 32:
        return pixels
    mask = pixels.dtype.type((1 << bits) - 1)
    if directory.value(tiff.PREDICTOR) == _HORIZONTAL:
        pixels = pixels & mask
    if pixels.dtype.kind == "i":
        sign = pixels.dtype.type(1 << (bits - 1))
        pixels = ((pixels & mask) ^ sign) - sign
    return pixels


def _check_lengths(
    directory: tiff.TiffDirectory, grid: StripGrid, strips: list[Strip], compression: int
) -> None:
    """Raise unless every strip or tile decodes to its full size: libtiff leaves the rest black."""
    for strip in strips:
        nbytes = grid.nbytes_of(strip)
        data = bytes(directory.view[strip.start : strip.start + strip.size])
        if compression != NONE:
            data = _decompressed(directory, grid, strip, compression, data)
        if len(data) < nbytes:
            raise damaged(strip, f"{len(data)} bytes; expected {nbytes}")


def _by_libtiff(directory: tiff.TiffDirectory, header: ImageHeader, as_rgb: bool) -> StoredImage:
    """Decode with libtiff: RGB of 8 bits, or the samples as stored."""
    import imagecodecs

    with _library_errors():
        pixels = imagecodecs.tiff_decode(_upright(directory), asrgb=as_rgb)
        if as_rgb:
            pixels = pixels.reshape(header.height, header.width, 4)
            return StoredImage(np.ascontiguousarray(pixels[..., :3]), "RGB")
        samples = directory.value(tiff.SAMPLES)
        if directory.value(tiff.PLANAR) == 2 and samples > 1:
            pixels = np.moveaxis(pixels.reshape(samples, header.height, header.width), 0, 2)
        return StoredImage(pixels.reshape(header.height, header.width, samples), "")


def _upright(directory: tiff.TiffDirectory) -> bytearray | bytes:
    """Return a copy of the file that says that it is upright: libtiff turns RGB."""
    field = directory.fields.get(tiff.ORIENTATION)
    if field is None or directory.value(tiff.ORIENTATION) == _UPRIGHT:
        return bytes(directory.view)
    copy = bytearray(directory.view)
    struct.pack_into(directory.order + field.code, copy, field.at, _UPRIGHT)
    return copy
