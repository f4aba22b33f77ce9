"""Steps of augmentations on the GPU: one launch for the first steps of all samples, and so on.

A step that depends on the levels of an image takes two launches more, for all samples with such a
step: one counts levels, the other makes tables.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.graph.operator import Array, SampleOperator
from ...engine.tensors import TensorList, TensorListGPU, address_of
from ..common.batch_arguments import enter_errors
from ..kernels import THREADS, Pointers, blocks_for, kernel, launch_elements, struct_table
from ..warp.cpu_warp import MOST_EXTENT
from ..warp.gpu_warp import converted_fill
from .byte_tables import given_tables
from .chains import Chains, chains_of
from .cpu_augment import Style, color_maps
from .effects import EFFECTS, OF_COLORS, OF_LEVELS, WIDTH, WORKS, Floats, Ints, Work
from .maps import pixel_maps
from .references import references

if TYPE_CHECKING:
    from ...engine.graph.context import BatchContext

_TOGETHER = (1, 3)
"""Numbers of channels for which kernels are compiled; with others a thread makes one channel."""
_LEVELS = 256
_NUMBERS = 12  # of a map of colors; the other effects need fewer
_DEVICE_EFFECTS = {
    EFFECTS[name].number: i for i, name in enumerate(("contrast", "equalize", "auto_contrast"))
}
"""The numbers that effects have in levels.cu."""


class Request(NamedTuple):
    """What an operator wants of all samples.

    Attributes:
        effect: the only effect, or None.
        style: see there.
        frames, channels: whether samples have these axes.
        layout: of the results.
        steps_of: returns the steps of a sample, or raises the error of a sample without steps.
    """

    effect: str | None
    style: Style
    frames: bool
    channels: bool
    layout: str
    steps_of: Callable[[Array | None], Floats]


class BatchForms(NamedTuple):
    """The images of a batch, whose addresses change from step to step.

    Attributes:
        frames, channels: numbers of them: (batch,).
        extents: height and width: (batch, 2).
        together: the number of channels if kernels are compiled for it, or 0.
    """

    frames: Ints
    channels: Ints
    extents: Ints
    together: int

    @property
    def pixels(self) -> Ints:
        """The number of pixels of a frame: (batch,)."""
        pixels: Ints = self.extents.prod(axis=1)
        return pixels


def augment_batch(
    operator: SampleOperator,
    batch: BatchContext,
    images: TensorListGPU,
    steps: TensorList | None,
    shape: Any,
    request: Request,
) -> TensorListGPU:
    """Return the augmented images of a batch.

    Args:
        operator, batch: the operator and its batch.
        images: uint8.
        steps, shape: as the operator gets them.
        request: what it wants.
    """
    shapes = images.extents()
    ones = np.ones((batch.size, 1), np.int64)
    before, after = () if request.frames else (ones,), () if request.channels else (ones,)
    frames, height, width, channels = np.concatenate([*before, shapes, *after], axis=1).T
    alike = bool((channels == channels[:1]).all())
    together = int(channels[0]) if alike and len(channels) and channels[0] in _TOGETHER else 0
    given = BatchForms(frames, channels, np.stack([height, width], axis=1), together)

    chains = chains_of(batch, steps, request.effect, request.steps_of)
    maps, usable = _maps(given, chains, shape, request.style)
    others = () if steps is None else (steps,)
    enter_errors(operator, batch, images, usable, {"shape": shape}, *others)
    counts = np.where(usable & (shapes.prod(axis=1) > 0), chains.counts.clip(1), 0)
    out = batch.device.empty(shapes, np.uint8, request.layout)
    spare = batch.device.empty(shapes, np.uint8) if counts.max(initial=0) > 1 else out
    memory = [out.pointers(), spare.pointers()]
    source = images.pointers()
    for stage in range(int(counts.max(initial=0))):
        target = np.where((counts - stage) % 2 == 1, memory[0], memory[1])
        rows = np.flatnonzero(counts > stage)
        chosen = chains.steps[rows, stage], maps[rows, stage]
        _launch(batch, given, rows, source, target, *chosen, request.style)
        source = target
    return out


def _maps(
    images: BatchForms, chains: Chains, shape: Any, style: Style
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the map of pixels of each step, (batch, most, 6), and which samples are usable."""
    count, most = chains.steps.shape[:2]
    reference, known = references(shape, images.extents)
    effects = chains.steps[..., 0].astype(np.int64)
    maps, exist = pixel_maps(
        effects.reshape(-1),
        chains.steps[..., 1:].reshape(count * most, WIDTH),
        images.extents.repeat(most, axis=0),
        reference.repeat(most, axis=0),
        nearest=style.sampling.nearest,
    )
    moved = WORKS[effects] == Work.WARP.value
    fits = images.extents.max(axis=1) <= MOST_EXTENT
    good = exist.reshape(count, most) & fits[:, np.newaxis]
    wrong = moved & ~good
    wrong |= OF_COLORS[effects] & ~np.isin(images.channels, (1, 3))[:, np.newaxis]
    filled = (images.pixels * images.frames * images.channels > 0)[:, np.newaxis]
    return maps.reshape(count, most, 6), chains.usable & known & ~(wrong & filled).any(axis=1)


