"""Automatic augmentation against DALI: each augmentation, and the tables of policies and suites."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("nvidia.dali")

import nvidia.dali.auto_aug.augmentations as theirs
from nvidia.dali.auto_aug import auto_augment as their_auto
from nvidia.dali.auto_aug import rand_augment as their_rand
from nvidia.dali.auto_aug import trivial_augment as their_trivial

from penstock import Pipeline, types
from penstock.auto_aug import augmentations as ours
from penstock.auto_aug import auto_augment, rand_augment, trivial_augment
from penstock.testing.agreement import source

from ..operators.pictures import picture
from .oracle import dali, dali_types

BINS = 11
PICTURES = [picture(40 + i, 52 - i, seed=i) for i in range(BINS)]
VIDEOS = [
    np.stack([picture(20 + i, 31, seed=i), picture(20 + i, 31, seed=50 + i) // 3]) for i in range(4)
]
NAMES = (
    *("shear_x", "shear_y", "translate_x_no_shape", "translate_y_no_shape", "translate_x"),
    *("translate_y", "rotate", "brightness", "contrast", "color", "sharpness", "posterize"),
    *("solarize", "solarize_add", "invert", "equalize", "auto_contrast", "identity"),
)
RANGES = {
    "translate_x_no_shape": (-70, 70),
    "translate_y_no_shape": (-20, 20),
    "posterize": (0, 8),
    "solarize": (0, 256),
    "solarize_add": (0, 127),
}


def both(name, samples, layout="HWC", **arguments):
    """Return the results of Penstock and DALI, for a magnitude a sample, from low to high."""
    bins = [np.int32(i % BINS) for i in range(len(samples))]
    results = []
    for module in (ours, theirs):
        augmentation = getattr(module, name)
        limits = augmentation.mag_range
        if limits is not None:
            negated = (-limits[1], limits[1]) if augmentation.randomly_negate else limits
            limits = RANGES.get(name, negated)
        changed = augmentation.augmentation(mag_range=limits, randomly_negate=False)

        def expression(data, bin, shape, changed=changed, module=module):
            options = dict(arguments)
            if "interp_type" in options and module is theirs:
                options["interp_type"] = dali_types().DALIInterpType(int(options["interp_type"]))
            if name in ("translate_x", "translate_y"):
                options["shape"] = shape
            return changed(data, magnitude_bin=bin, num_magnitude_bins=BINS, **options)

        shapes = [np.int64(sample.shape[-3:-1]) for sample in samples]
        inputs = samples, bins, shapes
        if module is theirs:
            results.append(dali(expression, *inputs, layout=layout)[0][0])
            continue
        with Pipeline(batch_size=len(samples), num_threads=2) as pipe:
            nodes = [
                source(rows, layout_of_input)
                for rows, layout_of_input in zip(inputs, (layout, "", ""), strict=True)
            ]
            pipe.set_outputs(expression(*nodes))
            results.append([np.array(row) for row in pipe.run()[0].rows()])
    return results


def differences(mine, other):
    for row, wanted in zip(mine, other, strict=True):
        assert (row.shape, row.dtype) == (wanted.shape, wanted.dtype)
        yield np.abs(row.astype(int) - wanted.astype(int))


@pytest.mark.parametrize("name", NAMES)
def test_an_augmentation_differs_from_dali_s_by_at_most_one(name):
    for difference in differences(*both(name, PICTURES)):
        assert difference.max() <= 1
        assert difference.mean() < 0.1
    for difference in differences(*both(name, VIDEOS, "FHWC")):
        assert difference.max() <= 1


@pytest.mark.parametrize("name", NAMES[:7])
@pytest.mark.parametrize(
    "arguments", [{"fill_value": 7}, {"fill_value": None}, {"interp_type": types.INTERP_NN}]
)
def test_moved_images_have_the_same_surroundings(name, arguments):
    for difference in differences(*both(name, PICTURES[:4], **arguments)):
        if "interp_type" in arguments:  # positions between two pixels may go to either
            assert (difference > 1).mean() < 0.03
        else:
            assert difference.max() <= 1


@pytest.mark.parametrize("name", ["posterize", "solarize", "solarize_add", "invert", "equalize"])
def test_tables_of_levels_are_the_same(name):
    for difference in differences(*both(name, PICTURES)):
        assert difference.max() == 0


def described(augmentation, bins):
    """Return all that an augmentation does: its range, and the parameter of each magnitude."""
    limits = augmentation.mag_range
    if limits is None:
        return augmentation.name, None
    magnitudes = np.linspace(*limits, bins, dtype=np.float32)
    signed = [*magnitudes, *(-magnitudes if augmentation.randomly_negate else ())]
    parameters = np.array([np.array(augmentation.mag_to_param(magnitude)) for magnitude in signed])
    return (
        augmentation.name,
        tuple(limits),
        augmentation.randomly_negate,
        parameters.dtype,
        parameters.round(6).tolist(),
    )


@pytest.mark.parametrize("name", ["image_net", "reduced_image_net", "svhn", "reduced_cifar10"])
def test_policies_are_the_same(name):
    options = (
        [()] if name == "reduced_image_net" else [(), (True,), (False, (9, 5)), (True, None, 0.3)]
    )
    for option in options:
        mine, other = (
            getattr(module, f"get_{name}_policy")(*option) for module in (auto_augment, their_auto)
        )
        assert mine.num_magnitude_bins == other.num_magnitude_bins
        rows = [
            [
                [(*described(a, policy.num_magnitude_bins), p, bin) for a, p, bin in sub_policy]
                for sub_policy in policy.sub_policies
            ]
            for policy in (mine, other)
        ]
        assert rows[0] == rows[1]


@pytest.mark.parametrize("options", [(), (True,), (False, 17), (True, None, (0.1, 0.3))])
@pytest.mark.parametrize(
    ("mine", "other", "name"),
    [
        (rand_augment, their_rand, "get_rand_augment_suite"),
        (rand_augment, their_rand, "get_rand_augment_non_monotonic_suite"),
        (trivial_augment, their_trivial, "get_trivial_augment_wide_suite"),
    ],
)
def test_suites_are_the_same(mine, other, name, options):
    suites = [getattr(module, name)(*options) for module in (mine, other)]
    rows = [[described(augmentation, 31) for augmentation in suite] for suite in suites]
    assert rows[0] == rows[1]
