"""The base class of all operators: their declaration, and what the engine asks of them.

`operator` has the classes that operators derive from, and the table of all operators.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, ClassVar, NoReturn, Self

from ..errors import ArgumentError, LayoutError
from ..suggestions import not_among
from ..tensors.rows import MetadataFunction
from .callers import warn_of_deprecation
from .context import BatchContext, Placement
from .limits import Remedies
from .params import BOOL, INT, INTS, NO_EFFECT, Param, convert
from .rules import BatchRules, GpuRules, Input, SequenceRules
from .user_calls import Callee

COMMON = {
    "seed": Param(
        INT,
        -1,
        "Seed of the operator's randomness, whatever the pipeline's; by default derived from it.",
    ),
    "preserve": Param(BOOL, False, "Keep the operator even if its output is not used."),
    "bytes_per_sample_hint": Param(INTS, 0, NO_EFFECT),
}


class Operator:
    """Base of all operators: see the docstring of `operator`.

    Attributes:
        name: the name in `fn`, with its submodule, as in "decoders.image".
        called: the operator in messages, as users write it; "fn.<name>" by default.
        aliases: older names, in `fn` and, in CamelCase, in `ops`.
        devices: stages in which it runs: "cpu", "mixed" (from CPU to GPU) or "gpu".
        inputs: the inputs; a name alone is an input that is required: see `Input`.
        declared_inputs: each of them as an `Input`; made from `inputs`.
        positional: arguments that may be passed by position; such an operator has no inputs.
        params: the declared arguments by name; made from the class's attributes.
        older_names: the name of each argument by its deprecated names; made from `params`.
        outputs: number of outputs, unless the arguments decide (`num_outputs`).
        random_count: number of random numbers that the work on a sample needs.
        is_random: whether it draws random numbers. A class whose `random_count` follows from the
            arguments, or which draws them in another way, says so itself.
        assumed_layouts: by number of dimensions, the layouts that the operator assumes for data
            without a layout. Its results have these layouts then. A layout that the data have
            must have the letters that all of these share, such as H and W.
        sequences: how it gets sequences.
        batches: whether batches may be computed as one.
        on_gpu: how it works with data on the GPU.
        metadata_functions: by name, functions that the reading process runs on each encoded
            sample; their results arrive with the rows (`TensorList.metadata`).
        placement: the node's number, random key and threads; the pipeline sets it.
    """

    name: ClassVar[str]
    called: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    devices: ClassVar[tuple[str, ...]] = ("cpu",)
    inputs: ClassVar[tuple[str | Input, ...]] = ()
    declared_inputs: ClassVar[tuple[Input, ...]] = ()
    positional: ClassVar[tuple[str, ...]] = ()
    outputs: ClassVar[int] = 1
    params: ClassVar[dict[str, Param]] = {}
    older_names: ClassVar[dict[str, str]] = {}

    random_count: int = 0
    is_random: ClassVar[bool] = False
    assumed_layouts: Mapping[int, str] = MappingProxyType({})
    sequences: ClassVar[SequenceRules] = SequenceRules()
    batches: BatchRules = BatchRules()
    on_gpu: GpuRules = GpuRules()
    placement: Placement = Placement()
    metadata_functions: Mapping[str, MetadataFunction] = MappingProxyType({})
    seed: int
    preserve: bool

    def __init_subclass__(cls) -> None:
        own = {k: v for k, v in vars(cls).items() if isinstance(v, Param)}
        for name in own:
            delattr(cls, name)
        declared = {v.name or k: v._replace(name=v.name or k, attribute=k) for k, v in own.items()}
        if "inputs" in vars(cls):
            cls.declared_inputs = tuple(
                each if isinstance(each, Input) else Input(each) for each in cls.inputs
            )
        if "batch_gpu" in vars(cls) and "on_gpu" not in vars(cls):
            cls.on_gpu = replace(cls.on_gpu, rehearses=False)
        if vars(cls).get("random_count"):
            cls.is_random = True
        if "name" in vars(cls) and "called" not in vars(cls):
            cls.called = f"fn.{cls.name}"
        inherited = [vars(base).get("params", {}) for base in reversed(cls.__mro__[1:])]
        cls.params = {k: v for group in (*inherited, declared) for k, v in group.items()}
        cls.older_names = {old: k for k, v in cls.params.items() for old in v.aliases}

    def __init__(
        self,
        device: str = "cpu",
        per_sample: Sequence[str] = (),
        layouts: Sequence[str] = (),
        **constants: object,
    ) -> None:
        """Check and set the arguments.

        Args:
            device: one of `devices`.
            per_sample: names of the arguments that are passed as nodes.
            layouts: layouts of the inputs; "" for an unknown layout.
            constants: the other arguments.
        """
        self._set_arguments(device, per_sample, layouts, constants)
        _check_letters(self)
        self.prepare()

    @classmethod
    def unprepared(
        cls, device: str, per_sample: Sequence[str], layouts: Sequence[str], **constants: object
    ) -> Self:
        """Return an operator that cannot work yet: its layouts are known once the data come."""
        operator = cls.__new__(cls)
        operator._set_arguments(device, per_sample, layouts, constants)
        return operator

    def _set_arguments(
        self,
        device: str,
        per_sample: Sequence[str],
        layouts: Sequence[str],
        constants: dict[str, object],
    ) -> None:
        owner = self.called
        if device not in self.devices:
            raise ArgumentError(
                f"{owner} runs on {' and '.join(self.devices)}, not on {device!r}; leave the "
                "argument device out, and move data with .gpu() and .cpu()"
            )
        self._constants = constants
        self.device = device
        self.per_sample = tuple(per_sample)
        self.layouts = tuple(layouts)
        known = {**self.params, **COMMON}
        for name in (*constants, *per_sample):
            if name not in known:
                raise ArgumentError(f"{owner} has no argument {not_among(name, known)}")
        for name in per_sample:
            if not known[name].per_sample:
                raise ArgumentError(
                    f"{owner}: the argument {name!r} is the same for all samples of all batches; "
                    "pass a value, not a DataNode"
                )
        self.given = frozenset(k for k, v in constants.items() if v is not None) | set(per_sample)
        for name, declared in known.items():
            if name not in per_sample:
                value = convert(owner, name, declared, constants.get(name))
                setattr(self, declared.attribute or name, value)

    def __reduce__(self) -> Any:
        # A copy is made from the arguments: attributes that `prepare` sets need not be picklable.
        made = (type(self), self.device, self.per_sample, self.layouts, self._constants)
        return _make, made, {"placement": self.placement}

    def keep(self) -> None:
        """Compute the results though nothing needs them, as with the argument `preserve`."""
        self.preserve = self._constants["preserve"] = True

    def constants(self) -> dict[str, object]:
        """Return the arguments as given, without those that are nodes."""
        return dict(self._constants)

    def constants_without_program(self) -> dict[str, object]:
        """Return the arguments with which the operator works without objects of the program.

        By default all arguments: then a pipeline with objects of the program cannot be stored.
        """
        return self.constants()

    @classmethod
    def by_current_names(cls, arguments: Mapping[str, object]) -> dict[str, Any]:
        """Return arguments by their current names; warn of those that are deprecated.

        Raises:
            ArgumentError: an argument is given by two names.
        """
        renamed: dict[str, object] = {}
        for given, value in arguments.items():
            name = cls.older_names.get(given, given)
            if name in renamed or (name != given and name in arguments):
                raise ArgumentError(
                    f"{cls.called}: {given} is an older name of {name}; give {name} alone"
                )
            renamed[name] = value
            if name != given:
                warn_of_deprecation(
                    f"{cls.called}: {given} is deprecated; use {name}, its new name"
                )
            elif name in cls.params and cls.params[name].deprecated:
                advice = cls.params[name].deprecated
                warn_of_deprecation(f"{cls.called}: {name} is deprecated; {advice}")
        return renamed

    @classmethod
    def input_at(cls, number: int) -> Input:
        """Return the declaration of the input at a place; the last may stand for many."""
        return cls.declared_inputs[min(number, len(cls.declared_inputs) - 1)]

    def prepare(self) -> None:
        """Check the arguments against one another, and compute values that follow from them."""

    def refuse(self, problem: str) -> NoReturn:
        """Raise ArgumentError with the operator as users write it: "fn.crop: <problem>"."""
        raise ArgumentError(f"{self.called}: {problem}")

    def check_machine(self) -> None:
        """Raise MissingDependencyError if the machine lacks what the work needs.

        The pipeline calls it when it is built. CUDA must not start in the call.
        """

    def num_outputs(self) -> int:
        """Return the number of outputs with these arguments."""
        return self.outputs

    def output_layouts(self) -> tuple[str, ...]:
        """Return the layout of each output; by default each has the layout of the first input."""
        return (self.layouts[0] if self.layouts else "",) * self.num_outputs()

    def added_outputs(self) -> tuple[str, ...]:
        """Return the names of outputs that a base adds behind those of the operator itself.

        Neither `num_outputs` nor `output_layouts` counts them, and `wrap` does not get them.
        """
        return ()

    def wrap(self, outputs: tuple[Any, ...]) -> Any:
        """Return the result of `fn.<name>`: the only output, or a list of outputs."""
        if self.on_gpu.copies_results and self.device != "cpu":
            outputs = tuple(data.gpu() for data in outputs)
        return outputs[0] if len(outputs) == 1 else list(outputs)

    batch_gpu: Callable[..., Any]
    """`batch_gpu(batch, *inputs, **arguments)`: as `BatchOperator.batch`, with `batch.device`.

    Inputs are of type `TensorListGPU`, for "mixed" operators `TensorListCPU`. The method launches
    work on the device's stream and returns without waiting for the device. It calls
    `batch.fail_row` for a row that cannot be computed; that row may hold anything. Several threads
    may call the method together.
    """

    def begin_gpu(self, batch: BatchContext, *inputs: Any, **arguments: Any) -> Any:
        """Begin in other threads what the CPU does for `batch_gpu`; by default nothing.

        The device stage calls it once the data are there, if the operator is the first of its
        segment. The batch may still wait for a lane, and has no `device` yet. The threads enter no
        errors in the batch. `batch_gpu` finds the result in `batch.begun`.
        """

    def rehearse(self, batch: BatchContext, *inputs: Any, **arguments: Any) -> Any:
        """Launch the kernels that batches are likely to need, on made-up data, if it `rehearses`.

        The pipeline calls it when it starts, so that these kernels are compiled early. The
        `device` of the batch computes nothing, and its memory cannot be read.

        Args:
            batch: the made-up batch.
            inputs: as for `batch_gpu`, but results of `rehearse`; for "mixed" operators none. None
                stands for an input that is read on the CPU.
            arguments: as for `batch_gpu`; those that vary by sample are 1 or their default.

        Returns:
            As `batch_gpu`; None if nothing is known about the results.
        """
        return self.batch_gpu(batch, *inputs, **arguments) if self.on_gpu.rehearses else None

    def python_callee(self) -> Callee | None:
        """Return what the pipeline's Python workers call for the operator; by default nothing."""
        return None

    def event_counts(self) -> dict[str, int]:
        """Return the numbers of rare events in this process, by description; by default none."""
        return {}

    def remark(self) -> str:
        """Return what `Pipeline.stats` says of the way it works, such as a path; by default ""."""
        return ""

    def remedies(self) -> Remedies:
        """Return what would raise the throughput of a pipeline that meets a limit; by default {}.

        The keys also say what the operator's work is. A key "reading" says that it waits for
        storage, "decoding" that its CPU time is that of a decoder, and "bus" that it copies between
        host and device. `Pipeline.stats().limit` then names the limit so, and shows the text.
        """
        return {}

    def close(self) -> None:
        """Release what the operator holds; called once, when the pipeline is closed."""


def _check_letters(operator: Operator) -> None:
    """Raise LayoutError if data have a layout that lacks what all assumed layouts share."""
    layout, assumed = next(iter(operator.layouts), ""), operator.assumed_layouts.values()
    if not layout or not assumed:
        return
    needed = set.intersection(*map(set, assumed))
    if lacking := sorted(needed - set(layout)):
        raise LayoutError(
            f"{operator.called} needs data with the axes {' and '.join(sorted(needed))}, but the "
            f"layout {layout!r} has no {' and '.join(lacking)}; name the axes where the data enter "
            "the pipeline, or with fn.reshape(layout=...)"
        )


def _make(
    operator_class: type[Operator],
    device: str,
    per_sample: Sequence[str],
    layouts: Sequence[str],
    constants: dict[str, object],
) -> Operator:
    return operator_class(device, per_sample, layouts, **constants)
