"""The augmentations of AutoAugment, RandAugment and TrivialAugment.

Each takes uint8 images (HWC) or videos (FHWC), `magnitude_bin` and `num_magnitude_bins`: see
`core.Augmentation`. `shear_x.augmentation(mag_range=(0, 0.5))` has another range of magnitudes.
`shear_x.op(images, [0.2, 0])` takes the parameter itself.

    from penstock.auto_aug import augmentations as a

    sheared = a.shear_x(images, magnitude_bin=5, num_magnitude_bins=11)

Some arguments are common. `fill_value` lies around moved images, and None repeats their border.
`interp_type` is `types.INTERP_LINEAR` by default, or `types.INTERP_NN`. With `pillow=True` the
results are Pillow's to the last digit. Without it they are DALI's within 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .. import fn
from ..engine.arrays import Array
from ..engine.errors import ArgumentError
from ..engine.graph.nodes import DataNode
from .core import augmentation
from .core.sequences import FILL_VALUE, SMOOTH, augment, has_effect, sharpening_factor

if TYPE_CHECKING:
    from ..engine.tensors.dtypes import DALIInterpType

__all__ = [
    "auto_contrast",
    "brightness",
    "color",
    "contrast",
    "equalize",
    "identity",
    "invert",
    "poster_mask_uint8",
    "posterize",
    "rotate",
    "sharpness",
    "sharpness_kernel",
    "sharpness_kernel_shifted",
    "shear_x",
    "shear_y",
    "shift_enhance_range",
    "solarize",
    "solarize_add",
    "solarize_add_shift",
    "translate_x",
    "translate_x_no_shape",
    "translate_y",
    "translate_y_no_shape",
    "warp_x_param",
    "warp_y_param",
]

_ENHANCED = (0, 0.9)
_SAME = np.array([[0, 0, 0], [0, 1, 0], [0, 0, 0]], np.float32)
_BITS = 8
_DARK = 128  # levels below it are shifted by `solarize_add`


def warp_x_param(magnitude: float) -> list[float]:
    """Return the magnitude along x, and 0 along y."""
    return [magnitude, 0]


def warp_y_param(magnitude: float) -> list[float]:
    """Return 0 along x, and the magnitude along y."""
    return [0, magnitude]


@augmentation(mag_range=(0, 0.3), randomly_negate=True, mag_to_param=warp_x_param)
@has_effect("shear")
def shear_x(
    data: DataNode,
    shear: DataNode,
    fill_value: float | None = FILL_VALUE,
    interp_type: DALIInterpType | None = None,
) -> DataNode:
    """Shear: lines move to the right by `shear[0]` for each line down."""
    return augment(data, shear, "shear", fill_value=fill_value, interp_type=interp_type)


@augmentation(mag_range=(0, 0.3), randomly_negate=True, mag_to_param=warp_y_param)
@has_effect("shear")
def shear_y(
    data: DataNode,
    shear: DataNode,
    fill_value: float | None = FILL_VALUE,
    interp_type: DALIInterpType | None = None,
) -> DataNode:
    """Shear: columns move down by `shear[1]` for each column to the right."""
    return augment(data, shear, "shear", fill_value=fill_value, interp_type=interp_type)


@augmentation(mag_range=(0.0, 1.0), randomly_negate=True, mag_to_param=warp_x_param)
@has_effect("translate_relative")
def translate_x(
    data: DataNode,
    rel_offset: DataNode,
    shape: object,
    fill_value: float | None = FILL_VALUE,
    interp_type: DALIInterpType | None = None,
) -> DataNode:
    """Move right by `rel_offset[0]` times the width, which `shape` gives: (height, width)."""
    options = {"fill_value": fill_value, "interp_type": interp_type, "shape": shape}
    return augment(data, rel_offset, "translate_relative", **options)


@augmentation(
    mag_range=(0, 250), randomly_negate=True, mag_to_param=warp_x_param, name="translate_x"
)
@has_effect("translate")
def translate_x_no_shape(
    data: DataNode,
    offset: DataNode,
    fill_value: float | None = FILL_VALUE,
    interp_type: DALIInterpType | None = None,
) -> DataNode:
    """Move to the right by `offset[0]` pixels."""
    return augment(data, offset, "translate", fill_value=fill_value, interp_type=interp_type)


@augmentation(mag_range=(0.0, 1.0), randomly_negate=True, mag_to_param=warp_y_param)
@has_effect("translate_relative")
def translate_y(
    data: DataNode,
    rel_offset: DataNode,
    shape: object,
    fill_value: float | None = FILL_VALUE,
    interp_type: DALIInterpType | None = None,
) -> DataNode:
    """Move down by `rel_offset[1]` times the height, which `shape` gives: (height, width)."""
    options = {"fill_value": fill_value, "interp_type": interp_type, "shape": shape}
    return augment(data, rel_offset, "translate_relative", **options)


@augmentation(
    mag_range=(0, 250), randomly_negate=True, mag_to_param=warp_y_param, name="translate_y"
)
@has_effect("translate")
def translate_y_no_shape(
    data: DataNode,
    offset: DataNode,
    fill_value: float | None = FILL_VALUE,
    interp_type: DALIInterpType | None = None,
) -> DataNode:
    """Move down by `offset[1]` pixels."""
    return augment(data, offset, "translate", fill_value=fill_value, interp_type=interp_type)


@augmentation(mag_range=(0, 30), randomly_negate=True)
@has_effect("rotate")
def rotate(
    data: DataNode,
    angle: DataNode,
    fill_value: float | None = FILL_VALUE,
    interp_type: DALIInterpType | None = None,
    rotate_keep_size: bool = True,
) -> DataNode:
    """Rotate about the center, counter-clockwise, by `angle` degrees.

    The result has the image's size, unless `rotate_keep_size` is false: then it holds all of it.
    """
    if rotate_keep_size:
        return augment(data, angle, "rotate", fill_value=fill_value, interp_type=interp_type)
    return fn.rotate(data, angle=angle, fill_value=fill_value, interp_type=interp_type)


def shift_enhance_range(magnitude: float) -> float:
    """Return the factor 1 + magnitude, of which the magnitude 0 changes nothing."""
    return 1 + magnitude


@augmentation(mag_range=_ENHANCED, randomly_negate=True, mag_to_param=shift_enhance_range)
@has_effect("brightness")
def brightness(data: DataNode, parameter: DataNode, pillow: bool = False) -> DataNode:
    """Multiply all levels by the parameter."""
    return augment(data, parameter, "brightness", pillow=pillow)


@augmentation(mag_range=_ENHANCED, randomly_negate=True, mag_to_param=shift_enhance_range)
@has_effect("contrast")
def contrast(data: DataNode, parameter: DataNode, pillow: bool = False) -> DataNode:
    """Multiply the distance of all levels from the image's mean luma by the parameter."""
    return augment(data, parameter, "contrast", pillow=pillow)


