"""The graph that a pipeline definition builds: nodes, and the `DataNode`s between them."""

from __future__ import annotations

import itertools
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..errors import ArgumentError
from ..tensors import TensorList
from .branch_operators import Merge
from .branches import Branch, check_branches
from .callers import caller
from .constants import ConstantOperator, constant_array, data_array
from .copies import Copy, Transfer
from .derivation import Axes, Derivation, derive
from .index_keys import newaxis, split_key
from .inputs import FedInput, InputOperator
from .node_arithmetic import NodeArithmetic
from .node_devices import check_devices, default_device
from .node_values import NodeValues
from .operator import OPERATORS, CompositeOperator, Operator
from .params import NO_EFFECT, Required
from .sequences import Sequences

__all__ = ["DataNode", "newaxis"]  # the module is public as `penstock.data_node`


class StoredCall(NamedTuple):
    """The call of a node that was made again of a stored graph.

    Attributes:
        number: of the call among all calls of the graph that was stored.
    """

    number: int


@dataclass(eq=False)
class Node:
    """One operator of a graph.

    Attributes:
        name: unique in the graph.
        wanted_name: the user's name for the node, or None.
        made_at: file and line of the user's program.
        ordinal: number in the graph. A node made outside of a definition has -1 until the graph of
            a pipeline adopts the node.
        number: number among all nodes of the process, in the order of creation.
        sequences: the data that the operator gets frame by frame; None if it gets whole samples.
        call: equal for nodes that one call made of several sets of inputs. These nodes draw the
            same random numbers.
        is_open: whether its data may come with layouts that the definition does not know.
        problem: why its operator cannot work on data of these layouts, or "": see `derivation.py`.
        branch: which samples the operator computes; None for all: see `branches.py`.
        values: a batch for each output, if the operator runs at once, as in debug mode.
    """

    operator: Operator
    inputs: tuple[DataNode, ...]
    arguments: dict[str, DataNode]
    wanted_name: str | None
    made_at: str
    name: str = ""
    ordinal: int = -1
    outputs: tuple[DataNode, ...] = ()
    number: int = field(default_factory=itertools.count().__next__)
    sequences: Sequences | None = None
    call: object = field(default_factory=object)
    is_open: bool = False
    problem: str = ""
    branch: Branch[DataNode] | None = None
    values: tuple[TensorList, ...] | None = None

    def __post_init__(self) -> None:
        self.name = self.wanted_name or self.stem

    @property
    def stem(self) -> str:
        """The operator's name as the start of the node's name."""
        return self.operator.name.lstrip("_").replace(".", "_")

    @property
    def device(self) -> str:
        """Stage in which the operator runs: "cpu", "mixed" or "gpu"."""
        return "cpu" if self.operator.on_gpu.copies_results else self.operator.device

    def conditions(self) -> tuple[tuple[DataNode, bool], ...]:
        """Return which values of which conditions the samples have that the operator computes."""
        return () if self.branch is None else self.branch.conditions()

    def dependencies(self) -> tuple[DataNode, ...]:
        """Return all data that the operator needs, the conditions of its branch included."""
        conditions = () if self.branch is None else [data for data, _ in self.branch.conditions()]
        return (*self.inputs, *self.arguments.values(), *conditions)

    def __str__(self) -> str:
        return f"{self.operator.called} ({self.name!r}, made at {self.made_at})"


