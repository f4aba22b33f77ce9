"""The hardware JPEG engine and CUDA cores, which decode the files of a batch together."""

from __future__ import annotations

import io
import threading
from contextlib import closing

import numpy as np
import pytest
import simplejpeg
from PIL import Image

from penstock import Pipeline, fn, types
from penstock.decoders.image import plain_jpeg
from penstock.decoders.image.engine_share import EngineShare
from penstock.decoders.image.engines import nvjpeg
from penstock.engine.errors import DecodeError
from penstock.engine.gpu.rehearsal_device import RehearsalDevice
from penstock.testing.emulator import HostEngine

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
    with closing(Pipeline(batch_size=len(files), num_threads=2, seed=7)) as pipe, pipe:
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


def decoded_by_cuda(monkeypatch):
    """Return a list of the lengths of the files that CUDA cores decode from now on."""
    for thread in threading.enumerate():  # on a busy machine lanes of earlier tests may go on
        if thread.name.startswith("penstock-device"):
            thread.join(60)
    lengths, original = [], plain_jpeg.decode_windows

    def decode_windows(device, encoded, files, *arguments, **options):
        if not isinstance(device, RehearsalDevice):
            lengths.append(files.lengths.tolist())
        return original(device, encoded, files, *arguments, **options)

    monkeypatch.setattr(plain_jpeg, "decode_windows", decode_windows)
    return lengths


def test_a_fixed_part_of_the_files_is_left_to_cuda_cores(photographs, monkeypatch):
    lengths = decoded_by_cuda(monkeypatch)
    one, other = (run("mixed", photographs, hw_decoder_load=0.75, times=2) for _ in range(2))
    smallest = sorted(len(content) for content in photographs)[:3]
    assert lengths
    assert all(sorted(length) == smallest for length in lengths)
    for rows, others in zip([*one[0], *one[1]], [*other[0], *other[1]], strict=True):
        np.testing.assert_array_equal(rows, others)


def test_without_an_engine_pixels_are_those_of_the_cpu(photographs, monkeypatch):
    lengths = decoded_by_cuda(monkeypatch)
    for operator, options in (("image", {}), ("image_random_crop", {"seed": 5})):
        (wanted,) = run("cpu", photographs, operator, **options)
        (rows,) = run("mixed", photographs, operator, hw_decoder_load=0.0, **options)
        for row, expected in zip(rows, wanted, strict=True):
            np.testing.assert_array_equal(row, expected)
    assert len(lengths[0]) == len(photographs)


def test_parts_take_no_more_memory_than_they_may(photographs, monkeypatch, tuned):
    lengths = decoded_by_cuda(monkeypatch)
    tuned(plain_jpeg, CUDA_PART_BYTES=1 << 20)
    (rows,) = run("mixed", photographs, hw_decoder_load=0.0)
    assert 1 < len(lengths[0]) < len(photographs)
    for row, wanted in zip(rows, run("cpu", photographs)[0], strict=True):
        np.testing.assert_array_equal(row, wanted)


