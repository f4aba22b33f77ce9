"""SKILL.md: its program is one, and its calls name operators and arguments that exist."""

import ast
import inspect
import re
from pathlib import Path

import pytest

import penstock
from penstock import fn

PAGE = (Path(penstock.__file__).resolve().parent / "SKILL.md").read_text(encoding="utf-8")
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


def test_the_program_runs(photo_tree):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    (program,) = re.findall(r"```python\n(.+?)```", PAGE, re.S)
    program = program.replace("photos/train", str(photo_tree.root)).replace(
        "            ...", "            seen.append(images)"
    )
    seen = []
    exec(compile(program.replace("range(10)", "range(1)"), "SKILL.md", "exec"), {"seen": seen, "__name__": "__main__"})
    assert seen[0].shape == (64, 3, 224, 224)
