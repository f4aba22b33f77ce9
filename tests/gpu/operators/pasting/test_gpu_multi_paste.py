"""Canvases on the GPU: uneven batches, videos, canvases without regions."""

from __future__ import annotations

import numpy as np
import pytest

from ....operators.running import pixels
from ...agreement import agree


def test_uneven_batches(device_stage):
    images = [pixels(4 + i, 9 - i, 3, seed=i) for i in range(4)]
    ids = [np.int32([0, 3]), np.int32([]), np.int32([2]), np.int32([1, 1, 2])]
    sizes = [np.int32([9 + i, 11]) for i in range(4)]
    nodes = {"in_ids": ids, "output_size": sizes}
    nodes["out_anchors"] = [np.arange(2 * len(each)).reshape(-1, 2) % 3 for each in ids]
    agree("multi_paste", images, layout="HWC", per_sample=nodes)


@pytest.mark.parametrize("per_frame", [False, True])
def test_videos(device_stage, per_frame):
    videos = [pixels(2 + i, 6, 8, 2, seed=i) for i in range(3)]
    anchors = [np.arange(2 * (len(v) if per_frame else 1) * 2) % 3 for v in videos]
    nodes = {"out_anchors": [each.reshape(-1, 2, 2) for each in anchors]}
    arguments = {"output_size": (9, 12), "in_anchors_rel": 0.3}
    agree("multi_paste", videos, videos[::], layout="FHWC", per_sample=nodes, arguments=arguments)
