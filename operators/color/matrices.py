"""Affine maps of colors, as matrices of shape (to, from + 1): a linear map, and an offset.

Hue and saturation are changed in YIQ, as DALI does: the color is rotated about the gray axis, and
scaled away from the gray axis. The conversion to YIQ is rounded to three digits, as in the
standard's text; the conversion back is its exact inverse.

YCbCr is that of ITU-R BT.601 with 8 bits: Y has the range 16 to 235, Cb and Cr 16 to 240.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ...engine.arrays import Float64s
from ...engine.tensors.dtypes import DALIImageType

_YIQ = np.array([[0.299, 0.587, 0.114], [0.596, -0.274, -0.321], [0.211, -0.523, 0.311]])
_RGB = np.linalg.inv(_YIQ)


def _in_rgb(yiq_map: ArrayLike) -> Float64s:
    matrix: Float64s = _RGB @ np.asarray(yiq_map, float) @ _YIQ
    return matrix


_GRAY = _in_rgb([[1, 0, 0], [0, 0, 0], [0, 0, 0]])
_CHROMA = _in_rgb([[0, 0, 0], [0, 1, 0], [0, 0, 1]])
_TURNED = _in_rgb([[0, 0, 0], [0, 0, 1], [0, -1, 0]])


def twist(hue: ArrayLike, saturation: ArrayLike, factor: ArrayLike, offset: ArrayLike) -> Float64s:
    """Return maps of RGB colors that change hue and saturation, then multiply and add.

    Args:
        hue: angle in degrees: (...).
        saturation: factor of the distance from gray: (...).
        factor, offset: of all channels: (...).

    Returns:
        the maps: (..., 3, 4).

    >>> (twist([0.0], [1.0], [2.0], [5.0]) @ [10, 20, 30, 1]).round(6).tolist()
    [[25.0, 45.0, 65.0]]
    """
    angle = np.radians(hue)
    cos, sin, saturated, factors = (
        np.asarray(term)[..., np.newaxis, np.newaxis]
        for term in (np.cos(angle), np.sin(angle), saturation, factor)
    )
    maps = np.empty((*np.shape(hue), 3, 4))
    maps[..., :3] = factors * (_GRAY + saturated * (cos * _CHROMA + sin * _TURNED))
    maps[..., 3] = np.asarray(offset)[..., np.newaxis]
    return maps


def reversed_channels(maps: Float64s) -> Float64s:
    """Return maps of BGR colors, given those of RGB colors."""
    return np.concatenate([maps[..., ::-1, 2::-1], maps[..., ::-1, 3:]], axis=-1)


_LUMA = (0.299, 0.587, 0.114)
_BLUE, _RED = 1 - _LUMA[2], 1 - _LUMA[0]
_STUDIO, _CHROMA_RANGE = 219 / 255, 224 / 255  # of 255 levels, by Y and by Cb and Cr


def _color_space_maps() -> dict[tuple[DALIImageType, DALIImageType], Float64s]:
    """Return the map of each pair of color spaces: (to, from + 1)."""
    red, green, blue = _LUMA
    to_ycbcr = np.array(
        [
            [_STUDIO * red, _STUDIO * green, _STUDIO * blue, 16],
            *_chroma_lines(),
        ]
    )
    from_ycbcr = np.linalg.inv(to_ycbcr[:, :3])
    from_ycbcr = np.column_stack([from_ycbcr, -from_ycbcr @ to_ycbcr[:, 3]])
    rgb, bgr, gray, ycbcr = (
        DALIImageType.RGB,
        DALIImageType.BGR,
        DALIImageType.GRAY,
        DALIImageType.YCbCr,
    )
    swap = np.eye(3, 4)[::-1]
    luma = np.array([[red, green, blue, 0]])
    return {
        (rgb, bgr): swap,
        (bgr, rgb): swap,
        (rgb, gray): luma,
        (bgr, gray): luma[:, [2, 1, 0, 3]],
        (gray, rgb): np.array([[1.0, 0]] * 3),
        (gray, bgr): np.array([[1.0, 0]] * 3),
        (rgb, ycbcr): to_ycbcr,
        (bgr, ycbcr): to_ycbcr[:, [2, 1, 0, 3]],
        (gray, ycbcr): np.array([[_STUDIO, 16], [0, 128], [0, 128]]),
        (ycbcr, rgb): from_ycbcr,
        (ycbcr, bgr): from_ycbcr[::-1],
        (ycbcr, gray): np.array([[1 / _STUDIO, 0, 0, -16 / _STUDIO]]),
    }


def _chroma_lines() -> Float64s:
    """Return the lines of Cb and Cr: scaled differences of blue and of red from luma."""
    lines = np.full((2, 4), 128.0)
    for line, scale, own in ((0, _BLUE, 2), (1, _RED, 0)):
        difference = np.eye(3)[own] - _LUMA
        lines[line, :3] = difference * _CHROMA_RANGE / (2 * scale)
    return lines


COLOR_SPACE_MAPS = _color_space_maps()
"""The map from one color space to another, by the pair of them: (to, from + 1)."""
