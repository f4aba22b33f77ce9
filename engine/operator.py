"""What an operator is, and the table in which all of them stand.

An operator is one class: its arguments (`params.param`), its devices, and its work, either
for one sample on the CPU (`SampleOperator.sample`) or for a whole batch at once
(`BatchOperator.batch`). Where it also runs on the GPU it has `gpu`, which takes a batch.

    @register
    class Flip(SampleOperator):
        '''Mirrors an image.'''

        name = "flip"
        inputs = ("images",)
        horizontal = param(INT, 1, "Mirror left to right unless 0.", per_sample=True)

        def sample(self, row, image, *, horizontal):
            return image[:, ::-1] if horizontal else image

Arguments that may vary by sample arrive as keywords of the work function, the others are
attributes of `self`. One instance serves one place in one graph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .errors import ArgumentError
from .names import not_among
from .params import BOOL, INT, NO_EFFECT, Param, convert, param

if TYPE_CHECKING:
    from .batch import Batch
    from .device_stage import DeviceStage
    from .memory import Arena
    from .packed_rows import Find
    from .sampler import Draw

Array = NDArray[Any]

COMMON = {
    "seed": Param(
        INT, -1, "Seed of the operator's randomness; by default derived from the pipeline's."
    ),
    "preserve": Param(BOOL, False, "Keep the operator even if its output is not used."),
    "bytes_per_sample_hint": Param(INT, 0, NO_EFFECT),
}


class Row:
    """What `SampleOperator.sample` is told of the sample at hand.

    One object serves a worker, which points it at each operator and sample in turn.

    Attributes:
        random: as many numbers in [0, 1) as the operator's `draws`, a pure function of the
            seed, the epoch, the sample's position and the operator.
    """

    random: NDArray[np.float64]

    def empty(self, shape: tuple[int, ...], dtype: DTypeLike, output: int = 0) -> Array:
        """Return uninitialised memory for the result: if used, the result needs no copy."""
        raise NotImplementedError

    def scratch(self, shape: tuple[int, ...], dtype: DTypeLike) -> Array:
        """Return uninitialised memory that stays valid until the sample is finished."""
        raise NotImplementedError


class Operator:
    """Base of all operators; see the module's text.

    Attributes:
        name: the name in `fn`, with its submodule, as in "decoders.image".
        called: how users write it, for messages; "fn.<name>" unless it says otherwise.
        aliases: older names, in `fn` and, in CamelCase, in `ops`.
        devices: where it runs: "cpu", "mixed" (from CPU to GPU) or "gpu".
        inputs: names of the inputs; one that ends in "?" may be left out, and a last one
            that starts with "*" stands for any number.
        positional: arguments that may be passed by position; such an operator has no inputs.
        outputs: number of outputs, where it does not depend on the arguments.
        draws: random numbers that a sample takes.
        looks_only: whether it reads no elements of its inputs, so that on the CPU it takes data
            of the GPU, too; its `gpu` runs then and gives data of the CPU.
        host_inputs: whether its `gpu` takes inputs of the CPU, too.
        copied: whether `device="gpu"` means that its results are copied there. It runs in the CPU
            stage all the same, and may return data that are on the GPU already.
        in_order: whether its GPU work must see one batch after the other.
        find: what it has to know of its inputs' rows, for a process that reads to find out
            (`PackedRows.facts`), by name.
        note: what `Pipeline.stats` says of the way it works, where there are several.
    """

    name: ClassVar[str]
    called: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    devices: ClassVar[tuple[str, ...]] = ("cpu",)
    inputs: ClassVar[tuple[str, ...]] = ()
    positional: ClassVar[tuple[str, ...]] = ()
    outputs: ClassVar[int] = 1
    params: ClassVar[dict[str, Param]] = {}

    draws: int = 0
    looks_only: ClassVar[bool] = False
    host_inputs: ClassVar[bool] = False
    copied: ClassVar[bool] = False
    in_order: ClassVar[bool] = False
    ordinal: int = -1  # set by the graph: number of the node
    stream: int = 0  # set by the pipeline: which of its random streams is this operator's
    threads: int = 1  # set by the pipeline: how many it was given
    find: Mapping[str, Find] = MappingProxyType({})
    note: str = ""
    seed: int
    preserve: bool

    def __init_subclass__(cls) -> None:
        declared = {k: v for k, v in vars(cls).items() if isinstance(v, Param)}
        for name in declared:
            delattr(cls, name)
        if "name" in vars(cls) and "called" not in vars(cls):
            cls.called = f"fn.{cls.name}"
        inherited = [vars(base).get("params", {}) for base in reversed(cls.__mro__[1:])]
        cls.params = {k: v for group in (*inherited, declared) for k, v in group.items()}

    def __init__(
        self,
        device: str = "cpu",
        per_sample: Sequence[str] = (),
        layouts: Sequence[str] = (),
        **constants: Any,
    ) -> None:
        """Check and set the arguments.

        Args:
            device: one of `devices`.
            per_sample: names of the arguments that are passed as nodes.
            layouts: layouts of the inputs, "" where unknown.
            constants: the other arguments.
        """
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
                setattr(self, name, convert(owner, name, declared, constants.get(name)))
        self.prepare()

    def __reduce__(self) -> Any:
        # Made anew from its arguments: what `prepare` keeps need not be picklable.
        made = (type(self), self.device, self.per_sample, self.layouts, self._constants)
        return _make, made, {"ordinal": self.ordinal, "stream": self.stream}

    def prepare(self) -> None:
        """Check arguments against one another and compute what depends on them alone."""

    def num_outputs(self) -> int:
        """Return the number of outputs with these arguments."""
        return self.outputs

    def output_layouts(self) -> tuple[str, ...]:
        """Return the layout of each output; by default all have that of the first input."""
        return (self.layouts[0] if self.layouts else "",) * self.num_outputs()

    def wrap(self, outputs: tuple[Any, ...]) -> Any:
        """Return what `fn.<name>` returns for these outputs: the one, or a tuple."""
        return outputs[0] if len(outputs) == 1 else outputs

    gpu: Callable[..., Any]
    """`gpu(batch, *inputs, **arguments)`: as `BatchOperator.batch`, with `batch.device` at hand.

    Inputs are of type `TensorListGPU`, for "mixed" operators `TensorListCPU`. It launches work on
    the device's stream and returns without waiting for it. A row that cannot be computed is
    entered in `batch.errors`, and may hold anything. Several threads may call it at once.
    """

    def close(self) -> None:
        """Release what the operator holds; called once, when the pipeline is closed."""


def _make(
    kind: type[Operator],
    device: str,
    per_sample: Sequence[str],
    layouts: Sequence[str],
    constants: dict[str, Any],
) -> Operator:
    return kind(device, per_sample, layouts, **constants)


class SampleOperator(Operator):
    """An operator whose CPU work is done sample by sample, in parallel.

    `sample` must be thread-safe, and should spend its time in calls that release the GIL. Worker
    processes run it if the operator's arguments can be pickled, and its class be imported. Where
    a subclass has `batch` as well (see `BatchOperator`), that is used for data that do not
    come from samples, such as random numbers.
    """

    batch: Callable[..., Any]

    sample: Callable[..., Array | tuple[Array, ...]]
    """`sample(row, *inputs, **arguments)` returns one sample's result, or a tuple of results.

    `inputs` are arrays; arguments that may vary by sample come as keywords. A result may be a
    view of an input. Memory for it comes best from `row.empty`.
    """


class BatchOperator(Operator):
    """An operator whose CPU work is done for the whole batch, one batch after the other."""

    batch: Callable[..., Any]
    """`batch(batch, *inputs, **arguments)` returns the result, or a tuple of results.

    A result is a `TensorList`, an array whose axis 0 runs over the samples, or a list of
    arrays. Inputs are of type `TensorList`. Arguments that may vary by sample come as
    keywords: a `TensorList` where the user passed a node, else the value.
    """


class InputOperator(BatchOperator):
    """Where samples enter the graph: a reader, or an external source.

    The engine calls `open` once, then for each batch in turn, all in one thread, `fetch`
    (of every input), `draw`, and `batch`. With `device="gpu"` it calls `attach` after `open`, and
    unless it is `copied`, instead of `batch` first `accept` in that thread, later `gpu` in one of
    the device stage's.
    """

    def open(self, batch_size: int, state: Any) -> None:
        """Get ready for batches of `batch_size`; continue from `state` unless it is None."""

    def available(self) -> int | None:
        """Return how many more batches were fed; None where nothing needs to be fed."""
        return None

    def fetch(self, number: int, batch_size: int) -> int:
        """Get batch `number` ready; return its size; raise StopIteration at the data's end."""
        return batch_size

    def draw(self, number: int) -> Draw | None:
        """Say which samples batch `number` holds; None where they have no place of their own."""
        return None

    def shares_memory(self, *, uses_gpu: bool) -> bool:
        """Return whether it wants a process of its own to write into batches.

        Args:
            uses_gpu: whether the pipeline does.
        """
        return False

    def share(self, arena: Arena, find: Mapping[str, Find]) -> None:
        """Note the memory that batches lie in, if other processes may map it, and what other
        operators want to know of rows (`Operator.find`)."""

    def attach(self, stage: DeviceStage) -> None:
        """Note the device stage, for work on the device that must not wait until `gpu`."""

    def accept(self, batch: Batch) -> None:
        """Copy what may not be there any more when `gpu` is called: the source's buffers."""

    def spare(self, draw: Draw, row: int, attempt: int) -> tuple[Array, ...] | None:
        """Read another sample to stand in for a bad one; None where there is no other.

        Changes `draw.index[row]` to the stand-in's index.

        Returns one array an output. `attempt` counts from 0 for one row.
        """
        return None

    def where(self, draw: Draw) -> Sequence[str] | None:
        """Say where samples are stored; may be computed only when it is indexed."""
        return None

    def interrupt(self) -> None:
        """End what `batch` and `spare` wait for, by an exception; called from another thread.

        The pipeline is being closed, and they are not called again.
        """

    def reset(self) -> None:
        """Start again after `fetch` has raised StopIteration."""

    def state_after(self, batches: int) -> Any:
        """Return what `open` needs to continue after `batches` batches; JSON-serialisable.

        None where the state is not a function of `batches`: then `snapshot` is asked.
        """
        return None

    def snapshot(self) -> Any:
        """Return what `open` needs to continue after the batch that was just fetched."""
        return None


OPERATORS: dict[str, type[Operator]] = {}
"""Every operator by its name in `fn`, aliases included."""


def public_operators() -> Iterator[tuple[tuple[str, ...], str, type[Operator]]]:
    """Yield (groups, name, operator) for each public name: ("readers",), "file", File."""
    for full_name, kind in OPERATORS.items():
        *groups, name = full_name.split(".")
        if not name.startswith("_"):
            yield tuple(groups), name, kind


T = TypeVar("T", bound=type[Operator])


def register(operator: T) -> T:
    """Enter an operator into the table, which makes it `fn.<name>` and `ops.<Name>`."""
    for name in (operator.name, *operator.aliases):
        if name in OPERATORS:
            raise ArgumentError(f"there is an operator named {name!r} already")
        OPERATORS[name] = operator
    return operator


__all__ = [
    "OPERATORS",
    "Array",
    "BatchOperator",
    "InputOperator",
    "Operator",
    "Row",
    "SampleOperator",
    "param",
    "public_operators",
    "register",
]
