"""nvImageCodec's decoder of batches; it decodes on the CPU here, and its contract is the same."""

from __future__ import annotations

import ctypes
import subprocess
import sys

import numpy as np
import pytest
import simplejpeg

from penstock import Pipeline, fn
from penstock.engine.errors import MissingDependencyError
from penstock.testing.emulator import EmulatedDevice, HostJpegDecoder, HostPool

pytest.importorskip("nvidia.nvimgcodec")

WHOLE = (0, 0, 48, 64)


@pytest.fixture
def color():
    """A decoder to RGB, which owns the memory of its images."""
    return HostJpegDecoder(EmulatedDevice(HostPool()), gray=False)


def picture(seed):
    y, x = np.mgrid[:48, :64]
    waves = np.sin((y[..., None] * [1, 2, 3] + x[..., None] * seed) / 20)
    return (127 + 100 * waves).astype(np.uint8)


def encoded(seed):
    return np.frombuffer(simplejpeg.encode_jpeg(picture(seed), 95, "RGB", "444"), np.uint8)


def at(address, shape):
    buffer = (ctypes.c_uint8 * int(np.prod(shape))).from_address(address)
    return np.frombuffer(buffer, np.uint8).reshape(shape)


def difference(address, expected):
    return np.abs(at(address, expected.shape).astype(int) - expected).mean()


def test_a_batch_decodes_to_contiguous_rgb(color):
    files = [encoded(seed) for seed in range(3)]
    addresses = color.decode(files, [WHOLE] * 3)
    for address, file in zip(addresses, files, strict=True):
        assert difference(address, simplejpeg.decode_jpeg(file)) < 1


def test_gray_is_luma():
    decoder = HostJpegDecoder(EmulatedDevice(HostPool()), gray=True)
    (address,) = decoder.decode([encoded(4)], [WHOLE])
    assert difference(address, simplejpeg.decode_jpeg(encoded(4), "GRAY")) < 1


def test_a_box_gives_a_part_of_the_picture(color):
    (address,) = color.decode([encoded(5)], [(8, 16, 40, 60)])
    assert difference(address, simplejpeg.decode_jpeg(encoded(5))[8:40, 16:60]) < 1.5


def test_a_file_that_the_library_refuses_has_address_0(color):
    garbage = np.arange(200, dtype=np.uint8)
    addresses = color.decode([garbage, encoded(1), encoded(1)[:90]], [WHOLE] * 3)
    assert [address != 0 for address in addresses] == [False, True, False]
    assert color.decode([garbage], [WHOLE]) == [0]


def test_images_stay_until_the_second_call_from_now(color):
    (first,) = color.decode([encoded(1)], [WHOLE])
    (second,) = color.decode([encoded(9)], [WHOLE])
    assert second != first
    assert difference(first, simplejpeg.decode_jpeg(encoded(1))) < 1
    (third,) = color.decode([encoded(2)], [WHOLE])
    assert third == first
    assert difference(second, simplejpeg.decode_jpeg(encoded(9))) < 1


def test_memory_is_used_again_only_after_its_readers_have_ended(color):
    class Event:
        waits = 0

        def synchronize(self):
            self.waits += 1

    event = Event()
    color.decode([encoded(1)], [WHOLE])
    color.read_until(event)
    color.decode([encoded(2)], [WHOLE])
    assert event.waits == 0
    color.decode([encoded(3)], [WHOLE])
    assert event.waits == 1


@pytest.mark.parametrize("missing", ["nvidia.nvimgcodec", "nvidia"])
def test_a_missing_library_says_how_to_install_it(monkeypatch, missing):
    monkeypatch.delitem(sys.modules, "nvidia.nvimgcodec", raising=False)
    monkeypatch.setitem(sys.modules, missing, None)
    with Pipeline(1), pytest.raises(MissingDependencyError) as caught:
        fn.decoders.image(fn.readers.file(files=["a.jpg"])[0], device="mixed")
    assert "decoding on the GPU (device='mixed') needs nvImageCodec: " in str(caught.value)
    assert "pip install" in str(caught.value)


def test_the_library_is_silent_about_damaged_files():
    program = (
        "from penstock.decoders.image.engines import nvimgcodec\n"
        "import numpy as np\n"
        "codec = nvimgcodec.library()\n"
        "decoder = codec.Decoder(device_id=codec.NVIMGCODEC_DEVICE_CPU_ONLY)\n"
        "file = np.frombuffer(b'\\xff\\xd8\\xff' + bytes(90), np.uint8)\n"
        "print(decoder.decode([codec.CodeStream(file)]))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "[None]" in done.stdout or "RuntimeError" in done.stderr
    assert "[ERROR]" not in done.stderr
