"""Augmentations with `pillow=True` against torchvision's functions of Pillow's images."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from penstock import Pipeline
from penstock.auto_aug import augmentations as a
from penstock.auto_aug import trivial_augment
from penstock.testing.agreement import source

from ..operators.pictures import pictures
from ..torchvision_library import load_torchvision

PICTURES = pictures(31, 44)
ENHANCED = ("brightness", "contrast", "color", "sharpness")


def theirs(name, image, magnitude):
    """Return what torchvision makes of an image, as its TrivialAugmentWide does."""
    from torchvision.transforms.autoaugment import _apply_op
    from torchvision.transforms.functional import InterpolationMode

    names = {"auto_contrast": "AutoContrast"}
    operation = names.get(name, name.capitalize())
    nearest = InterpolationMode.NEAREST
    made = _apply_op(Image.fromarray(image), operation, magnitude, nearest, fill=None)
    return np.asarray(made)


def ours(augmentation):
    """Return the results for all pictures, of an augmentation with one magnitude."""
    with Pipeline(batch_size=len(PICTURES), num_threads=2) as pipe:
        data = source(PICTURES, "HWC")
        options = {"num_magnitude_bins": 1, "pillow": True}
        pipe.set_outputs(trivial_augment.apply_trivial_augment([augmentation], data, **options))
        return [np.array(row) for row in pipe.run()[0].rows()]


@pytest.mark.parametrize("magnitude", [-0.99, -0.7, -0.33, 0.0, 0.25, 0.5, 0.87])
@pytest.mark.parametrize("name", ENHANCED)
def test_colors_and_sharpness_are_torchvision_s(name, magnitude):
    load_torchvision()
    table = np.float32([magnitude])
    changed = getattr(a, name).augmentation(mag_range=table, randomly_negate=False)
    for image, row in zip(PICTURES, ours(changed), strict=True):
        np.testing.assert_array_equal(row, theirs(name, image, float(table[0])))


@pytest.mark.parametrize("name", ["equalize", "auto_contrast"])
def test_levels_are_torchvision_s(name):
    load_torchvision()
    for image, row in zip(PICTURES, ours(getattr(a, name)), strict=True):
        np.testing.assert_array_equal(row, theirs(name, image, 0.0))


@pytest.mark.parametrize(("name", "magnitude"), [("posterize", 3), ("solarize", 77)])
def test_other_tables_are_torchvision_s_anyway(name, magnitude):
    load_torchvision()
    changed = getattr(a, name).augmentation(mag_range=np.float32([magnitude]))
    rows = ours_without_pillow(changed)
    for image, row in zip(PICTURES, rows, strict=True):
        np.testing.assert_array_equal(row, theirs(name, image, magnitude))


def ours_without_pillow(augmentation):
    """Return the results for all pictures, as DALI's."""
    with Pipeline(batch_size=len(PICTURES), num_threads=2) as pipe:
        data = source(PICTURES, "HWC")
        pipe.set_outputs(augmentation(data, magnitude_bin=0, num_magnitude_bins=1))
        return [np.array(row) for row in pipe.run()[0].rows()]
