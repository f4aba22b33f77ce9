"""The calls of nvJPEG's C interface, recorded by a stand-in for the library."""

from __future__ import annotations

import ctypes
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import simplejpeg

from penstock.decoders.image.engines import nvjpeg
from penstock.decoders.image.engines.nvjpeg import HardwareDecoder
from penstock.engine.control.readings import Readings
from penstock.engine.gpu.gpu_device import GpuDevice
from penstock.testing.emulator import EmulatedDevice, HostPool


class Library:
    """Records the calls; a function whose name is in `failing` returns a status.

    It writes the images whose numbers are in `written`.
    """

    def __init__(self, *failing, status=6, written=(0, 1)):
        self.calls = []
        self.written = written
        self.failing = failing
        self.status = status
        self.images = np.zeros(0)

    def __getattr__(self, name):
        def call(*arguments):
            self.calls.append((name, arguments))
            if name == "nvjpegDecodeBatched":
                self.record_arrays(*arguments[2:5])
            return self.status if name in self.failing else 0

        return call

    def record_arrays(self, files, lengths, images):
        count = 2
        self.files = np.ctypeslib.as_array((ctypes.c_uint64 * count).from_address(files.value))
        self.lengths = np.ctypeslib.as_array((ctypes.c_size_t * count).from_address(lengths.value))
        fields = (ctypes.c_uint64 * (8 * count)).from_address(images.value)
        self.images = np.ctypeslib.as_array(fields).reshape(count, 8).copy()
        for i in self.written:
            address, pitch = self.images[i, [0, 4]].tolist()
            ctypes.memset(address, 10 + i, pitch * HEIGHTS[i])
        self.files, self.lengths = self.files.copy(), self.lengths.copy()

    def names(self):
        return [name for name, _ in self.calls]


@pytest.fixture
def lane():
    return EmulatedDevice(HostPool())


@pytest.fixture
def opened(monkeypatch, lane):
    """A decoder of a stand-in library, by the functions that fail."""

    def open_decoder(*failing, **options):
        library = Library(*failing, **options)
        monkeypatch.setattr(nvjpeg, "_library", lambda: library)
        monkeypatch.setattr(nvjpeg, "_engines", {})
        return library, HardwareDecoder.open(lane)

    return open_decoder


HEIGHTS = 30, 41


def decode(decoder, space="RGB"):
    return decoder.decode(
        np.array([1000, 2000], np.uint64),
        np.array([300, 400], np.int64),
        np.array([[HEIGHTS[0], 20], [HEIGHTS[1], 33]], np.int64),
        space,
    )


@pytest.mark.parametrize(("space", "channels", "code"), [("RGB", 3, 5), ("GRAY", 1, 2)])
def test_a_batch_is_one_call_with_arrays_of_addresses(opened, space, channels, code):
    library, decoder = opened()
    decoded = decode(decoder, space)
    (_, (_, _, count, threads, output)) = library.calls[-2]
    assert (count, threads, output) == (2, 1, code)
    assert library.files.tolist() == [1000, 2000]
    assert library.lengths.tolist() == [300, 400]
    # Of each image: four addresses of channels, then four pitches.
    assert library.images[:, 0].tolist() == decoded.pixels.pointers().tolist()
    assert library.images[:, 4].tolist() == [20 * channels, 33 * channels]
    assert [row.tolist() for row in decoded.pixels.rows()] == [
        [10] * 30 * 20 * channels,
        [11] * 41 * 33 * channels,
    ]
    assert decoded.is_written.all()


@pytest.mark.parametrize("written", [(), (0,), (1,)])
def test_images_that_the_engine_leaves_out_in_silence_are_seen(opened, written):
    _, decoder = opened(written=written)
    for _ in range(2):  # the memory of the first call lies ready for the second
        assert np.flatnonzero(decode(decoder).is_written).tolist() == list(written)


