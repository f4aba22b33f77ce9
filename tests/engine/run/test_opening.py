"""Inputs and memory are opened before any thread starts."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

import numpy as np
import pytest

from penstock import CheckpointError
from penstock.engine.errors import MissingDependencyError
from penstock.engine.gpu import driver
from penstock.engine.order.checkpoint import Checkpoint
from penstock.engine.run import opening
from penstock.engine.run.config import PipelineConfig
from penstock.engine.run.opening import open_inputs, open_pool
from penstock.engine.run.shutdown import Shutdown
from penstock.engine.run.workers.choice import Chooser
from penstock.engine.work.plan import make_plan

from ..toys import Affine, Numbers, call, make


def planned(define):
    pipe = make(define)
    return make_plan(pipe._definition.graph, pipe._definition.outputs)


def test_all_inputs_are_opened_and_closed_at_the_end():
    plan = planned(lambda: (call(Numbers, name="a")[0], call(Numbers, name="b")[0]))
    shutdown = Shutdown()
    open_inputs(plan, 4, None, shutdown)
    sources = [data.operator.source for data in plan.inputs]
    assert [source.closed for source in sources] == [0, 0]
    shutdown()
    assert [source.closed for source in sources] == [1, 1]


def test_a_gpu_pipeline_without_a_driver_is_refused_when_it_is_built(monkeypatch):
    monkeypatch.setattr(driver, "LIBRARY", "libno-such-driver.so.1")
    pipe = make(lambda: call(Numbers, name="a")[0].gpu())
    with pytest.raises(MissingDependencyError, match="there is no NVIDIA driver"):
        pipe.build()


def test_a_checkpoint_of_other_inputs_is_refused():
    plan = planned(lambda: call(Numbers, name="a")[0])
    with pytest.raises(CheckpointError, match=r"holds the state of \['b'\], .* are \['a'\]"):
        open_inputs(plan, 4, Checkpoint(1, 0, {"b": None}), Shutdown())


def test_a_checkpoint_without_the_state_of_a_reader_is_refused():
    """Else the reader would start again at its first sample."""
    plan = planned(lambda: call(Numbers, name="a")[0])
    with pytest.raises(CheckpointError, match="no state of the reader 'a'"):
        open_inputs(plan, 4, Checkpoint(1, 0, {"a": None}), Shutdown())


@pytest.mark.parametrize(
    ("processes", "scaling", "shared"), [(True, 9, True), (False, 0, False), (None, 0, True)]
)
def test_memory_is_shared_if_processes_may_work(limited, processes, scaling, shared):
    limited(Chooser, scaling_threads=scaling)
    plan = planned(lambda: call(Affine, call(Numbers)[0]))
    pool = open_pool(plan, PipelineConfig(4, 8, exec_processes=processes))
    assert (pool.arena.descriptor >= 0) == shared


def test_without_room_for_shared_memory_there_are_threads(limited, monkeypatch):
    real = opening.SlabPool

    def pool(*, shared, **options):
        if shared:
            raise OSError("no room")
        return real(shared=shared, **options)

    monkeypatch.setattr(opening, "SlabPool", pool)
    limited(Chooser, scaling_threads=0)
    plan = planned(lambda: call(Affine, call(Numbers)[0]))
    assert open_pool(plan, PipelineConfig(4, 8)).arena.descriptor == -1
    with pytest.raises(OSError, match="no room") as caught:
        open_pool(plan, PipelineConfig(4, 8, exec_processes=True))
    assert "exec_processes=False" in caught.value.__notes__[0]


@pytest.fixture
def _modules_are_found(monkeypatch):
    """Worker processes import the toys, which pytest finds by itself."""
    monkeypatch.setattr(sys, "path", [str(Path(__file__).resolve().parents[3]), *sys.path])


@pytest.fixture
def _small_files():
    """Let this process grow files to a MiB only, files in memory included."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.usefixtures("_small_files", "_modules_are_found")
def test_worker_processes_do_with_little_shared_memory():
    def results(**options):
        """Return batches of 400 KiB a sample."""
        with make(lambda: call(Affine, call(Numbers, side=50_000)[0]), seed=1, **options) as pipe:
            return [np.array(pipe.run()[0].as_array()) for _ in range(3)]

    with pytest.warns(RuntimeWarning, match="leave 1024 KiB of memory that worker processes"):
        found = results(exec_processes=True)
    np.testing.assert_array_equal(found, results(exec_processes=False))
