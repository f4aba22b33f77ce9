"""`sphere`: where pixels come from."""

from __future__ import annotations

import numpy as np
import pytest

from ..running import pixels, run


@pytest.mark.parametrize("shape", [(9, 13), (12, 8), (1, 1), (2, 1)])
def test_by_the_definition(device, shape):
    image = pixels(*shape)
    (result,) = run("sphere", [image], "HW", fill_value=3, device=device)
    y, x = np.indices(shape) + 0.5 - np.array(shape)[:, None, None] / 2
    distance = np.hypot(x, y) / max(max(shape) // 2, 1)
    line = np.floor(shape[0] / 2 + distance * y).astype(int)
    column = np.floor(shape[1] / 2 + distance * x).astype(int)
    inside = (line >= 0) & (line < shape[0]) & (column >= 0) & (column < shape[1])
    found = image[line.clip(0, shape[0] - 1), column.clip(0, shape[1] - 1)]
    np.testing.assert_array_equal(result, np.where(inside, found, 3))
