"""An error in any place reaches the consumer, named, and leaves nothing behind."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from penstock import PipelineStopped
from penstock.engine.graph.functions import apply
from penstock.engine.run import intake
from penstock.engine.run.workers.turns import TurnQueue

from ..toys import (
    Affine,
    BatchCall,
    Call,
    Feed,
    Numbers,
    call,
    make,
    own_threads,
)

ROWS = 64 * 1024  # int64 numbers in a row of half a MB: a slab of its own for every batch


def big():
    data, _ = call(Numbers, side=ROWS)
    return call(Affine, data, a=2.0)


class Oops(Exception):  # noqa: N818
    """What the tests' own functions raise."""


def fail(error, at):
    """Return a function that raises when it comes to sample `at`."""

    def function(_, *inputs):
        x = inputs[0]
        firsts = [x[0]] if isinstance(x, np.ndarray) else [x.row(i)[0] for i in range(len(x))]
        if at in firsts:
            raise error(f"no {at}, please")
        return x if isinstance(x, np.ndarray) else [x.row(i) for i in range(len(x))]

    return function


def here(marker):
    """Return file and line of the line in this file that ends in the comment `marker`."""
    lines = Path(__file__).read_text().splitlines()
    return f"{__file__}:{1 + next(i for i, s in enumerate(lines) if s.endswith('# ' + marker))}"


def in_reader(error):
    return apply(Numbers, (), {"bad": [9], "error": error}, "guilty")[0]  # reader


def in_sample(error):
    data = call(Numbers)[0]
    return apply(Call, (data,), {"function": fail(error, 9)}, "guilty")  # sample


def in_batch(error):
    data = call(Numbers)[0]
    return apply(BatchCall, (data,), {"function": fail(error, 9)}, "guilty")  # batch


def in_mid_graph(error):
    data = call(Affine, call(Numbers)[0])
    return call(
        Affine,
        apply(BatchCall, (data,), {"function": fail(error, 9)}, "guilty"),  # mid
    )


def in_fetch(error):
    def source(number):
        if number == 2:
            raise error("no 9, please")
        return np.full((4, 1), number)

    return apply(Feed, (), {"source": source}, "guilty")  # fetch


PLACES = {
    "reader": (in_reader, ["CPU stage", "sample 1 of batch 2", "position 9", "numbers/9"]),
    "sample": (in_sample, ["CPU stage", "sample 1 of batch 2", "position 9", "numbers/9"]),
    "batch": (in_batch, ["CPU stage, batch 2"]),
    "mid": (in_mid_graph, ["CPU stage, batch 2"]),
    "fetch": (in_fetch, ["input of batch 2"]),
}


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("error", [Oops, SystemExit, KeyboardInterrupt])
@pytest.mark.parametrize("place", PLACES)
def test_an_error_arrives_as_it_was_raised(place, error, threads):
    define, where = PLACES[place]
    for depth in (1, 4):
        pipe = make(lambda: define(error), num_threads=threads, prefetch_queue_depth=depth)
        pipe.run()
        pipe.run()
        with pytest.raises(error) as caught:
            pipe.run()
        assert caught.type is error
        notes = "\n".join(caught.value.__notes__)
        if place == "reader" and error is not Oops:
            where = ["CPU stage"]  # read as a batch, so no one sample is to blame
        for part in (*where, "'guilty'", f"made at {here(place)}"):
            assert part in notes, notes
        assert own_threads() == []
        with pytest.raises(PipelineStopped, match=error.__name__):
            pipe.run()
        assert pipe._run.pool.lent_bytes == 0


@pytest.mark.parametrize("place", ["sample", "batch", "mid"])
def test_stop_iteration_from_an_operator_is_no_end_of_the_data(place):
    pipe = make(lambda: PLACES[place][0](StopIteration))
    pipe.run()
    pipe.run()
    with pytest.raises(RuntimeError, match="StopIteration") as caught:
        pipe.run()
    assert "'guilty'" in "\n".join(caught.value.__notes__)


def test_of_several_bad_samples_the_first_is_reported():
    def odd(row, x):
        if x[0] % 2:
            raise Oops(f"odd: {x[0]}")
        return x

    for threads in (1, 4):
        pipe = make(lambda: call(Call, call(Numbers)[0], function=odd), num_threads=threads)
        with pytest.raises(Oops, match="odd: 1"):
            pipe.run()


def test_an_error_frees_the_memory_of_its_batch():
    def bad(row, x):
        if x[0] == 10:
            raise Oops
        return x

    pipe = make(lambda: call(Call, big(), function=bad))
    pipe.run()
    try:
        pipe.run()
    except Oops:
        pass
    else:
        raise AssertionError("no error")
    assert pipe._run.pool.lent_bytes == 0


def test_inputs_that_disagree_in_size_are_named():
    def define():
        return call(Feed, source=lambda n: np.zeros((3, 1)), name="short"), call(Numbers)[0]

    pipe = make(define)
    with pytest.raises(ValueError, match=r"differ in their number of samples.*'short': 3"):
        pipe.run()


def test_a_batch_operator_that_loses_samples_is_named():
    pipe = make(lambda: call(BatchCall, function=lambda batch: np.zeros(3), name="lossy"))
    with pytest.raises(ValueError, match="returned 3 samples for a batch of 4") as caught:
        pipe.run()
    assert "'lossy'" in caught.value.__notes__[0]


def test_an_operator_that_returns_too_few_outputs_is_named():
    def define():
        data = call(Numbers)[0]
        return call(Call, data, function=lambda row, x: x, count=2, name="stingy")

    pipe = make(define)
    with pytest.raises(ValueError, match="returned 1 results, but has 2 outputs") as caught:
        pipe.run()
    assert "'stingy'" in caught.value.__notes__[0]


@pytest.mark.parametrize("thread", ["penstock-feeder", "penstock-worker-0"])
def test_a_thread_that_fails_ends_the_run(thread, monkeypatch):
    """Without an error the consumer would wait for ever."""

    def fail(*_):
        raise MemoryError("no memory")

    with make(lambda: call(Affine, call(Numbers)[0]), num_threads=1) as pipe:
        pipe.run()
        owner, name = (intake, "Batch") if thread == "penstock-feeder" else (TurnQueue, "end")
        monkeypatch.setattr(owner, name, fail)
        with pytest.raises(MemoryError, match="no memory") as caught:
            [pipe.run() for _ in range(9)]
        assert f"the thread {thread} ended" in caught.value.__notes__
        with pytest.raises(PipelineStopped):
            pipe.run()
    assert own_threads() == []
