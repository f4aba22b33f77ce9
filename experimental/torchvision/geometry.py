"""Transforms that move pixels: crops, padding, sizes and flips."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ... import fn
from ...engine.errors import ArgumentError
from ...operators.vision.windows import CENTER, CROP, RESIZED_CROP, ZOOM_OUT
from .choices import chosen
from .images import Images, window_node
from .transform import (
    InterpolationMode,
    RandomTransform,
    Transform,
    borders,
    chance,
    fill_of_masks,
    mode_of,
    one_or_channels,
    pair,
    probability,
    sizes_of,
    square,
)

PADDING_MODES = ("constant", "edge", "reflect", "symmetric")


def _check_mode(padding_mode: str) -> str:
    if padding_mode not in PADDING_MODES:
        raise ArgumentError(
            f"padding_mode must be one of {', '.join(PADDING_MODES)}, but is {padding_mode!r}"
        )
    return padding_mode


class CenterCrop(Transform):
    """Crops images at their center; images that are too small get a black border.

    Args:
        size: (height, width), or one length for both.
        device: "cpu" or "gpu".
    """

    def __init__(self, size: int | Sequence[int], device: str | None = "cpu") -> None:
        super().__init__(device)
        self.size = square(size)

    def _apply(self, images: Images) -> Images:
        return images.cut(window_node(images.extents, kind=CENTER, size=self.size))


class Crop(Transform):
    """Crops a fixed window, as the function `crop`; outside of the images all is black."""

    def __init__(self, window: Sequence[int], device: str | None = "cpu") -> None:
        super().__init__(device)
        self.window = tuple(window)
        if len(self.window) != 4 or min(self.window[2:]) <= 0:
            raise ArgumentError(f"height and width must be positive, but the window is {window}")

    def _apply(self, images: Images) -> Images:
        return images.cut(self.window)


class ResizedCrop(Transform):
    """Resizes a fixed window, as the function `resized_crop`."""

    def __init__(
        self,
        window: Sequence[int],
        size: int | Sequence[int],
        interpolation: InterpolationMode | int = InterpolationMode.BILINEAR,
        antialias: bool | None = True,
        device: str | None = "cpu",
    ) -> None:
        super().__init__(device)
        self.window, self.size = tuple(window), sizes_of(size)
        self.interpolation, self.antialias = mode_of(interpolation), bool(antialias)

    def _apply(self, images: Images) -> Images:
        # The window may reach out of the image, where all is black.
        part = images.cut(self.window)
        return part.resized(self.size, None, self.interpolation, self.antialias)


class Pad(Transform):
    """Adds a border to images.

    Args:
        padding: pixels on all sides; or (left and right, top and bottom); or (left, top, right,
            bottom).
        fill: the border's value if the mode is "constant": one, or one a channel.
        padding_mode: "constant"; "edge" repeats the edge; "reflect" mirrors without the edge,
            "symmetric" with it.
        device: "cpu" or "gpu".
    """

    def __init__(
        self,
        padding: int | Sequence[int],
        fill: object = 0,
        padding_mode: str = "constant",
        device: str | None = "cpu",
    ) -> None:
        super().__init__(device)
        self.padding = borders(padding)
        self.fill = one_or_channels(fill)
        self._fill_of_masks = fill_of_masks(fill)
        self.padding_mode = _check_mode(padding_mode)

    def _apply(self, images: Images) -> Images:
        left, top, right, bottom = self.padding
        size = images.extents[:2] + np.array((top + bottom, left + right), np.int64)
        start = size * 0 - np.array((top, left), np.int64)
        return images.cut(fn.cat(start, size), self.padding_mode, self.fill, self._fill_of_masks)


class RandomCrop(Transform):
    """Crops images at a random place.

    Args:
        size: (height, width), or one length for both.
        padding: border that is added before: see `Pad`.
        pad_if_needed: whether images that are too small get a border.
        fill, padding_mode: of the border: see `Pad`.
        device: "cpu" or "gpu".
    """

    def __init__(
        self,
        size: int | Sequence[int],
        padding: int | Sequence[int] | None = None,
        pad_if_needed: bool = False,
        fill: object = 0,
        padding_mode: str = "constant",
        device: str | None = "cpu",
    ) -> None:
        super().__init__(device)
        self.size = square(size)
        self.padding = (0, 0, 0, 0) if padding is None else borders(padding)
        self.pad_if_needed = bool(pad_if_needed)
        self.fill = one_or_channels(fill)
        self._fill_of_masks = fill_of_masks(fill)
        self.padding_mode = _check_mode(padding_mode)

    def _apply(self, images: Images) -> Images:
        window = window_node(
            images.extents,
            kind=CROP,
            size=self.size,
            padding=self.padding,
            pad_if_needed=self.pad_if_needed,
        )
        return images.cut(window, self.padding_mode, self.fill, self._fill_of_masks)


class RandomZoomOut(Transform):
    """Puts images at a random place on a larger canvas, with the probability `p`.

    Args:
        fill: the canvas's value: one, or one a channel.
        side_range: range of the canvas's sides as multiples of the image's.
        p: the probability.
        device: "cpu" or "gpu".
    """

    def __init__(
        self,
        fill: object = 0,
        side_range: Sequence[float] = (1.0, 4.0),
        p: float = 0.5,
        device: str | None = "cpu",
    ) -> None:
        super().__init__(device)
        self.fill = one_or_channels(fill)
        self._fill_of_masks = fill_of_masks(fill)
        self.side_range = pair(side_range, "side_range")
        if self.side_range[0] < 1:
            raise ArgumentError(f"side_range must begin at 1 or above, but is {side_range!r}")
        self.p = probability(p)

    def _apply(self, images: Images) -> Images:
        def zoomed(shown: Images) -> Images:
            window = window_node(shown.extents, kind=ZOOM_OUT, scale=self.side_range)
            return shown.cut(window, "constant", self.fill, self._fill_of_masks)

        return chosen(chance(self.p), "RandomZoomOut", zoomed, lambda shown: shown, images.shown())


class ClampBoundingBoxes(Transform):
    """Cuts boxes off at their images' edges."""

    def _apply(self, images: Images) -> Images:
        return images.clamped() if images.boxes is not None else images


