"""Suites: lists of augmentations, by their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..engine.errors import ArgumentError
from ..engine.suggestions import not_among
from .core import Augmentation
from .core.arguments import accepted


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
