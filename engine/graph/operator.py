"""The classes that operators derive from, and the table of all operators.

An operator is one class. It declares its arguments (`params.param`) and its devices, and has the
methods that do its work. On the CPU, `SampleOperator.sample` computes one sample, or
`BatchOperator.batch` a whole batch. On the GPU, `batch_gpu` computes a whole batch.

    @register
    class Flip(SampleOperator):
        '''Mirrors an image.'''

        name = "flip"
        inputs = ("images",)
        horizontal = param(INT, 1, "Mirror left to right unless 0.", per_sample=True)

        def sample(self, workspace, image, *, horizontal):
            return image[:, ::-1] if horizontal else image

Arguments that may vary by sample arrive as keywords of the work function. The other arguments are
attributes of `self`. Each node of a graph has an instance of its own.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, ClassVar, TypeVar

from ..arrays import Array
from ..errors import ArgumentError
from .operator_base import Operator
from .params import param
from .rules import FORMER, BatchRules

_LIBRARY = __name__.partition(".")[0] + "."


class SampleOperator(Operator):
    """An operator whose CPU work is done sample by sample, in parallel.

    `sample` must be thread-safe, and should spend its time in calls that release the GIL. Worker
    processes run it if the arguments can be pickled and the class can be imported. A subclass may
    also have `batch` (see `BatchOperator`). The engine calls it for data that does not come from
    samples, such as random numbers. For a `light` operator, the engine calls `batch` for all data
    that lie there as whole batches, such as the boxes of a reader.
    """

    batch: Callable[..., Any]

    batches = BatchRules(sample_independent=True)

    light: ClassVar[bool] = False
    """Whether a sample takes less work than the engine's own work for a sample."""

    sample: Callable[..., Array | tuple[Array, ...]]
    """`sample(workspace, *inputs, **arguments)` returns a sample's result, or a tuple of results.

    `inputs` are arrays. Arguments that may vary by sample come as keywords. A result may be a view
    of an input. A result in memory of `workspace.empty` needs no copy.
    """


class BatchOperator(Operator):
    """An operator whose CPU work is done for the whole batch, one batch after the other."""

    batch: Callable[..., Any]
    """`batch(batch, *inputs, **arguments)` returns the result, or a tuple of results.

    A result is a `TensorList`, an array whose axis 0 runs over the samples, or a list of
    arrays. Inputs are of type `TensorList`. Arguments that may vary by sample come as
    keywords: a `TensorList` if the user passed a node, else the value.

    It may begin work elsewhere, and return the results as `Pending`. The pipeline waits for them
    after it has started the next batch, unless it ends before.
    """


class CompositeOperator(Operator):
    """An operator that consists of others. Its arguments are the same for all samples."""

    compose: Callable[..., tuple[Any, ...]]
    """`compose(name, *inputs)` adds the nodes of the parts to the graph, and returns the outputs.

    `name` is the user's name for the operator, or None. Inputs and outputs are nodes.
    """


class OperatorTable(dict[str, type[Operator]]):
    """Operators by their names in `fn`, aliases included.

    A module enters its operators when it is imported. Penstock's own modules are imported once the
    table is asked for an operator that is not there. So the further processes of a pipeline, which
    start while batches wait, import only the operators that run in them.

    Attributes:
        modules: names of modules that import all modules of operators.
    """

    def __init__(self) -> None:
        super().__init__()
        self.modules: tuple[str, ...] = ()

    def complete(self) -> None:
        """Enter all operators."""
        for name in self.modules:
            import_module(name)

    def __missing__(self, name: str) -> type[Operator]:
        self.complete()
        if name in self:
            return self[name]
        raise KeyError(name)


OPERATORS = OperatorTable()
"""The table of all operators."""


def public_operators() -> Iterator[tuple[tuple[str, ...], str, type[Operator]]]:
    """Yield (groups, name, operator) for each public name: ("readers",), "file", File."""
    OPERATORS.complete()
    for full_name, operator_class in OPERATORS.items():
        *groups, name = full_name.split(".")
        if not name.startswith("_"):
            yield tuple(groups), name, operator_class


T = TypeVar("T", bound=type[Operator])


