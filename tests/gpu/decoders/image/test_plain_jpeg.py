"""The hardware JPEG engine and threads of the CPU, which decode the files of a batch together."""

from __future__ import annotations

import numpy as np
import pytest
import simplejpeg

from penstock import Pipeline, fn, types
from penstock.decoders.image import plain_jpeg
from penstock.decoders.image.engines import nvjpeg
from penstock.engine.errors import DecodeError
from penstock.engine.gpu.device import Device

from ...emulator import EmulatedDevice, HostEngine

pytest.importorskip("nvidia.nvimgcodec")

PLAIN_MEAN = 12.0  # the engine enlarges colors plainly, which small drawings show most


@pytest.fixture(autouse=True)
def engine(device_stage, monkeypatch):
    """An engine on machines without a GPU; the real one on others."""
    if device_stage:
        if nvjpeg._library() is None:
            pytest.skip("nvJPEG is not installed")
        return
    monkeypatch.setattr(plain_jpeg, "HardwareDecoder", HostEngine)


@pytest.fixture(scope="module")
def photographs(photo_tree):
    return [path.read_bytes() for path in sorted(photo_tree.root.rglob("*.jpg"))[:12]]


def run(device, files, operator="image", times=1, **options):
    arrays = [np.frombuffer(content, np.uint8) for content in files]
    with Pipeline(batch_size=len(files), num_threads=2, seed=7) as pipe:
        encoded = fn.external_source(source=lambda: arrays)
        pipe.set_outputs(getattr(fn.decoders, operator)(encoded, device=device, **options))
        return [[np.array(row) for row in pipe.run()[0].as_cpu().rows()] for _ in range(times)]


@pytest.mark.parametrize("load", [None, 1.0, 0.5, 0.01])
@pytest.mark.parametrize(
    ("operator", "options"),
    [
        ("image", {}),
        ("image", {"output_type": types.GRAY}),
        ("image", {"output_type": types.BGR, "dtype": types.FLOAT}),
        ("image_random_crop", {"seed": 5}),
        ("image_crop", {"crop": (40, 30), "crop_pos_y": 0.0, "crop_pos_x": 0.3}),
    ],
)
def test_both_decode_what_the_cpu_decodes(photographs, load, operator, options):
    on_cpu = run("cpu", photographs, operator, 5, **options)
    on_gpu = run("mixed", photographs, operator, 5, hw_decoder_load=load, **options)
    for batch, wanted in zip(on_gpu, on_cpu, strict=True):
        full = 1.0 if batch[0].dtype == np.float32 else 255
        for row, expected in zip(batch, wanted, strict=True):
            assert row.shape == expected.shape
            assert np.abs(row.astype(float) - expected).mean() * (255 / full) <= PLAIN_MEAN


def test_a_fixed_part_of_the_files_is_left_to_threads(photographs, monkeypatch):
    decoded = []
    original = plain_jpeg.turbojpeg.decode_lines
    monkeypatch.setattr(
        plain_jpeg.turbojpeg, "decode_lines", lambda *a: (decoded.append(1), original(*a))[1]
    )
    one, other = (run("mixed", photographs, hw_decoder_load=0.75, times=2) for _ in range(2))
    assert len(decoded) % 3 == 0  # 3 files of 12, in each batch that was prefetched
    assert decoded
    for rows, others in zip([*one[0], *one[1]], [*other[0], *other[1]], strict=True):
        np.testing.assert_array_equal(rows, others)


def test_threads_take_no_more_memory_than_they_may(photographs, monkeypatch, tuned):
    largest = max(simplejpeg.decode_jpeg(content).nbytes for content in photographs)
    tuned(plain_jpeg, pinned_bytes=2 * largest)
    lent = []
    for each in (Device, EmulatedDevice):

        def pinned(self, nbytes, original=each.pinned):
            lent.append(nbytes)
            return original(self, nbytes)

        monkeypatch.setattr(each, "pinned", pinned)
    (rows,) = run("mixed", photographs, hw_decoder_load=0.01)
    assert 0 < max(lent) <= 2 * largest
    for row, wanted in zip(rows, run("cpu", photographs)[0], strict=True):
        assert np.abs(row.astype(float) - wanted).mean() <= PLAIN_MEAN


def test_threads_decode_files_that_lie_on_their_sides(photographs):
    # SOI, then an EXIF segment with orientation 6, then the rest.
    exif = b"Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0"
    segment = b"\xff\xe1" + (len(exif) + 2).to_bytes(2, "big") + exif
    turned = [content[:2] + segment + content[2:] for content in photographs]
    (wanted,) = run("cpu", turned, "image_crop", crop=(20, 50))
    (rows,) = run("mixed", turned, "image_crop", crop=(20, 50), hw_decoder_load=0.01)
    for row, expected in zip(rows, wanted, strict=True):
        assert row.shape == expected.shape == (20, 50, 3)
        assert np.abs(row.astype(float) - expected).mean() <= PLAIN_MEAN


def test_threads_report_damage(photographs):
    content = bytearray(photographs[0])
    middle = len(content) // 2
    content[middle : middle + 64] = b"\xff\xd0" * 32  # restart markers where none belong
    with pytest.raises(DecodeError):
        run("mixed", [bytes(content)] * 4, hw_decoder_load=0.01)
