"""Annotations in the files that DALI's `save_preprocessed_annotations` writes, and reads.

Each file but `filenames.dat` is the number of its elements, uint32, and the elements, all
little-endian:

    offsets.dat, counts.dat                     int32: the boxes of each sample
    boxes.dat                                   float32: four numbers a box
    labels.dat, original_ids.dat                int32
    polygon_data.dat                            3 x int32: box, first vertex, end
    polygon_offset.dat, polygons_count.dat      int64: the polygons of each sample
    vertices.dat                                2 x float32
    vertices_offset.dat, vertices_count.dat     int64: the vertices of each sample
    masks_rles_idx.dat                          int32: the box of each mask
    masks_offset.dat, mask_count.dat            int64: the masks of each sample
    heights.dat, widths.dat                     int32
    masks_rles.dat                              the masks: height, width and number of runs as
                                                uint64, then the runs as uint32
    filenames.dat                               a line for each sample

Files without elements do not exist.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array, Int64s
from ...engine.errors import ArgumentError, DecodeError
from ...formats.ragged import bounds_of, range_indices
from .samples import CocoSamples, SamplePolygons, SampleRuns, check_sizes

_COUNT = 4  # bytes of the number of elements
_MASK = 24  # bytes before the runs of a mask


def save(samples: CocoSamples, folder: str) -> None:
    """Write the files; the folder is made if need be.

    Raises:
        ArgumentError: a file name has a line break.
    """
    root = Path(folder)
    root.mkdir(parents=True, exist_ok=True)
    if any("\n" in name for name in samples.file_names):
        raise ArgumentError("file names with line breaks cannot be saved as preprocessed")
    names = "".join(f"{name}\n" for name in samples.file_names)
    (root / "filenames.dat").write_bytes(os.fsencode(names))
    _write_bounds(root, "offsets", "counts", samples.bounds, np.int32)
    _write(root, "boxes", samples.boxes.reshape(-1))
    _write(root, "labels", samples.labels)
    if samples.image_ids is not None:
        _write(root, "original_ids", samples.image_ids)
    if samples.polygons is not None:
        polygons = samples.polygons
        _write(root, "polygon_data", polygons.polygons)
        _write_bounds(root, "polygon_offset", "polygons_count", polygons.bounds)
        _write(root, "vertices", polygons.vertices)
        _write_bounds(root, "vertices_offset", "vertices_count", polygons.vertex_bounds)
    if samples.runs is not None:
        _save_runs(root, samples.runs)


def _save_runs(root: Path, runs: SampleRuns) -> None:
    _write(root, "masks_rles_idx", runs.boxes)
    _write_bounds(root, "masks_offset", "mask_count", runs.bounds)
    _write(root, "heights", runs.heights)
    _write(root, "widths", runs.widths)
    counts = np.diff(runs.run_bounds)
    image = np.searchsorted(runs.bounds, np.arange(len(counts)), "right") - 1
    content = bytearray(len(counts).to_bytes(_COUNT, "little"))
    for mask, count in enumerate(counts.tolist()):
        size = int(runs.heights[image[mask]]), int(runs.widths[image[mask]])
        content += np.array([*size, count], "<u8").tobytes()
        content += runs.runs[runs.run_bounds[mask] : runs.run_bounds[mask + 1]].tobytes()
    if len(counts):
        (root / "masks_rles.dat").write_bytes(content)


def _write(root: Path, name: str, values: Array) -> None:
    if len(values):
        count = len(values).to_bytes(_COUNT, "little")
        (root / f"{name}.dat").write_bytes(count + values.tobytes())


def _write_bounds(
    root: Path, offsets: str, counts: str, bounds: Int64s, dtype: type[Any] = np.int64
) -> None:
    _write(root, offsets, bounds[:-1].astype(dtype))
    _write(root, counts, np.diff(bounds).astype(dtype))


def load(folder: str, *, image_ids: bool, polygons: bool, runs: bool) -> CocoSamples:
    """Read the files that the arguments ask for.

    Raises:
        OSError: a file does not exist or cannot be read.
        DecodeError: a file is cut off, or does not fit the others.
    """
    root = Path(folder)
    names = os.fsdecode((root / "filenames.dat").read_bytes()).split("\n")[:-1]
    count = len(names)
    labels = _read(root, "labels", np.int32)
    bounds = _read_bounds(root, "offsets", "counts", count, len(labels), np.int32)
    return CocoSamples(
        names,
        _read(root, "original_ids", np.int32, count=count) if image_ids else None,
        bounds,
        _read(root, "boxes", np.float32, count=4 * len(labels)).reshape(-1, 4),
        labels,
        _load_polygons(root, bounds) if polygons else None,
        _load_runs(root, bounds) if runs else None,
    )


def _load_polygons(root: Path, boxes: Int64s) -> SamplePolygons:
    """Return the polygons of samples whose boxes have the bounds `boxes`."""
    count = len(boxes) - 1
    polygons = _read(root, "polygon_data", np.int32, width=3)
    vertices = _read(root, "vertices", np.float32, width=2)
    bounds = _read_bounds(root, "polygon_offset", "polygons_count", count, len(polygons))
    vertex_bounds = _read_bounds(root, "vertices_offset", "vertices_count", count, len(vertices))
    box, first, end = polygons.T.astype(np.int64)
    ends = bounds_of(end - first)
    follow = (first <= end) & (ends[:-1] - first == np.repeat(vertex_bounds[:-1], np.diff(bounds)))
    fit = follow.all() and (ends[bounds] == vertex_bounds).all()
    if not fit or np.isnan(vertices).any():
        raise DecodeError(f"{root / 'polygon_data.dat'} does not fit the vertices beside it")
    _check_boxes(root / "polygon_data.dat", box, bounds, boxes)
    return SamplePolygons(polygons, bounds, vertices, vertex_bounds)


def _load_runs(root: Path, boxes: Int64s) -> SampleRuns:
    """Return the run lengths of samples whose boxes have the bounds `boxes`."""
    count = len(boxes) - 1
    of_box = _read(root, "masks_rles_idx", np.int32)
    heights = _read(root, "heights", np.int32, count=count)
    widths = _read(root, "widths", np.int32, count=count)
    runs, run_bounds = _load_masks(root / "masks_rles.dat", len(of_box))
    bounds = _read_bounds(root, "masks_offset", "mask_count", count, len(of_box))
    _check_boxes(root / "masks_rles_idx.dat", of_box, bounds, boxes)
    check_sizes(heights.astype(np.int64), widths.astype(np.int64), str(root / "heights.dat"))
    pixels = np.repeat(heights.astype(np.int64) * widths, np.diff(bounds))
    ends = np.concatenate([[0], np.cumsum(runs, dtype=np.int64)])[run_bounds]
    if (np.diff(ends) != pixels).any():
        raise DecodeError(f"{root / 'masks_rles.dat'}: a mask has not the size of its image")
    return SampleRuns(of_box, bounds, runs, run_bounds, heights, widths)


def _check_boxes(path: Path, numbers: Array, bounds: Int64s, boxes: Int64s) -> None:
    """Raise unless `numbers` are numbers of boxes in their samples."""
    if ((numbers < 0) | (numbers >= np.repeat(np.diff(boxes), np.diff(bounds)))).any():
        raise DecodeError(f"{path}: there is no box of this number")


def _load_masks(path: Path, count: int) -> tuple[NDArray[np.uint32], Int64s]:
    content = _content(path)
    starts, counts = [], []
    at = _COUNT
    for _ in range(count):
        runs = int.from_bytes(content[at + 16 : at + _MASK], "little")
        if runs > len(content):
            break
        starts.append(at + _MASK)
        counts.append(runs)
        at += _MASK + 4 * runs
    if at != len(content) or int.from_bytes(content[:_COUNT], "little") != count:
        raise DecodeError(f"{path}: the file is cut off, or belongs to other files")
    words = np.frombuffer(content, "<u4")
    elements = range_indices(np.array(starts, np.int64) // 4, np.array(counts, np.int64))
    return words[elements], bounds_of(np.array(counts, np.int64))


def _content(path: Path) -> bytes:
    """Return the bytes of a file; of a file that does not exist, those of no elements."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return bytes(_COUNT)


def _read(root: Path, name: str, dtype: Any, *, width: int = 1, count: int | None = None) -> Array:
    path = root / f"{name}.dat"
    content = _content(path)
    stored = int.from_bytes(content[:_COUNT], "little")
    size = np.dtype(dtype).itemsize * width
    if len(content) != _COUNT + stored * size or (count is not None and stored != count):
        raise DecodeError(
            f"{path}: {len(content)} bytes with {stored} elements of {size} bytes"
            + ("" if count is None else f", where {count} elements are needed")
        )
    values = np.frombuffer(content, dtype, offset=_COUNT)
    return values if width == 1 else values.reshape(-1, width)


def _read_bounds(
    root: Path, offsets: str, counts: str, count: int, total: int, dtype: object = np.int64
) -> Int64s:
    """Return the bounds of each sample; raise unless they divide `total` elements."""
    sizes = _read(root, counts, dtype, count=count)
    starts = _read(root, offsets, dtype, count=count)
    bounds = bounds_of(sizes)
    if (sizes < 0).any() or bounds[-1] != total or (starts != bounds[:-1]).any():
        raise DecodeError(f"{root / f'{counts}.dat'} does not fit the files beside it")
    return bounds
