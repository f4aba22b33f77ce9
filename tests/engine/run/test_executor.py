"""Order, failure, stopping and memory: what the executor's text promises."""

from __future__ import annotations

import gc
import os
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from penstock import ArgumentError
from penstock.engine.graph.operator import BatchOperator, SampleOperator
from penstock.engine.run.workers.choice import Chooser

from ...readers.processes import assert_soon
from ..toys import (
    Add,
    Affine,
    BatchAffine,
    BatchCall,
    BatchNoise,
    Call,
    Feed,
    Noise,
    Numbers,
    Reverse,
    Split,
    Total,
    assert_same,
    call,
    make,
    own_threads,
    rows_of,
    run,
)

ROWS = 64 * 1024  # int64 numbers in a row of half a MB: a slab of its own for every batch


def alternating():
    """Whole-batch and sample operators by turns, several readers, all kinds of outputs."""
    data, labels = call(Numbers, size=13, ragged=True, random_shuffle=True, pad_last_batch=True)
    dense, _ = call(Numbers, size=13)
    noisy = call(Noise, data)
    scaled = call(BatchAffine, noisy, a=labels)
    view, double = call(Split, call(Reverse, scaled))
    total = call(Total, double)
    chance = call(BatchNoise)
    shifted = call(Affine, dense, a=chance, b=total)
    again = call(BatchAffine, call(Noise, shifted), b=1.0)
    return view, double, total, call(Add, again, labels), labels, chance


EXPECTED = {}


@pytest.mark.parametrize("threads", [1, 2, 8])
@pytest.mark.parametrize("depth", [1, 2, 5])
@pytest.mark.parametrize("pipelined", [True, False])
def test_threads_and_prefetching_change_nothing(threads, depth, pipelined):
    if not EXPECTED:
        EXPECTED["batches"] = run(alternating, 9, num_threads=1, exec_pipelined=False)
    batches = run(
        alternating, 9, num_threads=threads, prefetch_queue_depth=depth, exec_pipelined=pipelined
    )
    assert_same(batches, EXPECTED["batches"])


