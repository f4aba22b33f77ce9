"""Copies of dimensions in another order, on the GPU, through tiles in shared memory."""

from __future__ import annotations

import math

import numpy as np

from ...engine.graph.context import BatchContext
from ...engine.graph.operator import Array
from ...engine.tensors import TensorListGPU
from ..kernels import THREADS, kernel, struct_table
from .gather_plan import PIECE, GatherPlan

_CHANNELS_RUN = 4096  # bytes of each channel that a block of `move_channels` reads at a time
_MOST_CHANNELS = 4
_TILE_BYTES = 30720  # bytes of shared memory of a block
_MOST_BYTES = 49152  # bytes of shared memory of a block with short rows
_WORD = 4  # bytes that a thread of `move_tiles` writes at a time, if elements are not larger
_SECTOR = 32  # bytes of a memory transaction, to which tiles are aligned if possible
# Extent of a tile along the dimension that is read. It grows if the other dimension is short.
_LINE = 128  # minimum in bytes
_LINE_PIXELS = 64  # minimum in pixels
_LONGEST_LINE = 256  # maximum in bytes
_MOST_BLOCKS = 65536


def images_of(gather: GatherPlan, size: int) -> tuple[Array, int] | None:
    """Return the frames and pixels of each sample, (batch, 2), and the number of channels.

    None unless the samples are whole images whose channels come last in memory.
    """
    if gather.ndim not in (2, 3):
        return None
    extents, strides = gather.extents, gather.strides[:, 0]
    channels, pixels = extents[:, -2], extents[:, -1]
    if (
        not 2 <= channels[0] <= _MOST_CHANNELS
        or (channels != channels[0]).any()
        or (strides[:, -2] != size).any()
        or (strides[:, -1] != channels * size).any()
        or (gather.ndim == 3 and (strides[:, 0] != channels * pixels * size).any())
    ):
        return None
    frames = extents[:, 0] if gather.ndim == 3 else np.ones_like(pixels)
    return np.stack((frames, pixels), 1), int(channels[0])


def copy_channels(
    batch: BatchContext, out: TensorListGPU, first: Array, size: int, images: Array, channels: int
) -> None:
    """Copy images at these addresses, which `images_of` describes; elements have `size` bytes."""
    frames, pixels = images.T
    table = struct_table(
        "Images",
        len(out),
        source=first.astype(np.uint64),
        out=out.pointers().astype(np.uint64),
        frames=frames,
        pixels=pixels,
    )
    tile = _CHANNELS_RUN // size
    blocks = int((images[:, 0] * -(-images[:, 1] // tile)).max())
    function = kernel(
        "indexing/move_channels",
        "move_channels",
        CHANNELS=channels,
        SIZE=size,
        RUN_BYTES=_CHANNELS_RUN,
        THREADS=THREADS,
    )
    grid = min(blocks, _MOST_BLOCKS), len(out)
    shared = channels * _CHANNELS_RUN + PIECE
    batch.device.launch(function, grid, (THREADS,), table, shared_bytes=shared)


def tiles_of(gather: GatherPlan, size: int) -> tuple[list[int], int] | None:
    """Return the order of axes, the axes of tiles last, and the number of channels.

    None where tiles do not help.
    """
    extents, strides, channels = gather.extents, gather.strides[:, 0], 1
    order = list(range(gather.ndim))
    if (strides[:, -1] == size).all() and (extents[:, -1] == extents[0, -1]).all():
        channels = int(extents[0, order.pop()])
    near = (strides[:, order] == size * channels).all(0)
    if len(order) < 2 or near[-1] or not near.any() or not 0 < channels <= _MOST_CHANNELS:
        return None
    x = order.pop(int(near.argmax()))
    return [*order[:-1], x, order[-1]], channels


def copy_tiles(
    batch: BatchContext,
    out: TensorListGPU,
    gather: GatherPlan,
    size: int,
    order: list[int],
    channels: int,
) -> None:
    """Copy elements of `size` bytes in tiles, as `tiles_of` describes them."""
    extents = gather.extents[:, order]
    table = struct_table(
        "Turned",
        len(out),
        out=out.pointers().astype(np.uint64),
        source=gather.first[:, 0].astype(np.uint64),
        extent=extents,
        stride=gather.strides[:, 0, order],
        out_stride=gather.steps[:, order] * size,
    )

    x, y, pitch = _tile_size(extents, size * channels, max(size, _WORD))
    tiles = -(-extents // np.array([*[1] * (len(order) - 2), x, y]))
    macros = {"DIMS": len(order), "SIZE": size, "CHANNELS": channels}
    grid = min(int(tiles.prod(1).max()), _MOST_BLOCKS), len(out)
    arguments = table, *map(np.int32, (x, y, pitch))
    function = kernel("indexing/move_tiles", "move_tiles", **macros)
    batch.device.launch(function, grid, (THREADS,), *arguments, shared_bytes=x * pitch)


def _tile_size(extents: Array, pixel: int, word: int) -> tuple[int, int, int]:
    """Return the pixels of a tile along x and y, and the bytes from line to line in shared memory.

    Args:
        extents: extents of the samples, x and y last: (batch, ndim).
        pixel: bytes of a pixel.
        word: bytes of a word.
    """
    side, sector = word // math.gcd(pixel, word), _SECTOR // math.gcd(pixel, _SECTOR)

    def cut(extent: int, most: int) -> int:
        step = sector if sector <= most < extent else side
        count = max(-(-extent // (most // step * step)), 1)
        return max(-(-extent // (count * step)), 1) * step

    most_x, most_y = map(int, extents[:, -2:].max(0))
    x = cut(most_x, min(max(_LINE // pixel, _LINE_PIXELS), _LONGEST_LINE // pixel))
    y = cut(most_y, min(_TILE_BYTES // x - 3 * PIECE, THREADS * PIECE) // pixel)
    pitch = ((y * pixel + 7) // PIECE + 2 | 1) * PIECE  # odd: neighbors along x in other banks;
    # 24 bytes more than a row has, which begins up to 16 later and is read up to 8 further
    together = THREADS * side  # pixels along x that threads read at once, or a half, or a quarter
    while together > _MOST_BYTES // pitch:
        together //= 2
    return cut(most_x, together), y, pitch
