"""Calls of all operators with random numbers and inputs, on several sets of inputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cv2
import numpy as np

SIZE = 8
_IMAGE = np.random.default_rng(0).integers(0, 255, (40, 50, 3), np.uint8)
_ENCODED = cv2.imencode(".jpg", _IMAGE)[1].reshape(-1)
_MASK = np.random.default_rng(1).integers(0, 3, (20, 30), np.int32)
_BOXES = np.array([[0.1, 0.1, 0.5, 0.6], [0.3, 0.2, 0.9, 0.9]], np.float32)
_LABELS = np.array([1, 2], np.int32)

CALLS: dict[str, Callable[..., Any]] = {
    "decoders.image_random_crop": lambda fn, o: fn.decoders.image_random_crop(o(_ENCODED)),
    "random_resized_crop": lambda fn, o: fn.random_resized_crop(o(_IMAGE, "HWC"), size=(9, 9)),
    "random_crop_generator": lambda fn, o: fn.random_crop_generator(o(np.array([40, 50, 3]))),
    "random_bbox_crop": lambda fn, o: fn.random_bbox_crop(
        o(_BOXES), o(_LABELS), bbox_layout="xyXY", scaling=[0.3, 1.0], num_attempts=50, quiet=True
    ),
    "ssd_random_crop": lambda fn, o: fn.ssd_random_crop(
        o(_IMAGE, "HWC"), o(_BOXES), o(_LABELS), num_attempts=50
    ),
    "roi_random_crop": lambda fn, o: fn.roi_random_crop(
        o(_IMAGE, "HWC"), crop_shape=[5, 5, 3], roi_start=[0, 0, 0], roi_shape=[40, 50, 3]
    ),
    "segmentation.random_object_bbox": lambda fn, o: fn.segmentation.random_object_bbox(o(_MASK)),
    "segmentation.random_mask_pixel": lambda fn, o: fn.segmentation.random_mask_pixel(o(_MASK)),
    "noise.gaussian": lambda fn, o: fn.noise.gaussian(o(_IMAGE, "HWC"), stddev=20.0),
    "noise.salt_and_pepper": lambda fn, o: fn.noise.salt_and_pepper(o(_IMAGE, "HWC"), prob=0.3),
    "noise.shot": lambda fn, o: fn.noise.shot(o(_IMAGE, "HWC")),
    "jitter": lambda fn, o: fn.jitter(o(_IMAGE, "HWC")),
    "random.uniform": lambda fn, o: fn.random.uniform(o(_MASK)),
    "random.normal": lambda fn, o: fn.random.normal(o(_MASK)),
    "random.coin_flip": lambda fn, o: fn.random.coin_flip(o(_MASK)),
    "random.beta": lambda fn, o: fn.random.beta(o(_MASK)),
    "random.choice": lambda fn, o: fn.random.choice(o(np.arange(100)), shape=[5]),
}
"""By the operator's name: `call(fn, o)`, where `o(array, layout)` gives the input."""


def one(fn: Any, call: Callable[..., Any]) -> list[Any]:
    """Return the outputs of the call on one set of inputs."""
    outputs = call(fn, lambda array, layout="": _source(fn, array, layout))
    return outputs if isinstance(outputs, list) else [outputs]


def pairs(fn: Any, call: Callable[..., Any], device: str = "cpu") -> list[list[Any]]:
    """Return the outputs of one call on two sets of inputs: a list of two for each output."""

    def sets(array: Any, layout: str = "") -> list[Any]:
        both = [_source(fn, array, layout) for _ in range(2)]
        return [data.gpu() for data in both] if device == "gpu" else both

    outputs = call(fn, sets)
    return outputs if isinstance(outputs[0], list) else [outputs]


def _source(fn: Any, array: Any, layout: str) -> Any:
    return fn.external_source(source=lambda: [array] * SIZE, layout=layout or None)
