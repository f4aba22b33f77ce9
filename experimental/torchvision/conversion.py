"""Transforms of types: between Pillow's images and tensors, of dtypes, and normalization."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np

from ... import fn
from ...engine import types
from ...engine.arrays import DType
from ...engine.errors import ArgumentError
from ...operators.elementwise import math_functions
from ...operators.vision.windows import ERASE
from .images import PILLOW, PIXELS, REAL, TENSOR, Images, window_node
from .transform import Transform, chance, pair, probability

_BELOW_256 = 256.0 - 1e-3  # torchvision makes bytes of floats by this factor


class ToPureTensor(Transform):
    """Lets a `Compose` return tensors."""

    def _apply(self, images: Images) -> Images:
        return images


class PILToTensor(Transform):
    """Makes tensors of Pillow's images: the same bytes, CHW."""

    def _apply(self, images: Images) -> Images:
        return replace(images, rule=TENSOR)


class ToImage(PILToTensor):
    """Makes tensors of Pillow's images: the same bytes, CHW."""


class ToPILImage(Transform):
    """Makes Pillow's images of tensors; floats from 0 to 1 become bytes."""

    def _apply(self, images: Images) -> Images:
        if not images.is_bytes:
            images = as_bytes(images, 255.0)
        return replace(images, rule=PILLOW)


class ToTensor(Transform):
    """Makes tensors of Pillow's images: float32 from 0 to 1, CHW."""

    def _apply(self, images: Images) -> Images:
        return replace(as_floats(images), rule=TENSOR)


class ToDtype(Transform):
    """Converts tensors.

    Args:
        dtype: uint8 or float32, of NumPy or PyTorch.
        scale: whether bytes become floats from 0 to 1, and floats from 0 to 1 bytes.
        device: "cpu" or "gpu".
    """

    def __init__(self, dtype: object, scale: bool = False, device: str | None = "cpu") -> None:
        super().__init__(device)
        self.dtype = plain_type(dtype)
        self.scale = bool(scale)

    def _apply(self, images: Images) -> Images:
        if self.dtype == REAL:
            if self.scale or not images.is_bytes:
                return as_floats(images)
            node = fn.cast(images.stored, dtype=types.FLOAT)
            return replace(images, stored=node, dtype=REAL)
        return images if images.is_bytes else as_bytes(images, _BELOW_256 if self.scale else 1.0)


class ConvertImageDtype(ToDtype):
    """Converts tensors, and scales their values: `ToDtype(dtype, scale=True)`."""

    def __init__(self, dtype: object = np.float32, device: str | None = "cpu") -> None:
        super().__init__(dtype, True, device)


def plain_type(dtype: Any) -> DType:
    """Return a dtype of NumPy or PyTorch as NumPy's; uint8 or float32."""
    name = str(dtype)
    plain = np.dtype(name.removeprefix("torch.") if name.startswith("torch.") else dtype)
    if plain not in (PIXELS, REAL):
        raise ArgumentError(f"dtype is {dtype}; images become uint8 or float32")
    return plain


def as_floats(images: Images) -> Images:
    """Return bytes as floats from 0 to 1; other images as they are."""
    return replace(images, scaled=True) if images.is_bytes else images


def as_bytes(images: Images, factor: float) -> Images:
    """Return floats times a factor as bytes, without the fractions."""
    whole = math_functions.floor(math_functions.clamp(images.node * np.float32(factor), 0.0, 255.0))
    return replace(images.shown(), stored=fn.cast(whole, dtype=types.UINT8), dtype=PIXELS)


class Normalize(Transform):
    """Subtracts the mean of each channel, and divides by its standard deviation.

    The result is float32. torchvision refuses bytes; here, as in DALI, mean and deviation are then
    those of bytes.

    Args:
        mean, std: one number a channel.
        inplace: must be False.
        device: "cpu" or "gpu".
    """

    def __init__(
        self,
        mean: Sequence[float],
        std: Sequence[float],
        inplace: bool = False,
        device: str | None = "cpu",
    ) -> None:
        super().__init__(device)
        if inplace:
            raise NotImplementedError("inplace=True: the batch's memory is the pipeline's own")
        self.mean, self.std = _numbers(mean, "mean"), _numbers(std, "std")
        if 0 in self.std:
            raise ArgumentError("std must not be 0")

    def _apply(self, images: Images) -> Images:
        if images.normalized is not None:
            images = images.shown()
        return replace(images, normalized=(self.mean, self.std))


def _numbers(values: object, name: str) -> tuple[float, ...]:
    if isinstance(values, str) or not hasattr(values, "__iter__"):
        raise TypeError(f"{name} must be a sequence of numbers, but is {values!r}")
    return tuple(float(value) for value in values)


class RandomErasing(Transform):
    """Fills a random region with a value, with the probability `p`.

    Args:
        p: the probability.
        scale: range of the region's part of the area.
        ratio: range of the region's height / width.
        value: one number, or one a channel.
        inplace: without effect.
        device: "cpu" or "gpu".
    """

    def __init__(
        self,
        p: float = 0.5,
        scale: Sequence[float] = (0.02, 0.33),
        ratio: Sequence[float] = (0.3, 3.3),
        value: object = 0,
        inplace: bool = False,
        device: str | None = "cpu",
    ) -> None:
        super().__init__(device)
        self.p, self.scale, self.ratio = probability(p), pair(scale, "scale"), pair(ratio, "ratio")
        if isinstance(value, str) or not isinstance(value, Real | Sequence | None):
            raise ArgumentError(f"value must be a number, or one a channel, but is {value!r}")
        self.value: Any = 0 if value is None else value

    def _apply(self, images: Images) -> Images:
        window = window_node(images.extents, kind=ERASE, scale=self.scale, ratio=self.ratio)
        erased = window * fn.cast(chance(self.p), dtype=types.INT64)
        node = fn.erase(
            images.node,
            anchor=fn.cast(erased[:2], dtype=types.FLOAT),
            shape=fn.cast(erased[2:], dtype=types.FLOAT),
            axis_names="HW",
            fill_value=self.value,
        )
        return images.with_node(node)
