"""Which data an operator gets frame by frame."""

from __future__ import annotations

import pytest

from penstock.engine.errors import ArgumentError
from penstock.engine.graph.operator import BatchOperator, SampleOperator
from penstock.engine.graph.rules import SequenceRules
from penstock.engine.graph.sequences import (
    layout_of_frames,
    layout_of_sequence,
    sequences_of,
)


class Plain(SampleOperator):
    called = "fn.plain"


class Own(SampleOperator):
    sequences = SequenceRules(own_frames=True)


class EachFrame(SampleOperator):
    sequences = SequenceRules(frame_by_frame=True)


class Whole(BatchOperator):
    pass


@pytest.mark.parametrize(
    ("operator", "layouts", "arguments", "inputs"),
    [
        (Plain, ["FHWC"], {}, None),
        (Plain, ["FHWC"], {"a": ""}, None),
        (Plain, ["FHWC"], {"a": "F*", "b": ""}, (True,)),
        (Plain, ["HWC", "FHWC"], {"a": "F*"}, (False, True)),
        (Plain, ["HWC"], {"a": "F*"}, (False,)),
        (Plain, [], {"a": "F*"}, ()),
        (Own, ["FHWC"], {"a": "F*"}, None),
        (Own, ["HWC", "F*"], {}, (False, True)),
        (Own, ["HWC"], {"a": "F*"}, (False,)),
        (Own, ["HWC"], {}, None),
        (EachFrame, ["F*", ""], {}, (True, False)),
        (EachFrame, ["HWC"], {}, None),
        (Whole, ["FHWC"], {"a": "F*"}, None),
    ],
)
def test_sequences(operator, layouts, arguments, inputs):
    sequences = sequences_of(operator, layouts, arguments)
    assert (None if sequences is None else sequences.inputs) == inputs
    if sequences is not None:
        assert sequences.arguments == {k for k, layout in arguments.items() if layout == "F*"}


def test_an_input_without_a_layout_is_refused():
    with pytest.raises(ArgumentError, match=r"fn\.plain: the argument 'a' has a value for each"):
        sequences_of(Plain, [""], {"a": "F*"})


@pytest.mark.parametrize("layout", ["FHWC", "F*"])
def test_layouts_of_frames(layout):
    assert layout_of_sequence(layout_of_frames(layout)) == layout
