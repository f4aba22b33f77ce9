"""Captured loops: a pipeline computes what the loop's body computed in its first round.

In the first round, operators run at once, and the `Recording` notes their calls. For the rounds
that follow, it makes a pipeline of the reader and these calls, which works ahead of the loop. A
call then gets its results from the pipeline if it is one of the noted calls: the same operator,
with the same arguments, on the same data. Any other call runs at once, so results are right
whatever the body does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from ...engine.graph.callers import caller
from ...engine.graph.constant_nodes import Constant
from ...engine.graph.nodes import add_node
from ...engine.graph.operator import CompositeOperator
from ...engine.tensors import TensorList
from .batch import Batch
from .calls import computed, set_recorder
from .contexts import EvalContext
from .generators import generator
from .invocations import Call, frozen
from .values import Invocation, Value


class Source(NamedTuple):
    """Where data of the loop come from: an output of a noted call; of call 0, the reader's."""

    call: int
    output: int


class Noted(NamedTuple):
    """A call of the first round, with what its data are: a `Source`, a constant, or a number."""

    plan: Call
    inputs: tuple[Any, ...]
    varying: dict[str, object]
    made_at: str
    outputs: int


class DataOrigin(NamedTuple):
    """The origin of a batch in one round of a loop."""

    recording: Recording
    round: int
    source: Source

    def observe(self) -> None:
        """Note that the program reads the batch, so the pipeline has to return it."""
        self.recording.observe(self)


class Recording:
    """The calls of one loop.

    Args:
        batch_size: number of samples of the reader's batches.

    Attributes:
        is_noted: whether the first round is over.
    """

    def __init__(self, batch_size: int) -> None:
        self.batch_size = batch_size
        self.is_noted = False
        self._round = -1
        self._noted: list[Noted] = []
        self._numbers: dict[object, int] = {}  # of noted calls, by their keys
        self._read: dict[Source, int] = {}  # what the program reads, with the pipeline's output
        self._times: Counter[Any] = Counter()  # of calls of random operators in this round
        self._results: Sequence[TensorList] = ()
        self._at_work = False

    @property
    def has_begun(self) -> bool:
        """Whether the first round has begun."""
        return self._round >= 0

    @contextmanager
    def body(self) -> Iterator[None]:
        """See the calls of the loop's body."""
        set_recorder(self)
        try:
            yield
        finally:
            set_recorder(None)

    def begin(self, outputs: Sequence[TensorList]) -> tuple[Batch, ...]:
        """Begin a round, and return the reader's batches.

        Args:
            outputs: of the reader in the first round, of the pipeline in the others.
        """
        self._round += 1
        self._times.clear()
        self._results = outputs
        if self._round == 0:
            self._read = {Source(0, i): i for i in range(len(outputs))}
        count = sum(source.call == 0 for source in self._read)
        return tuple(self._marked(Batch.of(outputs[i]), Source(0, i)) for i in range(count))

    def _marked(self, batch: Any, source: Source) -> Any:
        batch.origin = DataOrigin(self, self._round, source)
        return batch

    def observe(self, origin: DataOrigin) -> None:
        """Note that the program reads data in the first round."""
        if self._round == 0 == origin.round and not self._at_work:
            self._read.setdefault(origin.source, len(self._read))

    def outputs(self, plan: Call) -> tuple[Value, ...] | None:
        """Return the outputs of a call; None if the pipeline has no part in them."""
        if plan.size != self.batch_size or plan.rng is not None:
            return None
        if issubclass(plan.operator, CompositeOperator):
            return None
        inputs = tuple(map(self._source_of, plan.inputs))
        varying = {name: self._source_of(value) for name, value in plan.varying.items()}
        sources = [*inputs, *varying.values()]
        is_ours = any(isinstance(source, Source) for source in sources) or plan.operator.is_random
        if not is_ours or any(source is None for source in sources):
            return None
        constants = tuple((key, frozen(value)) for key, value in sorted(plan.constants.items()))
        data = (
            tuple(map(_identity, inputs)),
            tuple((name, _identity(value)) for name, value in sorted(varying.items())),
        )
        key: Any = plan.operator, plan.device, data, constants
        try:
            hash(key)
        except TypeError:
            return None
        if plan.operator.is_random:
            key = key, self._times[key]
            self._times[key[0]] += 1
        if not self.is_noted:
            return self._note(key, plan, inputs, varying)
        number = self._numbers.get(key)
        return None if number is None else self._of_pipeline(number, plan)

    def _source_of(self, value: object) -> object:
        """Return what data are; None if only the program knows."""
        if not isinstance(value, Value):
            return value
        origin = value.origin
        if isinstance(origin, DataOrigin) and origin[:2] == (self, self._round):
            return origin.source
        return value if value.is_invariant else None

    def _note(
        self, key: object, plan: Call, inputs: tuple[object, ...], varying: dict[str, object]
    ) -> tuple[Value, ...]:
        self._at_work = True  # the operator reads its inputs, not the program
        try:
            values = computed(plan, Batch)
        finally:
            self._at_work = False
        number = self._numbers.get(key)
        if number is None:
            self._noted.append(Noted(plan, inputs, varying, caller(), len(values)))
            number = self._numbers[key] = len(self._noted)
        return tuple(self._marked(value, Source(number, i)) for i, value in enumerate(values))

    def _of_pipeline(self, number: int, plan: Call) -> tuple[Value, ...]:
        def work() -> tuple[TensorList, ...]:  # for outputs that were not read before
            position = generator(None).position() if plan.operator.is_random else 0
            return plan._replace(position=position).run(EvalContext.current())

        later = Invocation(work, plan.size, "cpu" if plan.device == "cpu" else "gpu")
        sources = [Source(number, i) for i in range(self._noted[number - 1].outputs)]
        return tuple(
            self._marked(
                Batch.of(self._results[self._read[source]])
                if source in self._read
                else Batch.computed(later, source.output),
                source,
            )
            for source in sources
        )

    def define(self, reader: Callable[[], tuple[object, ...]]) -> tuple[Any, ...]:
        """Define the pipeline of the further rounds, and return its outputs.

        Args:
            reader: adds the reader to the graph, and returns its outputs.
        """
        self.is_noted = True
        nodes: list[Sequence[object]] = [reader()]
        for noted in self._noted:
            plan = noted.plan
            inputs = [
                _node(value, nodes, plan.place_of_input(i)) for i, value in enumerate(noted.inputs)
            ]
            varying = {name: _node(value, nodes, "cpu") for name, value in noted.varying.items()}
            made = add_node(
                plan.operator, inputs, {**plan.constants, **varying}, device=plan.device
            )
            made[0].node.made_at = noted.made_at
            nodes.append(made)
        return tuple(nodes[source.call][source.output] for source in self._read)


def _identity(value: object) -> object:
    if isinstance(value, Source):
        return value
    return ("value", id(value)) if isinstance(value, Value) else (type(value), value)


def _node(value: Any, nodes: Sequence[Sequence[object]], place: str) -> object:
    """Return the node of data, on the device where an operator reads the data."""
    if isinstance(value, Value):
        array = np.asarray(value.samples.as_cpu().row(0))
        value = Constant(array, str(array.dtype), layout=value.layout)
    elif isinstance(value, Source):
        value = nodes[value.call][value.output]
    else:
        return value
    return {"cpu": value.cpu, "gpu": value.gpu}.get(place, lambda: value)()
