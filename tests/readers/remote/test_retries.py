import random
import time

import pytest

from penstock.engine.errors import ArgumentError
from penstock.readers.remote import retries
from penstock.readers.remote.retries import Late, Limits, Passing, persist, split_options
from penstock.readers.source import UnavailableError


def attempts_that(*outcomes):
    """Return an attempt that has one of `outcomes` after the other."""
    left = list(outcomes)

    def attempt():
        outcome = left.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    return attempt


def tried(attempt, **limits):
    return persist(attempt, "data", Limits(**limits), time.sleep)


@pytest.fixture(autouse=True)
def short_waits(tuned):
    tuned(retries, FIRST_WAIT_SECONDS=0.001, MAX_WAIT_SECONDS=0.002)


def test_faults_that_pass_are_tried_again():
    attempt = attempts_that(Passing("one"), Passing("two"), "done")
    assert tried(attempt) == "done"


def test_the_last_reason_is_told():
    attempt = attempts_that(Passing("one"), Passing("two"))
    with pytest.raises(UnavailableError, match=r"data: given up after 2 attempts .*because two"):
        tried(attempt, attempts=2)


def test_other_errors_are_final():
    attempt = attempts_that(FileNotFoundError("gone"), "done")
    with pytest.raises(FileNotFoundError, match="gone"):
        tried(attempt)


def test_the_generator_of_the_user_is_left_alone():
    random.seed(5)
    state = random.getstate()
    tried(attempts_that(Passing("one"), 0))
    assert random.getstate() == state


def test_options_are_divided():
    limits, rest = split_options({"anon": True, "limits": {"attempts": 2}})
    assert (limits, rest) == (Limits(attempts=2), {"anon": True})
    with pytest.raises(ArgumentError, match="attempts=0: expected more than 0"):
        split_options({"limits": {"attempts": 0}})


def test_an_attempt_that_is_late_is_told_from_the_end_of_all_attempts(tuned):
    with pytest.raises(UnavailableError, match="because no byte came"):
        tried(attempts_that(Late("no byte came")), attempts=1)

    def slow():
        time.sleep(0.02)
        raise Late("no byte came")

    with pytest.raises(UnavailableError, match=r"after 1 attempts .* not complete within 0.01 s"):
        tried(slow, total_seconds=0.01)


def test_a_pause_may_end_the_request():
    def pause(_):
        raise KeyError

    with pytest.raises(KeyError):
        persist(attempts_that(Passing("one"), "done"), "data", Limits(), pause)
