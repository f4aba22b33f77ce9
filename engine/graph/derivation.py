"""What follows from the layouts of a node's data: its operator, and the layouts of its results.

Layouts are known when the graph is defined, unless data bring them along: those of an external
source that declares no layout. Nodes behind such a source are *open*. At definition they are
derived as for data without a layout, and again for the layouts with which batches come
(`nodes.nodes_for_layouts`). An operator that needs a layout has a *problem* until then.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..errors import LayoutError
from .operator import Operator
from .sequences import Sequences, layout_of_frames, layout_of_sequence, sequences_of


class Derivation(NamedTuple):
    """What follows from the layouts of a node's data.

    Attributes:
        operator: the operator, made for these layouts.
        sequences: the data that it gets frame by frame; None if it gets whole samples.
        layouts: of its outputs.
        problem: why it cannot work on data of these layouts, or "".
    """

    operator: Operator
    sequences: Sequences | None
    layouts: tuple[str, ...]
    problem: str


def derive(
    operator_class: type[Operator],
    device: str,
    constants: Mapping[str, Any],
    layouts: tuple[str, ...],
    arguments: Mapping[str, str],
    *,
    is_open: bool,
) -> Derivation:
    """Make an operator for the layouts of its data.

    Args:
        operator_class: the operator.
        device: where it runs.
        constants: its arguments that are no nodes.
        layouts: of its inputs.
        arguments: the layout of each argument that is a node.
        is_open: whether the data may come with other layouts later.

    Raises:
        LayoutError: the operator cannot take these layouts, and the data are not open.
    """
    try:
        sequences = sequences_of(operator_class, layouts, arguments)
        if sequences is not None:
            pairs = zip(layouts, sequences.inputs, strict=True)
            layouts = tuple(layout_of_frames(layout) if each else layout for layout, each in pairs)
        operator = operator_class(device, tuple(arguments), layouts, **constants)
        results = operator.output_layouts()
    except LayoutError as error:
        if not is_open:
            raise
        operator = operator_class.unprepared(device, tuple(arguments), layouts, **constants)
        return Derivation(operator, None, ("",) * operator.num_outputs(), str(error))
    if sequences is not None:
        results = tuple(map(layout_of_sequence, results))
    return Derivation(operator, sequences, results, "")
