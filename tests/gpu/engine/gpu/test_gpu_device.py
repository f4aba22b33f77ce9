"""The device of the device stage, with a stand-in for CuPy: streams, events and lost contexts."""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pytest

from penstock import PipelineStopped
from penstock.engine.gpu import device, gpu_device
from penstock.engine.gpu.gpu_device import GpuDevice, default_budget
from penstock.engine.tensors import device_memory
from penstock.engine.tensors.streams import ForeignStream

CARD = 9001  # no device of this machine, so that no real stream is reused


class CudaRuntimeError(RuntimeError):
    """CuPy's error of a call of CUDA's runtime."""


class Stream(nullcontext):
    """A stream that counts how often the CPU waits for it."""

    def __init__(self, **options):
        super().__init__()
        self.options, self.waits, self.ptr = options, 0, id(self)

    def synchronize(self):
        self.waits += 1


class Event:
    """An event with the time at which it was recorded."""

    clock = 0.0

    def __init__(self, **options):
        self.options, self.at, self.waits = options, None, 0

    def record(self, stream):
        Event.clock += 1.5
        self.at = Event.clock

    def synchronize(self):
        self.waits += 1


class Card(nullcontext):
    """A device."""

    def __init__(self, number):
        super().__init__()
        self.id = number


@pytest.fixture
def runtime():
    """The calls of CUDA's runtime; those in `failing` fail."""
    found = SimpleNamespace(calls=[], failing=set(), CUDARuntimeError=CudaRuntimeError)
    found.getDevice = lambda: CARD
    found.memGetInfo = lambda: (70 << 30, 80 << 30)  # free and all bytes

    def record(name):
        def call(*arguments):
            found.calls.append((name, *arguments))
            if name in found.failing:
                raise CudaRuntimeError(f"{name} failed")

        return call

    for name in ("hostRegister", "hostUnregister", "deviceSynchronize"):
        setattr(found, name, record(name))
    return found


@pytest.fixture
def gpu(runtime, monkeypatch):
    external = SimpleNamespace(from_external=lambda stream: nullcontext(stream))

    def stream(**options):
        return Stream(**options)

    stream.from_external = external.from_external
    cuda = SimpleNamespace(
        Stream=stream,
        Event=Event,
        ExternalStream=SimpleNamespace,
        get_elapsed_time=lambda before, after: after.at - before.at,
        runtime=runtime,
    )
    cupy = SimpleNamespace(cuda=cuda, ndarray=np.ndarray)
    monkeypatch.setattr(gpu_device, "import_cupy", lambda: cupy)
    for module in (device, gpu_device):
        monkeypatch.setattr(module, "CurrentDevice", Card)
    monkeypatch.setattr(GpuDevice, "lost", "")
    yield GpuDevice(None, 1 << 20, 3)
    device_memory._unused_streams.pop(CARD, None)


def test_by_default_an_eighth_of_the_memory_may_be_lent(gpu):
    assert gpu.pool.budget == 1 << 20
    assert GpuDevice(None, None, 3).pool.budget == 10 << 30
    assert default_budget(8 << 30) == 4 << 30


def test_a_lane_has_a_stream_that_the_next_lane_uses_again(gpu):
    with gpu.lane() as first:
        with gpu.lane() as second:
            assert second.stream is not first.stream
        assert (first.id, first.num_threads, first.pool) == (CARD, 3, gpu.pool)
        assert first.stream.options == {"non_blocking": True}
        kept = [first.own("key", lambda: ["kept for this lane"]) for _ in range(2)]
        assert kept[0] is kept[1]
        assert first.own("none", lambda: None) is None
    assert first.own("key", lambda: "made again") == "made again"
    with gpu.lane() as third:
        assert third.stream in (first.stream, second.stream)


def test_what_operators_keep_for_a_lane_is_closed_with_the_lane(gpu):
    kept = SimpleNamespace(closings=0)
    kept.close = lambda: setattr(kept, "closings", kept.closings + 1)
    with gpu.lane() as lane:
        lane.own("key", lambda: kept)
    assert kept.closings == 1


def test_what_operators_keep_for_a_lane_is_closed_with_a_lane_that_fails(gpu):
    def fail_after(_):
        raise RuntimeError("a kernel failed")

    kept = SimpleNamespace(closings=0)
    kept.close = lambda: setattr(kept, "closings", kept.closings + 1)
    with pytest.raises(RuntimeError), gpu.lane() as lane:
        fail_after(lane.own("key", lambda: kept))
    assert kept.closings == 1


def test_a_lane_that_fails_keeps_its_stream_from_others(gpu):
    with pytest.raises(RuntimeError), gpu.lane() as broken:
        raise RuntimeError("a kernel failed")
    with gpu.lane() as device:
        assert device.stream is not broken.stream


def test_work_aside_is_done_at_its_end(gpu):
    with gpu.aside() as device:
        assert device.stream.waits == 0
    assert device.stream.waits == 1
    with gpu.aside() as again:
        assert again.stream is device.stream


def test_work_on_a_stream_of_user_code(gpu):
    with gpu.on_stream(77) as device:
        assert isinstance(device.stream, ForeignStream)
        assert device.stream.ptr == 77
    with gpu.lane() as lane:
        assert lane.stream is not device.stream


def test_events_give_times_and_are_used_again(gpu):
    with gpu.lane() as device:
        events = [gpu.mark(device) for _ in range(3)]
        assert [event.options for event in events] == [{"block": True}] * 3
        gpu.wait_for(events[-1])
        assert [event.waits for event in events] == [0, 0, 1]
        assert gpu.elapsed_ns(events) == [1_500_000] * 2
        assert [gpu.mark(device) for _ in range(3)] == events
        assert gpu.mark(device) not in events


def test_host_memory_is_locked_where_that_works(gpu, runtime):
    gpu.pin(4096, 100)
    gpu.unpin(4096)
    assert runtime.calls == [("hostRegister", 4096, 100, 0), ("hostUnregister", 4096)]
    runtime.failing |= {"hostRegister", "hostUnregister"}
    gpu.pin(8192, 100)
    gpu.unpin(8192)
    assert len(runtime.calls) == 4


def test_an_error_that_leaves_the_context_whole_is_not_remembered(gpu):
    error = ValueError("bad sample")
    gpu.examine(error)
    assert not hasattr(error, "__notes__")
    GpuDevice.check_context()
    assert GpuDevice.lost == ""


def test_a_lost_context_is_remembered_with_its_first_error(gpu, runtime):
    runtime.failing.add("deviceSynchronize")
    errors = [RuntimeError("launch"), RuntimeError("a later one")]
    for error in errors:
        gpu.examine(error)
        assert ["start a new process" in note for note in error.__notes__] == [True]
    assert GpuDevice.lost == "CudaRuntimeError: deviceSynchronize failed"
    for refused in (GpuDevice.check_context, lambda: GpuDevice(None, 1, 1)):
        with pytest.raises(PipelineStopped, match=r"\(CudaRuntimeError: device"):
            refused()
