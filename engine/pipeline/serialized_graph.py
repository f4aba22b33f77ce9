"""The graph of a pipeline as JSON, and made again of it.

    "nodes": [
        {
            "operator": "resize", "device": "cpu", "name": "resize_2",
            "made_at": "train.py:12", "call": 2, "branch": 0,
            "inputs": [[1, 0]],                 output 0 of node 1
            "data": {"size": [0, 0]},           arguments that other nodes compute
            "constants": {"antialias": true}    the others: see `graph/portable.py`
        }
    ],
    "branches": [
        {"condition": [0, 0], "wanted": true, "outer": null, "statement": "`if` at train.py:11"}
    ],
    "outputs": [[2, 0]]

A node names only nodes before it. Nodes that no output needs are left out. Nodes with the same
"call" draw the same random numbers. These follow from the "call", which counts the calls of the
definition, without copies between devices. A "branch" says which samples a node computes, null
stands for all of them: see `graph/branches.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeVar

from ..errors import PenstockError, SerializationError
from ..graph.branches import Branch
from ..graph.nodes import DataNode, Graph, Node, StoredCall, restored_node
from ..graph.operator import OPERATORS, CompositeOperator
from ..graph.portable import Json, NotPortable, Pickled, Unpickled, decode, encode

MAX_NODES = 10_000
"""Nodes of a stored pipeline. Each takes a third of a millisecond to make; large pipelines have
hundreds."""

Kind = TypeVar("Kind")


class NodePlace(NamedTuple):
    """A node of a stored graph, for messages."""

    number: int
    operator: str
    name: str

    def __str__(self) -> str:
        return f"node {self.number} ({self.operator!r}, named {self.name!r})"


def graph_as_json(
    nodes: Sequence[Node],
    outputs: Sequence[tuple[int, int]],
    calls: Mapping[object, int],
    pickled: Pickled,
) -> dict[str, Json]:
    """Return nodes and outputs as JSON.

    Args:
        nodes: the nodes of a plan, in the graph's order.
        outputs: the pipeline's outputs: the ordinal of the node, and the output's number.
        calls: the numbers of the calls that made the nodes.
        pickled: pickles what is no plain value; None if nothing may be pickled. Then nodes that can
            do without such arguments are stored without them.

    Raises:
        SerializationError: nodes cannot be stored. The message says for each of them why.
    """
    _check_count(len(nodes))
    numbers = {node.ordinal: i for i, node in enumerate(nodes)}
    branches: dict[Branch[DataNode], int] = {}
    stored, problems = [], []
    for node in nodes:
        try:
            constants = _constants(node, pickled)
        except NotPortable as problem:
            problems.append(f"{node}: {problem}")
            continue
        stored.append(
            {
                "operator": node.operator.name,
                "device": node.operator.device,
                "name": node.name,
                "made_at": node.made_at,
                "call": calls.get(node.call, -1),
                "branch": _number_of(node.branch, branches),
                "inputs": [_place(data, numbers) for data in node.inputs],
                "data": {name: _place(data, numbers) for name, data in node.arguments.items()},
                "constants": constants,
            }
        )
    if problems:
        advice = "" if pickled else "; serialize(allow_pickle=True) stores functions and objects"
        raise SerializationError(
            f"{len(problems)} of {len(nodes)} operators cannot be stored{advice}:\n"
            + "\n".join(f"  {problem}" for problem in problems)
        )
    return {
        "nodes": stored,
        "branches": [
            {
                "condition": _place(branch.condition, numbers),
                "wanted": branch.wanted,
                "outer": _number_of(branch.outer, branches),
                "statement": branch.statement,
            }
            for branch in branches
        ],
        "outputs": [[numbers[ordinal], i] for ordinal, i in outputs],
    }


def _check_count(nodes: int) -> None:
    if nodes > MAX_NODES:
        raise SerializationError(
            f"the pipeline has {nodes:,} operators; one of {MAX_NODES:,} at most can be stored"
        )


def _number_of(
    branch: Branch[DataNode] | None, branches: dict[Branch[DataNode], int]
) -> int | None:
    """Return the number of a branch, which is above those of the branches around it."""
    if branch is None:
        return None
    _number_of(branch.outer, branches)
    return branches.setdefault(branch, len(branches))


def _constants(node: Node, pickled: Pickled) -> dict[str, Json]:
    operator = node.operator
    if OPERATORS.get(operator.name) is not type(operator):
        raise NotPortable(f"no operator is registered by the name {operator.name!r}")
    constants = operator.constants() if pickled else operator.constants_without_program()
    encoded = {}
    for name, value in constants.items():
        try:
            encoded[name] = encode(value, pickled)
        except NotPortable as problem:
            raise NotPortable(f"the argument {name} is {problem}") from problem
    return encoded


def _place(data: DataNode, numbers: Mapping[int, int]) -> list[int]:
    return [numbers[data.node.ordinal], data.index]


def graph_from_json(
    graph: Graph, document: Mapping[str, Json], unpickled: Unpickled
) -> tuple[DataNode, ...]:
    """Add the nodes of a stored graph to an empty graph, and return the outputs.

    Args:
        graph: the graph.
        document: any JSON, also of a file that somebody has changed.
        unpickled: loads a pickle; None if no pickle may be loaded.

    Raises:
        SerializationError: the JSON is no graph, or holds pickles that may not be loaded.
    """
    stored = _field(document, "nodes", list, "the stored pipeline")
    _check_count(len(stored))
    if unpickled is None and (pickles := [_called(node) for node in stored if _has_pickle(node)]):
        raise SerializationError(
            f"the stored pipeline has pickled objects, of {', '.join(pickles)}. To load a pickle "
            "runs code that the pickle holds. If you trust where the file comes from, pass "
            "allow_pickle=True"
        )
    branches = _StoredBranches(document, graph.nodes)
    for number, each in enumerate(stored):
        place = NodePlace(number, *_identity(each, number))
        try:
            graph.add(_node_of(each, place, graph.nodes, branches, unpickled))
        except SerializationError:
            raise
        except PenstockError as error:
            error.add_note(f"in {place} of the stored pipeline")
            raise
        except Exception as error:
            raise SerializationError(
                f"{place} cannot be made: {type(error).__name__}: {error}"
            ) from error
    outputs = _field(document, "outputs", list, "the stored pipeline")
    if not outputs:
        raise SerializationError("the stored pipeline has no outputs")
    return tuple(
        _data_at(place, graph.nodes, "an output of the stored pipeline") for place in outputs
    )


def _called(node: Json) -> str:
    return f"{node.get('operator')!r} (named {node.get('name')!r})"


def _has_pickle(value: Json) -> bool:
    if isinstance(value, list):
        return any(map(_has_pickle, value))
    if not isinstance(value, dict):
        return False
    return value.get("type") == "pickle" or any(map(_has_pickle, value.values()))


def _identity(node: Json, number: int) -> tuple[str, str]:
    what = f"node {number} of the stored pipeline"
    if not isinstance(node, dict):
        raise SerializationError(f"{what} is no JSON object")
    return _field(node, "operator", str, what), _field(node, "name", str, what)


def _node_of(
    stored: dict[str, Json],
    place: NodePlace,
    nodes: Sequence[Node],
    branches: _StoredBranches,
    unpickled: Unpickled,
) -> Node:
    try:
        operator_class = OPERATORS[place.operator]
    except KeyError:
        raise SerializationError(
            f"{place} is of an operator that is not known; import the module that registers the "
            "operator before the pipeline is loaded"
        ) from None
    if issubclass(operator_class, CompositeOperator):
        raise SerializationError(f"{place} is of an operator that consists of others")
    inputs = _field(stored, "inputs", list, str(place))
    data = _field(stored, "data", dict, str(place))
    constants = _field(stored, "constants", dict, str(place))
    decoded = {}
    for name, value in constants.items():
        try:
            decoded[name] = decode(value, unpickled)
        except NotPortable as problem:
            raise SerializationError(f"{place}: the argument {name!r} is {problem}") from problem
    return restored_node(
        operator_class,
        _field(stored, "device", str, str(place)),
        decoded,
        tuple(_data_at(place_of_input, nodes, str(place)) for place_of_input in inputs),
        {name: _data_at(each, nodes, str(place)) for name, each in data.items()},
        name=place.name,
        made_at=_field(stored, "made_at", str, str(place)),
        call=StoredCall(_field(stored, "call", int, str(place))),
        branch=branches.branch(stored.get("branch"), str(place)),
    )


class _StoredBranches:
    """The branches of a stored graph, made again when a node needs them."""

    def __init__(self, document: Mapping[str, Json], nodes: Sequence[Node]) -> None:
        self._stored = _field(document, "branches", list, "the stored pipeline")
        self._nodes = nodes
        self._made: dict[int, Branch[DataNode]] = {}

    def branch(self, number: Json, what: str, below: int | None = None) -> Branch[DataNode] | None:
        """Return a branch by its number, which is lower than `below`; None for None."""
        if number is None:
            return None
        limit = len(self._stored) if below is None else below
        if type(number) is not int or not 0 <= number < limit:
            raise SerializationError(f"{what} is in the branch {number!r}, which is not stored")
        if number not in self._made:
            own = f"branch {number} of the stored pipeline"
            stored = self._stored[number]
            if not isinstance(stored, dict):
                raise SerializationError(f"{own} is no JSON object")
            self._made[number] = Branch(
                _data_at(stored.get("condition"), self._nodes, own),
                _field(stored, "wanted", bool, own),
                self.branch(stored.get("outer"), own, number),
                _field(stored, "statement", str, own),
            )
        return self._made[number]


def _data_at(place: Json, nodes: Sequence[Node], what: str) -> DataNode:
    """Return the output that a pair of numbers means."""
    is_pair = isinstance(place, list) and [type(item) for item in place] == [int, int]
    if not is_pair or not 0 <= place[0] < len(nodes):
        raise SerializationError(f"{what} takes {place!r}, which is no data of an earlier node")
    outputs = nodes[place[0]].outputs
    if not 0 <= place[1] < len(outputs):
        raise SerializationError(
            f"{what} takes output {place[1]} of node {place[0]}, which has {len(outputs)} outputs"
        )
    data: DataNode = outputs[place[1]]
    return data


def _field(document: Mapping[str, Json], name: str, kind: type[Kind], what: str) -> Kind:
    value = document.get(name)
    if type(value) is not kind:
        raise SerializationError(
            f"{what}: {name!r} must be a JSON {_JSON_NAMES[kind]}, but is {value!r:.60}"
        )
    field: Kind = value
    return field


_JSON_NAMES: dict[type, str] = {
    list: "array",
    dict: "object",
    str: "string",
    int: "number",
    bool: "true or false",
}
