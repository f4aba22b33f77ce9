"""Results that are not there yet: the one form of "start, then wait"."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any, Generic, TypeVar

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

    def is_done(self) -> bool:
        """Return whether the result is there; False if that is not known."""
        return False

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


class Then(Pending[Result]):
    """Work, and what is made of its result."""

    def __init__(self, work: Pending[Any], make: Callable[[Any], Result]) -> None:
        self.elsewhere = work.elsewhere
        self._work = work
        self._make = make

    def result(self) -> Result:
        return self._make(self._work.result())

    def cancel(self) -> None:
        self._work.cancel()


def wait_all(started: Iterable[Pending[Result]]) -> list[Result]:
    """Return the results of work that is started one after the other, and then waited for.

    If any work cannot be started, or fails, what is left is cancelled.

    >>> wait_all(Later(lambda number=number: 2 * number) for number in range(3))
    [0, 2, 4]
    """
    pending: list[Pending[Result]] = []
    try:
        pending.extend(started)
        return [work.result() for work in pending]
    except BaseException:
        for work in pending:
            work.cancel()
        raise
