"""`Pipeline`: a graph of operators, run batch by batch ahead of its consumer."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, Unpack

from ..closing import finish_closing
from ..conditions.decorators import convert
from ..errors import ArgumentError, PipelineStopped
from ..graph.context import Placement
from ..graph.copies import Transfer
from ..graph.nodes import DataNode, Graph, defining
from ..order import checkpoint as checkpoints
from ..run.checkpointing import next_epoch_states, snapshots, states_of
from ..run.config import PipelineConfig
from ..run.random_keys import random_keys
from ..run.shutdown import Shutdown
from ..suggestions import not_among
from ..tensors import TensorList
from ..tensors.dtypes import DALIDataType
from ..tensors.memory import SlabPool
from ..work.plan import Key, Plan, make_plan
from ..work.quarantine import QuarantineLog
from .accepted_members import AcceptedMembers
from .current_pipeline import CurrentPipeline
from .drawn_pipeline import DrawnPipeline, seen_dtypes
from .fed_pipeline import FedPipeline
from .measured_pipeline import MeasuredPipeline
from .outputs import Names, as_outputs, names_and_values, output_checks
from .properties import PipelineProperties
from .ranked_pipeline import RankedPipeline
from .resumable_pipeline import ResumablePipeline
from .serialized_pipeline import SerializedPipeline
from .shown_options import show_options, signature_without_self

if TYPE_CHECKING:
    from ..processes.python_workers import PythonWorkers
    from ..run.executor import Executor
    from ..work.batch import Batch
    from .options import FurtherOptions


class Pipeline(
    PipelineProperties,
    CurrentPipeline,
    FedPipeline,
    MeasuredPipeline,
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

    _has_values = False  # while the pipeline is defined

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

    def _begin(self, options: dict[str, Any]) -> None:
        known = PipelineConfig.__dataclass_fields__
        for name in options:
            if name not in known:
                raise ArgumentError(f"Pipeline has no argument {not_among(name, known)}")
        try:
            self._config = PipelineConfig(**options)
        except TypeError as error:
            raise ArgumentError(f"Pipeline: {error}") from error
        if self._config.debug and not self._has_values:
            raise ArgumentError("debug=True needs a definition that pipeline_def decorates")
        self._restored = (
            None if self._config.checkpoint is None else checkpoints.load(self._config.checkpoint)
        )
        restored_seed = None if self._restored is None else self._restored.seed
        self._seed = self._config.chosen_seed() if restored_seed is None else restored_seed
        self._restored_at = 0  # number of batches that were delivered before
        conditionals = self._config.enable_conditionals
        self._graph = Graph(pipeline=weakref.ref(self), conditionals=conditionals)
        self._outputs: tuple[DataNode, ...] | None = None
        self._output_names: Names = None
        self._plan: Plan | None = None
        self._executor: Executor | None = None
        self._python_workers: PythonWorkers | None = None
        self._pool: SlabPool
        self._most_output_bytes: int | None = None  # of a sample
        self._delivered = 0
        self._seen_dtypes: dict[Key, DALIDataType] = {}  # of the outputs
        self._ahead = 1  # batches that start before the consumer requests them
        self._user_state: dict[str, Any] = {}
        self._scheduled = False
        self._setup_over = False  # iter_setup has raised StopIteration
        self._ended = False  # run has raised StopIteration
        self._closed: str | None = None
        self._definition: Any = None
        self._inside = False  # a `with` block
        self._defined_inside = False  # the block calls set_outputs, so its end closes nothing
        self._pid: int | None = None  # of the process whose threads run
        self._turn = threading.RLock()  # of the threads that ask for batches
        self._building = threading.RLock()
        self._shutdown = Shutdown()
        weakref.finalize(self, self._shutdown.run_soon)

    # Definition

    def define_graph(self) -> Any:
        """Return the outputs; overridden in subclasses, called once by `build`."""
        raise ArgumentError(
            "the pipeline has no graph: use @pipeline_def, override define_graph, or call "
            "set_outputs in a `with pipeline:` block"
        )

    def set_outputs(self, /, *outputs: Any, **named: Any) -> None:
        """Say which data the pipeline returns.

        Args:
            outputs: the data; or one dict of them, whose keys name the outputs.
            named: the data by name, in place of `outputs`.
        """
        if outputs and named:
            raise ArgumentError(
                f"set_outputs has {len(outputs)} output(s) without a name, and others named "
                f"{', '.join(named)}: name all of them or none"
            )
        self._defined_inside = self._inside
        with defining(self._graph):
            only = outputs[0] if len(outputs) == 1 else outputs
            self._return(named or (only if isinstance(only, Mapping) else outputs))

    def _return(self, result: Any) -> None:
        """Make what a definition has returned the outputs."""
        names, values = names_and_values(result)
        self._outputs = as_outputs(self._graph, values, names)
        self._output_names = names

    def add_sink(self, edge: DataNode) -> None:
        """Compute `edge` in every batch, also if no output of the pipeline needs it.

        Raises:
            ArgumentError: the pipeline is built already, or the data belong to another one.
        """
        if self._plan is not None:
            raise ArgumentError("add_sink must be called before the pipeline is built")
        self._graph.adopt(edge)
        edge.node.operator.keep()

    def define(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
        """Let `function` define the graph; it returns one output, or a tuple or dict of them."""
        if self._graph.conditionals:
            function = convert(function)
        with defining(self._graph):
            self._return(function(*args, **kwargs))

    def build(self) -> None:
        """Compile the graph and open the inputs; `run` calls this by itself."""
        with self._building:
            if self._plan is None:
                self._build()

    def _define_once(self) -> None:
        if self._outputs is None:
            self.define(self.define_graph)

    def _build(self) -> None:
        self._define_once()
        assert self._outputs is not None
        from ..run.opening import check_devices, open_inputs  # with the executor, takes 7 ms

        plan = make_plan(self._graph, self._outputs)
        check_devices(plan)
        self._checks = output_checks(self._config, plan)
        log_path = self._config.log_path()
        if log_path is not None:
            QuarantineLog(log_path)  # refuses a path that cannot be written
        self._place(plan)
        self._open_python_workers(plan)
        open_inputs(plan, self._config.batch_size, self._restored, self._shutdown)
        self._agree_on_seed(plan)
        self._user_state = states_of(plan, self._restored)
        self._ahead = self._config.ahead(plan.uses_gpu)
        self._plan = plan
        if self._python_workers is not None:
            self._start_python_workers(plan, self._python_workers)

    def _open_python_workers(self, plan: Plan) -> None:
        """Let the operators have the pipeline's Python workers that want any."""
        from ..run.opening import open_python_workers

        workers = self._python_workers = open_python_workers(plan.nodes, self._config)
        for node in plan.nodes if workers is not None else ():
            operator = node.operator
            if operator.python_callee() is not None:
                operator.placement = replace(operator.placement, python_workers=workers)

    def _start_python_workers(self, plan: Plan, workers: PythonWorkers) -> None:
        try:
            self._open_memory(plan)
            self._shutdown.bind()
            self._pid = os.getpid()
            self._shutdown.add(workers.close, repeatable=True)
            workers.start(self._pool)
        except BaseException as error:  # an interrupt, too, must leave no process behind
            self._stop_after(error)
            raise

    def start_py_workers(self) -> None:
        """Build the pipeline, and so start its Python workers, before other threads start.

        See the argument `py_start_method` of `PipelineConfig`.
        """
        self.build()

    def _place(self, plan: Plan) -> None:
        """Give the operators their numbers, and the keys of their random numbers."""
        keys = random_keys(self._graph.nodes, self._seed)
        computing = (node for node in plan.nodes if not isinstance(node.operator, Transfer))
        for node in computing:
            node.operator.placement = Placement(
                node.ordinal, keys[node.ordinal], self._config.threads(), self._config.on_error
            )

    def _start(self) -> Executor:
        if self._closed is not None:
            raise PipelineStopped(self._closed)
        if self._pid not in (None, os.getpid()):
            raise PipelineStopped(
                "this pipeline was started before the process was forked, and threads do not "
                "survive a fork; build the pipeline in the child process"
            )
        if self._executor is None:
            with self._building:
                if self._executor is None:
                    self._start_executor()
        assert self._executor is not None
        return self._executor

    def _start_executor(self) -> None:
        from ..run.executor import Executor

        self.build()
        assert self._plan is not None
        try:
            if self._python_workers is None:
                # Memory is made only now: a fork before the start would share it.
                self._open_memory(self._plan)
            executor = Executor(
                self._plan,
                self._config,
                self._seed,
                self._first_sample(),
                self._pool,
                self._python_workers,
            )
            self._shutdown.bind()
            self._shutdown.add(executor.close, repeatable=True)
            executor.start()
            self._pid = os.getpid()
            self._executor = executor
        except BaseException as error:  # an interrupt, too, must leave no thread behind
            self._stop_after(error)
            raise
        if self._closed is not None:  # another thread called `close` meanwhile
            self._shutdown()
            raise PipelineStopped(self._closed)

    def _open_memory(self, plan: Plan) -> None:
        from ..run.opening import open_pool

        finish_closing()  # dropped pipelines hold memory, threads and descriptors until then
        self._pool = open_pool(plan, self._config, python_workers=self._python_workers is not None)
        self._pool.most_output_bytes = self._most_output_bytes
        self._shutdown.add(self._pool.close, repeatable=True)

    # Running

    def iter_setup(self) -> None:
        """Prepare the start of a batch; subclasses override this to call `feed_input`.

        The method may raise StopIteration. `run` then raises StopIteration after the batches that
        have started already.
        """

    def schedule_run(self) -> None:
        """Start `prefetch_queue_depth` batches ahead of the consumer."""
        executor = self._start()
        with self._taken_turn():
            self._launch_ahead(executor)

    def _launch_ahead(self, executor: Executor) -> None:
        started = 0
        while executor.in_flight < self._ahead + self._scheduled and (
            started == 0 or not self._scheduled
        ):
            self._set_up()
            if self._setup_over or self._unfed_input():
                break
            executor.launch()
            started += 1
        self._scheduled = True

    def _set_up(self) -> None:
        if type(self).iter_setup is not Pipeline.iter_setup and not self._setup_over:
            try:
                self.iter_setup()
            except StopIteration:
                self._setup_over = True

    def share_outputs(self, cuda_stream: Any = None) -> tuple[TensorList, ...]:
        """Wait for the next batch and return its outputs.

        The outputs are complete: `cuda_stream` is accepted, but has nothing to wait for.
        """
        executor = self._start()
        with self._taken_turn():
            return self._next_outputs(executor)

    @contextmanager
    def _taken_turn(self) -> Iterator[None]:
        """Let other threads that ask for batches wait during this block."""
        self._check_asker()
        with self._turn:
            yield

    def _check_asker(self) -> None:
        """Raise if a thread that computes this pipeline's batches asks for them."""
        if self._executor is not None and self._executor.owns(threading.current_thread()):
            raise ArgumentError(
                "a source or function of the pipeline asks for the pipeline's own batches or "
                "state, and would wait for itself for ever; give it the data as inputs, or use "
                "another pipeline"
            )

    def _next_outputs(self, executor: Executor) -> tuple[TensorList, ...]:
        if executor.in_flight == 0:
            if self._setup_over:
                self._ended = True
                raise StopIteration
            raise PipelineStopped(self._closed or self._why_nothing_is_under_way())
        try:
            if not self._is_compared:
                self._compare_ranks()
            return self._delivered_outputs(executor.next_batch())
        except StopIteration:
            self._scheduled = False
            self._ended = True
            raise
        except BaseException as error:  # KeyboardInterrupt, too, must leave no thread behind
            self._stop_after(error)
            raise

    def _delivered_outputs(self, batch: Batch) -> tuple[TensorList, ...]:
        if self._checks is not None:
            self._checks.check(batch.outputs)
        if not self._seen_dtypes:
            assert self._plan is not None
            self._seen_dtypes = seen_dtypes(zip(self._plan.outputs, batch.outputs, strict=True))
        self._delivered += 1
        self._user_state = batch.user_state
        return batch.outputs

    def _why_nothing_is_under_way(self) -> str:
        if name := self._unfed_input():
            call = f"feed_input({name!r}, ...) must be called before run"
        else:
            call = "call schedule_run (or just run) first"
        return f"no batch is under way: {call}"

    def _stop_after(self, error: BaseException) -> None:
        try:
            self._stop(f"an earlier error stopped the pipeline: {type(error).__name__}: {error}")
        except Exception as second:
            error.add_note(f"then the pipeline could not be closed properly: {second!r}")

    def outputs(self, cuda_stream: Any = None) -> tuple[TensorList, ...]:
        """Return the next batch: `share_outputs` after `release_outputs`."""
        return self.share_outputs()

    def run(self, cuda_stream: Any = None, /, **inputs: Any) -> tuple[TensorList, ...]:
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
        executor = self._start()
        with self._taken_turn():
            for name, data in inputs.items():
                self.feed_input(name, data)
            self._launch_ahead(executor)
            return self._next_outputs(executor)

    def reset(self) -> None:
        """Start the external sources over after StopIteration; readers run on by themselves."""
        with self._taken_turn():
            if self._ended:
                with self._at_rest() as plan:
                    for source in plan.sources:
                        source.operator.reset()
                self._user_state |= snapshots(plan)  # for a checkpoint that is made now

    def begin_epoch(self) -> bool:
        """Leave out the rest of the epoch; return whether the pipeline could do so.

        Readers go to the start of the first epoch that no rank has begun. External sources start
        over, as after `reset`. Batches that are under way are dropped. If an external source
        cannot start over, the pipeline stays as it is: then no data are lost.
        """
        with self._turn:
            self.build()
            plan = self._plan
            assert plan is not None
            movable = self.starts_over()
            if not movable or not plan.inputs or self._delivered == self._restored_at:
                return movable
            states = next_epoch_states(plan, self._delivered)
            with self._at_rest():
                for reader in plan.readers:
                    reader.operator.restore(self._delivered, states[reader.node.name])
                for source in plan.sources:
                    source.operator.reset()
            self._user_state |= snapshots(plan)
            return True

    def starts_over(self) -> bool:
        """Return whether `begin_epoch` could leave out the rest of the epoch."""
        self.build()
        assert self._plan is not None
        return all(source.operator.starts_over() for source in self._plan.sources)

    @contextmanager
    def _at_rest(self) -> Iterator[Plan]:
        """Drop the batches under way, let the block change the inputs, and go on."""
        if self._closed is not None:
            raise PipelineStopped(self._closed)
        self.build()
        assert self._plan is not None
        executor = self._executor
        try:
            if executor is not None:
                self._start().drain()
            yield self._plan
            if executor is not None:
                executor.restart(self._seed, self._first_sample())
        except BaseException as error:  # some inputs may have moved, others not
            self._stop_after(error)
            raise
        self._scheduled = self._setup_over = self._ended = False

    def __iter__(self) -> Pipeline:
        return self

    def __next__(self) -> tuple[TensorList, ...]:
        return self.run()

    # The end

    def close(self) -> None:
        """Stop all threads and processes, free files and memory; idempotent.

        A pipeline that is dropped is closed soon, in another thread.
        """
        self._stop("the pipeline is closed")

    def _stop(self, reason: str) -> None:
        if self._closed is None:
            self._closed = reason
        self._shutdown()

    def __enter__(self) -> Self:
        if self._outputs is None and type(self).define_graph is Pipeline.define_graph:
            self._definition = defining(self._graph)
            self._definition.__enter__()
        self._inside = True
        return self

    def __exit__(
        self,
        exception_type: type[BaseException] | None,
        exception_value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        definition, self._definition = self._definition, None
        defined, self._inside, self._defined_inside = self._defined_inside, False, False
        if definition is not None:
            definition.__exit__(exception_type, exception_value, traceback)
        elif not defined:
            self.close()

    def __repr__(self) -> str:
        return f"Pipeline(batch_size={self.batch_size}, num_threads={self.num_threads})"


show_options(Pipeline, signature_without_self(Pipeline.__init__))
