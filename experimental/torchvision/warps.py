"""Transforms that move pixels along maps: rotations, affine maps and perspectives."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real

from ...engine.errors import ArgumentError
from ...engine.graph.functions import function_of
from ...operators.vision.maps import AFFINE, PERSPECTIVE, VisionMap
from .images import Images
from .transform import (
    InterpolationMode,
    Transform,
    fill_of_masks,
    mode_of,
    one_or_channels,
    pair,
    probability,
)

_map_node = function_of(VisionMap)


def _mode(interpolation: object) -> str:
    name = mode_of(interpolation)
    if name not in ("nearest", "bilinear"):
        raise ArgumentError(f"interpolation is {name!r}; pixels move by 'nearest' or 'bilinear'")
    return name


def _angles(value: object, name: str) -> tuple[float, float]:
    if isinstance(value, Real):
        if value < 0:
            raise ArgumentError(f"{name} must not be negative if it is one number, but is {value}")
        return -float(value), float(value)
    return pair(value, name)


class RandomRotation(Transform):
    """Rotates images about a point by a random angle; they keep their size.

    Args:
        degrees: the range of angles, counter-clockwise; a number x stands for (-x, x).
        interpolation: NEAREST or BILINEAR.
        expand: must be False.
        center: (x, y) of the point that stays; by default the center.
        fill: the value around the images: one, or one a channel.
        device: "cpu" or "gpu".
    """

    def __init__(
        self,
        degrees: float | Sequence[float],
        interpolation: InterpolationMode | int = InterpolationMode.NEAREST,
        expand: bool = False,
        center: Sequence[float] | None = None,
        fill: object = 0,
        device: str | None = "cpu",
    ) -> None:
        super().__init__(device)
        if expand:
            raise ArgumentError("expand=True is not there: images keep their size")
        self.degrees = _angles(degrees, "degrees")
        self.interpolation = _mode(interpolation)
        self.center = () if center is None else tuple(center)
        self.fill = one_or_channels(fill)
        self._fill_of_masks = fill_of_masks(fill)

    def _apply(self, images: Images) -> Images:
        low, high = self.degrees
        matrix = _map_node(images.extents, kind=AFFINE, degrees=(-high, -low), center=self.center)
        return images.warped(matrix, self.interpolation, self.fill, self._fill_of_masks)


class RandomAffine(Transform):
    """Rotates, moves, scales and shears images at random; they keep their size.

    Args:
        degrees: the range of rotations, clockwise; a number x stands for (-x, x).
        translate: largest movement (right, down), as parts of width and height.
        scale: the range of scales.
        shear: range along x in degrees: a number x stands for (-x, x); or four numbers, of which
            the last two are the range along y.
        interpolation: NEAREST or BILINEAR.
        fill: the value around the images: one, or one a channel.
        center: (x, y) of the point that stays; by default the center.
        device: "cpu" or "gpu".
    """

    def __init__(
        self,
        degrees: float | Sequence[float],
        translate: Sequence[float] | None = None,
        scale: Sequence[float] | None = None,
        shear: float | Sequence[float] | None = None,
        interpolation: InterpolationMode | int = InterpolationMode.NEAREST,
        fill: object = 0,
        center: Sequence[float] | None = None,
        device: str | None = "cpu",
    ) -> None:
        super().__init__(device)
        self.degrees = _angles(degrees, "degrees")
        self.translate = (0.0, 0.0) if translate is None else tuple(map(float, translate))
        if len(self.translate) != 2 or not all(0 <= fraction <= 1 for fraction in self.translate):
            raise ArgumentError(f"translate must be two numbers from 0 to 1, but is {translate}")
        self.scale = (1.0, 1.0) if scale is None else pair(scale, "scale")
        if self.scale[0] <= 0:
            raise ArgumentError(f"scale must be positive, but is {scale}")
        self.shear = _shears(shear)
        self.interpolation = _mode(interpolation)
        self.fill = one_or_channels(fill)
        self._fill_of_masks = fill_of_masks(fill)
        self.center = () if center is None else tuple(center)

    def _apply(self, images: Images) -> Images:
        matrix = _map_node(
            images.extents,
            kind=AFFINE,
            degrees=self.degrees,
            translate=self.translate,
            scale=self.scale,
            shear=self.shear,
            center=self.center,
        )
        return images.warped(matrix, self.interpolation, self.fill, self._fill_of_masks)


def _shears(shear: object) -> tuple[float, ...]:
    if shear is None:
        return (0.0, 0.0, 0.0, 0.0)
    if isinstance(shear, Sequence) and len(shear) == 4:
        return (*pair(shear[:2], "shear"), *pair(shear[2:], "shear"))
    return (*_angles(shear, "shear"), 0.0, 0.0)


class RandomPerspective(Transform):
    """Moves the corners of images inwards at random, with the probability `p`.

    Args:
        distortion_scale: by which part of the half sides the corners may move.
        p: the probability.
        interpolation: NEAREST or BILINEAR.
        fill: the value around the images: one, or one a channel.
        device: "cpu" or "gpu".
    """

    def __init__(
        self,
        distortion_scale: float = 0.5,
        p: float = 0.5,
        interpolation: InterpolationMode | int = InterpolationMode.BILINEAR,
        fill: object = 0,
        device: str | None = "cpu",
    ) -> None:
        super().__init__(device)
        if not 0 <= distortion_scale <= 1:
            raise ArgumentError(f"distortion_scale must lie in 0 to 1, but is {distortion_scale}")
        self.distortion_scale, self.p = float(distortion_scale), probability(p)
        self.interpolation = _mode(interpolation)
        self.fill = one_or_channels(fill)
        self._fill_of_masks = fill_of_masks(fill)

    def _apply(self, images: Images) -> Images:
        matrix = _map_node(
            images.extents, kind=PERSPECTIVE, distortion_scale=self.distortion_scale, p=self.p
        )
        return images.warped(matrix, self.interpolation, self.fill, self._fill_of_masks)
