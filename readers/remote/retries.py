"""Retries: the faults that are tried again, how often and for how long."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from time import monotonic
from typing import Any, TypeVar

from ...engine.errors import ArgumentError
from ..source import UnavailableError

Answer = TypeVar("Answer")

_MOST_AT_ONCE = 100  # each of them has a thread

FIRST_WAIT_SECONDS = 0.2
"""Seconds before the second attempt of a request; each wait doubles the one before."""

MAX_WAIT_SECONDS = 8.0
"""Seconds of the longest wait between two attempts."""


# Its own generator: the one of the module is the user's to seed.
_jitter = random.Random()


class Passing(Exception):  # noqa: N818  (a state of the service, not an error to report)
    """A fault that may pass, so another attempt is worthwhile."""


class Late(Passing):
    """An attempt took too long."""


@dataclass(frozen=True)
class Limits:
    """Bounds of the requests to one service.

    Attributes:
        attempts: maximum number of attempts of a request.
        stall_seconds: an attempt ends when no byte has come for this time.
        total_seconds: maximum time of an attempt; when it is over, no further attempt begins.
        at_once: maximum number of concurrent requests of this process to one service.
    """

    attempts: int = 6
    stall_seconds: float = 20.0
    total_seconds: float = 120.0
    at_once: int = 64

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
                raise ArgumentError(
                    f"storage_options: {field.name}={value!r}: expected more than 0"
                )
        if self.at_once > _MOST_AT_ONCE:
            raise ArgumentError(
                f"storage_options: at_once={self.at_once}: expected {_MOST_AT_ONCE} or less"
            )


def split_options(options: Mapping[str, Any]) -> tuple[Limits, dict[str, Any]]:
    """Divide `storage_options` into the limits (key "limits") and the options of the service."""
    rest = dict(options)
    limits = rest.pop("limits", {})
    try:
        return Limits(**limits), rest
    except TypeError as error:
        names = ", ".join(field.name for field in fields(Limits))
        raise ArgumentError(
            f"storage_options: 'limits' must be a dict with any of {names}, got {limits!r}"
        ) from error


def persist(
    attempt: Callable[[], Answer], what: str, limits: Limits, pause: Callable[[float], None]
) -> Answer:
    """Return the result of `attempt`; try again after `Passing`.

    Args:
        attempt: makes one attempt.
        what: is asked for, for error messages.
        limits: of the attempts.
        pause: waits for some seconds between two attempts; an exception of it ends the request.

    Raises:
        UnavailableError: all attempts failed; it names `what`, their number and the last reason.
    """
    started = monotonic()
    deadline = started + limits.total_seconds
    reason = ""
    number = 0
    while number < limits.attempts and monotonic() < deadline:
        if number:
            pause(min(_wait(number), deadline - monotonic()))
        number += 1
        try:
            return attempt()
        except Late as fault:
            late = monotonic() >= deadline
            reason = (
                f"it was not complete within {limits.total_seconds:g} s" if late else str(fault)
            )
        except Passing as fault:
            reason = str(fault)
    raise UnavailableError(
        f"{what}: given up after {number} attempts in {monotonic() - started:.1f} s; the last one "
        f"failed because {reason}"
    )


def _wait(failed: int) -> float:
    """Return the seconds to wait after some failures: twice as long each time, less a random part.

    The random part keeps the ranks of a large run from returning all at the same moment.
    """
    longest = min(FIRST_WAIT_SECONDS * 2.0 ** (failed - 1), MAX_WAIT_SECONDS)
    return longest * (0.5 + 0.5 * _jitter.random())
