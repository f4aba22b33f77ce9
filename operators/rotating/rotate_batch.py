"""`fn.rotate` for a whole batch on the GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.kernels import c_type
from ...engine.tensors import TensorList, TensorListGPU
from ...engine.types import to_numpy_type
from ..kernels import THREADS, descriptors, kernel

if TYPE_CHECKING:
    from ...engine.batch import Batch

_STEPWISE = ("int16", "float64")
"""Types for which OpenCV computes positions in steps, not in float32."""

_MOST = 2.0**62

_TOGETHER = (1, 3, 4)  # channels that OpenCV takes at a time in one way, and so do kernels
_TILE = (128, 32)  # rows and columns that a block makes, as in rotate.cu
_MOST_BLOCKS = 4096  # a sample; more tiles are covered by loops

_BYTES_TILE, _BYTES_THREADS = 64, 128  # as in rotated_part.cuh
_SHARED_BYTES = {  # rows of the part and what is known of them; what lies around; the tile
    channels: 95 * (step + 2 * 16) + 2 * 16 + 128 + 8
    for channels, step in ((1, 144), (3, 320), (4, 416))
}
_ONE = 2.0**40  # what stands for 1 in its matrices
_MOST_FRAMES = 65535  # of a grid; more are covered by loops

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Rotation(NamedTuple):
    """What the rotation of pixels depends on, beside places.

    Attributes:
        work: type of the pixels that OpenCV is given.
        direct: whether these are its results, too.
        nearest: whether pixels are copied, not weighed.
        fill: what lies around the image; None repeats its border.
    """

    work: np.dtype[Any]
    direct: bool
    nearest: bool
    fill: float | None


def per_frame(angle: Any, frames: Ints) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the angle of every frame of all samples, and which samples have as many as needed.

    Args:
        angle: the argument, a `TensorList` or the value of all samples.
        frames: how many each sample has; 1 where it is no video.
    """
    if isinstance(angle, TensorList) and not angle.is_dense_tensor():
        rows = angle.rows()
        known = np.array([row.size in (1, n) for row, n in zip(rows, frames.tolist(), strict=True)])
        angles = [
            np.broadcast_to(row.reshape(-1) if ok else 0.0, n)
            for row, ok, n in zip(rows, known, frames.tolist(), strict=True)
        ]
        return np.concatenate(angles).astype(np.float64), known
    values = angle.dense() if isinstance(angle, TensorList) else np.array([angle])
    table = np.broadcast_to(values.reshape(len(values), -1), (len(frames), values[0].size))
    if table.shape[1] == 1:
        return np.repeat(table[:, 0].astype(np.float64), frames), np.ones(len(frames), bool)
    known = frames == table.shape[1]
    degrees = np.zeros(int(frames.sum()))
    degrees[np.repeat(known, frames)] = table[known].reshape(-1)
    return degrees, known


def given_sizes(size: Any, count: int) -> Ints:
    """Return the argument `size`, rounded: (count, 2); 0 where none is given, -1 for bad ones."""
    if not isinstance(size, TensorList):
        table = np.array([size], np.float64)
    elif size.is_dense_tensor():
        table = size.dense().reshape(count, -1).astype(np.float64)
    else:
        rows = [row.reshape(-1) for row in size.rows()]
        return np.concatenate([given_sizes(tuple(row), 1) for row in rows])
    if table.shape[1] != 2:
        return np.full((count, 2), -1 if table.size else 0)
    known = np.abs(table) <= _MOST  # neither infinite nor NaN
    rounded = np.copysign(np.floor(np.abs(np.where(known, table, -1)) + 0.5), table)
    rounded[rounded == 0] = -1
    return np.broadcast_to(rounded.astype(np.int64), (count, 2))


def largest_canvas(extents: Ints, frames: Ints, degrees: Floats) -> Ints:
    """Return the canvas that holds every frame of each sample: (batch, 2); 0 without frames."""
    each = np.repeat(np.arange(len(frames)), frames)
    largest = np.zeros_like(extents)
    np.maximum.at(largest, each, canvas_sizes(extents[each], degrees))
    return largest


def canvases_fit(extents: Ints, canvas: Ints, most: int) -> NDArray[np.bool_]:
    """Return for which samples all extents lie in [1, most]."""
    every = np.concatenate([extents, canvas], axis=1)
    return np.asarray((every.min(axis=1) > 0) & (every.max(axis=1) <= most))


def can_turn(frames: Ints, degrees: Floats) -> NDArray[np.bool_]:
    """Return for which samples all angles are finite."""
    each = np.repeat(np.arange(len(frames)), frames)
    wrong = ~np.isfinite(cosines_and_sines(degrees)[0])
    return np.asarray(np.bincount(each, wrong, len(frames)) == 0)


def cosines_and_sines(degrees: Floats) -> tuple[Floats, Floats]:
    """Return cosine and sine of each angle, computed as on the CPU."""
    with np.errstate(all="ignore"):  # angles that are not finite
        radians = (degrees.astype(np.float32) * np.float32(np.pi / 180)).astype(np.float64)
        return np.cos(radians), np.sin(radians)


def canvas_sizes(extents: Ints, degrees: Floats) -> Ints:
    """Return `rotate.canvas_size` for each row of `extents`: (count, 2)."""
    height, width = extents.T
    cosine, sine = np.nan_to_num(np.abs(cosines_and_sines(degrees)))
    slack = 0.01
    sizes = np.ceil(
        [sine * width + cosine * height - slack, cosine * width + sine * height - slack]
    ).astype(np.int64)
    parity = np.where(sine > cosine, (width, height), (height, width))
    grown: Ints = sizes + (sizes - parity) % 2
    return grown.T


