"""The read-only properties of a pipeline: its arguments, and the sizes of its readers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from ..errors import ArgumentError
from ..graph.nodes import DataNode, current_graph
from ..order.checkpoint import Checkpoint
from ..work.plan import Plan
from .config import PipelineConfig


class PipelineProperties(ABC):
    """Properties of a `Pipeline`."""

    _config: PipelineConfig
    _plan: Plan | None
    _outputs: tuple[DataNode, ...] | None
    _restored: Checkpoint | None
    _seed: int

    @abstractmethod
    def build(self) -> None:
        """Compile the graph and open the inputs."""

    @staticmethod
    def current() -> Any:
        """Return the pipeline that is being defined, or None."""
        graph = current_graph()
        return None if graph is None else graph.pipeline()

    def epoch_size(self, name: str | None = None) -> Any:
        """Return the number of samples in an epoch, of reader `name` or of each by name.

        With `pad_last_batch` the samples that make all shards equally long count, too.
        """
        sizes = {k: meta["epoch_size_padded"] for k, meta in self.reader_meta().items()}
        return sizes if name is None else self._of_reader(sizes, name)

    def reader_meta(self, name: str | None = None) -> dict[str, Any]:
        """Return sizes and shards of reader `name`, or of each by name.

        Keys: epoch_size, epoch_size_padded, number_of_shards, shard_id, pad_last_batch,
        stick_to_shard.
        """
        self.build()
        assert self._plan is not None
        metas = {reader.node.name: reader.operator.meta() for reader in self._plan.readers}
        result: dict[str, Any] = metas if name is None else self._of_reader(metas, name)
        return result

    def class_names(self) -> dict[str, dict[str, tuple[str, ...]]]:
        """Return the names of the classes that readers know, by reader and by what numbers them.

        `fn.readers.file` knows the folders of `file_root` as "label", and `fn.readers.parquet` the
        names of columns.
        """
        self.build()
        assert self._plan is not None
        return {reader.node.name: reader.operator.class_names() for reader in self._plan.readers}

    @staticmethod
    def _of_reader(values: dict[str, Any], name: str) -> Any:
        if name not in values:
            raise ArgumentError(f"there is no reader named {name!r}; there are {sorted(values)}")
        return values[name]

    @property
    def batch_size(self) -> int:
        """Largest number of samples in a batch."""
        return self._config.batch_size

    max_batch_size = batch_size

    @property
    def num_threads(self) -> int:
        """Number of CPU workers."""
        return self._config.threads()

    @property
    def device_id(self) -> int | None:
        """CUDA device, or None."""
        return self._config.device_id

    @property
    def seed(self) -> int:
        """The seed in use: the argument, or a random seed."""
        return self._seed

    @property
    def prefetch_queue_depth(self) -> Any:
        """As given."""
        return self._config.prefetch_queue_depth

    @property
    def exec_async(self) -> bool:
        """As given."""
        return self._config.exec_async

    @property
    def exec_pipelined(self) -> bool:
        """As given."""
        return self._config.exec_pipelined

    @property
    def num_outputs(self) -> int:
        """Number of outputs."""
        self.build()
        assert self._outputs is not None
        return len(self._outputs)

    @property
    def is_restored_from_checkpoint(self) -> bool:
        """Whether a checkpoint was given."""
        return self._restored is not None
