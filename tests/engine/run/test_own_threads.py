"""A pipeline's own source or function cannot wait for the pipeline, nor live on in a fork."""

from __future__ import annotations

import os
import threading

import numpy as np
import pytest

from penstock import ArgumentError, Pipeline, fn
from penstock.engine.run import forks

CALLS = {
    "run": lambda pipe: pipe.run(),
    "share_outputs": lambda pipe: pipe.share_outputs(),
    "schedule_run": lambda pipe: pipe.schedule_run(),
    "reset": lambda pipe: pipe.reset(),
    "checkpoint": lambda pipe: pipe.checkpoint(),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("place", ["source", "function"])
def test_calls_that_would_wait_for_themselves_raise(call, place):
    def ask(given):
        CALLS[call](pipe)
        return given

    pipe = Pipeline(batch_size=2, num_threads=2)
    with pipe:
        data = fn.external_source(
            source=(lambda: ask(np.zeros((2, 3))))
            if place == "source"
            else lambda: np.zeros((2, 3))
        )
        pipe.set_outputs(fn.python_function(data, function=ask) if place == "function" else data)
    with pipe, pytest.raises(ArgumentError, match="would wait for itself for ever"):
        pipe.run()


def test_other_threads_may_run_the_pipeline_while_a_source_works():
    batches = []
    with Pipeline(batch_size=2, num_threads=1) as pipe:
        pipe.set_outputs(fn.external_source(source=lambda: np.zeros((2, 3))))
        threads = [threading.Thread(target=lambda: batches.append(pipe.run())) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(batches) == 3


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("place", ["source", "function"])
def test_a_forked_child_that_returns_ends(place, capfd):
    children = []

    def fork(given):
        if not children:
            children.append(os.fork())
        return given

    pipe = Pipeline(batch_size=2, num_threads=1)
    with pipe:
        data = fn.external_source(
            source=(lambda: fork(np.zeros((2, 3))))
            if place == "source"
            else lambda: np.zeros((2, 3))
        )
        pipe.set_outputs(fn.python_function(data, function=fork) if place == "function" else data)
    with pipe:
        pipe.run()
        _, status = os.waitpid(children[0], 0)
        pipe.run()
    assert os.waitstatus_to_exitcode(status) == 1
    assert forks._FORKED.decode() in capfd.readouterr().err
