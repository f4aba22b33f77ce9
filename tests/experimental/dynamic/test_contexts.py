"""Contexts, modes, devices, streams and numbers of threads."""

from __future__ import annotations

import copy
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

from penstock.engine.graph.operator import SampleOperator, register
from penstock.engine.graph.params import FLOAT, REQUIRED, param
from penstock.experimental import dynamic as ndd
from penstock.experimental.dynamic import contexts, cuda_streams, thread_pools  # noqa: F401
from penstock.experimental.dynamic.calls import call

RUNS = []


@register
class Counted(SampleOperator):
    """Notes that it ran."""

    name = "counted_in_dynamic_mode"
    inputs = ("data",)
    limit = param(FLOAT, REQUIRED, "Larger elements are refused.")

    def sample(self, workspace, data):
        RUNS.append(threading.current_thread().name)
        if data.max() > self.limit:
            self.refuse(f"{data.max()} is above the limit")
        return data + 1


@pytest.fixture(autouse=True)
def runs():
    RUNS.clear()
    return RUNS


def counted(data, limit=9):
    return call(Counted, data, limit=limit)


def test_the_default_context_is_that_of_the_thread():
    here, others = ndd.EvalContext.current(), []
    assert here is ndd.EvalContext.default()
    thread = threading.Thread(target=lambda: others.append(ndd.EvalContext.current()))
    thread.start()
    thread.join()
    assert others[0] is not here


def test_a_context_holds_for_its_block():
    outer = ndd.EvalContext.current()
    with ndd.EvalContext(num_threads=3) as context:
        assert ndd.EvalContext.current() is context
        assert context.num_threads == 3
        with ndd.EvalContext(thread_pool=ndd.ThreadPool(2)) as inner:
            assert inner.num_threads == 2
        with context:
            assert (ndd.tensor(1) + 1).item() == 2
    assert ndd.EvalContext.current() is outer


def test_a_context_is_of_one_thread_at_a_time():
    context, errors = ndd.EvalContext(), []

    def enter():
        try:
            with context:
                pass
        except RuntimeError as error:
            errors.append(str(error))

    with context:
        thread = threading.Thread(target=enter)
        thread.start()
        thread.join()
    assert errors == ["An EvalContext cannot be active in two threads simultaneously."]
    enter()
    assert len(errors) == 1


def test_arguments_of_a_context():
    with pytest.raises(ValueError, match="cannot be specified together"):
        ndd.EvalContext(num_threads=2, thread_pool=ndd.ThreadPool(2))
    with pytest.raises(ValueError, match="from 1 to 100"):
        ndd.EvalContext(num_threads=0)


def test_numbers_of_threads(monkeypatch):
    cores = len(os.sched_getaffinity(0))
    assert ndd.get_num_threads() == ndd.EvalContext().num_threads == cores
    monkeypatch.setenv("DALI_NUM_THREADS", "5")
    assert ndd.get_num_threads() == 5
    try:
        ndd.set_num_threads(3)
        assert ndd.EvalContext().num_threads == ndd.ThreadPool().num_threads == 3
    finally:
        ndd.set_num_threads(None)
    assert ndd.get_num_threads() == 5
    for wrong, error in ((0, ValueError), (10**6, ValueError), ("2", TypeError), (True, TypeError)):
        with pytest.raises(error, match="number of threads"):
            ndd.set_num_threads(wrong)


def test_samples_are_computed_by_several_threads():
    with ndd.EvalContext(num_threads=4):
        batch = ndd.batch([np.full(1000, i, np.float32) for i in range(64)])
        result = ndd.audio_resample(batch, scale=2.0)
    assert result.shape == [(2000,)] * 64


def test_modes_are_of_the_thread():
    assert ndd.EvalMode.current() is ndd.EvalMode.eager is ndd.EvalMode.default
    with ndd.EvalMode.deferred, ndd.EvalMode.sync_full:
        assert ndd.EvalMode.current() is ndd.EvalMode.sync_full
        found = []
        thread = threading.Thread(target=lambda: found.append(ndd.EvalMode.current()))
        thread.start()
        thread.join()
    assert found == [ndd.EvalMode.eager]
    values = [mode.value for mode in ndd.EvalMode]
    assert values == sorted(values)


