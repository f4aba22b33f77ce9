"""Nodes of torchdata (`torchdata.nodes`) that read, compute and convert: `ndd.pytorch.nodes`.

    node = nodes.Reader(ndd.readers.File, batch_size=16, file_root=folder)
    node = nodes.DictMapper(node, lambda data: ndd.resize(ndd.decoders.image(data), size=[64, 64]))
    for images, labels in torchdata.nodes.Loader(nodes.ToTorch(node)):
        ...

The states of these nodes are those of the reader, so a loader goes on in the middle of an epoch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ....engine.errors import ArgumentError, MissingDependencyError
from ..reading import Reader as DataReader

try:
    from torchdata.nodes import BaseNode
except ImportError as error:
    raise MissingDependencyError(
        f"ndd.pytorch.nodes needs torchdata ({error}): pip install torchdata"
    ) from error

__all__ = ["DictMapper", "Reader", "ToTorch"]

_STATE = "reader"


class Reader(BaseNode[dict[str, Any]]):  # type: ignore[misc]
    """The batches of a reader, or its tensors, as dictionaries.

    Args:
        reader_type: a class of `ndd.readers`.
        batch_size: number of samples in a batch; None for tensors.
        output_names: keys of the dictionaries; by default ("data", "label") for two outputs, and
            the reader's names if it names its outputs.
        arguments: of the reader.
    """

    def __init__(
        self,
        reader_type: type[DataReader],
        *,
        batch_size: int | None,
        output_names: Iterable[str] | None = None,
        **arguments: Any,
    ) -> None:
        super().__init__()
        self._reader = reader_type(**arguments)
        self._batch_size = batch_size
        self._names = None if output_names is None else tuple(output_names)
        count = self._reader.num_outputs
        if self._names is not None and len(self._names) != count:
            raise ArgumentError(f"output_names has {len(self._names)} names for {count} outputs")
        if self._names is None and not self._reader.names_outputs:
            if count != 2:
                raise ArgumentError(f"give output_names, the names of the {count} outputs")
            self._names = ("data", "label")
        self._epoch: Any = None

    def reset(self, initial_state: dict[str, object] | None = None) -> None:
        """Begin the next epoch, or go on from a state."""
        super().reset(initial_state)
        if initial_state is not None:
            self._reader.set_state(initial_state[_STATE])
        self._epoch = self._reader.next_epoch(batch_size=self._batch_size)

    def next(self) -> dict[str, Any]:
        """Return the next outputs; raise StopIteration at the end of the epoch."""
        outputs = next(self._epoch)
        if not isinstance(outputs, dict):
            outputs = dict(zip(self._names or (), outputs, strict=True))
        elif self._names is not None:
            outputs = dict(zip(self._names, outputs.values(), strict=True))
        return outputs

    def get_state(self) -> dict[str, Any]:
        """Return where the reader stands."""
        return {_STATE: self._reader.get_state()}

    def get_metadata(self) -> dict[str, Any]:
        """Return the sizes of the data set and of its shards."""
        return self._reader.get_metadata(self._batch_size)


class _Following(BaseNode[Any]):  # type: ignore[misc]
    """A node whose state is that of the node before."""

    def __init__(self, source: BaseNode[dict[str, Any]]) -> None:
        super().__init__()
        self._source = source

    def reset(self, initial_state: dict[str, object] | None = None) -> None:
        """Begin the next epoch, or go on from a state."""
        super().reset(initial_state)
        self._source.reset(None if initial_state is None else initial_state["source"])

    def get_state(self) -> dict[str, Any]:
        """Return the state of the node before."""
        return {"source": self._source.state_dict()}


class DictMapper(_Following):
    """Applies a function to one value of each dictionary.

    Args:
        source: the node before.
        map_fn: takes a tensor or a batch, and returns one.
        key: of the value.
    """

    def __init__(
        self,
        source: BaseNode[dict[str, Any]],
        map_fn: Callable[[Any], object],
        key: str = "data",
    ) -> None:
        super().__init__(source)
        self._function = map_fn
        self._key = key

    def next(self) -> dict[str, Any]:
        """Return the next dictionary."""
        values = dict(self._source.next())
        values[self._key] = self._function(values[self._key])
        return values


class ToTorch(_Following):
    """Turns each dictionary into a tuple of tensors of PyTorch.

    If one value is on the GPU, the others are copied there.

    Args:
        source: the node before.
        output_stream: without effect: the work on the GPU is complete.
    """

    def __init__(self, source: BaseNode[dict[str, Any]], output_stream: object = None) -> None:
        super().__init__(source)

    def next(self) -> tuple[Any, ...]:
        """Return the next tensors."""
        values = list(self._source.next().values())
        on_gpu = [value.device for value in values if value.place == "gpu"]
        if len(set(on_gpu)) > 1:
            raise ArgumentError("the values are on several GPUs; move them to one of these")
        return tuple((value.to_device(on_gpu[0]) if on_gpu else value).torch() for value in values)
