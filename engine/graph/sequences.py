"""Sequences: which inputs and arguments of a node an operator gets frame by frame.

A sequence is data whose layout starts with F, such as the frames of a video, FHWC. `fn.per_frame`
marks data so, for arguments with a value for each frame. The layout "F*" says that the dimensions
after the first have no names.

Operators need not know of sequences. If an argument has a value for each frame, the engine calls
the operator frame by frame, with the layouts of frames, and joins the results. This holds for all
operators that work sample by sample. See `engine/work/frames.py` and `frame_batches.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..errors import LayoutError
from .operator import Operator, SampleOperator

OPEN_LAYOUT = "F*"


class Sequences(NamedTuple):
    """The data of a node that are sequences; all other data serve every frame.

    Attributes:
        inputs: whether each input is a sequence.
        arguments: names of the arguments that are sequences.
    """

    inputs: tuple[bool, ...]
    arguments: frozenset[str]


def is_sequence(layout: str) -> bool:
    """Return whether data of a layout are sequences."""
    return layout.startswith("F")


def layout_of_frames(layout: str) -> str:
    """Return the layout of the frames of a sequence.

    >>> layout_of_frames("FHWC"), layout_of_frames("F*")
    ('HWC', '')
    """
    return layout[1:].strip("*")


def layout_of_sequence(layout: str) -> str:
    """Return the layout of sequences whose frames have a layout, or none.

    >>> layout_of_sequence("HWC"), layout_of_sequence("")
    ('FHWC', 'F*')
    """
    return "F" + layout if layout else OPEN_LAYOUT


def sequences_of(
    operator_class: type[Operator], layouts: Sequence[str], arguments: Mapping[str, str]
) -> Sequences | None:
    """Return the data that an operator gets frame by frame; None if it gets whole samples.

    Args:
        operator_class: the operator.
        layouts: of its inputs.
        arguments: the layout of each argument that is a node.

    Raises:
        LayoutError: an argument has values for each frame, but an input has no layout, and the
            operator does not repeat such inputs.
    """
    inputs = tuple(map(is_sequence, layouts))
    by_frame = frozenset(name for name, layout in arguments.items() if is_sequence(layout))
    if not issubclass(operator_class, SampleOperator):
        return None
    rules = operator_class.sequences
    if rules.own_frames:
        if any(inputs[:1]) or not (by_frame or any(inputs)):
            return None
    elif not by_frame and not (rules.frame_by_frame and any(inputs)):
        return None
    if by_frame and not (any(inputs) or all(layouts) or rules.repeats_inputs):
        raise LayoutError(
            f"{operator_class.called}: the argument {min(by_frame)!r} has a value for each frame, "
            "but an input has no layout that says what its frames are; name the layout, such as "
            "FHWC, where the data enter the pipeline, or use fn.per_frame or fn.reshape(layout=...)"
        )
    return Sequences(inputs, by_frame)
