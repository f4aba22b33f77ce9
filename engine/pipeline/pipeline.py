"""`Pipeline`: a graph of operators, run batch by batch ahead of its consumer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Unpack

from ..errors import ArgumentError
from ..graph.nodes import DataNode, Node
from ..run.checkpointing import next_epoch_states
from ..run.feeding import fed_source
from ..tensors import TensorList
from .accepted_members import AcceptedMembers
from .drawn_pipeline import DrawnPipeline
from .properties import PipelineProperties
from .ranked_pipeline import RankedPipeline
from .resumable_pipeline import ResumablePipeline
from .serialized_pipeline import SerializedPipeline
from .shown_options import show_options, signature_without_self

if TYPE_CHECKING:
    from ..tensors.dtypes import DALIDataType
    from ..work.memory_figures import OperatorMemory
    from ..work.plan import Key
    from ..work.stats import PipelineStats
    from .options import FurtherOptions


class Pipeline(
    PipelineProperties,
    RankedPipeline,
    ResumablePipeline,
    SerializedPipeline,
    DrawnPipeline,
    AcceptedMembers,
):
    """A graph of operators, and the threads and processes that run it.

    There are three ways to define the graph: a function with the decorator `pipeline_def`; a
    subclass with a method `define_graph` that returns the outputs; or a block

        pipe = Pipeline(batch_size=8, num_threads=2)
        with pipe:
            pipe.set_outputs(fn.readers.file(files=files))

    `set_outputs` also accepts nodes that were made outside of any definition. A pipeline that has
    its graph is a context manager, too: leaving the block closes the pipeline.

    Several threads may call `run`: each call returns a whole batch, in the order of the calls.

    Args:
        {options}
    """

    def __init__(
        self,
        batch_size: int | None = None,
        num_threads: int | None = None,
        device_id: int | None = None,
        seed: int | None = None,
        exec_pipelined: bool = True,
        prefetch_queue_depth: int | Mapping[str, int] = 2,
        **options: Unpack[FurtherOptions],
    ) -> None:
        if batch_size is None:
            raise ArgumentError("a pipeline needs a batch_size, the number of samples in a batch")
        self._begin(
            {
                "batch_size": batch_size,
                "num_threads": num_threads,
                "device_id": device_id,
                "seed": seed,
                "exec_pipelined": exec_pipelined,
                "prefetch_queue_depth": prefetch_queue_depth,
                **options,
            }
        )

    # Feeding

    def feed_input(
        self,
        data_node: DataNode | str,
        data: object,
        layout: str | None = None,
        cuda_stream: object = None,
        use_copy_kernel: bool = False,
    ) -> None:
        """Give an external source its next batch.

        Args:
            data_node: the source's name or its output.
            data: an array whose axis 0 runs over samples, or a list of arrays.
            layout: meaning of a sample's dimensions; by default that of the data, if they are
                tensors with a layout. The source must not be declared with another layout.
            cuda_stream: see `fn.external_source`; by default the stream that was given there.
            use_copy_kernel: without effect.
        """
        if self._run is None:
            source = fed_source(self._as_built().plan, data_node)
            if source.node.device == "cpu":
                source.operator.feed(data, layout, cuda_stream)
                return
        self._as_started().feed(data_node, data, layout, cuda_stream)  # copies to the device now

    def external_sources(self) -> dict[str, Node]:
        """Return the nodes of the external sources, by name, in the order of their definition."""
        return {source.node.name: source.node for source in self._as_built().plan.sources}

    def input_feed_count(self, input_name: str) -> int:
        """Return how many batches `run` and `schedule_run` start before they need the first.

        A program that feeds an external source by `feed_input` feeds as many before it runs the
        pipeline, so that the pipeline works ahead. One batch is enough for one `run`.
        """
        built = self._as_built()
        fed_source(built.plan, input_name)
        return built.ahead

    def empty(self) -> bool:
        """Return whether no batch was started that nobody has taken yet."""
        return self._run is None or self._run.in_flight == 0

    def fed_names(self) -> list[str]:
        """Return the names of the external sources that `feed_input` feeds."""
        sources = self._as_built().plan.sources
        return [source.node.name for source in sources if source.operator.available() is not None]

    # Running

    def iter_setup(self) -> None:
        """Prepare the start of a batch; subclasses override this to call `feed_input`.

        The method may raise StopIteration. `run` then raises StopIteration after the batches that
        have started already.
        """

    def schedule_run(self) -> None:
        """Start `prefetch_queue_depth` batches ahead of the consumer."""
        run = self._as_started()
        with self._taken_turn():
            run.launch_ahead(self._own_setup())

    def share_outputs(self, cuda_stream: object = None) -> tuple[TensorList, ...]:
        """Wait for the next batch and return its outputs.

        The outputs are complete: `cuda_stream` is accepted, but has nothing to wait for.
        """
        run = self._as_started()
        with self._taken_turn():
            return run.next_outputs()

    def outputs(self, cuda_stream: Any = None) -> tuple[TensorList, ...]:
        """Return the next batch: `share_outputs` after `release_outputs`."""
        return self.share_outputs()

    def run(self, cuda_stream: object = None, /, **inputs: object) -> tuple[TensorList, ...]:
        """Return the next batch, a `TensorList` an output.

        Outputs with names, which `output_names` tells, have the order of the definition's dict.

        Args:
            cuda_stream: without effect: the outputs are complete.
            inputs: data for external sources, by name, as in `feed_input`.

        Raises:
            StopIteration: an external source has ended; call `reset` to start over.
            Exception: the error of the batch, with its own type and with notes that name operator,
                stage and sample. The pipeline is stopped then.
        """
        run = self._as_started()
        with self._taken_turn():
            for name, data in inputs.items():
                self.feed_input(name, data)
            run.launch_ahead(self._own_setup())
            return run.next_outputs()

    def _own_setup(self) -> Callable[[], None] | None:
        return None if type(self).iter_setup is Pipeline.iter_setup else self.iter_setup

    def reset(self) -> None:
        """Start the external sources over after StopIteration; readers run on by themselves."""
        with self._taken_turn():
            if self._run is not None and self._run.ended:
                with self._at_rest() as built:
                    for source in built.plan.sources:
                        source.operator.reset()
                self._progress.note_sources(built.plan)

    def begin_epoch(self) -> bool:
        """Leave out the rest of the epoch; return whether the pipeline could do so.

        Readers go to the start of the first epoch that no rank has begun. External sources start
        over, as after `reset`. Batches that are under way are dropped. If an external source
        cannot start over, the pipeline stays as it is: then no data are lost.
        """
        with self._turn:
            plan, progress = self._as_built().plan, self._progress
            movable = self.starts_over()
            if not movable or not plan.inputs or not progress.has_moved:
                return movable
            states = next_epoch_states(plan, progress.delivered)
            with self._at_rest():
                for reader in plan.readers:
                    reader.operator.restore(progress.delivered, states[reader.node.name])
                for source in plan.sources:
                    source.operator.reset()
            progress.note_sources(plan)
            return True

    def starts_over(self) -> bool:
        """Return whether `begin_epoch` could leave out the rest of the epoch."""
        return all(source.operator.starts_over() for source in self._as_built().plan.sources)

    # Measurement

    def stats(self) -> PipelineStats:
        """Return where the time went, stage by stage; `print` it for a table."""
        return (self._run or self._as_started()).stats()

    def executor_statistics(self) -> dict[str, OperatorMemory]:
        """Return the memory of operators' results, by the name of the operator in the graph.

        The pipeline measures it if it was made with `enable_memory_stats=True`; otherwise there are
        no entries. Operators whose results stay in a worker's scratch memory have no entry, because
        workers use that memory again for the next sample.

        Returns:
            for each operator lists with a number of bytes for each of its outputs:

            * real_memory_size: of all samples of the largest batch.
            * max_real_memory_size: of the largest sample.
            * reserved_memory_size: of the memory that held the largest batch.
            * max_reserved_memory_size: of the memory that held the largest sample.
        """
        return {} if self._run is None else self._run.memory_statistics()

    # Iteration

    def __iter__(self) -> Pipeline:
        return self

    def __next__(self) -> tuple[TensorList, ...]:
        return self.run()

    def __repr__(self) -> str:
        return f"Pipeline(batch_size={self.batch_size}, num_threads={self.num_threads})"


show_options(Pipeline, signature_without_self(Pipeline.__init__))


def dtypes_of_all_data(pipeline: Pipeline) -> dict[Key, DALIDataType]:
    """Run a batch of a pipeline that is not built, and return the types of all data in the graph.

    All data become outputs of the pipeline.
    """
    definition = pipeline._as_defined()
    everything: list[DataNode] = [data for node in definition.plan().nodes for data in node.outputs]
    definition.replace_outputs(tuple(everything), None)
    outputs = pipeline.run()
    return {
        (data.node.ordinal, data.index): output.dtype
        for data, output in zip(everything, outputs, strict=True)
    }
