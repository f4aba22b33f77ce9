"""What lies around a sample: names of OpenCV and of DALI's filters, for OpenCV and for kernels."""

from __future__ import annotations

from types import MappingProxyType

import cv2

BORDERS = MappingProxyType(
    {
        "constant": cv2.BORDER_CONSTANT,
        "replicate": cv2.BORDER_REPLICATE,
        "reflect": cv2.BORDER_REFLECT,
        "reflect_101": cv2.BORDER_REFLECT_101,
        "wrap": cv2.BORDER_WRAP,
    }
)
"""OpenCV's borders by their names; in upper case these are the values of the macro BORDER."""

FILTER_BORDERS = MappingProxyType(
    {
        "reflect_101": "reflect_101",
        "reflect_1001": "reflect",
        "wrap": "wrap",
        "clamp": "replicate",
        "constant": "constant",
        "reflect": "reflect",
        "edge": "replicate",
        "pad": "constant",
    }
)
"""The same borders by their names in DALI's filters; the last three are other names of borders."""