class Resize(Transform):
    """Resizes images.

    Args:
        size: (height, width); or the length of the shorter side; or None.
        interpolation: the filter. Tensors have no BOX and HAMMING.
        max_size: the largest length of the longer side, if `size` is one length; the length of the
            longer side, if `size` is None.
        antialias: whether the filter widens where images shrink; Pillow's always does.
        device: "cpu" or "gpu".
    """

    def __init__(
        self,
        size: int | Sequence[int] | None,
        interpolation: InterpolationMode | int = InterpolationMode.BILINEAR,
        max_size: int | None = None,
        antialias: bool | None = True,
        device: str | None = "cpu",
    ) -> None:
        super().__init__(device)
        self.size = () if size is None else sizes_of(size)
        self.interpolation = mode_of(interpolation)
        self.max_size = max_size
        self.antialias = bool(antialias)
        if size is None and max_size is None:
            raise ArgumentError("max_size must be given if size is None")
        if max_size is not None and len(self.size) == 2:
            raise ArgumentError("max_size needs a size of one number, the length of a side")
        if max_size is not None and self.size and max_size <= self.size[0]:
            raise ArgumentError(f"max_size, {max_size}, must be above size, {self.size[0]}")

    def _apply(self, images: Images) -> Images:
        return images.resized(self.size, self.max_size, self.interpolation, self.antialias)


class RandomResizedCrop(Transform):
    """Crops a window of random area and shape at a random place, and resizes it.

    Args:
        size: (height, width) of the result, or one length for both.
        scale: range of the window's part of the area.
        ratio: range of the window's width / height.
        interpolation, antialias: see `Resize`.
        device: "cpu" or "gpu".
    """

    def __init__(
        self,
        size: int | Sequence[int],
        scale: tuple[float, float] = (0.08, 1.0),
        ratio: tuple[float, float] = (3.0 / 4.0, 4.0 / 3.0),
        interpolation: InterpolationMode | int = InterpolationMode.BILINEAR,
        antialias: bool | None = True,
        device: str | None = "cpu",
    ) -> None:
        super().__init__(device)
        self.size = square(size)
        self.scale, self.ratio = pair(scale, "scale"), pair(ratio, "ratio")
        if min(self.scale) <= 0 or min(self.ratio) <= 0:
            raise ArgumentError(f"scale and ratio must be positive, but are {scale} and {ratio}")
        self.interpolation = mode_of(interpolation)
        self.antialias = bool(antialias)

    def _apply(self, images: Images) -> Images:
        window = window_node(images.extents, kind=RESIZED_CROP, scale=self.scale, ratio=self.ratio)
        return images.resized(self.size, None, self.interpolation, self.antialias, window)


class RandomHorizontalFlip(RandomTransform):
    """Mirrors images left to right with the probability `p`."""

    def _apply(self, images: Images) -> Images:
        return images.flipped(horizontal=chance(self.p))


class RandomVerticalFlip(RandomTransform):
    """Mirrors images top to bottom with the probability `p`."""

    def _apply(self, images: Images) -> Images:
        return images.flipped(vertical=chance(self.p))
