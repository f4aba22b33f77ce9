"""AutoAugment, RandAugment and TrivialAugmentWide make torchvision's changes."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import ArgumentError
from penstock.experimental.torchvision import from_torchvision
from penstock.experimental.torchvision.auto_augment import CHANGES, magnitudes, step
from penstock.testing.agreement import on_device

from .running import by_pipeline

MOVES = ("ShearX", "ShearY", "Rotate", "TranslateX", "TranslateY")


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("name", CHANGES)
def test_each_change_is_torchvision_s(tv, photographs, device, name, wide):
    image, transform = photographs[0], (tv.TrivialAugmentWide if wide else tv.RandAugment)()
    for number in (3, 9):
        magnitude = float(magnitudes(name, 11, wide=wide)[number])
        pixels = magnitude
        if name.startswith("Translate") and not wide:
            pixels = magnitude * image.size[name == "TranslateY"]
            magnitude *= int(pixels) / pixels  # so that there are whole pixels
        wanted = transform._apply_image_or_video_transform(
            image, name, pixels, tv.InterpolationMode.NEAREST, {}
        )
        row = step(name, magnitude, wide=wide)[np.newaxis]
        ((made,), _) = (
            on_device(
                device,
                "_augment",
                [np.asarray(image)],
                [row],
                layout=["HWC", ""],
                arguments={"fill_value": 0.0, "pillow": True, "interp_type": 0},
            ).outputs,
            None,
        )
        different = (np.asarray(made[0]) != np.asarray(wanted)).any(axis=2).mean()
        assert different <= (0.006 if name in MOVES else 0)


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("bins", [10, 31])
def test_magnitudes_are_torchvision_s(tv, bins, wide):
    space = (tv.TrivialAugmentWide if wide else tv.RandAugment)._AUGMENTATION_SPACE
    for name, (function, is_signed) in space.items():
        assert CHANGES[name].is_signed == is_signed
        theirs = function(bins, 1, 1)
        if theirs is not None:
            np.testing.assert_allclose(magnitudes(name, bins, wide=wide), theirs, atol=1e-6)


def test_images_change(tv, photographs, device):
    for make in (tv.AutoAugment, tv.RandAugment, tv.TrivialAugmentWide):
        made = by_pipeline(make(), photographs * 4, "pil", device)
        pairs = zip(made, photographs * 4, strict=True)
        assert sum((ours != np.asarray(given)).any() for ours, given in pairs) >= 5


def test_no_operations(tv, photographs):
    made = by_pipeline(tv.RandAugment(num_ops=0), photographs, "pil", "cpu")
    np.testing.assert_array_equal(made[0], np.asarray(photographs[0]))


def test_changes_of_floats_are_refused(tv, photographs):
    import torch

    transform = tv.Compose([tv.ToImage(), tv.ToDtype(torch.float32, scale=True), tv.RandAugment()])
    with pytest.raises(ArgumentError, match="before the conversion to floats"):
        by_pipeline(transform, photographs, "pil", "cpu")


def test_what_is_not_translated(tv):
    report = from_torchvision(
        [tv.RandAugment(fill=(1, 2, 3)), tv.RandAugment(interpolation=3)]
    ).report
    assert [entry.reason[:28] for entry in report] == [
        "fill must be one number, but",
        "interpolation is 'bicubic'; ",
    ]
