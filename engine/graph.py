"""The graph that a pipeline definition builds: nodes, and the `DataNode`s between them."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .errors import ArgumentError
from .keys import split_key
from .operator import OPERATORS, Operator

_PACKAGE = str(Path(__file__).resolve().parent.parent)


@dataclass(eq=False)
class Node:
    """One operator at its place in the graph."""

    operator: Operator
    inputs: tuple[DataNode, ...]
    arguments: dict[str, DataNode]
    name: str
    ordinal: int
    made_at: str
    outputs: tuple[DataNode, ...] = ()

    @property
    def device(self) -> str:
        """Stage in which the operator runs: "cpu", "mixed" or "gpu"."""
        return "cpu" if self.operator.copied else self.operator.device

    def dependencies(self) -> tuple[DataNode, ...]:
        """Return all data that the operator needs."""
        return (*self.inputs, *self.arguments.values())

    def __str__(self) -> str:
        return f"{self.operator.called} ({self.name!r}, made at {self.made_at})"


@dataclass(eq=False)
class Graph:
    """The nodes of one pipeline, in the order of their definition."""

    nodes: list[Node] = field(default_factory=list)

    def unique_name(self, wanted: str | None, operator: str) -> str:
        """Return the name for a new node; raise where the user's own is taken already."""
        taken = {node.name for node in self.nodes}
        if wanted is not None:
            if wanted in taken:
                raise ArgumentError(f"two operators are named {wanted!r}; names must differ")
            return wanted
        stem = operator.replace(".", "_")
        count = len(self.nodes)
        while f"{stem}_{count}" in taken:
            count += 1
        return f"{stem}_{count}"

    def check_own(self, data: DataNode) -> None:
        """Raise where `data` stems from another graph."""
        if self.nodes[data.node.ordinal : data.node.ordinal + 1] != [data.node]:
            raise ArgumentError(
                f"{data!r} belongs to another pipeline (made at {data.node.made_at}); data cannot "
                "pass from one pipeline's definition to another's"
            )


_defining = threading.local()


@contextmanager
def defining(graph: Graph) -> Iterator[None]:
    """Make `graph` the one that operators called in this block are added to."""
    previous = getattr(_defining, "graph", None)
    _defining.graph = graph
    try:
        yield
    finally:
        _defining.graph = previous


def current_graph(what: str) -> Graph:
    """Return the graph being defined; `what` names the caller for the error message."""
    graph: Graph | None = getattr(_defining, "graph", None)
    if graph is None:
        raise ArgumentError(
            f"{what} was called outside of a pipeline definition; call it in a function "
            "decorated with @pipeline_def, in Pipeline.define_graph, or in a `with pipeline:` block"
        )
    return graph


