"""The run of a pipeline in debug mode: the definition runs anew for each batch."""

from __future__ import annotations

import copy
import threading
from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

from ..conditions.decorators import convert
from ..eager.eager_graph import EagerGraph
from ..eager.eager_runner import EagerRunner
from ..errors import ArgumentError, CheckpointError, PipelineStopped
from ..graph.inputs import FedInput, InputOperator
from ..graph.nodes import DataNode, defining
from ..order.checkpoint import Checkpoint
from ..run.checkpointing import states_of
from ..run.config import PipelineConfig
from ..run.feeding import fed_source, unfed_source
from ..run.shutdown import Shutdown
from ..tensors import TensorList
from ..tensors.dtypes import DALIDataType
from ..work.plan import InputNode, Key
from .built import Built
from .graph_definition import Definition
from .outputs import OutputChecks, as_outputs, names_and_values, output_checks, seen_dtypes
from .progress import Progress

if TYPE_CHECKING:
    from ..work.memory_figures import OperatorMemory

_Fed = dict[str, list[tuple[Any, ...]]]
"""The data that `feed_input` was given before the first batch, by the source's name."""

_Batch = tuple[tuple[TensorList, ...], dict[str, Any]]
"""The outputs of a batch, and the state of each source after the batch."""


class DebugDefinition(Definition):
    """A definition that each batch calls."""

    function: Callable[[], Any] = tuple  # without any outputs, until `define` is called

    @property
    def is_open(self) -> bool:
        """False: the outputs are those of each batch."""
        return False

    def define(self, function: Callable[..., object], *args: object, **kwargs: object) -> None:
        """Have each batch call `function`."""
        if self.config.enable_conditionals:
            function = convert(function)
        self.function = partial(function, *args, **kwargs)

    def set_outputs(self, outputs: tuple[object, ...], named: dict[str, object]) -> NoReturn:
        """Raise ArgumentError: a definition returns the outputs of each batch anew."""
        raise ArgumentError("debug=True needs a definition that pipeline_def decorates")

    def add_sink(self, edge: DataNode) -> None:
        """Do nothing but check the data: debug mode computes all data."""
        self.graph.adopt(edge)


