"""Outputs of `fn.readers.coco`: each makes the column of a batch out of arrays of all samples."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array, Int64s
from ...engine.tensors.rows import packed_between
from ...formats.ragged import take_ranges
from ...formats.rasterize import Toggles, paint, polygon_toggles, run_toggles
from ..source import Allocate, Column
from .samples import CocoSamples, SamplePolygons, SampleRuns


class OptionalOutput(NamedTuple):
    """An output that an argument of the reader asks for.

    Attributes:
        argument: its name.
        placeholder: value that stands for a sample that cannot be read.
        layout: layout of the samples.
    """

    argument: str
    placeholder: Array
    layout: str = ""


OPTIONAL_OUTPUTS = (
    OptionalOutput("polygon_masks", np.empty((0, 3), np.int32)),  # polygons
    OptionalOutput("polygon_masks", np.empty((0, 2), np.float32)),  # vertices
    OptionalOutput("pixelwise_masks", np.zeros((1, 1, 1), np.int32), "HWC"),
    OptionalOutput("image_ids", np.zeros(1, np.int32)),
    OptionalOutput("keypoints", np.empty((0, 0, 3), np.float32)),
    OptionalOutput("panoptic_root", np.zeros((1, 1, 1), np.int32), "HWC"),
    OptionalOutput("panoptic_root", np.empty(0, np.int32)),  # ids of segments
)
"""The outputs behind images, boxes and labels, in order."""


class SampleColumn(Protocol):
    """An output besides the images."""

    def take(self, indices: Int64s, allocate: Allocate) -> Column:
        """Return the column of the samples `indices`, in memory from `allocate`."""


class RaggedColumn:
    """Samples with different numbers of elements."""

    def __init__(self, values: Array, bounds: Int64s) -> None:
        """Take all elements, and the bounds of each sample: (samples + 1,)."""
        self._values = values
        self._bounds = bounds

    def take(self, indices: Int64s, allocate: Allocate) -> Column:
        """Return one array a sample."""
        elements, bounds = take_ranges(self._bounds, indices)
        values = self._values
        selected = allocate((len(elements), *values.shape[1:]), values.dtype)
        np.take(values, elements, axis=0, out=selected, mode="clip")
        return packed_between(selected, bounds)


class IdColumn:
    """One number a sample."""

    def __init__(self, ids: NDArray[np.int32]) -> None:
        """Take the numbers of all samples."""
        self._ids = ids

    def take(self, indices: Int64s, allocate: Allocate) -> Column:
        """Return int32, (batch, 1)."""
        return self._ids[indices, np.newaxis]


class MaskColumn:
    """Masks of pixels: the label of each, and 0 for the background."""

    def __init__(self, samples: CocoSamples, polygons: SamplePolygons, runs: SampleRuns) -> None:
        """Take the boxes with their labels, polygons in pixels, and run lengths."""
        self._samples, self._polygons, self._runs = samples, polygons, runs

    def take(self, indices: Int64s, allocate: Allocate) -> Column:
        """Return int32, (height, width, 1), for each sample."""
        drawn, drawn_bounds = self._polygon_regions(indices)
        stored, stored_bounds = self._run_regions(indices)
        masks = []
        for row, index in enumerate(indices.tolist()):
            size = int(self._runs.heights[index]), int(self._runs.widths[index])
            masks.append(allocate((*size, 1), np.int32))
            regions = _joined(
                drawn.cut(*drawn_bounds[row : row + 2].tolist()),
                stored.cut(*stored_bounds[row : row + 2].tolist()),
            )
            paint(regions.toggles, regions.labels, masks[-1].reshape(size))
        return masks

    def _polygon_regions(self, indices: Int64s) -> tuple[_Regions, Int64s]:
        """Return the polygons of samples, and the bounds of each sample."""
        stored, runs = self._polygons, self._runs
        numbers, bounds = take_ranges(stored.bounds, indices)
        elements, vertex_bounds = take_ranges(stored.vertex_bounds, indices)
        counts = np.diff(bounds)
        polygons = stored.polygons[numbers]
        ends = polygons[:, 2] + np.repeat(vertex_bounds[:-1], counts)
        heights, widths = (
            np.repeat(extents[indices], counts) for extents in (runs.heights, runs.widths)
        )
        toggles = polygon_toggles(
            stored.vertices[elements].astype(np.float64),
            np.concatenate([[0], ends]),
            heights.astype(np.int64),
            widths.astype(np.int64),
        )
        return _Regions(toggles, self._labels(indices, counts, polygons[:, 0])), bounds

    def _run_regions(self, indices: Int64s) -> tuple[_Regions, Int64s]:
        """Return the masks of samples that are run lengths, and the bounds of each sample."""
        stored = self._runs
        numbers, bounds = take_ranges(stored.bounds, indices)
        elements, run_bounds = take_ranges(stored.run_bounds, numbers)
        toggles = run_toggles(stored.runs[elements], run_bounds)
        labels = self._labels(indices, np.diff(bounds), stored.boxes[numbers])
        return _Regions(toggles, labels), bounds

    def _labels(
        self, indices: Int64s, counts: Int64s, boxes: NDArray[np.int32]
    ) -> NDArray[np.int32]:
        """Return the labels of boxes that are numbered in their samples."""
        first = np.repeat(self._samples.bounds[indices], counts)
        return np.take(self._samples.labels, first + boxes)


class _Regions(NamedTuple):
    """Regions of masks with their labels."""

    toggles: Toggles
    labels: NDArray[np.int32]

    def cut(self, first: int, end: int) -> _Regions:
        """Return the regions from `first` to `end`."""
        bounds = self.toggles.bounds[first : end + 1]
        positions = self.toggles.positions[bounds[0] : bounds[-1]]
        return _Regions(Toggles(positions, bounds - bounds[0]), self.labels[first:end])


def _joined(left: _Regions, right: _Regions) -> _Regions:
    positions = np.concatenate([left.toggles.positions, right.toggles.positions])
    right_bounds = right.toggles.bounds[1:] + left.toggles.bounds[-1]
    bounds = np.concatenate([left.toggles.bounds, right_bounds])
    return _Regions(Toggles(positions, bounds), np.concatenate([left.labels, right.labels]))