@dataclass(eq=False)
class Graph:
    """The nodes of one pipeline, in an order in which each node follows its dependencies.

    Attributes:
        nodes: in this order.
        pipeline: returns the pipeline, or None; a weak reference, so that nodes keep none alive.
        conditionals: whether `if` may depend on data in the pipeline's definition.
        branch: in which operators are called now.
    """

    nodes: list[Node] = field(default_factory=list)
    pipeline: Callable[[], Any] = lambda: None
    conditionals: bool = False
    branch: Branch[DataNode] | None = None

    def add(self, node: Node) -> None:
        """Append a node whose dependencies are in the graph; set the node's name and number."""
        node.name = self._unique_name(node)
        node.ordinal = len(self.nodes)
        self.nodes.append(node)

    def holds(self, node: Node) -> bool:
        """Return whether a node belongs to this graph."""
        return node.ordinal >= 0 and self.nodes[node.ordinal : node.ordinal + 1] == [node]

    def adopt(self, *data: DataNode) -> None:
        """Add the nodes of `data`, and their dependencies, unless the graph has these nodes.

        The graph adds nodes that were made outside of any definition in the order of their
        creation. Names, numbers and random numbers are therefore the same as for nodes that were
        made in the definition.

        Raises:
            ArgumentError: the data belongs to another pipeline.
        """
        new: set[Node] = set()
        pending = [*data]
        while pending:
            data_node = pending.pop()
            node = data_node.node
            if node.ordinal < 0 and node not in new:
                new.add(node)
                pending += node.dependencies()
            elif node.ordinal >= 0 and not self.holds(node):
                raise ArgumentError(
                    f"{data_node.label} belongs to another pipeline (made at {node.made_at}); make "
                    "the data in the definition that uses it"
                )
        for node in sorted(new, key=lambda node: node.number):
            self.add(node)

    def with_data(
        self,
        operator_class: type[Operator],
        inputs: Sequence[object],
        arguments: Mapping[str, object],
    ) -> tuple[Sequence[object], Mapping[str, object]]:
        """Return inputs and arguments of a call, in which batches have become nodes.

        Only graphs whose operators run at once take batches: see `engine/eager/eager_graph.py`.
        """
        return inputs, arguments

    def _unique_name(self, node: Node) -> str:
        taken = {node.name for node in self.nodes}
        if node.wanted_name is not None:
            if node.wanted_name in taken:
                raise ArgumentError(
                    f"two operators are named {node.wanted_name!r}; give each operator its own name"
                )
            return node.wanted_name
        count = len(self.nodes)
        while f"{node.stem}_{count}" in taken:
            count += 1
        return f"{node.stem}_{count}"


_defining = threading.local()
_NOT_ITERABLE = re.compile(r"non-iterable \w*Node\b|Node' object is not iterable")


@contextmanager
def defining(graph: Graph) -> Iterator[None]:
    """Add operators that this block calls to `graph`."""
    graphs = _stack()
    depth = len(graphs)
    push_graph(graph)
    try:
        yield
    except TypeError as error:
        if _NOT_ITERABLE.search(str(error)):
            error.add_note(
                "an output of an operator cannot be unpacked or iterated; use an index such as "
                "`node[0]` to select an element of each sample"
            )
        raise
    finally:
        del graphs[depth:]  # also what the block has pushed and not popped


def push_graph(graph: Graph | None) -> None:
    """Add operators that this thread calls from now on to `graph`; with None to no graph."""
    _stack().append(graph)


def pop_graph() -> None:
    """End what the last `push_graph` of this thread began, if any."""
    if graphs := _stack():
        graphs.pop()


def current_branch() -> Branch[DataNode] | None:
    """Return the branch being defined, if any."""
    graph = current_graph()
    branch: Branch[DataNode] | None = getattr(graph or _defining, "branch", None)
    return branch


def branch_of(data: Iterable[DataNode]) -> Branch[DataNode] | None:
    """Return the branch in which an operator works that gets these data."""
    branch = current_branch()
    for data_node in data:
        own = data_node.node.branch
        if own is not None and own.is_split and (branch is None or branch.encloses(own)):
            branch = own
    return branch


def enter_branch(branch: Branch[DataNode] | None) -> None:
    """Let the operators that this thread calls from now on work in a branch."""
    graph = current_graph()
    if graph is None:
        _defining.branch = branch
    else:
        graph.branch = branch


@contextmanager
def in_branch(branch: Branch[DataNode] | None) -> Iterator[None]:
    """Let the operators of this block work in a branch."""
    previous = current_branch()
    enter_branch(branch)
    try:
        yield
    finally:
        enter_branch(previous)


def current_graph() -> Graph | None:
    """Return the graph being defined, if any."""
    graphs = _stack()
    return graphs[-1] if graphs else None


def _stack() -> list[Graph | None]:
    """Return the graphs that this thread defines, the innermost last."""
    graphs: list[Graph | None] | None = getattr(_defining, "graphs", None)
    if graphs is None:
        graphs = _defining.graphs = []
    return graphs


@contextmanager
def set_of_call(call: object) -> Iterator[None]:
    """Let the operators of this block draw the random numbers of all blocks of the same `call`."""
    previous = getattr(_defining, "set", None)
    _defining.set = call, itertools.count()
    try:
        yield
    finally:
        _defining.set = previous


