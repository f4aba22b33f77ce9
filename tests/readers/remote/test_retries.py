import asyncio
import random

import pytest

from penstock.engine.errors import ArgumentError
from penstock.readers.remote import retries
from penstock.readers.remote.retries import Limits, Passing, persist, split_options
from penstock.readers.source import UnavailableError


def attempts_that(*outcomes):
    """Return an attempt that has one of `outcomes` after the other."""
    left = list(outcomes)

    async def attempt():
        outcome = left.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    return attempt


@pytest.fixture(autouse=True)
def short_waits(tuned):
    tuned(retries, FIRST_WAIT_SECONDS=0.001, MAX_WAIT_SECONDS=0.002)


def test_faults_that_pass_are_tried_again():
    attempt = attempts_that(Passing("one"), Passing("two"), "done")
    assert asyncio.run(persist(attempt, "data", Limits())) == "done"


def test_the_last_reason_is_told():
    attempt = attempts_that(Passing("one"), Passing("two"))
    with pytest.raises(UnavailableError, match=r"data: given up after 2 attempts .*because two"):
        asyncio.run(persist(attempt, "data", Limits(attempts=2)))


def test_other_errors_are_final():
    attempt = attempts_that(FileNotFoundError("gone"), "done")
    with pytest.raises(FileNotFoundError, match="gone"):
        asyncio.run(persist(attempt, "data", Limits()))


def test_the_generator_of_the_user_is_left_alone():
    random.seed(5)
    state = random.getstate()
    asyncio.run(persist(attempts_that(Passing("one"), 0), "data", Limits()))
    assert random.getstate() == state


def test_options_are_divided():
    limits, rest = split_options({"anon": True, "limits": {"attempts": 2}})
    assert (limits, rest) == (Limits(attempts=2), {"anon": True})
    with pytest.raises(ArgumentError, match="attempts=0: expected more than 0"):
        split_options({"limits": {"attempts": 0}})


def test_a_timeout_of_the_library_is_not_called_the_deadline():
    attempt = attempts_that(TimeoutError("connect"))
    with pytest.raises(UnavailableError, match=r"connection failed \(TimeoutError: connect\)"):
        asyncio.run(persist(attempt, "data", Limits(attempts=1)))