def _launch(
    batch: BatchContext,
    images: BatchForms,
    rows: Ints,
    source: NDArray[np.uint64],
    target: NDArray[np.uint64],
    steps: Floats,
    maps: NDArray[np.float64],
    style: Style,
) -> None:
    """Launch a step of some samples.

    Args:
        batch: the batch, on whose device to compute.
        images: of the batch.
        rows: the samples.
        source, target: addresses of the images of the whole batch, and of their results.
        steps, maps: of these samples: (rows, 1 + WIDTH), (rows, 6).
        style: see there.
    """
    effects, values = steps[:, 0].astype(np.int64), steps[:, 1:]
    channels = images.channels[rows]
    gray = (effects == EFFECTS["color"].number) & (channels == 1)  # without a color
    works = np.where(gray, Work.LOOK_UP.value, WORKS[effects])
    numbers = np.zeros((len(rows), _NUMBERS), np.float32)
    numbers[:, :WIDTH] = values
    moved = works == Work.WARP.value
    numbers[moved, :6] = maps[moved]
    colored = works == Work.MAP_COLOR.value
    if colored.any() and not style.pillow:
        numbers[colored] = color_maps(values[colored, 0]).reshape(-1, _NUMBERS)

    given = batch.device.upload(given_tables(effects, values[:, 0], pillow=style.pillow))
    tables = np.uint64(address_of(given)) + np.arange(len(rows), dtype=np.uint64) * _LEVELS
    of_levels = OF_LEVELS[effects]
    made = _LEVELS * images.frames[rows] * channels * of_levels  # bytes of tables
    kept: Any = None
    if of_levels.any():
        kept = batch.device.buffer(int(made.sum()))
        addresses = np.uint64(address_of(kept)) + (np.cumsum(made) - made).astype(np.uint64)
        tables = np.where(of_levels, addresses, tables)
        at = np.flatnonzero(of_levels)
        _make_tables(batch, images, rows[at], source, tables[at], effects[at], values[at, 0], style)
    height, width = images.extents[rows].astype(np.int32).T
    table = struct_table(
        "Sample",
        len(rows),
        source=Pointers(source[rows], "const unsigned char*"),
        out=Pointers(target[rows], "unsigned char*"),
        table=Pointers(tables, "const unsigned char*"),
        height=height,
        width=width,
        channels=channels.astype(np.int32),
        frames=images.frames[rows].astype(np.int32),
        frame_step=np.where(of_levels, _LEVELS * channels, 0),
        channel_step=np.where(of_levels, _LEVELS, 0).astype(np.int32),
        work=works.astype(np.int32),
        numbers=numbers,
    )
    function = kernel(
        "augmenting/augment",
        "augment",
        Work="float",
        BORDER="REFLECT_101",
        CHANNELS=images.together,
        NEAREST=style.sampling.nearest,
        FILLED=style.sampling.fill is not None,
        PILLOW=style.pillow,
    )
    fill = np.float32(converted_fill(style.sampling, np.dtype(np.uint8)))
    pixels = images.pixels[rows] * images.frames[rows]
    groups = -(-pixels // 4) if images.together else pixels
    launch_elements(batch.device, function, table, groups, fill)


def _make_tables(
    batch: BatchContext,
    images: BatchForms,
    rows: Ints,
    source: NDArray[np.uint64],
    tables: NDArray[np.uint64],
    effects: Ints,
    factors: Floats,
    style: Style,
) -> None:
    """Launch the kernels that make the tables of steps that depend on the levels of images.

    Args:
        batch, images, source, style: see `_launch`.
        rows: the samples.
        tables: addresses of the tables of these samples, (frames, channels, 256) each.
        effects, factors: of these samples.
    """
    frames, channels, pixels = images.frames[rows], images.channels[rows], images.pixels[rows]
    sample = np.repeat(np.arange(len(rows)), frames)
    number = np.arange(len(sample)) - (np.cumsum(frames) - frames)[sample]
    sizes = _LEVELS * channels[sample]
    counts = batch.device.buffer(4 * int(sizes.sum()))
    batch.device.fill(counts, 0)
    starts = np.uint64(address_of(counts)) + 4 * (np.cumsum(sizes) - sizes).astype(np.uint64)
    offsets = (number * (pixels * channels)[sample]).astype(np.uint64)
    own = (number * sizes).astype(np.uint64)
    device_effects = np.vectorize(_DEVICE_EFFECTS.__getitem__, otypes=[np.int32])(effects)
    table = struct_table(
        "Frame",
        len(sample),
        source=Pointers(source[rows][sample] + offsets, "const unsigned char*"),
        table=Pointers(tables[sample] + own, "unsigned char*"),
        counts=Pointers(starts, "unsigned*"),
        pixels=pixels[sample],
        channels=channels[sample].astype(np.int32),
        effect=device_effects[sample],
        factor=factors[sample],
    )
    table = batch.device.upload_table(table)
    together = images.together
    macros = {"CHANNELS": together, "PILLOW": style.pillow}
    count = kernel("augmenting/levels", "count_levels", **macros)
    make = kernel("augmenting/levels", "make_tables", **macros)
    grid, device = (len(sample), _blocks(pixels)), batch.device
    device.launch(count, grid, (THREADS,), table, shared_bytes=4 * _LEVELS * together)
    device.launch(make, (len(sample),), (THREADS,), table, shared_bytes=4)


def _blocks(pixels: Ints) -> int:
    """Return the number of blocks that count the levels of a frame: a thread counts many pixels."""
    return max(1, blocks_for(pixels) // _BLOCKS_SAVED)


_BLOCKS_SAVED = 16
"""Each block adds its counts to those in global memory, so few blocks count a frame."""