def test_an_image_of_which_a_part_was_not_written_is_seen(opened):
    library, decoder = opened()
    half = HEIGHTS[0] // 2 * 20 * 3
    record = library.record_arrays

    def record_and_erase(*arrays):
        record(*arrays)
        ctypes.memset(int(library.images[0, 0]) + half, nvjpeg.MARK, half)

    library.record_arrays = record_and_erase
    assert decode(decoder).is_written.tolist() == [False, True]


def test_the_host_waits_before_and_after_each_call(opened, monkeypatch):
    library, decoder = opened()
    waits = []
    monkeypatch.setattr(
        decoder._beside, "synchronize", lambda: waits.append(len(library.calls)), raising=False
    )
    before = len(library.calls)
    decode(decoder)
    assert waits == [before, len(library.calls)]


def test_the_host_waits_for_a_call_also_if_the_look_fails(opened, monkeypatch):
    library, decoder = opened()
    waits = []
    monkeypatch.setattr(
        decoder._beside, "synchronize", lambda: waits.append(len(library.calls)), raising=False
    )

    def no_memory(*_):
        raise MemoryError

    monkeypatch.setattr(nvjpeg, "look_for_marks", no_memory)
    with pytest.raises(MemoryError):
        decode(decoder)
    assert waits[-1] == len(library.calls)


def test_memory_of_results_counts_as_taken_by_the_batch(opened, lane):
    _, decoder = opened()
    before = lane.taken_bytes
    decode(decoder)
    least = 3 * (HEIGHTS[0] * 20 + HEIGHTS[1] * 33)
    assert least <= lane.taken_bytes - before <= least + 1024


@pytest.mark.parametrize("failing", ["nvjpegDecodeBatchedInitialize", "nvjpegDecodeBatched"])
def test_a_batch_that_the_engine_refuses_is_reported(opened, failing):
    library, decoder = opened(failing)
    assert decode(decoder) is None
    assert library.names()[-1] == failing


def test_it_tells_for_how_much_of_the_time_lane_and_consumer_waited(opened, lane, monkeypatch):
    clock = iter(
        (0.0, 0.0, *[10.0] * 2, *[20.0] * 2, *[25.0] * 2, *[30.0] * 2)
    )  # two starts, two looks a call
    monkeypatch.setattr(nvjpeg, "perf_counter", lambda: next(clock))
    _, decoder = opened()
    starved, awaited = [], []
    for seconds, readings in (
        (4, (10, 1, 10)),
        (4, (20, 2, 15)),
        (4, (20, 2, 15)),
        (9, (30, 3, 15)),
    ):
        lane.times.wait_ns["batches"] = seconds * 10**9
        lane.readings = Readings(*readings)
        decode(decoder)
        starved.append(decoder.starved)
        awaited.append(decoder.awaited)
    assert starved == pytest.approx([0.4, 0.0, 0.0, 1.0])
    assert awaited == pytest.approx([1.0, 0.5, 0.5, 0.0])


def test_decoders_of_a_device_share_one_engine(opened, lane):
    library, decoder = opened()
    other = HardwareDecoder.open(lane)
    assert library.names() == ["nvjpegCreateEx", "nvjpegJpegStateCreate"]
    decoder.close()
    assert "nvjpegDestroy" not in library.names()
    assert decode(other)


@pytest.mark.parametrize("change", ["open", "close"])
def test_no_engine_is_opened_or_closed_while_another_decodes(opened, monkeypatch, change):
    library, decoder = opened()
    other_device = EmulatedDevice(HostPool())
    other_device.id = 1
    other = HardwareDecoder.open(other_device) if change == "close" else None
    before = len(library.calls)
    begun, may_end = threading.Event(), threading.Event()

    def decode_slowly(*_):
        begun.set()
        assert may_end.wait(10)
        return 0

    monkeypatch.setattr(library, "nvjpegDecodeBatched", decode_slowly, raising=False)
    work = other.close if other is not None else lambda: HardwareDecoder.open(other_device)
    with ThreadPoolExecutor(2) as threads:
        decoded = threads.submit(decode, decoder)
        assert begun.wait(10)
        changed = threads.submit(work)
        with pytest.raises(TimeoutError):
            changed.result(0.1)
        assert library.names()[before:] == ["nvjpegDecodeBatchedInitialize"]
        may_end.set()
        assert decoded.result(10)
        changed.result(10)
    expected = "nvjpegDestroy" if change == "close" else "nvjpegJpegStateCreate"
    assert library.names()[-1] == expected