@augmentation(mag_range=_ENHANCED, randomly_negate=True, mag_to_param=shift_enhance_range)
@has_effect("color")
def color(data: DataNode, parameter: DataNode, pillow: bool = False) -> DataNode:
    """Multiply the distance of each color from gray by the parameter. Gray images stay."""
    return augment(data, parameter, "color", pillow=pillow)


def sharpness_kernel(magnitude: float) -> Array:
    """Return a window that blurs for magnitudes from -1 on, and sharpens for those up to 1."""
    return np.asarray(-magnitude * SMOOTH + (1 + magnitude) * _SAME)


def sharpness_kernel_shifted(magnitude: float) -> Array:
    """Return the window of `magnitude - 1`: 0 blurs, 1 changes nothing, and 2 sharpens."""
    return sharpness_kernel(magnitude - 1)


@augmentation(mag_range=_ENHANCED, randomly_negate=True, mag_to_param=sharpness_kernel)
@has_effect("sharpness")
def sharpness(data: DataNode, kernel: DataNode, pillow: bool = False) -> DataNode:
    """Weigh the pixels around each pixel by a window (3, 3). The border mirrors its neighbors.

    With `pillow=True` the window must be one of `sharpness_kernel`, and the border stays.
    """
    if pillow:
        return augment(data, sharpening_factor(kernel), "sharpen")
    return augment(data, kernel, "sharpness")


def poster_mask_uint8(magnitude: float) -> Array:
    """Return the mask that keeps so many of the highest bits: rounded, and from 1 to 8."""
    bits = int(np.clip(np.round(magnitude), 1, _BITS))
    return np.array(0xFF << (_BITS - bits) & 0xFF, np.uint8)


@augmentation(mag_range=(0, 4), mag_to_param=poster_mask_uint8)
@has_effect("posterize")
def posterize(data: DataNode, mask: DataNode) -> DataNode:
    """Keep the bits of the mask."""
    return augment(data, mask, "posterize")


@augmentation(mag_range=(256, 0))
@has_effect("solarize")
def solarize(data: DataNode, threshold: DataNode) -> DataNode:
    """Invert the levels from the threshold on."""
    return augment(data, threshold, "solarize")


def solarize_add_shift(shift: float) -> Array:
    """Return the shift as uint8; it must be below 128."""
    if shift >= _DARK:
        raise ArgumentError(f"solarize_add takes shifts below {_DARK}, not {shift}")
    return np.array(shift, np.uint8)


@augmentation(mag_range=(0, 110), mag_to_param=solarize_add_shift)
@has_effect("solarize_add")
def solarize_add(data: DataNode, shift: DataNode) -> DataNode:
    """Add the shift to the levels below 128."""
    return augment(data, shift, "solarize_add")


@augmentation
@has_effect("invert")
def invert(data: DataNode, _: object) -> DataNode:
    """Invert all levels: 255 minus the level."""
    return augment(data, None, "invert")


@augmentation
@has_effect("equalize")
def equalize(data: DataNode, _: object, pillow: bool = False) -> DataNode:
    """Make the levels of each channel equally frequent, as OpenCV's `equalizeHist`."""
    return augment(data, None, "equalize", pillow=pillow)


@augmentation
@has_effect("auto_contrast")
def auto_contrast(data: DataNode, _: object, pillow: bool = False) -> DataNode:
    """Stretch the levels of each channel to the range from 0 to 255."""
    return augment(data, None, "auto_contrast", pillow=pillow)


@augmentation
@has_effect("identity")
def identity(data: DataNode, _: object) -> DataNode:
    """Change nothing."""
    return data
