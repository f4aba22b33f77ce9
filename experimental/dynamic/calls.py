"""Calls of operators with tensors, batches, arrays and numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any, NamedTuple

import numpy as np

from ...engine.errors import ArgumentError
from ...engine.graph.callers import caller
from ...engine.graph.copies import Copy
from ...engine.graph.node_devices import default_device
from ...engine.graph.operator import OPERATORS, CompositeOperator, Operator
from ...engine.run.eager import EagerOperator
from ...engine.run.eager_runner import EagerRunner
from ...engine.tensors import TensorList, TensorListCPU, TensorListGPU
from .contexts import EvalContext
from .devices import Device, device
from .element_types import DType, type_id
from .generators import RNG, generator
from .modes import EvalMode
from .values import Invocation, Value

_NUMBERS = (bool, int, float)  # operands of these types are constants, as in pipelines


def call(
    operator: str | type[Operator],
    *inputs: Any,
    batch_size: int | None = None,
    device: Any = None,
    rng: RNG | None = None,
    **arguments: Any,
) -> Any:
    """Call an operator, and return a tensor, a batch, or a tuple of these.

    If an input or an argument is a batch, or with `batch_size`, all others are repeated for each
    sample, and the results are batches. Otherwise the results are tensors.

    Args:
        operator: the operator, or its name in `fn`.
        inputs: tensors, batches, numbers, and what `Tensor` takes.
        batch_size: number of samples.
        device: where the operator runs; by default where its inputs are. Inputs are copied there.
        rng: the generator of an operator that draws random numbers; by default the thread's.
        arguments: values, or a tensor or a batch for an argument that may vary by sample.

    Raises:
        ValueError: the batch sizes differ.
        ArgumentError: the operator refuses an argument or an input.
    """
    operator_class = OPERATORS[operator] if isinstance(operator, str) else operator
    while inputs and inputs[-1] is None:
        inputs = inputs[:-1]
    if operator == "_arithmetic":
        _check_devices(inputs)
    operands = [each if type(each) in _NUMBERS else _as_value(each) for each in inputs]
    given = {name: value for name, value in arguments.items() if value is not None}
    given = operator_class.by_current_names(given)
    size = _batch_size(operator_class, [*operands, *given.values()], batch_size)
    constants, varying = _split(operator_class, given)
    place = _place(operator_class, device, operands)
    plan = _Call(
        operator_class,
        place,
        tuple(operands),
        constants,
        varying,
        1 if size is None else size,
        generator(rng).position() if operator_class.is_random else 0,
    )
    kind = Value.tensor_class if size is None else Value.batch_class
    return _results(plan, kind)


def _results(plan: _Call, kind: type[Value]) -> Any:
    mode, context = EvalMode.current(), EvalContext.current()
    can_wait = mode is EvalMode.deferred and not issubclass(plan.operator, CompositeOperator)
    if can_wait:
        where = caller()
        work = Invocation(
            lambda: _with_note(lambda: plan.run(context), where),
            plan.size,
            "cpu" if plan.device == "cpu" else "gpu",
        )
        context.defer(work)
        outputs = [kind.computed(work, i) for i in range(plan.output_count())]
    else:
        outputs = [kind.of(samples) for samples in plan.run(context)]
    return outputs[0] if len(outputs) == 1 else tuple(outputs)


def _with_note(run: Callable[[], Any], where: str) -> Any:
    try:
        return run()
    except BaseException as error:
        error.add_note(f"the call was deferred; it is in {where}")
        raise


class _Call(NamedTuple):
    operator: type[Operator]
    device: str
    inputs: tuple[Any, ...]
    constants: dict[str, Any]
    varying: dict[str, Value]
    size: int
    position: int  # for random numbers

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

    def _input(self, number: int, value: Any) -> Any:
        if not isinstance(value, Value):
            return value
        own = "gpu" if self.device == "gpu" else "cpu"
        wanted = self.operator.device_of_input(number) if self.operator.inputs else "any"
        if wanted == "any" or self.operator.transfers or self.operator.metadata_only:
            return repeated(value.samples, self.size)
        return repeated(on_device(value, own if wanted == "same" else wanted), self.size)

    def _key(self) -> Any:
        """Return what an operator can be used for again: the same arguments, on one device."""
        inputs = tuple(
            type(each.samples) if isinstance(each, Value) else (type(each), each)
            for each in self.inputs
        )
        constants = tuple((name, _frozen(value)) for name, value in sorted(self.constants.items()))
        key = self.operator, self.device, inputs, constants, tuple(sorted(self.varying))
        try:
            hash(key)
        except TypeError:
            return None
        return key


def _frozen(value: Any) -> Any:
    """Return a value for keys: equal only if the type is equal, too."""
    if isinstance(value, np.ndarray):
        return value.dtype, value.shape, value.tobytes()
    if isinstance(value, list | tuple):
        return tuple(map(_frozen, value))
    if isinstance(value, Mapping):
        return tuple((key, _frozen(each)) for key, each in sorted(value.items()))
    return type(value), value


def _empty(device: str) -> TensorList:
    return TensorListCPU([]) if device == "cpu" else TensorListGPU([])


def _as_value(data: Any) -> Value:
    if isinstance(data, Value):
        return data
    if data is None:
        raise ArgumentError("an input that other inputs follow is None; give a tensor")
    if isinstance(data, TensorList):
        return Value.batch_class.of(data)
    return Value.tensor_class(data)  # type: ignore[call-arg]


def _batch_size(
    operator_class: type[Operator], values: Sequence[Any], batch_size: int | None
) -> int | None:
    sizes = [each.count for each in values if isinstance(each, Value) and each.is_batch]
    sizes += [] if batch_size is None else [batch_size]
    if len(set(sizes)) > 1:
        raise ValueError(
            f"Inconsistent batch size: {operator_class.called} was given batches of "
            f"{' and '.join(map(str, sorted(set(sizes))))} samples"
        )
    return sizes[0] if sizes else None


def _split(
    operator_class: type[Operator], arguments: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Value]]:
    """Return the arguments that are the same for all samples, and those that may vary."""
    constants: dict[str, Any] = {}
    varying: dict[str, Value] = {}
    for name, value in arguments.items():
        declared = operator_class.params.get(name)
        is_one = declared is not None and not declared.per_sample
        if isinstance(value, Value) and value.is_batch and is_one:
            raise ArgumentError(
                f"{operator_class.called}: the argument {name!r} is the same for all samples; give "
                "one value, not a batch"
            )
        if isinstance(value, Value) and not is_one:
            varying[name] = value
        else:
            constants[name] = constant(value)
    return constants, varying


def constant(value: Any) -> Any:
    """Return an argument's value as operators take it: types, devices and tensors as theirs."""
    if isinstance(value, DType):
        return type_id(value)
    if isinstance(value, Device):
        return value.device_type
    if isinstance(value, list | tuple):
        return [constant(each) for each in value]
    if isinstance(value, Value):
        value = on_device(value, "cpu").row(0)
    elif isinstance(value, str | bytes | Enum) or not hasattr(value, "__array__"):
        return value
    array = np.asarray(value)
    return array.item() if array.ndim == 0 else array


