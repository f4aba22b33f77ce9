"""Steps of augmentations on the GPU: one launch for the first steps of all samples, and so on.

A step that depends on the levels of an image takes two launches more, for all samples with such a
step: one counts levels, the other makes tables. All launches share one table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.graph.operator import Array, SampleOperator
from ...engine.tensors import TensorList, TensorListGPU, address_of
from ..common.batch_arguments import enter_errors
from ..kernels import THREADS, Pointers, StructTable, blocks_for, kernel, struct_table
from ..warp.cpu_warp import MOST_EXTENT
from ..warp.gpu_warp import converted_fill
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
_SUMS_BYTES = 8 * _LEVELS + 8  # size of the struct `Sums` in levels.cu
_COLOR = EFFECTS["color"].number


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


class GivenFrames(NamedTuple):
    """The frames of a batch; an image is one frame.

    Attributes:
        sample: the sample of each frame: (frames,).
        offset: bytes of the sample in front of the frame: (frames,).
        channels: (frames,).
        extents: height and width: (frames, 2).
        together: the number of channels if kernels are compiled for it, or 0.
    """

    sample: Ints
    offset: NDArray[np.uint64]
    channels: Ints
    extents: Ints
    together: int


class FrameSteps(NamedTuple):
    """The steps of all frames: those of the first stage, then those of the second, and so on.

    Within a stage, steps that depend on levels come first.

    Attributes:
        frame, stage, effect: of each step: (steps,).
        numbers: what the kernel needs for the effect: (steps, 12) float32.
    """

    frame: Ints
    stage: Ints
    effect: Ints
    numbers: Floats


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
    frames = _frames_of(shapes, request)
    chains = chains_of(batch, steps, request.effect, request.steps_of)
    first = int(request.frames)
    extents = shapes[:, first : first + 2]
    chosen, usable = _frame_steps(frames, chains, shape, extents, request.style)
    others = () if steps is None else (steps,)
    enter_errors(operator, batch, images, usable, {"shape": shape}, *others)
    out = batch.device.empty(shapes, np.uint8, request.layout)
    if len(chosen.frame):
        spare = batch.device.scratch(shapes, np.uint8) if chosen.stage[-1] else out
        _launch(batch, frames, chosen, (images, out, spare), request.style)
    return out


def _frames_of(shapes: Ints, request: Request) -> GivenFrames:
    """Return the frames of samples of these shapes that are not empty."""
    ones = np.ones((len(shapes), 1), np.int64)
    before, after = () if request.frames else (ones,), () if request.channels else (ones,)
    whole = np.concatenate([*before, shapes, *after], axis=1)
    channels = whole[:, 3]
    alike = bool((channels == channels[:1]).all())
    together = int(channels[0]) if alike and len(channels) and channels[0] in _TOGETHER else 0
    nbytes = whole[:, 1:].prod(axis=1)
    counts = np.where(nbytes > 0, whole[:, 0], 0)
    sample = np.repeat(np.arange(len(shapes)), counts)
    number = np.arange(len(sample)) - (np.cumsum(counts) - counts)[sample]
    offset = (number * nbytes[sample]).astype(np.uint64)
    return GivenFrames(sample, offset, channels[sample], whole[sample, 1:3], together)


def _frame_steps(
    frames: GivenFrames, chains: Chains, shape: Any, extents: Ints, style: Style
) -> tuple[FrameSteps, NDArray[np.bool_]]:
    """Return the steps of the frames of usable samples, and which samples are usable: (batch,).

    A frame whose steps have no effect is copied by one step.

    Args:
        frames, chains: of the batch.
        shape: as the operator gets it.
        extents: height and width of all samples: (batch, 2).
        style: see there.
    """
    reference, usable = references(shape, extents)
    usable = usable & chains.usable
    counts = np.where(usable, chains.counts.clip(1), 0)[frames.sample]
    stage, frame = np.nonzero(np.arange(chains.steps.shape[1])[:, np.newaxis] < counts)
    effect = chains.steps[frames.sample[frame], stage, 0].astype(np.int64)
    order = np.argsort(2 * stage + ~OF_LEVELS[effect], kind="stable")
    stage, frame, effect = stage[order], frame[order], effect[order]
    sample = frames.sample[frame]
    numbers = np.zeros((len(frame), _NUMBERS), np.float32)
    numbers[:, :WIDTH] = chains.steps[sample, stage, 1:]

    moved = np.flatnonzero(WORKS[effect] == Work.WARP.value)
    if moved.size:
        size, values = frames.extents[frame[moved]], numbers[moved, :WIDTH]
        wanted = reference[sample[moved]]
        maps, exist = pixel_maps(
            effect[moved], values, size, wanted, nearest=style.sampling.nearest
        )
        usable[sample[moved[~exist | (size.max(axis=1) > MOST_EXTENT)]]] = False
        numbers[moved, :6] = maps
    colored = np.flatnonzero(effect == _COLOR)
    if colored.size and not style.pillow:
        numbers[colored] = color_maps(numbers[colored, 0]).reshape(-1, _NUMBERS)
    if frames.together != 3:
        channels = frames.channels[frame]
        usable[sample[OF_COLORS[effect] & (channels != 1) & (channels != 3)]] = False
        effect = np.where((effect == _COLOR) & (channels == 1), 0, effect)  # no color to change
    kept = usable[sample]
    return FrameSteps(frame[kept], stage[kept], effect[kept], numbers[kept]), usable


def _launch(
    batch: BatchContext,
    frames: GivenFrames,
    steps: FrameSteps,
    images: tuple[TensorListGPU, TensorListGPU, TensorListGPU],
    style: Style,
) -> None:
    """Launch all steps.

    Args:
        batch: the batch, on whose device to compute.
        frames, steps: at least one step.
        images: the given ones, the results, and memory for those between.
        style: see there.
    """
    frame, stage, of_levels = steps.frame, steps.stage, OF_LEVELS[steps.effect]
    channels = frames.channels[frame]
    # Results of the last step are the results; steps before take turns between both memories.
    left = np.bincount(frame)[frame] - 1 - stage
    memory = np.stack([each.pointers() for each in images])[:, frames.sample] + frames.offset
    source, target = np.where(stage > 0, 2 - left % 2, 0), 1 + left % 2

    sizes = np.where(of_levels, _LEVELS * channels, 0)
    starts = (np.cumsum(sizes) - sizes).astype(np.uint64)
    total = int(sizes.sum())
    kept = batch.device.buffer(5 * total)  # counts of levels, and tables of bytes
    if total:
        batch.device.fill(kept, 0)
    counts = np.uint64(address_of(kept))
    height, width = frames.extents[frame].astype(np.int32).T
    table = struct_table(
        "Frame",
        len(frame),
        source=Pointers(memory[source, frame], "const unsigned char*"),
        out=Pointers(memory[target, frame], "unsigned char*"),
        counts=Pointers(counts + 4 * starts, "unsigned*"),
        table=Pointers(
            np.where(of_levels, counts + np.uint64(4 * total) + starts, 0), "unsigned char*"
        ),
        height=height,
        width=width,
        channels=channels.astype(np.int32),
        effect=steps.effect.astype(np.int32),
        work=WORKS[steps.effect].astype(np.int32),
        numbers=steps.numbers,
    )
    table = batch.device.upload_table(table)
    pixels = frames.extents.prod(axis=1)
    first = 0
    for stop, levels in zip(
        np.cumsum(np.bincount(stage)).tolist(),
        np.bincount(stage, weights=of_levels).astype(np.int64).tolist(),
        strict=True,
    ):
        if levels:
            _make_tables(batch, frames.together, table.part(first, first + levels), pixels, style)
        _make_pixels(batch, frames.together, table.part(first, stop), pixels, style)
        first = stop


def _make_tables(
    batch: BatchContext, together: int, table: StructTable, pixels: Ints, style: Style
) -> None:
    """Launch the kernels that make the tables of steps that depend on the levels of frames.

    Args:
        batch: the batch, on whose device to compute.
        together: see `GivenFrames`.
        table: one struct a step.
        pixels: of each frame of the batch.
        style: see there.
    """
    device, macros = batch.device, {"CHANNELS": together, "PILLOW": style.pillow}
    count = kernel("augmenting/levels", "count_levels", **macros)
    make = kernel("augmenting/levels", "make_tables", **macros)
    blocks = max(1, blocks_for(pixels) // _PIXELS_COUNTED)
    shared = 4 * _LEVELS * together
    device.launch(count, (len(table), blocks), (THREADS,), table, shared_bytes=shared)
    device.launch(make, (len(table),), (_LEVELS,), table, shared_bytes=_SUMS_BYTES)


_PIXELS_COUNTED = 16
"""Pixels that a thread counts. Each block adds its counts to those in global memory, so few blocks
count a frame."""


def _make_pixels(
    batch: BatchContext, together: int, table: StructTable, pixels: Ints, style: Style
) -> None:
    """Launch the kernel that makes the pixels of steps; for the arguments see `_make_tables`."""
    function = kernel(
        "augmenting/augment",
        "augment",
        Work="float",
        BORDER="REFLECT_101",
        CHANNELS=together,
        NEAREST=style.sampling.nearest,
        FILLED=style.sampling.fill is not None,
        PILLOW=style.pillow,
    )
    fill = np.float32(converted_fill(style.sampling, np.dtype(np.uint8)))
    blocks = blocks_for(-(-pixels // 4) if together else pixels)
    # Blocks begin with a table of levels. So they make many pixels each if there are enough blocks.
    enough = _BLOCKS * batch.device.multiprocessors
    blocks = -(-blocks // min(max(1, len(table) * blocks // enough), _MOST_ROUNDS))
    shared = _LEVELS * (together or 1)
    grid = len(table), blocks
    batch.device.launch(function, grid, (THREADS,), table, fill, shared_bytes=shared)


_BLOCKS = 32
"""Blocks for each multiprocessor, a quarter of which are at work at once, that suffice."""
_MOST_ROUNDS = 8
"""Groups of pixels that a thread makes at most."""
