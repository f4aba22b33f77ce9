"""`penstock show --graph`: the graph of a pipeline as a tree, a picture, or JSON."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..engine.pipeline.graph_picture import GraphFacts, as_dot, as_tree, line_of
from ..engine.pipeline.pipeline import dtypes_of_all_data
from .commands import CommandFailed
from .console import Printer
from .target import PipelineTarget, open_pipeline, parse_arguments, parse_target, running

PICTURES = (".svg", ".png", ".pdf")
_BATCHES = 8  # enough to tell which operators take the time


def show_graph(
    text: str, arguments: list[str], count: int, output: Path | None, as_json: bool
) -> int:
    """Run a pipeline for some batches, and show its graph.

    Args:
        text: the pipeline, as FILE.py:NAME or MODULE:NAME.
        arguments: of its function, as NAME=VALUE.
        count: samples in a batch, if its definition names no batch size.
        output: the file to write; None for a tree on the terminal.
        as_json: print JSON.
    """
    target = parse_target(text)
    if not isinstance(target, PipelineTarget):
        raise CommandFailed(f"{text} is no pipeline; --graph needs FILE.py:NAME or MODULE:NAME", 2)
    if output is not None:
        _check(output)
    facts = _facts(target, parse_arguments(arguments), count)
    if output is not None:
        _write(as_dot(facts, use_colors=True), output)
    if as_json:
        print(json.dumps(_described(facts), indent=2))
    elif output is not None:
        Printer(sys.stdout).print(("wrote ", "dim"), str(output))
    else:
        _print(facts)
    return 0


def _check(path: Path) -> None:
    if path.suffix not in (*PICTURES, ".dot"):
        raise CommandFailed(f"{path}: a graph is written as {', '.join(PICTURES)} or .dot", 2)
    if path.suffix in PICTURES and shutil.which("dot") is None:
        raise CommandFailed(
            f"{path}: pictures need Graphviz, whose program `dot` is not there (on Ubuntu: sudo "
            f"apt install graphviz). Its text needs nothing: --output {path.with_suffix('.dot')}"
        )


def _facts(target: PipelineTarget, arguments: dict[str, object], count: int) -> GraphFacts:
    pipeline = open_pipeline(target, arguments, {}, count)
    with pipeline, running(target):
        for _ in range(_BATCHES):
            try:
                pipeline.run()
            except StopIteration:
                break
        facts: GraphFacts = pipeline.graph_facts()
    # Another pipeline tells the types of data that no output shows: it would be slower.
    another = open_pipeline(target, arguments, {}, count)
    if another is pipeline:
        return facts
    with another, running(target):
        return replace(facts, dtypes=dtypes_of_all_data(another))


def _write(dot: str, path: Path) -> None:
    if path.suffix == ".dot":
        path.write_text(dot, encoding="utf-8")
        return
    command = ["dot", f"-T{path.suffix[1:]}", "-o", str(path)]
    done = subprocess.run(command, input=dot, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CommandFailed(f"{path}: dot failed: {done.stderr.strip()}")


def _print(facts: GraphFacts) -> None:
    rows = [
        (
            branch.text,
            facts.data(branch.data) or "-",
            "above" if branch.repeated else line_of(branch.node),
            "" if branch.repeated else facts.share(branch.node),
        )
        for branch in as_tree(facts)
    ]
    Printer(sys.stdout).table(("operator", "data", "line", "time"), rows, words=3)


def _described(facts: GraphFacts) -> dict[str, Any]:
    return {
        "operators": [
            {
                "name": node.name,
                "operator": node.operator.name,
                "device": node.operator.device,
                "line": node.made_at,
                "inputs": [data.name for data in node.inputs],
                "arguments": {name: data.name for name, data in node.arguments.items()},
                "outputs": [
                    {"name": data.name, "data": facts.data(data), "layout": data.layout}
                    for data in node.outputs
                ],
                "time": facts.shares.get(node.name),
            }
            for node in facts.nodes
        ],
        "outputs": [data.name for data in facts.outputs],
    }
