"""The stages of a pipeline: it is defined, built, run and closed."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from ..errors import ArgumentError
from ..graph.nodes import DataNode, Graph, current_graph, defining, pop_graph, push_graph
from ..order import checkpoint as checkpoints
from ..run.config import PipelineConfig
from ..run.shutdown import Shutdown
from ..suggestions import not_among
from .graph_definition import Definition
from .progress import Progress
from .rank_comparison import RankComparison

if TYPE_CHECKING:
    from .built import Built
    from .debug_run import DebugRun
    from .run import Run


class StagedPipeline:
    """The part of a `Pipeline` that has its state, in values that belong to its stages.

    The other parts have no state. They ask for the stage that they need.
    """

    def _begin(self, options: dict[str, Any]) -> None:
        """Start as a new pipeline with these arguments, and without a graph."""
        known = PipelineConfig.__dataclass_fields__
        for name in options:
            if name not in known:
                raise ArgumentError(f"Pipeline has no argument {not_among(name, known)}")
        try:
            config = PipelineConfig(**options)
        except TypeError as error:
            raise ArgumentError(f"Pipeline: {error}") from error
        restored = None if config.checkpoint is None else checkpoints.load(config.checkpoint)
        restored_seed = None if restored is None else restored.seed
        seed = config.chosen_seed() if restored_seed is None else restored_seed
        self._progress = Progress(restored)
        self._ranks = RankComparison()
        self._turn = threading.RLock()  # of the threads that ask for batches
        self._building = threading.RLock()
        self._shutdown = Shutdown()
        self._built: Built | None = None
        self._definition, self._run = self._first_stages(config, seed)
        weakref.finalize(self, self._shutdown.run_soon)

    def _first_stages(
        self, config: PipelineConfig, seed: int
    ) -> tuple[Definition, Run | DebugRun | None]:
        """Return the definition, and the run if it needs no plan."""
        if config.debug:
            raise ArgumentError("debug=True needs a definition that pipeline_def decorates")
        graph = Graph(pipeline=weakref.ref(self), conditionals=config.enable_conditionals)
        return Definition(config, seed, graph), None

    # Definition

    def define_graph(self) -> Any:
        """Return the outputs; overridden in subclasses, called once by `build`."""
        raise ArgumentError(
            "the pipeline has no graph: use @pipeline_def, override define_graph, or call "
            "set_outputs in a `with pipeline:` block"
        )

    def set_outputs(self, /, *outputs: object, **named: object) -> None:
        """Say which data the pipeline returns.

        Args:
            outputs: the data; or one dict of them, whose keys name the outputs.
            named: the data by name, in place of `outputs`.
        """
        self._definition.set_outputs(outputs, named)

    def add_sink(self, edge: DataNode) -> None:
        """Compute `edge` in every batch, also if no output of the pipeline needs it.

        Raises:
            ArgumentError: the pipeline is built already, or the data belong to another one.
        """
        if self._built is not None:
            raise ArgumentError("add_sink must be called before the pipeline is built")
        self._definition.add_sink(edge)

    def define(self, function: Callable[..., object], *args: object, **kwargs: object) -> None:
        """Let `function` define the graph; it returns one output, or a tuple or dict of them."""
        self._definition.define(function, *args, **kwargs)

    @staticmethod
    def current() -> Any:
        """Return the pipeline that this thread is defining, or None."""
        graph = current_graph()
        return None if graph is None else graph.pipeline()

    @staticmethod
    def push_current(pipeline: StagedPipeline | None) -> Any:
        """Add the operators that this thread calls to `pipeline` until `pop_current` is called.

        Returns:
            the pipeline that was the current one before, or None.
        """
        previous = StagedPipeline.current()
        push_graph(None if pipeline is None else pipeline._definition.graph)
        return previous

    @staticmethod
    def pop_current() -> None:
        """Make the pipeline current that was so before the last `push_current`."""
        pop_graph()

    def __enter__(self) -> Self:
        definition = self._definition
        defines = definition.is_open and type(self).define_graph is StagedPipeline.define_graph
        definition.enter(defining(definition.graph) if defines else closing(self))
        return self

    def __exit__(
        self,
        exception_type: type[BaseException] | None,
        exception_value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        block = self._definition.leave() or closing(self)
        block.__exit__(exception_type, exception_value, traceback)

    def _as_defined(self) -> Definition:
        """Return the definition; let `define_graph` define the graph, unless something has."""
        if self._definition.is_open:
            self.define(self.define_graph)
        return self._definition

    # Building

    def build(self) -> None:
        """Compile the graph and open the inputs; `run` calls this by itself."""
        self._as_built()

    def start_py_workers(self) -> None:
        """Build the pipeline, and so start its Python workers, before other threads start.

        See the argument `py_start_method` of `PipelineConfig`.
        """
        self.build()

    def _as_built(self) -> Built:
        """Return the plan and what it needs; build now what is not built."""
        if self._run is not None:
            return self._run.built()
        with self._building:
            if self._built is None:
                from .built import build  # with the executor, takes 7 ms

                self._built = build(self._as_defined(), self._progress, self._shutdown)
                self._built.start_python_workers(self._shutdown)
            return self._built

    # Running

    def _as_started(self) -> Run | DebugRun:
        """Return the run, whose threads work now."""
        self._shutdown.check()
        return self._run or self._start()

    def _start(self) -> Run:
        from .run import Run

        with self._building:
            self._shutdown.check()
            built, run = self._as_built(), self._run
            if not isinstance(run, Run):
                with self._shutdown.after_errors():  # an interrupt, too, must leave no thread
                    run = Run(built, self._progress, self._ranks, self._shutdown)
                    self._run = run
        if self._shutdown.reason is not None:  # another thread called `close` meanwhile
            self._shutdown()
        self._shutdown.check()
        return run

    @contextmanager
    def _taken_turn(self) -> Iterator[None]:
        """Let other threads that ask for batches wait during this block."""
        if self._run is not None:
            self._run.check_asker()
        with self._turn:
            yield

    @contextmanager
    def _at_rest(self) -> Iterator[Built]:
        """Drop the batches under way, let the block change the inputs, and go on."""
        self._shutdown.check()
        built, run = self._as_built(), self._run
        with self._shutdown.after_errors():  # some inputs may have moved, others not
            if run is not None:
                run.drain()
            yield built
            if run is not None:
                run.restart()

    # The end

    def close(self) -> None:
        """Stop all threads and processes, free files and memory; idempotent.

        A pipeline that is dropped is closed soon, in another thread.
        """
        self._shutdown.stop("the pipeline is closed")


def build_for_feeding(
    pipeline: StagedPipeline, *, rows_fail_alone: bool, most_output_bytes: int | None
) -> tuple[Built, Callable[[], Run]]:
    """Build a pipeline for `FedBatches`, which has the arguments; return also what starts it."""
    definition = pipeline._definition
    if definition.config.debug:
        raise ArgumentError("a pipeline in debug mode computes nothing ahead: leave out debug")
    if rows_fail_alone and definition.config.on_error == "raise":
        if pipeline._built is not None:
            raise ArgumentError(
                "the pipeline is built already, with on_error='raise'; give one that is not"
            )
        definition.configure(on_error="replace")
    definition.most_output_bytes = most_output_bytes
    return pipeline._as_built(), pipeline._start
