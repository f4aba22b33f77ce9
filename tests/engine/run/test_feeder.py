"""Which batches the feeder starts ahead of the consumer, also while work goes on elsewhere."""

import threading
import time

import numpy as np
import pytest

from penstock import DecodeError
from penstock.engine.pending import Later
from penstock.engine.run import feeder
from penstock.readers.reading.window import ReadWindow

from ..toys import (
    Affine,
    BatchAffine,
    BatchCall,
    BatchNoise,
    Noise,
    Numbers,
    NumbersSource,
    assert_same,
    call,
    make,
    run,
)


def doubled(x):
    return [2 * x.row(i) for i in range(len(x))]


def graph(function):
    """Return a graph in whose middle `function` is called for each batch."""
    data, labels = call(Numbers, size=13, random_shuffle=True)
    scaled = call(BatchAffine, data, a=call(BatchNoise))
    called = call(BatchCall, scaled, function=function)
    return call(BatchAffine, call(Noise, called), b=1.0), labels


class Elsewhere:
    """Doubles its input, or raises, once the feeder waits for the results.

    Attributes:
        bad: numbers of the batches that fail.
        events: what was done so far with which batch.
        may_begin: is waited for before anything is done.
    """

    def __init__(self, bad=()):
        self.bad = bad
        self.events = []
        self.may_begin = threading.Event()
        self.may_begin.set()

    def __call__(self, batch, x):
        self.may_begin.wait()
        number = batch.number
        self.events.append(("begin", number))

        def finish():
            self.events.append(("finish", number))
            if number in self.bad:
                raise OSError("lost")
            return doubled(x)

        return Later(finish)

    def graph(self):
        return graph(self)


@pytest.mark.parametrize("depth", [1, 2, 5])
@pytest.mark.parametrize("most", [1, 2, 4])
def test_the_results_are_the_same(tuned, depth, most):
    tuned(feeder, MAX_BEGUN_STEPS=most)
    options = {"prefetch_queue_depth": depth}
    expected = run(lambda: graph(lambda _, x: doubled(x)), 9, **options)
    assert_same(run(Elsewhere().graph, 9, **options), expected)


def test_the_next_batch_begins_before_one_is_finished():
    elsewhere = Elsewhere()
    elsewhere.may_begin.clear()
    with make(elsewhere.graph, prefetch_queue_depth=3) as pipe:
        pipe.schedule_run()
        elsewhere.may_begin.set()
        for _ in range(6):
            pipe.outputs()
            pipe.schedule_run()
    events = elsewhere.events
    first = [("begin", 0), ("finish", 0)]  # what a batch takes is not known yet
    assert events[:5] == [*first, ("begin", 1), ("begin", 2), ("finish", 1)]
    for kind in ("begin", "finish"):
        numbers = [number for each, number in events if each == kind]
        assert numbers == sorted(numbers)
    under_way = np.cumsum([1 if kind == "begin" else -1 for kind, _ in events])
    assert under_way.max() == feeder.MAX_BEGUN_STEPS


def test_an_error_belongs_to_its_batch():
    elsewhere = Elsewhere(bad=[2])
    with make(elsewhere.graph) as pipe:
        for _ in range(2):
            pipe.run()
        with pytest.raises(OSError, match="lost") as caught:
            pipe.run()
    assert any("batch 2" in note for note in caught.value.__notes__)


def test_a_bad_sample_belongs_to_its_batch():
    def begin(batch, x):
        def finish():
            if batch.number == 1:
                batch.fail_row(2, DecodeError("damaged"))
            return [x.row(i) for i in range(len(x))]

        return Later(finish)

    def define():
        data, labels = call(Numbers, size=16)
        return call(BatchCall, data, function=begin), labels

    with make(define, on_error="skip") as pipe:
        valid = [pipe.run()[0].valid.tolist() for _ in range(3)]
    assert valid == [[True] * 4, [True, True, False, True], [True] * 4]


def test_closing_while_a_step_is_under_way():
    reached, go_on = threading.Event(), threading.Event()

    def begin(batch, x):
        def finish():
            reached.set()
            go_on.wait()
            return x

        return Later(finish)

    def define():
        data, _ = call(Numbers, size=16)
        return call(BatchCall, data, function=begin)

    pipe = make(define, prefetch_queue_depth=3)
    pipe.schedule_run()
    assert reached.wait(200)
    threading.Timer(0.05, go_on.set).start()
    pipe.close()


@pytest.mark.parametrize("only_reads", [True, False])
def test_batches_that_are_read_at_once_count_like_one(limited, monkeypatch, only_reads):
    limited(ReadWindow, seconds=1e9, samples=32)  # 8 batches of 4
    sizes = []
    read = NumbersSource.read

    def counted(source, indices, allocate):
        sizes.append(len(indices))
        return read(source, indices, allocate)

    monkeypatch.setattr(NumbersSource, "read", counted)

    def define():
        data, labels = call(Numbers, size=4000)
        return (data if only_reads else call(Affine, data)), labels

    with make(define, prefetch_queue_depth=2) as pipe:
        for number in range(40):
            assert pipe.run()[1].as_array().tolist() == list(range(4 * number, 4 * number + 4))
        # Batches 39 to 46 are a group. One batch more than the consumer has taken may be under way.
        least = 55 if only_reads else 47
        deadline = time.monotonic() + 200  # a busy machine is no failure
        while sum(sizes) < 4 * least and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.1)
    assert sizes[:5] == [4, 8, 16, 32, 32]
    assert sum(sizes) == 4 * least


@pytest.mark.parametrize("option", ["exec_pipelined", "exec_async"])
def test_no_batch_starts_ahead_if_none_should(option):
    with make(lambda: call(Numbers, size=4000), **{option: False}) as pipe:
        for number in range(40):
            assert pipe.run()[1].as_array().tolist() == list(range(4 * number, 4 * number + 4))
