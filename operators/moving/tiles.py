"""Copies of dimensions in another order, on the GPU, through tiles in shared memory."""

from __future__ import annotations

import math

import numpy as np

from ...engine.batch import Batch
from ...engine.operator import Array
from ...engine.tensors import TensorListGPU
from ..kernels import THREADS, descriptors, kernel
from .boxes import PIECE, Boxes

_CHANNELS_RUN = 4096  # bytes of each channel: what a block of `move_channels` reads at a time
_MOST_CHANNELS = 4
_TILE_BYTES, _MOST_BYTES = 30720, 49152  # of shared memory: usual, and where rows are short
_WORD = 4  # bytes: of what threads of `move_tiles` make, if elements are not larger
_SECTOR = 32  # bytes: tiles begin at multiples of it where they can
_LINE = 128  # bytes of a tile along the dimension that is read,
_LINE_PIXELS = 64  # or as many pixels if they are more,
_LONGEST_LINE = 256  # but not more bytes; more of both if the other dimension is short
_MOST_BLOCKS = 65536


def images_of(boxes: Boxes, size: int) -> tuple[Array, int] | None:
    """Return how many frames and pixels samples have, and their channels, which come first.

    None unless the samples are whole images whose channels come last in memory.
    """
    if boxes.ndim not in (2, 3):
        return None
    extents, strides = boxes.extents, boxes.strides[:, 0]
    channels, pixels = extents[:, -2], extents[:, -1]
    if (
        not 2 <= channels[0] <= _MOST_CHANNELS
        or (channels != channels[0]).any()
        or (strides[:, -2] != size).any()
        or (strides[:, -1] != channels * size).any()
        or (boxes.ndim == 3 and (strides[:, 0] != channels * pixels * size).any())
    ):
        return None
    frames = extents[:, 0] if boxes.ndim == 3 else np.ones_like(pixels)
    return np.stack((frames, pixels), 1), int(channels[0])


def copy_channels(
    batch: Batch, out: TensorListGPU, first: Array, size: int, images: Array, channels: int
) -> None:
    """Copy images at these addresses, with elements of `size` bytes, as `images_of` found them."""
    table = descriptors(len(out), first=first, out=out.pointers(), images=images)
    tile = _CHANNELS_RUN // size
    blocks = int((images[:, 0] * -(-images[:, 1] // tile)).max())
    function = kernel("move_channels", "move_channels", CHANNELS=str(channels), SIZE=str(size))
    grid = min(blocks, _MOST_BLOCKS), len(out)
    shared = channels * _CHANNELS_RUN + PIECE
    batch.device.launch(function, grid, (THREADS,), batch.device.upload(table), shared_bytes=shared)


def tiles_of(boxes: Boxes, size: int) -> tuple[list[int], int] | None:
    """Return the axes, the two last that tiles have, and the channels of pixels.

    None where tiles do not help.
    """
    extents, strides, channels = boxes.extents, boxes.strides[:, 0], 1
    order = list(range(boxes.ndim))
    if (strides[:, -1] == size).all() and (extents[:, -1] == extents[0, -1]).all():
        channels = int(extents[0, order.pop()])
    near = (strides[:, order] == size * channels).all(0)
    if len(order) < 2 or near[-1] or not near.any() or not 0 < channels <= _MOST_CHANNELS:
        return None
    x = order.pop(int(near.argmax()))
    return [*order[:-1], x, order[-1]], channels


def copy_tiles(
    batch: Batch, out: TensorListGPU, boxes: Boxes, size: int, order: list[int], channels: int
) -> None:
    """Copy boxes of elements of `size` bytes in tiles, as `tiles_of` found them."""
    extents, pixel, word = boxes.extents[:, order], size * channels, max(size, _WORD)
    table = descriptors(
        len(out),
        out=out.pointers(),
        first=boxes.first[:, 0],
        extent=extents,
        stride=boxes.strides[:, 0, order],
        out_stride=boxes.steps[:, order] * size,
    )

    side, sector = word // math.gcd(pixel, word), _SECTOR // math.gcd(pixel, _SECTOR)

    def cut(extent: int, most: int) -> int:
        step = sector if sector <= most < extent else side
        parts = max(-(-extent // (most // step * step)), 1)
        return max(-(-extent // (parts * step)), 1) * step

    most_x, most_y = map(int, extents[:, -2:].max(0))
    x = cut(most_x, min(max(_LINE // pixel, _LINE_PIXELS), _LONGEST_LINE // pixel))
    y = cut(most_y, min(_TILE_BYTES // x - 3 * PIECE, THREADS * PIECE) // pixel)
    pitch = ((y * pixel + 7) // PIECE + 2 | 1) * PIECE  # odd: neighbours along x in other banks;
    # 24 bytes more than a row has, which begins up to 16 later and is read up to 8 further
    together = THREADS * side  # pixels along x that threads read at once, or a half, or a quarter
    while together > _MOST_BYTES // pitch:
        together //= 2
    x = cut(most_x, together)
    tiles = -(-extents // np.array([*[1] * (len(order) - 2), x, y]))
    macros = {"DIMS": str(len(order)), "SIZE": str(size), "CHANNELS": str(channels)}
    grid = min(int(tiles.prod(1).max()), _MOST_BLOCKS), len(out)
    arguments = batch.device.upload(table), *map(np.int32, (x, y, pitch))
    function = kernel("move_tiles", "move_tiles", **macros)
    batch.device.launch(function, grid, (THREADS,), *arguments, shared_bytes=x * pitch)
