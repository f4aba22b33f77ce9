"""Images whose pixels have something to do with one another."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np


def picture(
    height: int, width: int, channels: int = 3, *, dtype: Any = np.uint8, seed: int = 0
) -> Any:
    """Return an image (height, width, channels) that fills the type's range, or 0 to 1."""
    rng = np.random.default_rng(seed)
    noise = cv2.GaussianBlur(rng.random((height, width, channels)), (0, 0), 1.5)
    noise = noise.reshape(height, width, channels)
    noise = (noise - noise.min()) / max(1e-9, float(np.ptp(noise)))
    if np.dtype(dtype).kind == "f":
        return noise.astype(dtype)
    info = np.iinfo(dtype)
    return np.rint(info.min + noise * (float(info.max) - info.min)).astype(dtype)


def pictures(height: int, width: int, channels: int = 3, *, dtype: Any = np.uint8) -> list[Any]:
    """Return images of several sizes about (height, width)."""
    sizes = [(height, width), (width, height), (height + 7, width - 4), (height, width)]
    return [picture(*size, channels, dtype=dtype, seed=i) for i, size in enumerate(sizes)]