def _call_of(operator: Operator) -> object:
    """Return what the nodes of this operator share, in all sets of inputs of one call."""
    current: tuple[object, Iterator[int]] | None = getattr(_defining, "set", None)
    if current is None or isinstance(operator, Transfer | ConstantOperator):
        return object()
    call, numbers = current
    return call, next(numbers)


class DataNode(NodeValues, NodeArithmetic["DataNode"]):
    """One output of an operator, for every sample.

    Nodes support arithmetic (`a * 2 + b`, `a < b`, `a & b`), indices and slices
    (`image[10:-10, :, 0]`, `shape[1]`), and copies between devices (`.gpu()`, `.cpu()`).
    Results have the types that DALI returns: see `operators/elementwise/promotion.py`.
    """

    __array_priority__ = 1000.0  # so that NumPy calls the node's method for `array * node`
    __array_ufunc__ = None

    def __init__(
        self, node: Node, index: int, device: str, layout: str, ndim: int | None = None
    ) -> None:
        self.node = node
        self.index = index
        self.device = device
        self.layout = layout
        self.ndim = ndim

    @property
    def axes(self) -> Axes:
        """What is known of the axes of each sample."""
        return Axes(self.layout, self.ndim)

    @property
    def name(self) -> str:
        """Name of the operator, with the output's number if it has several."""
        several = len(self.node.outputs) > 1
        return f"{self.node.name}[{self.index}]" if several else self.node.name

    @property
    def batch(self) -> TensorList | None:
        """The values as the operator has returned them; None while a pipeline is defined."""
        return None if self.node.values is None else self.node.values[self.index]

    def gpu(self) -> DataNode:
        """Return this data on the GPU."""
        return self if self.device == "gpu" else _apply(Copy, self, device="gpu")

    def cpu(self) -> DataNode:
        """Return this data on the CPU."""
        return self if self.device == "cpu" else _apply(Copy, self, device="cpu")

    def shape(self, *, dtype: Any = None, device: str = "cpu") -> DataNode:
        """Return each sample's shape as a one-dimensional tensor (int64 by default).

        In debug mode the result is also equal to a list of the shapes, as tuples.
        """
        shapes = _apply("shapes", self, dtype=dtype, device=device)
        return shapes if self.batch is None else ShapesNode(shapes)

    def property(self, key: str, *, device: str = "cpu") -> DataNode:
        """Return a property of each sample, such as its layout: see `fn.get_property`."""
        return _apply("get_property", self, key=key, device=device)

    def source_info(self, *, device: str = "cpu") -> DataNode:
        """Return the location of each sample, as bytes of text in UTF-8."""
        return self.property("source_info", device=device)

    def __getitem__(self, val: object) -> DataNode:
        constant, data = split_key(val, lambda value: isinstance(value, DataNode))
        if not data:
            return _apply("_subscript", self, key=constant)
        return _apply("_subscript", self, key=constant, indices=_apply("_indices", *data))

    def __bool__(self) -> bool:
        raise TypeError(_no_truth(self))

    __iter__ = None  # unlike a method that raises, this says that nodes are not iterable

    def _binary(self, function: str, other: object, *, swapped: bool = False) -> DataNode:
        if is_group_of_nodes(other):
            raise TypeError(
                f"arithmetic on {self.label} and a {type(other).__name__} of nodes. An operator "
                "with several outputs returns a list: select one node of the list"
            )
        operands = (other, self) if swapped else (self, other)
        return _apply("_arithmetic", *operands, function=function)

    def _unary(self, function: str) -> DataNode:
        return _apply("_arithmetic", self, function=function)

    def __pos__(self) -> DataNode:
        return self


def _no_truth(data: DataNode) -> str:
    """Return why data are neither true nor false here, and what helps."""
    lack = "no values while the pipeline is defined" if data.batch is None else "several values"
    text = f"{data.label} has {lack}, so it is neither true nor false"
    graph = current_graph()
    if graph is None or not graph.conditionals:
        return (
            f'{text}: "DataNode" was used in conditional context. To use conditional execution '
            "via `if` statements you need to specify `enable_conditionals=True` in "
            "`@penstock.pipeline_def` decorator"
        )
    return (
        f"{text}. `if`, `and`, `or`, `not`, `assert` and `a if b else c` may depend on data in "
        f"functions that the pipeline's definition calls. The code at {caller()} is not such "
        "a function; or it uses data in `bool()`, `while`, `in` or `match`; or its source is not "
        "in a file; or it is marked with do_not_convert"
    )


