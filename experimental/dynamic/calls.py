"""Calls of operators with tensors, batches, arrays and numbers."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any, NamedTuple, Protocol

import numpy as np

from ...engine.errors import ArgumentError
from ...engine.graph.callers import caller
from ...engine.graph.node_devices import default_device
from ...engine.graph.operator import OPERATORS, CompositeOperator, Operator
from ...engine.tensors import TensorList
from .contexts import EvalContext
from .devices import Device, device
from .element_types import DType, type_id
from .generators import RNG, generator
from .invocations import Call, on_device
from .modes import EvalMode
from .values import Invocation, Value

_NUMBERS = (bool, int, float)  # operands of these types are constants, as in pipelines


class Recorder(Protocol):
    """Has a pipeline compute the calls of a loop: see `recording.py`."""

    def outputs(self, plan: Call) -> tuple[Value, ...] | None:
        """Return the outputs of a call of batches; None if the call is to be computed."""


class _ThreadRecorder(threading.local):
    recorder: Recorder | None = None


_state = _ThreadRecorder()


def set_recorder(recorder: Recorder | None) -> None:
    """Let a recorder see the calls of this thread; None ends that."""
    _state.recorder = recorder


def call(
    operator: str | type[Operator],
    *inputs: object,
    batch_size: int | None = None,
    device: object = None,
    rng: RNG | None = None,
    **arguments: object,
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
    operands = [value if type(value) in _NUMBERS else _as_value(value) for value in inputs]
    given = {name: value for name, value in arguments.items() if value is not None}
    given = operator_class.by_current_names(given)
    size = _batch_size(operator_class, [*operands, *given.values()], batch_size)
    constants, varying = _split(operator_class, given)
    place = _place(operator_class, device, operands)
    plan = Call(
        operator_class, place, tuple(operands), constants, varying, 1 if size is None else size, rng
    )
    outputs: tuple[Value, ...] | None = None
    if size is not None and _state.recorder is not None:
        outputs = _state.recorder.outputs(plan)
    if outputs is None:
        outputs = computed(plan, Value.tensor_class if size is None else Value.batch_class)
    return outputs[0] if len(outputs) == 1 else outputs


def computed(plan: Call, kind: type[Value]) -> tuple[Value, ...]:
    """Return the outputs of a call, which runs now, or at the first use if it is deferred."""
    if plan.operator.is_random:
        plan = plan._replace(position=generator(plan.rng).position())
    mode, context = EvalMode.current(), EvalContext.current()
    can_wait = mode is EvalMode.deferred and not issubclass(plan.operator, CompositeOperator)
    if can_wait:
        return deferred(plan, kind, context)
    return tuple(kind.of(samples) for samples in plan.run(context))


def deferred(plan: Call, kind: type[Value], context: EvalContext) -> tuple[Value, ...]:
    """Return the outputs of a call that runs once one of them is used."""
    where = caller()
    work = Invocation(
        lambda: _with_note(lambda: plan.run(context), where),
        plan.size,
        "cpu" if plan.device == "cpu" else "gpu",
    )
    context.defer(work)
    return tuple(kind.computed(work, i) for i in range(plan.output_count()))


def _with_note(run: Callable[[], object], where: str) -> Any:
    try:
        return run()
    except BaseException as error:
        error.add_note(f"the call was deferred; it is in {where}")
        raise


def _as_value(data: object) -> Value:
    if isinstance(data, Value):
        return data
    if data is None:
        raise ArgumentError("an input that other inputs follow is None; give a tensor")
    if isinstance(data, TensorList):
        return Value.batch_class.of(data)
    return Value.tensor_class(data)


def _batch_size(
    operator_class: type[Operator], values: Sequence[object], batch_size: int | None
) -> int | None:
    sizes = [value.count for value in values if isinstance(value, Value) and value.is_batch]
    if batch_size is not None:
        if not isinstance(batch_size, int | np.integer) or batch_size < 0:
            raise ArgumentError(f"batch_size must be an int of 0 or more, but is {batch_size!r}")
        sizes.append(int(batch_size))
    if len(set(sizes)) > 1:
        raise ValueError(
            f"Inconsistent batch size: {operator_class.called} was given batches of "
            f"{' and '.join(map(str, sorted(set(sizes))))} samples"
        )
    return sizes[0] if sizes else None


def _split(
    operator_class: type[Operator], arguments: Mapping[str, object]
) -> tuple[dict[str, object], dict[str, Value]]:
    """Return the arguments that are the same for all samples, and those that may vary."""
    constants: dict[str, object] = {}
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


def constant(value: object) -> Any:
    """Return an argument's value as operators take it: types, devices and tensors as theirs."""
    if isinstance(value, DType):
        return type_id(value)
    if isinstance(value, Device):
        return value.device_type
    if isinstance(value, list | tuple):
        return [constant(element) for element in value]
    if isinstance(value, Value):
        value = on_device(value, "cpu").row(0)
    elif isinstance(value, str | bytes | Enum) or not hasattr(value, "__array__"):
        return value
    array = np.asarray(value)
    return array.item() if array.ndim == 0 else array


def _check_devices(operands: Sequence[object]) -> None:
    places = {operand.place for operand in operands if isinstance(operand, Value)}
    if len(places) > 1:
        raise ArgumentError(
            "Cannot mix GPU and CPU inputs in arithmetic; move one with .gpu() or .cpu()"
        )


def _place(operator_class: type[Operator], wanted: object, inputs: Sequence[object]) -> str:
    """Return the stage in which the operator runs: "cpu", "mixed" or "gpu"."""
    if wanted is None:
        return default_device(
            operator_class,
            [_Placed(value.place if isinstance(value, Value) else "cpu") for value in inputs],
        )
    name = "mixed" if wanted == "mixed" else str(getattr(device(wanted), "device_type", ""))
    if name not in operator_class.devices and name == "gpu" and "mixed" in operator_class.devices:
        return "mixed"
    return name


class _Placed(NamedTuple):
    device: str
    label: str = "an input"
