"""Results whose elements lie in memory already: views of a batch on the GPU, and their copies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..engine.batch import Batch
from ..engine.kernels import c_type
from ..engine.operator import Array
from ..engine.tensors import TensorListGPU
from ..engine.types import to_numpy_type
from .kernels import THREADS, blocks_for, descriptors, kernel, launch_lanes

_BYTES = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
_LEAST_RUN = 16  # bytes; shorter ones are copied element by element, or in tiles
_TILE_BYTES = 16384
_NARROW = 64  # elements: dimensions up to this extent lie in one tile as a whole
_WORD = 4  # bytes: what a thread of `move_tiles` writes at a time, if elements are not larger
_PIECE = 16  # bytes: what it reads at a time from runs that lie side by side
_TOGETHER = 4  # how many pieces a thread of the other kernels reads before it writes them
_MOST_SPAN = 64  # bytes: how far apart those of one piece may lie to be read together
_FEW = 1 << 28
_CHANNELS_RUN = 4096  # bytes of each channel: what a block of `move_channels` reads at a time
_MOST_CHANNELS = 4


@dataclass(frozen=True)
class Views:
    """Samples as they lie in memory.

    The element at `index` lies at `first + sum(index * strides)`. Where `index` is not in
    `low <= index < high` on every axis there is none.

    Attributes:
        first: addresses: (batch,) int64.
        strides: in bytes: (batch, ndim) int64.
        shapes: (batch, ndim) int64.
        low, high: (batch, ndim) int64.
        dtype: of the elements.
    """

    first: Array
    strides: Array
    shapes: Array
    low: Array
    high: Array
    dtype: np.dtype[Any]

    @staticmethod
    def of(data: TensorListGPU) -> Views:
        """Return the samples of a batch, which is not empty."""
        dtype, shapes = to_numpy_type(data.dtype), data.extents()
        steps = np.ones_like(shapes)
        if shapes.shape[1] > 1:
            steps[:, :-1] = shapes[:, :0:-1].cumprod(axis=1)[:, ::-1]
        first = data.pointers().astype(np.int64)
        return Views(first, steps * dtype.itemsize, shapes, np.zeros_like(shapes), shapes, dtype)

    def window(self, start: Array, shapes: Array) -> Views:
        """Return what windows show, which may reach beyond the samples.

        Args:
            start: first index of each window: (batch, ndim).
            shapes: of the windows: (batch, ndim).
        """
        first = self.first + (start * self.strides).sum(1)
        return replace(
            self, first=first, shapes=shapes, low=self.low - start, high=self.high - start
        )

    def flipped(self, mirrored: Array) -> Views:
        """Return the samples, which have all their elements, run backwards.

        Args:
            mirrored: on which axes: (batch, ndim) bool.
        """
        turned = np.where(mirrored, self.strides, 0)
        first = self.first + (turned * (self.shapes - 1)).sum(1)
        return replace(self, first=first, strides=self.strides - 2 * turned)

    def axes(self, order: Sequence[int]) -> Views:
        """Return the samples with these of their axes in this order."""
        order = list(order)
        columns = (self.strides, self.shapes, self.low, self.high)
        strides, shapes, low, high = (column[:, order] for column in columns)
        return replace(self, strides=strides, shapes=shapes, low=low, high=high)

    def rows(self, indices: Array) -> Views:
        """Return the samples with these numbers, in this order."""
        return Views(
            self.first[indices],
            self.strides[indices],
            self.shapes[indices],
            self.low[indices],
            self.high[indices],
            self.dtype,
        )


def copied(
    batch: Batch, *parts: Views, shapes: Array | None = None, fills: Array | None = None
) -> TensorListGPU:
    """Return samples made of the elements that views have.

    Args:
        batch: whose device to use.
        parts: views of one type and number of dimensions, which share no index; if one has
            no elements somewhere, their last strides are one element.
        shapes: of the results: (batch, ndim); by default those of the view.
        fills: what stands where no part has an element: one value a sample; 0 by default.
    """
    shapes = parts[0].shapes if shapes is None else shapes
    out = batch.device.empty(shapes, parts[0].dtype)
    size = parts[0].dtype.itemsize
    boxes = _collapsed(shapes, parts)
    runs = (boxes.strides[..., -1] == size).all()
    bounded = len(parts) > 1 or (boxes.low > 0).any() or (boxes.high < boxes.extents[:, None]).any()
    filled = np.zeros(len(shapes), parts[0].dtype) if fills is None else fills
    if runs and (bounded or boxes.extents[:, -1].min() * size >= _LEAST_RUN or boxes.ndim == 1):
        _copy_runs(batch, out, boxes, size, filled)
    elif not bounded and (found := _pixels(boxes, size)) is not None:
        _copy_runs(batch, out, found[0], size, filled, *found[1:])
    elif (images := _images(boxes, size)) is not None:
        _copy_channels(batch, out, boxes.first[:, 0], size, *images)
    elif (order := _tile_order(boxes, size)) is not None:
        _copy_tiles(batch, out, boxes, size, order)
    else:
        kind = np.dtype(_BYTES[size])
        _copy_elements(batch, out, boxes, (kind, kind), np.zeros(1, kind), -1, "PAD")
    return out


def converted(
    batch: Batch, view: Views, dtype: np.dtype[Any], fills: Array, channels: int, policy: str
) -> TensorListGPU:
    """Return the elements of a view in another type; see `operators/kernels/move_elements.cu`.

    Args:
        batch: whose device to use.
        view: the samples.
        dtype: of the result.
        fills: what stands where the view has no element: one value, or one a channel, of `dtype`.
        channels: the axis of the channels, or -1.
        policy: what stands there instead: "PAD" is `fills`.
    """
    out = batch.device.empty(view.shapes, dtype)
    bounds = view.low[:, None], view.high[:, None]
    boxes = _Boxes(view.shapes, view.first[:, None], view.strides[:, None], *bounds)
    _copy_elements(batch, out, boxes, (view.dtype, dtype), fills, channels, policy)
    return out


@dataclass(frozen=True)
class _Boxes:
    """Extents of results: (batch, ndim), and their parts: (batch, parts) and (..., ndim)."""

    extents: Array
    first: Array
    strides: Array
    low: Array
    high: Array

    @property
    def ndim(self) -> int:
        return int(self.extents.shape[1])


def _collapsed(shapes: Array, parts: Sequence[Views]) -> _Boxes:
    """Return the parts with neighbouring axes made one where they are alike in all samples."""
    first = np.stack([part.first for part in parts], 1)
    strides = np.stack([part.strides for part in parts], 1)
    low = np.stack([part.low for part in parts], 1).clip(0, shapes[:, None])
    high = np.stack([part.high for part in parts], 1).clip(0, shapes[:, None])
    full = ((low == 0) & (high == shapes[:, None])).all((0, 1))
    axes: list[list[Array]] = []
    for axis in range(shapes.shape[1]):
        extent, step = shapes[:, axis], strides[..., axis]
        box = [extent, step, low[..., axis], high[..., axis]]
        if full[axis] and (extent == 1).all():
            continue
        if axes and full[axis] and (axes[-1][1] == step * extent[:, None]).all():
            before, _, begin, end = axes.pop()
            box = [before * extent, step, begin * extent[:, None], end * extent[:, None]]
        axes.append(box)
    if not axes:
        one = np.ones_like(first)
        axes = [[one[:, 0], one * parts[0].dtype.itemsize, 0 * one, one]]
    extents, strides, low, high = (np.stack(column, -1) for column in zip(*axes, strict=True))
    return _Boxes(extents, first, strides, low, high)


def _sources(boxes: _Boxes) -> Array:
    rows = boxes.first.size
    tail = rows, boxes.ndim
    return descriptors(
        rows,
        first=boxes.first.reshape(rows),
        stride=boxes.strides.reshape(tail),
        low=boxes.low.reshape(tail),
        high=boxes.high.reshape(tail),
    )


def _results(out: TensorListGPU, extents: Array, fill: Array) -> tuple[Array, Array]:
    elements = extents.prod(1)
    table = descriptors(len(out), out=out.pointers(), fill=fill, elements=elements, extent=extents)
    return table, elements


def _pixels(boxes: _Boxes, size: int) -> tuple[_Boxes, int, int] | None:
    """Return boxes whose last dimension is made of pixels, their bytes, and those of a step.

    None where they are not alike in all samples, or too far apart to be read together.
    """
    strides, channels = boxes.strides[:, 0], boxes.extents[:, -1]
    together = boxes.ndim > 1 and bool((strides[:, -1] == size).all())
    if together and (channels != channels[0]).any():
        return None
    kept = boxes.ndim - together
    steps, pixel = strides[:, kept - 1], size * int(channels[0] if together else 1)
    step = abs(int(steps[0]))
    if (abs(steps) != step).any() or not 0 < pixel <= min(step, _PIECE):
        return None
    seen = (pixel - size + _PIECE - 1) // pixel + 1
    if (seen - 1) * step + pixel > _MOST_SPAN or (abs(strides[:, : kept - 1]) < step).any():
        return None
    extents = boxes.extents[:, :kept].copy()
    extents[:, -1] *= pixel // size
    low = np.zeros_like(extents)[:, None]
    return (
        _Boxes(extents, boxes.first, boxes.strides[..., :kept], low, extents[:, None]),
        pixel,
        step,
    )


def _copy_runs(
    batch: Batch,
    out: TensorListGPU,
    boxes: _Boxes,
    size: int,
    fills: Array,
    pixel: int = 0,
    step: int = 0,
) -> None:
    in_bytes = np.ones(boxes.ndim, np.int64)
    in_bytes[-1] = size
    low, high = boxes.low * in_bytes, boxes.high * in_bytes
    boxes = _Boxes(boxes.extents * in_bytes, boxes.first, boxes.strides, low, high)
    rows, parts, extents = boxes.first.size, boxes.first.shape[1], boxes.extents[:, None]
    steps = np.ones_like(extents)
    steps[..., :-1] = extents[..., :0:-1].cumprod(axis=-1)[..., ::-1]
    first, to = boxes.first, out.pointers().astype(np.int64)[:, None]
    bounded = parts == 1 and bool(((low > 0) | (high < extents)).any())
    if parts > 1:  # each is a box of its own
        along = np.append(boxes.strides[..., :-1], np.ones_like(low[..., :1]), axis=-1)
        first, to = first + (low * along).sum(-1), to + (low * steps).sum(-1)
        extents = (high - low).clip(0)
        low, high = np.zeros_like(low), extents
    table = descriptors(
        rows,
        out=to.reshape(rows),
        first=first.reshape(rows),
        fill=np.repeat(np.repeat(fills[:, None], 8 // size, 1).view(np.uint64), parts),
        extent=extents.reshape(rows, -1),
        stride=boxes.strides.reshape(rows, -1),
        out_stride=np.repeat(steps, parts, axis=1).reshape(rows, -1),
        low=low.reshape(rows, -1),
        high=high.reshape(rows, -1),
    )
    macros = {"Index": _index(boxes), "STEP": str(step), "BOUNDED": str(int(bounded))}
    if step:
        macros |= {"PIXEL": str(pixel), "GRAIN": str(size)}
    function = kernel("move_runs", "move_runs", DIMS=str(boxes.ndim), **macros)
    pieces = extents[..., :-1].prod(axis=-1) * (extents[..., -1] // _PIECE + 2)
    grid = blocks_for(pieces), len(out), parts
    batch.device.launch(function, grid, (THREADS,), batch.device.upload(table))


def _copy_elements(
    batch: Batch,
    out: TensorListGPU,
    boxes: _Boxes,
    types: tuple[np.dtype[Any], np.dtype[Any]],
    fills: Array,
    channels: int,
    policy: str,
) -> None:
    table, elements = _results(out, boxes.extents, np.zeros(len(out), np.uint64))
    macros = {"In": c_type(types[0]), "Out": c_type(types[1]), "POLICY": policy}
    macros |= {"Index": _index(boxes), "RUN": str(_run(boxes, types[0].itemsize))}
    function = kernel("move_elements", "move_elements", DIMS=str(boxes.ndim), **macros)
    sources, values = batch.device.upload(_sources(boxes)), batch.device.upload(fills)
    largest = max(kind.itemsize for kind in types)
    arguments = sources, values, np.int32(channels)
    launch_lanes(batch, function, table, elements, largest, *arguments, together=_TOGETHER)


def _run(boxes: _Boxes, size: int) -> int:
    """Return along how many of the last dimensions neighbours are neighbours in memory."""
    whole = (boxes.low <= 0) & (boxes.high >= boxes.extents[:, None])
    count, step = 0, np.full_like(boxes.first, size)
    for axis in reversed(range(boxes.ndim)):
        if (boxes.strides[..., axis] != step).any() or (count and not whole[..., axis + 1].all()):
            break
        step = step * boxes.extents[:, axis, None]
        count += 1
    return count


def _index(boxes: _Boxes) -> str:
    """Return the C type of positions: 32 bits where nothing comes near to what they hold."""
    most = max(boxes.extents.prod(1).max(), abs(boxes.low).max(), abs(boxes.high).max())
    return "int" if most < _FEW else "long long"


def _images(boxes: _Boxes, size: int) -> tuple[Array, int, bool] | None:
    """Return how many frames and pixels samples have, their channels, and whether those come first.

    None unless the samples are whole images whose channels come first instead of last, or last
    instead of first.
    """
    if boxes.ndim not in (2, 3):
        return None
    extents, strides = boxes.extents, boxes.strides[:, 0]
    for channel, pixel in ((-2, -1), (-1, -2)):
        channels, pixels = extents[:, channel], extents[:, pixel]
        split = pixel == -1
        steps = np.stack((pixels, channels * pixels), 1)
        steps[:, 0] = 1 if split else pixels
        between = channels if split else np.ones_like(channels)
        if (
            2 <= channels[0] <= _MOST_CHANNELS
            and (channels == channels[0]).all()
            and (strides[:, channel] == steps[:, 0] * size).all()
            and (strides[:, pixel] == between * size).all()
            and (boxes.ndim == 2 or (strides[:, 0] == steps[:, 1] * size).all())
        ):
            frames = extents[:, 0] if boxes.ndim == 3 else np.ones_like(pixels)
            return np.stack((frames, pixels), 1), int(channels[0]), split
    return None


def _copy_channels(
    batch: Batch,
    out: TensorListGPU,
    first: Array,
    size: int,
    images: Array,
    channels: int,
    split: bool,
) -> None:
    table = descriptors(len(out), first=first, out=out.pointers(), images=images)
    tile = _CHANNELS_RUN // size
    blocks = int((images[:, 0] * -(-images[:, 1] // tile)).max())
    macros = {"CHANNELS": str(channels), "SIZE": str(size), "SPLIT": str(int(split))}
    function = kernel("move_channels", "move_channels", **macros)
    grid = min(blocks, 65536), len(out)
    shared = channels * (_CHANNELS_RUN + 64)
    batch.device.launch(function, grid, (THREADS,), batch.device.upload(table), shared_bytes=shared)


def _tile_order(boxes: _Boxes, size: int) -> list[int] | None:
    """Return the axes, the two last that tiles have; None where tiles do not help."""
    if boxes.ndim == 1:
        return None
    steps = abs(boxes.strides[:, 0])
    last, units = boxes.ndim - 1, (steps == size).all(0)
    if units[last]:
        x, fast, slow = last - 1, last, last - 1
    elif units.any():
        x = fast = int(units.argmax())
        slow = last
    else:
        return None
    run = boxes.extents[:, fast] * size
    if not (run >= _LEAST_RUN).all() and not (steps[:, slow] == run).all():
        return None
    return [*(axis for axis in range(last) if axis != x), x, last]


def _copy_tiles(
    batch: Batch, out: TensorListGPU, boxes: _Boxes, size: int, order: list[int]
) -> None:
    extents, strides = boxes.extents, boxes.strides[:, 0]
    steps = np.ones_like(extents)
    steps[:, :-1] = extents[:, :0:-1].cumprod(axis=1)[:, ::-1]
    table = descriptors(
        len(out),
        out=out.pointers(),
        first=boxes.first[:, 0],
        extent=extents[:, order],
        stride=strides[:, order],
        out_stride=steps[:, order] * size,
    )
    y_runs = bool((abs(strides[:, -1]) == size).all())
    most_x, most_y = map(int, extents[:, order[-2:]].max(0))
    x, y = _tile_shape(most_x, most_y, _TILE_BYTES // size, y_runs)
    word = max(size, _WORD)
    slow, fast = (x, y) if y_runs else (y, x)
    pitch = (-(-fast * size // word) + 1 | 1) * word  # odd: neighbours along y in other banks
    across = -(-extents[:, order] // np.array([*[1] * (boxes.ndim - 2), x, y]))
    blocks = min(int(across.prod(1).max()), 65536)
    merged = bool((abs(strides[:, order[-2 if y_runs else -1]]) == fast * size).all())
    shared = max(0 if merged else slow * pitch, x * y * size + 2 * _PIECE)
    arguments = [np.int32(value) for value in (x, y, pitch)]
    function = kernel("move_tiles", "move_tiles", DIMS=str(boxes.ndim), SIZE=str(size))
    launch = batch.device.launch
    uploaded = batch.device.upload(table)
    launch(function, (blocks, len(out)), (256,), uploaded, *arguments, shared_bytes=shared)


def _tile_shape(most_x: int, most_y: int, elements: int, y_runs: bool) -> tuple[int, int]:
    """Return how much of x and y a tile has, of about `elements`."""
    most_x, most_y = max(most_x, 1), max(most_y, 1)
    if y_runs or most_y <= _NARROW:
        y = min(most_y, elements)
        return min(most_x, max(1, elements // y)), y
    if most_x <= _NARROW:
        return most_x, min(most_y, elements // most_x)
    side = 1 << (elements.bit_length() - 1) // 2
    return min(most_x, side), min(most_y, side)
