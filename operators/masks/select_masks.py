"""`fn.segmentation.select_masks`: the polygons of chosen masks."""

from __future__ import annotations

import numpy as np

from ...engine.errors import ArgumentError
from ...engine.graph.context import Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import BOOL, param
from ...formats.ragged import range_indices


@register
class SelectMasks(SampleOperator):
    """Returns the polygons of chosen masks, with their vertices, in the order of the choice.

    All polygons of a mask are returned, in their order; DALI returns one of them.

    Inputs:
        mask_ids: integers, shape (masks,), each once.
        polygons: integers, shape (polygons, 3): a mask, and the first vertex and the end of its
            polygon, as `fn.readers.coco` returns them.
        vertices: numbers, shape (vertices, coordinates).

    Outputs:
        polygons, vertices: those of the chosen masks; of the dtypes of the inputs.

    Raises:
        ArgumentError: a chosen mask has no polygon or is chosen twice, or a polygon has vertices
            that do not exist.
    """

    name = "segmentation.select_masks"
    inputs = ("mask_ids", "polygons", "vertices")
    outputs = 2

    reindex_masks = param(
        BOOL, False, "Whether masks become numbers: their positions in `mask_ids`."
    )

    def output_layouts(self) -> tuple[str, ...]:
        return self.layouts[1:]

    def sample(
        self, workspace: Workspace, mask_ids: Array, polygons: Array, vertices: Array
    ) -> tuple[Array, Array]:
        self._check(mask_ids, polygons, vertices)
        order = np.argsort(polygons[:, 0], kind="stable")
        masks = polygons[order, 0]
        first = np.searchsorted(masks, mask_ids, "left")
        counts = np.searchsorted(masks, mask_ids, "right") - first
        if len(counts) and counts.min() == 0:
            self._refuse(f"there is no polygon of mask {mask_ids[counts.argmin()]}")
        chosen = polygons[order[range_indices(first, counts)]].astype(np.int64)
        starts, lengths = chosen[:, 1], chosen[:, 2] - chosen[:, 1]
        result = workspace.empty(chosen.shape, polygons.dtype)
        result[:, 0] = np.repeat(
            np.arange(len(mask_ids)) if self.reindex_masks else mask_ids, counts
        )
        ends = np.cumsum(lengths)
        result[:, 1], result[:, 2] = ends - lengths, ends
        indices = range_indices(starts, lengths)
        points = workspace.empty((len(indices), vertices.shape[1]), vertices.dtype, 1)
        np.take(vertices, indices, axis=0, out=points, mode="clip")
        return result, points

    def _check(self, mask_ids: Array, polygons: Array, vertices: Array) -> None:
        for name, array in (("mask_ids", mask_ids), ("polygons", polygons)):
            if array.dtype.kind not in "iu":
                self._refuse(f"{name} must be integers, but are {array.dtype}")
        if mask_ids.ndim != 1 or vertices.ndim != 2 or polygons.shape[1:] != (3,):
            self._refuse(
                "the inputs must have the shapes (masks,), (polygons, 3) and (vertices, "
                f"coordinates), but have {mask_ids.shape}, {polygons.shape} and {vertices.shape}"
            )
        if len(np.unique(mask_ids)) < len(mask_ids):
            self._refuse(f"mask_ids is {mask_ids.tolist()}; a mask can be chosen once")
        starts, ends = polygons[:, 1], polygons[:, 2]
        wrong = (starts < 0) | (ends < starts) | (ends > len(vertices))
        if wrong.any():
            number = int(wrong.argmax())
            self._refuse(
                f"polygon {number} has the vertices {starts[number]} to {ends[number]}, but there "
                f"are {len(vertices)} vertices"
            )

    def _refuse(self, problem: str) -> None:
        raise ArgumentError(f"{self.called}: {problem}")
