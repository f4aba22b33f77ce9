"""AutoAugment, RandAugment and TrivialAugment as torchvision has them.

The magnitudes are those of torchvision, and one operator does all changes of an image.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Real
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import ArgumentError
from ...engine.graph.functions import function_of
from ...engine.graph.nodes import DataNode
from ...operators.augmenting.augment import Augment
from ...operators.augmenting.draw_steps import DrawSteps
from ...operators.augmenting.effects import parameter_row
from .images import INTERPOLATIONS, Images
from .transform import InterpolationMode, Transform, mode_of, whole

augment_node = function_of(Augment)
steps_node = function_of(DrawSteps)

_RELATIVE = 150.0 / 331.0  # of a side: the largest translation of AutoAugment and RandAugment
_AUTO_AUGMENT_BINS = 10

SubPolicy = Sequence[tuple[str, float, int | None]]
"""Changes one after the other: a name, a probability, and the number of a magnitude or None."""


class Change(NamedTuple):
    """A change of an image.

    Attributes:
        effect: its name among the effects of `operators/augmenting`.
        parameter: returns the effect's parameter for a magnitude.
        is_signed: whether the magnitude may be negative, by chance.
    """

    effect: str
    parameter: Callable[[float], object] = lambda magnitude: ()
    is_signed: bool = False


CHANGES = {
    "Identity": Change("identity"),
    "ShearX": Change("shear", lambda m: (-m, 0), True),
    "ShearY": Change("shear", lambda m: (0, -m), True),
    "TranslateX": Change("translate_relative", lambda m: (m, 0), True),
    "TranslateY": Change("translate_relative", lambda m: (0, m), True),
    "Rotate": Change("rotate", lambda m: m, True),
    "Brightness": Change("brightness", lambda m: 1 + m, True),
    "Color": Change("color", lambda m: 1 + m, True),
    "Contrast": Change("contrast", lambda m: 1 + m, True),
    "Sharpness": Change("sharpen", lambda m: 1 + m, True),
    "Posterize": Change("posterize", lambda m: 256 - (1 << (8 - round(m)))),
    "Solarize": Change("solarize", lambda m: 255 * m),
    "AutoContrast": Change("auto_contrast"),
    "Equalize": Change("equalize"),
    "Invert": Change("invert"),
}
"""The changes, by torchvision's names."""

_OF_PIXELS = {
    "TranslateX": CHANGES["TranslateX"]._replace(effect="translate"),
    "TranslateY": CHANGES["TranslateY"]._replace(effect="translate"),
}
_RANDOM = tuple(name for name in CHANGES if name != "Invert")


def magnitudes(name: str, bins: int, *, wide: bool) -> list[float]:
    """Return the magnitudes of a change.

    Args:
        name: of the change.
        bins: number of magnitudes.
        wide: whether they are those of TrivialAugmentWide.

    >>> magnitudes("Posterize", 5, wide=False)
    [8.0, 7.0, 6.0, 5.0, 4.0]
    """
    if name == "Posterize":
        lost = 6 if wide else 4
        values = np.round(8 - np.arange(bins) / (max(bins - 1, 1) / lost))
    elif name == "Solarize":
        values = np.linspace(1.0, 0.0, bins)
    else:
        largest = {"ShearX": 0.3, "Rotate": 30.0, "TranslateX": _RELATIVE}
        if wide:
            largest = {"ShearX": 0.99, "Rotate": 135.0, "TranslateX": 32.0}
        most = largest.get(name.replace("Y", "X"), 0.99 if wide else 0.9)
        values = np.linspace(0.0, most, bins)
    return [float(value) for value in values]


def step(name: str, magnitude: float, *, wide: bool) -> NDArray[np.float32]:
    """Return the step of `operators/augmenting` for a change: (10,) float32."""
    change = (_OF_PIXELS if wide else {}).get(name, CHANGES[name])
    if wide and change.effect == "translate":
        magnitude = float(int(magnitude))
    return parameter_row(change.effect, np.array(change.parameter(magnitude), np.float32))


def signs(name: str, magnitude: float, *, wide: bool) -> NDArray[np.float32]:
    """Return the steps of a change with either sign: (2, 10)."""
    other = -magnitude if CHANGES[name].is_signed else magnitude
    return np.stack([step(name, magnitude, wide=wide), step(name, other, wide=wide)])


