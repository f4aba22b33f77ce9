"""The read-only properties of a pipeline: its arguments, and the sizes of its readers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import ArgumentError
from ..run.policies import OperatorConcurrency, StreamPolicy
from ..tensors.dtypes import DALIDataType, to_dali_type
from .outputs import for_each_output
from .staged_pipeline import StagedPipeline


class PipelineProperties(StagedPipeline):
    """Properties of a `Pipeline`."""

    def epoch_size(self, name: str | None = None) -> Any:
        """Return the number of samples in an epoch, of reader `name` or of each by name.

        With `pad_last_batch` the samples that make all shards equally long count, too.
        """
        if name is not None:
            return self.reader_meta(name)["epoch_size_padded"]
        return {k: meta["epoch_size_padded"] for k, meta in self.reader_meta().items()}

    def reader_meta(self, name: str | None = None) -> dict[str, Any]:
        """Return sizes and shards of reader `name`, or of each by name.

        Keys: epoch_size, epoch_size_padded, number_of_shards, shard_id, pad_last_batch,
        stick_to_shard.
        """
        built = self._as_built()
        if name is not None:
            return built.reader(name).meta()
        return {name: reader.meta() for name, reader in built.readers().items()}

    def class_names(self) -> dict[str, dict[str, tuple[str, ...]]]:
        """Return the names of the classes that readers know, by reader and by what numbers them.

        `fn.readers.file` knows the folders of `file_root` as "label", and `fn.readers.parquet` the
        names of columns. A mixture knows the names on which all its sources agree.
        """
        readers = self._as_built().readers()
        return {name: reader.class_names() for name, reader in readers.items()}

    def reconfigure(self, **options: object) -> None:
        """Change arguments of the pipeline, which must not be built yet if their values differ.

        Raises:
            ArgumentError: the pipeline is built with other values, or a value is wrong.
        """
        config = self._definition.config
        changed = {k: v for k, v in options.items() if getattr(config, k) != v}
        if changed and (self._built or self._run) is not None:
            built = {name: getattr(config, name) for name in changed}
            raise ArgumentError(
                f"the pipeline is built with {built}, so it cannot take {changed}: give the values "
                "to the pipeline when it is made"
            )
        self._definition.configure(**changed)

    @property
    def batch_size(self) -> int:
        """Largest number of samples in a batch."""
        return self._definition.config.batch_size

    max_batch_size = batch_size

    @property
    def num_threads(self) -> int:
        """Number of CPU workers."""
        return self._definition.config.threads()

    @property
    def device_id(self) -> int | None:
        """CUDA device, or None."""
        return self._definition.config.device_id

    @property
    def seed(self) -> int:
        """The seed in use: the argument, or a random seed."""
        return self._definition.seed

    @property
    def prefetch_queue_depth(self) -> Any:
        """As given."""
        return self._definition.config.prefetch_queue_depth

    @property
    def exec_separated(self) -> bool:
        """Whether `prefetch_queue_depth` gives the CPU and the GPU depths of their own."""
        return isinstance(self._definition.config.prefetch_queue_depth, Mapping)

    @property
    def cpu_queue_size(self) -> int:
        """Batches prepared ahead on the CPU, from `prefetch_queue_depth`."""
        return self._definition.config.depth("cpu_size")

    @property
    def gpu_queue_size(self) -> int:
        """Batches prepared ahead on the GPU, from `prefetch_queue_depth`."""
        return self._definition.config.depth("gpu_size")

    @property
    def enable_checkpointing(self) -> bool:
        """As given. `checkpoint` works always; data sets of TensorFlow hold checkpoints if True."""
        return self._definition.config.enable_checkpointing

    @property
    def exec_async(self) -> bool:
        """As given."""
        return self._definition.config.exec_async

    @property
    def exec_pipelined(self) -> bool:
        """As given."""
        return self._definition.config.exec_pipelined

    @property
    def exec_dynamic(self) -> bool:
        """As given; by default whether batches are prepared ahead. Without effect."""
        config = self._definition.config
        for given in (config.exec_dynamic, config.experimental_exec_dynamic):
            if given is not None:
                return given
        return config.exec_async and config.exec_pipelined

    @property
    def enable_memory_stats(self) -> bool:
        """As given: whether `executor_statistics` measures the operators' memory."""
        return self._definition.config.enable_memory_stats

    @property
    def set_affinity(self) -> bool:
        """As given; without effect."""
        return self._definition.config.set_affinity

    @property
    def max_streams(self) -> int:
        """As given; -1 by default. Without effect."""
        return (
            -1
            if self._definition.config.max_streams is None
            else self._definition.config.max_streams
        )

    @property
    def default_cuda_stream_priority(self) -> int:
        """As given; 0 by default. Without effect."""
        return self._definition.config.default_cuda_stream_priority or 0

    @property
    def py_num_workers(self) -> int:
        """Number of Python workers, if a source or function has `parallel=True`."""
        return self._definition.config.py_num_workers

    @property
    def py_start_method(self) -> str:
        """How Python workers start: "fork" or "spawn"."""
        return self._definition.config.py_start_method

    @property
    def stream_policy(self) -> StreamPolicy | None:
        """As given; without effect."""
        return self._definition.config.stream_policy

    @property
    def concurrency(self) -> OperatorConcurrency | None:
        """As given; without effect."""
        return self._definition.config.concurrency

    def output_dtype(self) -> list[DALIDataType | None]:
        """Return the dtype that was declared of each output, or None."""
        declared = for_each_output(
            "output_dtype", self._definition.config.output_dtype, self.num_outputs
        )
        return [None if dtype is None else to_dali_type(dtype) for dtype in declared]

    def output_ndim(self) -> list[int | None]:
        """Return the number of dimensions that was declared of each output, or None."""
        return for_each_output("output_ndim", self._definition.config.output_ndim, self.num_outputs)

    @property
    def num_outputs(self) -> int:
        """Number of outputs."""
        return len(self._as_built().plan.outputs)

    @property
    def output_names(self) -> tuple[str, ...] | None:
        """The names of the outputs if the definition returns a dict, in the dict's order."""
        return self._as_defined().names

    @property
    def is_restored_from_checkpoint(self) -> bool:
        """Whether a checkpoint was given."""
        return self._progress.restored is not None
