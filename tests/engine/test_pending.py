"""Results that are not there yet: none of them leaks."""

import pytest

from penstock.engine.pending import Later, Pending, Then, wait_all


class Begun(Pending):
    """Work that was begun, and that may fail; notes what is done with it."""

    def __init__(self, value=None, error=None):
        self.value, self.error = value, error
        self.calls = []

    def result(self):
        self.calls.append("result")
        if self.error is not None:
            raise self.error
        return self.value

    def cancel(self):
        self.calls.append("cancel")


def test_a_result_that_nobody_takes_is_cancelled():
    with pytest.raises(KeyError), Begun() as begun:
        raise KeyError
    assert begun.calls == ["cancel"]


def test_what_is_made_of_a_result():
    begun = Begun(7)
    twice = Then(begun, lambda value: 2 * value)
    assert (twice.elsewhere, Then(Later(list), len).elsewhere) == (True, False)
    assert twice.result() == 14
    twice.cancel()
    assert begun.calls == ["result", "cancel"]


def test_all_results_in_order():
    assert wait_all([Begun(1), Later(lambda: 2), Begun(3)]) == [1, 2, 3]


def test_after_an_error_the_others_are_cancelled():
    works = Begun(1), Begun(error=OSError("second")), Begun(3)
    with pytest.raises(OSError, match="second"):
        wait_all(works)
    assert [work.calls for work in works] == [["result", "cancel"]] * 2 + [["cancel"]]


def test_what_cannot_be_started_cancels_what_was_started():
    first = Begun(1)

    def start():
        yield first
        raise OSError("not there")

    with pytest.raises(OSError, match="not there"):
        wait_all(start())
    assert first.calls == ["cancel"]