class ShapesNode(DataNode):
    """The shapes of a node that has values. They are also equal to a list of tuples."""

    def __init__(self, shapes: DataNode) -> None:
        super().__init__(shapes.node, shapes.index, shapes.device, shapes.layout, shapes.ndim)

    def tuples(self) -> list[tuple[int, ...]]:
        """Return the shape of each sample."""
        return [tuple(row.tolist()) for row in self.get().as_cpu().rows()]

    def __eq__(self, other: Any) -> Any:
        return self.tuples() == other if isinstance(other, list) else super().__eq__(other)

    def __ne__(self, other: Any) -> Any:
        return self.tuples() != other if isinstance(other, list) else super().__ne__(other)

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return str(self.tuples())


def _apply(operator: str | type[Operator], *inputs: object, **arguments: object) -> DataNode:
    operator_class = OPERATORS[operator] if isinstance(operator, str) else operator
    (result,) = add_node(operator_class, inputs, arguments)
    return result


def add_node(
    operator_class: type[Operator],
    inputs: Sequence[object],
    arguments: Mapping[str, Any],
    *,
    device: str | None = None,
    name: str | None = None,
) -> tuple[DataNode, ...]:
    """Make a node for an operator, add the node to the current graph, and return its outputs.

    Outside of a definition there is no current graph. The node then has no graph until a pipeline
    that returns its data adopts it.
    """
    graph = current_graph()
    if graph is not None:
        inputs, arguments = graph.with_data(operator_class, inputs, arguments)
    arguments = dict(arguments)
    device = device or arguments.pop("device", None)
    if name is not None and not isinstance(name, str):
        raise ArgumentError(f"{operator_class.called}: name must be str, but is {name!r}")
    _check_input_count(operator_class, inputs)
    nodes = tuple(_as_node(value, i, operator_class) for i, value in enumerate(inputs))
    if device is None:
        device = default_device(operator_class, nodes)
    if device == "gpu":
        nodes = _moved_for_gpu(operator_class, nodes)
    data = {k: own_constant(v) for k, v in arguments.items() if isinstance(v, DataNode)}
    constants = {k: v for k, v in arguments.items() if k not in data}
    derived = _derived(operator_class, device, constants, nodes, data)
    operator = derived.operator
    if isinstance(operator, CompositeOperator):
        return operator.compose(name, *nodes)
    # Of merged data the condition alone says in which branch they are.
    decisive = nodes[:1] if isinstance(operator, Merge) else (*nodes, *data.values())
    branch = None if isinstance(operator, InputOperator | ConstantOperator) else branch_of(decisive)
    node = _node(derived, nodes, data, name, caller(), _call_of(operator), branch)
    if graph is not None:
        graph.adopt(*node.dependencies())
        graph.add(node)
    elif not node.outputs:
        raise ArgumentError(
            f"{operator.called} has no output, so a pipeline can use it only if its definition "
            "makes the call: call it in a pipeline definition"
        )
    return node.outputs


def restored_node(
    operator_class: type[Operator],
    device: str,
    constants: Mapping[str, object],
    inputs: tuple[DataNode, ...],
    data: dict[str, DataNode],
    *,
    name: str,
    made_at: str,
    call: object,
    branch: Branch[DataNode] | None,
) -> Node:
    """Make the node of a stored graph again, without a graph; the arguments are those of a `Node`.

    Raises:
        ArgumentError: the operator refuses its arguments, or the devices of its data.
    """
    derived = _derived(operator_class, device, constants, inputs, data)
    return _node(derived, inputs, data, name, made_at, call, branch)


def _derived(
    operator_class: type[Operator],
    device: str,
    constants: Mapping[str, object],
    inputs: Sequence[DataNode],
    data: Mapping[str, DataNode],
) -> Derivation:
    return derive(
        operator_class,
        device,
        constants,
        [data_node.axes for data_node in inputs],
        {name: data_node.layout for name, data_node in data.items()},
        is_open=_are_open(inputs, data),
    )


def _are_open(inputs: Sequence[DataNode], data: Mapping[str, DataNode]) -> bool:
    return any(data_node.node.is_open for data_node in (*inputs, *data.values()))


