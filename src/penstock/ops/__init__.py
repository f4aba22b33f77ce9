"""The operators as classes, as older pipelines use them: `ops.Resize(size=224)(images)`.

An instance keeps its arguments; calling it, with further arguments or inputs, adds the
operator to the graph. Old names such as `ops.FileReader` and `ops.CoinFlip` are there, too; they
warn.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from ..engine.errors import ArgumentError
from ..engine.graph.callers import warn_of_deprecation
from ..engine.graph.declaration import camel_case
from ..engine.graph.functions import apply, function_of
from ..engine.graph.namespaces import Namespace
from ..engine.graph.operator import Operator, public_operators

_BY_POSITION = {
    "external_source": ("source", "num_outputs"),
    "python_function": ("function", "num_outputs", "device", "batch_processing"),
    "dl_tensor_python_function": (
        *("function", "num_outputs", "device", "synchronize_stream", "batch_processing"),
    ),
    "readers.tfrecord": ("path", "index_path", "features"),
}
"""By operator, the arguments of its constructor that programs give by position."""


class OperatorClass:
    """Base of the classes in `ops`."""

    operator: ClassVar[type[Operator]]
    deprecation: ClassVar[str] = ""

    def __init__(self, *values: Any, name: str | None = None, **arguments: Any) -> None:
        if self.deprecation:
            warn_of_deprecation(self.deprecation)
        names = _BY_POSITION.get(self.operator.name, ())
        if len(values) > len(names):
            raise ArgumentError(
                f"ops.{type(self).__name__} takes {', '.join(names) or 'no argument'} by position, "
                f"but was given {len(values)} values"
            )
        self._name = name
        self._arguments = dict(zip(names, values, strict=False)) | arguments

    def __call__(self, *inputs: Any, name: str | None = None, **arguments: Any) -> Any:
        """Add the operator to the graph being defined and return its output or outputs."""
        return apply(self.operator, inputs, {**self._arguments, **arguments}, name or self._name)

    @property
    def device(self) -> str:
        """The argument `device`, by default "cpu"."""
        return str(self._arguments.get("device", "cpu"))


class Compose:
    """Operators applied one after the other: `Compose([a, b])(x)` is `b(a(x))`.

    What has several outputs gives the next operator as many inputs.
    """

    def __init__(self, op_list: Sequence[Callable[..., Any]]) -> None:
        self._operators = tuple(op_list)

    def __call__(self, *inputs: Any) -> Any:
        """Add the operators to the graph being defined and return what the last one returns."""
        values: Any = inputs
        for operator in self._operators:
            values = operator(*(values if isinstance(values, tuple | list) else (values,)))
        return values


_CLASSES: dict[tuple[type[Operator], str], type[OperatorClass]] = {}


def _class_of(operator_class: type[Operator], called: str) -> type[OperatorClass]:
    """Return the class that an operator is under one of its names.

    It has the docstring and the signature of the function. The class of an older name is derived
    from that of the current one.
    """
    key = operator_class, called
    if key in _CLASSES:
        return _CLASSES[key]
    function: Any = function_of(operator_class)
    *groups, _ = called.split(".")
    home = ".".join((__name__, *groups))
    content = {"operator": operator_class, "__doc__": function.__doc__, "__module__": home}
    content["__signature__"] = function.__signature__
    base = OperatorClass
    if called != operator_class.name:
        base = _class_of(operator_class, operator_class.name)
        older, current = _path(called), _path(operator_class.name)
        content["deprecation"] = f"ops.{older} is deprecated; use ops.{current}"
    _CLASSES[key] = type(camel_case(called.rpartition(".")[2]), (base,), content)
    return _CLASSES[key]


def _path(called: str) -> str:
    """Return the name in `ops` of an operator: "readers.File" of "readers.file"."""
    *groups, name = called.split(".")
    return ".".join((*groups, camel_case(name)))


def cpu_ops() -> set[str]:
    """Return the names of the operators that run on the CPU, as in "readers__File"."""
    return _names_on("cpu")


def gpu_ops() -> set[str]:
    """Return the names of the operators that run on the GPU."""
    return _names_on("gpu")


def mixed_ops() -> set[str]:
    """Return the names of the operators that take data on the CPU and return data on the GPU."""
    return _names_on("mixed")


def _names_on(device: str) -> set[str]:
    return {
        "__".join((*groups, camel_case(name)))
        for groups, name, operator_class in public_operators()
        if device in operator_class.devices
    }


def Reload() -> None:  # noqa: N802  (DALI's name)
    """Do nothing: operators that are registered later are found, too."""


_FUNCTIONS = ("Compose", "Reload", "cpu_ops", "gpu_ops", "mixed_ops")


class _Classes(Namespace):
    """Operators as classes."""

    home = __name__
    member = staticmethod(_class_of)
    spelled = staticmethod(camel_case)

    def __dir__(self) -> list[str]:
        return sorted([*super().__dir__(), *(() if self._groups else _FUNCTIONS)])


sys.modules[__name__].__class__ = _Classes