class DataNode:
    """The data that flows out of an operator: one output, for every sample.

    Nodes can be computed with (`a * 2 + b`, `a < b`, `a & b`), indexed and sliced
    (`image[10:-10, :, 0]`, `shape[1]`), and moved between devices (`.gpu()`, `.cpu()`).
    The types of results follow DALI's rules: see `operators/numeric/promotion.py`.
    """

    __array_priority__ = 1000.0  # NumPy leaves `array * node` to us
    __array_ufunc__ = None

    def __init__(self, node: Node, index: int, device: str, layout: str) -> None:
        self.node = node
        self.index = index
        self.device = device
        self.layout = layout

    @property
    def name(self) -> str:
        """Name of the operator, with the output's number if it has several."""
        several = len(self.node.outputs) > 1
        return f"{self.node.name}[{self.index}]" if several else self.node.name

    def gpu(self) -> DataNode:
        """Return this data on the GPU."""
        return self if self.device == "gpu" else _apply("copy", self, device="gpu")

    def cpu(self) -> DataNode:
        """Return this data on the CPU."""
        return self if self.device == "cpu" else _apply("copy", self, device="cpu")

    def shape(self, *, dtype: Any = None, device: str = "cpu") -> DataNode:
        """Return each sample's shape as a one-dimensional tensor (int64 by default)."""
        return _apply("shapes", self, dtype=dtype, device=device)

    def property(self, key: str, *, device: str = "cpu") -> DataNode:
        """Return what is known of each sample: see `fn.get_property`."""
        return _apply("get_property", self, key=key, device=device)

    def source_info(self) -> DataNode:
        """Return where each sample was read from, as the bytes of a text."""
        return self.property("source_info")

    def __getitem__(self, key: Any) -> DataNode:
        constant, data = split_key(key, lambda value: isinstance(value, DataNode))
        if not data:
            return _apply("_subscript", self, key=constant)
        return _apply("_subscript", self, key=constant, parts=_apply("_indices", *data))

    def __bool__(self) -> bool:
        raise TypeError(
            f"{self!r} stands for data that comes later, so it is neither true nor false while the "
            "pipeline is defined. Compute with it instead: `a * flag + b * (1 - flag)`, or give "
            "a per-sample argument"
        )

    def __iter__(self) -> Iterator[DataNode]:
        raise TypeError(
            f"{self!r} is one output and cannot be unpacked; "
            "index it (`node[0]`) to take a part of each sample"
        )

    def __repr__(self) -> str:
        return f"DataNode({self.name!r}, device={self.device!r})"

    def _binary(self, function: str, other: Any, *, swapped: bool = False) -> DataNode:
        operands = (other, self) if swapped else (self, other)
        return _apply("_arithmetic", *operands, function=function)

    def __add__(self, other: Any) -> DataNode:
        return self._binary("add", other)

    def __radd__(self, other: Any) -> DataNode:
        return self._binary("add", other, swapped=True)

    def __sub__(self, other: Any) -> DataNode:
        return self._binary("sub", other)

    def __rsub__(self, other: Any) -> DataNode:
        return self._binary("sub", other, swapped=True)

    def __mul__(self, other: Any) -> DataNode:
        return self._binary("mul", other)

    def __rmul__(self, other: Any) -> DataNode:
        return self._binary("mul", other, swapped=True)

    def __truediv__(self, other: Any) -> DataNode:
        return self._binary("truediv", other)

    def __rtruediv__(self, other: Any) -> DataNode:
        return self._binary("truediv", other, swapped=True)

    def __floordiv__(self, other: Any) -> DataNode:
        return self._binary("floordiv", other)

    def __rfloordiv__(self, other: Any) -> DataNode:
        return self._binary("floordiv", other, swapped=True)

    def __mod__(self, other: Any) -> DataNode:
        return self._binary("mod", other)

    def __rmod__(self, other: Any) -> DataNode:
        return self._binary("mod", other, swapped=True)

    def __pow__(self, other: Any) -> DataNode:
        return self._binary("pow", other)

    def __rpow__(self, other: Any) -> DataNode:
        return self._binary("pow", other, swapped=True)

    def __and__(self, other: Any) -> DataNode:
        return self._binary("and", other)

    def __rand__(self, other: Any) -> DataNode:
        return self._binary("and", other, swapped=True)

    def __or__(self, other: Any) -> DataNode:
        return self._binary("or", other)

    def __ror__(self, other: Any) -> DataNode:
        return self._binary("or", other, swapped=True)

    def __xor__(self, other: Any) -> DataNode:
        return self._binary("xor", other)

    def __rxor__(self, other: Any) -> DataNode:
        return self._binary("xor", other, swapped=True)

    def __lshift__(self, other: Any) -> DataNode:
        return self._binary("lshift", other)

    def __rlshift__(self, other: Any) -> DataNode:
        return self._binary("lshift", other, swapped=True)

    def __rshift__(self, other: Any) -> DataNode:
        return self._binary("rshift", other)

    def __rrshift__(self, other: Any) -> DataNode:
        return self._binary("rshift", other, swapped=True)

    def __lt__(self, other: Any) -> DataNode:
        return self._binary("lt", other)

    def __le__(self, other: Any) -> DataNode:
        return self._binary("le", other)

    def __gt__(self, other: Any) -> DataNode:
        return self._binary("gt", other)

    def __ge__(self, other: Any) -> DataNode:
        return self._binary("ge", other)

    def __eq__(self, other: Any) -> DataNode:  # type: ignore[override]
        return self._binary("eq", other)

    def __ne__(self, other: Any) -> DataNode:  # type: ignore[override]
        return self._binary("ne", other)

    __hash__ = object.__hash__

    def __neg__(self) -> DataNode:
        return _apply("_arithmetic", self, function="neg")

    def __pos__(self) -> DataNode:
        return self

    def __invert__(self) -> DataNode:
        return _apply("_arithmetic", self, function="invert")

    def __abs__(self) -> DataNode:
        return _apply("_arithmetic", self, function="abs")


