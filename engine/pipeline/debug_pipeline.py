"""`DebugPipeline`: a pipeline whose definition runs anew for each batch, operator by operator."""

from __future__ import annotations

import copy
import weakref
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, NoReturn, Self

from ..conditions.decorators import convert
from ..eager.eager_graph import EagerGraph
from ..eager.eager_runner import EagerRunner
from ..errors import ArgumentError, CheckpointError, PipelineStopped
from ..graph.inputs import FedInput, InputOperator
from ..graph.nodes import DataNode, defining
from ..order.checkpoint import Checkpoint
from ..run.checkpointing import states_of
from ..run.feeding import fed_source, unfed_source
from ..tensors import TensorList
from ..work.plan import InputNode, Plan
from .drawn_pipeline import seen_dtypes
from .outputs import as_outputs, names_and_values, output_checks
from .pipeline import Pipeline

_Fed = dict[str, list[tuple[Any, ...]]]
"""The data that `feed_input` was given before the first batch, by the source's name."""


class DebugPipeline(Pipeline):
    """A pipeline in debug mode: `pipeline_def(debug=True)`.

    Each `run` calls the definition. Each operator runs in the line that calls the operator, so the
    definition can look at values, print them and stop at breakpoints. Samples, random numbers and
    results are those of the pipeline without debug mode. There are no worker threads that run
    ahead, so debug mode is slow.

    The first batch tells which operators there are. `epoch_size`, `reader_meta`, `checkpoint` and
    the like compute it ahead if they are called before `run`.
    """

    _has_values = True

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        config = self._config
        self._fed: _Fed = defaultdict(list)
        self._computing = False
        self._ahead_batch: tuple[tuple[TensorList, ...], dict[str, Any]] | None = None
        runner = EagerRunner(config.threads(), config.device_id, config.prefetch_device_bytes)
        self._graph: EagerGraph = EagerGraph(
            runner,
            batch_size=config.batch_size,
            seed=self._seed,
            on_error=config.on_error,
            log=config.log_path(),
            pipeline=weakref.ref(self),
            arrays_are_batches=True,
            open_input=partial(_open_input, config.batch_size, self._restored, self._fed),
        )
        self._graph.conditionals = config.enable_conditionals
        self._shutdown.add(runner.close)
        self._shutdown.add(self._graph.close)

    @property
    def _plan(self) -> Plan | None:
        """The plan of the first batch, which is computed now if it was not."""
        if not self._graph.is_complete and not self._computing:
            self._compute_ahead()
        return self._graph.plan

    @_plan.setter
    def _plan(self, plan: Plan | None) -> None:
        pass  # the graph has the plan

    def _compute_ahead(self) -> None:
        with self._taken_turn():
            self._ahead_batch = self._compute()

    # Definition

    def define(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
        """Have each run call `function`; it returns one output, or a tuple or dict of them."""
        if self._config.enable_conditionals:
            function = convert(function)
        self._function = partial(function, *args, **kwargs)

    def _define_once(self) -> None:
        if self._outputs is None:
            self._compute_ahead()

    def set_outputs(self, /, *outputs: Any, **named: Any) -> NoReturn:
        """Raise ArgumentError: a definition returns the outputs of each batch anew."""
        raise ArgumentError("debug=True needs a definition that pipeline_def decorates")

    def add_sink(self, edge: DataNode) -> None:
        """Do nothing but check the data: debug mode computes all data."""
        self._graph.adopt(edge)

    def build(self) -> None:
        """Do nothing: the first run makes the operators, and opens the inputs."""
        if self._closed is not None:
            raise PipelineStopped(self._closed)

    def __enter__(self) -> Self:
        self._inside = True
        return self

    # Running

    def schedule_run(self) -> None:
        """Do nothing: `outputs` computes the batch."""
        self.build()

    def run(self, cuda_stream: Any = None, /, **inputs: Any) -> tuple[TensorList, ...]:
        """Call the definition, and return its outputs: see `Pipeline.run`."""
        with self._taken_turn():
            for name, data in inputs.items():
                self.feed_input(name, data)
            return self.outputs()

    def share_outputs(self, cuda_stream: Any = None) -> tuple[TensorList, ...]:
        """Call the definition, and return its outputs."""
        with self._taken_turn():
            ready, self._ahead_batch = self._ahead_batch, None
            outputs, self._user_state = ready or self._compute()
            self._delivered += 1
            return outputs

    @contextmanager
    def _taken_turn(self) -> Iterator[None]:
        with self._turn:
            if self._computing:
                raise ArgumentError(
                    "the definition asks for the pipeline's own batches or state while it makes "
                    "a batch; use another pipeline"
                )
            yield

    def _compute(self) -> tuple[tuple[TensorList, ...], dict[str, Any]]:
        """Return the outputs of the next batch, and the state of its sources."""
        self.build()
        if self._ended:
            raise StopIteration
        if self._graph.is_complete and (name := unfed_source(self._graph.plan, 0)):
            raise PipelineStopped(f"feed_input({name!r}, ...) must be called before run")
        self._computing = True
        try:
            return self._call_definition()
        except StopIteration:
            self._ended = True
            raise
        except BaseException as error:  # KeyboardInterrupt and the debugger's exit, too
            self._stop_after(error)
            raise
        finally:
            self._computing = False

    def _call_definition(self) -> tuple[tuple[TensorList, ...], dict[str, Any]]:
        graph, size = self._graph, self._config.batch_size
        first = self._first_sample() + self._delivered * size
        is_first = not graph.is_complete
        graph.begin(size, first, self._delivered)
        with defining(graph):
            names, values = names_and_values(self._function())
            if not is_first and names != self._output_names:
                raise ArgumentError(
                    f"the definition returns outputs with the names {names}, but in the first "
                    f"batch it returned {self._output_names}: return the same names in each batch"
                )
            self._outputs = as_outputs(graph, graph.with_outputs(values), names)
            self._output_names = names
        outputs = graph.end(self._outputs, keep_values=True)
        if is_first:
            states_of(graph.plan, self._restored)
            self._checks = output_checks(self._config, graph.plan)
            for name in self._fed:
                fed_source(graph.plan, name)
            self._seen_dtypes = seen_dtypes(
                ((node.ordinal, i), data)
                for node in graph.nodes
                for i, data in enumerate(node.values or ())
            )
        if self._checks is not None:
            self._checks.check(outputs)
        return outputs, self._user_state | graph.user_state

    def feed_input(
        self,
        data_node: DataNode | str,
        data: Any,
        layout: str | None = None,
        cuda_stream: Any = None,
        use_copy_kernel: bool = False,
    ) -> None:
        """Give an external source its next batch: see `Pipeline.feed_input`."""
        self.build()
        name = data_node.node.name if isinstance(data_node, DataNode) else data_node
        sources = {source.node.name for source in self._graph.plan.sources}
        if self._graph.is_complete or name in sources:
            fed_source(self._graph.plan, name).operator.feed(data, layout, cuda_stream)
            return
        data = data if isinstance(data, TensorList) else copy.deepcopy(data)
        self._fed[name].append((data, layout, cuda_stream))

    def input_feed_count(self, input_name: str) -> int:
        """Return 1: a batch is computed when it is asked for."""
        return 1

    @contextmanager
    def _at_rest(self) -> Iterator[Plan]:
        with super()._at_rest() as plan:
            self._ahead_batch = None
            yield plan
            self._graph.seed = self._seed

    def stats(self) -> NoReturn:
        """Raise ArgumentError: nothing runs ahead that could be measured."""
        raise ArgumentError("a pipeline with debug=True has no statistics; leave debug out")


def _open_input(
    batch_size: int, restored: Checkpoint | None, fed: _Fed, source: InputNode[InputOperator]
) -> None:
    """Open an input at its place in a checkpoint, and feed it what came before."""
    name, operator = source.node.name, source.operator
    states: Mapping[str, Any] = {} if restored is None else restored.inputs
    if restored is not None and name not in states:
        raise CheckpointError(
            f"the checkpoint holds the state of {sorted(states)}, but not of {name!r}; give the "
            "readers the same names"
        )
    operator.open(batch_size, states.get(name))
    if isinstance(operator, FedInput):
        for data in fed.pop(name, ()):
            operator.feed(*data)
