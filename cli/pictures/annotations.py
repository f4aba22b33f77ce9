"""Polygons, RLE masks and keypoints of detection data sets, as masks of their images."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import cv2
import numpy as np

from ...datasets import Sample, Value
from ...datasets.segmentations import SEGMENTATIONS, segmentations_of
from ...engine.arrays import Array
from ...engine.errors import ArgumentError, DecodeError
from ...formats.coco.segmentations import rle_of
from .roles import IMAGES, Output, picture_size, with_roles

_KEYPOINTS = "keypoints"
_DRAWN = (SEGMENTATIONS, _KEYPOINTS)
_RADIUS = 120  # a keypoint's disk is a fraction of the image's longer side


def with_annotations_drawn(outputs: Sequence[Output], samples: Sequence[Sample]) -> list[Output]:
    """Return the outputs with one mask in place of segmentations and keypoints.

    Outputs stay as they are if there is no image to draw on, or if annotations are damaged.
    """
    images = [
        output for output in with_roles(outputs) if output.role in IMAGES and output.name == "image"
    ]
    if not images or not any(output.name in _DRAWN for output in outputs):
        return list(outputs)
    try:
        masks = [
            _mask(sample.components, picture_size(picture, "HWC"))
            if picture.size
            else np.empty((0, 0), np.int32)
            for sample, picture in zip(samples, images[0].rows, strict=True)
        ]
    except (ArgumentError, DecodeError, ValueError, TypeError):
        return list(outputs)
    return [
        *(output for output in outputs if output.name not in _DRAWN),
        Output(SEGMENTATIONS, masks),
    ]


def _mask(components: Mapping[str, Value], size: tuple[int, int]) -> Array:
    """Return (height, width), int32: the label of the box that has the pixel, or 0."""
    mask = np.zeros(size, np.int32)
    labels = np.asarray(components.get("labels", ())).reshape(-1).tolist()
    if SEGMENTATIONS in components:
        for number, segmentation in enumerate(segmentations_of(components[SEGMENTATIONS])):
            _draw(mask, segmentation, _color(labels, number))
    points = np.asarray(components.get(_KEYPOINTS, np.zeros((0, 0, 3))))
    radius = max(1, max(size) // _RADIUS)
    for number, of_box in enumerate(points):
        for x, y, visibility in of_box.tolist():
            if visibility > 0:
                cv2.circle(mask, (round(x), round(y)), radius, _color(labels, number) + 1, -1)
    return mask


def _color(labels: Sequence[int], number: int) -> int:
    """Return the number that selects a box's color: its label, unless that is the background."""
    return (labels[number] if number < len(labels) else 0) or number + 1


def _draw(mask: Array, segmentation: Any, number: int) -> None:
    if isinstance(segmentation, dict):
        (height, width), runs = rle_of(segmentation)
        is_inside = np.repeat(np.arange(len(runs)) % 2 == 1, runs).reshape(width, height).T
        mask[is_inside] = number
    elif segmentation:
        corners = [
            np.reshape(polygon, (-1, 2)).round().astype(np.int32) for polygon in segmentation
        ]
        cv2.fillPoly(mask, corners, number)
