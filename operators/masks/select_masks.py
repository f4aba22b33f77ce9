"""`fn.segmentation.select_masks`: the polygons of chosen masks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import BOOL, param
from ...engine.tensors import TensorList
from ...formats.ragged import bounds_of, range_indices, rows_between
from ..common.whole_batches import Columns, compute_together

_MOST_KEYS = 1 << 62  # of masks, if those of all samples are numbered


@register
class SelectMasks(SampleOperator):
    """Returns the polygons of chosen masks, with their vertices, in the order of the choice.

    All polygons of a mask are returned, in their order; DALI returns one of them.

    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> polygons = [[4, 0, 3], [5, 3, 6]]
    >>> vertices = np.float32([[0, 0], [1, 0], [0, 1], [5, 5], [6, 5], [5, 6]])
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(*fn.segmentation.select_masks([5], polygons, vertices))
    ...     for output in pipe.run():
    ...         print(output.at(0).tolist())
    [[5, 0, 3]]
    [[5.0, 5.0], [6.0, 5.0], [5.0, 6.0]]

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
    light = True

    reindex_masks = param(
        BOOL, False, "Whether masks become numbers: their positions in `mask_ids`."
    )

    def output_layouts(self) -> tuple[str, ...]:
        return self.layouts[1:]

    def sample(
        self, workspace: Workspace, mask_ids: Array, polygons: Array, vertices: Array
    ) -> tuple[Array, Array]:
        self._check(mask_ids, polygons, vertices)
        masks = polygons.astype(np.int64)
        counts, lengths, indices = self._chosen(mask_ids, masks, len(vertices))
        result = workspace.empty((len(lengths), 3), polygons.dtype)
        numbers = np.arange(len(mask_ids)) if self.reindex_masks else mask_ids
        result[:, 0] = np.repeat(numbers, counts)
        ends = np.cumsum(lengths)
        result[:, 1], result[:, 2] = ends - lengths, ends
        points = workspace.empty((len(indices), vertices.shape[1]), vertices.dtype, 1)
        np.take(vertices, indices, axis=0, out=points, mode="clip")
        return result, points

    def batch(
        self, batch: BatchContext, mask_ids: TensorList, polygons: TensorList, vertices: TensorList
    ) -> Columns:
        """Choose the masks of a whole batch at once."""
        inputs = [mask_ids, polygons, vertices]
        return compute_together(self, batch, inputs, {}, lambda: self._together(inputs))

    def _together(self, inputs: Sequence[TensorList]) -> Columns | None:
        """Return the results for a batch: masks and vertices are numbered through all samples."""
        columns = [data.rows() for data in inputs]
        for rows in columns:
            if len({(row.dtype, row.shape[1:]) for row in rows}) > 1:
                return None
        sizes = np.array([[len(row) for row in rows] for rows in columns])
        ids, polygons, vertices = (np.concatenate(rows) for rows in columns)
        self._check(ids, polygons, vertices)
        of_ids, of_polygons = (
            np.repeat(np.arange(sizes.shape[1]), sizes_of_column) for sizes_of_column in sizes[:2]
        )
        masks, keys = polygons.astype(np.int64), ids.astype(np.int64)
        every = np.concatenate([keys, masks[:, 0]])
        span = int(every.max()) - int(every.min()) + 1 if len(every) else 1
        if span * sizes.shape[1] >= _MOST_KEYS:
            return None
        firsts = bounds_of(sizes[2])
        keys += of_ids * span
        masks[:, 0] += of_polygons * span
        masks[:, 1:] += firsts[of_polygons, np.newaxis]
        outside = (masks[:, 1] < firsts[of_polygons]) | (masks[:, 2] > firsts[of_polygons + 1])
        if outside.any():
            return None
        counts, lengths, indices = self._chosen(keys, masks, len(vertices))
        owners = np.repeat(of_ids, counts)
        bounds = bounds_of(np.bincount(owners, minlength=sizes.shape[1]))
        ends = np.cumsum(lengths)
        vertex_bounds = np.concatenate([[0], ends])[bounds]
        result = np.empty((len(lengths), 3), polygons.dtype)
        numbers = np.arange(len(ids)) - bounds_of(sizes[0])[of_ids] if self.reindex_masks else ids
        result[:, 0] = np.repeat(numbers, counts)
        result[:, 2] = ends - vertex_bounds[owners]
        result[:, 1] = result[:, 2] - lengths
        points = vertices[indices]
        return rows_between(result, bounds), rows_between(points, vertex_bounds)

    def _chosen(self, mask_ids: Array, masks: Array, vertices: int) -> tuple[Array, Array, Array]:
        """Return the polygons of each mask, the vertices of each polygon, and their indices.

        Args:
            mask_ids: the masks.
            masks: int64 (polygons, 3): see the operator's input.
            vertices: number of vertices.
        """
        if len(np.unique(mask_ids)) < len(mask_ids):
            self.refuse(f"mask_ids is {mask_ids.tolist()}; a mask can be chosen once")
        starts, ends = masks[:, 1], masks[:, 2]
        wrong = (starts < 0) | (ends < starts) | (ends > vertices)
        if wrong.any():
            number = int(wrong.argmax())
            self.refuse(
                f"polygon {number} has the vertices {starts[number]} to {ends[number]}, but there "
                f"are {vertices} vertices"
            )
        order = np.argsort(masks[:, 0], kind="stable")
        ordered = masks[order, 0]
        first = np.searchsorted(ordered, mask_ids, "left")
        counts = np.searchsorted(ordered, mask_ids, "right") - first
        if len(counts) and counts.min() == 0:
            self.refuse(f"there is no polygon of mask {mask_ids[counts.argmin()]}")
        chosen = order[range_indices(first, counts)]
        lengths = (ends - starts)[chosen]
        return counts, lengths, range_indices(starts[chosen], lengths)

    def _check(self, mask_ids: Array, polygons: Array, vertices: Array) -> None:
        for name, array in (("mask_ids", mask_ids), ("polygons", polygons)):
            if array.dtype.kind not in "iu":
                self.refuse(f"{name} must be integers, but are {array.dtype}")
        if mask_ids.ndim != 1 or vertices.ndim != 2 or polygons.shape[1:] != (3,):
            self.refuse(
                "the inputs must have the shapes (masks,), (polygons, 3) and (vertices, "
                f"coordinates), but have {mask_ids.shape}, {polygons.shape} and {vertices.shape}"
            )
