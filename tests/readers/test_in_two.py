import threading

import pytest

from penstock.readers.in_two import in_two_threads


@pytest.mark.parametrize("two", [False, True])
def test_every_piece_is_done_once(two):
    done = []
    assert in_two_threads(lambda number: done.append(number) is None, 100, two=two)
    assert sorted(done) == list(range(100))
    assert in_two_threads(lambda number: done.append(number) is None, 0, two=two)


def test_two_threads_work_at_the_same_time():
    together = threading.Barrier(2)
    assert in_two_threads(lambda number: together.wait(20) >= 0, 2, two=True)


@pytest.mark.parametrize("two", [False, True])
def test_a_refusal_ends_the_work(two):
    done = []
    assert not in_two_threads(lambda number: done.append(number) or number != 3, 10_000, two=two)
    assert len(done) < 10_000


@pytest.mark.parametrize("two", [False, True])
def test_errors_reach_the_caller(two):
    def fail(number):
        raise OSError(number)

    with pytest.raises(OSError, match=r"[01]"):
        in_two_threads(fail, 5, two=two)
    assert not [thread for thread in threading.enumerate() if thread.name == "penstock-reader"]
