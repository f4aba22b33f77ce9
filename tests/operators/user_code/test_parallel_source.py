"""External sources in Python workers: order, ends of epochs, errors and checkpoints."""

from __future__ import annotations

import os
import threading

import numpy as np
import pytest

from penstock import Pipeline, fn, pipeline_def
from penstock.engine.errors import ArgumentError, CheckpointError, WorkerError
from penstock.tensors import TensorListCPU

from ...readers.processes import assert_soon, children

pytestmark = pytest.mark.usefixtures("importable_tests")


@pytest.fixture(autouse=True)
def nothing_is_left():
    before = children()
    yield
    assert_soon(lambda: set(children()) <= set(before))  # some end late


def define(
    source, *, batch_size=4, workers=2, parallel=True, checkpoint=None, start="fork", **arguments
):
    @pipeline_def(
        batch_size=batch_size,
        num_threads=1,
        py_num_workers=workers,
        py_start_method=start,
        seed=11,
        checkpoint=checkpoint,
    )
    def definition():
        results = fn.external_source(source, parallel=parallel, **arguments)
        return tuple(results) if isinstance(results, list) else results

    return definition()


def epochs(pipe, count):
    """Return the values of the batches of so many epochs."""
    result = []
    for _ in range(count):
        result.append([[row.tolist() for row in batch[0].rows()] for batch in pipe])
        pipe.reset()
    return result


def by_sample(info):
    if info.idx_in_epoch >= 10:
        raise StopIteration
    return np.array([info.idx_in_epoch, info.idx_in_batch, info.iteration, info.epoch_idx])


def by_batch(info):
    if info.iteration >= 3:
        raise StopIteration
    return [np.full(2 + i, info.iteration * 10 + info.epoch_idx) for i in range(4)]


def by_number(number):
    if number >= 3:
        raise StopIteration
    return np.arange(8).reshape(4, 2) + number


class Batches:
    """An iterable whose iterators start over."""

    def __iter__(self):
        self.number = 0
        return self

    def __next__(self):
        if self.number == 3:
            raise StopIteration
        self.number += 1
        return np.full((4, 2), self.number, np.float32)


def generated():
    yield from ([np.full(5, number)] * 4 for number in range(3))


SOURCES = [
    (by_sample, {"batch": False}),
    (by_batch, {"batch_info": True}),
    (by_number, {}),
    (Batches(), {"cycle": "raise"}),
    (generated, {"cycle": "raise"}),
    ([[np.arange(3)] * 4] * 2, {"cycle": "raise"}),
]


@pytest.mark.parametrize(("source", "arguments"), SOURCES)
@pytest.mark.parametrize("depth", [1, 5])
def test_workers_return_what_the_process_returns(source, arguments, depth):
    with define(source, prefetch_queue_depth=depth, **arguments) as pipe:
        ours = epochs(pipe, 3)
    with define(source, parallel=False, **arguments) as pipe:
        assert ours == epochs(pipe, 3)
    assert all(ours)


def test_new_interpreters_get_functions_of_the_program():
    offset = 5
    with define(lambda i: np.full((2, 3), i + offset), start="spawn", workers=1) as pipe:
        assert [int(pipe.run()[0].at(0)[0]) for _ in range(3)] == [5, 6, 7]


def test_quiet_cycles_never_end():
    with define(Batches(), cycle="quiet", prefetch_queue_depth=2) as pipe:
        assert [int(pipe.run()[0].at(0)[0]) for _ in range(7)] == [1, 2, 3, 1, 2, 3, 1]


def test_an_iterable_that_does_not_cycle_has_ended():
    with define(Batches(), prefetch_queue_depth=4) as pipe:
        assert len(list(pipe)) == 3
        pipe.reset()
        assert list(pipe) == []


def test_one_worker_iterates_and_others_call():
    @pipeline_def(batch_size=4, num_threads=1, py_num_workers=3)
    def definition():
        first = fn.external_source(process_numbers, parallel=True)
        second = fn.external_source(process_numbers, parallel=True)
        each = fn.external_source(lambda info: np.int64(os.getpid()), parallel=True, batch=False)
        return first, second, each

    with definition() as pipe:
        batches = [pipe.run() for _ in range(4)]
    pids = [{int(pid) for batch in batches for pid in batch[k].as_array()} for k in range(3)]
    assert len(pids[0]) == len(pids[1]) == 1
    assert pids[0] != pids[1]
    assert len(pids[2]) > 1
    assert os.getpid() not in pids[0] | pids[1] | pids[2]


def process_numbers():
    while True:
        yield [np.int64(os.getpid())] * 4


def test_several_outputs_dtypes_and_layouts():
    def source(info):
        image = np.full((3 + info.idx_in_batch % 2, 50, 40, 3), info.idx_in_epoch, np.uint8)
        return image[0], [1.5, 2.5], info.idx_in_epoch

    arguments = {"num_outputs": 3, "layout": ["HWC"], "batch": False}
    with define(source, **arguments) as pipe, define(source, parallel=False, **arguments) as other:
        for _ in range(3):
            for ours, theirs in zip(pipe.run(), other.run(), strict=True):
                assert (ours.dtype, ours.layout()) == (theirs.dtype, theirs.layout())
                assert np.array_equal(ours.as_array(), theirs.as_array())


def test_layouts_come_along():
    def source(number):
        return TensorListCPU(
            np.full((4, 2, 3, 1), number, np.float32), "HWC" if number % 2 else "FHW"
        )

    with define(source) as pipe:
        assert [pipe.run()[0].layout() for _ in range(4)] == ["FHW", "HWC"] * 2


