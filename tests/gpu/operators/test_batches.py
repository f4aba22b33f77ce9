"""`permute_batch` on the GPU."""

from __future__ import annotations

import numpy as np
import pytest

from ..agreement import agree
from .test_crop import rows


@pytest.mark.parametrize("ragged", [True, False])
def test_the_same_order_on_both_devices(device_stage, ragged):
    data = rows(3, "HWC") if ragged else [np.full((3, 5, 3), n, np.float16) for n in range(6)]
    agree("permute_batch", data, layout="HWC", indices=[5, 0, 0, 3, 2, 2])
    agree("permute_batch", data, per_sample={"indices": [1, 2, 3, 4, 5, 0]})
