"""The effects that a step of an augmentation may have, and the steps of samples.

A step is a row of float32: the effect's number, and its parameter of up to nine numbers.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import ArgumentError

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]


class Work(Enum):
    """What an effect does to pixels; the values are those of `augment.cu`."""

    LOOK_UP = 0  # each byte in a table
    MAP_COLOR = 1
    FILTER = 2  # by a window of 3 by 3 pixels
    WARP = 3
    SMOOTH = 4  # a blend with a smoothed image


class Effect(NamedTuple):
    """An effect.

    Attributes:
        number: the first number of a step.
        width: count of the numbers of its parameter.
        work: what it does to pixels.
        of_levels: whether its table depends on the levels of the image.
        colors: whether images must have one or three channels.
    """

    number: int
    width: int
    work: Work = Work.LOOK_UP
    of_levels: bool = False
    colors: bool = False


EFFECTS = {
    "identity": Effect(0, 0),
    "shear": Effect(1, 2, Work.WARP),  # right by each pixel down, down by each pixel right
    "translate": Effect(2, 2, Work.WARP),  # pixels right and down
    "translate_relative": Effect(3, 2, Work.WARP),  # the same, relative to width and height
    "rotate": Effect(4, 1, Work.WARP),  # degrees, counter-clockwise
    "brightness": Effect(5, 1),  # factor
    "contrast": Effect(6, 1, of_levels=True, colors=True),  # factor of the distance from the mean
    "color": Effect(7, 1, Work.MAP_COLOR, colors=True),  # factor of the distance from gray
    "sharpness": Effect(8, 9, Work.FILTER),  # the window, row by row
    "posterize": Effect(9, 1),  # the bits that stay, as a mask
    "solarize": Effect(10, 1),  # the lowest level that is inverted
    "solarize_add": Effect(11, 1),  # what is added to levels below 128
    "invert": Effect(12, 0),
    "equalize": Effect(13, 0, of_levels=True),
    "auto_contrast": Effect(14, 0, of_levels=True),
    "sharpen": Effect(15, 1, Work.SMOOTH),  # Pillow's factor of the distance from a smoothed image
}

WIDTH = max(effect.width for effect in EFFECTS.values())
BY_NUMBER = tuple(sorted(EFFECTS.values(), key=lambda effect: effect.number))
NAMES = tuple(EFFECTS)
WORKS = np.array([effect.work.value for effect in BY_NUMBER])
OF_LEVELS = np.array([effect.of_levels for effect in BY_NUMBER])
OF_COLORS = np.array([effect.colors for effect in BY_NUMBER])


def number_of(name: str) -> int:
    """Return the number of an effect."""
    return EFFECTS[name].number


def parameter_row(effect: str, parameter: NDArray[np.generic]) -> Floats:
    """Return a step with an effect and its parameter: (1 + WIDTH,).

    Raises:
        ArgumentError: the parameter has another count of numbers, or one that is not finite.
    """
    row = np.zeros(1 + WIDTH, np.float32)
    declared, values = EFFECTS[effect], np.asarray(parameter, np.float32).reshape(-1)
    if declared.width and values.size != declared.width:
        raise ArgumentError(
            f"the augmentation {effect} has a parameter of {declared.width} numbers, but got "
            f"{values.size}: {values.tolist()}"
        )
    row[0] = declared.number
    row[1 : 1 + declared.width] = values[: declared.width]
    check_finite(row)
    return row


def check_finite(steps: Floats) -> None:
    """Raise ArgumentError if steps have numbers that are not finite."""
    if not np.isfinite(steps).all():
        wrong = next(row for row in steps.reshape(-1, 1 + WIDTH) if not np.isfinite(row).all())
        name = NAMES[int(wrong[0])] if np.isfinite(wrong[0]) else "an unknown one"
        raise ArgumentError(
            f"the parameter of the augmentation {name} is {wrong[1:].tolist()}; every number must "
            "be finite"
        )


def checked_steps(steps: NDArray[np.generic]) -> Floats:
    """Return a sample's steps that have an effect: (steps, 1 + WIDTH).

    Raises:
        ArgumentError: they are no steps.
    """
    if steps.ndim != 2 or steps.shape[1] != 1 + WIDTH:
        raise ArgumentError(f"steps have the shape {steps.shape}; expected (n, {1 + WIDTH})")
    rows = np.asarray(steps, np.float32)
    check_finite(rows)
    numbers = rows[:, 0]
    if ((numbers < 0) | (numbers >= len(EFFECTS))).any():
        raise ArgumentError(f"there are no effects with the numbers {numbers.tolist()}")
    chosen: Floats = rows[numbers >= 1]
    return chosen
