"""`fn.hsv`, `fn.hue`, `fn.saturation` and `fn.color_twist`: hue and saturation of images."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine.arrays import DType, Float64s
from ...engine.graph.operator import register
from ...engine.graph.params import DTYPE, FLOAT, param
from ...engine.tensors.dtypes import DALIDataType
from .color_operator import IMAGE_TYPE_PARAM, ColorOperator
from .matrices import twist

_HUE = "Degrees by which the color turns about the gray axis."
_SATURATION = "Factor of the distance from gray: 0 gives gray."


@register
class Hsv(ColorOperator):
    """Changes hue, saturation and value of RGB images.

    The change is a linear map of RGB colors: the color is projected onto the gray axis of YIQ,
    turned about the axis by `hue`, and scaled. CPU and GPU agree within 1 in integers.

    Inputs:
        images: HWC, FHWC, DHWC or another layout that ends in C; 3 channels.

    Outputs:
        the images: of the input's shape and layout, and of dtype `dtype`.
    """

    name = "hsv"
    dtype = param(DTYPE, DALIDataType.UINT8, "Element type of the result.")
    hue = param(FLOAT, 0.0, _HUE, per_sample=True)
    saturation = param(FLOAT, 1.0, _SATURATION, per_sample=True)
    value = param(FLOAT, 1.0, "Factor of all channels.", per_sample=True)

    def maps(self, source: DType, **numbers: Any) -> Float64s:
        value = numbers["value"]
        return twist(numbers["hue"], numbers["saturation"], value, np.zeros_like(value))


@register
class Hue(ColorOperator):
    """Changes the hue of images, as `hsv` does.

    Inputs:
        images: HWC, FHWC, DHWC or another layout that ends in C; 3 channels.

    Outputs:
        the images: of the input's shape, layout and, if `dtype` is not given, type.
    """

    name = "hue"
    hue = param(FLOAT, 0.0, _HUE, per_sample=True)
    image_type = IMAGE_TYPE_PARAM

    def maps(self, source: DType, **numbers: Any) -> Float64s:
        hue = numbers["hue"]
        return twist(hue, np.ones_like(hue), np.ones_like(hue), np.zeros_like(hue))


@register
class Saturation(ColorOperator):
    """Changes the saturation of images, as `hsv` does.

    Inputs:
        images: HWC, FHWC, DHWC or another layout that ends in C; 3 channels.

    Outputs:
        the images: of the input's shape, layout and, if `dtype` is not given, type.
    """

    name = "saturation"
    saturation = param(FLOAT, 1.0, _SATURATION, per_sample=True)
    image_type = IMAGE_TYPE_PARAM

    def maps(self, source: DType, **numbers: Any) -> Float64s:
        saturation = numbers["saturation"]
        zeros = np.zeros_like(saturation)
        return twist(zeros, saturation, np.ones_like(saturation), zeros)


@register
class ColorTwist(ColorOperator):
    """Changes hue, saturation, contrast and brightness of images, in this order.

    Hue and saturation are those of `hsv`. Then the channels become
    `brightness * (center + contrast * (x - center))`. The center is 128 for integers and 0.5 for
    floats. Results are rounded and clamped once, at the end. CPU and GPU agree within 1 in
    integers.

    Inputs:
        images: HWC, FHWC, DHWC or another layout that ends in C; 3 channels.

    Outputs:
        the images: of the input's shape, layout and, if `dtype` is not given, type.
    """

    name = "color_twist"
    brightness = param(FLOAT, 1.0, "Factor of all channels.", per_sample=True)
    contrast = param(FLOAT, 1.0, "Factor of the distance from the center.", per_sample=True)
    hue = param(FLOAT, 0.0, _HUE, per_sample=True)
    saturation = param(FLOAT, 1.0, _SATURATION, per_sample=True)
    image_type = IMAGE_TYPE_PARAM

    def maps(self, source: DType, **numbers: Any) -> Float64s:
        brightness, contrast = numbers["brightness"], numbers["contrast"]
        center = 0.5 if source.kind == "f" else 128.0
        offset = brightness * (center - contrast * center)
        return twist(numbers["hue"], numbers["saturation"], brightness * contrast, offset)
