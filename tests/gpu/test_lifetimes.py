"""Memory on the GPU while consumers read it on streams of their own, in threads, at the end."""

from __future__ import annotations

import gc
import os
import resource
import subprocess
import sys
import threading
from typing import Any

import numpy as np
import pytest

from penstock import Pipeline, fn, types
from penstock.tests.checkout import SOURCES

pytestmark = pytest.mark.gpu

SHAPE = (8, 256, 256)


@pytest.fixture
def torch(cupy):
    module = pytest.importorskip("torch")
    if not module.cuda.is_available():
        pytest.skip("PyTorch sees no CUDA device")
    return module


def counting(shape: tuple[int, ...] = SHAPE, **options: Any) -> Pipeline:
    """Return a pipeline of which batch k is the number k everywhere, on the GPU."""
    pipe = Pipeline(batch_size=shape[0], num_threads=2, device_id=0, **options)
    with pipe:
        numbers = fn.external_source(lambda k: np.full(shape, k % 200, np.uint8))
        pipe.set_outputs(fn.cast(numbers.gpu(), dtype=types.INT32))
    return pipe


def dropped_at_once(torch: Any, take: Any, batches: int) -> list[int]:
    """Sum batches on a side stream that is far behind; hold none; return the numbers seen."""
    side = torch.cuda.Stream()
    seen = []
    with torch.cuda.stream(side):
        for _ in range(batches):
            torch.cuda._sleep(10_000_000)
            tensor = take()
            seen.append(torch.stack([tensor.amin(), tensor.amax()]))
            del tensor  # its kernels have not begun
    side.synchronize()
    return [int(low) if int(low) == int(high) else -1 for low, high in seen]


def test_a_side_stream_of_torch_through_the_iterator(torch):
    from penstock.plugin.pytorch import DALIGenericIterator

    with DALIGenericIterator(counting(), ["x"]) as iterator:
        seen = dropped_at_once(torch, lambda: next(iterator)[0]["x"], 150)
    assert seen == list(range(150))


def test_a_side_stream_of_torch_through_dlpack(torch):
    with counting() as pipe:
        seen = dropped_at_once(torch, lambda: torch.from_dlpack(pipe.run()[0]), 100)
    assert seen == list(range(100))


def test_rows_on_a_side_stream_of_torch(torch):
    with counting() as pipe:
        seen = dropped_at_once(torch, lambda: torch.from_dlpack(pipe.run()[0][3]), 100)
    assert seen == list(range(100))


def test_the_default_stream_of_torch(torch):
    with counting() as pipe:
        seen = []
        for _ in range(100):
            torch.cuda._sleep(5_000_000)
            tensor = torch.from_dlpack(pipe.run()[0])
            seen.append(torch.stack([tensor.amin(), tensor.amax()]))
            del tensor
        assert [pair.tolist() for pair in seen] == [[k, k] for k in range(100)]


