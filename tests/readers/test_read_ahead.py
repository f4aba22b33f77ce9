import threading
import weakref

import numpy as np
import pytest

from penstock.engine.memory import SlabPool
from penstock.readers.read_ahead import ReadAhead

SIZE = 100_000


class Reads:
    """Reads batches of SIZE bytes, and notes which."""

    def __init__(self):
        self.numbers = []
        self.changed = threading.Condition()

    def __call__(self, number, allocate):
        with self.changed:
            self.numbers.append(number)
            self.changed.notify_all()
        block = allocate((SIZE,), np.uint8)
        block[:] = number
        return (block,)

    def wait_for(self, count):
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.numbers) >= count, 20)


def test_any_number_at_any_time():
    reads = Reads()
    ahead, pool = ReadAhead(reads, 3), SlabPool()
    for number in [0, 1, 2, 3, 10, 11, 2, 3, 3, 0]:
        (block,) = ahead.take(number, pool)
        assert (block == number).all()


def test_each_batch_is_read_once_and_no_more_than_depth_ahead():
    reads = Reads()
    ahead, pool = ReadAhead(reads, 3), SlabPool()
    ahead.take(0, pool)
    assert reads.numbers == [0]  # nothing is known of the size yet
    ahead.take(1, pool)
    reads.wait_for(5)
    ahead.take(2, pool)
    reads.wait_for(6)
    assert sorted(reads.numbers) == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(("budget", "ahead_at_most"), [(1, 0), (3 * SIZE + 50_000, 2)])
def test_the_budget_bounds_it(budget, ahead_at_most):
    reads = Reads()
    ahead, pool = ReadAhead(reads, 8), SlabPool(budget=budget)
    held = [ahead.take(number, pool) for number in range(2)]
    assert 2 <= len(reads.numbers) <= 2 + ahead_at_most
    del held
    assert (ahead.take(2, pool)[0] == 2).all()


def test_an_error_comes_with_its_batch():
    def read(number, allocate):
        if number == 2:
            raise OSError("the second")
        return (allocate((number + 1,), np.uint8),)

    ahead, pool = ReadAhead(read, 2), SlabPool()
    assert [len(ahead.take(number, pool)[0]) for number in (0, 1)] == [1, 2]
    with pytest.raises(OSError, match="the second"):
        ahead.take(2, pool)
    assert len(ahead.take(3, pool)[0]) == 4


def test_what_is_no_longer_wanted_is_dropped():
    reads = Reads()
    ahead, pool = ReadAhead(reads, 2), SlabPool()
    ahead.take(0, pool)
    ahead.take(1, pool)
    reads.wait_for(4)
    dropped = weakref.ref(ahead._begun[3])
    ahead.take(50, pool)
    for thread in threading.enumerate():
        if thread.name == "penstock-read-ahead":
            thread.join()
    assert dropped() is None


def test_no_thread_is_left_behind():
    done = threading.Event()

    def read(number, allocate):
        if number:
            done.wait(0.2)
        return (allocate((1,), np.uint8),)

    ahead = ReadAhead(read, 3)
    for number in range(2):
        ahead.take(number, SlabPool())
    ahead.close()
    assert not any(t.name == "penstock-read-ahead" for t in threading.enumerate())
