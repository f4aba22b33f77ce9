"""The reader calls that a mixture is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...engine.errors import ArgumentError
from ...engine.graph.nodes import DataNode, Node
from ...engine.graph.operator import OPERATORS
from ...engine.graph.portable import portable
from ...engine.suggestions import listed
from ..array_files import ArrayFileReader
from ..reader import Reader

OWN_ARGUMENTS = (
    *("random_shuffle", "shuffle_after_epoch", "shuffle_after_epoch_seed", "shuffle_seed", "seed"),
    *("shuffle_block", "shuffle_window", "shard_id", "num_shards", "stick_to_shard", "batch_cost"),
    *("pad_last_batch", "prefetch_queue_depth", "restart", "max_bad"),
)
"""Arguments that are those of the mixture, and not of its members."""

PLACES = (
    *("filenames", "file_root", "file_list", "files", "labels", "manifest_filepaths"),
    *("tarred_audio_filepaths", "indices", "storage_options", "min_duration", "max_duration"),
)
"""Arguments in which members may differ that decode what they read."""


@dataclass(frozen=True)
class MixedReader:
    """One reader of a mixture, as it was called.

    Attributes:
        operator: the reader's name in `fn`.
        arguments: of the call.
        columns: numbers of the outputs that are taken, in this order; () for readers that decode.
        decoded: of a reader that decodes, the operators and outputs that it has returned.
    """

    operator: str
    arguments: dict[str, Any]
    columns: tuple[int, ...]
    decoded: tuple[str, ...] = ()

    def count(self, reader: Reader) -> int:
        """Return the number of columns that the member's reader gives."""
        return len(self.columns) or reader.num_outputs()

    def reader(self, name: str, owner: Reader) -> Reader:
        """Return the reader, the source `name` of `owner`, which has opened nothing yet.

        Raises:
            ArgumentError: the call has arguments of its own that the owner decides.
        """
        operator_class = OPERATORS[self.operator]
        if not issubclass(operator_class, Reader):
            raise ArgumentError(f"fn.{self.operator} is no reader")
        reader = operator_class("cpu", (), (), **self.arguments)
        reader.placement = owner.placement
        for own in OWN_ARGUMENTS:
            if own in reader.given:
                here = f"the source {name!r} has the argument {own}, which"
                if own in owner.refuses:
                    owner.refuse(f"{here} cannot be obeyed: {owner.refuses[own]}")
                advice = f"give it to {owner.called}" if own in owner.params else "leave it out"
                owner.refuse(f"{here} {owner.called} decides: {advice}")
        return reader


portable(MixedReader, "operator", "arguments", "columns", "decoded")


def member_of(called: str, name: str, value: Any) -> MixedReader:
    """Return what a reader call that has returned `value` is, as a member.

    Args:
        called: the mixture, for messages.
        name: of the source.
        value: one output, or a list of them, or a dict.

    Raises:
        ArgumentError: these are no outputs of one reader.
    """
    if isinstance(value, MixedReader):
        return value
    outputs = list(value.values()) if isinstance(value, Mapping) else value
    outputs = list(outputs) if isinstance(outputs, Sequence) else [outputs]
    wanted = (
        f"{called}: the source {name!r} must be what one reader has returned, such as "
        "fn.readers.file(...), unchanged"
    )
    if not outputs or not all(isinstance(output, DataNode) for output in outputs):
        raise ArgumentError(f"{wanted}; it is {value!r:.100}")
    readers = _readers_of(outputs)
    if len(readers) != 1:
        raise ArgumentError(f"{wanted}; it comes from {len(readers)} readers")
    (node,) = readers
    reader = node.operator
    assert isinstance(reader, Reader)
    decodes = reader.adds_operators
    others = [output.node for output in outputs if output.node is not node]
    if others and not decodes:
        names = listed([f"fn.{other.operator.name}" for other in dict.fromkeys(others)])
        raise ArgumentError(f"{wanted}; {names} came after the reader{_own_operators(reader)}")
    if node.inputs or node.arguments or node.device != "cpu" or reader.device != "cpu":
        raise ArgumentError(
            f"{called}: the source {name!r} has arguments from data, or is on the GPU; mix readers "
            "on the CPU whose arguments are constants"
        )
    # What is added says how this reader alone has put its samples in order.
    count = reader.num_outputs()
    columns = () if decodes else tuple(each.index for each in outputs if each.index < count)
    return MixedReader(reader.name, reader.constants(), columns, shown(outputs) if decodes else ())


