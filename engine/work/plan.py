"""From the graph to the plan that the executor runs: segments, each of one type.

A batch walks through the segments in order. The feeder thread runs a `batch` segment, operator
by operator. The workers run a `sample` segment: each takes one sample through all operators of
the segment. The device stage runs a `gpu` segment.

Nothing here runs an operator: the plan is a pure function of the graph.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Any, Generic, NamedTuple, TypeVar

from ..graph.branch_operators import Merge
from ..graph.inputs import FedInput, InputOperator, SeekableInput
from ..graph.nodes import DataNode, Graph, Node
from ..graph.operator import Operator, SampleOperator
from ..graph.params import Param

Key = tuple[int, int]
"""One output: the node's ordinal and the output's number."""

Conditions = tuple[tuple[Key, bool], ...]
"""Truth values, and what they are for some samples."""


_MANY_READS: Mapping[Key, int] = defaultdict(lambda: 2)
"""How often each data is read, if a user may look at all."""


class SegmentType(StrEnum):
    """Which threads run a segment: the feeder, the workers or the device stage."""

    BATCH = "batch"
    SAMPLE = "sample"
    GPU = "gpu"


Group = tuple[int, SegmentType]
"""Level and type of a segment. A batch walks through its segments in the order of these."""


@dataclass(frozen=True)
class Step:
    """One operator of a segment, with the sources of its data.

    Attributes:
        node: the operator in the graph.
        inputs: the outputs that the operator takes as inputs.
        constants: arguments that are the same for all samples.
        arguments: arguments that vary by sample, each with its source and its declaration.
        kept: for each output, whether the output is needed outside of the segment.
        shared: data that others read, of which inputs may be views, if the operator may change its
            inputs.
        conditions: truth values, and what they are for the samples that the operator computes;
            the outermost condition first. None of them for an operator that computes all samples.
        done_with: ordinals of the segment's nodes whose outputs nothing reads after this step.
    """

    node: Node
    inputs: tuple[Key, ...]
    constants: dict[str, Any]
    arguments: tuple[tuple[str, Key, Param], ...]
    kept: tuple[bool, ...]
    shared: tuple[Key, ...] = ()
    conditions: Conditions = ()
    done_with: tuple[int, ...] = ()

    @cached_property
    def title(self) -> str:
        """The operator with its name and the line that made it, for messages."""
        return str(self.node)

    @cached_property
    def layouts(self) -> tuple[str, ...]:
        """Layouts of the operator's outputs."""
        return tuple(data.layout for data in self.node.outputs)


class Segment(NamedTuple):
    """Operators that threads of one type run one after the other.

    Attributes:
        type: which threads run the segment.
        steps: the operators in order.
        repeatable: whether all work up to the segment's end can be repeated for one row alone.
    """

    type: SegmentType
    steps: tuple[Step, ...]
    repeatable: bool


Role = TypeVar("Role", bound=InputOperator, covariant=True)


@dataclass(frozen=True)
class InputNode(Generic[Role]):
    """An input of the graph: its node, and the node's operator in its role."""

    node: Node
    operator: Role


@dataclass(frozen=True, eq=False)
class Plan:
    """The work of a pipeline on each batch.

    Attributes:
        segments: the segments in the order in which a batch walks through them.
        outputs, layouts: the outputs of the pipeline, and their layouts.
        output_conditions: which samples each output has: those of its branch.
        readers: inputs that are read in the order of a sampler.
        sources: inputs that user code feeds.
        nodes: all nodes that the outputs need, in the graph's order.
    """

    segments: tuple[Segment, ...]
    outputs: tuple[Key, ...]
    layouts: tuple[str, ...]
    readers: tuple[InputNode[SeekableInput], ...]
    sources: tuple[InputNode[FedInput], ...]
    nodes: tuple[Node, ...]
    output_conditions: tuple[Conditions, ...]

    @cached_property
    def inputs(self) -> tuple[InputNode[InputOperator], ...]:
        """Readers and sources, in the graph's order."""
        both: tuple[InputNode[InputOperator], ...] = (*self.readers, *self.sources)
        return tuple(sorted(both, key=lambda source: source.node.ordinal))

    @cached_property
    def uses_gpu(self) -> bool:
        """Whether any operator needs a device."""
        return any(segment.type == SegmentType.GPU for segment in self.segments)

    @property
    def uses_workers(self) -> bool:
        """Whether any operator works sample by sample, or may do so for some layouts of data."""
        return any(segment.type == SegmentType.SAMPLE for segment in self.segments) or any(
            node.is_open and is_light(node.operator) for node in self.nodes
        )


