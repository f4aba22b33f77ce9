"""Larger groups than usual are tried where samples come fast, and kept if they are faster."""

import pytest

from penstock.engine.run.large_groups import REVIEW_SECONDS, LargeGroups


class Run:
    """A run whose groups have the largest size that is allowed."""

    def __init__(self, usual, most):
        self.groups = LargeGroups(usual, most)
        self.taken = self.now = self.waited = 0

    def review(self, reviews, rate, *, waiting=1.0, count=None):
        """Run for so many reviews, with so many batches a second; return what was allowed."""
        allowed = []
        for _ in range(reviews):
            self.taken += int(rate * REVIEW_SECONDS)
            self.now += int(REVIEW_SECONDS * 1e9)
            self.waited += int(waiting * REVIEW_SECONDS * 1e9)
            given = self.taken, self.now, self.waited
            self.groups.review(count or self.groups.allowed, *given)
            allowed.append(self.groups.allowed)
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


@pytest.mark.parametrize(("usual", "most"), [(0, 1), (1, 1), (2, 3)])
def test_groups_do_not_grow_beyond_the_most(usual, most):
    assert Run(usual, most).review(3, 10_000) == [max(1, usual)] * 3


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


def test_between_reviews_nothing_changes():
    run = Run(2, 8)
    run.groups.review(2, 1000, int(REVIEW_SECONDS * 1e9) - 1, int(REVIEW_SECONDS * 1e9) - 1)
    assert run.groups.allowed == 2
