"""`penstock.backend`: tensors, and calls for the memory of all pipelines."""

from __future__ import annotations

import gc

import numpy as np
import pytest

from penstock import ArgumentError, Pipeline, backend, fn
from penstock.engine.tensors.memory import SlabPool


@pytest.mark.slow
def test_unused_memory_is_released_while_pipelines_run():
    with Pipeline(batch_size=4, num_threads=1) as pipe:
        pipe.set_outputs(fn.external_source(lambda i: np.full((4, 1 << 16), i, np.uint8)) + 1)
    for i in range(4):
        assert (pipe.run()[0].as_array() == i + 1).all()
    gc.collect()
    pipe.schedule_run()
    while not pipe.empty():
        held = pipe.share_outputs()
    del held
    gc.collect()
    assert pipe.stats().idle_bytes > 0
    backend.ReleaseUnusedMemory()
    assert pipe.stats().idle_bytes == 0
    for _ in range(4):
        pipe.run()
    pipe.close()


def test_lent_memory_stays():
    pool = SlabPool(shared=False)
    kept, dropped = (pool.empty((1 << 20,)) for _ in range(2))
    kept[:] = 7
    del dropped
    assert pool.idle_bytes > 0
    backend.ReleaseUnusedMemory()
    assert pool.idle_bytes == 0
    assert (kept == 7).all()
    assert pool.lent_bytes >= kept.nbytes
    pool.close()


@pytest.mark.parametrize(
    ("name", "default", "value", "wrong"),
    [
        ("HostBufferGrowthFactor", 1.1, 2, 0.5),
        ("DeviceBufferGrowthFactor", 1.1, 2, 5),
        ("HostBufferShrinkThreshold", 0.5, 0.25, -1),
    ],
)
def test_hints_are_kept(name, default, value, wrong):
    get, put = getattr(backend, f"Get{name}"), getattr(backend, f"Set{name}")
    assert get() == default
    put(value)
    assert get() == value
    with pytest.raises(ArgumentError, match=f"but is {wrong}"):
        put(wrong)
    put(default)


def test_other_calls_are_accepted():
    assert backend.PreallocateDeviceMemory(1 << 20, 0) is None
    assert backend.PreallocatePinnedMemory(bytes=1 << 20) is None
    assert backend.RestrictPinnedMemUsage() is False
