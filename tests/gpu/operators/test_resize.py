from __future__ import annotations
import numpy as np
from ..agreement import agree

def test_a(device_stage):
    rng=np.random.default_rng(0)
    rows=[rng.integers(0,256,(30+i,41,3),np.uint8) for i in range(3)]
    agree("resize", rows, layout="HWC", largest=1, mean=.05, size=(17,23))
