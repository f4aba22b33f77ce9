"""The kinds of source that `external_source` takes, behind one interface: the next item, please.

callable             called for each item, with an index or without
iterable, iterator   iterated over
generator function   called, and its generator iterated over
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Iterator
from typing import Any

from ...engine.errors import ArgumentError, CheckpointError

_CYCLES = {None: "no", False: "no", "no": "no", True: "quiet", "quiet": "quiet", "raise": "raise"}


class Source:
    """Items of a user's source, one after the other.

    Not thread-safe: all calls but `rewind` come from one thread.
    """

    takes_argument = False

    def next(self, *argument: Any) -> Any:
        """Return the next item; raise StopIteration at the end."""
        raise NotImplementedError

    def rewind(self) -> None:
        """Prepare to start again after the end, where the source can."""

    def position(self) -> int:
        """Return how many items were taken since the source was started."""
        return 0

    def skip(self, count: int) -> None:
        """Go to where `position` was `count`."""


class CallableSource(Source):
    """Calls a function."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self.takes_argument = _takes_argument(function)

    def next(self, *argument: Any) -> Any:
        return self._function(*argument)


class IterableSource(Source):
    """Goes through what `start()` returns, again and again if `cycle` says so."""

    def __init__(self, start: Callable[[], Iterator[Any]], cycle: str) -> None:
        self._start = start
        self._cycle = cycle
        self._iterator: Iterator[Any] | None = None
        self._taken = 0

    def next(self, *argument: Any) -> Any:
        if self._iterator is None:
            self._iterator = self._start()
        try:
            item = next(self._iterator)
        except StopIteration:
            if self._cycle == "no":
                raise
            self._iterator, self._taken = None, 0
            if self._cycle == "raise":
                raise
            self._iterator = self._start()
            item = next(self._iterator)
        self._taken += 1
        return item

    def rewind(self) -> None:
        if self._cycle == "raise":
            self._iterator, self._taken = None, 0

    def position(self) -> int:
        return self._taken

    def skip(self, count: int) -> None:
        self._iterator = self._start()
        skipped = sum(1 for _ in itertools.islice(self._iterator, count))
        if skipped < count:
            raise CheckpointError(
                f"the checkpoint was made after {count} items of the source, but it has only "
                f"{skipped} now"
            )
        self._taken = count


def make_source(source: Any, cycle: Any) -> Source:
    """Find out what kind of source it is; raise where it is none, or cannot be cycled."""
    try:
        mode = _CYCLES[cycle]
    except (KeyError, TypeError):
        raise ArgumentError(
            f"cycle must be 'no', 'quiet', 'raise', a bool or None, not {cycle!r}"
        ) from None
    if inspect.isgenerator(source) and mode != "no":
        raise ArgumentError(
            "a generator runs only once and cannot be cycled through; pass the generator function "
            "instead of what it returns"
        )
    if _is_generator_function(source):
        return IterableSource(source, mode)
    if hasattr(source, "__iter__") or hasattr(source, "__getitem__"):
        return IterableSource(lambda: iter(source), mode)
    if not callable(source):
        raise ArgumentError(
            f"a source is a function, an iterable or a generator function, not {source!r}"
        )
    if mode != "no":
        raise ArgumentError(
            "only iterables and generator functions can be cycled through; a function raises "
            "StopIteration where an epoch ends, and is called with index 0 for the next"
        )
    return CallableSource(source)


def _is_generator_function(source: Any) -> bool:
    return inspect.isgeneratorfunction(source) or (
        not inspect.isclass(source)
        and inspect.isgeneratorfunction(getattr(source, "__call__", None))  # noqa: B004
    )


def _takes_argument(function: Callable[..., Any]) -> bool:
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except ValueError:  # some built-in functions have no signature
        return False
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    if len(parameters) > 1 or any(p.kind not in positional for p in parameters):
        raise ArgumentError(
            "a source function takes no argument, or a single one that tells which batch or "
            f"sample is wanted; {function!r} takes {inspect.signature(function)}"
        )
    return bool(parameters)
