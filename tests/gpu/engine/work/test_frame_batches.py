"""The frames of a batch on the device."""

from __future__ import annotations

import numpy as np

from penstock.engine.tensors import TensorListCPU
from penstock.engine.work.frame_batches import FrameBatch


def test_results_on_the_device_that_lie_elsewhere_are_copied(gpu_batch):
    rows = [np.arange(12.0).reshape(2, 6), np.arange(6.0).reshape(1, 6)]
    batch, (sequences,) = gpu_batch(rows, layout="FX")
    frames = FrameBatch(batch, np.array([2, 1]))
    unfolded = frames.unfold(sequences)
    assert frames.fold(unfolded).pointers().tolist() == sequences.pointers().tolist()
    inside = frames.device.empty(unfolded.extents(), np.float64, "X")
    assert frames.fold(inside).extents().tolist() == [[2, 6], [1, 6]]
    dense = batch.device.to_device(TensorListCPU(np.concatenate(rows)))
    for row, wanted in zip(frames.fold(dense).as_cpu().rows(), rows, strict=True):
        np.testing.assert_array_equal(row, wanted)
