"""TIFF files for tests, written by tifffile and Pillow."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import tifffile
from numpy.typing import NDArray
from PIL import Image


def noise(*shape: int, dtype: Any = np.uint8) -> NDArray[Any]:
    limits = np.iinfo(dtype)
    rng = np.random.default_rng(9)
    return rng.integers(limits.min, limits.max, shape, endpoint=True).astype(dtype)


def written(pixels: NDArray[Any], **options: Any) -> NDArray[np.uint8]:
    """Return a file of tifffile."""
    file = io.BytesIO()
    tifffile.imwrite(file, pixels, metadata=None, **options)
    return np.frombuffer(file.getvalue(), np.uint8).copy()


def pillow_rgb(data: NDArray[np.uint8]) -> NDArray[Any]:
    return np.asarray(Image.open(io.BytesIO(data.tobytes())).convert("RGB"))
