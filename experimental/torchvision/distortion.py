"""Changes of colors as detectors train with them."""

from __future__ import annotations

from itertools import permutations

import numpy as np

from ... import fn
from ...engine import types
from ...operators.vision.colors import CHANGES, IDENTITY, ORDERS
from .choices import chosen
from .color import color_node, factors_of, turns_of
from .images import Images
from .transform import Transform, chance, pair, probability, uniform

_CHANNELS = 3
_WITH_CONTRAST_BEFORE_OR_BEHIND = [ORDERS.index((0, 1, 2, 3)), ORDERS.index((0, 2, 3, 1))]


class RandomPhotometricDistort(Transform):
    """Changes brightness, contrast, saturation, hue and the order of the channels at random.

    Each change comes with the probability `p`. The contrast changes before the saturation and the
    hue, or behind them. The images have three channels.

    Args:
        brightness, contrast, saturation: the factor's range.
        hue: the range of turns, as fractions of the circle from -0.5 to 0.5.
        p: the probability of each change.
        device: "cpu" or "gpu".
    """

    def __init__(
        self,
        brightness: tuple[float, float] = (0.875, 1.125),
        contrast: tuple[float, float] = (0.5, 1.5),
        saturation: tuple[float, float] = (0.5, 1.5),
        hue: tuple[float, float] = (-0.05, 0.05),
        p: float = 0.5,
        device: str | None = "cpu",
    ) -> None:
        super().__init__(device)
        self.brightness = factors_of(pair(brightness, "brightness"), "brightness")
        self.contrast = factors_of(pair(contrast, "contrast"), "contrast")
        self.saturation = factors_of(pair(saturation, "saturation"), "saturation")
        self.hue = turns_of(pair(hue, "hue"))
        self.p = probability(p)

    def _apply(self, images: Images) -> Images:
        factors = {}
        for name, neutral in zip(CHANGES, IDENTITY, strict=True):
            drawn = fn.cast(chance(self.p), dtype=types.FLOAT)
            factors[name] = uniform(*getattr(self, name)) * drawn + neutral * (1.0 - drawn)
        order = fn.random.uniform(values=_WITH_CONTRAST_BEFORE_OR_BEHIND, dtype=types.INT32)
        node = color_node(images.shown().stored, **factors, order=order, rule=images.rule)
        return chosen(
            chance(self.p),
            "RandomPhotometricDistort",
            _with_channels_in_random_order,
            lambda shown: shown,
            images.with_node(node),
        )


class RandomChannelPermutation(Transform):
    """Puts the three channels of images into a random order.

    Args:
        device: "cpu" or "gpu".
    """

    def _apply(self, images: Images) -> Images:
        return _with_channels_in_random_order(images.shown())


def _with_channels_in_random_order(images: Images) -> Images:
    orders = np.array([*permutations(range(_CHANNELS))])
    number = fn.random.uniform(values=list(range(len(orders))), dtype=types.INT32)
    planes = []
    for place in range(_CHANNELS):
        channels = orders[:, place].tolist()
        which = fn.lookup_table(
            number, keys=list(range(len(orders))), values=channels, dtype=types.INT32
        )
        planes.append(fn.slice(images.stored, start=which, shape=[1], axis_names="C"))
    return images.with_node(fn.cat(*planes, axis_name="C"))
