"""Separable resampling of images on the CPU: pure functions, no engine.

`resample` is the entry. Under it, one axis at a time: `filters` holds the kernels,
`bands` turns one axis into a banded matrix, `passes` multiplies pixels by it in one
library call without the GIL.
"""

from .filters import Filter
from .resize import resample

__all__ = ["Filter", "resample"]