def make_plan(graph: Graph, outputs: tuple[DataNode, ...]) -> Plan:
    """Order the nodes that `outputs` need, and cut them into segments."""
    nodes = _needed(graph, outputs)
    fed = _fed(nodes)
    homes = groups_of(nodes)
    groups: dict[Group, list[Node]] = {}
    for node in nodes:
        groups.setdefault(homes[node.ordinal], []).append(node)
    kept = {_key(data) for data in outputs}
    kept |= {_key(each) for data in outputs for each, _ in data.node.conditions()}
    for node in nodes:
        for data in node.dependencies():
            if homes[data.node.ordinal] != homes[node.ordinal]:
                kept.add(_key(data))
        if isinstance(node.operator, Merge):  # the names of its samples depend on the condition
            kept.add(_key(node.inputs[0]))
    reads = _reads(nodes, outputs)
    segments: list[Segment] = []
    for group in sorted(groups):
        steps = _until_done([_step(node, _flags(node, kept), reads) for node in groups[group]])
        so_far = (not segments or segments[-1].repeatable) and all(
            _is_repeatable(node, group[1], fed) for node in groups[group]
        )
        segments.append(Segment(group[1], steps, so_far))
    return _plan(segments, outputs, nodes)


def _plan(segments: Sequence[Segment], outputs: Sequence[DataNode], nodes: Sequence[Node]) -> Plan:
    layouts = tuple(data.layout for data in outputs)
    used = [(node, node.operator) for node in nodes]
    readers = tuple(InputNode(node, each) for node, each in used if isinstance(each, SeekableInput))
    sources = tuple(InputNode(node, each) for node, each in used if isinstance(each, FedInput))
    keys = tuple(map(_key, outputs))
    rows = tuple(_conditions(data.node) for data in outputs)
    return Plan(tuple(segments), keys, layouts, readers, sources, tuple(nodes), rows)


def groups_of(nodes: Sequence[Node]) -> dict[int, Group]:
    """Return the group of each node, by its ordinal; a group is a segment of a plan.

    Args:
        nodes: each after its dependencies, which may also come from elsewhere.
    """
    types = _segment_types(nodes, _fed(nodes))
    levels = _levels(nodes, types)
    return {ordinal: (levels[ordinal], type_) for ordinal, type_ in types.items()}


def stepwise_plan(nodes: Sequence[Node], outputs: Sequence[DataNode] = ()) -> Plan:
    """Return a plan that runs each node by itself, in their order, and keeps all results.

    Args:
        nodes: each after its dependencies, which may also come from elsewhere.
        outputs: of the pipeline.
    """
    fed = _fed(nodes)
    segments: list[Segment] = []
    for node in nodes:
        type_ = _segment_type(node, fed[node.ordinal], whole=True)
        flags = (True,) * len(node.outputs)
        so_far = (not segments or segments[-1].repeatable) and _is_repeatable(node, type_, fed)
        segments.append(Segment(type_, (_step(node, flags, _MANY_READS),), so_far))
    return _plan(segments, outputs, nodes)


def is_light(operator: Operator) -> bool:
    """Return whether an operator works on whole batches that come from samples: see `light`."""
    return isinstance(operator, SampleOperator) and operator.light


def _is_repeatable(node: Node, type_: SegmentType, fed: Mapping[int, bool]) -> bool:
    """Return whether the work of a node can be repeated for one row alone."""
    return (
        type_ == SegmentType.SAMPLE
        or (type_ == SegmentType.BATCH and is_light(node.operator))
        or not any(_is_fed(data, fed) for data in node.dependencies())
    )


def _key(data: DataNode) -> Key:
    return data.node.ordinal, data.index


def _conditions(node: Node) -> Conditions:
    return tuple((_key(data), wanted) for data, wanted in node.conditions())


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


def _segment_types(nodes: Sequence[Node], fed: Mapping[int, bool]) -> dict[int, SegmentType]:
    """Return the type of the segment that runs each node.

    A sample operator that can also work on a whole batch does so on random numbers and constants,
    which do not come from samples: one call for the batch is much cheaper than one a sample. A
    light operator does so on the samples of readers and of other batch operators, too.
    """
    types: dict[int, SegmentType] = {}
    for node in nodes:
        needs = {types.get(data.node.ordinal, "batch") for data in node.dependencies()}
        types[node.ordinal] = _segment_type(node, fed[node.ordinal], whole=needs <= {"batch"})
    return types


