"""Pieces of work shared by this thread and one more."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable


def in_two_threads(work: Callable[[int], bool], count: int, *, two: bool) -> bool:
    """Call `work` with 0, 1, ... `count` - 1, until it returns False; return whether it did not.

    Args:
        work: spends its time in calls that release the GIL.
        count: number of calls.
        two: whether a second thread helps, which ends before this returns.

    Raises:
        BaseException: what `work` raised first.
    """
    numbers = itertools.count()  # atomic: each number goes to one thread
    refused: list[int] = []
    errors: list[BaseException] = []

    def take_turns() -> None:
        try:
            while not refused and not errors and (number := next(numbers)) < count:
                if not work(number):
                    refused.append(number)
        except BaseException as error:
            errors.append(error)

    helper = threading.Thread(target=take_turns, name="penstock-reader") if two else None
    if helper is not None:
        helper.start()
    try:
        take_turns()
    finally:
        if helper is not None:
            helper.join()
    if errors:
        raise errors[0]
    return not refused
