"""The flow of a batch of videos: which frames go to which session of the engine, and when.

The frames of all videos of one size go to the engine in groups. For a group, one launch of a kernel
fills the engine's buffers with frames, and one reads the vectors out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Addresses
from ...engine.gpu.device import Device
from ...engine.graph.context import BatchContext
from ...engine.tensors import TensorListGPU
from ...engine.tensors.dtypes import to_numpy_type
from ..kernels import Pointers, kernel, launch_elements, struct_table
from .flow_session import FlowBuffer, FlowKind, FlowSession, cells_of, session_of

_VECTOR = 2  # numbers


@dataclass(frozen=True)
class FlowOptions:
    """How flow is computed.

    Attributes:
        kind: of the sessions, but for the extents of the frames.
        red: number of the red channel; -1 for frames of one channel.
        temporal: whether the vectors of a pair are hints for the next pair of its video.
    """

    kind: FlowKind
    red: int
    temporal: bool


class VideoFrames(NamedTuple):
    """The frames of videos of one size, one video after the other.

    Attributes:
        pixels: addresses of the frames.
        starts: whether each frame is the first of its video.
        vectors: addresses of the vectors from each frame to the one before; those of first frames
            are not used.
        hints: the same of the hints.
    """

    pixels: Addresses
    starts: NDArray[np.bool_]
    vectors: Addresses
    hints: Addresses


def flow_of(
    batch: BatchContext,
    videos: TensorListGPU,
    hints: TensorListGPU | None,
    possible: NDArray[np.bool_],
    options: FlowOptions,
) -> TensorListGPU:
    """Return the vectors from each frame to the one before.

    Args:
        videos: uint8 FHWC.
        hints: float32, of the vectors' layout, if there are any.
        possible: which videos to compute: (batch,).
        options: how to compute.
    """
    shapes = videos.extents()
    made = np.full_like(shapes, _VECTOR)
    made[:, 0] = shapes[:, 0] - 1
    made[:, 1:3] = -(-shapes[:, 1:3] // options.kind.grid)
    out = batch.device.empty(np.where(possible[:, np.newaxis], made, 0), np.float32, "FHWC")
    for height, width in np.unique(shapes[possible, 1:3], axis=0).tolist():
        rows = np.flatnonzero(possible & (shapes[:, 1:3] == (height, width)).all(axis=1))
        sized = replace(options, kind=replace(options.kind, height=height, width=width))
        session = session_of(batch.device, sized.kind)
        _compute(batch.device, session, sized, _frames_of(videos, out, hints, rows))
    return out


def _frames_of(
    videos: TensorListGPU, out: TensorListGPU, hints: TensorListGPU | None, rows: NDArray[np.intp]
) -> VideoFrames:
    counts = videos.extents()[rows, 0]
    numbers = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)

    def parts(data: TensorListGPU, places: NDArray[np.int64]) -> Addresses:
        sizes = data.extents()[rows, 1:].prod(axis=1) * to_numpy_type(data.dtype).itemsize
        offsets = np.repeat(sizes, counts) * places
        return np.repeat(data.pointers()[rows], counts) + offsets.astype(np.uint64)

    fields = (numbers - 1).clip(0)
    vectors = parts(out, fields)
    return VideoFrames(
        parts(videos, numbers), numbers == 0, vectors, parts(hints, fields) if hints else vectors
    )


def _compute(
    device: Device, session: FlowSession, options: FlowOptions, frames: VideoFrames
) -> None:
    kind = options.kind
    extents = kind.height, kind.width
    for first, end in groups(frames.starts, len(session.frames)):
        _launch(device, "flow_frames", frames.pixels[first:end], session.frames, extents, options)
        later = first + 1 + np.flatnonzero(~frames.starts[first + 1 : end])
        numbers = (later - first - 1).tolist()
        if kind.hint_grid:
            hints, lines = [session.hints[i] for i in numbers], _lines(extents, kind.hint_grid)
            _launch(device, "flow_hints", frames.hints[later], hints, lines, options)
        for i in numbers:
            session.execute(i, follows=options.temporal and not frames.starts[first + i])
        fields, lines = [session.fields[i] for i in numbers], _lines(extents, kind.grid)
        _launch(device, "flow_vectors", frames.vectors[later], fields, lines, options)


def groups(starts: NDArray[np.bool_], most: int) -> Iterator[tuple[int, int]]:
    """Yield the first frame and the end of groups, in which all neighbors of a video meet.

    Args:
        starts: whether each frame is the first of its video.
        most: number of frames of a group, 2 or more.

    >>> list(groups(np.array([True, False, False, True, False]), 2))
    [(0, 2), (1, 3), (3, 5)]
    """
    first, count = 0, len(starts)
    while first < count:
        end = min(first + most, count)
        yield first, end
        first = end if end == count or starts[end] else end - 1


def _lines(extents: tuple[int, ...], grid: int) -> tuple[int, int]:
    """Return the number of lines of vectors, and that of the numbers in a line."""
    lines, vectors = cells_of(extents, grid)
    return lines, vectors * _VECTOR


def _launch(
    device: Device,
    function: str,
    data: Addresses,
    buffers: Sequence[FlowBuffer],
    extents: tuple[int, int],
    options: FlowOptions,
) -> None:
    """Move arrays of (height, width) between the batch's memory and the engine's buffers."""
    used = buffers[: len(data)]
    table = struct_table(
        "Lines",
        len(data),
        data=Pointers(data, "unsigned char*"),
        buffer=Pointers(np.array([buffer.address for buffer in used], np.uint64), "unsigned char*"),
        pitch=np.array([buffer.pitch for buffer in used], np.int64),
        height=np.int64(extents[0]),
        width=np.int64(extents[1]),
        red=np.int32(options.red),
    )
    elements = np.full(len(data), extents[0] * extents[1])
    launch_elements(device, kernel("optical_flow/optical_flow", function), table, elements)