def test_samples_of_many_shapes():
    def source(info):
        return np.full((info.idx_in_epoch % 3, 30000), info.idx_in_epoch, np.float64)

    with define(source, batch=False, batch_size=7) as pipe:
        for number in range(4):
            (out,) = pipe.run()
            for i, row in enumerate(out.rows()):
                assert row.shape == ((7 * number + i) % 3, 30000)
                assert (row == 7 * number + i).all()


def test_kept_batches_stay_right():
    with define(lambda n: np.full((4, 200, 100), n), prefetch_queue_depth=3) as pipe:
        kept = [pipe.run()[0].as_array() for _ in range(12)]
    assert all((array == number).all() for number, array in enumerate(kept))


def test_errors_keep_their_type_and_trace():
    def source(info):
        if info.idx_in_epoch == 6:
            raise LookupError("no such sample")
        return np.zeros(2)

    with define(source, batch=False) as pipe:
        pipe.run()
        with pytest.raises(LookupError, match="no such sample") as caught:
            pipe.run()
    assert "in source" in str(caught.value.__cause__)
    assert any("sample 2 of batch 1" in note for note in caught.value.__notes__)


def test_bad_samples_are_replaced():
    def source(info):
        if info.idx_in_epoch % 4 == 1:
            raise LookupError("no such sample")
        return np.full(3, info.idx_in_epoch)

    @pipeline_def(batch_size=4, num_threads=1, py_num_workers=2, on_error="replace")
    def definition():
        return fn.external_source(source, parallel=True, batch=False)

    with definition() as pipe:
        for number in range(3):
            (out,) = pipe.run()
            assert out.valid.tolist() == [True, False, True, True]
            assert int(out.at(3)[0]) == 4 * number + 3


def test_a_death_names_the_sample():
    def source(info):
        if info.idx_in_epoch == 6:
            os._exit(3)
        return np.zeros(2)

    with define(source, batch=False) as pipe:
        pipe.run()
        with pytest.raises(
            WorkerError, match=r"exit status 3 .* for sample 6 of the epoch, in batch 1"
        ):
            pipe.run()


def test_a_source_that_cannot_be_used():
    class Broken:
        def __iter__(self):
            raise OSError("no such folder")

    with define(Broken()) as pipe, pytest.raises(OSError, match="no such folder"):
        pipe.run()


@pytest.mark.parametrize(("source", "arguments"), SOURCES[:5])
@pytest.mark.parametrize("parallel", [True, False])
def test_a_run_goes_on_from_a_checkpoint(source, arguments, parallel):
    """The process that goes on need not have workers."""
    ahead = {"prefetch_queue_depth": 3}
    with define(source, **arguments, **ahead) as pipe:
        whole = epochs(pipe, 2)
    with define(source, **arguments, **ahead) as pipe:
        pipe.run()
        state = pipe.checkpoint()
    options = ahead if parallel else {}
    with define(source, checkpoint=state, parallel=parallel, **arguments, **options) as pipe:
        assert epochs(pipe, 2) == [whole[0][1:], whole[1]]


class Stateful:
    """An iterable that saves and restores its own state."""

    def __init__(self):
        self.number = 0

    def __iter__(self):
        return self

    def __next__(self):
        self.number += 1
        return [np.int64(self.number)] * 4

    def state_dict(self):
        return {"number": self.number}

    def load_state_dict(self, state):
        self.number = state["number"]


def test_a_checkpoint_has_the_state_behind_the_last_batch():
    with define(Stateful(), prefetch_queue_depth=4) as pipe:
        for _ in range(5):
            pipe.run()
        state = pipe.checkpoint()
    with define(Stateful(), checkpoint=state, prefetch_queue_depth=4) as pipe:
        assert int(pipe.run()[0].at(0)) == 6


def test_an_iterable_that_is_too_short_for_its_checkpoint():
    with define([[np.arange(2)] * 4] * 5) as pipe:
        for _ in range(4):
            pipe.run()
        state = pipe.checkpoint()
    short = define([[np.arange(2)] * 4] * 2, checkpoint=state)
    with short as pipe, pytest.raises(CheckpointError, match="has only 2 now"):
        pipe.run()


@pytest.mark.parametrize(
    ("source", "arguments", "text"),
    [
        (lambda: np.zeros(3), {}, "must accept exactly one argument"),
        (Batches(), {"batch": False}, "with an iterable must be run in a batch mode"),
        (generated, {"batch": False}, "with a generator function must be run in a batch mode"),
        (None, {}, "parallel=True needs a source"),
        (by_number, {"no_copy": False}, "no_copy cannot be specified to False"),
        (by_number, {"prefetch_queue_depth": 0}, "at least 1"),
    ],
)
def test_what_is_refused(source, arguments, text):
    with pytest.raises(ArgumentError, match=text):
        define(source, **arguments)


def test_wrong_sources_are_type_errors_as_in_dali():
    with pytest.raises(TypeError, match="must accept exactly one argument"):
        define(lambda: np.zeros(3))


def test_only_workers_prepare_batches_ahead():
    with pytest.raises(ArgumentError, match="valid only with parallel=True"):
        define(by_number, parallel=False, prefetch_queue_depth=2)


def test_a_stored_pipeline_is_fed_instead():
    stored = define(by_number, name="numbers", prefetch_queue_depth=2).serialize()
    with Pipeline.deserialize(stored) as pipe:
        pipe.feed_input("numbers", np.full((4, 2), 5))
        assert pipe.run()[0].as_array().tolist() == [[5, 5]] * 4


def test_an_object_that_cannot_get_into_new_interpreters():
    lock = threading.Lock()
    pipe = define(lambda n: np.full(4, lock.locked()), start="spawn")
    with pytest.raises(TypeError, match="cannot pickle") as caught:
        pipe.build()
    assert "open files and connections inside of the function" in caught.value.__notes__[0]
