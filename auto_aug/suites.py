"""Suites: lists of augmentations, by their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..engine.errors import ArgumentError
from ..engine.suggestions import not_among
from . import augmentations as a
from .core import Augmentation
from .core.arguments import accepted

_FACTORS = (0.1, 1.9)


def increasing(
    translations: Sequence[Augmentation],
    *,
    shear: float,
    degrees: float,
    enhanced: tuple[float, float],
    least_bits: int,
) -> list[Augmentation]:
    """Return augmentations of which larger bins change images more.

    Args:
        translations: the first ones.
        shear, degrees: the largest shear and rotation.
        enhanced: range of the changes of brightness, contrast, color and sharpness.
        least_bits: bits that `posterize` keeps at least.
    """
    return [
        *translations,
        *_turning(shear, degrees),
        a.brightness.augmentation(enhanced, True, a.shift_enhance_range),
        a.contrast.augmentation(enhanced, True, a.shift_enhance_range),
        a.color.augmentation(enhanced, True, a.shift_enhance_range),
        a.sharpness.augmentation(enhanced, True, a.sharpness_kernel),
        a.posterize.augmentation((8, least_bits), False, a.poster_mask_uint8),
        a.solarize.augmentation((256, 0)),
        a.equalize,
        a.auto_contrast,
        a.identity,
    ]


def by_factor(translations: Sequence[Augmentation]) -> list[Augmentation]:
    """Return augmentations with the ranges of AutoAugment, where the middle changes least."""
    return [
        *translations,
        *_turning(0.3, 30),
        a.brightness.augmentation(_FACTORS, False, None),
        a.contrast.augmentation(_FACTORS, False, None),
        a.color.augmentation(_FACTORS, False, None),
        a.sharpness.augmentation(_FACTORS, False, a.sharpness_kernel_shifted),
        a.posterize.augmentation((0, 4), False, a.poster_mask_uint8),
        a.solarize.augmentation((0, 256), False),
        a.equalize,
        a.auto_contrast,
    ]


def _turning(shear: float, degrees: float) -> list[Augmentation]:
    return [
        a.shear_x.augmentation((0, shear), True),
        a.shear_y.augmentation((0, shear), True),
        a.rotate.augmentation((0, degrees), True),
    ]


def without(suite: list[Augmentation], excluded: Sequence[str] | None) -> list[Augmentation]:
    """Return the augmentations but those with the excluded names.

    Raises:
        ArgumentError: none has the name.
    """
    names = [augmentation.name for augmentation in suite]
    for name in excluded or ():
        if name not in names:
            raise ArgumentError(
                f"`excluded` names no augmentation of the suite: {not_among(name, names)}"
            )
    return [augmentation for augmentation in suite if augmentation.name not in (excluded or ())]


def options_of(
    fill_value: object, interp_type: object, shape: object, *, pillow: bool
) -> dict[str, Any]:
    """Return the arguments of augmentations: the two that always count, and those that are given.

    No argument may be given that no augmentation names.
    """
    options: dict[str, Any] = {"fill_value": fill_value, "interp_type": interp_type}
    if shape is not None:
        options["shape"] = shape
    if pillow:
        options["pillow"] = True
    return options


def fitting(suite: list[Augmentation], options: Mapping[str, object]) -> dict[str, Any]:
    """Return the options that an augmentation of the suite takes."""
    return {
        name: value
        for name, value in options.items()
        if any(accepted(augmentation.op, {name: value}) for augmentation in suite)
    }
