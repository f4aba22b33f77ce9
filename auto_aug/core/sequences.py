"""Random sequences of augmentations for each sample.

The augmentations of this package run in one operator, whatever a sample's sequence. Others are
functions of operators: `select` splits the batch among them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...engine.arrays import Array
from ...engine.errors import ArgumentError
from ...engine.graph.nodes import DataNode, add_node
from ...operators.augmenting.augment import Augment
from ...operators.augmenting.draw_steps import DrawSteps
from ...operators.augmenting.effects import EFFECTS, WIDTH, parameter_row
from ...operators.augmenting.move_labels import AugmentBoxes, AugmentMasks
from .arguments import MissingArgumentError, check_required, forbid_unused_kwargs
from .functions import Augmentation
from .policies import Step
from .selection import select
from .signed_bins import SignedMagnitudeBin

_FUSED: dict[Callable[..., object], str] = {}
"""The effect of each function that the operator has."""
_OPTIONS = ("fill_value", "interp_type", "shape", "pillow")
"""The arguments of the functions that are arguments of the operator."""
_SIGNS = 2
FILL_VALUE = 128
"""What lies around moved images by default."""


def has_effect(effect: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Say that a function of an augmentation is an effect of the operator."""

    def enter(function: Callable[..., object]) -> Callable[..., Any]:
        _FUSED[function] = effect
        return function

    return enter


class StepSequences(NamedTuple):
    """StepSequences of augmentations to draw from.

    Attributes:
        sequences: all of them are equally likely.
        bins: number of bins of magnitudes.
        rounds: how many sequences a sample gets, one after the other.
        called: the function that was called, for messages.
        suite: the function that makes such augmentations for images without known shapes.
    """

    sequences: Sequence[Sequence[Step]]
    bins: int
    rounds: int
    called: str
    suite: str

    @property
    def augmentations(self) -> list[Augmentation]:
        """The different augmentations."""
        return list(dict.fromkeys(step[0] for sequence in self.sequences for step in sequence))

    @property
    def stages(self) -> int:
        """The length of the longest sequence."""
        return max(map(len, self.sequences))

    def probabilities(self) -> Array:
        """Return the probability of each step: (sequences, stages)."""
        table = np.zeros((len(self.sequences), self.stages), np.float32)
        for row, sequence in zip(table, self.sequences, strict=True):
            row[: len(sequence)] = [probability for _, probability, _ in sequence]
        return table

    def draw(self, table: Array, seed: int | None) -> DataNode:
        """Return a node of steps, drawn from a table of them: see `DrawSteps`."""
        arguments = {
            "table": table,
            "probabilities": self.probabilities(),
            "rounds": self.rounds,
            "seed": seed,
        }
        return add_node(DrawSteps, (), arguments)[0]


class Labels(NamedTuple):
    """What moves with images.

    Attributes:
        boxes: float32, (boxes, 4): left, top, right, bottom, relative to the image; or None.
        masks: of the height and width of the images; or None.
    """

    boxes: DataNode | None = None
    masks: DataNode | None = None

    def __bool__(self) -> bool:
        return any(label is not None for label in self)


def apply_sequences(
    drawn: StepSequences,
    data: DataNode,
    seed: int | None,
    labels: Labels,
    arguments: Mapping[str, Any],
) -> Any:
    """Return the samples after a random sequence of augmentations each.

    Args:
        drawn: what to draw from.
        data: the samples.
        seed: of the draws.
        labels: what moves with the samples.
        arguments: of the augmentations.

    Returns:
        the samples; with labels a list of the samples, and of the boxes and the masks if given.
    """
    forbid_unused_kwargs(drawn.augmentations, arguments, drawn.called)
    for augmentation in drawn.augmentations:
        _check_arguments(drawn, augmentation, arguments)
    if is_fused(drawn.augmentations, arguments):
        steps = drawn.draw(_steps(drawn, arguments), seed)
        images = augment(data, steps, **{"fill_value": FILL_VALUE, **arguments})
        return [images, *_moved(labels, data, steps, arguments)] if labels else images
    if labels:
        raise ArgumentError(
            f"{drawn.called}: boxes and masks move with the augmentations of "
            "`penstock.auto_aug.augmentations` alone, and with images that keep their size; others "
            "are among these: "
            + ", ".join(augmentation.name for augmentation in drawn.augmentations)
        )
    return _apply_selected(drawn, data, seed, arguments)


def _moved(
    labels: Labels, images: DataNode, steps: DataNode, arguments: Mapping[str, object]
) -> Iterator[DataNode]:
    """Yield the labels that are given, moved by the steps of their images."""
    given = {k: v for k, v in arguments.items() if k == "shape" and v is not None}
    if labels.boxes is not None:
        given_to_boxes = {**given, "image_shape": images.shape()}
        yield add_node(AugmentBoxes, (labels.boxes, steps), given_to_boxes)[0]
    if labels.masks is not None:
        yield add_node(AugmentMasks, (labels.masks, steps), given)[0]


def _check_arguments(
    drawn: StepSequences, augmentation: Augmentation, arguments: Mapping[str, object]
) -> None:
    try:
        check_required(augmentation, arguments)
    except MissingArgumentError as error:
        relative = _FUSED.get(augmentation.op) == "translate_relative"
        if not relative or error.missing != ["shape"]:
            raise
        raise ArgumentError(
            f"The augmentation `{augmentation.name}` requires `shape` argument: the height and "
            f"width of the images. Please provide it as `shape` argument to `{drawn.called}` call. "
            "`fn.peek_image_shape` reads it from encoded images. Translations by pixels need no "
            "shape: `translate_x_no_shape`, `translate_y_no_shape`, and "
            f"`{drawn.suite}(use_shape=False)`."
        ) from None


