"""`permute_batch` on the GPU."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.testing.agreement import agree, source

from ..geometry.test_crop import rows


@pytest.mark.parametrize("ragged", [True, False])
def test_the_same_order_on_both_devices(device_stage, ragged):
    data = rows(3, "HWC") if ragged else [np.full((3, 5, 3), n, np.float16) for n in range(6)]
    agree("permute_batch", data, layout="HWC", indices=[5, 0, 0, 3, 2, 2])
    agree("permute_batch", data, per_sample={"indices": [1, 2, 3, 4, 5, 0]})


def test_batches_without_samples(device_stage):
    with Pipeline(batch_size=4) as pipe:
        data = source([], "HWC").gpu()
        results = [
            fn.crop(data, crop=(2, 2)),
            data[0],
            data.shape(),
            fn.cat(data, data),
            fn.pad(data),
        ]
        pipe.set_outputs(*results, fn.copy(data, device="cpu"))
        outputs = pipe.run()
        assert [len(output) for output in outputs] == [0] * 6
        devices = [type(output).__name__[-3:].lower() for output in outputs]
        assert devices == [node.device for node in results] + ["cpu"]
