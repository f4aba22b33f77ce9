"""Modules whose members are operators: `fn`, `ops`, and their groups, such as `fn.readers`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module
from types import ModuleType
from typing import Any, ClassVar

from ..suggestions import not_among, unknown
from .operator import Operator, public_operators


class Namespace(ModuleType):
    """A group of operators, as in `fn.readers`: the class of its module.

    It looks into the table of operators for each name that it does not know yet. Each group of
    Penstock's own operators has a file, which gives its module this class. Groups of operators
    that are registered later are made without one.
    """

    home: ClassVar[str]
    """Name of the module whose groups these are."""

    @staticmethod
    def member(operator_class: type[Operator], called: str) -> Any:
        """Return the attribute that stands for an operator under one of its names."""
        raise NotImplementedError

    @staticmethod
    def spelled(name: str) -> str:
        """Return the attribute's name of an operator's."""
        return name

    @property
    def _groups(self) -> tuple[str, ...]:
        """The path to the group: () for the whole module, ("readers",) for `fn.readers`."""
        return tuple(self.__name__.removeprefix(self.home).split(".")[1:])

    def _operators(self) -> Mapping[str, tuple[type[Operator], str] | None]:
        """Return the members by name: operators with their names, and None for groups of them."""
        own = self._groups
        depth = len(own)
        return {
            groups[depth] if len(groups) > depth else self.spelled(name): (
                None if len(groups) > depth else (operator_class, ".".join((*groups, name)))
            )
            for groups, name, operator_class in public_operators()
            if groups[:depth] == own
        }

    def __getattr__(self, name: str) -> object:
        if name == "__all__":
            return dir(self)
        if name.startswith("__"):  # asked of modules, by those who go through all of them
            raise AttributeError(name, name=name, obj=self)
        members = self._operators()
        if name not in members:
            known = not_among(name, members) if self._groups else unknown(name, members)
            raise AttributeError(f"there is no operator {known}", name=name, obj=self)
        operator = members[name]
        value = self._group(name) if operator is None else self.member(*operator)
        setattr(self, name, value)
        return value

    def _group(self, name: str) -> ModuleType:
        path = f"{self.__name__}.{name}"
        try:
            return import_module(path)
        except ModuleNotFoundError as error:
            if error.name != path:
                raise
        return sys.modules.setdefault(path, type(self)(path))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle a module by its name, for functions of programs that are sent elsewhere."""
        return import_module, (self.__name__,)

    def __dir__(self) -> list[str]:
        return sorted(self._operators())

    def __repr__(self) -> str:
        return f"<operators {', '.join(dir(self))}>"