class DebugRun:
    """Batches that are computed when they are asked for.

    Attributes:
        definition: what each batch calls.
        in_flight: 0: nothing is computed ahead of the consumer.
        seen_dtypes: types of all data, once a batch was computed.
        ended: whether the consumer was told that there are no more batches.
    """

    in_flight = 0

    def __init__(
        self,
        config: PipelineConfig,
        seed: int,
        progress: Progress,
        shutdown: Shutdown,
        turn: threading.RLock,
        pipeline: Callable[[], object],
    ) -> None:
        runner = EagerRunner(config.threads(), config.device_id, config.prefetch_device_bytes)
        self._fed: _Fed = defaultdict(list)
        self._graph = EagerGraph(
            runner,
            batch_size=config.batch_size,
            seed=seed,
            on_error=config.on_error,
            log=config.log_path(),
            pipeline=pipeline,
            arrays_are_batches=True,
            open_input=partial(_open_input, config.batch_size, progress.restored, self._fed),
        )
        self._graph.conditionals = config.enable_conditionals
        shutdown.add(runner.close)
        shutdown.add(self._graph.close)
        self.definition = DebugDefinition(config, seed, self._graph)
        self.seen_dtypes: dict[Key, DALIDataType] = {}
        self.ended = False
        self._progress = progress
        self._shutdown = shutdown
        self._turn = turn
        self._checks: OutputChecks | None = None
        self._asker: threading.Thread | None = None  # whose batch is computed now
        self._next: _Batch | None = None

    def built(self) -> Built:
        """Return what is run; compute the first batch ahead, which tells the operators."""
        self._shutdown.check()
        if not self._graph.is_complete and self._asker is None:
            self.compute_ahead()
        return Built(self.definition, self._graph.plan, self._checks)

    def compute_ahead(self) -> None:
        """Compute the batch that is asked for next."""
        self.check_asker()
        with self._turn:
            self._next = self._compute()

    def check_asker(self) -> None:
        """Raise ArgumentError if the definition asks for a batch, or for what needs one."""
        if self._asker is threading.current_thread():
            raise ArgumentError(
                "the definition asks for the pipeline's own batches or state while it makes a "
                "batch; use another pipeline"
            )

    def launch_ahead(self, iter_setup: Callable[[], None] | None) -> None:
        """Do nothing: `next_outputs` computes the batch."""

    def next_outputs(self) -> tuple[TensorList, ...]:
        """Call the definition, and return its outputs."""
        ready, self._next = self._next, None
        outputs, user_state = ready or self._compute()
        self._progress.deliver(user_state)
        return outputs

    def _compute(self) -> _Batch:
        self._shutdown.check()
        if self.ended:
            raise StopIteration
        if self._graph.is_complete and (name := unfed_source(self._graph.plan, 0)):
            raise PipelineStopped(f"feed_input({name!r}, ...) must be called before run")
        self._asker = threading.current_thread()
        try:
            return self._call_definition()
        except StopIteration:
            self.ended = True
            raise
        except BaseException as error:  # KeyboardInterrupt and the debugger's exit, too
            self._shutdown.stop_after(error)
            raise
        finally:
            self._asker = None

    def _call_definition(self) -> _Batch:
        graph, definition, progress = self._graph, self.definition, self._progress
        size = definition.config.batch_size
        is_first = not graph.is_complete
        graph.begin(size, progress.next_sample(size), progress.delivered)
        with defining(graph):
            names, values = names_and_values(definition.function())
            if not is_first and names != definition.names:
                raise ArgumentError(
                    f"the definition returns outputs with the names {names}, but in the first "
                    f"batch it returned {definition.names}: return the same names in each batch"
                )
            nodes = as_outputs(graph, graph.with_outputs(values), names)
            definition.replace_outputs(nodes, names)
        outputs = graph.end(nodes, keep_values=True)
        if is_first:
            states_of(graph.plan, progress.restored)
            self._checks = output_checks(definition.config, graph.plan)
            for name in self._fed:
                fed_source(graph.plan, name)
            self.seen_dtypes = seen_dtypes(
                ((node.ordinal, i), data)
                for node in graph.nodes
                for i, data in enumerate(node.values or ())
            )
        if self._checks is not None:
            self._checks.check(outputs)
        return outputs, progress.user_state | graph.user_state

    def feed(
        self, data_node: DataNode | str, data: object, layout: str | None, cuda_stream: object
    ) -> None:
        """Feed a source, or keep the data until the first batch makes the source."""
        self._shutdown.check()
        name = data_node.node.name if isinstance(data_node, DataNode) else data_node
        sources = {source.node.name for source in self._graph.plan.sources}
        if self._graph.is_complete or name in sources:
            fed_source(self._graph.plan, name).operator.feed(data, layout, cuda_stream)
            return
        data = data if isinstance(data, TensorList) else copy.deepcopy(data)
        self._fed[name].append((data, layout, cuda_stream))

    def drain(self) -> None:
        """Drop the batch that was computed ahead."""
        self._next = None

    def restart(self) -> None:
        """Go on after `drain`."""
        self._graph.seed = self.definition.seed
        self.ended = False

    def stats(self) -> NoReturn:
        """Raise ArgumentError: nothing runs ahead that could be measured."""
        raise ArgumentError("a pipeline with debug=True has no statistics; leave debug out")

    def memory_statistics(self) -> dict[str, OperatorMemory]:
        """Return nothing: the memory of results is not measured."""
        return {}

    def shares(self) -> dict[str, float]:
        """Return nothing: the operators' time is not measured."""
        return {}


def _open_input(
    batch_size: int, restored: Checkpoint | None, fed: _Fed, source: InputNode[InputOperator]
) -> None:
    """Open an input at its place in a checkpoint, and feed it what came before."""
    name, operator = source.node.name, source.operator
    states: Mapping[str, object] = {} if restored is None else restored.inputs
    if restored is not None and name not in states:
        raise CheckpointError(
            f"the checkpoint holds the state of {sorted(states)}, but not of {name!r}; give the "
            "readers the same names"
        )
    operator.open(batch_size, states.get(name))
    if isinstance(operator, FedInput):
        for data in fed.pop(name, ()):
            operator.feed(*data)
