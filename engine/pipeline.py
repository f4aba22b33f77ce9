"""`Pipeline`: a graph of operators, run batch by batch ahead of its consumer."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from . import checkpoint as checkpoints
from . import philox
from .batch import Batch
from .config import PipelineConfig
from .errors import ArgumentError, CheckpointError, PipelineStopped
from .executor import Executor
from .faults import Faults
from .graph import DataNode, Graph, Node, defining
from .memory import SlabPool
from .operator import InputOperator
from .outputs import OutputChecks, as_outputs
from .plan import Plan, make_plan
from .stats import PipelineStats, operator_stats
from .tensors import TensorList
from .workers import may_be_processes


class Pipeline:
    """A graph of operators, and the threads and processes that run it.

    There are three ways to define the graph: a function with the decorator `pipeline_def`; a
    subclass with a method `define_graph` that returns the outputs; or a block

        pipe = Pipeline(batch_size=8, num_threads=2)
        with pipe:
            pipe.set_outputs(fn.readers.file(files=files))

    A pipeline that has its graph is a context manager, too: leaving the block closes it.

    Args: those of `PipelineConfig`, of which the first is required.
    """

    def __init__(
        self,
        batch_size: int | None = None,
        num_threads: int | None = None,
        device_id: int | None = None,
        seed: int | None = None,
        exec_pipelined: bool = True,
        prefetch_queue_depth: Any = 2,
        **options: Any,
    ) -> None:
        if batch_size is None:
            raise ArgumentError("a pipeline needs a batch_size, the number of samples in a batch")
        try:
            self._config = PipelineConfig(
                batch_size,
                num_threads,
                device_id,
                seed,
                exec_pipelined,
                prefetch_queue_depth,
                **options,
            )
        except TypeError as error:
            raise ArgumentError(f"Pipeline: {error}") from error
        self._restored = (
            None if self._config.checkpoint is None else checkpoints.load(self._config.checkpoint)
        )
        self._seed = self._restored.seed if self._restored else self._config.chosen_seed()
        self._graph = Graph()
        self._outputs: tuple[DataNode, ...] | None = None
        self._plan: Plan | None = None
        self._executor: Executor | None = None
        self._pool: SlabPool
        self._delivered = 0
        self._user_state: dict[str, Any] = {}
        self._scheduled = False
        self._setup_over = False  # iter_setup has raised StopIteration
        self._ended = False  # run has raised StopIteration
        self._closed: str | None = None
        self._definition: Any = None

    # Definition

    def define_graph(self) -> Any:
        """Return the outputs; overridden in subclasses, called once by `build`."""
        raise ArgumentError(
            "the pipeline has no graph: use @pipeline_def, override define_graph, or call "
            "set_outputs in a `with pipeline:` block"
        )

    def set_outputs(self, *outputs: Any) -> None:
        """Say which data the pipeline returns."""
        with defining(self._graph):
            self._outputs = as_outputs(outputs)

    def define(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
        """Let `function` define the graph; it returns one output or a tuple of them."""
        with defining(self._graph):
            result = function(*args, **kwargs)
            self._outputs = as_outputs(result if isinstance(result, tuple | list) else (result,))

    def build(self) -> None:
        """Compile the graph and open the inputs; `run` does this by itself."""
        if self._plan is not None:
            return
        if self._outputs is None:
            self.define(self.define_graph)
        assert self._outputs is not None
        plan = make_plan(self._graph, self._outputs)
        self._checks = OutputChecks(self._config, plan)
        computing = [node for node in plan.nodes if node.operator.name != "copy"]
        for stream, node in enumerate(computing):  # the same on whichever device
            explicit = node.operator.seed
            node.operator.stream = philox.mix(stream if explicit == -1 else explicit, explicit)
            node.operator.threads = self._config.threads()
        states = self._restored.inputs if self._restored else {}
        names = {node.name for node in plan.inputs}
        if self._restored and set(states) != names:
            raise CheckpointError(
                f"the checkpoint holds the state of {sorted(states)}, but the pipeline's inputs "
                f"are {sorted(names)}; give the readers the same names"
            )
        with ExitStack() as if_one_fails:
            for node in plan.inputs:
                assert isinstance(node.operator, InputOperator)
                try:
                    node.operator.open(self._config.batch_size, states.get(node.name))
                except BaseException as error:
                    error.add_note(f"in {node}, when the pipeline was built")
                    raise
                if_one_fails.callback(node.operator.close)
            if_one_fails.pop_all()
        self._plan = plan

    def _start(self) -> Executor:
        if self._closed is not None:
            raise PipelineStopped(self._closed)
        if self._executor is None:
            self.build()
            assert self._plan is not None
            plan, config = self._plan, self._config
            has_chains = any(segment.kind == "sample" for segment in plan.segments)
            inputs = [_input(node) for node in plan.inputs]
            shared = config.exec_processes is not False and any(
                each.shares_memory(uses_gpu=plan.uses_gpu) for each in inputs
            )
            shared |= has_chains and may_be_processes(config.threads(), config.exec_processes)
            # Made only now: a fork before would share it.
            self._pool = SlabPool(budget=config.prefetch_bytes, shared=shared)
            find = {name: f for node in plan.nodes for name, f in node.operator.find.items()}
            for each in inputs if shared else ():
                each.share(self._pool.arena, find)
            self._executor = Executor(
                plan,
                config.batch_size,
                config.threads(),
                config.exec_processes,
                self._seed,
                self._first_sample(),
                lambda chains: Faults(config.on_error, config.log_path(), plan, chains),
                self._pool,
                config.device_id,
                config.prefetch_device_bytes,
            )
            self._pid = os.getpid()
            self._finalizer = weakref.finalize(
                self, _release, self._executor, plan, self._pool, self._pid
            )
        elif self._pid != os.getpid():
            raise PipelineStopped(
                "this pipeline was started before the process was forked, and threads do not "
                "survive a fork; build the pipeline in the child process"
            )
        return self._executor

    # Running

    def iter_setup(self) -> None:
        """Called before each batch is begun; overridden by subclasses that call `feed_input`.

        It may raise StopIteration: `run` then does so after the batches that were begun before.
        """

    def schedule_run(self) -> None:
        """Begin as many batches as `prefetch_queue_depth` asks for ahead of the consumer."""
        executor = self._start()
        wanted = self._config.ahead(self._plan.uses_gpu) if self._plan else 1
        begun = 0
        while executor.in_flight < wanted + self._scheduled and (begun == 0 or not self._scheduled):
            self._set_up()
            if self._setup_over or self._starving():
                break
            executor.launch()
            begun += 1
        self._scheduled = True

    def _set_up(self) -> None:
        if type(self).iter_setup is not Pipeline.iter_setup and not self._setup_over:
            try:
                self.iter_setup()
            except StopIteration:
                self._setup_over = True

    def _starving(self) -> str:
        """Return the name of an input that waits to be fed, or ""."""
        assert self._plan is not None
        assert self._executor is not None
        for node in self._plan.inputs:
            assert isinstance(node.operator, InputOperator)
            available = node.operator.available()
            if available is not None and available <= self._executor.unfetched:
                return node.name
        return ""

    def share_outputs(self, cuda_stream: Any = None) -> tuple[TensorList, ...]:
        """Wait for the next batch and return its outputs.

        They are complete: `cuda_stream` is accepted, but there is nothing left to wait for.
        """
        executor = self._start()
        if executor.in_flight == 0 and self._setup_over:
            self._ended = True
            raise StopIteration
        if executor.in_flight == 0:
            name = self._starving()
            raise PipelineStopped(
                f"no batch is under way: feed_input({name!r}, ...) must be called before run"
                if name
                else "no batch is under way: call schedule_run (or just run) first"
            )
        try:
            batch = executor.take()
            outputs = self._outputs_of(batch)
        except StopIteration:
            self._scheduled = False
            self._ended = True
            raise
        except BaseException as error:  # KeyboardInterrupt, too, must leave no thread behind
            self._stop_after(error)
            raise
        self._delivered += 1
        self._user_state = batch.user_state
        return outputs

    def _stop_after(self, error: BaseException) -> None:
        try:
            self._stop(f"an earlier error stopped the pipeline: {type(error).__name__}: {error}")
        except Exception as second:
            error.add_note(f"then the pipeline could not be closed properly: {second!r}")

    def _outputs_of(self, batch: Batch) -> tuple[TensorList, ...]:
        results = [column.with_origin(batch.source_info, batch.valid) for column in batch.outputs]
        self._checks.check(results)
        return tuple(results)

    def release_outputs(self) -> None:
        """Do nothing: memory is recycled when the last reference to it is dropped."""

    def outputs(self, cuda_stream: Any = None) -> tuple[TensorList, ...]:
        """Return the next batch: `share_outputs` after `release_outputs`."""
        self.release_outputs()
        return self.share_outputs()

    def run(self, cuda_stream: Any = None, /, **inputs: Any) -> tuple[TensorList, ...]:
        """Return the next batch, a `TensorList` an output.

        Args:
            cuda_stream: without effect: the outputs are complete.
            inputs: data for external sources, by name, as with `feed_input`.

        Raises:
            StopIteration: an external source has ended; call `reset` to start over.
            Exception: whatever went wrong in the batch, with its own type and with notes that
                name operator, stage and sample. The pipeline is stopped then.
        """
        self._start()
        for name, data in inputs.items():
            self.feed_input(name, data)
        self.schedule_run()
        return self.outputs()

    def feed_input(
        self,
        data_node: DataNode | str,
        data: Any,
        layout: str | None = None,
        cuda_stream: Any = None,
        use_copy_kernel: bool = False,
    ) -> None:
        """Give an external source its next batch.

        Args:
            data_node: the source's name or its output.
            data: an array whose axis 0 runs over samples, or a list of arrays.
            layout: meaning of a sample's dimensions.
            cuda_stream: see `fn.external_source`; by default what was said there.
            use_copy_kernel: without effect.
        """
        self.build()
        name = data_node.node.name if isinstance(data_node, DataNode) else data_node
        assert self._plan is not None
        for node in self._plan.nodes:
            if node.name == name and hasattr(node.operator, "feed"):
                if node.device != "cpu":
                    self._start()  # the data is copied to the device now
                node.operator.feed(data, layout, cuda_stream)
                return
        names = [n.name for n in self._plan.nodes if hasattr(n.operator, "feed")]
        raise ArgumentError(f"there is no external source named {name!r}; there are {names}")

    def reset(self) -> None:
        """Start the external sources over after StopIteration; readers run on by themselves."""
        if self._ended:
            self._start().restart()
            self._scheduled = self._setup_over = self._ended = False
            self._note_states()

    def _note_states(self) -> None:
        """Let a checkpoint that is made now hold where the inputs stand after `reset`."""
        assert self._plan is not None
        for node in self._plan.inputs:
            assert isinstance(node.operator, InputOperator)
            state = node.operator.snapshot()
            if state is not None:
                self._user_state[node.name] = state

    def __iter__(self) -> Pipeline:
        return self

    def __next__(self) -> tuple[TensorList, ...]:
        return self.run()

    # The end

    def close(self) -> None:
        """Stop all threads and processes, free files and memory; idempotent, done at deletion."""
        self._stop("the pipeline is closed")

    def _stop(self, reason: str) -> None:
        if self._closed is None:
            self._closed = reason
            if self._executor is not None:
                self._finalizer()
            elif self._plan is not None:
                _close_operators(self._plan)

    def __enter__(self) -> Self:
        if self._outputs is None and type(self).define_graph is Pipeline.define_graph:
            self._definition = defining(self._graph)
            self._definition.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._definition is not None:
            self._definition.__exit__(kind, error, trace)
            self._definition = None
        else:
            self.close()

    # Facts

    def epoch_size(self, name: str | None = None) -> Any:
        """Return the number of samples in an epoch, of reader `name` or of each by name."""
        sizes = {k: meta["epoch_size"] for k, meta in self.reader_meta().items()}
        return sizes if name is None else self._of_reader(sizes, name)

    def reader_meta(self, name: str | None = None) -> dict[str, Any]:
        """Return sizes and shards of reader `name`, or of each by name.

        Keys: epoch_size, epoch_size_padded, number_of_shards, shard_id, pad_last_batch,
        stick_to_shard.
        """
        self.build()
        assert self._plan is not None
        metas = {
            n.name: n.operator.meta() for n in self._plan.inputs if hasattr(n.operator, "meta")
        }
        result: dict[str, Any] = metas if name is None else self._of_reader(metas, name)
        return result

    @staticmethod
    def _of_reader(values: dict[str, Any], name: str) -> Any:
        if name not in values:
            raise ArgumentError(f"there is no reader named {name!r}; there are {sorted(values)}")
        return values[name]

    def stats(self) -> PipelineStats:
        """Return where the time went, stage by stage; `print` it for a table."""
        executor = self._executor or self._start()
        assert self._plan is not None
        return executor.stats(operator_stats(executor.clocks, self._plan))

    def checkpoint(self, filename: str | os.PathLike[str] | None = None) -> str:
        """Return, and write to `filename` if given, where the run stands.

        Pass it as the argument `checkpoint` to a pipeline with the same graph, also with
        another number of shards, threads or samples in a batch: the rest of the epoch holds
        each sample that no rank has been given yet exactly once. Every rank returns the same
        text, so saving one of them is enough.
        """
        self.build()
        assert self._plan is not None
        inputs = {}
        for node in self._plan.inputs:
            assert isinstance(node.operator, InputOperator)
            state = node.operator.state_after(self._delivered)
            inputs[node.name] = self._user_state.get(node.name) if state is None else state
        samples = self._first_sample() + self._delivered * self._config.batch_size
        text = checkpoints.Checkpoint(self._seed, samples, inputs).dump()
        if filename is not None:
            partial = Path(f"{os.fspath(filename)}.partial")
            partial.write_text(text, encoding="utf-8")
            partial.replace(filename)
        return text

    def _first_sample(self) -> int:
        return self._restored.samples if self._restored else 0

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
        """The seed in use, also where it was drawn."""
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

    def __repr__(self) -> str:
        return f"Pipeline(batch_size={self.batch_size}, num_threads={self.num_threads})"


def _input(node: Node) -> InputOperator:
    assert isinstance(node.operator, InputOperator)
    return node.operator


def _close_operators(plan: Plan) -> None:
    with ExitStack() as each:  # also if one of them raises
        for node in reversed(plan.nodes):
            each.callback(node.operator.close)


def _release(executor: Executor, plan: Plan, pool: SlabPool, pid: int) -> None:
    if os.getpid() != pid:
        return  # a forked child has no such threads, and their locks may be held for ever
    with ExitStack() as each:
        each.callback(pool.close)
        each.callback(_close_operators, plan)
        each.callback(executor.close)
