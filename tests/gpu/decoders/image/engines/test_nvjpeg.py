"""The calls of nvJPEG's C interface, recorded by a stand-in for the library."""

from __future__ import annotations

import ctypes
import gc
from collections import Counter
from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pytest
import simplejpeg

from penstock.decoders.image.engines import nvjpeg
from penstock.decoders.image.engines.nvjpeg import HardwareDecoder
from penstock.engine.gpu.gpu_device import GpuDevice

DEVICE = SimpleNamespace(
    id=0,
    stream=SimpleNamespace(ptr=77),
    engines_ns=Counter(),
    wait_ns={"batches": 0},
    consumer_wait_ns=0,
    waiting=lambda _: nullcontext(),
    event=lambda: "the end of a call",
    wait=lambda event: WAITS.append(event),
)
WAITS: list[str] = []


class Library:
    """Records the calls; a function whose name is in `failing` returns a status."""

    def __init__(self, *failing):
        self.calls = []
        self.failing = failing
        self.images = np.zeros(0)

    def __getattr__(self, name):
        def call(*arguments):
            self.calls.append((name, arguments))
            if name == "nvjpegDecodeBatched":
                self.record_arrays(*arguments[2:5])
            return 6 if name in self.failing else 0

        return call

    def record_arrays(self, files, lengths, images):
        count = 2
        self.files = np.ctypeslib.as_array((ctypes.c_uint64 * count).from_address(files.value))
        self.lengths = np.ctypeslib.as_array((ctypes.c_size_t * count).from_address(lengths.value))
        fields = (ctypes.c_uint64 * (8 * count)).from_address(images.value)
        self.images = np.ctypeslib.as_array(fields).reshape(count, 8).copy()
        self.files, self.lengths = self.files.copy(), self.lengths.copy()

    def names(self):
        return [name for name, _ in self.calls]


@pytest.fixture
def opened(monkeypatch):
    """A decoder of a stand-in library, by the functions that fail."""

    def open_decoder(*failing):
        library = Library(*failing)
        monkeypatch.setattr(nvjpeg, "_library", lambda: library)
        return library, HardwareDecoder.open(DEVICE)

    return open_decoder


def decode(decoder, space="RGB"):
    return decoder.decode(
        np.array([1000, 2000], np.uint64),
        np.array([300, 400], np.int64),
        np.array([5000, 6000], np.uint64),
        np.array([20, 33], np.int64),
        space,
    )


@pytest.mark.parametrize(("space", "channels", "code"), [("RGB", 3, 5), ("GRAY", 1, 2)])
def test_a_batch_is_one_call_with_arrays_of_addresses(opened, space, channels, code):
    library, decoder = opened()
    assert decode(decoder, space)
    (_, (_, _, count, threads, output)) = library.calls[-2]
    assert (count, threads, output) == (2, 1, code)
    assert library.files.tolist() == [1000, 2000]
    assert library.lengths.tolist() == [300, 400]
    # Of each image: four addresses of channels, then four pitches.
    assert library.images[:, 0].tolist() == [5000, 6000]
    assert library.images[:, 4].tolist() == [20 * channels, 33 * channels]
    assert library.calls[-1][1][-1].value == DEVICE.stream.ptr


@pytest.mark.parametrize("failing", ["nvjpegDecodeBatchedInitialize", "nvjpegDecodeBatched"])
def test_a_batch_that_the_engine_refuses_is_reported(opened, failing):
    library, decoder = opened(failing)
    assert not decode(decoder)
    assert library.names()[-1] == failing


def test_it_tells_for_how_much_of_the_time_lane_and_consumer_waited(opened, monkeypatch):
    clock = iter((0.0, 0.0, *[10.0] * 2, *[20.0] * 2, *[30.0] * 2))  # two starts, two looks a call
    monkeypatch.setattr(nvjpeg, "perf_counter", lambda: next(clock))
    monkeypatch.setitem(DEVICE.wait_ns, "batches", 0)
    monkeypatch.setattr(DEVICE, "consumer_wait_ns", 0)
    _, decoder = opened()
    starved, awaited = [], []
    for lane, consumer in ((4, 10), (4, 15), (14, 15)):
        DEVICE.wait_ns["batches"] = lane * 10**9
        DEVICE.consumer_wait_ns = consumer * 10**9
        decode(decoder)
        starved.append(decoder.starved)
        awaited.append(decoder.awaited)
    assert starved == pytest.approx([0.4, 0.0, 1.0])
    assert awaited == pytest.approx([1.0, 0.5, 0.0])


def test_decoders_of_a_device_share_one_engine_and_wait_for_its_last_work(opened):
    library, decoder = opened()
    other = HardwareDecoder.open(DEVICE)
    assert library.names() == ["nvjpegCreateEx", "nvjpegJpegStateCreate"]
    WAITS.clear()
    decode(decoder)
    assert WAITS == []
    decode(other)
    assert WAITS == ["the end of a call"]
    del decoder
    gc.collect()
    assert "nvjpegDestroy" not in library.names()
    assert decode(other)


def test_a_gpu_without_the_engine_has_no_decoder(opened):
    library, decoder = opened("nvjpegCreateEx")
    assert decoder is None
    assert library.names() == ["nvjpegCreateEx"]


def test_a_failed_start_leaves_no_handle(opened):
    library, decoder = opened("nvjpegJpegStateCreate")
    assert decoder is None
    assert library.names()[-1] == "nvjpegDestroy"


def test_a_decoder_that_is_dropped_frees_its_state_before_its_handle(opened):
    library, decoder = opened()
    del decoder
    assert library.names()[-2:] == ["nvjpegJpegStateDestroy", "nvjpegDestroy"]


def test_a_missing_library_means_no_decoder(monkeypatch):
    monkeypatch.setattr(nvjpeg, "_library", lambda: None)
    assert HardwareDecoder.open(DEVICE) is None


@pytest.mark.gpu
def test_the_engine_decodes_as_the_cpu_does(cupy):
    ramp = np.broadcast_to(np.arange(64, dtype=np.uint8)[None, :, None] * 3, (48, 64, 3))
    files = [
        np.frombuffer(simplejpeg.encode_jpeg(np.ascontiguousarray(ramp), quality, "RGB"), np.uint8)
        for quality in (80, 95)
    ]
    out = cupy.empty((2, 48, 64, 3), np.uint8)
    with GpuDevice(0, 1 << 28, 2).lane() as device:
        decoder = HardwareDecoder.open(device)
        if decoder is None:
            pytest.skip("this GPU has no JPEG engine")
        is_decoded = decoder.decode(
            np.array([file.ctypes.data for file in files], np.uint64),
            np.array([len(file) for file in files]),
            np.array([image.data.ptr for image in out], np.uint64),
            np.array([64, 64]),
            "RGB",
        )
        device.synchronize()
    assert is_decoded
    for image, file in zip(out.get(), files, strict=True):
        assert np.abs(image.astype(int) - simplejpeg.decode_jpeg(file)).mean() < 2
