"""Anchors that are matched on the GPU: many boxes, many anchors, uneven batches."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.testing.agreement import agree

from ..box_samples import anchor_grid, random_boxes

COUNTS = (3, 0, 40, 1)
BOXES = [random_boxes(count, seed=count) for count in COUNTS]
LABELS = [np.arange(1, count + 1, dtype=np.int32) for count in COUNTS]


@pytest.mark.parametrize("offset", [False, True])
@pytest.mark.parametrize("criteria", [0.0, 0.3, 1.0])
def test_uneven_batches(device_stage, offset, criteria):
    arguments = {"anchors": tuple(anchor_grid(steps=13)), "criteria": criteria, "offset": offset}
    arguments |= {"means": (0.1, 0, 0, -0.2), "stds": (0.1, 0.1, 0.2, 0.2)}
    agree("box_encoder", BOXES, LABELS, largest=1e-5 if offset else 0, arguments=arguments)


def test_a_single_anchor_and_labels_in_two_columns(device_stage):
    labels = [np.stack([column, -column], axis=1) for column in LABELS]
    arguments = {"anchors": (0.2, 0.2, 0.7, 0.9)}
    _, chosen = agree("box_encoder", BOXES, labels, arguments=arguments)
    assert [row.tolist() for row in chosen][1:] == [[0], [40], [1]]