def _node(
    derived: Derivation,
    inputs: tuple[DataNode, ...],
    data: dict[str, DataNode],
    name: str | None,
    made_at: str,
    call: object,
    branch: Branch[DataNode] | None,
) -> Node:
    operator = derived.operator
    node = Node(
        operator,
        inputs,
        data,
        name,
        made_at,
        sequences=derived.sequences,
        call=call,
        is_open=_are_open(inputs, data)
        or (isinstance(operator, FedInput) and operator.learns_layouts),
        problem=derived.problem,
        branch=branch,
    )
    check_devices(node, operator, inputs, data.values())
    if not isinstance(operator, Merge):
        check_branches(node, branch, ((used, used.node) for used in (*inputs, *data.values())))
    node.outputs = outputs_of(node, derived.results)
    return node


def outputs_of(node: Node, results: Sequence[Axes]) -> tuple[DataNode, ...]:
    """Return the outputs of a node, whose axes are known."""
    side = "cpu" if node.device == "cpu" else "gpu"
    return tuple(DataNode(node, i, side, *axes) for i, axes in enumerate(results))


def _as_node(value: object, number: int, operator_class: type[Operator]) -> DataNode:
    if isinstance(value, DataNode):
        return own_constant(value)
    called = operator_class.called
    if is_group_of_nodes(value):
        raise ArgumentError(
            f"input {number} of {called} is a {type(value).__name__} of nodes. An operator with "
            "several outputs returns a list: pass one node of the list"
        )
    if value is None or isinstance(value, str | bytes):
        raise ArgumentError(
            f"input {number} of {called} is {value!r}; pass a DataNode, a number or an array"
        )
    is_operand = operator_class.name == "_arithmetic"
    return _apply(
        ConstantOperator, value=constant_array(value) if is_operand else data_array(value)
    )


def own_constant(data: DataNode) -> DataNode:
    """Return a constant as a node of the current graph; return other data unchanged.

    A program can therefore make a constant once and use it in several pipelines.
    """
    graph, operator = current_graph(), data.node.operator
    if graph is None or graph.holds(data.node):
        return data
    if isinstance(operator, Transfer):
        (source,) = data.node.inputs
        own = own_constant(source)
        return data if own is source else own.gpu() if data.device == "gpu" else own.cpu()
    if isinstance(operator, ConstantOperator):
        return _apply(ConstantOperator, value=operator.value, layout=operator.layout)
    return data


def is_group_of_nodes(value: object) -> bool:
    """Return whether `value` is a list or a tuple that holds nodes."""
    return isinstance(value, tuple | list) and any(
        isinstance(data_node, DataNode) for data_node in value
    )


def _check_input_count(operator_class: type[Operator], inputs: Sequence[object]) -> None:
    declared, count = operator_class.declared_inputs, len(inputs)
    least = sum(not (each.optional or each.many) for each in declared)
    unlimited = bool(declared) and declared[-1].many
    if count < least or (count > len(declared) and not unlimited):
        wanted = ", ".join(map(str, declared)) or "none"
        raise ArgumentError(
            f"{operator_class.called} expects the inputs ({wanted}), but got {count}"
            + _keyword_hint(operator_class, inputs[len(declared) :])
        )


def _keyword_hint(operator_class: type[Operator], surplus: Sequence[object]) -> str:
    """Return how a surplus input may be meant: as the likeliest argument that takes its value."""
    words = operator_class.name.split("_")

    def rank(name: str) -> tuple[bool, bool]:
        return not isinstance(operator_class.params[name].default, Required), name not in words

    if not surplus or isinstance(surplus[0], DataNode | bool):
        return ""
    for name in sorted(operator_class.params, key=rank):
        declared = operator_class.params[name]
        if declared.doc != NO_EFFECT:
            with suppress(TypeError, ValueError, OverflowError):
                declared.convert(surplus[0])
                return f"; give arguments by keyword, such as {name}={surplus[0]!r}"
    return ""


def _moved_for_gpu(
    operator_class: type[Operator], inputs: tuple[DataNode, ...]
) -> tuple[DataNode, ...]:
    """Copy constants to the GPU, and to the CPU what an operator of the GPU reads there."""
    if operator_class.on_gpu.metadata_only or issubclass(operator_class, Transfer):
        return inputs

    def moved(data: DataNode, wanted: str) -> DataNode:
        if wanted == "cpu":
            return data.cpu()
        constant = isinstance(data.node.operator, ConstantOperator)
        return data.gpu() if constant and wanted == "same" else data

    return tuple(moved(data, operator_class.input_at(i).device) for i, data in enumerate(inputs))
