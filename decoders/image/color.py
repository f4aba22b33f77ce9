"""Color spaces and dtypes of decoded images, as DALI defines them.

Spaces: `GRAY`, `RGB`, `BGR`, `YCbCr`, `CMYK` and, with alpha, `GRAYA`, `RGBA` and `BGRA`. A dtype
spans its range: integers from 0 to their largest value, floats from 0 to 1, so 255 in uint8 is
65535 in uint16 and 1.0 in float32. Integers round half up.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import DTypeLike, NDArray

CHANNELS = {"GRAY": 1, "GRAYA": 2, "RGB": 3, "BGR": 3, "YCbCr": 3, "RGBA": 4, "BGRA": 4, "CMYK": 4}
SPACE_OF_CHANNELS = {1: "GRAY", 2: "GRAYA", 3: "RGB", 4: "RGBA"}

DTYPES = tuple(
    np.dtype(name)
    for name in ("uint8", "int8", "uint16", "int16", "uint32", "int32", "float16", "float32")
)
"""The dtypes that images may be decoded to."""

_UINT8, _UINT16, _FLOAT32 = np.dtype(np.uint8), np.dtype(np.uint16), np.dtype(np.float32)
_OPENCV_DTYPES = (_UINT8, _UINT16, _FLOAT32)  # OpenCV converts color spaces in these alone

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

# ITU-R BT.601: lines Y, Cb, Cr, for R, G, B from 0 to 255. Y spans 16 to 235, Cb and Cr 16 to 240.
_YCBCR = np.array([[65.481, 128.553, 24.966], [-37.797, -74.203, 112.0], [112.0, -93.786, -18.214]])
_YCBCR_OFFSET = np.array([[1 / 16], [1 / 2], [1 / 2]])
_SPAN = {_UINT8: 256.0, _UINT16: 65536.0, _FLOAT32: 1.0}


def largest(dtype: np.dtype[Any]) -> float:
    """Return the value of full brightness: 1 in a float dtype, the largest value in an integer."""
    return 1.0 if dtype.kind == "f" else float(np.iinfo(dtype).max)


def convert(image: NDArray[Any], space: str, output: str, out: NDArray[Any]) -> None:
    """Write `image` (HW or HWC, in `space`) into `out` (HWC), in the space `output`."""
    if image.dtype.kind not in "uf" or image.dtype not in _OPENCV_DTYPES:
        image = as_type(image, _FLOAT32)
    if space == output:
        change_type(image, out)
    elif output == "YCbCr":
        _to_ycbcr(image, space, out)
    elif image.dtype == out.dtype:
        _recolor(image, space, output, out)
    else:
        change_type(recolored(image, space, output), out)


def recolored(image: NDArray[Any], space: str, output: str) -> NDArray[Any]:
    """Return `image` in another color space and the same dtype."""
    if space == output:
        return image
    out = np.empty((*image.shape[:2], CHANNELS[output]), image.dtype)
    _recolor(image, space, output, out)
    return out


def _recolor(image: NDArray[Any], space: str, output: str, out: NDArray[Any]) -> None:
    copied = _COPIED_CHANNELS.get((space, output))
    if copied is None:
        cv2.cvtColor(image, _CODES[space, output], dst=out)
        return
    pairs = [number for pair in zip(copied, range(len(copied)), strict=True) for number in pair]
    cv2.mixChannels([image], [out], pairs)


def _to_ycbcr(image: NDArray[Any], space: str, out: NDArray[Any]) -> None:
    dtype = out.dtype if out.dtype in _OPENCV_DTYPES else _FLOAT32
    rgb = as_type(recolored(image, space, "RGB"), dtype)
    matrix = np.hstack([_YCBCR / 255.0, _YCBCR_OFFSET * _SPAN[dtype]]).astype(np.float32)
    if out.dtype == dtype:
        cv2.transform(rgb, matrix, dst=out)
    else:
        change_type(cv2.transform(rgb, matrix), out)


def as_type(image: NDArray[Any], dtype: DTypeLike) -> NDArray[Any]:
    """Return `image` in another dtype, scaled to its range."""
    if image.dtype == dtype:
        return image
    out = np.empty(image.shape, dtype)
    change_type(image, out)
    return out


def change_type(image: NDArray[Any], out: NDArray[Any]) -> None:
    """Write `image` into `out`, scaled to the range of the dtype of `out`."""
    image = image.reshape(out.shape)
    if image.dtype == out.dtype:
        np.copyto(out, image)
    elif image.dtype == _UINT8:
        cv2.LUT(image, _table(out.dtype), dst=out)
    elif image.dtype == _UINT16 and out.dtype == _UINT8:
        cv2.convertScaleAbs(image, dst=out, alpha=255 / 65535)
    elif out.dtype == _FLOAT32 and image.dtype == _UINT16:
        np.multiply(image, np.float32(1 / 65535), out=out)
    else:
        _change_any_type(image, out)


def _change_any_type(image: NDArray[Any], out: NDArray[Any]) -> None:
    """Convert the rare pairs of dtypes, in float64."""
    values = image * (largest(out.dtype) / largest(image.dtype))
    if out.dtype.kind == "f":
        with np.errstate(over="ignore"):  # beyond float16's range: infinity
            out[...] = values
        return
    limits = np.iinfo(out.dtype)
    values = np.nan_to_num(np.floor(values.astype(np.float64) + 0.5), copy=False)
    out[...] = np.clip(values, limits.min, limits.max)


@cache
def _table(dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return the table that maps each uint8 value to `dtype`."""
    table = np.empty(256, dtype)
    _change_any_type(np.arange(256, dtype=np.uint8), table)
    return table
