"""From the graph to what the executor runs: segments, each of one kind.

A batch walks through the segments in order. A `batch` segment is run by the feeder thread,
operator by operator; a `sample` segment by the workers, each taking one sample
through all operators of the segment; a `gpu` segment by the device thread.

Nothing here runs anything: the plan is a pure function of the graph.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .graph import DataNode, Graph, Node
from .operator import InputOperator, SampleOperator
from .params import Param

Key = tuple[int, int]
"""One output: the node's ordinal and the output's number."""


@dataclass(frozen=True)
class Step:
    """One operator of a segment, with where its data comes from."""

    node: Node
    inputs: tuple[Key, ...]
    constants: dict[str, Any]
    arguments: tuple[tuple[str, Key, Param], ...]
    kept: tuple[bool, ...]
    """For each output, whether it is needed outside of the segment."""


@dataclass(frozen=True)
class Segment:
    """Operators that one kind of thread runs one after the other."""

    kind: str
    steps: tuple[Step, ...]
    repeatable: bool
    """Whether all work so far can be done again for one row alone."""


@dataclass(frozen=True)
class Plan:
    """What a pipeline does with each batch."""

    segments: tuple[Segment, ...]
    outputs: tuple[Key, ...]
    layouts: tuple[str, ...]
    inputs: tuple[Node, ...]
    nodes: tuple[Node, ...]

    @property
    def uses_gpu(self) -> bool:
        """Whether any operator needs a device."""
        return any(segment.kind == "gpu" for segment in self.segments)


def make_plan(graph: Graph, outputs: tuple[DataNode, ...]) -> Plan:
    """Order the nodes that `outputs` need, and cut them into segments."""
    nodes = _needed(graph, outputs)
    fed = _fed(nodes)
    kinds = _kinds(nodes, fed)
    levels = _levels(nodes, kinds)
    groups: dict[tuple[int, str], list[Node]] = {}
    for node in nodes:
        groups.setdefault((levels[node.ordinal], kinds[node.ordinal]), []).append(node)
    homes = {node.ordinal: key for key, members in groups.items() for node in members}
    kept = {_key(data) for data in outputs}
    for node in nodes:
        for data in node.dependencies():
            if homes[data.node.ordinal] != homes[node.ordinal]:
                kept.add(_key(data))
    segments: list[Segment] = []
    for group in sorted(groups):
        steps = tuple(_step(node, kept) for node in groups[group])
        so_far = (not segments or segments[-1].repeatable) and all(
            group[1] == "sample" or not any(fed[data.node.ordinal] for data in node.dependencies())
            for node in groups[group]
        )
        segments.append(Segment(group[1], steps, so_far))
    inputs = tuple(node for node in nodes if isinstance(node.operator, InputOperator))
    layouts = tuple(data.layout for data in outputs)
    return Plan(tuple(segments), tuple(map(_key, outputs)), layouts, inputs, tuple(nodes))


def _key(data: DataNode) -> Key:
    return data.node.ordinal, data.index


def _needed(graph: Graph, outputs: tuple[DataNode, ...]) -> list[Node]:
    needed: set[int] = set()
    pending = [data.node for data in outputs]
    pending += [node for node in graph.nodes if node.operator.preserve]
    while pending:
        node = pending.pop()
        if node.ordinal not in needed:
            needed.add(node.ordinal)
            pending += [data.node for data in node.dependencies()]
    return [node for node in graph.nodes if node.ordinal in needed]


def _kinds(nodes: list[Node], fed: dict[int, bool]) -> dict[int, str]:
    """Return which kind of segment runs each node.

    A sample operator that can also take a whole batch does so where it computes on numbers
    that were drawn or given, not on samples: one call is much cheaper than one for each.
    """
    kinds: dict[int, str] = {}
    for node in nodes:
        operator = node.operator
        needs = [kinds[data.node.ordinal] for data in node.dependencies()]
        whole = hasattr(operator, "batch") and not fed[node.ordinal] and set(needs) <= {"batch"}
        if node.device != "cpu" or any(data.device == "gpu" for data in node.inputs):
            kind = "gpu"
        elif whole or not isinstance(operator, SampleOperator):
            kind = "batch"
        else:
            kind = "sample"
        kinds[node.ordinal] = kind
    return kinds


def _levels(nodes: list[Node], kinds: dict[int, str]) -> dict[int, int]:
    """A node stands one level above what it needs from threads of another kind.

    What the device stage brings to the host is there only when the whole segment is done, so a
    GPU operator that needs it there stands above it, too.
    """
    levels: dict[int, int] = {}
    for node in nodes:
        kind = kinds[node.ordinal]
        levels[node.ordinal] = max(
            (
                levels[data.node.ordinal]
                + (kinds[data.node.ordinal] != kind or (kind == "gpu" and data.device == "cpu"))
                for data in node.dependencies()
            ),
            default=0,
        )
    return levels


def _fed(nodes: list[Node]) -> dict[int, bool]:
    """Say of each node whether its data depend on an input's samples."""
    fed: dict[int, bool] = {}
    for node in nodes:
        is_input = isinstance(node.operator, InputOperator)
        fed[node.ordinal] = is_input or any(fed[data.node.ordinal] for data in node.dependencies())
    return fed


def _step(node: Node, kept: set[Key]) -> Step:
    operator = node.operator
    arguments = tuple(
        (name, _key(data), operator.params[name]) for name, data in node.arguments.items()
    )
    constants = {
        name: getattr(operator, name)
        for name, declared in operator.params.items()
        if declared.per_sample and name not in node.arguments
    }
    flags = tuple((node.ordinal, i) in kept for i in range(len(node.outputs)))
    return Step(node, tuple(map(_key, node.inputs)), constants, arguments, flags)
