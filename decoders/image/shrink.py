"""Images that are scaled down as they are decoded, so that a cache holds more of them.

Each pixel is the mean of its area in the decoded image, as with OpenCV's INTER_AREA.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array, DType
from ...engine.gpu.kernels import Kernel, c_type
from ...engine.gpu.launch import launch_elements
from ...engine.gpu.tables import Pointers, struct_table
from .formats.base import Empty

if TYPE_CHECKING:
    from ...engine.gpu.device import Device

DTYPES = ("uint8", "uint16", "int16", "float16", "float32")
"""Of images whose pixels may be averaged. Integers of 32 bits are numbers, such as labels."""

_CV2_CHANNELS = 4
"""Channels that OpenCV resizes at a time."""


def shrunk_sizes(sizes: NDArray[np.int64], shorter: int) -> NDArray[np.int64]:
    """Return the sizes of images whose shorter side has `shorter` pixels at most: (images, 2).

    Args:
        sizes: height and width: (images, 2).
        shorter: pixels of the shorter side; 0 for no limit.

    >>> shrunk_sizes(np.array([[375, 500], [100, 300]]), 256).tolist()
    [[256, 341], [100, 300]]
    """
    short = sizes.min(axis=1, keepdims=True)
    if not shorter or (short <= shorter).all():
        return sizes
    scaled = (2 * sizes * shorter + short) // (2 * np.maximum(short, 1))  # halves round up
    return np.where(short > shorter, scaled, sizes)


def shrink(image: Array, shorter: int, empty: Empty) -> Array:
    """Scale an image down, unless it is small already.

    Args:
        image: HWC, of a dtype of `DTYPES`.
        shorter: pixels of the shorter side.
        empty: allocates memory for a shape and a dtype.

    Returns:
        HWC, in memory of `empty`.
    """
    height, width = shrunk_sizes(np.array([image.shape[:2]]), shorter)[0].tolist()
    out = empty((height, width, image.shape[2]), image.dtype)
    if out.shape == image.shape:
        np.copyto(out, image)
        return out
    for start in range(0, image.shape[2], _CV2_CHANNELS):
        part = slice(start, start + _CV2_CHANNELS)
        dtype = np.float32 if image.dtype == np.float16 else image.dtype
        source = np.ascontiguousarray(image[..., part], dtype)
        scaled = cv2.resize(source, (width, height), interpolation=cv2.INTER_AREA)
        out[..., part] = scaled.reshape(height, width, -1)
    return out


@cache
def _kernel(dtype: DType) -> Kernel:
    macros = ("Element", c_type(dtype)), ("WHOLE", str(int(dtype.kind != "f")))
    return Kernel(Path(__file__).parent / "shrink.cu", "shrink", macros)


def shrink_on_device(
    device: Device,
    dtype: DType,
    source: NDArray[np.uint64],
    sizes: NDArray[np.int64],
    out: NDArray[np.uint64],
    shapes: NDArray[np.int64],
) -> None:
    """Launch the kernel that scales images down in the memory of a GPU.

    Args:
        device: the device.
        dtype: of the images.
        source: addresses of the images.
        sizes: height and width of the images: (images, 2).
        out: addresses of the results.
        shapes: height, width and channels of the results: (images, 3).
    """
    in_height, in_width = sizes.T.astype(np.int32)
    height, width, channels = shapes.T.astype(np.int32)
    table = struct_table(
        "Sample",
        len(source),
        source=Pointers(source, "const Element*"),
        out=Pointers(out, "Element*"),
        in_height=in_height,
        in_width=in_width,
        height=height,
        width=width,
        channels=channels,
    )
    launch_elements(device, _kernel(dtype), table, shapes.prod(axis=1))