def _segment_type(node: Node, fed: bool, *, whole: bool) -> SegmentType:
    """Return the type of the segment that runs a node.

    Args:
        node: the node.
        fed: whether its data depend on the samples of an input.
        whole: whether its data lie there as whole batches.
    """
    operator = node.operator
    suits = not fed or (is_light(operator) and node.sequences is None)
    if node.device != "cpu" or any(data.device == "gpu" for data in node.inputs):
        return SegmentType.GPU
    if not isinstance(operator, SampleOperator) or (hasattr(operator, "batch") and suits and whole):
        return SegmentType.BATCH
    return SegmentType.SAMPLE


def _levels(nodes: Sequence[Node], types: Mapping[int, SegmentType]) -> dict[int, int]:
    """Return the level of each node: one above the nodes of other segment types that it needs.

    Data that the device stage copies to the host is complete at the end of the whole segment. So
    a GPU operator that needs such data on the host stands one level above, too.
    """
    levels: dict[int, int] = {}
    for node in nodes:
        own = types[node.ordinal]
        levels[node.ordinal] = max(
            (
                levels[data.node.ordinal]
                + (
                    types[data.node.ordinal] != own
                    or (own == SegmentType.GPU and data.device == "cpu")
                )
                for data in node.dependencies()
                if data.node.ordinal in levels
            ),
            default=0,
        )
    return levels


def _fed(nodes: Sequence[Node]) -> dict[int, bool]:
    """Return, for each node, whether its data depend on an input's samples."""
    fed: dict[int, bool] = {}
    for node in nodes:
        is_input = isinstance(node.operator, InputOperator)
        fed[node.ordinal] = is_input or any(_is_fed(data, fed) for data in node.dependencies())
    return fed


def _is_fed(data: DataNode, fed: Mapping[int, bool]) -> bool:
    """Return whether data depend on an input's samples; data from elsewhere count so, too."""
    return fed.get(data.node.ordinal, True)


def _reads(nodes: list[Node], outputs: tuple[DataNode, ...]) -> Counter[Key]:
    """Return how often the elements of each data are read, by operators and as outputs."""
    reads = Counter(map(_key, outputs))
    for node in nodes:
        if not node.operator.on_gpu.metadata_only:
            reads.update(map(_key, node.dependencies()))
    return reads


def _shared(node: Node, reads: Mapping[Key, int]) -> tuple[Key, ...]:
    """Return the data that others read, of which the node's inputs may be views."""
    found: dict[Key, None] = {}
    pending = [data for i, data in enumerate(node.inputs) if node.operator.input_at(i).may_change]
    while pending:
        data = pending.pop()
        if _key(data) not in found:
            found[_key(data)] = None
            pending += data.node.inputs
    return tuple(key for key in found if reads[key] > 1)


def _until_done(steps: Sequence[Step]) -> tuple[Step, ...]:
    """Return the steps of a segment, each with the nodes whose outputs nothing reads afterwards."""
    own = {step.node.ordinal for step in steps if not any(step.kept)}
    last: dict[int, int] = {}
    for i, step in enumerate(steps):
        arguments = [key for _, key, _ in step.arguments]
        conditions = [key for key, _ in step.conditions]
        for ordinal, _ in (*step.inputs, *arguments, *conditions, (step.node.ordinal, 0)):
            last[ordinal] = i
    return tuple(
        replace(step, done_with=tuple(o for o, at in last.items() if at == i and o in own))
        for i, step in enumerate(steps)
    )


def _flags(node: Node, kept: set[Key]) -> tuple[bool, ...]:
    """Return for each output of a node whether it is kept."""
    return tuple((node.ordinal, i) in kept for i in range(len(node.outputs)))


def _step(node: Node, flags: tuple[bool, ...], reads: Mapping[Key, int]) -> Step:
    operator = node.operator
    arguments = tuple(
        (name, _key(data), operator.params[name]) for name, data in node.arguments.items()
    )
    constants = {
        name: getattr(operator, declared.attribute)
        for name, declared in operator.params.items()
        if declared.per_sample and name not in node.arguments
    }
    keys = tuple(map(_key, node.inputs))
    shared = _shared(node, reads)
    return Step(node, keys, constants, arguments, flags, shared, _conditions(node))
