"""The operators as functions: `fn.readers.file(...)`, `fn.resize(images, ...)`.

Each takes nodes of the graph and returns one, or a list if the operator has several
outputs. A list of nodes in place of an input applies the operator to each of its members, with
the same random numbers.
The functions are made from the operators' declarations, also of operators that are registered
later; the stubs in `fn/` hold the signatures of Penstock's own, for type checkers and editors.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

from .engine.graph.functions import function_of
from .engine.graph.operator import Operator, public_operators
from .engine.suggestions import not_among, unknown

GROUPS = (
    *("decoders", "experimental", "experimental.decoders", "experimental.inputs"),
    *("experimental.readers", "io", "io.file", "noise", "random", "readers", "reductions"),
    *("segmentation", "transforms"),
)
"""The groups of Penstock's own operators, named here so that their modules stay unloaded."""


class Namespace:
    """A group of operators, as in `fn.readers`.

    It looks into the table of operators for each name that it does not know yet.

    Args:
        module: name of the module whose groups these are.
        groups: the path to it: () for the whole module, ("readers",) for `fn.readers`.
        member: makes the attribute that stands for an operator under one of its names.
        spelled: turns an operator's name into the attribute's.
    """

    def __init__(
        self,
        module: str,
        groups: tuple[str, ...],
        member: Callable[[type[Operator], str], Any],
        spelled: Callable[[str], str],
    ) -> None:
        self._module, self._groups, self._member, self._spelled = module, groups, member, spelled

    def _operators(self) -> Mapping[str, tuple[type[Operator], str] | None]:
        """Return the members by name: operators with their names, and None for groups of them."""
        depth = len(self._groups)
        return {
            groups[depth] if len(groups) > depth else self._spelled(name): (
                None if len(groups) > depth else (operator_class, ".".join((*groups, name)))
            )
            for groups, name, operator_class in public_operators()
            if groups[:depth] == self._groups
        }

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # asked of modules, by those who go through all of them
            raise AttributeError(name, name=name, obj=self)
        members = self._operators()
        if name not in members:
            known = unknown(name, members) if not self._groups else not_among(name, members)
            raise AttributeError(f"there is no operator {known}", name=name, obj=self)
        operator = members[name]
        if operator is None:
            return self.open_group(name)
        value = self._member(*operator)
        setattr(self, name, value)
        return value

    def open_group(self, name: str) -> Namespace:
        """Return the group `name` of this one, which becomes an attribute, and a module."""
        groups = (*self._groups, name)
        new = Namespace(self._module, groups, self._member, self._spelled)
        group: Any = sys.modules.setdefault(".".join((self._module, *groups)), new)  # type: ignore[arg-type]
        setattr(self, name, group)
        return group

    def __dir__(self) -> list[str]:
        return sorted(self._operators())

    def __repr__(self) -> str:
        return f"<operators {', '.join(dir(self))}>"


def enter_groups(everything: Namespace) -> None:
    """Let programs import the groups as modules: `from penstock.fn.readers import file`."""
    for path in GROUPS:
        group = everything
        for name in path.split("."):
            group = group.open_group(name)


_ALL = Namespace(__name__, (), function_of, str)
enter_groups(_ALL)


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return __dir__()
    if name == "_conditional":  # which few programs need
        from .engine.conditions import splitting

        return splitting
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(_ALL, name)


def __dir__() -> list[str]:
    return dir(_ALL)