def is_fused(augmentations: Sequence[Augmentation], arguments: Mapping[str, object]) -> bool:
    """Return whether the operator has all of the augmentations with these arguments."""
    return all(augmentation.op in _FUSED for augmentation in augmentations) and (
        arguments.keys() <= {*_OPTIONS, "rotate_keep_size"}
        and bool(arguments.get("rotate_keep_size", True))
    )


def augment(
    data: DataNode, steps: DataNode | None, effect: str | None = None, **arguments: object
) -> DataNode:
    """Add the operator to the graph.

    Args:
        data: the samples.
        steps: of each sample; with `effect`, the effect's parameter, if it has one.
        effect: the only one.
        arguments: of the functions.
    """
    given = {name: arguments[name] for name in _OPTIONS if arguments.get(name) is not None}
    inputs = (data,) if steps is None else (data, steps)
    return add_node(Augment, inputs, {**given, "effect": effect} if effect else given)[0]


def _steps(drawn: StepSequences, arguments: Mapping[str, object]) -> Array:
    """Return the steps of the operator: (sequences, stages, 2, 1 + WIDTH) float32."""
    table = np.zeros((len(drawn.sequences), drawn.stages, _SIGNS, 1 + WIDTH), np.float32)
    pillow = bool(arguments.get("pillow"))
    known: dict[tuple[Augmentation, int | None], Array] = {}
    for rows, sequence in zip(table, drawn.sequences, strict=True):
        for row, (augmentation, _, number) in zip(rows, sequence, strict=False):
            key = augmentation, number
            if key not in known:
                known[key] = _signed_steps(augmentation, number, drawn.bins, pillow)
            row[:] = known[key]
    return table


def _signed_steps(augmentation: Augmentation, number: int | None, bins: int, pillow: bool) -> Array:
    """Return the step of a magnitude, and that of the negated magnitude: (2, 1 + WIDTH)."""
    effect = _FUSED[augmentation.op]
    magnitudes = augmentation.magnitudes(bins)
    if magnitudes is None or number is None:
        if EFFECTS[effect].width:
            raise ArgumentError(
                f"The augmentation `{augmentation.name}` has no `mag_range`, but needs a parameter."
            )
        return np.stack([parameter_row(effect, np.empty(0))] * _SIGNS)
    magnitude = magnitudes[number]
    signed = [magnitude, -magnitude if augmentation.randomly_negate else magnitude]
    if pillow and effect == "sharpness":
        # The factor follows from the window exactly, if the window is of float64.
        windows = augmentation.parameters(np.array(signed, np.float64))
        return np.stack([parameter_row("sharpen", sharpening_factor(window)) for window in windows])
    return np.stack(
        [parameter_row(effect, parameter) for parameter in augmentation.parameters(signed)]
    )


def sharpening_factor(window: Any) -> Any:
    """Return Pillow's factor of sharpness for the window of `sharpness_kernel`."""
    return 1 - window[0, 0] / SMOOTH[0, 0]


SMOOTH = np.array([[1, 1, 1], [1, 5, 1], [1, 1, 1]], np.float32) / np.float32(13)
"""Pillow's window SMOOTH, which blurs."""


def stage_table(sequences: Sequence[Sequence[Step]]) -> tuple[Array, list[list[Augmentation]]]:
    """Return which augmentation each sequence has in each stage, and those of each stage.

    Returns:
        (sequences, stages) int32: numbers of augmentations of the stage, -1 behind the sequence's
        end; and a list for each stage.
    """
    table = np.full((len(sequences), max(map(len, sequences))), -1, np.int32)
    stages: list[list[Augmentation]] = []
    for stage in range(table.shape[1]):
        there = [sequence[stage][0] for sequence in sequences if stage < len(sequence)]
        stages.append(list(dict.fromkeys(there)))
        for row, sequence in zip(table, sequences, strict=True):
            if stage < len(sequence):
                row[stage] = stages[-1].index(sequence[stage][0])
    return table, stages


def _apply_selected(
    drawn: StepSequences, data: DataNode, seed: int | None, arguments: Mapping[str, object]
) -> DataNode:
    """Apply augmentations that are functions of operators, one of which `select` chooses.

    The steps are the number of the augmentation in its stage, 0 for none, and the signed bin.
    """
    numbers, stages = stage_table(drawn.sequences)
    table = np.zeros((*numbers.shape, _SIGNS, 2), np.int32)
    table[..., 0] = numbers[..., np.newaxis] + 1
    for rows, sequence in zip(table, drawn.sequences, strict=True):
        for row, (_, _, number) in zip(rows, sequence, strict=False):
            row[:, 1] = [2 * (number or 0) + sign for sign in range(_SIGNS)]
    steps = drawn.draw(table, seed)
    for position in range(drawn.rounds * drawn.stages):
        step = steps[position]
        index = step[1]
        signed = SignedMagnitudeBin(index // 2, index & 1, index)
        chosen: list[Callable[..., Any]] = [lambda data, **_: data]
        chosen += stages[position % drawn.stages]
        data = select(
            chosen, step[0], data, magnitude_bin=signed, num_magnitude_bins=drawn.bins, **arguments
        )
    return data