@pytest.mark.parametrize("mode", ["eager", "sync_cpu", "sync_full"])
def test_operators_run_in_the_call(mode, runs):
    with ndd.EvalMode[mode]:
        counted(ndd.tensor([1]))
        assert len(runs) == 1
        with pytest.raises(Exception, match="above the limit"):
            counted(ndd.tensor([10]))


def test_deferred_operators_run_at_the_first_use(runs):
    with ndd.EvalMode.deferred:
        first = counted(ndd.batch([1, 2]))
        second = counted(first)
        assert runs == []
    assert [tensor.item() for tensor in second] == [3, 4]
    assert len(runs) == 4
    assert [tensor.item() for tensor in first] == [2, 3]
    assert len(runs) == 4


def test_copies_of_deferred_results():
    with ndd.EvalMode.deferred:
        batch = ndd.batch([1, 2], layout="") + 1
    for made in (pickle.loads(pickle.dumps(batch)), copy.deepcopy(batch)):
        assert [tensor.item() for tensor in made] == [2, 3]


def test_results_that_nobody_uses_are_not_computed(runs):
    with ndd.EvalContext() as context:
        with ndd.EvalMode.deferred:
            kept = counted(ndd.tensor([1]))
            counted(ndd.tensor([2]))
        context.evaluate_all()
        assert len(runs) == 1
        assert kept[0].item() == 2
        with ndd.EvalMode.deferred:
            kept = counted(kept)
    assert len(runs) == 2  # at the end of the context's block


def test_errors_of_deferred_operators_name_the_call():
    with ndd.EvalMode.deferred:
        result = counted(ndd.tensor([10])) + 1
    for _ in range(2):
        with pytest.raises(Exception, match="above the limit") as raised:
            result.evaluate()
    assert any(f"deferred; it is in {__file__}:" in note for note in raised.value.__notes__)


def test_wrong_arguments_of_deferred_operators_are_refused_at_once():
    with ndd.EvalMode.deferred, pytest.raises(Exception, match="no argument 'siez'"):
        ndd.resize(ndd.tensor(np.zeros((2, 2, 1), np.uint8)), siez=2)


def test_outputs_of_deferred_operators():
    with ndd.EvalMode.deferred:
        start, length = ndd.nonsilent_region(ndd.tensor(np.ones(3000, np.float32)))
        images, sizes = ndd.resize(
            ndd.batch([np.zeros((4, 5, 1), np.uint8)], layout="HWC"), size=[2, 2], save_attrs=True
        )
        assert (start.item(), length.item()) == (0, 3000)
    assert (images.shape, [array.tolist() for array in map(np.asarray, sizes)]) == (
        [(2, 2, 1)],
        [[4, 5]],
    )


def test_calls_of_many_threads():
    image = np.random.default_rng(1).integers(0, 255, (20, 30, 3), np.uint8)
    expected = np.asarray(ndd.resize(ndd.tensor(image, layout="HWC"), size=[7, 9]))
    wrong = []

    def work():
        for _ in range(20):
            tensor = ndd.tensor(image, layout="HWC")
            result = np.asarray(ndd.resize(ndd.flip(ndd.flip(tensor)), size=[7, 9]))
            if not np.array_equal(result, expected):
                wrong.append(result)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_operators_are_kept_for_later_calls(tuned):
    tuned(contexts, _OPERATORS_KEPT=3)
    with ndd.EvalContext() as context:
        for number in range(6):
            assert (ndd.tensor([1]) + number)[0].item() == 1 + number
        assert len(context._operators) == 3
        assert counted(ndd.tensor([1])).shape == (1,)
        kept = list(context._operators.values())
        assert counted(ndd.tensor([2])).shape == (1,)
        assert list(context._operators.values()) == kept


def test_equal_numbers_of_other_types_are_other_operators():
    one = ndd.tensor(np.uint8([4]))
    assert (one * 1).dtype == ndd.int32
    assert (one * 1.0).dtype == ndd.float32
    assert (one * True).dtype == ndd.uint8


