"""One sample's way through a chain: memory, arguments, random numbers and errors."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.graph.nodes import Graph, defining
from penstock.engine.tensors import TensorListCPU
from penstock.engine.tensors.memory import SlabPool
from penstock.engine.work.batch import Batch
from penstock.engine.work.chain import Chain, Worker
from penstock.engine.work.plan import make_plan

from ..toys import Add, Affine, Call, Noise, Numbers, Reverse, Split, call


def chain_of(define):
    """Return the sample segment of a graph, and a batch whose numbers were read already."""
    graph = Graph()
    with defining(graph):
        data, labels = call(Numbers)
        made = define(data, labels)
    plan = make_plan(graph, made if isinstance(made, list | tuple) else (made,))
    batch = Batch(0, 2, SlabPool(), seed=3)
    numbers = np.array([[1, 2, 3], [4, 5, 6]])
    batch.values[0] = (TensorListCPU(numbers), TensorListCPU(np.array([10, 20], np.int32)))
    return Chain(plan.segments[-1]), batch, plan


def computed(define):
    chain, batch, plan = chain_of(define)
    run, worker = chain.start(batch), Worker()
    for i in (1, 0):
        worker.compute(run, i)
    run.finish()
    batch.finish(plan.outputs)
    return [output.as_array().tolist() for output in batch.outputs]


def test_the_operators_run_one_after_the_other():
    def define(data, labels):
        return call(Affine, call(Add, data, labels), a=2, b=labels)

    assert computed(define) == [[[32, 34, 36], [68, 70, 72]]]


def test_an_output_between_two_operators_is_kept_where_it_is_needed():
    def define(data, _):
        one, two = call(Split, data)
        return two, call(Reverse, two), one

    twos = [[2, 4, 6], [8, 10, 12]]
    assert computed(define) == [twos, [row[::-1] for row in twos], [[1, 2, 3], [4, 5, 6]]]


def test_results_lie_in_one_slab_if_the_rows_are_alike():
    chain, batch, plan = chain_of(lambda data, _: call(Affine, data))
    run = chain.start(batch)
    for i in range(2):
        Worker().compute(run, i)
    run.finish()
    (result,) = batch.values[plan.outputs[0][0]]
    assert np.shares_memory(result.at(0), result.as_array())
    assert chain.last == {plan.outputs[0]: ((3,), np.float64)}


def test_ragged_rows_are_remembered_for_the_next_batch():
    def define(data, labels):
        return call(Call, data, labels, function=lambda row, x, n: np.zeros(int(n)))

    chain, batch, plan = chain_of(define)
    run = chain.start(batch)
    for i in range(2):
        Worker().compute(run, i)
    run.finish()
    assert batch.values[plan.outputs[0][0]][0].shape() == [(10,), (20,)]
    assert chain.last == {plan.outputs[0]: None}


def test_scratch_buffers_are_apart_and_used_again():
    addresses = []

    def function(row, x):
        one, two = row.scratch((3,), np.int64), row.scratch((5,), np.float32)
        assert not np.shares_memory(one, two)
        assert not np.shares_memory(one, row.empty((3,), np.int64))
        assert row.scratch((), np.int8).shape == ()
        assert row.scratch((0, 4), np.float64).shape == (0, 4)
        addresses.append((one.ctypes.data, two.ctypes.data))
        return x

    computed(lambda data, _: call(Affine, call(Call, data, function=function)))
    assert addresses[0] == addresses[1]


def test_a_result_written_to_granted_memory_is_not_copied():
    granted = []

    def function(row, x):
        granted.append(row.empty(x.shape, x.dtype))
        granted[-1][...] = x
        return granted[-1]

    chain, batch, plan = chain_of(lambda data, _: call(Call, data, function=function))
    run = chain.start(batch)
    Worker().compute(run, 0)
    Worker().compute(run, 1)
    run.finish()
    (result,) = batch.values[plan.outputs[0][0]]
    assert all(np.shares_memory(granted[i], result.at(i)) for i in range(2))


def test_random_numbers_are_those_of_row_and_operator():
    (first, second) = computed(lambda data, _: (call(Noise, data), call(Noise, data)))
    shift = np.array(first) - [[1, 2, 3], [4, 5, 6]]
    assert np.ptp(shift[0]) < 1e-12
    assert 0 < shift[0, 0] < 3
    assert shift[0, 0] != shift[1, 0]
    # streams are set when a pipeline is built; here both operators have the same one
    assert first == second


def test_an_error_names_the_operator_that_raised_it():
    def define(data, _):
        ok = call(Affine, data)
        return call(Call, ok, function=lambda row, x: 1 / 0, name="broken")

    chain, batch, _ = chain_of(define)
    with pytest.raises(ZeroDivisionError) as caught:
        Worker().compute(chain.start(batch), 0)
    assert "fn.toy.call ('broken', made at " in caught.value.__notes__[0]
