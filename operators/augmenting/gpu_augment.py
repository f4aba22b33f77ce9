"""Steps of augmentations on the GPU: one launch for the first steps of all samples, and so on.

Before steps that depend on the levels of their images, one more launch counts the levels of these
images. All launches share one table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.graph.context import BatchContext
from ...engine.graph.operator import Array, SampleOperator
from ...engine.tensors import TensorList, TensorListGPU
from ..common.batch_arguments import enter_errors
from ..kernels import THREADS, Pointers, addresses_in, blocks_for, kernel, struct_table
from ..warp.cpu_warp import MOST_EXTENT
from ..warp.gpu_warp import converted_fill
from .chains import Chains, chains_of
from .cpu_augment import Style, color_maps
from .effects import EFFECTS, OF_COLORS, OF_LEVELS, WIDTH, WORKS, Floats, Ints, Work
from .maps import pixel_maps
from .references import references

_TOGETHER = (1, 3)
"""Numbers of channels for which kernels are compiled; with others a thread makes one channel."""
_LEVELS = 256
_NUMBERS = 12  # of a map of colors; the other effects need fewer
_SUMS_BYTES = 8 * _LEVELS + 8  # size of the struct `Sums` in levels.cuh
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
    shape: object,
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
    frames: GivenFrames, chains: Chains, shape: object, extents: Ints, style: Style
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
    taken = chains.steps[..., 0] > 0
    taken[:, 0] |= ~taken.any(axis=1)
    stages = np.cumsum(taken, axis=1) - 1
    frame, place = np.nonzero((taken & usable[:, np.newaxis])[frames.sample])
    sample = frames.sample[frame]
    stage, effect = stages[sample, place], chains.steps[sample, place, 0].astype(np.int64)
    order = np.argsort(2 * stage + ~OF_LEVELS[effect], kind="stable")
    frame, sample, place = frame[order], sample[order], place[order]
    stage, effect = stage[order], effect[order]
    numbers = np.zeros((len(frame), _NUMBERS), np.float32)
    numbers[:, :WIDTH] = chains.steps[sample, place, 1:]

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
    counts = batch.device.buffer(max(1, 4 * int(sizes.sum())))
    if of_levels.any():
        batch.device.fill(counts, 0)
    height, width = frames.extents[frame].astype(np.int32).T
    table = struct_table(
        "Frame",
        len(frame),
        source=Pointers(memory[source, frame], "const unsigned char*"),
        out=Pointers(memory[target, frame], "unsigned char*"),
        counts=Pointers(addresses_in(counts, sizes, 4), "unsigned*"),
        height=height,
        width=width,
        channels=channels.astype(np.int32),
        effect=steps.effect.astype(np.int32),
        work=WORKS[steps.effect].astype(np.int32),
        numbers=steps.numbers,
    )
    table = batch.device.upload_table(table)
    together, sampling = frames.together, style.sampling
    count_levels = kernel(
        "augmenting/count_levels", "count_levels", CHANNELS=together, PILLOW=style.pillow
    )
    augment = kernel(
        "augmenting/augment",
        "augment",
        Work="float",
        BORDER="REFLECT_101",
        CHANNELS=together,
        NEAREST=sampling.nearest,
        FILLED=sampling.fill is not None,
        PILLOW=style.pillow,
    )
    fill = np.float32(converted_fill(sampling, np.dtype(np.uint8)))
    pixels = frames.extents.prod(axis=1)
    blocks = blocks_for(-(-pixels // 4) if together else pixels)
    shared = _SUMS_BYTES + _LEVELS * (together or 1)
    enough = _BLOCKS * batch.device.multiprocessors
    first = 0
    for stop, counted in zip(
        np.cumsum(np.bincount(stage)).tolist(),
        np.bincount(stage, weights=of_levels).astype(np.int64).tolist(),
        strict=True,
    ):
        if counted:
            grid, part = (counted, -(-blocks // _COUNTED)), table.part(first, first + counted)
            needed = 4 * _LEVELS * together
            batch.device.launch(count_levels, grid, (THREADS,), part, shared_bytes=needed)
        rounds = min(max(1, (stop - first) * blocks // enough), _MADE)
        grid, part = (stop - first, -(-blocks // rounds)), table.part(first, stop)
        batch.device.launch(augment, grid, (_LEVELS,), part, fill, shared_bytes=shared)
        first = stop


_COUNTED, _MADE = 4, 8
"""Groups of pixels that a thread counts, and that it makes at most. A block that counts ends with
additions in global memory, and a block that makes pixels begins with a table."""
_BLOCKS = 16
"""Blocks for each multiprocessor that suffice to make pixels; four are at work at once."""