def _own_operators(reader: Reader) -> str:
    """Return what to do if a reader of others adds operators by itself, and does not say so."""
    kind = type(reader)
    if kind.wrap is Reader.wrap or kind.__module__.partition(".")[0] == "penstock":
        return ""
    return (
        f". If fn.{reader.name} adds this by itself, in its method `wrap`, write adds_operators = "
        f"True into its class {kind.__module__}.{kind.__qualname__}"
    )


class OfOneReader(Reader):
    """Base of readers whose argument `member` is what another reader has returned."""

    positional = ("member",)

    @classmethod
    def by_current_names(cls, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments, with the call of the reader in place of its outputs."""
        given = super().by_current_names(arguments)
        if "member" in given:
            given["member"] = member_of(cls.called, "member", given["member"])
        return given


def shown(outputs: Sequence[DataNode]) -> tuple[str, ...]:
    """Return the operators and numbers of outputs, by which a decoding reader is recognized."""

    def name(output: DataNode) -> str:
        operator = output.node.operator
        return "output" if isinstance(operator, Reader) else operator.name

    return tuple(f"{name(output)}[{output.index}]" for output in outputs)


def _readers_of(outputs: Sequence[DataNode]) -> list[Node]:
    """Return the nodes of readers from which outputs come."""
    pending, seen = [output.node for output in outputs], dict[Node, None]()
    while pending:
        node = pending.pop()
        if node not in seen:
            seen[node] = None
            pending += [data.node for data in node.dependencies()]
    return [node for node in seen if isinstance(node.operator, Reader)]


def check_alike(
    called: str, members: Mapping[str, MixedReader], readers: Mapping[str, Reader]
) -> None:
    """Raise ArgumentError unless members have as many outputs, and decode alike."""
    first_name, first = next(iter(members.items()))
    for name, member in members.items():
        if bool(member.decoded) != bool(first.decoded) or (
            member.decoded and (member.operator != first.operator or _how(member) != _how(first))
        ):
            raise ArgumentError(
                f"{called}: the sources {first_name!r} and {name!r} decode what they read, or one "
                "of them does; such sources must be of one reader, with equal arguments but for "
                f"{', '.join(PLACES)}"
            )
    counts = {name: member.count(readers[name]) for name, member in members.items()}
    for name, count in counts.items():
        if count != counts[first_name]:
            raise ArgumentError(
                f"{called}: the source {name!r} has {count} outputs, and {first_name!r} has "
                f"{counts[first_name]}; they must have as many"
            )


def check_forms(
    called: str, members: Mapping[str, MixedReader], readers: Mapping[str, Reader]
) -> None:
    """Raise ArgumentError unless outputs are of equal dtypes and numbers of dimensions.

    The readers are open. Readers of arrays know no more than each batch shows.
    """
    forms = {
        name: [(each.dtype, each.ndim) for each in chosen(member, readers[name].placeholder())]
        for name, member in members.items()
        if not isinstance(readers[name], ArrayFileReader)
    }
    first_name, first = next(iter(forms.items()), ("", []))
    for name, form in forms.items():
        for i, (own, usual) in enumerate(zip(form, first, strict=True)):
            if own != usual:
                raise ArgumentError(
                    f"{called}: output {i} of the source {name!r} is of {own[0]} with {own[1]} "
                    f"dimensions, and of {first_name!r} of {usual[0]} with {usual[1]}; they must "
                    "agree"
                )


def _how(member: MixedReader) -> dict[str, Any]:
    return {name: value for name, value in member.arguments.items() if name not in PLACES}


def chosen(member: MixedReader, columns: Sequence[Any]) -> tuple[Any, ...]:
    """Return the columns of a reader that a member gives."""
    return tuple(columns[i] for i in member.columns) if member.columns else tuple(columns)