@pytest.mark.parametrize("operator", ["image", "image_random_crop"])
def test_the_engine_decodes_in_parts_and_each_batch_is_noted_once(
    photographs, monkeypatch, tuned, operator
):
    (wanted,) = run("mixed", photographs, operator, hw_decoder_load=1.0)
    tuned(plain_jpeg, ENGINE_PART_BYTES=200_000)
    lengths, noted = [], []
    decode, note = plain_jpeg.HardwareDecoder.decode, EngineShare.note

    def decode_part(decoder, encoded, *rest):
        lengths.append(len(encoded))
        return decode(decoder, encoded, *rest)

    def note_batch(share, *figures):
        noted.append(figures)
        note(share, *figures)

    monkeypatch.setattr(plain_jpeg.HardwareDecoder, "decode", decode_part)
    monkeypatch.setattr(EngineShare, "note", note_batch)
    (rows,) = run("mixed", photographs, operator, hw_decoder_load=1.0)
    for row, expected in zip(rows, wanted, strict=True):
        np.testing.assert_array_equal(row, expected)
    assert max(lengths) < len(photographs)
    assert 0 < len(noted) <= -(-sum(lengths) // len(photographs))


def test_the_cpu_decodes_what_the_engine_leaves_out(photographs, monkeypatch):
    decode = plain_jpeg.HardwareDecoder.decode

    def decode_all_but_two(decoder, *arguments):
        decoded = decode(decoder, *arguments)
        decoded.is_written[[0, 5]] = False
        return decoded

    monkeypatch.setattr(plain_jpeg.HardwareDecoder, "decode", decode_all_but_two)
    (wanted,) = run("cpu", photographs)
    (rows,) = run("mixed", photographs, hw_decoder_load=1.0)
    sizes = np.array([row.size for row in wanted])
    left_out = np.argsort(-sizes, kind="stable")[[0, 5]]  # the engine gets the largest files first
    for i, (row, expected) in enumerate(zip(rows, wanted, strict=True)):
        if i in left_out:
            np.testing.assert_array_equal(row, expected)
        assert np.abs(row.astype(float) - expected).mean() <= PLAIN_MEAN


def test_gray_files_and_restart_intervals(photographs, monkeypatch):
    lengths = decoded_by_cuda(monkeypatch)
    pixels = simplejpeg.decode_jpeg(photographs[0])
    gray = simplejpeg.encode_jpeg(pixels[..., :1].copy(), 90, "GRAY", "Gray")
    restarted = []
    for mode in ("RGB", "L"):
        file = io.BytesIO()
        image = Image.fromarray(pixels).convert(mode)
        image.save(file, "JPEG", subsampling=0, restart_marker_rows=1)
        restarted.append(file.getvalue())
    files = [gray, *restarted, photographs[1]]
    for output in (types.RGB, types.GRAY, types.YCbCr):
        (wanted,) = run("cpu", files, output_type=output)
        (rows,) = run("mixed", files, output_type=output, hw_decoder_load=1.0)
        for row, expected in zip(rows, wanted, strict=True):
            assert row.shape == expected.shape
            assert np.abs(row.astype(float) - expected).mean() <= PLAIN_MEAN
        np.testing.assert_allclose(rows[0].astype(int), wanted[0], atol=output == types.YCbCr)
    # On a busy machine a pipeline of another test may end in the middle of this test.
    assert not any(len(gray) in lengths_of_call for lengths_of_call in lengths)


@pytest.mark.parametrize("load", [0.0, None, 1.0])
@pytest.mark.parametrize("sampling", ["4:4:4", "4:2:2", "4:2:0"])
@pytest.mark.parametrize("options", [{}, {"restart_marker_rows": 1}, {"progressive": True}])
def test_gray_files_whose_factors_are_not_one(photographs, load, sampling, options):
    # Pillow writes the factors of luma into gray files, too. The engine would take them seriously.
    files = []
    for i, photograph in enumerate(photographs[:8] * 4):
        image = Image.fromarray(simplejpeg.decode_jpeg(photograph)).convert("RGB" if i % 2 else "L")
        file = io.BytesIO()
        image.save(file, "JPEG", subsampling=sampling, **options)
        files.append(file.getvalue())
    for output in (types.RGB, types.GRAY):
        (wanted,) = run("cpu", files, output_type=output)
        (rows,) = run("mixed", files, output_type=output, hw_decoder_load=load)
        for i, (row, expected) in enumerate(zip(rows, wanted, strict=True)):
            differences = np.abs(row.astype(float) - expected)
            assert differences.mean() <= (PLAIN_MEAN if i % 2 else 1)


@pytest.mark.parametrize("load", [0.0, 1.0])
def test_files_that_are_too_long_for_cuda_cores(photographs, monkeypatch, load):
    lengths = decoded_by_cuda(monkeypatch)
    gray = simplejpeg.encode_jpeg(np.full((90, 70, 1), 77, np.uint8), 90, "GRAY", "Gray")
    monkeypatch.setattr(plain_jpeg, "MOST_BYTES", len(gray) - 1)
    for output in (types.RGB, types.GRAY):
        (wanted,) = run("cpu", [gray, photographs[0]], output_type=output)
        (rows,) = run("mixed", [gray, photographs[0]], output_type=output, hw_decoder_load=load)
        for row, expected in zip(rows, wanted, strict=True):
            assert row.shape == expected.shape
            assert np.abs(row.astype(float) - expected).mean() <= PLAIN_MEAN
    assert not lengths


def test_cuda_cores_decode_files_that_lie_on_their_sides(photographs):
    # SOI, then an EXIF segment with orientation 6, then the rest.
    exif = b"Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0"
    segment = b"\xff\xe1" + (len(exif) + 2).to_bytes(2, "big") + exif
    turned = [content[:2] + segment + content[2:] for content in photographs]
    (wanted,) = run("cpu", turned, "image_crop", crop=(20, 50))
    (rows,) = run("mixed", turned, "image_crop", crop=(20, 50), hw_decoder_load=0.01)
    for row, expected in zip(rows, wanted, strict=True):
        assert row.shape == expected.shape == (20, 50, 3)
        assert np.abs(row.astype(float) - expected).mean() <= PLAIN_MEAN


def test_damage_that_cuda_cores_find_is_an_error(photographs):
    content = bytearray(photographs[0])
    middle = len(content) // 2
    content[middle : middle + 64] = b"\xff\xd0" * 32  # restart markers where none belong
    with pytest.raises(DecodeError):
        run("mixed", [bytes(content)] * 4, hw_decoder_load=0.01)
