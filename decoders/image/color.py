"""Color spaces and dtypes of decoded images, as DALI defines them.

Spaces: `GRAY`, `RGB`, `BGR`, `YCbCr`, `CMYK` and, with alpha, `GRAYA`, `RGBA` and `BGRA`. The space
of more than four channels is their number, such as `6`. The first three of them count as RGB.

A dtype spans its range: integers from 0 to their largest value, floats from 0 to 1, so 255 in uint8
is 65535 in uint16 and 1.0 in float32. Integers round half up. The samples of a file may use a part
of their dtype: then `white`, the sample of full brightness, is scaled to the end of the range.

Numbers, such as labels and counts, have no brightness: `white` is `NUMBERS`. All dtypes keep their
values; a value outside of the dtype's range is an error.
"""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import DTypeLike, NDArray

from ...engine.arrays import Array, DType

CHANNELS = {"GRAY": 1, "GRAYA": 2, "RGB": 3, "BGR": 3, "YCbCr": 3, "RGBA": 4, "BGRA": 4, "CMYK": 4}
_SPACE_OF_CHANNELS = {1: "GRAY", 2: "GRAYA", 3: "RGB", 4: "RGBA"}

NUMBERS = 0.0
"""The `white` of samples that are numbers and no brightness."""

DTYPES = tuple(
    np.dtype(name)
    for name in ("uint8", "int8", "uint16", "int16", "uint32", "int32", "float16", "float32")
)
"""The dtypes that images may be decoded to."""

_UINT8, _UINT16, _FLOAT32 = np.dtype(np.uint8), np.dtype(np.uint16), np.dtype(np.float32)
_OPENCV_DTYPES = (_UINT8, _UINT16, _FLOAT32)  # OpenCV converts color spaces in these alone
_TABLE_DTYPES = (_UINT8, _UINT16)
# OpenCV 4 has no uint32, and no tables of float16.
_SAME_BITS: dict[DType, DType] = {
    np.dtype(np.uint32): np.dtype(np.int32),
    np.dtype(np.float16): np.dtype(np.int16),
}

_CODES = {
    ("GRAY", "RGB"): cv2.COLOR_GRAY2RGB,
    ("GRAY", "BGR"): cv2.COLOR_GRAY2BGR,
    ("GRAY", "RGBA"): cv2.COLOR_GRAY2RGBA,
    ("RGB", "BGR"): cv2.COLOR_RGB2BGR,
    ("RGB", "GRAY"): cv2.COLOR_RGB2GRAY,
    ("RGB", "RGBA"): cv2.COLOR_RGB2RGBA,
    ("BGR", "RGB"): cv2.COLOR_BGR2RGB,
    ("BGR", "GRAY"): cv2.COLOR_BGR2GRAY,
    ("BGR", "RGBA"): cv2.COLOR_BGR2RGBA,
    ("BGRA", "RGB"): cv2.COLOR_BGRA2RGB,
    ("BGRA", "BGR"): cv2.COLOR_BGRA2BGR,
    ("BGRA", "GRAY"): cv2.COLOR_BGRA2GRAY,
    ("BGRA", "RGBA"): cv2.COLOR_BGRA2RGBA,
    ("RGBA", "RGB"): cv2.COLOR_RGBA2RGB,
    ("RGBA", "BGR"): cv2.COLOR_RGBA2BGR,
    ("RGBA", "GRAY"): cv2.COLOR_RGBA2GRAY,
}

# OpenCV has no conversion for gray with alpha: each output channel copies one input channel.
_COPIED_CHANNELS = {
    ("GRAYA", "GRAY"): (0,),
    ("GRAYA", "RGB"): (0, 0, 0),
    ("GRAYA", "BGR"): (0, 0, 0),
    ("GRAYA", "RGBA"): (0, 0, 0, 1),
    ("RGBA", "GRAYA"): (0, 3),  # the header says that the image is gray
    ("BGRA", "GRAYA"): (0, 3),
}

_CHANNELS_OF_OUTPUT = {"RGB": [0, 1, 2], "BGR": [2, 1, 0]}