def _apply(operator: str, *inputs: Any, **arguments: Any) -> DataNode:
    (result,) = add_node(OPERATORS[operator], inputs, arguments)
    return result


def add_node(
    kind: type[Operator],
    inputs: Sequence[Any],
    arguments: Mapping[str, Any],
    *,
    device: str | None = None,
    name: str | None = None,
) -> tuple[DataNode, ...]:
    """Add an operator to the graph being defined and return its outputs."""
    graph = current_graph(kind.called)
    arguments = dict(arguments)
    device = device or arguments.pop("device", None)
    nodes = tuple(_as_node(value, i, kind) for i, value in enumerate(inputs))
    _check_input_count(kind, len(nodes))
    if device is None:
        device = _default_device(kind, nodes)
    data = {k: v for k, v in arguments.items() if isinstance(v, DataNode)}
    constants = {k: v for k, v in arguments.items() if k not in data}
    for value in (*nodes, *data.values()):
        graph.check_own(value)
    layouts = tuple(node.layout for node in nodes)
    operator = kind(device, tuple(data), layouts, **constants)
    node = Node(
        operator,
        nodes,
        data,
        graph.unique_name(name, kind.name.lstrip("_")),
        len(graph.nodes),
        _caller(),
    )
    operator.ordinal = node.ordinal
    _check_devices(node)
    side = "cpu" if node.device == "cpu" else "gpu"
    node.outputs = tuple(
        DataNode(node, i, side, layout) for i, layout in enumerate(operator.output_layouts())
    )
    graph.nodes.append(node)
    to_gpu = operator.copied and device == "gpu"
    return tuple(data.gpu() for data in node.outputs) if to_gpu else node.outputs


def _as_node(value: Any, place: int, kind: type[Operator]) -> DataNode:
    if isinstance(value, DataNode):
        return value
    if isinstance(value, tuple | list) and any(isinstance(part, DataNode) for part in value):
        raise ArgumentError(
            f"input {place} of {kind.called} is a {type(value).__name__} of nodes, such as an "
            "operator with several outputs returns; pass the one that is meant"
        )
    if value is None or isinstance(value, str | bytes):
        raise ArgumentError(
            f"input {place} of {kind.called} is {value!r}; pass a DataNode, a number or an array"
        )
    from .constants import constant_node

    return constant_node(value)


def _check_input_count(kind: type[Operator], count: int) -> None:
    declared = kind.inputs
    least = sum(not (name.endswith("?") or name.startswith("*")) for name in declared)
    unlimited = bool(declared) and declared[-1].startswith("*")
    if count < least or (count > len(declared) and not unlimited):
        wanted = ", ".join(declared) or "none"
        raise ArgumentError(f"{kind.called} takes the inputs ({wanted}), but was given {count}")


def _default_device(kind: type[Operator], inputs: tuple[DataNode, ...]) -> str:
    if any(node.device == "gpu" for node in inputs) and "gpu" in kind.devices:
        return "gpu"
    return "cpu" if "cpu" in kind.devices else kind.devices[0]


def _check_devices(node: Node) -> None:
    on_gpu = [data for data in node.inputs if data.device == "gpu"]
    allowed = node.operator.looks_only or node.operator.name == "copy"
    if node.device in ("cpu", "mixed") and on_gpu and not allowed:
        raise ArgumentError(
            f"{node} runs on the {node.device} device, but its input {on_gpu[0]!r} is on the GPU; "
            "move it with .cpu(), or give the operator device='gpu'"
        )
    takes_host = allowed or node.operator.host_inputs
    if node.device == "gpu" and node.inputs and not on_gpu and not takes_host:
        raise ArgumentError(
            f"{node} runs on the GPU, but its input {node.inputs[0]!r} is on the CPU; move it with "
            ".gpu(), or leave the argument device out"
        )
    if any(data.device == "gpu" for data in node.arguments.values()):
        raise ArgumentError(f"{node}: named arguments must be on the CPU; use .cpu()")


def _caller() -> str:
    """Return file and line of the innermost frame that is not Penstock's own."""
    frame = sys._getframe(1)
    while frame.f_back is not None and _is_ours(frame.f_code.co_filename):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def _is_ours(filename: str) -> bool:
    folder = filename[len(_PACKAGE) + 1 :].split("/")[0]
    return filename.startswith(_PACKAGE + "/") and folder not in _NOT_OURS


_NOT_OURS = frozenset({"tests", "examples", "benchmarks", "fixtures", ".venv"})
