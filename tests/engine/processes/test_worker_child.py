"""A worker process' side, run in a thread of this process."""

from __future__ import annotations

import pickle
import threading
from contextlib import suppress

import numpy as np
import pytest

from penstock.engine.processes.channel import Channel, connected_sockets
from penstock.engine.processes.messages import Job, JobDone, RowsApart, resolve
from penstock.engine.processes.worker_child import ParentProcess, serve
from penstock.engine.tensors.arena import Arena
from penstock.engine.work.chain import make_chains
from penstock.engine.work.plan import make_plan

from ..toys import Affine, Call, Numbers, call, make


class Served:
    """A child that serves one chain; `channel` is the parent's end."""

    def __init__(self, define):
        pipe = make(define)
        pipe.build()
        chains = make_chains(make_plan(pipe._definition.graph, pipe._definition.outputs))
        (self.chain,) = chains.values()
        self.arena = Arena(shared=False)
        self.progress = np.zeros(1, np.int64)
        ours, self.theirs = connected_sockets()
        self.channel = Channel(ours)
        parent = ParentProcess(self.theirs, self.arena)
        self.thread = threading.Thread(
            target=self._serve, args=(parent, {self.chain.number: self.chain})
        )
        self.thread.start()

    def _serve(self, parent, chains):
        with suppress(EOFError, OSError):
            serve(parent, chains, self.progress)

    def end(self):
        self.channel.close()
        self.thread.join(30)
        self.theirs.close()

    def job(self, data, targets, rows=None):
        column = (data.tobytes(), data.shape, data.dtype.str)
        rows = list(range(len(data))) if rows is None else rows
        self.channel.send(
            tuple(Job(self.chain.number, None, len(data), rows, [column], {}, targets))
        )

    def done(self):
        return JobDone(*self.channel.receive()[1:])


@pytest.fixture
def served():
    children = []

    def start(define):
        children.append(Served(define))
        return children[-1]

    yield start
    for child in children:
        child.end()


def doubling():
    return call(Affine, call(Numbers)[0], a=2.0)


def test_rows_are_written_into_the_slab(served):
    child = served(doubling)
    (key,) = child.chain.kept
    slot = (child.arena.reserve(4096), (3, 2), "<f8")
    child.job(np.arange(6).reshape(3, 2), {key: slot})
    done = child.done()
    assert RowsApart(*done.results[key]) == RowsApart({}, {})
    assert child.arena.array(slot).tolist() == [[0, 2], [4, 6], [8, 10]]
    assert done.errors == {}
    assert sum(done.busy_ns.values()) > 0


def test_small_rows_without_a_slab_travel_in_the_message(served):
    child = served(doubling)
    (key,) = child.chain.kept
    child.job(np.arange(6).reshape(3, 2), {key: None}, rows=[0, 2])
    apart = RowsApart(*child.done().results[key])
    rows = {i: resolve(carried, child.arena).tolist() for i, carried in apart.elsewhere.items()}
    assert rows == {0: [0, 2], 2: [8, 10]}


def test_large_rows_apart_lie_in_blocks_that_are_asked_for(served):
    child = served(doubling)
    (key,) = child.chain.kept
    data = np.arange(16384).reshape(2, 8192)
    child.job(data, {key: None})
    name, nbytes = child.channel.receive()
    assert (name, nbytes) == ("AskBlock", 2 * 8192 * 8)
    offset = child.arena.reserve(nbytes)
    child.channel.send((offset, (nbytes,), "|u1"))
    apart = RowsApart(*child.done().results[key])
    assert {i: entry[:2] for i, entry in apart.in_blocks.items()} == {0: (0, 0), 1: (0, 65536)}
    block = child.arena.array((offset, (2, 8192), "<f8"))
    assert (block == 2 * data).all()


def test_an_unknown_slab_is_asked_for_and_may_be_refused(served):
    child = served(doubling)
    (key,) = child.chain.kept
    data = np.arange(16384).reshape(2, 8192)
    child.job(data, {})
    name, asked, shape, dtype = child.channel.receive()
    assert (name, asked, shape, dtype) == ("AskSlab", key, (8192,), np.dtype(float))
    child.channel.send(None)
    assert child.channel.receive()[0] == "AskBlock"
    child.channel.send(None)  # then for a smaller block, as one row is left
    answer = child.channel.receive()
    while answer[0] == "AskBlock":
        child.channel.send(None)
        answer = child.channel.receive()
    apart = RowsApart(*JobDone(*answer[1:]).results[key])
    assert (resolve(apart.elsewhere[1], child.arena) == 2 * data[1]).all()


def test_errors_come_back_by_row(served):
    def fail(row, x):
        if x[0] == 2:
            raise ValueError("bad")
        return x

    child = served(lambda: call(Call, call(Numbers)[0], function=fail))
    (key,) = child.chain.kept
    child.job(np.arange(6).reshape(3, 2), {key: None})
    done = child.done()
    assert list(done.errors) == [1]
    assert isinstance(pickle.loads(done.errors[1][0]), ValueError)
    assert sorted(RowsApart(*done.results[key]).elsewhere) == [0, 2]
