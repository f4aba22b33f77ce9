"""AugMix: images blended with what chains of changes make of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ... import fn
from ...engine import types
from ...engine.errors import ArgumentError
from ...operators.elementwise import math_functions
from .auto_augment import CHANGES, AugmentTransform, magnitudes, signs, steps_node
from .images import Images
from .transform import InterpolationMode, whole

_BINS = 10  # magnitudes of each change
_LONGEST = 3  # changes of a chain of random length
_COLORS = frozenset({"Brightness", "Color", "Contrast", "Sharpness"})
_NAMES = tuple(name for name in CHANGES if name not in ("Identity", "Invert"))
_SIDE = 1 / 3  # the largest translation


class AugMix(AugmentTransform):
    """Blends each image with what several chains of random changes make of it.

    The method is that of Hendrycks et al., "AugMix: A Simple Data Processing Method to Improve
    Robustness and Uncertainty" (2020). Translations are relative to the image; torchvision cuts off
    the fractions of their pixels.

    Args:
        severity: number of magnitudes to choose from, the smallest of ten.
        mixture_width: number of chains.
        chain_depth: number of changes of a chain; -1 draws 1 to 3.
        alpha: the parameter of the weights' beta and Dirichlet distributions.
        all_ops: whether brightness, color, contrast and sharpness change, too.
        interpolation: NEAREST or BILINEAR.
        fill: the value around moved images; None is 0.
        device: "cpu" or "gpu".
    """

    def __init__(
        self,
        severity: int = 3,
        mixture_width: int = 3,
        chain_depth: int = -1,
        alpha: float = 1.0,
        all_ops: bool = True,
        interpolation: InterpolationMode | int = InterpolationMode.BILINEAR,
        fill: float | None = None,
        device: str | None = "cpu",
    ) -> None:
        super().__init__(interpolation, fill, device)
        self.severity = whole(severity, "severity", 1, _BINS)
        self.mixture_width = whole(mixture_width, "mixture_width", 1)
        self.chain_depth = whole(chain_depth, "chain_depth", -1)
        if not alpha > 0:
            raise ArgumentError(f"alpha must be positive, but is {alpha!r}")
        self.alpha = float(alpha)
        self.all_ops = bool(all_ops)

    def _apply(self, images: Images) -> Images:
        # As torchvision does: float32, added up one by one, and cut off at the end.
        changed = fn.random.beta(alpha=self.alpha, beta=self.alpha, dtype=types.FLOAT)
        mix = images.stored * (np.float32(1) - changed)
        for share in self._shares():
            mix = mix + self._augmented(images, self._chain()) * (share * changed)
        return images.with_node(fn.cast(math_functions.floor(mix), dtype=types.UINT8))

    def _shares(self) -> Iterator[object]:
        """Yield the weight of each chain: together one sample of a Dirichlet distribution."""
        left: Any = np.float32(1)
        for others in range(self.mixture_width - 1, 0, -1):
            part = fn.random.beta(alpha=self.alpha, beta=others * self.alpha, dtype=types.FLOAT)
            yield left * part
            left = left * (np.float32(1) - part)
        yield left

    def _chain(self) -> Any:
        table = [
            signs(name, magnitude, wide=False)
            for name in _NAMES
            if self.all_ops or name not in _COLORS
            for magnitude in _magnitudes(name)[: self.severity]
        ]
        varies = self.chain_depth < 1
        return steps_node(
            table=np.array(table)[:, np.newaxis],
            probabilities=np.ones((len(table), 1)),
            rounds=_LONGEST if varies else self.chain_depth,
            fewest_rounds=1 if varies else None,
        )


def _magnitudes(name: str) -> list[float]:
    if name.startswith("Translate"):
        return [float(value) for value in np.linspace(0.0, _SIDE, _BINS)]
    values = magnitudes(name, _BINS, wide=False)
    return [value - 4 for value in values] if name == "Posterize" else values  # 4 bits to none