def test_devices():
    cpu = ndd.Device("cpu")
    assert (cpu.device_type, cpu.device_id, str(cpu)) == ("cpu", None, "cpu")
    assert cpu == ndd.Device("cpu:0") == ndd.Device.CPU == ndd.device("cpu")
    assert {cpu, ndd.Device("cpu")} == {cpu}
    assert ndd.device(None) is None
    assert ndd.Device.from_dlpack(np.ones(2)) == cpu
    gpu = ndd.Device("cuda", 0)
    assert (gpu.device_type, str(gpu), repr(gpu)) == (
        "gpu",
        "gpu:0",
        "Device(device_type='gpu', device_id=0)",
    )
    assert gpu == ndd.Device("gpu:0") != cpu
    with gpu as entered, cpu:
        assert ndd.Device.current() is cpu
        assert entered is gpu
    for name, problem in (
        ("tpu", "Invalid device type"),
        ("gpu:x", "Invalid device name"),
        ("cpu:9", "Invalid device id"),
        ("gpu:100000", "Invalid device id"),
    ):
        with pytest.raises(ValueError, match=problem):
            ndd.Device(name)
    with pytest.raises(ValueError, match="has a number"):
        ndd.Device("gpu:0", 0)
    with pytest.raises(TypeError, match="must be a str"):
        ndd.device(3)
    with pytest.raises(ValueError, match="goes with the name"):
        ndd.device(cpu, 0)


def test_devices_of_torch():
    torch = pytest.importorskip("torch")
    assert ndd.device(torch.device("cpu")) == ndd.Device("cpu")
    assert ndd.device(torch.device("cuda:0")) == ndd.Device("gpu", 0)


class ForeignStream:
    device_id = 0

    def __cuda_stream__(self):
        return 0, 77


def test_streams():
    stream = ndd.stream(stream=ForeignStream())
    assert (stream.handle, stream.device_id) == (77, 0)
    assert stream == ndd.Stream(stream=77, device_id=0) != ndd.Stream(stream=78)
    assert ndd.stream(stream=stream) is stream
    assert ndd.stream(stream=None) is None
    assert ndd.Stream(stream=stream).__cuda_stream__() == (0, 77)
    assert str(stream) == "CUDA stream 77, device_id=0"
    with pytest.raises(ValueError, match="device_id=1"):
        ndd.Stream(stream=stream, device_id=1)
    with pytest.raises(ValueError, match="no stream"):
        ndd.Stream(stream=None)
    with pytest.raises(TypeError, match="a stream must be"):
        ndd.Stream(stream="x")
    ndd.set_default_stream(stream)
    assert ndd.get_default_stream() is stream
    ndd.set_default_stream(None)
    assert ndd.get_default_stream() is None
    try:
        ndd.set_current_stream(stream)
        assert ndd.get_current_stream() is stream
    finally:
        ndd.set_current_stream(None)
    assert ndd.EvalContext(cuda_stream=stream).cuda_stream is stream


def _resized(batch):
    return ndd.resize(batch, size=[2, 3]).shape


@pytest.mark.filterwarnings("ignore:.*use of fork.*:DeprecationWarning")
def test_a_fork_goes_on():
    batch = ndd.batch([np.zeros((4, 4, 3), np.uint8)] * 8, layout="HWC")
    with ndd.EvalContext(num_threads=4):
        expected = _resized(batch)
        context = multiprocessing.get_context("fork")
        with context.Pool(2) as pool:
            found = pool.map_async(_resized_of_arrays, range(4)).get(timeout=60)
    assert found == [expected] * 4


def _resized_of_arrays(_):
    return _resized(ndd.batch([np.zeros((4, 4, 3), np.uint8)] * 8, layout="HWC"))


def test_the_end_of_a_program_leaves_nothing():
    program = (
        "from penstock.experimental import dynamic as ndd\n"
        "with ndd.EvalContext(num_threads=4):\n"
        "    print(ndd.flip(ndd.batch([[[1, 2]]], layout='HW')).shape)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.stdout, done.stderr, done.returncode) == ("[(1, 2)]\n", "", 0)
