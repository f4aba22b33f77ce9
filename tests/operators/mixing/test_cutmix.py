"""`fn.cutmix`: windows of other images, and mixed labels."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.operators.mixing.cutmix import windows
from penstock.testing.operators import OperatorConformance

from .test_mixup import ALIKE, LABELS, ONE_HOT, UNLIKE, OfPairs, mixed


class TestCutMix(OfPairs):
    operator = "cutmix"
    inputs = (ALIKE, ONE_HOT)
    arguments = MappingProxyType({"seed": 5})
    bad = (({"alpha": 0}, "'alpha' must be"),)
    bad_inputs = UNLIKE


class TestVideos(OfPairs):
    operator = "cutmix"
    layout = "FCHW"
    inputs = ([np.stack([image.transpose(2, 0, 1)] * 2) for image in ALIKE], ONE_HOT)
    arguments = MappingProxyType({"seed": 5})


class TestWindow(OperatorConformance):
    operator = "_cutmix_window"
    inputs = (ALIKE,)
    arguments = MappingProxyType({"weight": 0.3, "center": (0.5, 0.25)})
    per_sample = MappingProxyType(
        {"weight": [0.0, 0.25, 0.5, 1.0], "center": [(0.0, 0.0), (0.9, 0.1), (0.5, 0.5), (0, 0.7)]}
    )


class TestPasteWindow(OperatorConformance):
    operator = "_paste_window"
    inputs = (ALIKE, ALIKE[::-1])
    arguments = MappingProxyType({"window": (1, 3, 2, 5)})
    per_sample = MappingProxyType(
        {"window": [(0, 5, 0, 6), (0, 0, 0, 0), (1, 2, 3, 4), (2, 5, 0, 1)]}
    )


@pytest.mark.parametrize("layout", ["HWC", "CHW", "HW", "FHWC"])
def test_labels_tell_how_much_of_each_image_there_is(layout, device):
    shape = {"H": 30, "W": 40, "C": 3, "F": 2}
    images = [np.full([shape[axis] for axis in layout], i, np.int16) for i in range(8)]
    labels = [np.int32(i) for i in range(8)]
    rows, mixed_labels = mixed("cutmix", images, labels, device, layout, num_classes=8)
    cut = 0
    for i, (row, label) in enumerate(zip(rows, mixed_labels, strict=True)):
        parts = np.bincount(row.reshape(-1), minlength=8) / row.size
        np.testing.assert_allclose(label, parts, atol=1e-6)
        plane = np.moveaxis(row, [layout.index("H"), layout.index("W")], [0, 1]).reshape(30, 40, -1)
        inside = plane != i
        assert (inside == inside[..., :1]).all()
        lines, columns = inside[..., 0].any(axis=1), inside[..., 0].any(axis=0)
        assert inside[..., 0].sum() == lines.sum() * columns.sum()
        cut += lines.any()
    assert cut > 4


def test_windows_are_clipped():
    extents = np.array([[10, 20]] * 4)
    weights = np.array([0.0, 1.0, 0.75, 0.75])
    centers = np.array([[0.5, 0.5], [0.3, 0.3], [0.0, 0.0], [0.99, 0.99]])
    made, kept = windows(extents, weights, centers)
    assert made.tolist() == [[0, 10, 0, 20], [3, 3, 6, 6], [0, 2, 0, 5], [7, 10, 14, 20]]
    np.testing.assert_allclose(kept, [0, 1, 0.95, 0.91])


def test_a_layout_without_rows_of_pixels_is_refused(device):
    with pytest.raises(ArgumentError, match="needs W right after H"):
        mixed("cutmix", ALIKE, LABELS, device, layout="WHC", num_classes=4)
