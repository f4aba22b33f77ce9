"""The table of operators imports Penstock's own when one is asked for: in new interpreters."""

from __future__ import annotations

import pytest

from penstock.engine.graph.operator import OPERATORS

from ...interpreters import output_of

OWN_OPERATOR = """
from penstock.engine.graph.operator import BatchOperator, register
class Flip(BatchOperator):
    "A second one."
    name = "flip"
    devices = ("cpu",)
    inputs = ("x",)
    def batch(self, batch, x): ...
try:
    register(Flip)
except Exception as error:
    print(error)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "printed"),
    [
        ("from penstock.fn import *; print(readers.file.__name__)", "file"),
        ("from penstock.ops import *; print(CoinFlip.__name__)", "CoinFlip"),
        ("import penstock; print(penstock.fn.readers.numpy.__name__)", "numpy"),
        ("import penstock; print(penstock.extend.register.__name__)", "register"),
        ("import penstock.composite.video_resize as r; print(r.Resize.name)", "resize"),
        (
            "import penstock.plugin.numba.fn.experimental as e; print(e.numba_function.__name__)",
            "numba_function",
        ),
        ("from penstock import types; print(types.Constant(2)[0])", "DataNode"),
    ],
)
def test_each_way_to_an_operator_finds_it(program, printed):
    assert printed in output_of(program)


def test_a_name_that_is_in_use_is_refused_at_once():
    assert "there is an operator named 'flip' already" in output_of(OWN_OPERATOR)


def test_an_unknown_name():
    with pytest.raises(KeyError, match="no_such_operator"):
        OPERATORS["no_such_operator"]
