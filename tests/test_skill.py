"""SKILL.md: its program is one, and its calls name operators and arguments that exist."""

import ast
import inspect
import re

import pytest

from penstock import Pipeline, fn, tfrecord, types
from penstock.tests.checkout import ROOT

PAGE = (ROOT / "SKILL.md").read_text(encoding="utf-8")
CALLS = re.findall(r"`(?:image, mask = |encoded, labels = )?(fn\.[\w.]+\(.*?\))`[^`\w]", PAGE)


def test_there_are_calls():
    assert len(CALLS) > 15


@pytest.mark.parametrize("text", CALLS)
def test_the_call_is_possible(text):
    call = ast.parse(text.replace("function=f", "function=len"), mode="eval").body
    for node in ast.walk(call):
        if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("fn."):
            function = fn
            for name in ast.unparse(node.func).split(".")[1:]:
                function = getattr(function, name)
            parameters = inspect.signature(function).parameters
            assert {keyword.arg for keyword in node.keywords} <= set(parameters)


ROWS = re.findall(r"^\| [\w ]+ \| `(fn\.readers\..+?\))` \| (.+) \|$", PAGE, re.M)


@pytest.mark.parametrize(("call", "outputs"), ROWS)
def test_a_reader_has_the_outputs_of_its_row(call, outputs):
    names = {"fn": fn, "types": types, "tfrecord": tfrecord}
    with Pipeline(batch_size=1, num_threads=1):
        nodes = eval(call.replace("[...]", '["x"]').replace("=...", '="x"'), names)
    if outputs.startswith("a node for each"):
        assert len(nodes) == 2
    elif outputs == "dict of nodes":
        assert isinstance(nodes, dict)
    else:
        expected = len(re.sub(r"\(.*?\)", "", outputs).split(", "))
        assert (len(nodes) if isinstance(nodes, list | tuple) else 1) == expected


def test_the_program_runs(photo_tree):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    (program,) = re.findall(r"```python\n(.+?)```", PAGE, re.S)
    program = program.replace("photos/train", str(photo_tree.root)).replace(
        "            ...", "            seen.append(images)"
    )
    seen = []
    names = {"seen": seen, "__name__": "__main__"}
    exec(compile(program.replace("range(10)", "range(1)"), "SKILL.md", "exec"), names)
    assert seen[0].shape == (64, 3, 224, 224)
