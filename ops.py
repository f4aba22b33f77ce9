"""The operators as classes, as older pipelines use them: `ops.Resize(size=224)(images)`.

An instance keeps its arguments; calling it, with further arguments or inputs, adds the
operator to the graph. Old names such as `ops.FileReader` and `ops.CoinFlip` are there, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from .engine.declaration import camel_case
from .engine.names import unknown
from .engine.operator import Operator, public_operators
from .fn import Namespace, apply, function_of


class OperatorClass:
    """Base of the classes in `ops`."""

    operator: ClassVar[type[Operator]]

    def __init__(self, *, name: str | None = None, **arguments: Any) -> None:
        self._name = name
        self._arguments = arguments

    def __call__(self, *inputs: Any, name: str | None = None, **arguments: Any) -> Any:
        """Add the operator to the graph being defined and return its output or outputs."""
        return apply(self.operator, inputs, {**self._arguments, **arguments}, name or self._name)


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


def _publish() -> list[str]:
    made: dict[type[Operator], type[OperatorClass]] = {}
    public = ["Compose"]
    for groups, name, kind in public_operators():
        holder = globals()
        for group in groups:
            holder = vars(holder.setdefault(group, Namespace()))
        if kind not in made:
            function: Any = function_of(kind)
            content = {"operator": kind, "__doc__": function.__doc__, "__module__": __name__}
            content["__signature__"] = function.__signature__
            made[kind] = type(camel_case(name), (OperatorClass,), content)
        holder[camel_case(name)] = made[kind]
        public.append(groups[0] if groups else camel_case(name))
    return sorted(set(public))


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError(f"there is no operator {unknown(name, __all__)}")


__all__ = _publish()