class AugmentTransform(Transform):
    """Base of the transforms that draw changes.

    Args:
        interpolation: NEAREST or BILINEAR.
        fill: the value around moved images; None is 0.
        device: "cpu" or "gpu".
    """

    def __init__(self, interpolation: object, fill: object, device: str | None) -> None:
        super().__init__(device)
        self.interpolation = mode_of(interpolation)
        if self.interpolation not in INTERPOLATIONS:
            raise ArgumentError(f"interpolation is {self.interpolation!r}; use nearest or bilinear")
        if fill is not None and not isinstance(fill, Real):
            raise ArgumentError(f"fill must be one number, but is {fill!r}")
        self.fill = 0.0 if fill is None else float(fill)

    def _changed(
        self, images: Images, steps: NDArray[np.float32], probabilities: object, rounds: int
    ) -> Images:
        drawn = steps_node(table=steps, probabilities=probabilities, rounds=rounds)
        return images.with_node(self._augmented(images, drawn))

    def _augmented(self, images: Images, steps: DataNode) -> DataNode:
        """Return images of bytes after steps; colors are computed as Pillow does."""
        if not images.is_bytes:
            raise ArgumentError(
                f"{type(self).__name__} changes bytes alone; put it before the conversion to floats"
            )
        if images.boxes is not None or images.masks is not None:
            raise ArgumentError(f"{type(self).__name__} moves images, but no boxes and no masks")
        interpolation = INTERPOLATIONS[self.interpolation]
        return augment_node(
            images.stored, steps, fill_value=self.fill, interp_type=interpolation, pillow=True
        )


class AutoAugment(AugmentTransform):
    """Applies one of several sub-policies.

    Args:
        policy: the sub-policies. A sub-policy is a sequence of (name, probability, number of a
            magnitude out of 10, or None), as torchvision names the changes.
        interpolation: NEAREST or BILINEAR.
        fill: the value around moved images; None is 0.
        device: "cpu" or "gpu".
    """

    def __init__(
        self,
        policy: Sequence[SubPolicy],
        interpolation: InterpolationMode | int = InterpolationMode.NEAREST,
        fill: float | None = None,
        device: str | None = "cpu",
    ) -> None:
        super().__init__(interpolation, fill, device)
        self.policy = [tuple(sub_policy) for sub_policy in policy]
        if not self.policy or len({len(sub_policy) for sub_policy in self.policy}) != 1:
            raise ArgumentError("a policy is one or more sub-policies of one length")
        unknown = {name for sub_policy in self.policy for name, _, _ in sub_policy} - CHANGES.keys()
        if unknown:
            raise ArgumentError(f"there are no changes named {', '.join(sorted(unknown))}")

    def _apply(self, images: Images) -> Images:
        steps = [
            [
                signs(
                    name, magnitudes(name, _AUTO_AUGMENT_BINS, wide=False)[number or 0], wide=False
                )
                for name, _, number in sub_policy
            ]
            for sub_policy in self.policy
        ]
        chances = np.array([[p for _, p, _ in sub_policy] for sub_policy in self.policy])
        return self._changed(images, np.array(steps), chances, 1)


class RandAugment(AugmentTransform):
    """Applies random changes of one magnitude, one after the other.

    Translations are relative to the image; torchvision cuts off the fractions of their pixels.

    Args:
        num_ops: number of changes.
        magnitude: number of their magnitude.
        num_magnitude_bins: number of magnitudes.
        interpolation: NEAREST or BILINEAR.
        fill: the value around moved images; None is 0.
        device: "cpu" or "gpu".
    """

    def __init__(
        self,
        num_ops: int = 2,
        magnitude: int = 9,
        num_magnitude_bins: int = 31,
        interpolation: InterpolationMode | int = InterpolationMode.NEAREST,
        fill: float | None = None,
        device: str | None = "cpu",
    ) -> None:
        super().__init__(interpolation, fill, device)
        self.num_ops = whole(num_ops, "num_ops", 0)
        self.num_magnitude_bins = whole(num_magnitude_bins, "num_magnitude_bins", 1)
        self.magnitude = whole(magnitude, "magnitude", 0, num_magnitude_bins - 1)

    def _apply(self, images: Images) -> Images:
        if not self.num_ops:
            return images
        bins, number = self.num_magnitude_bins, self.magnitude
        steps = [
            signs(name, magnitudes(name, bins, wide=False)[number], wide=False) for name in _RANDOM
        ]
        return self._changed(
            images, np.array(steps)[:, np.newaxis], np.ones((len(steps), 1)), self.num_ops
        )


class TrivialAugmentWide(AugmentTransform):
    """Applies one random change of a random magnitude.

    Args:
        num_magnitude_bins: number of magnitudes.
        interpolation: NEAREST or BILINEAR.
        fill: the value around moved images; None is 0.
        device: "cpu" or "gpu".
    """

    def __init__(
        self,
        num_magnitude_bins: int = 31,
        interpolation: InterpolationMode | int = InterpolationMode.NEAREST,
        fill: float | None = None,
        device: str | None = "cpu",
    ) -> None:
        super().__init__(interpolation, fill, device)
        self.num_magnitude_bins = whole(num_magnitude_bins, "num_magnitude_bins", 1)

    def _apply(self, images: Images) -> Images:
        steps = [
            signs(name, magnitude, wide=True)
            for name in _RANDOM
            for magnitude in magnitudes(name, self.num_magnitude_bins, wide=True)
        ]
        return self._changed(images, np.array(steps)[:, np.newaxis], np.ones((len(steps), 1)), 1)
