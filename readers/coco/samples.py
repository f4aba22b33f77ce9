"""The annotations of a COCO data set in the form in which batches take them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Float32s, Int64s
from ...engine.errors import DecodeError
from ...formats.ragged import bounds_of, range_indices
from .selection import Selected

if TYPE_CHECKING:
    from ...formats.coco.instances import CocoInstances

Int32s = NDArray[np.int32]

POLYGONS_AT_ONCE = 1 << 14
"""Polygons whose vertices are copied together, so that little memory is needed."""


_INT32 = np.iinfo(np.int32)
MOST_PIXELS = 1 << 28
"""Pixels of a mask, at most: larger sizes in an annotation file are mistakes."""


class SamplePolygons(NamedTuple):
    """The polygons of all samples.

    Attributes:
        polygons: int32, (polygons, 3): number of the box in its sample, and the first vertex and
            the end of the polygon among the vertices of its sample.
        bounds: bounds of the polygons of each sample: (samples + 1,).
        vertices: float32, (vertices, 2): x and y.
        vertex_bounds: bounds of the vertices of each sample: (samples + 1,).
    """

    polygons: Int32s
    bounds: Int64s
    vertices: Float32s
    vertex_bounds: Int64s


class SampleRuns(NamedTuple):
    """The masks of all samples that are stored as run lengths, and the samples' sizes.

    Attributes:
        boxes: int32, (masks,): number of the mask's box in its sample.
        bounds: bounds of the masks of each sample: (samples + 1,).
        runs: uint32, see `formats.rle`.
        run_bounds: bounds of the runs of each mask: (masks + 1,).
        heights: int32, (samples,).
        widths: int32, (samples,).
    """

    boxes: Int32s
    bounds: Int64s
    runs: NDArray[np.uint32]
    run_bounds: Int64s
    heights: Int32s
    widths: Int32s


class CocoSamples(NamedTuple):
    """Samples in reading order.

    Attributes:
        file_names: relative to the folder of the images.
        image_ids: int32, (samples,).
        bounds: bounds of the boxes of each sample: (samples + 1,).
        boxes: float32, (boxes, 4).
        labels: int32, (boxes,).
        polygons: None unless they are read.
        runs: None unless they are read.
        keypoints: float32, (boxes, keypoints, 3); None unless they are read.
        panoptic_names: name of the file with each sample's panoptic segmentation; None unless read.
        segment_ids: int32, (boxes,), the ids of their pixels there; None unless read.
    """

    file_names: list[str]
    image_ids: Int32s | None
    bounds: Int64s
    boxes: Float32s
    labels: Int32s
    polygons: SamplePolygons | None = None
    runs: SampleRuns | None = None
    keypoints: Float32s | None = None
    panoptic_names: list[str] | None = None
    segment_ids: Int32s | None = None


@np.errstate(over="ignore")  # of numbers beyond float32, which become infinite
def to_samples(
    coco: CocoInstances,
    selected: Selected,
    name: str,
    *,
    polygons: bool,
    runs: bool,
    image_ids: bool,
) -> CocoSamples:
    """Return the columns from which batches of selected annotations are taken.

    Args:
        coco: data set, from `select`.
        selected: form in which boxes and labels are returned.
        name: name of the annotation file, for messages.
        polygons: whether polygons are needed.
        runs: whether run lengths are needed, for masks of pixels.
        image_ids: whether the images' ids are needed.

    Raises:
        DecodeError: a category does not exist, an image has no size where its size is needed, a run
            length belongs to another size, or an id has more than 32 bits.
    """
    if selected.ratio or runs:
        check_sizes(coco.heights, coco.widths, name, coco)
    sizes = np.stack([coco.widths, coco.heights], axis=1).astype(np.float32)
    unit = sizes if selected.ratio and not runs else None  # masks are drawn in pixels
    per_box = np.repeat(sizes, np.diff(coco.bounds), axis=0)
    keypoints = coco.annotations.keypoints
    return CocoSamples(
        coco.file_names,
        _as_int32(coco, coco.image_ids, "image id", name) if image_ids else None,
        coco.bounds,
        _boxes(coco, selected, per_box),
        _labels(coco, selected, name),
        _polygons(coco, unit) if polygons or runs else None,
        _runs(coco, name) if runs else None,
        None if keypoints is None else _keypoints(keypoints, per_box if selected.ratio else None),
        coco.panoptic_names,
        None if coco.panoptic_names is None else _segment_ids(coco, name),
    )


def check_sizes(
    heights: Int64s, widths: Int64s, name: str, coco: CocoInstances | None = None
) -> None:
    """Raise DecodeError unless masks of all these sizes can be made; `coco` has the images' ids."""
    valid = (heights > 0) & (widths > 0) & (heights <= MOST_PIXELS) & (widths <= MOST_PIXELS)
    valid &= heights * np.where(valid, widths, 0) <= MOST_PIXELS
    if not valid.all():
        image = int(np.argmin(valid))
        who = f"image {image} (from 0)"
        if coco is not None:
            who = f"the image with id {coco.ids.shown(int(coco.image_ids[image]))}"
        raise DecodeError(
            f"{name}: {who} has the size {heights[image]} x {widths[image]} (height x width); "
            f"masks and ratio=True need 1 to {MOST_PIXELS} pixels"
        )