def _check_devices(operands: Sequence[Any]) -> None:
    places = {each.place for each in operands if isinstance(each, Value)}
    if len(places) > 1:
        raise ArgumentError(
            "Cannot mix GPU and CPU inputs in arithmetic; move one with .gpu() or .cpu()"
        )


def _place(operator_class: type[Operator], wanted: Any, inputs: Sequence[Any]) -> str:
    """Return the stage in which the operator runs: "cpu", "mixed" or "gpu"."""
    if wanted is None:
        return default_device(
            operator_class,
            [_Placed(each.place if isinstance(each, Value) else "cpu") for each in inputs],
        )
    name = "mixed" if wanted == "mixed" else str(getattr(device(wanted), "device_type", ""))
    if name not in operator_class.devices and name == "gpu" and "mixed" in operator_class.devices:
        return "mixed"
    return name


class _Placed(NamedTuple):
    device: str
    label: str = "an input"


def on_device(value: Value, wanted: str) -> TensorList:
    """Return a value's samples on the CPU or the GPU."""
    samples = value.samples
    if ("gpu" if isinstance(samples, TensorListGPU) else "cpu") == wanted:
        return samples
    return _Call(Copy, wanted, (value,), {}, {}, len(samples), 0).run(EvalContext.current())[0]


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
    return type(samples)(whole, samples.layout())
