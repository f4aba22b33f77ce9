"""Transforms of colors."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np

from ... import fn
from ...engine import types
from ...engine.errors import ArgumentError
from ...engine.graph.functions import function_of
from ...operators.augmenting.effects import parameter_row
from ...operators.elementwise import math_functions
from ...operators.vision.color import VisionColor
from ...operators.vision.colors import ORDERS
from .auto_augment import augment_node, steps_node
from .images import PILLOW, Images
from .transform import RandomTransform, Transform, chance, pair, probability, uniform, whole

color_node = function_of(VisionColor)


class ColorJitter(Transform):
    """Changes brightness, contrast, saturation and hue at random, in random order.

    Args:
        brightness, contrast, saturation: the factor's range; a number x stands for
            (max(0, 1 - x), 1 + x).
        hue: the range of turns, as fractions of the circle from -0.5 to 0.5; a number x stands for
            (-x, x).
        device: "cpu" or "gpu".
    """

    def __init__(
        self,
        brightness: float | Sequence[float] | None = 0.0,
        contrast: float | Sequence[float] | None = 0.0,
        saturation: float | Sequence[float] | None = 0.0,
        hue: float | Sequence[float] | None = 0.0,
        device: str | None = "cpu",
    ) -> None:
        super().__init__(device)
        self.brightness = factors_of(brightness, "brightness")
        self.contrast = factors_of(contrast, "contrast")
        self.saturation = factors_of(saturation, "saturation")
        self.hue = turns_of(hue)

    def _apply(self, images: Images) -> Images:
        shown = images.shown()
        order = fn.random.uniform(values=list(range(len(ORDERS))), dtype=types.INT32)
        node = color_node(
            shown.stored,
            brightness=uniform(*self.brightness),
            contrast=uniform(*self.contrast),
            saturation=uniform(*self.saturation),
            hue=uniform(*self.hue),
            order=order,
            rule=images.rule,
        )
        return images.with_node(node)


def factors_of(value: object, name: str) -> tuple[float, float]:
    """Return the range of a factor."""
    if value is None:
        return 1.0, 1.0
    if isinstance(value, Real):
        if value < 0:
            raise ArgumentError(f"{name} must not be negative, but is {value}")
        return max(0.0, 1.0 - float(value)), 1.0 + float(value)
    low, high = pair(value, name)
    if low < 0:
        raise ArgumentError(f"{name} must not be negative, but is {value}")
    return low, high


def turns_of(value: object) -> tuple[float, float]:
    """Return the range of turns of the hue."""
    if value is None:
        return 0.0, 0.0
    low, high = (-float(value), float(value)) if isinstance(value, Real) else pair(value, "hue")
    if not -0.5 <= low <= high <= 0.5:
        raise ArgumentError(f"hue must lie in -0.5 to 0.5, but is {value}")
    return low, high


class Grayscale(Transform):
    """Makes images gray.

    Args:
        num_output_channels: 1 or 3.
        device: "cpu" or "gpu".
    """

    def __init__(self, num_output_channels: int = 1, device: str | None = "cpu") -> None:
        super().__init__(device)
        if num_output_channels not in (1, 3):
            raise ArgumentError(f"num_output_channels must be 1 or 3, but is {num_output_channels}")
        self.num_output_channels = num_output_channels

    def _apply(self, images: Images) -> Images:
        gray = color_node(images.shown().stored, saturation=0.0, rule=images.rule)[..., :1]
        if self.num_output_channels == 3:
            gray = fn.cat(gray, gray, gray, axis_name="C")
        return images.with_node(gray)


class RandomGrayscale(Transform):
    """Makes images gray with the probability `p`; they keep their number of channels."""

    def __init__(self, p: float = 0.1, device: str | None = "cpu") -> None:
        super().__init__(device)
        self.p = probability(p)

    def _apply(self, images: Images) -> Images:
        saturation = 1.0 - fn.cast(chance(self.p), dtype=types.FLOAT)
        node = color_node(images.shown().stored, saturation=saturation, rule=images.rule)
        return images.with_node(node)


class GaussianBlur(Transform):
    """Blurs images.

    Args:
        kernel_size: (columns, rows) of the window, odd numbers; or one for both.
        sigma: range of the standard deviation in pixels, or one number.
        device: "cpu" or "gpu".
        seed: of the random numbers; -1 for the pipeline's.
    """

    def __init__(
        self,
        kernel_size: int | Sequence[int],
        sigma: float | Sequence[float] = (0.1, 2.0),
        device: str | None = "cpu",
        seed: int = -1,
    ) -> None:
        super().__init__(device)
        sizes = tuple(kernel_size) if isinstance(kernel_size, Sequence) else (kernel_size,) * 2
        if len(sizes) != 2 or not all(isinstance(size, Integral) for size in sizes):
            raise ArgumentError(f"kernel_size must be one or two integers, but is {kernel_size!r}")
        if any(size <= 0 or size % 2 == 0 for size in sizes):
            raise ArgumentError(f"kernel_size must be odd and positive, but is {kernel_size!r}")
        self.kernel_size = sizes
        self.sigma = pair((sigma, sigma) if isinstance(sigma, Real) else sigma, "sigma")
        if self.sigma[0] <= 0:
            raise ArgumentError(f"sigma must be positive, but is {sigma!r}")
        self.seed = seed

    def _apply(self, images: Images) -> Images:
        low, high = self.sigma
        sigma: Any = low
        if low != high:
            sigma = fn.random.uniform(range=(low, high), seed=self.seed, dtype=types.FLOAT)
        columns, rows = self.kernel_size
        node = fn.gaussian_blur(images.shown().stored, sigma=sigma, window_size=[rows, columns])
        return images.with_node(node)


class _Effect(RandomTransform):
    """Base of the transforms that change bytes, or leave an image as it is, by chance.

    Attributes:
        effect: the name of the change, among those of `operators/augmenting`.
        tensors_as_pillow: whether torchvision gives tensors the pixels of Pillow.
    """

    effect: str
    tensors_as_pillow = True

    def _parameter(self) -> object:
        return ()

    def _apply(self, images: Images) -> Images:
        if not images.is_bytes:
            return self._apply_to_floats(images)
        row = parameter_row(self.effect, np.array(self._parameter(), np.float32))
        steps = steps_node(
            table=np.broadcast_to(row, (1, 1, 2, len(row))), probabilities=np.array([[self.p]])
        )
        pillow = images.rule == PILLOW or self.tensors_as_pillow
        node = augment_node(images.stored, steps, pillow=pillow)
        return images.with_node(node)

    def _apply_to_floats(self, images: Images) -> Images:
        raise ArgumentError(
            f"{type(self).__name__} changes bytes alone; put it before the conversion to floats"
        )


class _EffectOfEach(_Effect):
    """Base of the changes of each level by itself, which floats from 0 to 1 get, too."""

    @abstractmethod
    def _changed(self, values: object) -> object:
        """Return floats that are changed."""

    def _apply_to_floats(self, images: Images) -> Images:
        values, some = images.node, fn.cast(chance(self.p), dtype=types.FLOAT)
        return images.with_node(self._changed(values) * some + values * (1.0 - some))


class RandomInvert(_EffectOfEach):
    """Inverts the colors with the probability `p`."""

    effect = "invert"

    def _changed(self, values: Any) -> object:
        return 1.0 - values


class RandomEqualize(_Effect):
    """Equalizes the histograms of the channels with the probability `p`."""

    effect = "equalize"


class RandomAutocontrast(_Effect):
    """Stretches the levels of each channel to the whole range with the probability `p`."""

    effect = "auto_contrast"
    tensors_as_pillow = False


class RandomPosterize(_EffectOfEach):
    """Keeps the highest `bits` bits of each level with the probability `p`."""

    effect = "posterize"

    def __init__(self, bits: int, p: float = 0.5, device: str | None = "cpu") -> None:
        super().__init__(p, device)
        self.bits = whole(bits, "bits", 0, 8)

    def _parameter(self) -> object:
        return (256 - (1 << (8 - self.bits)),)

    def _changed(self, values: Any) -> object:
        levels = float(1 << self.bits)
        whole_levels = math_functions.floor(values * levels)
        return math_functions.clamp(whole_levels, 0.0, levels - 1) * (1.0 / levels)


class RandomSolarize(_EffectOfEach):
    """Inverts the levels from `threshold` on with the probability `p`."""

    effect = "solarize"

    def __init__(self, threshold: float, p: float = 0.5, device: str | None = "cpu") -> None:
        super().__init__(p, device)
        self.threshold = threshold

    def _parameter(self) -> object:
        return (self.threshold,)

    def _changed(self, values: Any) -> object:
        above = fn.cast(values >= float(self.threshold), dtype=types.FLOAT)
        return (1.0 - values) * above + values * (1.0 - above)


class RandomAdjustSharpness(_Effect):
    """Sharpens images with the probability `p`; factors below 1 blur."""

    effect = "sharpen"

    def __init__(self, sharpness_factor: float, p: float = 0.5, device: str | None = "cpu") -> None:
        super().__init__(p, device)
        if sharpness_factor < 0:
            raise ArgumentError(f"sharpness_factor must not be negative, but is {sharpness_factor}")
        self.sharpness_factor = float(sharpness_factor)

    def _parameter(self) -> object:
        return (self.sharpness_factor,)
