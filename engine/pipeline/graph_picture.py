"""The graph of a pipeline as a picture: text for Graphviz, and a tree for terminals."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ..graph.nodes import DataNode, Node
from ..tensors.dtypes import ELEMENT_TYPES, DALIDataType
from ..work.plan import Key

COLORS = {"cpu": "#bbdefb", "mixed": "#fff3c4", "gpu": "#c8e6c9"}
"""Colors of operators by their device: blue, yellow and green, pale enough for black text."""


@dataclass(frozen=True)
class GraphFacts:
    """What is known of a pipeline's graph.

    Attributes:
        nodes: the operators, each behind those that it needs.
        outputs: the data that the pipeline returns.
        dtypes: the types of data, by the node's ordinal and the output's number, as far as known.
        shares: the part of the operators' time that each one took, from 0 to 1, by its name;
            nothing if the pipeline has not run.
    """

    nodes: Sequence[Node]
    outputs: Sequence[DataNode]
    dtypes: Mapping[Key, DALIDataType] = field(default_factory=dict)
    shares: Mapping[str, float] = field(default_factory=dict)

    def data(self, data: DataNode) -> str:
        """Return type and layout of data, as in "UINT8 HWC"; "" if neither is known."""
        dtype = self.dtypes.get((data.node.ordinal, data.index), _declared(data.node))
        return " ".join(filter(None, ("" if dtype is None else dtype.name, data.layout)))

    def all_data(self, node: Node) -> str:
        """Return type and layout of all outputs of an operator."""
        return ", ".join(filter(None, map(self.data, node.outputs)))

    def share(self, node: Node) -> str:
        """Return the operator's part of the time, as in "12 %"; "" if it is unknown."""
        share = self.shares.get(node.name)
        return "" if share is None else f"{100 * share:.0f} %"


def _declared(node: Node) -> DALIDataType | None:
    """Return the type that an operator's argument `dtype` says, if it says one."""
    dtype = getattr(node.operator, "dtype", None)
    return dtype if isinstance(dtype, DALIDataType) and dtype in ELEMENT_TYPES else None


def line_of(node: Node) -> str:
    """Return the line of the program that made a node, with the file's name alone."""
    return os.path.basename(node.made_at)


def as_dot(facts: GraphFacts, *, show_tensors: bool = False, use_colors: bool = False) -> str:
    """Return the graph in the language of Graphviz.

    Args:
        facts: the graph.
        show_tensors: draw data as nodes between the operators.
        use_colors: color the operators by their device.
    """
    lines = ["digraph graphname {", '  node [shape=box, fontname="sans-serif", fontsize=11];']
    for node in facts.nodes:
        texts = (node.operator.called, node.name, line_of(node), facts.all_data(node))
        label = "\n".join(filter(None, (*texts, facts.share(node))))
        look = f', style=filled, fillcolor="{COLORS[node.operator.device]}"' if use_colors else ""
        lines.append(f"  {_quoted(node.name)} [label={_quoted(label)}{look}];")
        if show_tensors:
            for data in node.outputs:
                text = "\n".join(filter(None, (data.name, facts.data(data))))
                lines.append(f"  {_tensor(data)} [label={_quoted(text)}, shape=ellipse];")
                lines.append(f"  {_quoted(node.name)} -> {_tensor(data)};")
        for role, data in _inputs(node):
            source = _tensor(data) if show_tensors else _quoted(data.node.name)
            label = f" [label={_quoted(role)}]" if role else ""
            lines.append(f"  {source} -> {_quoted(node.name)}{label};")
    for i, data in enumerate(facts.outputs):
        name = _quoted(f"output {i}")
        source = _tensor(data) if show_tensors else _quoted(data.node.name)
        lines += [f"  {name} [shape=plaintext];", f"  {source} -> {name};"]
    return "\n".join([*lines, "}", ""])


def _inputs(node: Node) -> Iterator[tuple[str, DataNode]]:
    """Yield the data that an operator takes, and the names of those that are arguments."""
    for data in node.inputs:
        yield "", data
    yield from node.arguments.items()


def _tensor(data: DataNode) -> str:
    return _quoted(f"{data.node.name}, data {data.index}")


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


class TreeLine(NamedTuple):
    """A line of a tree.

    Attributes:
        text: the lines of the tree, and the operator.
        node: the operator.
        data: the data that the line above takes.
        repeated: whether the tree has shown the operator, and what it needs, already.
    """

    text: str
    node: Node
    data: DataNode
    repeated: bool


def as_tree(facts: GraphFacts) -> Iterator[TreeLine]:
    """Yield the graph line by line: each output with all that it needs below it."""
    pending = [(f"output {i}: ", "", data) for i, data in enumerate(facts.outputs)][::-1]
    seen: set[int] = set()
    while pending:
        lead, indent, data = pending.pop()
        node = data.node
        title = node.operator.called + (f" {node.name!r}" if node.wanted_name else "")
        repeated = node.ordinal in seen
        yield TreeLine(lead + title, node, data, repeated)
        if repeated:
            continue
        seen.add(node.ordinal)
        inputs = [*_inputs(node)][::-1]
        for i, (role, below) in enumerate(inputs):  # the last one first
            corner, line = ("├─ ", "│  ") if i else ("└─ ", "   ")
            pending.append((f"{indent}{corner}{role}{': ' if role else ''}", indent + line, below))
