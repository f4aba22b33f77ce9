"""Images of a whole batch under affine maps, on the GPU."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import DType, Int64s
from ...engine.gpu.kernels import c_type
from ...engine.graph.context import BatchContext
from ...engine.tensors import TensorListGPU
from ...engine.tensors.dtypes import to_numpy_type
from ..kernels import CHUNK, THREADS, Pointers, StructTable, kernel, struct_table
from .cpu_warp import PixelArithmetic, Sampling, go_far, pixel_arithmetic
from .frame_maps import FrameMaps

_TOGETHER = (1, 3, 4)
"""Numbers of channels for which kernels are compiled; with others a thread makes one pixel."""
_TILE = (128, 32)  # rows and columns that a block of warp_images.cu makes

# Sizes in rotate_bytes.cu, which copies a part of the input to shared memory for each tile:
_BYTES_TILE = 64  # rows and columns of a tile
_BYTES_THREADS = 128  # threads of a block
_PART = 95  # rows and columns of the input that hold a tile at any angle
_PART_STEPS = {1: 144, 3: 320, 4: 416}
"""Bytes between lines of the part, by channels. Lines are whole chunks that do not overlap, and
their distance spreads them over the banks of shared memory."""
_PLACE_BYTES, _ARRIVAL_BYTES = 128, 8  # sizes of the structs `Place` and `Arrival`
_BITS_OF_MATRIX = 40  # fractional bits of a matrix's fixed-point numbers

MAX_BLOCKS = 4096
"""Blocks of a sample; they loop over further tiles."""

MAX_FRAMES = 65535
"""Frames of a grid of rotate_bytes.cu; blocks loop over further frames. CUDA allows no more."""


def warp_images(
    batch: BatchContext,
    data: TensorListGPU,
    out: TensorListGPU,
    maps: FrameMaps,
    sampling: Sampling,
    *,
    turned: bool,
    leading: int,
) -> None:
    """Map the images, or the frames of the videos, of a batch.

    Args:
        data, out: the samples and their results.
        maps, sampling: see there.
        turned: whether all maps are rotations.
        leading: number of axes in front of the channels.
    """
    source, target = to_numpy_type(data.dtype), to_numpy_type(out.dtype)
    arithmetic = pixel_arithmetic(source, target)
    channels = data.extents()[:, leading:].prod(1)
    alike = bool((channels == channels[:1]).all()) and channels[:1].sum() in _TOGETHER
    together = int(channels[0]) if alike else 0
    if turned and source == target == np.uint8 and together > 0 and not sampling.nearest:
        _rotate_bytes(batch, data, out, maps, sampling, together)
        return
    _warp_pixels(batch, data, out, maps, sampling, arithmetic, channels, together)


def _warp_pixels(
    batch: BatchContext,
    data: TensorListGPU,
    out: TensorListGPU,
    maps: FrameMaps,
    sampling: Sampling,
    arithmetic: PixelArithmetic,
    channels: Int64s,
    together: int,
) -> None:
    """Launch warp_images.cu, of whose pixels threads make `together` channels, or 0 for any."""
    source, target = to_numpy_type(data.dtype), to_numpy_type(out.dtype)
    tiles_of_frames = (-(-maps.canvas // _TILE)).prod(1)
    tiles = np.where(maps.possible, maps.frames * tiles_of_frames, 0)
    table = struct_table(
        "Sample",
        len(tiles),
        source=Pointers(data.pointers(), "const In*"),
        out=Pointers(out.pointers(), "Out*"),
        first_matrix=maps.first,
        tiles=tiles,
        **_sizes(maps.extents, maps.canvas),
        channels=channels.astype(np.int32),
    )
    known = maps.on_device is None
    far = not known or bool(go_far(maps.matrices, maps.canvas[maps.samples]).any())
    function = kernel(
        "warp/warp_images",
        "warp_images",
        In=c_type(source),
        Out=c_type(target),
        Work=c_type(arithmetic.work if arithmetic.work.kind == "f" else np.float32),
        Position="double" if arithmetic.exact or far else "float",
        NEAREST=sampling.nearest,
        FILLED=sampling.fill is not None,
        CHANNELS=together,
        WORDS=source == np.uint8 and together > 0 and not sampling.nearest,
        HALVES_TO_EVEN=arithmetic.direct and target.kind != "f",
        TILE_HEIGHT=_TILE[0],
        TILE_WIDTH=_TILE[1],
        FAR=far,
    )
    matrices = batch.device.upload(maps.matrices) if known else maps.on_device
    fill = converted_fill(sampling, target if arithmetic.direct else arithmetic.work)
    grid = min(int(tiles.max(initial=0)), MAX_BLOCKS), len(table)
    batch.device.launch(function, grid, (THREADS,), table, matrices, fill)


def _rotate_bytes(
    batch: BatchContext,
    data: TensorListGPU,
    out: TensorListGPU,
    maps: FrameMaps,
    sampling: Sampling,
    channels: int,
) -> None:
    """Launch rotate_bytes.cu."""
    step = _PART_STEPS[channels]
    function = kernel(
        "warp/rotate_bytes",
        "rotate_bytes",
        FILLED=sampling.fill is not None,
        CHANNELS=channels,
        TILE=_BYTES_TILE,
        THREADS=_BYTES_THREADS,
        PART=_PART,
        STEP=step,
        CHUNK=CHUNK,
        PLACE_BYTES=_PLACE_BYTES,
        BITS_OF_MATRIX=_BITS_OF_MATRIX,
    )
    table, grid = _frames(data, out, maps, channels)
    fill = np.uint32(int(converted_fill(sampling, np.dtype(np.uint8))))
    shared = _PART * (step + 2 * CHUNK) + 2 * CHUNK + _PLACE_BYTES + _ARRIVAL_BYTES
    arguments = table, np.int32(len(table)), fill
    batch.device.launch(function, grid, (_BYTES_THREADS,), *arguments, shared_bytes=shared)


@cache
def converted_fill(sampling: Sampling, dtype: DType) -> np.float64:
    """Return the fill value, as OpenCV converts it for images of a dtype."""
    fill = np.float64(sampling.fill or 0.0)
    if dtype.kind == "f":
        return fill
    limits = np.iinfo(dtype)
    return np.float64(np.rint(fill).clip(limits.min, limits.max))


def _sizes(extents: Int64s, canvas: Int64s) -> dict[str, NDArray[np.int32]]:
    """Return the fields for heights and widths of images and results, each (count,)."""
    columns = np.concatenate([extents, canvas], axis=1).astype(np.int32).T
    return dict(zip(("in_height", "in_width", "height", "width"), columns, strict=True))


def _frames(
    data: TensorListGPU, out: TensorListGPU, maps: FrameMaps, channels: int
) -> tuple[StructTable, tuple[int, int, int]]:
    """Return the table of all frames for rotate_bytes.cu, and the grid."""
    samples = maps.samples
    number = np.arange(len(samples)) - maps.first[samples]  # of a frame in its sample
    shown = np.where(maps.possible[:, None], maps.canvas, 0)
    sources, targets = (
        pointers.astype(np.int64)[samples] + number * sizes.prod(1)[samples] * channels
        for pointers, sizes in ((data.pointers(), maps.extents), (out.pointers(), shown))
    )
    extents, canvas = maps.extents[samples], shown[samples]
    # With three channels, lines are written in groups of four pixels that begin where words do.
    early = (channels == 3) & ((targets | canvas[:, 1]) % 4 > 0)
    lead = np.where(early, 3, 0)
    table = struct_table(
        "Frame",
        len(samples),
        source=sources.astype(np.uint64),
        out=targets.astype(np.uint64),
        matrix=np.rint(np.nan_to_num(maps.matrices) * 2.0**_BITS_OF_MATRIX).astype(np.int64),
        **_sizes(extents, canvas),
        lead=lead,
    )
    across = -(-(canvas[:, 1] + lead) // _BYTES_TILE)
    down = -(-canvas[:, 0] // _BYTES_TILE)
    frames = min(len(samples), MAX_FRAMES)
    return table, (int(across.max(initial=0)), int(down.max(initial=0)), frames)