def test_streams_of_cupy_that_are_destroyed(cupy):
    sums = []
    with counting() as pipe:
        for k in range(100):
            with cupy.cuda.Stream(non_blocking=True):
                taken = cupy.asarray(pipe.run()[0]) if k % 2 else cupy.from_dlpack(pipe.run()[0])
                sums.append(taken.sum())
                del taken
        cupy.cuda.Device().synchronize()
        assert [int(s) // int(np.prod(SHAPE)) for s in sums] == list(range(100))


def test_copies_out_are_not_overtaken(torch):
    targets = [torch.empty(SHAPE, dtype=torch.int32, device="cuda") for _ in range(50)]
    host = np.empty(SHAPE, np.int32)
    side = torch.cuda.Stream()
    with counting() as pipe, torch.cuda.stream(side):
        for target in targets:
            torch.cuda._sleep(5_000_000)
            pipe.run()[0].copy_to_external(target.data_ptr(), side, non_blocking=True)
        pipe.run()[0].copy_to_external(host.ctypes.data)
        pipe.run()[0][2].copy_to_external(host[2].ctypes.data, side)
        side.synchronize()
    assert [int(t.amin()) for t in targets] == [int(t.amax()) for t in targets] == list(range(50))
    assert (host[0].max(), host[2].min()) == (50, 51)


def test_no_library_copies(torch, cupy):
    with counting() as pipe:
        (batch,) = pipe.run()
        address = batch.data_ptr()
        assert torch.from_dlpack(batch).data_ptr() == address
        assert torch.as_tensor(batch.as_tensor(), device="cuda").data_ptr() == address
        assert cupy.from_dlpack(batch).data.ptr == cupy.asarray(batch).data.ptr == address
        row = batch[1]
        assert row.data_ptr() == address + 256 * 256 * 4
        assert torch.from_dlpack(row).data_ptr() == row.data_ptr()
        jax = pytest.importorskip("jax")
        if jax.default_backend() == "gpu":
            assert jax.dlpack.from_dlpack(batch).unsafe_buffer_pointer() == address


def test_jax_drops_batches_at_once(cupy):
    jax = pytest.importorskip("jax")
    if jax.default_backend() != "gpu":
        pytest.skip("JAX sees no GPU")
    extremes = jax.jit(lambda x: (x.min(), x.max()))
    with counting() as pipe:
        seen = [extremes(jax.dlpack.from_dlpack(pipe.run()[0])) for _ in range(100)]
    assert [(int(low), int(high)) for low, high in seen] == [(k, k) for k in range(100)]


def test_two_pipelines_in_threads(torch):
    results: dict[int, list[int]] = {}

    def consume(i: int) -> None:
        with counting((4 + i, 64, 64), prefetch_queue_depth=3) as pipe:
            results[i] = dropped_at_once(torch, lambda: torch.from_dlpack(pipe.run()[0]), 60)

    threads = [threading.Thread(target=consume, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(50)
    assert results == {0: list(range(60)), 1: list(range(60))}


def test_memory_stays_flat(cupy):
    held = []
    with counting((4, 16, 16)) as pipe:
        for k in range(5000):
            pipe.run()
            if k in (1000, 4999):
                gc.collect()
                stats = pipe.stats()
                peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
                held.append((stats.device_lent_bytes + stats.device_idle_bytes, peak))
    (device_before, host_before), (device_after, host_after) = held
    assert device_after <= 2 * device_before
    assert host_after - host_before < 20_000  # KiB


def test_a_full_device_is_a_memory_error(cupy):
    too_large = cupy.cuda.Device(0).mem_info[1]

    def ask(x):
        return cupy.broadcast_to(x[:1, None], (1, too_large)).view(x.dtype)

    pipe = Pipeline(batch_size=1, num_threads=1, device_id=0)
    with pipe:
        data = fn.external_source(lambda: [np.zeros(2, np.uint8)]).gpu()
        pipe.set_outputs(fn.python_function(data, device="gpu", function=ask))
    with (
        pipe,
        pytest.raises(MemoryError, match="bytes left for a batch"),
    ):
        pipe.run()
    with counting() as pipe:
        assert int(pipe.run()[0].as_cpu().at(0)[0, 0]) == 0


def test_the_device_budget_holds_batches_back(cupy):
    one = int(np.prod(SHAPE)) * 5
    with counting(prefetch_queue_depth=8, prefetch_device_bytes=3 * one) as pipe:
        for k in range(50):
            (batch,) = pipe.run()
            assert pipe.stats().device_lent_bytes <= 4 * one
            assert int(cupy.asarray(batch).max()) == k


def test_closing_while_batches_are_under_way(torch):
    before = set(threading.enumerate())
    for _ in range(20):
        pipe = counting(prefetch_queue_depth=4)
        kept = torch.from_dlpack(pipe.run()[0])
        pipe.close()
        assert int(kept.amax()) == 0
        del pipe
        assert int(kept.amin()) == 0
    assert set(threading.enumerate()) == before


def test_batches_outlive_their_pipeline(torch):
    with counting() as pipe:
        kept = [torch.from_dlpack(pipe.run()[0]) for _ in range(8)]
    del pipe
    gc.collect()
    with counting() as other:
        for _ in range(8):
            other.run()
    assert [int(t.amin()) for t in kept] == [int(t.amax()) for t in kept] == list(range(8))


@pytest.mark.parametrize("keeps", [False, True])
def test_a_process_that_ends_without_close(torch, keeps):
    program = f"""
import numpy as np, torch
from penstock import Pipeline, fn
pipe = Pipeline(batch_size=4, num_threads=2, device_id=0, prefetch_queue_depth=4)
with pipe:
    pipe.set_outputs(fn.external_source(lambda k: np.full((4, 1000), k)).gpu())
kept = [torch.from_dlpack(pipe.run()[0]) for _ in range(5)]
print(int(kept[3].sum()))
if not {keeps}:
    del kept
"""
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(SOURCES), *filter(None, sys.path)])
    }
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200, env=environment)
    assert (done.returncode, done.stdout, done.stderr) == (0, "12000\n", "")
