"""Boxes and masks that move with augmented images."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine.errors import ArgumentError
from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import FLOATS, REQUIRED, param
from ...engine.graph.rules import Input, SequenceRules
from ...engine.tensors import TensorList, TensorListGPU
from ...engine.tensors.dtypes import to_numpy_type
from ...geometry.layouts import VIDEO_LAYOUTS, layout_of
from ..boxes.checks import check_boxes
from ..common.batch_arguments import enter_errors
from ..warp.cpu_warp import Sampling, warp
from ..warp.frame_maps import FrameMaps, canvases_fit, check_extents, samples_of
from ..warp.gpu_warp import warp_images
from .augment import LAYOUTS
from .chains import chains_of
from .effects import WORKS, Floats, Work, checked_steps
from .maps import pixel_maps, point_maps
from .references import given_reference, references

_NEAREST = Sampling(nearest=True, fill=0.0)
_REFERENCE = "Height and width that relative translations refer to; by default the image's."


def moving(steps: Array) -> Floats:
    """Return those of a sample's steps that move pixels: (steps, 1 + WIDTH)."""
    chosen = checked_steps(steps)
    moved: Floats = chosen[WORKS[chosen[:, 0].astype(np.int64)] == Work.WARP.value]
    return moved


@register
class AugmentBoxes(SampleOperator):
    """Moves boxes to where they are after the steps of their image.

    Each result is the box around the moved corners, clipped to the image. A box that leaves the
    image has no area.

    Inputs:
        boxes: float32, shape (boxes, 4): left, top, right, bottom, relative to the image.
        steps: of the image: see `_augment`.

    Outputs:
        the boxes: float32, of the same shape.
    """

    name = "_augment_boxes"
    called = "auto_aug"
    inputs = ("boxes", "steps")
    shape = param(FLOATS, (), _REFERENCE, per_sample=True)
    image_shape = param(FLOATS, REQUIRED, "Shape of the image, HWC or FHWC.", per_sample=True)

    def sample(
        self, workspace: Workspace, boxes: Array, steps: Array, *, shape: Any, image_shape: Any
    ) -> Array:
        check_boxes(self.called, boxes.shape, boxes.dtype)
        extents = np.ravel(image_shape)
        if len(extents) not in (3, 4):
            raise ArgumentError(f"boxes need images HWC or FHWC, not of shape {extents.tolist()}")
        extent = extents[-3:-1]
        corners = (boxes[:, [0, 1, 2, 1, 2, 3, 0, 3]].reshape(-1, 2) * extent[::-1]).T
        reference = np.array(given_reference(shape) or extent, np.float64)
        for step in moving(steps):
            number, values = np.array([int(step[0])]), step[np.newaxis, 1:]
            (matrix,) = point_maps(number, values, extent[np.newaxis], reference[np.newaxis])
            corners = matrix[:, :2] @ corners + matrix[:, 2:]
        points = (corners / extent[::-1, np.newaxis]).reshape(2, -1, 4).clip(0, 1)
        out = workspace.empty(boxes.shape, boxes.dtype)
        out[:, :2], out[:, 2:] = points.min(axis=2).T, points.max(axis=2).T
        return out


@register
class AugmentMasks(SampleOperator):
    """Moves masks as the steps of their image move it: each pixel becomes the nearest one, or 0.

    Inputs:
        masks: HW, HWC, FHW or FHWC, of the image's height and width; any type.
        steps: of the image: see `_augment`.

    Outputs:
        the masks: of the input's shape, type and layout.
    """

    name = "_augment_masks"
    called = "auto_aug"
    devices = ("cpu", "gpu")
    assumed_layouts = VIDEO_LAYOUTS
    sequences = SequenceRules(own_frames=True)
    inputs = ("masks", Input("steps", device="cpu"))
    shape = param(FLOATS, (), _REFERENCE, per_sample=True)

    def _first_axis(self, ndim: int) -> int:
        """Return the index of the axis of lines."""
        layout = layout_of(self.layouts[0], ndim, VIDEO_LAYOUTS)
        if layout not in LAYOUTS:
            raise ArgumentError(
                f"{self.called} moves masks of the layouts {', '.join(LAYOUTS)}, but the sample "
                f"is {layout!r}; use fn.transpose before"
            )
        return layout.index("H")

    def sample(self, workspace: Workspace, mask: Array, steps: Array, *, shape: Any) -> Array:
        first = self._first_axis(mask.ndim)
        moves, given = moving(steps), given_reference(shape)
        if not len(moves) or not mask.size:
            return mask
        extent = mask.shape[first : first + 2]
        check_extents(extent, extent)
        extents, reference = np.array([extent]), np.array([given or extent], np.float64)
        out = workspace.empty(mask.shape, mask.dtype)
        spare = workspace.scratch(mask.shape, mask.dtype) if len(moves) > 1 else out
        for left, step in zip(range(len(moves) - 1, -1, -1), moves, strict=True):
            number, values = np.array([int(step[0])]), step[np.newaxis, 1:]
            maps, good = pixel_maps(number, values, extents, reference, nearest=True)
            if not good[0]:
                raise ArgumentError(f"a shear by {step[1:3].tolist()} has no inverse")
            target = spare if left % 2 else out
            pairs = zip(mask, target, strict=True) if first else [(mask, target)]
            for frame, result in pairs:
                warp(frame, result, maps.reshape(2, 3), _NEAREST)
            mask = target
        return mask

    def batch_gpu(
        self, batch: BatchContext, masks: TensorListGPU, steps: TensorList, *, shape: object
    ) -> TensorListGPU:
        first, shapes = self._first_axis(masks.ndim), masks.extents()
        extents = shapes[:, first : first + 2]
        frames = shapes[:, 0] if first else np.ones(batch.size, np.int64)
        chains = chains_of(batch, steps, None, _steps_of)
        reference, usable = references(shape, extents)
        effects = chains.steps[..., 0].astype(np.int64)
        moved = WORKS[effects] == Work.WARP.value
        effects = np.where(moved, effects, 0)
        filled = shapes.prod(axis=1) > 0
        usable &= chains.usable
        usable &= ~(moved.any(axis=1) & filled) | canvases_fit(extents, extents)
        maps = []
        for stage in range(effects.shape[1]):
            values = chains.steps[:, stage, 1:]
            made, good = pixel_maps(effects[:, stage], values, extents, reference, nearest=True)
            usable &= good | ~filled
            maps.append(made)
        enter_errors(self, batch, masks, usable, {"shape": shape}, steps)
        possible, dtype = usable & canvases_fit(extents, extents), to_numpy_type(masks.dtype)
        for made in maps:
            out = batch.device.empty(shapes, dtype, self.output_layouts()[0])
            kept = np.where(possible[:, np.newaxis], made, 0.0)[samples_of(frames)]
            of_frames = FrameMaps(frames, possible, extents, extents, kept)
            warp_images(batch, masks, out, of_frames, _NEAREST, turned=False, leading=first + 2)
            masks = out
        return masks


def _steps_of(steps: Array | None) -> Floats:
    assert steps is not None
    return checked_steps(steps)
