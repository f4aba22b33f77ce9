"""Threads that read batches before their turn."""

import threading
import weakref

import numpy as np
import pytest

from penstock.engine.order.sampler import Sampler
from penstock.engine.tensors.memory import SlabPool
from penstock.engine.work.batch import Batch
from penstock.readers.interrupt import Interrupt
from penstock.readers.reading import carriers
from penstock.readers.reading.carriers import Threads
from penstock.readers.reading.window import ReadWindow

SIZE = 100_000


class Reads:
    """A source whose sample i is SIZE bytes of value i; notes which samples are read."""

    def __init__(self):
        self.numbers = []
        self.changed = threading.Condition()

    def read(self, indices, allocate):
        (number,) = indices.tolist()
        with self.changed:
            self.numbers.append(number)
            self.changed.notify_all()
        block = allocate((1, SIZE), np.uint8)
        block[:] = number
        return (block,)

    def wait_for(self, count):
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.numbers) >= count, 40)


class Ahead:
    """Batches of one sample, read ahead; sample n is that of batch n."""

    def __init__(self, reads, depth, budget=1 << 40):
        self.pool = SlabPool(budget=budget)
        carrier = Threads(reads, depth, Interrupt())
        self.window = ReadWindow(Sampler(100, 1), carrier)

    def take(self, number):
        selection = self.window.select(number)
        assert selection.index.tolist() == [number]
        batch = Batch(number, 1, self.pool, seed=0)
        (column,) = self.window.take(batch, selection)
        assert batch.memory.taken_bytes == column.nbytes
        return column[0]


def test_any_number_at_any_time():
    ahead = Ahead(Reads(), 3)
    for number in [0, 1, 2, 3, 10, 11, 2, 3, 3, 0]:
        assert (ahead.take(number) == number).all()


def test_each_batch_is_read_once_and_no_more_than_depth_ahead():
    reads = Reads()
    ahead = Ahead(reads, 3)
    ahead.take(0)
    assert reads.numbers == [0]  # nothing is known of the size yet
    ahead.take(1)
    reads.wait_for(5)
    ahead.take(2)
    reads.wait_for(6)
    assert sorted(reads.numbers) == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(("budget", "ahead_at_most"), [(1, 0), (3 * SIZE + 50_000, 2)])
def test_the_budget_bounds_it(budget, ahead_at_most):
    reads = Reads()
    ahead = Ahead(reads, 8, budget)
    held = [ahead.take(number) for number in range(2)]
    assert 2 <= len(reads.numbers) <= 2 + ahead_at_most
    del held
    assert (ahead.take(2) == 2).all()


class Fails(Reads):
    """Cannot read sample 2."""

    def read(self, indices, allocate):
        if indices.tolist() == [2]:
            raise OSError("the second")
        return super().read(indices, allocate)


def test_an_error_comes_with_its_batch():
    ahead = Ahead(Fails(), 2)
    assert [ahead.take(number)[0] for number in (0, 1)] == [0, 1]
    with pytest.raises(OSError, match="the second"):
        ahead.take(2)
    assert (ahead.take(3) == 3).all()


def test_batches_that_are_no_longer_wanted_are_dropped(tuned):
    tuned(carriers, JOIN_SECONDS=40)
    reads = Reads()
    ahead = Ahead(reads, 2)
    ahead.take(0)
    ahead.take(1)
    reads.wait_for(4)
    dropped = weakref.ref(ahead.window._reads[-1])
    ahead.take(50)
    ahead.window.close()
    assert dropped() is None


class Slow(Reads):
    """Takes a while for each sample but the first."""

    def read(self, indices, allocate):
        if indices[0]:
            threading.Event().wait(0.2)
        return super().read(indices, allocate)


def test_no_thread_is_left_behind(tuned):
    tuned(carriers, JOIN_SECONDS=40)
    others = set(threading.enumerate())
    ahead = Ahead(Slow(), 3)
    for number in range(2):
        ahead.take(number)
    ahead.window.close()
    left = set(threading.enumerate()) - others
    assert not any(thread.name.startswith("penstock-read-ahead") for thread in left)
