"""`fn.mixup`: weighted means of pairs, and of their labels."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.engine.errors import ArgumentError
from penstock.testing.agreement import assert_rows, source
from penstock.testing.operators import OperatorConformance, RandomConformance

from ..goodness import kolmogorov
from ..running import pixels

ALIKE = [pixels(5, 6, 3, seed=i) for i in range(4)]
LABELS = [np.int64(i) for i in range(4)]
ONE_HOT = list(np.eye(4, dtype=np.float32))
UNLIKE = (([[ALIKE[0], ALIKE[1][:4]], ONE_HOT[:2]], "mixes samples of one shape"),)


class OfPairs(RandomConformance):
    """The suite for operators whose results depend on all samples of the batch."""

    def test_results_depend_on_neither_threads_nor_batch_size(self):
        wanted, _ = self.run(self.inputs, threads=1)
        assert_rows(self.run(self.inputs, threads=4)[0], wanted)


class TestMixUp(OfPairs):
    operator = "mixup"
    inputs = (ALIKE, ONE_HOT)
    arguments = MappingProxyType({"alpha": 0.8, "seed": 5})
    bad = (({"alpha": 0}, "'alpha' must be"), ({"num_classes": -1}, "'num_classes' must be"))
    bad_inputs = UNLIKE
    largest = 1


class TestBlend(OperatorConformance):
    operator = "_blend"
    inputs = (ALIKE, ALIKE[::-1])
    arguments = MappingProxyType({"weight": 0.3})
    per_sample = MappingProxyType({"weight": [0.0, 0.25, 0.5, 1.0]})
    largest = 1


class TestBlendOfShorts(TestBlend):
    inputs = (
        [image.astype(np.uint32) for image in ALIKE],
        [image.astype(np.uint32) for image in ALIKE],
    )


class TestMixLabels(OperatorConformance):
    operator = "_mix_labels"
    layout = ""
    inputs = (LABELS, LABELS[::-1])
    arguments = MappingProxyType({"weight": 0.3, "num_classes": 4})
    per_sample = MappingProxyType({"weight": [0.0, 0.25, 0.5, 1.0]})
    bad = (({"num_classes": 3}, "num_classes is 3; give the number of classes"),)
    bad_inputs = (([[np.int64(2), np.int64(7)], LABELS[:2]], "the label is 7"),)


def mixed(name, images, labels, device="cpu", layout="HWC", **arguments):
    """Return mixed images and labels."""
    with Pipeline(batch_size=len(images), num_threads=2, seed=9) as pipe:
        nodes = [source(images, layout), source(labels)]
        if device == "gpu":
            nodes = [node.gpu() for node in nodes]
        pipe.set_outputs(*getattr(fn, name)(*nodes, **arguments))
        return [[np.array(row) for row in output.as_cpu().rows()] for output in pipe.run()]


def test_images_and_labels_are_mixed_with_the_same_weights(device):
    images = [np.full((3, 4, 3), 20 * i, np.float32) for i in range(8)]
    rows, labels = mixed("mixup", images, [np.int32([i]) for i in range(8)], device, num_classes=8)
    partners = set()
    for i, (row, label) in enumerate(zip(rows, labels, strict=True)):
        assert label.dtype == np.float32
        np.testing.assert_allclose(label.sum(), 1, atol=1e-6)
        np.testing.assert_allclose(row, 20 * (label * np.arange(8)).sum(), atol=1e-3)
        (others,) = np.nonzero(np.delete(label, i))
        partners |= set(np.flatnonzero(label).tolist()) - {i}
        assert len(others) <= 1
    assert len(partners) > 4


def test_the_weights_have_a_beta_distribution():
    count = 2000
    images = [np.zeros((1, 1, 1), np.uint8)] * count
    labels = [np.float32([i % 2, 1 - i % 2, i]) for i in range(count)]
    _, rows = mixed("mixup", images, labels, alpha=2.0)
    numbers = np.stack(rows)
    partner_differs = np.abs(numbers[:, 0] - [i % 2 for i in range(count)]) > 0
    weights = [float(numbers[i, 0 if i % 2 else 1]) for i in np.flatnonzero(partner_differs)]
    assert len(weights) > count / 3
    assert kolmogorov(weights, lambda x: 3 * x**2 - 2 * x**3) < 1.95


def test_a_seed_decides_the_pairs_and_the_weights(device):
    same = [mixed("mixup", ALIKE, LABELS, device, num_classes=4, seed=3) for _ in range(2)]
    other = mixed("mixup", ALIKE, LABELS, device, num_classes=4, seed=4)
    assert_rows(same[0][0], same[1][0])
    assert_rows(same[0][1], same[1][1])
    assert any((a != b).any() for a, b in zip(same[0][1], other[1], strict=True))


def test_a_sample_alone_stays(device):
    rows, labels = mixed("mixup", ALIKE[:1], LABELS[1:2], device, num_classes=4)
    np.testing.assert_array_equal(rows[0], ALIKE[0])
    assert labels[0].tolist() == [0, 1, 0, 0]


@pytest.mark.parametrize("name", ["mixup", "cutmix"])
@pytest.mark.parametrize(
    ("images", "labels", "message"),
    [
        ([pixels(4, 5, 3), pixels(5, 4, 3)], LABELS[:2], "samples of one shape"),
        (ALIKE[:2], [np.int64(7), np.int64(1)], "the label is 7, but num_classes is 4"),
        (ALIKE[:2], [np.int64([1, 2])] * 2, "give an integer, or the probabilities"),
    ],
)
def test_samples_that_do_not_fit_are_refused(name, images, labels, message, device):
    with pytest.raises(ArgumentError, match=message):
        mixed(name, images, labels, device, num_classes=4)
