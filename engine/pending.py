"""Results that are not there yet: the one form of "start, then wait"."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Generic, TypeVar

Result = TypeVar("Result", covariant=True)


class Pending(ABC, Generic[Result]):
    """Work that was begun, and its result.

    Whoever gets a pending result takes it by `result`, or gives it up by `cancel`. The end of a
    `with` block cancels what was not taken, so that an error in between leaks nothing:

    >>> with Later(lambda: 7) as pending:
    ...     pending.result()
    7
    """

    elsewhere: bool = True
    """Whether others do the work meanwhile, rather than the thread that calls `result`."""

    @abstractmethod
    def result(self) -> Result:
        """Wait for the result, or raise the error of the work. To be called once."""

    @abstractmethod
    def cancel(self) -> None:
        """Give up the result, if it was not taken. Idempotent."""

    def __enter__(self) -> Pending[Result]:
        return self

    def __exit__(self, *_: object) -> None:
        self.cancel()


class Later(Pending[Result]):
    """Work that the thread does which asks for the result."""

    elsewhere = False

    def __init__(self, work: Callable[[], Result]) -> None:
        self._work = work

    def result(self) -> Result:
        return self._work()

    def cancel(self) -> None:
        """Do nothing: nothing was begun."""