def test_a_gpu_without_the_engine_has_no_decoder(opened):
    library, decoder = opened("nvjpegCreateEx")
    assert decoder is None
    assert library.names() == ["nvjpegCreateEx"]


def test_a_failed_start_leaves_no_handle(opened):
    library, decoder = opened("nvjpegJpegStateCreate")
    assert decoder is None
    assert library.names()[-1] == "nvjpegDestroy"


@pytest.mark.parametrize("failing", ["nvjpegCreateEx", "nvjpegJpegStateCreate"])
def test_a_gpu_without_memory_left_is_no_gpu_without_the_engine(monkeypatch, failing):
    monkeypatch.setattr(nvjpeg, "_library", lambda: Library(failing, status=5))
    monkeypatch.setattr(nvjpeg, "_engines", {})
    with pytest.raises(MemoryError, match="no memory left for its JPEG engine"):
        HardwareDecoder.open(EmulatedDevice(HostPool()))


def test_the_last_decoder_frees_the_state_before_the_handle(opened):
    library, decoder = opened()
    decoder.close()
    assert library.names()[-2:] == ["nvjpegJpegStateDestroy", "nvjpegDestroy"]


def test_a_missing_library_means_no_decoder(monkeypatch):
    monkeypatch.setattr(nvjpeg, "_library", lambda: None)
    monkeypatch.setattr(nvjpeg, "_engines", {})
    assert HardwareDecoder.open(EmulatedDevice(HostPool())) is None


def gradients():
    ramp = np.broadcast_to(np.arange(64, dtype=np.uint8)[None, :, None] * 3, (48, 64, 3))
    ramp = np.ascontiguousarray(ramp)
    return [
        np.frombuffer(simplejpeg.encode_jpeg(ramp, quality, "RGB"), np.uint8)
        for quality in (80, 95)
    ]


def decode_gradients(cupy, times=1):
    """Decode on a lane of its own; return the images, or None if the GPU has no engine."""
    files = gradients()
    with GpuDevice(0, 1 << 28, 2).lane() as device:
        decoder = device.own("decoder", lambda: HardwareDecoder.open(device))
        if decoder is None:
            return None
        for _ in range(times):
            decoded = decoder.decode(
                np.array([file.ctypes.data for file in files], np.uint64),
                np.array([len(file) for file in files]),
                np.array([(48, 64)] * 2),
                "RGB",
            )
            assert decoded.is_written.all()
        return [row.get().reshape(48, 64, 3) for row in decoded.pixels.rows()]


def check_gradients(images):
    for image, file in zip(images, gradients(), strict=True):
        assert np.abs(image.astype(int) - simplejpeg.decode_jpeg(file)).mean() < 2


@pytest.mark.gpu
def test_the_engine_decodes_as_the_cpu_does(cupy):
    images = decode_gradients(cupy)
    if images is None:
        pytest.skip("this GPU has no JPEG engine")
    check_gradients(images)


@pytest.mark.gpu
def test_lanes_open_and_close_the_engine_beside_others_that_decode(cupy):
    if decode_gradients(cupy) is None:
        pytest.skip("this GPU has no JPEG engine")
    with ThreadPoolExecutor(3) as threads:
        lanes = [threads.submit(decode_gradients, cupy, times) for times in (1, 3, 30) * 20]
        for lane in lanes:
            check_gradients(lane.result())
