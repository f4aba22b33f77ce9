"""The sources of `external_source`, behind one interface that returns the next item.

callable             each call returns an item; the call may pass an index
iterable, iterator   the iterator returns the items
generator function   each call returns a generator, which returns the items
"""

from __future__ import annotations

import inspect
import itertools
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ...engine.errors import ArgumentError, CheckpointError

GENERATOR = "rng"
"""Name of the argument with which users' functions ask for a random generator."""

_CYCLES = {None: "no", False: "no", "no": "no", True: "quiet", "quiet": "quiet", "raise": "raise"}


class UserSource(ABC):
    """Items of a user's source, one after the other.

    The class is not thread-safe: one thread makes all calls except `rewind`.
    """

    takes_argument = False
    takes_generator = False
    """Whether the source wants a random generator, as its argument `rng`."""

    starts_over = False
    """Whether the items come from the first on after `rewind`, also before the end."""

    @abstractmethod
    def next(self, *argument: object, **generator: object) -> Any:
        """Return the next item; raise StopIteration at the end."""

    @abstractmethod
    def rewind(self) -> None:
        """Prepare to start again after the end, if the source can."""

    @abstractmethod
    def forget(self) -> None:
        """Ask the user's object for a new iterator next, after its state was changed."""

    @abstractmethod
    def position(self) -> int:
        """Return the number of items to `skip` to continue here."""

    @abstractmethod
    def skip(self, count: int) -> None:
        """Start the source and skip `count` items."""


class CallableSource(UserSource):
    """Calls a function, whose argument says which item to return."""

    def __init__(self, function: Callable[..., object]) -> None:
        self._function = function
        self.takes_argument, self.takes_generator = _arguments_of(function)
        self.starts_over = self.takes_argument

    def next(self, *argument: object, **generator: object) -> Any:
        return self._function(*argument, **generator)

    def rewind(self) -> None:
        """Do nothing: the function starts again by itself."""

    forget = rewind

    def position(self) -> int:
        return 0

    def skip(self, count: int) -> None:
        """Do nothing: the function gets its position as the argument."""


class IterableSource(UserSource):
    """Iterates over the result of `start()`, repeatedly with `cycle`."""

    def __init__(self, start: Callable[[], Iterator[object]], cycle: str) -> None:
        self._start = start
        self._cycle = cycle
        self.starts_over = cycle == "raise"
        self._iterator: Iterator[object] | None = None
        self._taken = 0
        self._has_ended = False

    def next(self, *argument: object, **generator: object) -> Any:
        if self._iterator is None:
            self._iterator = self._start()
        try:
            item = next(self._iterator)
        except StopIteration:
            if self._cycle == "no":
                raise
            had_items, self._iterator, self._taken = self._taken > 0, None, 0
            if self._has_ended and not had_items:
                self._say_that_it_runs_once()
            self._has_ended |= had_items
            if self._cycle == "raise" or not had_items:
                raise
            return self.next()
        self._taken += 1
        return item

    def _say_that_it_runs_once(self) -> None:
        warnings.warn(
            f"cycle={self._cycle!r} has no effect: the source of fn.external_source has ended, and "
            "had nothing when it was started again. An iterator runs once; pass an iterable, such "
            "as a list, or a generator function",
            RuntimeWarning,
            stacklevel=2,
        )

    def rewind(self) -> None:
        if self._cycle == "raise":
            self.forget()

    def forget(self) -> None:
        self._iterator, self._taken = None, 0

    def position(self) -> int:
        return self._taken

    def skip(self, count: int) -> None:
        before, self._iterator = self._iterator, self._start()
        already = self._taken if before is self._iterator else 0  # an iterator that runs once
        if already > count:
            raise CheckpointError(
                f"the checkpoint was made after {count} items of the source, but {already} items "
                "of this iterator were taken, which cannot start again: pass an iterable"
            )
        count -= already
        skipped = sum(1 for _ in itertools.islice(self._iterator, count))
        if skipped < count:
            raise CheckpointError(
                f"the checkpoint was made after {already + count} items of the source, but the "
                f"source has only {already + skipped} now: restore the checkpoint with its own data"
            )
        self._taken = already + count


def make_source(source: Any, cycle: Any) -> UserSource:
    """Return the `UserSource` for a user's source.

    Raises:
        ArgumentError: the object is no source, or this source cannot cycle.
    """
    try:
        mode = _CYCLES[cycle]
    except (KeyError, TypeError):
        raise ArgumentError(
            f"cycle must be 'no', 'quiet', 'raise', a bool or None, not {cycle!r}"
        ) from None
    if inspect.isgenerator(source) and mode != "no":
        raise ArgumentError(
            "a generator runs only once and cannot cycle; pass the generator function instead of "
            "its result"
        )
    if is_generator_function(source):
        return IterableSource(source, mode)
    if hasattr(source, "__iter__") or hasattr(source, "__getitem__"):
        return IterableSource(lambda: iter(source), mode)
    if not callable(source):
        raise ArgumentError(
            f"a source is a function, an iterable or a generator function, not {source!r}"
        )
    if mode != "no":
        raise ArgumentError(
            "only iterables and generator functions can cycle. A function raises StopIteration at "
            "the end of an epoch, and gets index 0 at the start of the next epoch"
        )
    return CallableSource(source)


def is_generator_function(source: object) -> bool:
    """Return whether each call of an object returns a generator."""
    return inspect.isgeneratorfunction(source) or (
        not inspect.isclass(source)
        and inspect.isgeneratorfunction(getattr(source, "__call__", None))  # noqa: B004
    )


def _arguments_of(function: Callable[..., object]) -> tuple[bool, bool]:
    """Return whether a function takes the number of the batch or sample, and a generator."""
    try:
        parameters = dict(inspect.signature(function).parameters)
    except ValueError:  # some built-in functions have no signature
        return False, False
    takes_generator = wants_generator(parameters)
    if takes_generator:
        del parameters[GENERATOR]
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    if len(parameters) > 1 or any(p.kind not in positional for p in parameters.values()):
        raise ArgumentError(
            "a source function has no argument, or one argument for the number of the batch or "
            f"the sample, and perhaps {GENERATOR!r} for a random generator; {function!r} has "
            f"{inspect.signature(function)}"
        )
    return bool(parameters), takes_generator


def wants_generator(parameters: Mapping[str, inspect.Parameter]) -> bool:
    """Return whether a user's function has the argument for a random generator."""
    generator = parameters.get(GENERATOR)
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return generator is not None and generator.kind in by_name
