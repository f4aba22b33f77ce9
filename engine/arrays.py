"""The types of arrays that signatures name most."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
"""An array of any dtype."""

Int64s = NDArray[np.int64]
"""An array of indices, counts, offsets or sizes."""
