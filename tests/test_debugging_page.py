"""docs/debugging.md: its program runs, and its table of expressions holds."""

from __future__ import annotations

import re

import numpy as np

from penstock import fn, pipeline_def
from penstock.tensors import TensorListCPU
from penstock.tests.checkout import ROOT

PAGE = ROOT / "docs" / "debugging.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_the_program_runs_and_prints_values(capsys):
    (program,) = re.findall(r"```python\n(.*?)```", TEXT, re.S)
    exec(compile(program, str(PAGE), "exec"), {"__name__": "an_example"})
    printed = capsys.readouterr().out
    assert printed.count("[(4, 6, 3), (4, 6, 3)] HWC FLOAT") == 3
    assert printed.count("DataNode('random_uniform_1', device='cpu') TensorListCPU(2 samples") == 3


def test_each_expression_of_the_table_has_a_value():
    expressions = [
        expression
        for cell in re.findall(r"^\| (`.*node.*?) \|", TEXT, re.M)
        for expression in re.findall(r"`([^`]+)`", cell)
        if "node" in expression and ".gpu()" not in expression
    ]
    assert len(expressions) == 9
    seen = []

    @pipeline_def(batch_size=2, num_threads=1, debug=True)
    def define():
        node = fn.external_source(lambda: TensorListCPU(np.ones((2, 3), np.float32), "X"))
        seen.extend(
            eval(expression, {"node": node, "np": np, "print": str}) for expression in expressions
        )
        return node

    define().run()
    assert all(value is not None for value in seen)
