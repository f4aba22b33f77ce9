"""Transforms that resize each image to a random size."""

from __future__ import annotations

from collections.abc import Sequence

from ...engine.errors import ArgumentError
from ...operators.vision.sizes import BETWEEN, JITTER, SHORTEST
from .images import Images, size_node
from .transform import InterpolationMode, Transform, mode_of, pair, square, whole


class _RandomSize(Transform):
    """Resizes to what `_drawn` makes of the arguments."""

    def __init__(
        self, interpolation: InterpolationMode | int, antialias: bool | None, device: str | None
    ) -> None:
        super().__init__(device)
        self.interpolation = mode_of(interpolation)
        self.antialias = bool(antialias)
        self._drawn: dict[str, object] = {}

    def _apply(self, images: Images) -> Images:
        size = size_node(images.extents, **self._drawn)
        return images.resized(size, None, self.interpolation, self.antialias)


class ScaleJitter(_RandomSize):
    """Resizes images into a rectangle that is scaled at random; they keep their proportions.

    Args:
        target_size: (width, height) of the rectangle, in torchvision's order.
        scale_range: range of the rectangle's scale; uniform.
        interpolation, antialias: see `Resize`.
        device: "cpu" or "gpu".
    """

    def __init__(
        self,
        target_size: Sequence[int],
        scale_range: Sequence[float] = (0.1, 2.0),
        interpolation: InterpolationMode | int = InterpolationMode.BILINEAR,
        antialias: bool | None = True,
        device: str | None = "cpu",
    ) -> None:
        super().__init__(interpolation, antialias, device)
        self.target_size = square(target_size, "target_size")
        self.scale_range = pair(scale_range, "scale_range")
        if self.scale_range[0] <= 0:
            raise ArgumentError(f"scale_range must be positive, but is {scale_range!r}")
        self._drawn = {"kind": JITTER, "size": self.target_size, "scale": self.scale_range}


class RandomShortestSize(_RandomSize):
    """Resizes images so that the shorter side has one of several lengths.

    Args:
        min_size: the lengths, all equally likely; or one.
        max_size: the largest length of the longer side.
        interpolation, antialias: see `Resize`.
        device: "cpu" or "gpu".
    """

    def __init__(
        self,
        min_size: int | Sequence[int],
        max_size: int | None = None,
        interpolation: InterpolationMode | int = InterpolationMode.BILINEAR,
        antialias: bool | None = True,
        device: str | None = "cpu",
    ) -> None:
        super().__init__(interpolation, antialias, device)
        sizes = min_size if isinstance(min_size, Sequence) else [min_size]
        self.min_size = [whole(size, "min_size", 1) for size in sizes]
        if not self.min_size:
            raise ArgumentError("min_size must have one length at least, but is empty")
        self.max_size = None if max_size is None else whole(max_size, "max_size", 1)
        self._drawn = {"kind": SHORTEST, "size": self.min_size, "max_size": self.max_size or 0}


class RandomResize(_RandomSize):
    """Resizes images so that the shorter side has a random length.

    Args:
        min_size: the least length.
        max_size: the length above the largest.
        interpolation, antialias: see `Resize`.
        device: "cpu" or "gpu".
    """

    def __init__(
        self,
        min_size: int,
        max_size: int,
        interpolation: InterpolationMode | int = InterpolationMode.BILINEAR,
        antialias: bool | None = True,
        device: str | None = "cpu",
    ) -> None:
        super().__init__(interpolation, antialias, device)
        if not 0 < min_size < max_size:
            raise ArgumentError(
                f"min_size must be positive, and below max_size, but they are {min_size} and "
                f"{max_size}"
            )
        self.min_size, self.max_size = min_size, max_size
        self._drawn = {"kind": BETWEEN, "size": (min_size, max_size)}
