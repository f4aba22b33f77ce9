"""Branches of a definition: the conditions under which operators run.

An `if` that depends on data has two branches. The operators that are called in a branch compute
the samples that take this branch, and no others.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from ..errors import ArgumentError

Data = TypeVar("Data")
"""Data of a graph: a `DataNode`."""


@dataclass(frozen=True, eq=False)
class Branch(Generic[Data]):
    """One side of an `if`.

    Attributes:
        condition: a truth value for each sample, on the CPU.
        wanted: the value with which samples take this side.
        outer: the branch in which the `if` stands, or None.
        statement: the `if` with its line, for messages.
        is_split: whether the data of the branch lead on in it, and no statement: operators that
            get them work in this branch, too.
    """

    condition: Data
    wanted: bool
    outer: Branch[Data] | None
    statement: str
    is_split: bool = False

    def conditions(self) -> tuple[tuple[Data, bool], ...]:
        """Return all conditions with the values that they must have, the outermost first."""
        outer = () if self.outer is None else self.outer.conditions()
        return (*outer, (self.condition, self.wanted))

    def encloses(self, other: Branch[Data] | None) -> bool:
        """Return whether `other` is this branch, or lies in it."""
        while other is not None and other is not self:
            other = other.outer
        return other is self

    def __str__(self) -> str:
        side = "samples that meet" if self.wanted else "samples that do not meet"
        return f"the branch for {side} {self.statement}"


class Made(Protocol):
    """A node: where it was made, and in which branch."""

    made_at: str

    @property
    def branch(self) -> Branch[Any] | None:
        """The branch, or None."""


def check_branches(
    node: object, branch: Branch[Any] | None, data: Iterable[tuple[object, Made]]
) -> None:
    """Raise ArgumentError for data that only the samples of another branch have.

    Args:
        node: the operator's node, for messages.
        branch: in which the operator works.
        data: all that the operator needs, each with the node that makes it.
    """
    for each, maker in data:
        if maker.branch is not None and not maker.branch.encloses(branch):
            raise ArgumentError(
                f"{node}: only some samples have its input {each!r}, which was made at "
                f"{maker.made_at} in {maker.branch}; assign the data to one variable in both "
                "branches of the `if`, and use this variable behind it"
            )
