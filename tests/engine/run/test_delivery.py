"""Batches come out in order, whichever is done first."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import pytest

from penstock.engine.run.delivery import DeliveryQueue


def batch(number):
    return SimpleNamespace(number=number, forget_errors=lambda: None)


def test_batches_are_handed_out_in_order():
    queue = DeliveryQueue()
    assert all(queue.deliver(batch(number)) for number in (2, 0, 1))
    assert [queue.next_batch().number for _ in range(3)] == [0, 1, 2]
    assert queue.delivered == 3


def test_two_threads_never_wait_for_the_same_batch():
    queue, seen = DeliveryQueue(), []
    threads = [
        threading.Thread(target=lambda: seen.append(queue.next_batch().number)) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for number in range(4):
        queue.deliver(batch(number))
    for thread in threads:
        thread.join(30)
    assert sorted(seen) == [0, 1, 2, 3]


def test_stop_wakes_whoever_waits_and_returns_the_rest():
    queue, seen = DeliveryQueue(), []
    queue.deliver(batch(1))
    thread = threading.Thread(target=lambda: seen.append(queue.next_batch()))
    thread.start()
    assert [each.number for each in queue.stop()] == [1]
    thread.join(30)
    assert seen == [None]
    assert not queue.deliver(batch(2))
    assert queue.stop() == []


def test_a_restart_drops_the_batches_in_flight():
    queue = DeliveryQueue()
    for number in range(3):
        queue.deliver(batch(number))
    queue.drop_until(3)
    queue.restart(1)
    queue.deliver(batch(1))
    assert queue.next_batch().number == 1


class Interrupting(dict):
    """A signal's handler raises while a batch is taken out."""

    def __delitem__(self, number):
        raise KeyboardInterrupt


def test_a_restart_forgets_a_batch_that_an_interrupt_left():
    queue = DeliveryQueue()
    queue._done = Interrupting()
    queue.deliver(batch(0))
    with pytest.raises(KeyboardInterrupt):
        queue.next_batch()
    queue.drop_until(1)
    queue.restart(0)
    assert queue.stop() == []


def fail():
    raise MemoryError("no memory")


def test_the_failure_of_a_thread_reaches_whoever_waits():
    queue, seen = DeliveryQueue(), []

    def wait():
        try:
            queue.next_batch()
        except MemoryError as error:
            seen.append(error.__notes__)

    queue.deliver(batch(0))
    waits = threading.Thread(target=lambda: [queue.next_batch(), wait()])
    fails = threading.Thread(target=queue.watch, args=(fail,), name="toy")
    waits.start()
    fails.start()
    for thread in (waits, fails):
        thread.join(30)
    assert seen == [["the thread toy ended"]]
    queue.deliver(batch(1))
    assert queue.next_batch().number == 1
    with pytest.raises(MemoryError):
        queue.next_batch()
    queue.stop()
    assert queue.next_batch() is None