def sources_of_pixels(extents: Ints, canvas: Ints, degrees: Floats) -> Floats:
    """Return `rotate.source_of_pixel` for each row: (count, 6)."""
    cosine, sine = cosines_and_sines(degrees)
    middle_y, middle_x = (canvas.T - 1) / 2
    centre_y, centre_x = (extents.T - 1) / 2
    x = centre_x - (cosine * middle_x - sine * middle_y)
    y = centre_y - (sine * middle_x + cosine * middle_y)
    return np.stack([cosine, -sine, x, sine, cosine, y], axis=1)


def rotate_batch(
    batch: Batch,
    data: TensorListGPU,
    out: TensorListGPU,
    frames: Ints,
    possible: NDArray[np.bool_],
    extents: Ints,
    canvas: Ints,
    degrees: Floats,
    rotation: Rotation,
) -> None:
    """Rotate the frames of a batch.

    Args:
        batch: whose device to use.
        data, out: images, or videos.
        frames: of each sample: (batch,).
        possible: which samples can be rotated; of the others nothing is written.
        extents, canvas: height and width before and after: (batch, 2).
        degrees: of each frame of all samples: (frames.sum(),).
        rotation: see there.
    """
    source, target = to_numpy_type(data.dtype), to_numpy_type(out.dtype)
    leading = 2 + (data.ndim == 4)
    channels = data.extents()[:, leading:].prod(1)
    alike = bool((channels == channels[:1]).all()) and channels[:1].sum() in _TOGETHER
    together = int(channels[0]) if alike else 0
    each, first = np.repeat(np.arange(len(frames)), frames), np.cumsum(frames) - frames
    matrices = sources_of_pixels(extents[each], canvas[each], degrees)
    fill = np.float64(rotation.fill or 0.0)
    if rotation.direct and target.kind != "f":
        limits = np.iinfo(target)
        fill = np.rint(fill).clip(limits.min, limits.max)
    filled = str(int(rotation.fill is not None))
    if source == target == np.uint8 and together > 0 and not rotation.nearest:
        canvas = np.where(possible[:, None], canvas, 0)
        function = kernel("rotate_bytes", "rotate_bytes", FILLED=filled, CHANNELS=str(together))
        table, grid = _frames(data, out, each, first, extents, canvas, matrices, together)
        arguments = batch.device.upload(table), np.int32(len(table)), np.uint32(int(fill))
        shared = _SHARED_BYTES[together]
        batch.device.launch(function, grid, (_BYTES_THREADS,), *arguments, shared_bytes=shared)
        return
    tiles = np.where(possible, frames * (-(-canvas // _TILE)).prod(1), 0)
    table = descriptors(
        len(frames),
        source=data.pointers(),
        out=out.pointers(),
        first_matrix=first,
        tiles=tiles,
        extents=extents.astype(np.int32),
        canvas=canvas.astype(np.int32),
        channels=channels.astype(np.int32),
    )
    function = kernel(
        "rotate",
        "rotate",
        In=c_type(source),
        Out=c_type(target),
        Work="double" if rotation.work == np.float64 else "float",
        NEAREST=str(int(rotation.nearest)),
        FILLED=filled,
        STEPWISE=str(int(rotation.work.name in _STEPWISE)),
        CHANNELS=str(together),
        WORDS=str(int(source == np.uint8 and together > 0 and not rotation.nearest)),
        HALVES_TO_EVEN=str(int(rotation.direct and target.kind != "f")),
    )
    uploaded = batch.device.upload(table), batch.device.upload(matrices)
    blocks = min(int(tiles.max(initial=0)), _MOST_BLOCKS), len(table)
    batch.device.launch(function, blocks, (THREADS,), *uploaded, fill)


def _frames(
    data: TensorListGPU,
    out: TensorListGPU,
    each: Ints,
    first: Ints,
    extents: Ints,
    canvas: Ints,
    matrices: Floats,
    channels: int,
) -> tuple[NDArray[np.void], tuple[int, int, int]]:
    """Return the descriptors of all frames, as rotated_part.cuh has them, and the grid.

    `each` is the sample of each frame, and `first` the first frame of each sample.
    """
    place = np.arange(len(each)) - first[each]
    sources, targets = (
        pointers.astype(np.int64)[each] + place * sizes.prod(1)[each] * channels
        for pointers, sizes in ((data.pointers(), extents), (out.pointers(), canvas))
    )
    extents, canvas = extents[each], canvas[each]
    # With three channels, rows are written in groups of four pixels that begin where words do.
    early = (channels == 3) & ((targets | canvas[:, 1]) % 4 > 0)
    lead = np.where(early, 3, 0)
    table = descriptors(
        len(each),
        source=sources,
        out=targets,
        matrix=np.rint(np.nan_to_num(matrices) * _ONE).astype(np.int64),
        extents=extents.astype(np.int32),
        canvas=canvas.astype(np.int32),
        lead=lead,
    )
    across = -(-(canvas[:, 1] + lead) // _BYTES_TILE)
    down = -(-canvas[:, 0] // _BYTES_TILE)
    grid = int(across.max(initial=0)), int(down.max(initial=0)), min(len(each), _MOST_FRAMES)
    return table, grid
