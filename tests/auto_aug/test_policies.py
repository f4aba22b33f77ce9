"""`auto_aug.core.Policy`."""

from __future__ import annotations

import pytest

from penstock import ArgumentError
from penstock.auto_aug import augmentations as a
from penstock.auto_aug.core import Policy, augmentation


def test_a_policy_names_its_augmentations():
    policy = Policy("mine", 9, [[(a.rotate, 0.5, 3)], [(a.equalize, 1, None), (a.rotate, 1, 8)]])
    assert policy.augmentations == {"equalize": a.equalize, "rotate": a.rotate}
    assert policy.sub_policies[1] == ((a.equalize, 1, None), (a.rotate, 1, 8))
    text = repr(policy)
    assert "name='mine', num_magnitude_bins=9" in text
    assert "[('equalize', 1, None), ('rotate', 1, 8)]" in text
    assert "'rotate': Augmentation(" in text
    empty = repr(Policy("none", 31, []))
    assert "sub_policies=[]" in empty
    assert "augmentations={}" in empty


def test_different_augmentations_get_different_names():
    one, other = a.rotate.augmentation(mag_range=(0, 3)), a.rotate
    policy = Policy("mine", 9, [[(one, 1, 1), (other, 1, 1)], [(other, 1, 2), (a.invert, 1, None)]])
    assert list(policy.augmentations) == ["0__rotate", "1__rotate", "2__invert"]
    assert policy.sub_policies[0][1][0] is policy.sub_policies[1][0][0]


@pytest.mark.parametrize(
    ("bins", "sub_policies", "message"),
    [
        (0, [], "must be a positive integer, got 0"),
        (2.5, [], "must be a positive integer, got 2.5"),
        (9, a.rotate, "must be a list or tuple of sub policies"),
        (9, [a.rotate], "Each sub policy must be a list or tuple"),
        (9, [(a.rotate, a.shear_x)], "as a triple"),
        (9, [[(a.rotate, 0.5)]], "as a triple"),
        (9, [[(0.5, a.rotate, 3)]], "instance of Augmentation. Got `0.5`"),
        (9, [[(a.rotate, 2, 2)]], r"must be a number from `\[0, 1\]` range. Got `2`"),
        (9, [[(a.rotate, 1, -1)]], r"from `\[0, 8\]` range. Got `-1`"),
        (9, [[(a.rotate, 1, 9)]], r"from `\[0, 8\]` range. Got `9`"),
        (9, [[(a.rotate, 1, 1.5)]], "must be an integer"),
        (9, [[(a.rotate, 1, None)]], "the magnitude bin is required"),
    ],
)
def test_errors_say_what_is_wrong(bins, sub_policies, message):
    with pytest.raises(ArgumentError, match=message):
        Policy("wrong", bins, sub_policies)


@augmentation
def unchanged(data, _):
    return data


@pytest.mark.parametrize(
    ("step", "message"),
    [
        ((a.rotate, 0, 3), "`rotate` has the probability 0"),
        ((unchanged, 1, 3), "does not accept magnitudes"),
    ],
)
def test_warnings_tell_what_has_no_effect(step, message):
    with pytest.warns(UserWarning, match=message):
        Policy("odd", 9, [[step]])
