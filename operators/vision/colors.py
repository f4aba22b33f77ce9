"""Changes of colors as torchvision makes them, on the CPU: of bytes and of floats from 0 to 1.

Pillow itself changes bytes by Pillow's rule. The functions here are those of torchvision's tensors.
They round at the same places: PyTorch multiplies in float32, and adds a multiple with a single
rounding. Float64 holds a product of two such numbers, so one conversion to float32 rounds alike.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array, DType
from ..elementwise.byte_table import look_up
from .pillow_images import from_pillow, to_pillow

Pixels = Array

CHANGES = ("brightness", "contrast", "saturation", "hue")
ORDERS = tuple(permutations(range(len(CHANGES))))
"""Orders of the changes; their numbers are the argument `order`."""

IDENTITY = (1.0, 1.0, 1.0, 0.0)
"""The factor of each change with which nothing changes."""

GRAY = (0.2989, 0.587, 0.114)
_EPSILON = 1e-3  # what torchvision leaves below 256 where it makes bytes of floats
_BYTES = np.arange(256, dtype=np.float32)


def blended(values: Pixels, other: Any, ratio: float) -> Pixels:
    """Return `values * ratio + other * (1 - ratio)` as PyTorch rounds it: float32, not clamped."""
    first = values.astype(np.float32, copy=False) * np.float32(ratio)
    share = np.float64(np.float32(1.0 - ratio))
    result: Pixels = (first + other * share).astype(np.float32)
    return result


def gray_of(image: Pixels) -> NDArray[np.float32]:
    """Return the luminance of an image, (height, width, 1 or 3): (height, width) float32."""
    if image.shape[2] == 1:
        return image[:, :, 0].astype(np.float32)
    red, green, blue = (image[:, :, i] for i in range(3))
    gray = red.astype(np.float32, copy=False) * np.float32(GRAY[0])
    for plane, weight in ((green, GRAY[1]), (blue, GRAY[2])):
        gray = (gray + plane * np.float64(np.float32(weight))).astype(np.float32)
    return np.floor(gray, out=gray) if image.dtype == np.uint8 else gray


def _tabled(image: Pixels, function: Callable[[Pixels], Pixels], out: Pixels) -> None:
    """Write a function of each element; of bytes by a table."""
    if image.dtype == np.uint8:
        look_up(np.ascontiguousarray(image), _clamped(function(_BYTES), image.dtype), out)
    else:
        np.copyto(out, _clamped(function(image), image.dtype))


def _clamped(values: Pixels, dtype: DType) -> Pixels:
    """Return float32 values in the range of the type; bytes lose their fractions."""
    np.clip(values, 0, 255 if dtype == np.uint8 else 1, out=values)
    return values.astype(dtype, copy=False)


def _brightness(image: Pixels, factor: float, out: Pixels) -> None:
    _tabled(image, lambda values: values * np.float32(factor), out)


def _contrast(image: Pixels, factor: float, out: Pixels) -> None:
    mean = np.float32(gray_of(image).mean(dtype=np.float64))
    _tabled(image, lambda values: blended(values, mean, factor), out)


def _saturation(image: Pixels, factor: float, out: Pixels) -> None:
    if image.shape[2] == 1:
        np.copyto(out, image)
        return
    gray = gray_of(image)[..., np.newaxis]
    values = blended(image, gray, factor) if factor else np.broadcast_to(gray, image.shape)
    np.copyto(out, _clamped(values, image.dtype) if factor else values, casting="unsafe")


def _hue(image: Pixels, factor: float, out: Pixels) -> None:
    if image.shape[2] == 1:
        np.copyto(out, image)
        return
    is_bytes = image.dtype == np.uint8
    values = image * np.float32(1 / 255) if is_bytes else image.astype(np.float32, copy=False)
    turned = _turned(values, np.float32(factor))
    if is_bytes:
        turned *= np.float32(256.0 - _EPSILON)
    np.copyto(out, turned, casting="unsafe")


def _turned(image: NDArray[np.float32], factor: np.float32) -> NDArray[np.float32]:
    """Return an image whose hue is turned by a fraction of a circle, through HSV."""
    one = np.float32(1)
    most, least = image.max(axis=2), image.min(axis=2)
    span = most - least
    gray = span == 0
    saturation = span / np.where(gray, one, most)
    red, green, blue = np.moveaxis(
        (most[..., None] - image) / np.where(gray, one, span)[..., None], 2, 0
    )
    is_red, is_green = most == image[..., 0], most == image[..., 1]
    hue = np.where(is_red, blue - green, np.where(is_green, red + 2 - blue, green + 4 - red))
    hue = np.fmod(hue * np.float32(1 / 6) + one, one) + factor
    hue = np.remainder(hue, one) * np.float32(6)
    sector = np.floor(hue)
    fraction = saturation * (hue - sector)
    q = np.clip((one - fraction) * most, 0, 1)
    t = np.clip((fraction + (one - saturation)) * most, 0, 1)
    p = np.clip((one - saturation) * most, 0, 1)
    sectors = sector.astype(np.intp) % 6
    return np.stack(
        [
            np.choose(sectors, (most, q, p, p, t, most)),
            np.choose(sectors, (t, most, most, q, p, p)),
            np.choose(sectors, (p, p, t, most, most, q)),
        ],
        axis=2,
    )


_FUNCTIONS = (_brightness, _contrast, _saturation, _hue)


def change_colors(
    image: Pixels, factors: tuple[float, ...], order: int, out: Pixels, scratch: Pixels
) -> None:
    """Write an image of layout HWC whose colors are changed, as torchvision changes tensors.

    Args:
        image: uint8, or float32 from 0 to 1, with 1 or 3 channels.
        factors: of each of `CHANGES`, in the order of these.
        order: which of `ORDERS` they are made in.
        out, scratch: memory of the image's shape and type, contiguous.
    """
    changes = [change for change in ORDERS[order] if factors[change] != IDENTITY[change]]
    if not changes:
        np.copyto(out, image)
    for remaining, change in zip(range(len(changes) - 1, -1, -1), changes, strict=True):
        target = scratch if remaining % 2 else out
        _FUNCTIONS[change](image, factors[change], target)
        image = target


def change_with_pillow(
    image: NDArray[np.uint8], factors: tuple[float, ...], order: int, out: Pixels
) -> None:
    """Write an image of bytes whose colors are changed by Pillow: see `change_colors`."""
    from PIL import ImageEnhance

    enhancers = (ImageEnhance.Brightness, ImageEnhance.Contrast, ImageEnhance.Color)
    (picture,) = to_pillow(image)
    for change in ORDERS[order]:
        factor = factors[change]
        if factor == IDENTITY[change]:
            continue
        if change < len(enhancers):
            picture = enhancers[change](picture).enhance(factor)
        elif picture.mode == "RGB":
            picture = _turned_by_pillow(picture, factor)
    from_pillow([picture], out)


def hue_step(factor: float) -> int:
    """Return by how much torchvision shifts the hue of Pillow's images, which has 256 values."""
    return int(factor * 255) % 256


def _turned_by_pillow(picture: Any, factor: float) -> Any:
    from PIL import Image

    hsv = np.array(picture.convert("HSV"))
    hsv[:, :, 0] += np.uint8(hue_step(factor))
    return Image.frombuffer("HSV", picture.size, hsv.tobytes(), "raw", "HSV", 0, 1).convert("RGB")
