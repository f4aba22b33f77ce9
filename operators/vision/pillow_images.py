"""Arrays as Pillow's images, and back. Pillow is loaded when an image is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array
from ...engine.errors import MissingDependencyError

if TYPE_CHECKING:
    from PIL.Image import Image, Resampling

_RGB = 3


def check_pillow(owner: str) -> None:
    """Raise MissingDependencyError unless Pillow is there."""
    try:
        import PIL.Image  # noqa: F401
    except ImportError as error:
        raise MissingDependencyError(
            f"{owner} gives the pixels of Pillow, which is not installed: pip install pillow"
        ) from error


def to_pillow(image: NDArray[np.uint8]) -> list[Image]:
    """Return an image of bytes, (height, width, channels), as one of mode RGB, or planes."""
    from PIL import Image

    if image.shape[2] == _RGB:
        return [Image.fromarray(np.ascontiguousarray(image))]
    planes = np.ascontiguousarray(np.moveaxis(image, 2, 0))
    return [Image.fromarray(plane) for plane in planes]


def from_pillow(images: list[Image], out: Array) -> None:
    """Write what `to_pillow` returns, after work of Pillow, to an array."""
    if out.shape[2] == _RGB:
        np.copyto(out, np.asarray(images[0]))
        return
    for channel, plane in enumerate(images):
        np.copyto(out[:, :, channel], np.asarray(plane))


def resampling(interpolation: str) -> Resampling:
    """Return Pillow's filter of this name."""
    from PIL import Image

    return Image.Resampling[interpolation.upper()]