# ITU-R BT.601: lines Y, Cb, Cr, for R, G, B from 0 to 255. Y spans 16 to 235, Cb and Cr 16 to 240.
_YCBCR = np.array([[65.481, 128.553, 24.966], [-37.797, -74.203, 112.0], [112.0, -93.786, -18.214]])
_YCBCR_OFFSET = np.array([[1 / 16], [1 / 2], [1 / 2]])
_LUMA = (0.299, 0.587, 0.114)
_SPAN = {_UINT8: 256.0, _UINT16: 65536.0, _FLOAT32: 1.0}


class NumberError(ValueError):
    """Numbers cannot be converted as asked."""


def channels_of(space: str) -> int:
    """Return the number of channels of a color space."""
    return CHANNELS.get(space) or int(space)


def space_of_channels(channels: int) -> str:
    """Return the usual color space of so many channels."""
    return _SPACE_OF_CHANNELS.get(channels, str(channels))


def largest(dtype: DType) -> float:
    """Return the value of full brightness: 1 in a float dtype, the largest value in an integer."""
    return 1.0 if dtype.kind == "f" else float(np.iinfo(dtype).max)


def convert(image: Array, space: str, output: str, out: Array, white: float | None = None) -> None:
    """Write `image` (HW or HWC, in `space`) into `out` (HWC), in the space `output`.

    Args:
        image: the samples.
        space: color space of `image`.
        output: color space of `out`.
        out: the result.
        white: the sample of full brightness; None for the largest value of the dtype, 1 for
            floats; `NUMBERS` for numbers, which keep their values.

    Raises:
        NumberError: a number is outside of the range of the dtype of `out`, or has no such color.
    """
    if space not in CHANNELS and space != output:
        image, space = np.ascontiguousarray(image[..., :3]), "RGB"
    if white == NUMBERS:
        _convert_numbers(image, space, output, out)
    elif space == output:
        change_type(image, out, white)
    else:
        _convert_colors(_prepared(image, output, out.dtype, white), space, output, out)


def _prepared(image: Array, output: str, dtype: DType, white: float | None) -> Array:
    """Return samples that span a dtype whose colors OpenCV converts."""
    if white is None or white == largest(image.dtype):
        return image if image.dtype in _OPENCV_DTYPES else as_type(image, _FLOAT32)
    is_copied = output != "GRAY"  # which weights the channels
    return as_type(image, dtype if is_copied and dtype in _OPENCV_DTYPES else _FLOAT32, white)


def _convert_colors(image: Array, space: str, output: str, out: Array) -> None:
    if output == "YCbCr":
        _to_ycbcr(image, space, out)
    elif image.dtype == out.dtype:
        _recolor(image, space, output, out)
    else:
        change_type(recolored(image, space, output), out)


def _convert_numbers(image: Array, space: str, output: str, out: Array) -> None:
    """Write numbers without scaling; a weighted sum of the channels is rounded half up."""
    limits = np.finfo(out.dtype) if out.dtype.kind == "f" else np.iinfo(out.dtype)
    if image.size and (image.min() < limits.min or image.max() > limits.max):
        raise NumberError(f"values from {image.min()} to {image.max()} do not fit into {out.dtype}")
    image = image.reshape(*out.shape[:2], channels_of(space))
    if space == output:
        out[...] = image
    elif output == "YCbCr":
        raise NumberError("YCbCr is not defined for numbers")
    elif output != "GRAY":
        out[...] = image[..., _CHANNELS_OF_OUTPUT[output] if image.shape[2] > 2 else [0]]
    elif image.shape[2] < 3:
        out[...] = image[..., :1]
    else:
        gray = image[..., :3] @ np.array(_LUMA)
        out[..., 0] = gray if out.dtype.kind == "f" else np.floor(gray + 0.5)


def recolored(image: Array, space: str, output: str) -> Array:
    """Return `image` in another color space and the same dtype."""
    if space == output:
        return image
    out = np.empty((*image.shape[:2], channels_of(output)), image.dtype)
    _recolor(image, space, output, out)
    return out


def _recolor(image: Array, space: str, output: str, out: Array) -> None:
    copied = _COPIED_CHANNELS.get((space, output))
    if copied is None:
        cv2.cvtColor(image, _CODES[space, output], dst=out)
        return
    pairs = [number for pair in zip(copied, range(len(copied)), strict=True) for number in pair]
    cv2.mixChannels([image], [out], pairs)