def _boxes(coco: CocoInstances, selected: Selected, sizes: Float32s) -> Float32s:
    boxes = coco.annotations.boxes.astype(np.float32)
    if selected.ltrb:
        boxes[:, 2:] += boxes[:, :2]
    if selected.ratio:
        boxes /= np.tile(sizes, 2)
    return boxes


def _labels(coco: CocoInstances, selected: Selected, name: str) -> Int32s:
    """Return the labels: category ids, or the categories' numbers in the file, from 1 on."""
    ids = coco.annotations.category_ids
    if selected.avoid_class_remapping:
        return _as_int32(coco, ids, "category id", name)
    order = np.argsort(coco.category_ids)
    ordered = np.append(coco.category_ids[order], -1)
    at = np.searchsorted(ordered[:-1], ids)
    unknown = np.flatnonzero(ordered[at] != ids)
    unknown = unknown if len(order) else np.arange(len(ids))
    if unknown.size:
        wrong = int(unknown[0])
        raise DecodeError(
            f"{name}: the annotation with id {_shown(coco, wrong)} has the category_id "
            f"{coco.ids.shown(int(ids[wrong]))}, which is not in 'categories'; add the category "
            "there, or pass avoid_class_remapping=True"
        )
    return (order[at] + 1).astype(np.int32) if len(ids) else np.empty(0, np.int32)


def _shown(coco: CocoInstances, annotation: int) -> str:
    """Return the id of an annotation, for messages."""
    return coco.ids.shown(int(coco.annotations.ids[annotation]))


def _as_int32(coco: CocoInstances, ids: Int64s, kind: str, name: str) -> Int32s:
    wrong = ids[(ids < _INT32.min) | (ids > _INT32.max)]
    if wrong.size:
        shown = coco.ids.shown(int(wrong[0]))
        raise DecodeError(f"{name}: the {kind} {shown} is no number of 32 bits, as outputs are")
    return ids.astype(np.int32)


def _segment_ids(coco: CocoInstances, name: str) -> Int32s:
    names = coco.panoptic_names or []
    if "" in names:
        image = coco.ids.shown(int(coco.image_ids[names.index("")]))
        raise DecodeError(f"{name}: no annotation has the panoptic image_id {image}")
    return _as_int32(coco, coco.annotations.ids, "segment id", name)


def _keypoints(keypoints: NDArray[np.float64], sizes: Float32s | None) -> Float32s:
    result = keypoints.astype(np.float32)
    if sizes is not None:
        result[:, :, :2] /= sizes[:, np.newaxis]
    return result


def _polygons(coco: CocoInstances, sizes: Float32s | None) -> SamplePolygons:
    """Return the polygons, in units of the images' sizes if these are given."""
    segmentations = coco.annotations.segmentations
    assert segmentations is not None
    per_box = np.diff(segmentations.polygons)[:, 0]
    numbers = range_indices(segmentations.polygons[:, 0], per_box)
    starts, ends = segmentations.vertices[numbers] // 2, segmentations.vertices[numbers + 1] // 2
    counts = ends - starts
    bounds = bounds_of(per_box)[coco.bounds]
    vertices = _vertices(segmentations.coordinates.reshape(-1, 2), starts, counts)
    all_bounds = bounds_of(counts)
    vertex_bounds = all_bounds[bounds]
    if sizes is not None:
        vertices /= np.repeat(sizes, np.diff(vertex_bounds), axis=0)
    first = np.repeat(vertex_bounds[:-1], np.diff(bounds))
    box = np.repeat(_numbers_in_samples(coco.bounds), per_box)
    polygons = np.stack([box, all_bounds[:-1] - first, all_bounds[1:] - first], axis=1)
    return SamplePolygons(polygons.astype(np.int32), bounds, vertices, vertex_bounds)


def _vertices(stored: NDArray[np.float64], starts: Int64s, counts: Int64s) -> Float32s:
    """Return the vertices of polygons, end to end."""
    vertices = np.empty((int(counts.sum()), 2), np.float32)
    end = 0
    for first in range(0, len(counts), POLYGONS_AT_ONCE):
        some = slice(first, first + POLYGONS_AT_ONCE)
        indices = range_indices(starts[some], counts[some])
        vertices[end : end + len(indices)] = stored[indices]
        end += len(indices)
    return vertices


def _numbers_in_samples(bounds: Int64s) -> Int64s:
    return np.arange(bounds[-1]) - np.repeat(bounds[:-1], np.diff(bounds))


def _runs(coco: CocoInstances, name: str) -> SampleRuns:
    segmentations = coco.annotations.segmentations
    assert segmentations is not None
    masks = np.flatnonzero(segmentations.are_rle)
    image = np.searchsorted(coco.bounds, masks, "right") - 1
    sizes = np.stack([coco.heights, coco.widths], axis=1)
    others = np.flatnonzero((sizes[image] != segmentations.sizes[masks]).any(axis=1))
    if others.size:
        mask = int(masks[others[0]])
        raise DecodeError(
            f"{name}: the annotation with id {_shown(coco, mask)} has an RLE of size "
            f"{segmentations.sizes[mask].tolist()}, but its image has the size "
            f"{sizes[image[others[0]]].tolist()}"
        )
    starts, ends = segmentations.run_ranges[masks].T
    return SampleRuns(
        _numbers_in_samples(coco.bounds)[masks].astype(np.int32),
        bounds_of(segmentations.are_rle)[coco.bounds],
        segmentations.runs[range_indices(starts, ends - starts)],
        bounds_of(ends - starts),
        coco.heights.astype(np.int32),
        coco.widths.astype(np.int32),
    )
