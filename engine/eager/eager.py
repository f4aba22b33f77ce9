"""One operator that runs at once: when it is called, batch by batch, without a pipeline.

The graph of the operator (`eager_graph`) and its runner (`eager_runner`) run the steps, the chains
and the device work of normal pipelines, so results are the same. A debug pipeline runs a whole
definition in such a graph.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..graph.nodes import add_node, defining
from ..graph.operator import Operator
from ..tensors import TensorList
from .eager_graph import EagerGraph
from .eager_runner import EagerRunner


class EagerOperator:
    """One operator as a function of batches.

    The operator has the state and the random numbers that it has in a pipeline: a reader returns
    the next batch at each call, and a sample's random numbers follow from the seed and the sample's
    position. Composite operators run, too.

    Args:
        operator_class: of the operator.
        arguments: its arguments that are the same in all calls.
        runner: memory, threads and GPU.
        device: "cpu", "mixed" or "gpu"; by default where the inputs of the first call are.
        name: of the operator, for messages.
        batch_size: number of samples of a reader's batch; the largest of a source.
        seed: of the random numbers, unless the operator has an argument `seed`.
        state: from which an input goes on, as in a checkpoint; None for its start.

    Attributes:
        graph: the operator's nodes; `graph.plan` has the readers and sources.

    >>> import numpy as np
    >>> from penstock.engine.graph.operator import OPERATORS
    >>> from penstock.engine.eager.eager import EagerOperator
    >>> from penstock.engine.eager.eager_runner import EagerRunner
    >>> from penstock.tensors import TensorListCPU
    >>> runner = EagerRunner()
    >>> name = "flip"
    >>> flip = EagerOperator(OPERATORS[name], {"horizontal": 1}, runner=runner)
    >>> (flipped,) = flip.run([TensorListCPU(np.arange(6).reshape(1, 1, 3, 2), "HWC")])
    >>> flipped.as_array().tolist()
    [[[[4, 5], [2, 3], [0, 1]]]]
    >>> runner.close()
    """

    def __init__(
        self,
        operator_class: type[Operator],
        arguments: Mapping[str, object] | None = None,
        *,
        runner: EagerRunner,
        device: str | None = None,
        name: str | None = None,
        batch_size: int = 1,
        seed: int = 0,
        state: object = None,
    ) -> None:
        self._class = operator_class
        self._constants = dict(arguments or {})
        self._device = device
        self._name = name
        self._count = 0
        self.graph = EagerGraph(
            runner,
            batch_size=batch_size,
            seed=seed,
            open_input=lambda source: source.operator.open(batch_size, state),
        )

    def run(
        self,
        inputs: Sequence[object] = (),
        arguments: Mapping[str, object] | None = None,
        *,
        batch_size: int | None = None,
        position: int | None = None,
    ) -> tuple[TensorList, ...]:
        """Run the operator on one batch, and return its outputs, which are complete.

        All calls must agree in the number of inputs, their devices and the names of arguments.
        Layouts, shapes and dtypes may differ.

        Args:
            inputs: a `TensorList`, a list of arrays (one a sample), or a constant for each.
            arguments: those that vary by sample, in the same forms.
            batch_size: number of samples; by default that of the first batch among the data, or
                the operator's `batch_size`. A reader and a source decide by themselves.
            position: of the first sample, for random numbers: by default the number of samples of
                earlier calls. Readers and sources know the positions of their samples.

        Raises:
            StopIteration: a source is at the end of its data.
            ArgumentError: the data do not suit the operator, or their batch sizes differ.
            Exception: the error of the first sample that failed, with notes.
        """
        data = [*inputs, *(arguments or {}).values()]
        sizes = (len(batch) for batch in data if isinstance(batch, TensorList))
        size = next(sizes, self.graph.batch_size) if batch_size is None else batch_size
        first = self._count if position is None else position
        self.graph.begin(size, first)
        with defining(self.graph):
            merged = {**self._constants, **(arguments or {})}
            outputs = add_node(self._class, inputs, merged, device=self._device, name=self._name)
        results = self.graph.end(outputs)
        self._count = first + self.graph.size
        return results

    def reset(self) -> None:
        """Start a source over after StopIteration."""
        self.graph.reset()

    def close(self) -> None:
        """Release what the operator holds; the runner stays open."""
        self.graph.close()
