"""One call of an operator, as the engine makes it, and the samples that it takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ...engine.eager.eager import EagerOperator
from ...engine.eager.eager_runner import EagerRunner
from ...engine.graph.copies import Copy, Transfer
from ...engine.graph.operator import Operator
from ...engine.tensors import TensorList, TensorListCPU, TensorListGPU
from .contexts import EvalContext
from .devices import cupy_if_any
from .generators import RNG
from .values import Value


class Call(NamedTuple):
    """One call of an operator.

    Attributes:
        device: the stage in which it runs: "cpu", "mixed" or "gpu".
        inputs: values, and numbers, which are constants.
        constants: arguments that are the same for all samples.
        varying: the other arguments.
        size: number of samples.
        rng: the generator that was given.
        position: for random numbers.
    """

    operator: type[Operator]
    device: str
    inputs: tuple[Any, ...]
    constants: dict[str, object]
    varying: dict[str, Value]
    size: int
    rng: RNG | None = None
    position: int = 0

    def output_count(self) -> int:
        """Return the number of outputs."""
        layouts = ("",) * len(self.inputs)
        made = self.operator.unprepared(self.device, [*self.varying], layouts, **self.constants)
        return made.num_outputs()

    def run(self, context: EvalContext) -> tuple[TensorList, ...]:
        inputs = [self._input(i, value) for i, value in enumerate(self.inputs)]
        varying = {
            name: repeated(on_device(value, "cpu"), self.size)
            for name, value in self.varying.items()
        }
        if self.size == 0:
            return tuple(_empty(self.device) for _ in range(self.output_count()))
        results: tuple[TensorList, ...] = context.run(
            self._key(),
            self._operator,
            lambda made: made.run(inputs, varying, batch_size=self.size, position=self.position),
        )
        return results

    def _operator(self, runner: EagerRunner) -> EagerOperator:
        return EagerOperator(self.operator, self.constants, runner=runner, device=self.device)

    def _input(self, number: int, value: object) -> object:
        if not isinstance(value, Value):
            return value
        wanted = self.place_of_input(number)
        samples = value.samples if wanted == "any" else on_device(value, wanted)
        return repeated(samples, self.size)

    def place_of_input(self, number: int) -> str:
        """Return where the operator reads an input: "cpu", "gpu" or "any"."""
        if (
            not self.operator.inputs
            or self.operator.on_gpu.metadata_only
            or issubclass(self.operator, Transfer)
        ):
            return "any"
        wanted = self.operator.input_at(number).device
        own = "gpu" if self.device == "gpu" else "cpu"
        return own if wanted == "same" else wanted

    def _key(self) -> object:
        """Return what an operator can be used for again: the same arguments, on one device."""
        inputs = tuple(
            type(data.samples) if isinstance(data, Value) else (type(data), data)
            for data in self.inputs
        )
        constants = tuple((name, frozen(value)) for name, value in sorted(self.constants.items()))
        key = self.operator, self.device, inputs, constants, tuple(sorted(self.varying))
        try:
            hash(key)
        except TypeError:
            return None
        return key


def frozen(value: object) -> Any:
    """Return a value for keys: equal only if the type is equal, too."""
    if isinstance(value, np.ndarray):
        return value.dtype, value.shape, value.tobytes()
    if isinstance(value, list | tuple):
        return tuple(map(frozen, value))
    if isinstance(value, Mapping):
        return tuple((key, frozen(entry)) for key, entry in sorted(value.items()))
    return type(value), value


def _empty(device: str) -> TensorList:
    return TensorListCPU([]) if device == "cpu" else TensorListGPU([])


def on_device(value: Value, wanted: str) -> TensorList:
    """Return a value's samples on the CPU or the GPU."""
    samples = value.samples
    if ("gpu" if isinstance(samples, TensorListGPU) else "cpu") == wanted:
        return samples
    return Call(Copy, wanted, (value,), {}, {}, len(samples)).run(EvalContext.current())[0]


def repeated(samples: TensorList, size: int) -> TensorList:
    """Return samples for a batch: a single one is repeated, without a copy."""
    if len(samples) == size:
        return samples
    row = samples.row(0)
    if isinstance(samples, TensorListGPU):
        return samples.with_rows([row] * size, samples.layout())
    return TensorListCPU(np.broadcast_to(row, (size, *row.shape)), samples.layout())


def copied(value: Value) -> TensorList:
    """Return a copy of a value's samples, on the same device."""
    samples = value.samples
    if not len(samples):
        return samples
    rows = [row.copy() for row in samples.rows()]
    whole = rows[0][None] if len(rows) == 1 else rows
    return settled(type(samples)(whole, samples.layout()))


def settled(samples: TensorList) -> TensorList:
    """Return samples once CuPy's work on them is done: operators run on another stream."""
    cupy = cupy_if_any() if isinstance(samples, TensorListGPU) else None
    if cupy is not None:
        cupy.cuda.get_current_stream().synchronize()
    return samples
