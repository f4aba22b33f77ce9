"""Larger groups than usual are tried where samples come fast, and kept if they are faster."""

import pytest

from penstock.engine.control.groups import GroupLimits, Groups, decide
from penstock.engine.control.readings import Readings

LIMITS = GroupLimits()


class Run:
    """A run whose groups have the largest size that is allowed, looked at once in two seconds."""

    def __init__(self, usual, most):
        self.groups, self.usual, self.most = Groups(512 // usual, together=usual), usual, most
        self.readings = Readings()

    def review(self, reviews, rate, *, waiting=1.0, count=None):
        """Run for so many reviews, with so many batches a second; return what was allowed."""
        allowed = []
        for _ in range(reviews):
            self.groups = self.groups._replace(together=count or self.groups.tried or self.usual)
            seconds = LIMITS.patience_seconds
            more = Readings(int(seconds * 1e9), int(rate * seconds), int(waiting * seconds * 1e9))
            self.readings = Readings(*map(sum, zip(self.readings, more, strict=True)))
            self.groups = decide(self.groups, self.readings, self.most, LIMITS)
            allowed.append(self.groups.tried or self.usual)
        return allowed


def test_groups_grow_while_that_makes_them_faster():
    run = Run(2, 8)
    assert run.review(1, 200) == [4]
    assert run.review(2, 300) == [4, 4]  # memory grows first
    assert run.review(1, 350) == [8]
    assert run.review(4, 400) == [8, 8, 8, 8]


def test_a_size_that_is_no_faster_is_tried_once():
    run = Run(2, 8)
    assert run.review(3, 200) == [4, 4, 2]
    assert run.review(5, 1000) == [2] * 5


def test_the_first_seconds_of_a_new_size_do_not_count():
    run = Run(2, 4)
    assert run.review(1, 200) == [4]
    assert run.review(1, 10) == [4]
    assert run.review(3, 300) == [4, 4, 4]
    assert run.review(3, 100) == [4, 4, 4]  # a slower data set does not tell about the size


def test_slow_groups_do_not_grow():
    assert Run(2, 8).review(5, 159) == [2] * 5  # 4 batches take more than 25 ms
    assert Run(2, 8).review(1, 161) == [4]


@pytest.mark.parametrize(("usual", "most"), [(1, 1), (2, 3)])
def test_groups_do_not_grow_beyond_the_most(usual, most):
    assert Run(usual, most).review(3, 10_000) == [usual] * 3


def test_groups_grow_for_a_consumer_who_waits_and_are_as_usual_beside_a_network():
    run = Run(2, 8)
    assert run.review(3, 1000, waiting=0.7) == [2, 2, 2]
    assert run.review(3, 1000, waiting=0.9)[-1] == 2  # no faster
    run = Run(2, 8)
    run.review(1, 1000)
    assert run.review(3, 2000, waiting=0.7) == [4, 4, 4]
    assert run.review(1, 40, waiting=0.3) == [2]
    assert run.review(1, 1000) == [4]


def test_only_groups_of_the_allowed_size_tell_that_larger_ones_may_be_faster():
    assert Run(4, 16).review(3, 1000, count=2) == [4, 4, 4]


def test_until_two_groups_are_taken_nothing_changes():
    groups = Groups(32, together=4)
    assert decide(groups, Readings(10**7, 7, 10**7), 16, LIMITS) is groups
    assert decide(groups, Readings(10**7, 8, 10**7), 16, LIMITS).together == 8


@pytest.mark.parametrize(("is_calm", "asked", "most"), [(False, 5, 5), (True, 5, 2), (True, 1, 1)])
def test_few_groups_are_under_way_for_a_calm_consumer(is_calm, asked, most):
    assert Groups(32, is_calm=is_calm).under_way(asked, LIMITS) == most