def register(operator_class: T) -> T:
    """Enter an operator into the table, which makes it `fn.<name>` and `ops.<Name>`.

    Raises:
        ArgumentError: the declaration is not complete; the message says what is missing, and
            names the class's file and line.
    """
    check_declaration(operator_class)
    if not operator_class.__module__.startswith(_LIBRARY):
        OPERATORS.complete()  # for names that are in use to be refused here
    names = (operator_class.name, *operator_class.aliases)
    for name in names:
        if name in OPERATORS:
            raise ArgumentError(
                f"{class_location(operator_class)}: there is an operator named {name!r} already"
            )
    OPERATORS.update(dict.fromkeys(names, operator_class))
    return operator_class


def check_declaration(operator_class: type[Operator]) -> None:
    """Raise ArgumentError if an operator lacks something that its declaration promises."""
    missing = _missing(operator_class)
    if missing:
        raise ArgumentError(f"{class_location(operator_class)}: {missing}")


def class_location(operator_class: type[Operator]) -> str:
    """Return a class's name with its file and line, for messages."""
    try:
        file = inspect.getsourcefile(operator_class)
        line = inspect.getsourcelines(operator_class)[1]
    except (OSError, TypeError):  # a class made in an interactive session
        return f"operator class {operator_class.__qualname__}"
    return f"operator class {operator_class.__qualname__} ({file}:{line})"


def _missing(operator_class: type[Operator]) -> str:
    """Return the first thing that a declaration lacks, or ""."""
    if not isinstance(getattr(operator_class, "name", None), str):
        return "it needs a `name`, the operator's name in `fn`"
    if not (operator_class.__doc__ or "").strip():
        return "it needs a docstring, which becomes the docstring of its function in `fn`"
    abstract = sorted(getattr(operator_class, "__abstractmethods__", ()))
    if abstract:
        return f"it needs the methods {', '.join(abstract)} of its abstract base"
    unknown = set(operator_class.devices) - {"cpu", "mixed", "gpu"}
    if unknown or not operator_class.devices:
        return f"`devices` must name some of cpu, mixed and gpu, but is {operator_class.devices}"
    for former, declaration in FORMER.items():
        if hasattr(operator_class, former):
            return f"`{former}` is no longer an attribute; declare `{declaration}`"
    for method in _work_methods(operator_class):
        problem = _misfit(operator_class, method)
        if problem:
            return problem
    return ""


def _work_methods(operator_class: type[Operator]) -> Iterator[str]:
    """Yield the names of the methods that do an operator's work on its devices."""
    if issubclass(operator_class, CompositeOperator):
        yield "compose"
        return
    if "cpu" in operator_class.devices:
        yield "sample" if issubclass(operator_class, SampleOperator) else "batch"
    if {"gpu", "mixed"} & set(operator_class.devices) and not operator_class.on_gpu.copies_results:
        yield "batch_gpu"


def _misfit(operator_class: type[Operator], method: str) -> str:
    """Return why a work method cannot be called as the engine calls it, or ""."""
    function = getattr(operator_class, method, None)
    if function is None:
        return (
            f"its devices are {', '.join(operator_class.devices)}, so it needs a method `{method}`"
        )
    per_sample = [name for name, param in operator_class.params.items() if param.per_sample]
    declared = operator_class.declared_inputs
    required = sum(not each.optional for each in declared)
    signature = inspect.signature(function)
    for count in {required, len(declared)}:
        try:  # with the operator itself and its workspace or batch before the inputs
            signature.bind(None, None, *[None] * count, **dict.fromkeys(per_sample))
        except TypeError as error:
            inputs = ", ".join(map(str, declared)) or "none"
            return (
                f"`{method}` is called with the workspace, the batch or a name, the inputs "
                f"({inputs}), and the arguments that may vary by sample "
                f"({', '.join(per_sample) or 'none'}) as keywords, but its signature does not take "
                f"them: {error}"
            )
    return ""


__all__ = [
    "OPERATORS",
    "Array",
    "BatchOperator",
    "CompositeOperator",
    "Operator",
    "SampleOperator",
    "param",
    "public_operators",
    "register",
]
