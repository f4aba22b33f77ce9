"""Pictures that lossy coding changes little."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def smooth_picture(height: int, width: int, channels: int, bits: int = 8) -> NDArray[Any]:
    """Return ramps of `bits` in uint8 or uint16, HWC, each channel in another direction."""
    lines, columns = np.mgrid[0 : 1 : height * 1j, 0 : 1 : width * 1j]
    ramps = [(lines + columns) / 2, 1 - lines, columns, 1 - columns / 2]
    picture = np.stack(ramps[:channels], axis=2) * ((1 << bits) - 1)
    return np.round(picture).astype(np.uint8 if bits <= 8 else np.uint16)


def full_range(samples: NDArray[Any], bits: int) -> NDArray[Any]:
    """Return samples of `bits` scaled to the range of their dtype, rounded half up."""
    white = (1 << bits) - 1
    largest = np.iinfo(samples.dtype).max
    return ((samples.astype(np.int64) * largest * 2 + white) // (2 * white)).astype(samples.dtype)
