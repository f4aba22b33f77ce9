"""Make notebooks out of the examples that train: `python examples/make_notebooks.py`.

A notebook draws a small data set, defines what the example defines, cell by cell, and trains.
"""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent

DETECTION = """\
train(
    "data/shapes/train/images",
    "data/shapes/train/annotations.json",
    "data/shapes/val/images",
    "data/shapes/val/annotations.json",
    epochs=4,
)"""

NOTEBOOKS = {
    "train": (
        'make_data.photos(Path("data/photos"), train=16, val=8)',
        'train("data/photos/train", "data/photos/val", classes=8, epochs=4)',
    ),
    "detection": (
        'make_data.shapes(Path("data/shapes"), train=128, val=16)',
        DETECTION,
    ),
    "asr": (
        'make_data.speech(Path("data/speech"), train=128, val=16)',
        'train("data/speech/train.json", "data/speech/val.json", letters="aeiousf", epochs=6)',
    ),
    "clips": (
        'make_data.videos(Path("data/videos"), train=8, val=4)',
        'train("data/videos/train", "data/videos/val", classes=4, epochs=3)',
    ),
}
"""What draws the data of each example, and what trains."""

DATA = """\
import sys
from pathlib import Path

sys.path.append("..")  # where make_data.py is

import make_data

"""


def notebook(name: str) -> str:
    """Return the notebook of an example, as the text of its file."""
    program = (HERE / f"{name}.py").read_text(encoding="utf-8")
    tree = ast.parse(program)
    lines = program.splitlines()
    draw, train = NOTEBOOKS[name]
    title = (ast.get_docstring(tree) or "").partition("\n")[0]
    head = f"# {title.rstrip('.')}\n\nThe program is `examples/{name}.py`. "
    head += "Penstock and PyTorch must be installed, and this notebook must lie in its folder."
    cells = [cell("markdown", head), cell("code", DATA + draw)]
    plain: list[int] = []  # first and last line of imports and constants up to a definition
    for node in tree.body[1:]:
        if isinstance(node, ast.FunctionDef) and node.name == "main":
            break
        decorators = getattr(node, "decorator_list", [])
        first = min([node.lineno, *(decorator.lineno for decorator in decorators)]) - 1
        assert node.end_lineno is not None
        if not isinstance(node, ast.FunctionDef | ast.ClassDef):
            plain = [plain[0] if plain else first, node.end_lineno]
            continue
        for begin, end in (
            [plain, [first, node.end_lineno]] if plain else [[first, node.end_lineno]]
        ):
            text = "\n".join(lines[begin:end])
            cells.append(cell("code", text.replace("import argparse\n", "")))
        plain = []
    cells.append(cell("code", train))
    for number, each in enumerate(cells):
        each["id"] = f"cell-{number}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    content = {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(content, indent=1) + "\n"


def cell(kind: str, text: str) -> dict[str, Any]:
    """Return a cell without outputs."""
    made: dict[str, Any] = {"cell_type": kind, "metadata": {}, "source": text.splitlines(True)}
    return made | ({"execution_count": None, "outputs": []} if kind == "code" else {})


def main() -> None:
    """Write all notebooks."""
    (HERE / "notebooks").mkdir(exist_ok=True)
    for name in NOTEBOOKS:
        (HERE / "notebooks" / f"{name}.ipynb").write_text(notebook(name), encoding="utf-8")


if __name__ == "__main__":
    main()
