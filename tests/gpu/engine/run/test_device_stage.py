"""The device stage drives a device, real or emulated, and survives a device that fails."""

from __future__ import annotations

import time
import weakref
from contextlib import contextmanager

import numpy as np
import pytest

from penstock import Pipeline, PipelineStopped, fn, types
from penstock.engine.gpu.device import LaneTimes
from penstock.engine.gpu.gpu_device import GpuDevice
from penstock.engine.run import gpu_work
from penstock.engine.tensors import TensorListCPU
from penstock.engine.tensors.memory import SlabPool
from penstock.engine.work.batch import Batch
from penstock.engine.work.plan import SegmentType

from ....engine.toys import own_threads


class IllegalAddressError(RuntimeError):
    """The error of a CUDA call after a kernel has read an address that is not its own."""


@pytest.fixture
def broken(device_stage, monkeypatch):
    """An emulated device whose context is lost while the flag in the list is set."""
    if device_stage:
        pytest.skip("a real device must not be broken: all later tests would fail")
    flags = [False]

    class Fragile(gpu_work.GpuDevice):
        def mark(self, device):
            self._probe()
            return super().mark(device)

        def _probe(self):
            if flags[0]:
                raise IllegalAddressError("an illegal memory access was encountered")

    monkeypatch.setattr(gpu_work, "GpuDevice", Fragile)
    monkeypatch.setattr(GpuDevice, "lost", "")
    return flags


def numbered():
    pipe = Pipeline(batch_size=2, num_threads=2)
    with pipe:
        numbers = fn.external_source(lambda k: np.full((2, 3), k))
        pipe.set_outputs(fn.cast(numbers.gpu(), dtype=types.FLOAT))
    return pipe


def run_on(pipe):
    for _ in range(10):
        pipe.run()


def test_batches_come_in_order_and_complete(device_stage):
    with numbered() as pipe:
        seen = [pipe.run()[0].as_cpu().as_array() for _ in range(20)]
        stats = pipe.stats()
    assert [array[1, 2] for array in seen] == list(range(20))
    assert {op.stage for op in stats.operators} >= {"feeder", "device"}
    assert stats.lanes == 1
    assert 0 < stats.launch_cpu_s <= stats.wall_s
    assert 0 <= stats.gpu_wait_s <= stats.launch_s <= stats.wall_s
    assert "launches in s, 1 threads" in str(stats)


def test_what_a_lane_waits_for_is_counted(device_stage):
    times = LaneTimes()
    for awaited, seconds in (("gpu", 0.01), ("threads", 0.02), ("gpu", 0.01)):
        with times.waiting(awaited):
            time.sleep(seconds)
    assert times.wait_ns["gpu"] >= 20e6
    assert times.wait_ns["threads"] >= 20e6
    assert own_threads() == []


def test_after_a_lost_context_every_run_says_so_at_once(broken):
    with numbered() as pipe, numbered() as other:
        pipe.run()
        other.run()
        broken[0] = True
        with pytest.raises(IllegalAddressError) as caught:
            run_on(pipe)
        assert any("start a new process" in note for note in caught.value.__notes__)
        with pytest.raises(IllegalAddressError):
            run_on(other)
    assert own_threads() == []
    with pytest.raises(PipelineStopped, match=r"context .* unusable .*illegal memory access"):
        numbered().run()
    assert own_threads() == []


def test_an_error_that_leaves_the_context_whole_stops_one_pipeline(device_stage, monkeypatch):
    def fail(x):
        raise ValueError("no such number")

    monkeypatch.setattr(GpuDevice, "lost", "")
    pipe = Pipeline(batch_size=2, num_threads=2)
    with pipe:
        data = fn.external_source(lambda: np.ones((2, 3))).gpu()
        pipe.set_outputs(fn.python_function(data, device="gpu", function=fail))
    with pytest.raises(ValueError, match="no such number"):
        pipe.run()
    with numbered() as other:
        assert other.run()[0].as_cpu().as_array().tolist() == [[0.0] * 3] * 2


def test_a_device_that_gives_no_stream_fails_every_batch(broken, monkeypatch):
    @contextmanager
    def lane(self):
        raise IllegalAddressError("no stream")
        yield

    monkeypatch.setattr(gpu_work.GpuDevice, "lane", lane)
    pipe = numbered()
    with pytest.raises(IllegalAddressError, match="no stream"):
        pipe.run()
    assert own_threads() == []


def test_a_batch_that_comes_after_the_end_is_not_kept(device_stage):
    pipe = numbered()
    pipe.run()
    stage, plan = pipe._run.executor._gpu.stage, pipe._run.executor._plans.declared
    pipe.close()
    [segment] = [segment for segment in plan.segments if segment.type == SegmentType.GPU]
    batch = Batch(0, 2, SlabPool(), 0)
    batch.values[0] = (TensorListCPU(np.zeros((2, 3))),)
    stage.queue_segment(batch, segment, 1)
    alive = weakref.ref(batch)
    del batch
    assert alive() is None
    assert own_threads() == []


def test_close_frees_pinned_memory(device_stage):
    pipe = numbered()
    pipe.run()
    pool = pipe._run.executor._gpu.device.pool
    if not device_stage:
        assert pool.pinned_frees == 0
    pipe.close()
    assert device_stage or pool.pinned_frees == 1