def test_the_batch_size_changes_no_sample():
    def define():
        data, labels = call(Numbers, size=24, random_shuffle=True)
        return labels, call(Noise, data), call(BatchNoise)

    def samples(batch_size):
        batches = run(define, 48 // batch_size, batch_size=batch_size)
        return [[output[i] for output in b] for b in batches for i in range(batch_size)]

    assert_same(samples(2), samples(8))


def test_rows_are_finished_in_any_order():
    """The first row waits until the last one is done: rows, not their times, give the order."""
    last_done = threading.Event()

    def late(row, x):
        if x[0] == 0:
            assert last_done.wait(30)
        elif x[0] == 3:
            last_done.set()
        return x * 2

    batch = run(lambda: call(Call, call(Numbers)[0], function=late), 1, num_threads=2)[0]
    assert [row[0] for row in batch[0]] == [0, 2, 4, 6]


# Memory


def big():
    data, _ = call(Numbers, side=ROWS)
    return call(Affine, data, a=2.0)


def test_batches_that_are_kept_stay_right():
    torch = pytest.importorskip("torch")
    pipe = make(big, batch_size=2, prefetch_queue_depth=3)
    (kept,) = pipe.run()
    array = pipe.run()[0].as_array()
    row = pipe.run()[0].at(1)
    tensor = torch.from_numpy(pipe.run()[0].as_array())
    through_dlpack = torch.from_dlpack(pipe.run()[0])
    numpy_dlpack = np.from_dlpack(pipe.run()[0].as_tensor())
    one = pipe.run()[0][0]
    for _ in range(100):
        pipe.run()
    pipe.close()
    assert [kept.at(i)[[0, -1]].tolist() for i in range(2)] == [[0, 0], [2, 2]]
    assert (array == [[4], [6]]).all()
    assert (row == 10).all()
    assert (tensor.numpy() == [[12], [14]]).all()
    assert (through_dlpack.numpy() == [[16], [18]]).all()
    assert (numpy_dlpack == [[20], [22]]).all()
    assert (np.asarray(one) == 24).all()


def test_views_of_inputs_and_scratch_are_copied_before_they_are_handed_out():
    def define():
        data, _ = call(Numbers, side=ROWS)
        view, double = call(Split, call(Affine, data))
        return view, double, call(Reverse, double)

    with make(define, batch_size=2) as pipe:
        kept = [pipe.run() for _ in range(5)]
    for number, batch in enumerate(kept):
        for i in range(2):
            sample = (2 * number + i) % 20
            for output, factor in zip(batch, (1, 2, 2), strict=True):
                assert (output.at(i) == factor * sample).all()


def test_a_view_of_the_own_output_is_what_later_operators_see():
    def backwards(row, x):
        out = row.empty(x.shape, x.dtype)
        np.add(x, [0, 1, 2], out=out)
        return out[::-1]

    def define():
        data, _ = call(Numbers)
        first = call(Call, data, function=backwards)
        return first, call(Affine, first)

    for _, (first, second) in zip(range(3), run(define, 3), strict=True):
        assert [list(row - row[-1]) for row in first] == [[2, 1, 0]] * 4
        assert_same([row.astype(float) for row in first], second)


def test_memory_is_flat_and_all_given_back():
    with make(
        lambda: call(Affine, call(Numbers, side=32 * 1024, prefetch_queue_depth=0)[0]), batch_size=2
    ) as pipe:
        for _ in range(10):
            pipe.run()
        highest = 0
        for _ in range(300):
            batch = pipe.run()
            highest = max(highest, pipe.stats().lent_bytes)
        one = 2 * 2 * 32 * 1024 * 8  # input and output of two rows
        most = 5 * one  # two ahead, one in hand, one that each worker is about to drop
        assert highest <= most
        assert pipe.stats().idle_bytes <= most
    pool = pipe._run.pool
    assert pool.lent_bytes == one // 2
    del batch
    assert pool.lent_bytes == pool.idle_bytes == 0


def test_hundreds_of_tiny_batches_take_no_memory():
    def resident():
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")

    with make(alternating, prefetch_queue_depth=3) as pipe:
        for _ in range(200):
            pipe.run()
        gc.collect()
        before = resident()
        for _ in range(800):
            pipe.run()
        gc.collect()
        assert resident() - before < 4e6
        assert pipe.stats().lent_bytes == 0


def test_a_closed_pipeline_keeps_nothing_of_what_was_under_way():
    started, go_on = threading.Event(), threading.Event()

    def wait(row, x):
        started.set()
        go_on.wait(30)
        return x

    def define():
        data, _ = call(Numbers, side=ROWS)
        return call(Call, data, function=wait)

    pipe = make(define, batch_size=2, prefetch_queue_depth=4)
    pipe.schedule_run()
    assert started.wait(30)
    threading.Timer(0.1, go_on.set).start()
    pipe.close()
    assert own_threads() == []
    assert pipe._run.pool.lent_bytes == 0


def test_an_idle_pipeline_holds_what_is_ready_and_nothing_else():
    def define():  # one batch a read: later batches of a group would hold its memory
        data, _ = call(Numbers, side=ROWS, prefetch_queue_depth=0)
        return call(Affine, data)

    with make(define, batch_size=2, prefetch_queue_depth=1) as pipe:
        for _ in range(3):
            pipe.run()
        # The workers' last lines may still be under way.
        assert_soon(lambda: pipe.stats().lent_bytes == 0)


def test_the_byte_budget_holds_batches_back():
    one = 4 * ROWS * 8 * 2
    lent = []

    def look(row, x):
        lent.append(pipe._run.pool.lent_bytes)
        return x

    def define():
        return call(Call, big(), function=look)

    pipe = make(define, prefetch_queue_depth=8, prefetch_bytes=3 * one)
    with pipe:
        for _ in range(10):
            pipe.run()
    assert max(lent) <= 3 * one


def test_a_consumer_that_holds_everything_still_gets_batches():
    with make(big, prefetch_queue_depth=4, prefetch_bytes=1) as pipe:
        kept = [pipe.run()[0] for _ in range(10)]
        assert [batch.at(0)[0] for batch in kept] == [(8 * i) % 40 for i in range(10)]
        assert pipe.stats().memory_wait_s > 0


def test_the_budget_does_not_stop_operators_in_mid_graph():
    def define():
        return call(Affine, call(BatchAffine, big()))

    with make(define, prefetch_queue_depth=4, prefetch_bytes=1) as pipe:
        first = [pipe.run()[0].at(0)[0] for _ in range(6)]
    assert first == [(8 * i) % 40 for i in range(6)]


# Odd shapes


def test_ragged_and_dense_batches_by_turns():
    def define():
        data, _ = call(Numbers, size=100)

        def uneven(row, x):
            number = int(x[0])
            shape = (2, 3) if number // 4 % 2 == 0 else (1 + number % 2, 3)
            out = row.empty(shape, np.float32)
            out[...] = number
            return out

        return call(Affine, call(Call, data, function=uneven))

    for number, (rows,) in enumerate(run(define, 12)):
        for i, row in enumerate(rows):
            wanted = (2, 3) if number % 2 == 0 else (1 + i % 2, 3)
            np.testing.assert_array_equal(row, np.full(wanted, 4.0 * number + i))


def test_empty_arrays_and_scalars():
    def define():
        data, _ = call(Numbers)

        def nothing(row, x):
            return row.empty((0, 5), np.int16)

        empty = call(Call, data, function=nothing)
        kept = call(Call, empty, function=lambda row, x: x)
        scalar = call(Call, data, function=lambda row, x: x.sum())
        return empty, kept, scalar, call(Affine, scalar), call(Total, call(Total, data))

    with make(define) as pipe:
        empty, kept, scalar, *sums = pipe.run()
    assert empty.shape() == kept.shape() == [(0, 5)] * 4
    assert empty.as_array().shape == (4, 0, 5)
    assert scalar.as_array().tolist() == [0, 3, 6, 9]
    assert all(column.as_array().tolist() == [0, 3, 6, 9] for column in sums)


@pytest.mark.parametrize("kind", [Call, BatchCall])
def test_batches_without_samples(kind):
    def define():
        data = call(Feed, source=lambda number: np.zeros((number % 2 * 3, 2)))
        same = (lambda row, x: x) if kind is Call else (lambda batch, x: x)
        return call(kind, data, function=same), call(Affine, call(BatchAffine, call(Noise, data)))

    with make(define) as pipe:
        assert [[len(output) for output in pipe.run()] for _ in range(4)] == [[0, 0], [3, 3]] * 2


def test_the_base_classes_ask_for_work_to_do():
    assert not hasattr(SampleOperator, "sample")
    assert not hasattr(BatchOperator, "batch")


def test_rows_of_different_types_do_not_pass_for_a_batch():
    def define():
        data, _ = call(Numbers)
        return call(Call, data, function=lambda row, x: x.astype([np.int32, np.float32][x[0] % 2]))

    with make(define) as pipe:
        (batch,) = pipe.run()
    assert [batch.at(i).dtype for i in range(4)] == [np.int32, np.float32] * 2
    with pytest.raises(ArgumentError, match=r"differ in dtype .float32, int32"):
        batch.as_array()


def test_source_info_and_padding_are_told():
    def define():
        return call(Numbers, size=6, pad_last_batch=True)

    with make(define) as pipe:
        pipe.run()
        data, labels = pipe.run()
    assert data.valid.tolist() == labels.valid.tolist() == [True, True, False, False]
    assert data.source_info() == ["numbers/4", "numbers/5", "numbers/5", "numbers/5"]
    assert labels.source_info() == [""] * 4
    assert str(rows_of([labels])) == str([[np.array(i, np.int32) for i in (4, 5, 5, 5)]])


def test_more_than_eight_workers_are_started_for_heavy_samples_only(limited):
    def pipe_of(function):
        data = lambda: call(Call, call(Numbers)[0], function=function)  # noqa: E731
        return make(data, batch_size=12, num_threads=12)

    def heavy(row, x):
        time.sleep(0.02)
        return x

    def workers():
        return sum(t.name.startswith("penstock-worker") for t in own_threads())

    with pipe_of(heavy) as pipe:
        assert_soon(lambda: pipe.run() and workers() == 12)
    limited(Chooser, blocked_ns=10**9)  # a busy machine blocks light samples, too
    with pipe_of(lambda row, x: x) as pipe:
        for _ in range(4):
            pipe.run()
        assert workers() == 8
    assert own_threads() == []
