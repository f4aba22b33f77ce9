"""The base of all transforms, and checks of their arguments."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from enum import Enum
from numbers import Integral, Real
from typing import Any

from ... import fn
from ...engine import types
from ...engine.errors import ArgumentError
from ...engine.graph.nodes import DataNode
from .images import Images


class WrongTypeError(ArgumentError, TypeError):
    """An argument has a type that it must not have."""


class InterpolationMode(Enum):
    """The filters of `Resize`, by torchvision's names."""

    NEAREST = "nearest"
    NEAREST_EXACT = "nearest-exact"
    BILINEAR = "bilinear"
    BICUBIC = "bicubic"
    BOX = "box"
    HAMMING = "hamming"
    LANCZOS = "lanczos"


_BY_PILLOWS_NUMBER = ("NEAREST", "LANCZOS", "BILINEAR", "BICUBIC", "BOX", "HAMMING")


class Transform(ABC):
    """Base of the transforms: part of a `Compose`, or of a translation.

    Args:
        device: where it works: "cpu" or "gpu"; None works where the images are.
    """

    def __init__(self, device: str | None = "cpu") -> None:
        if device not in ("cpu", "gpu", None):
            raise ArgumentError(f"device must be 'cpu' or 'gpu', but is {device!r}")
        self.device = device

    @abstractmethod
    def _apply(self, images: Images) -> Images:
        """Return the nodes of the transformed images; they are on the transform's device."""

    def add_to(self, images: Images) -> Images:
        """Add the transform to the graph that is being defined."""
        return self._apply(images.on(self.device))

    def __call__(self, data_input: object) -> Any:
        """Raise RuntimeError: a transform works in a `Compose` alone."""
        raise RuntimeError(
            f"{self!r} is not called by itself: use Compose([{self!r}]), or a function of "
            "experimental.torchvision.v2.functional"
        )

    def __repr__(self) -> str:
        values = ", ".join(f"{k}={v!r}" for k, v in vars(self).items() if not k.startswith("_"))
        return f"{type(self).__name__}({values})"


class RandomTransform(Transform):
    """Base of the transforms that change an image with the probability `p`."""

    def __init__(self, p: float = 0.5, device: str | None = "cpu") -> None:
        super().__init__(device)
        self.p = probability(p)


def mode_of(interpolation: object) -> str:
    """Return the name of a filter: of a mode, of torchvision's mode, or of Pillow's number."""
    if isinstance(interpolation, int) and not isinstance(interpolation, bool):
        if not 0 <= interpolation < len(_BY_PILLOWS_NUMBER):
            raise ArgumentError(
                f"interpolation is {interpolation}; Pillow's numbers are 0 to "
                f"{len(_BY_PILLOWS_NUMBER) - 1}"
            )
        interpolation = InterpolationMode[_BY_PILLOWS_NUMBER[interpolation]]
    value = getattr(interpolation, "value", interpolation)
    if value not in {mode.value for mode in InterpolationMode}:
        raise ArgumentError(
            f"interpolation must be an InterpolationMode or a number of Pillow, but is "
            f"{interpolation!r}"
        )
    return str(value)


def sizes_of(size: object, name: str = "size") -> tuple[int, ...]:
    """Return one or two lengths."""
    values = tuple(size) if isinstance(size, Sequence) else (size,)
    if not 1 <= len(values) <= 2 or not all(isinstance(value, Integral) for value in values):
        raise WrongTypeError(f"{name} must be an integer, or one or two of them, but is {size!r}")
    if min(values) <= 0:
        raise ArgumentError(f"{name} must be positive, but is {size!r}")
    return tuple(map(int, values))


def square(size: object, name: str = "size") -> tuple[int, int]:
    """Return height and width; one length stands for both."""
    values = sizes_of(size, name)
    return values[0], values[-1]


def pair(value: object, name: str) -> tuple[float, float]:
    """Return a range: two numbers in order."""
    if (
        not isinstance(value, Sequence)
        or isinstance(value, str)
        or len(value) != 2
        or not all(isinstance(limit, Real) for limit in value)
    ):
        raise WrongTypeError(f"{name} must be two numbers (least, largest), but is {value!r}")
    low, high = map(float, value)
    if low > high:
        raise ArgumentError(f"{name} must be (least, largest), but is {value!r}")
    return low, high


def borders(padding: object) -> tuple[int, int, int, int]:
    """Return the padding left, top, right and bottom, of one, two or four numbers."""
    values = tuple(padding) if isinstance(padding, Sequence) else (padding,)
    if len(values) not in (1, 2, 4) or not all(isinstance(value, Integral) for value in values):
        raise WrongTypeError(f"padding must be one, two or four integers, but is {padding!r}")
    if min(values) < 0:
        raise ArgumentError(f"padding must not be negative, but is {padding!r}")
    left, top, right, bottom = (int(values[i % len(values)]) for i in range(4))
    return left, top, right, bottom


def one_or_channels(values: object) -> Any:
    """Return the fill values of an argument: one, or one a channel; None is 0.

    A dict has the values of images under `tv_tensors.Image` or "others".
    """
    if values is None:
        return 0
    if isinstance(values, Mapping):
        return one_or_channels(value_of(values, "Image", "others"))
    numbers = values if isinstance(values, Sequence) else [values]
    if (
        isinstance(values, str)
        or not all(isinstance(number, Real) for number in numbers)
        or not numbers
    ):
        raise WrongTypeError(f"fill must be a number, or one a channel, but is {values!r}")
    return values


def fill_of_masks(values: object) -> float:
    """Return the fill value of masks: that of images, if it is one number; else 0.

    A dict has the value of masks under `tv_tensors.Mask` or "others".
    """
    if isinstance(values, Mapping):
        return fill_of_masks(value_of(values, "Mask", "others"))
    numbers = set(one_or_channels(values) if isinstance(values, Sequence) else [values or 0])
    return float(numbers.pop()) if len(numbers) == 1 else 0.0


def value_of(values: Mapping[object, object], *names: str) -> Any:
    """Return the value under the first of some names that a dict has; else None.

    The keys are classes of `tv_tensors`, or "others".
    """
    named = {getattr(kind, "__name__", kind): value for kind, value in values.items()}
    return next((named[name] for name in names if name in named), None)


def probability(p: object) -> float:
    """Return a probability."""
    if not isinstance(p, int | float) or not 0 <= p <= 1:
        raise ArgumentError(f"p must be a number from 0 to 1, but is {p!r}")
    return float(p)


def whole(value: object, name: str, low: int, high: int | None = None) -> int:
    """Return an integer in a range; without `high` there is no largest one."""
    if not isinstance(value, int) or value < low or (high is not None and value > high):
        wanted = f"from {low} on" if high is None else f"from {low} to {high}"
        raise ArgumentError(f"{name} must be an integer {wanted}, but is {value!r}")
    return value


def chance(p: float) -> DataNode:
    """Return 1 for each sample with the probability `p`, else 0."""
    return fn.random.coin_flip(probability=p)


def uniform(low: float, high: float) -> Any:
    """Return a random number for each sample, or the number if there is only one."""
    return low if low == high else fn.random.uniform(range=(low, high), dtype=types.FLOAT)