def _to_ycbcr(image: Array, space: str, out: Array) -> None:
    dtype = out.dtype if out.dtype in _OPENCV_DTYPES else _FLOAT32
    rgb = as_type(recolored(image, space, "RGB"), dtype)
    matrix = np.hstack([_YCBCR / 255.0, _YCBCR_OFFSET * _SPAN[dtype]]).astype(np.float32)
    if out.dtype == dtype:
        cv2.transform(rgb, matrix, dst=out)
    else:
        change_type(cv2.transform(rgb, matrix), out)


def cmyk_to_rgb(inks: Array, white: float) -> Array:
    """Mix inks on white paper: R = (white - C)(white - K) / white, and so on.

    Args:
        inks: cyan, magenta, yellow, black, and others that are left out: HWC. 0 is no ink.
        white: the sample of full ink.
    """
    light = white - np.clip(np.nan_to_num(inks[..., :4]), 0, white).astype(np.float32)
    rgb: Array = light[..., :3] * light[..., 3:]
    rgb /= white
    return rgb if inks.dtype.kind == "f" else (rgb + 0.5).astype(inks.dtype)


def srgb_of_linear(light: Array) -> NDArray[np.float32]:
    """Return sRGB, 0 to 1, of linear light (IEC 61966-2-1)."""
    power = 1.055 * np.maximum(light, 0) ** (1 / 2.4) - 0.055
    result: NDArray[np.float32] = np.where(light <= 0.0031308, 12.92 * light, power).astype(
        np.float32
    )
    return result


def as_type(image: Array, dtype: DTypeLike, white: float | None = None) -> Array:
    """Return `image` in another dtype, scaled to its range; `white` is that of `convert`."""
    if image.dtype == dtype and white is None:
        return image
    out = np.empty(image.shape, dtype)
    change_type(image, out, white)
    return out


def change_type(image: Array, out: Array, white: float | None = None) -> None:
    """Write `image` into `out`, scaled to the range of the dtype of `out`.

    Args:
        image: the samples.
        out: the result, as many values.
        white: the sample of full brightness; None for the largest value of the dtype.
    """
    image = image.reshape(out.shape)
    if white is not None and white != largest(image.dtype):
        if image.dtype in _TABLE_DTYPES:
            np.take(_table(image.dtype, white, out.dtype), image, out=out, mode="clip")
        else:
            _change_any_type(image, out, white)
    elif image.dtype == out.dtype:
        np.copyto(out, image)
    elif image.dtype == _UINT8:
        cv2.LUT(image, bits_of(_table(_UINT8, 255.0, out.dtype)), dst=bits_of(out))
    elif image.dtype == _UINT16 and out.dtype == _UINT8:
        cv2.convertScaleAbs(image, dst=out, alpha=255 / 65535)
    elif out.dtype == _FLOAT32 and image.dtype == _UINT16:
        np.multiply(image, np.float32(1 / 65535), out=out)
    else:
        _change_any_type(image, out, largest(image.dtype))


def _change_any_type(image: Array, out: Array, white: float) -> None:
    """Convert the rare pairs of dtypes, in float64."""
    with np.errstate(over="ignore", invalid="ignore"):  # beyond the range of floats: infinity
        values = image * largest(out.dtype) / white  # in this order halves stay halves
        if out.dtype.kind == "f":
            out[...] = values
            return
    limits = np.iinfo(out.dtype)
    values = np.nan_to_num(np.floor(values.astype(np.float64) + 0.5), copy=False)
    out[...] = np.clip(values, limits.min, limits.max)


def bits_of(array: Array) -> Array:
    """Return the same memory in a dtype that all releases of OpenCV copy and look up."""
    dtype: DType | None = _SAME_BITS.get(array.dtype)
    return array if dtype is None else array.view(dtype)


@lru_cache(maxsize=32)
def _table(source: DType, white: float, dtype: DType) -> Array:
    """Return the table that maps each value of an unsigned dtype; above `white` all is white."""
    values = np.minimum(np.arange(np.iinfo(source).max + 1), white)
    table = np.empty(values.shape, dtype)
    _change_any_type(values, table, white)
    return table
