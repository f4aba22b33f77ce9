"""The line that made a node is the user's, also in programs that lie beside the library."""

from __future__ import annotations

import pytest

from penstock.engine.graph.functions import apply
from penstock.engine.graph.nodes import Graph, defining
from penstock.tests.checkout import PACKAGE

from ..toys import Numbers


@pytest.mark.parametrize(
    ("file", "is_the_user_s"),
    [
        ("examples/imagenet.py", True),
        ("tests/engine/test_x.py", True),
        (".venv/lib/site-packages/mine/__init__.py", True),
        ("operators/resize/more.py", False),
        ("fn.py", False),
    ],
)
def test_programs_beside_the_library_are_the_user_s(file, is_the_user_s):
    path = PACKAGE / file
    names = {"apply": apply, "Numbers": Numbers}
    with defining(Graph()):
        exec(compile("\nnode = apply(Numbers, (), {}, None)[0].node", str(path), "exec"), names)
    assert (names["node"].made_at == f"{path}:2") == is_the_user_s
