"""The tables of 8-bit Lab colors, with which kernels convert exactly as OpenCV does.

Lab is L * 255 / 100, a + 128, b + 128. The light is D65, and RGB has the gamma of sRGB. OpenCV
computes in fixed point; color/lab.cuh does the same with these tables.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from ...engine.graph.operator import Array
from ..kernels import StructTable, struct_table

_TO_XYZ = np.array(
    [
        [0.412453, 0.357580, 0.180423],
        [0.212671, 0.715160, 0.072169],
        [0.019334, 0.119193, 0.950227],
    ]
)
_FROM_XYZ = np.array(
    [
        [3.240479, -1.53715, -0.498535],
        [-0.969256, 1.875991, 0.041556],
        [0.055648, -0.204043, 1.057311],
    ]
)
_WHITE = np.array([0.950456, 1.0, 1.088754])
_WEIGHT = 1 << 12  # 1 in the matrices
_ONE = 255 << 3  # 1 in linear colors, before the conversion
_ROOT = 1 << 15  # 1 in roots
_BASE = 1 << 14  # 1 in linear colors and roots, on the way back
_GAMMAS = 1 << 12  # levels of linear colors, after the conversion
_DARK = 20  # largest L without a root
_CUBE = 29**3


@cache
def lab_tables() -> StructTable:
    """Return the one struct `LabTables`, in host memory.

    Its fields are: `to_xyz` and `from_xyz`, matrices by rows; `linear`, of each byte of sRGB;
    `root`, of each linear color; `height` and `height_root`, Y and its root for each L; `gamma`,
    the byte of sRGB of each linear color.
    """
    bytes_, colors = np.arange(256), np.arange(_ONE + 1)
    lines = np.arange(_GAMMAS) / _GAMMAS
    roots = bytes_ * 100 * _BASE / (255 * 116) + 16 * _BASE / 116
    dark = bytes_ <= _DARK
    return struct_table(
        "LabTables",
        1,
        to_xyz=_rounded(_WEIGHT * _TO_XYZ / _WHITE[:, np.newaxis], np.int32),
        from_xyz=_rounded(_WEIGHT * _FROM_XYZ * _WHITE, np.int32),
        linear=_rounded(_ONE * _without_gamma(bytes_ / 255), np.uint16),
        root=_rounded(_ROOT * _root(colors / _ONE), np.uint16),
        height=_rounded(
            np.where(dark, bytes_ * _BASE * 180 / (17 * _CUBE), roots**3 / _BASE**2), np.uint16
        ),
        height_root=_rounded(
            np.where(dark, _BASE * (16 / 116 + bytes_ * 5 / (3 * 17 * 29)), roots), np.uint16
        ),
        gamma=_rounded(255 * _with_gamma(lines), np.uint8),
    )


def _rounded(exact: Array, dtype: type[np.generic]) -> Array:
    """Return the field of a struct: float32, as in OpenCV, rounded to integers; (1, size)."""
    return np.rint(exact.astype(np.float32)).astype(dtype).reshape(1, -1)


def _without_gamma(color: Array) -> Array:
    return np.where(color <= 0.04045, color / 12.92, ((color + 0.055) / 1.055) ** 2.4)


def _with_gamma(color: Array) -> Array:
    return np.where(color <= 0.0031308, color * 12.92, 1.055 * color ** (1 / 2.4) - 0.055)


def _root(color: Array) -> Array:
    linear = color * (841 / 108) + 16 / 116
    return np.where(color < 216 / _CUBE, linear, np.cbrt(color))
