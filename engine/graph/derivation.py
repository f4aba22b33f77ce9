"""Consequences of the layouts of a node's data: its operator, and the layouts of its results.

Layouts are known when the graph is defined, unless data bring them along: those of an external
source that declares no layout. Nodes behind such a source are *open*. At definition they are
derived as for data without a layout, and again for the layouts with which batches come
(`other_layouts.nodes_for_layouts`). An operator that needs a layout has a *problem* until then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..errors import LayoutError
from .operator import Operator
from .sequences import OPEN_LAYOUT, Sequences, layout_of_frames, layout_of_sequence, sequences_of


class Axes(NamedTuple):
    """Knowledge of the axes of data.

    Attributes:
        layout: one letter each, or "".
        ndim: their number; None if the layout does not tell, and nothing else does.
    """

    layout: str = ""
    ndim: int | None = None


class Derivation(NamedTuple):
    """The consequences of the layouts of a node's data.

    Attributes:
        operator: the operator, made for these layouts.
        sequences: the data that it gets frame by frame; None if it gets whole samples.
        results: the axes of its outputs.
        problem: why it cannot work on data of these layouts, or "".
    """

    operator: Operator
    sequences: Sequences | None
    results: tuple[Axes, ...]
    problem: str


def derive(
    operator_class: type[Operator],
    device: str,
    constants: Mapping[str, object],
    inputs: Sequence[Axes],
    arguments: Mapping[str, str],
    *,
    is_open: bool,
) -> Derivation:
    """Make an operator for the layouts of its data.

    Args:
        operator_class: the operator.
        device: where it runs.
        constants: its arguments that are no nodes.
        inputs: the axes of its inputs.
        arguments: the layout of each argument that is a node.
        is_open: whether the data may come with other layouts later.

    Raises:
        LayoutError: the operator cannot take these layouts, and the data are not open.
    """
    layouts = tuple(axes.layout for axes in inputs)
    try:
        sequences = sequences_of(operator_class, layouts, arguments)
        if sequences is not None:
            pairs = zip(layouts, sequences.inputs, strict=True)
            layouts = tuple(layout_of_frames(layout) if each else layout for layout, each in pairs)
        operator = operator_class(device, tuple(arguments), layouts, **constants)
        return Derivation(operator, sequences, results_of(operator, sequences, inputs), "")
    except LayoutError as error:
        if not is_open:
            raise
        operator = operator_class.unprepared(device, tuple(arguments), layouts, **constants)
        return Derivation(operator, None, (Axes(),) * operator.num_outputs(), str(error))


def results_of(
    operator: Operator, sequences: Sequences | None, inputs: Sequence[Axes]
) -> tuple[Axes, ...]:
    """Return the axes of an operator's outputs, for the axes of its inputs."""
    layouts = *operator.output_layouts(), *("" for _ in operator.added_outputs())
    if sequences is not None:
        return tuple(_axes(layout_of_sequence(layout), None) for layout in layouts)
    first = inputs[0] if inputs else Axes()
    if not first.layout and first.ndim is not None:
        assumed = operator.assumed_layouts.get(first.ndim, "")
        layouts = tuple(layout or assumed for layout in layouts)
    stay = type(operator).output_layouts is Operator.output_layouts
    return tuple(_axes(layout, first.ndim if stay else None) for layout in layouts)


def _axes(layout: str, ndim: int | None) -> Axes:
    return Axes(layout, len(layout) if layout and layout != OPEN_LAYOUT else ndim)
