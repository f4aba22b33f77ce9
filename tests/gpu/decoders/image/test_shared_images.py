"""Decoders on the GPU with `cache="ram"`: the GPU reads windows in the memory of the cache."""

from __future__ import annotations

import os
import threading
import time
import warnings
from typing import Any

import pytest

from penstock import fn, types
from penstock.decoders.cache import ram as ram_cache
from penstock.decoders.image import whole_images
from penstock.engine.closing import finish_closing
from penstock.engine.gpu.device import Device
from penstock.engine.gpu.host_registry import HostRegistry
from penstock.engine.run import gpu_work, run_threads
from penstock.testing.emulator import EmulatedRegistry

from .test_mixed_cache import HITS, LOAD, STORES, assert_same, events, made, rows, views

pytest.importorskip("nvidia.nvimgcodec")

SEGMENT = 1 << 16
"""Bytes, less than those of some images."""


@pytest.fixture
def ram() -> dict[str, Any]:
    """Arguments of a decoder with a cache that no other process shares."""
    return {"cache": "ram", "cache_size": 2008 + os.getpid() % 1000, **LOAD}


@pytest.fixture(scope="module")
def photographs(photo_tree) -> list[str]:
    return [str(path) for path in sorted(photo_tree.root.rglob("*.jpg"))[:8]]


class Registered:
    """The blocks of host memory that kernels may read, by their addresses.

    Attributes:
        blocks: their sizes.
        calls: addresses that were registered.
        refused: tells of an address whether it is refused.
    """

    def __init__(self, owner: type[HostRegistry], monkeypatch: pytest.MonkeyPatch) -> None:
        self.blocks: dict[int, int] = {}
        self.calls: list[int] = []
        self.refused = lambda address: False

        def register(registry, address, size, original=owner.register):
            self.calls.append(address)
            if self.refused(address):
                raise MemoryError("out of memory")
            original(registry, address, size)
            self.blocks[address] = size

        def unregister(registry, address, original=owner.unregister):
            original(registry, address)
            self.blocks.pop(address, None)  # an earlier test may have registered the memory

        monkeypatch.setattr(owner, "register", register)
        monkeypatch.setattr(owner, "unregister", unregister)

    def has(self, address: int) -> bool:
        return any(start <= address < start + size for start, size in self.blocks.items())


@pytest.fixture
def registered(device_stage, tuned, monkeypatch):
    tuned(ram_cache, SEGMENT_BYTES=SEGMENT)
    noted = Registered(HostRegistry if device_stage else EmulatedRegistry, monkeypatch)
    yield noted
    finish_closing()
    assert not noted.blocks


def crop(arguments):
    return lambda encoded: fn.decoders.image_random_crop(encoded, **arguments)


def test_a_hit_takes_no_copy(registered, photographs, ram, monkeypatch):
    uploads: list[int] = []
    images: list[int] = []

    def send(self, to, array, original=Device.send):
        uploads.append(array.nbytes)
        original(self, to, array)

    def cut(device, itemsize, addresses, *arguments, original=whole_images.cut_windows):
        images.extend(addresses.tolist())
        original(device, itemsize, addresses, *arguments)

    monkeypatch.setattr(Device, "send", send)
    monkeypatch.setattr(whole_images, "cut_windows", cut)
    with made(photographs, crop(ram), prefetch_queue_depth=1) as pipe:
        while events(pipe).get(HITS, 0) < 2 * len(photographs):
            pipe.run()
        uploads.clear()
        images.clear()
        for _ in range(3):
            pipe.run()
        assert len(images) >= 2 * len(photographs)
        assert all(registered.has(address) for address in images)
        assert max(uploads) < 1000  # tables of kernels


@pytest.mark.slow
def test_segments_are_registered_once_for_all_pipelines(registered, photographs, ram):
    with made(photographs, views({})) as plain, made(photographs, views(ram)) as first:
        for _ in range(4):
            assert_same(rows(plain.run()), rows(first.run()))
        with made(photographs, views(ram), seed=11) as second:
            for _ in range(4):
                assert_same(rows(plain.run()), rows(first.run()))
                second.run()
            assert STORES not in events(second)
            assert events(second)[HITS] >= 8 * len(photographs)
        assert registered.blocks
        assert_same(rows(plain.run()), rows(first.run()))
    assert len(registered.calls) == len(set(registered.calls)) > 1


@pytest.mark.parametrize("refuses_all", [True, False])
def test_images_that_cannot_be_read_are_decoded(registered, photographs, ram, refuses_all):
    registered.refused = lambda address: refuses_all or len(registered.calls) == 1
    with made(photographs, crop(LOAD)) as plain, made(photographs, crop(ram)) as pipe:
        for _ in range(6):
            assert_same(rows(plain.run()), rows(pipe.run()))
        counts = events(pipe)
        for _ in range(2):
            (remark,) = [each.remark for each in pipe.stats().operators if "MB" in each.remark]
            assert "; the GPU cannot read " in remark
            assert "MB of them (out of memory), and decodes their images again" in remark
            pipe.close()  # the remark stays
    assert counts[STORES] == len(photographs)
    assert (counts.get(HITS, 0) == 0) == refuses_all


def test_memory_is_registered_until_the_device_is_done(
    registered, photographs, ram, tuned, monkeypatch
):
    tuned(run_threads, JOIN_SECONDS=0.1)
    waits, goes_on = threading.Event(), threading.Event()
    holds = False
    owner = vars(gpu_work)["GpuDevice"]

    def wait_for(self, event, original=owner.wait_for):
        if holds:
            waits.set()
            goes_on.wait(60)
        original(self, event)

    monkeypatch.setattr(owner, "wait_for", wait_for)
    pipe = made(photographs, crop(ram), prefetch_queue_depth=1)
    while HITS not in events(pipe):
        pipe.run()
    pipe.run()
    holds = True
    while not waits.wait(2):  # the next batch was done before
        pipe.run()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # threads did not stop
        pipe.close()
    assert registered.blocks
    goes_on.set()
    deadline = time.monotonic() + 60
    while registered.blocks:
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.slow
def test_images_of_all_dtypes_straddle_segments(registered, photographs, ram):
    """Rows of one image lie in several segments, at any offset."""

    def graph(arguments):
        return lambda encoded: tuple(
            fn.decoders.image_slice(
                encoded, start=(1, 3), shape=(31, 17), dtype=dtype, output_type=output, **arguments
            )
            for dtype in (types.UINT8, types.UINT16, types.FLOAT16, types.FLOAT)
            for output in (types.RGB, types.GRAY)
        )

    with made(photographs, graph(LOAD)) as plain, made(photographs, graph(ram)) as pipe:
        for _ in range(5):
            assert_same(rows(plain.run()), rows(pipe.run()))
        assert events(pipe)[HITS] >= 8 * len(photographs)
    first = min(registered.calls)
    assert {(address - first) % SEGMENT for address in registered.calls} == {0}
    assert len(registered.calls) > 8
