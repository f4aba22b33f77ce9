"""`device="mixed"`: the image decoders' contract is the CPU's, whatever decodes a sample."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
import simplejpeg

from penstock import Pipeline, fn, types
from penstock.decoders.image import cpu_decoding
from penstock.decoders.image.cpu_decoding import CpuDecoding
from penstock.decoders.image.formats import jpeg_batch_headers
from penstock.engine.errors import DecodeError
from penstock.engine.processes import helper_processes
from penstock.engine.tensors import TensorListGPU

from ....readers.processes import assert_soon, children

pytest.importorskip("nvidia.nvimgcodec")

OPERATORS = {
    "image": {},
    "image_random_crop": {"seed": 5},
    "image_crop": {"crop": (40, 30), "crop_pos_x": 0.3},
    "image_slice": {"rel_start": [0.1, 0.2], "rel_shape": [0.5, 0.4], "axis_names": "HW"},
}
MEAN = 1.5  # decoders of JPEG differ in rounding
PLAIN_MEAN = 12.0  # the hardware engine enlarges colors plainly, which small drawings show most


def run(
    device: str, files: list[bytes], operator: str = "image", times: int = 1, **options: Any
) -> list[Any]:
    """Decode these files as one batch; return the batches."""
    arrays = [np.frombuffer(content, np.uint8) for content in files]
    pipeline = {k: options.pop(k) for k in ("on_error", "quarantine_log") if k in options}
    with Pipeline(batch_size=len(files), num_threads=2, seed=7, **pipeline) as pipe:
        encoded = fn.external_source(source=lambda: arrays)
        decode = getattr(fn.decoders, operator)
        pipe.set_outputs(decode(encoded, device=device, **options))
        return [pipe.run()[0] for _ in range(times)]


def check(files: list[bytes], operator: str = "image", exact: bool = False, **options: Any) -> None:
    (cpu,) = run("cpu", files, operator, **options)
    (gpu,) = run("mixed", files, operator, **options)
    assert isinstance(gpu, TensorListGPU)
    assert gpu.layout() == cpu.layout() == "HWC"
    assert gpu.dtype == cpu.dtype
    full = 1.0 if np.dtype(cpu.at(0).dtype).kind == "f" else np.iinfo(cpu.at(0).dtype).max
    for wanted, row in zip(cpu.rows(), gpu.as_cpu().rows(), strict=True):
        assert row.shape == wanted.shape
        difference = np.abs(row.astype(float) - wanted.astype(float)) * (255 / full)
        if exact:
            assert difference.max() == 0
        assert difference.mean() <= (MEAN if options.get("jpeg_fancy_upsampling") else PLAIN_MEAN)


@pytest.fixture(scope="module")
def photographs(photo_tree):
    return [path.read_bytes() for path in sorted(photo_tree.root.rglob("*.jpg"))[:12]]


@pytest.mark.parametrize("fancy", [True, False])
@pytest.mark.parametrize("operator", OPERATORS)
def test_photographs(device_stage, photographs, operator, fancy):
    check(photographs, operator, jpeg_fancy_upsampling=fancy, **OPERATORS[operator])


@pytest.fixture(scope="module")
def jpegs(image_zoo):
    zoo = {name: image.path.read_bytes() for name, image in image_zoo.items()}
    return {name: content for name, content in zoo.items() if content[:2] == b"\xff\xd8"}


def differences(jpegs, expected, **options):
    (gpu,) = run("mixed", list(jpegs.values()), **options)
    means = {}
    for name, wanted, row in zip(jpegs, expected, gpu.as_cpu().rows(), strict=True):
        assert row.shape == wanted.shape, name
        means[name] = np.abs(row.astype(float) - wanted.astype(float)).mean()
    return means


def test_every_form_of_jpeg(device_stage, jpegs):
    (cpu,) = run("cpu", list(jpegs.values()))
    means = differences(jpegs, cpu.rows(), jpeg_fancy_upsampling=True)
    assert {name: mean for name, mean in means.items() if mean > MEAN} == {}


def test_the_hardware_engine_differs_by_plain_enlargement_of_colors(device_stage, jpegs):
    (cpu,) = run("cpu", list(jpegs.values()))
    smooth = differences(jpegs, cpu.rows())
    decoded = [
        simplejpeg.decode_jpeg(content, fastupsample=True)
        if wanted.shape == simplejpeg.decode_jpeg(content).shape
        else wanted
        for content, wanted in zip(jpegs.values(), cpu.rows(), strict=True)
    ]
    plain = differences(jpegs, decoded)
    nearest = {name: min(smooth[name], plain[name]) for name in jpegs}
    assert {name: mean for name, mean in nearest.items() if mean > MEAN} == {}


def test_other_formats_take_the_cpu_decoder(device_stage, image_zoo):
    files = [image.path.read_bytes() for image in image_zoo.values()]
    files = [content for content in files if content[:2] != b"\xff\xd8"]
    assert len(files) > 10
    check(files, exact=True)


def test_formats_mixed_in_a_batch(device_stage, image_zoo, photographs):
    others = [image.path.read_bytes() for image in image_zoo.values()]
    check([file for pair in zip(photographs, others, strict=False) for file in pair])


@pytest.mark.parametrize("output", ["RGB", "BGR", "GRAY", "YCbCr", "ANY_DATA"])
def test_color_spaces(device_stage, photographs, image_zoo, output):
    gray = next(i for n, i in image_zoo.items() if "gray" in n and i.path.suffix == ".jpg")
    check(
        [*photographs[:4], gray.path.read_bytes()],
        output_type=getattr(types, output),
    )


@pytest.mark.parametrize("dtype", [types.UINT16, types.INT16, types.FLOAT16, types.FLOAT])
def test_types(device_stage, photographs, dtype):
    check(photographs[:3], "image_random_crop", dtype=dtype)


@pytest.mark.parametrize("adjust", [True, False])
@pytest.mark.parametrize("operator", ["image", "image_slice"])
def test_orientations(device_stage, image_zoo, operator, adjust):
    turned = [i.path.read_bytes() for n, i in image_zoo.items() if "orient" in n or "exif" in n]
    assert len(turned) >= 8
    check(turned, operator, adjust_orientation=adjust, **OPERATORS[operator])


def test_windows_that_vary_by_sample(device_stage, photographs):
    arrays = [np.frombuffer(content, np.uint8) for content in photographs]
    results = []
    for device in ("cpu", "mixed"):
        with Pipeline(batch_size=len(arrays), num_threads=2, seed=7) as pipe:
            encoded = fn.external_source(source=lambda: arrays)
            x = fn.random.uniform(range=(0.0, 1.0))
            pipe.set_outputs(
                fn.decoders.image_crop(encoded, crop=(32, 24), crop_pos_x=x, device=device)
            )
            results.append(pipe.run()[0].as_cpu())
    for wanted, row in zip(results[0].rows(), results[1].rows(), strict=True):
        assert row.shape == wanted.shape == (32, 24, 3)
        assert np.abs(row.astype(float) - wanted).mean() <= PLAIN_MEAN


def test_many_batches_are_alike(device_stage, photographs):
    """Images are used again by later batches, while earlier ones are still held."""
    batches = run("mixed", photographs, "image", times=8, hw_decoder_load=1.0)
    first = batches[0].as_cpu().rows()
    for batch in batches:
        for wanted, row in zip(first, batch.as_cpu().rows(), strict=True):
            np.testing.assert_array_equal(row, wanted)


def test_a_bad_image_is_an_error_that_names_it(device_stage, photographs):
    with pytest.raises(DecodeError, match="unknown format") as caught:
        run("mixed", [*photographs[:2], b"no image at all"])
    assert any("sample 2" in note for note in caught.value.__notes__)


@pytest.mark.parametrize("policy", ["skip", "replace"])
@pytest.mark.parametrize("damage", ["truncated", "garbage", "empty"])
def test_a_bad_image_among_good_ones(device_stage, photographs, policy, damage, tmp_path):
    bad = {
        "truncated": photographs[1][: len(photographs[1]) // 2],
        "garbage": b"\xff\xd8" + bytes(range(256)) + b"\xff\xd9",
        "empty": b"",
    }[damage]
    files = [photographs[0], bad, *photographs[2:5]]
    log = tmp_path / "bad.jsonl"
    (batch,) = run("mixed", files, on_error=policy, quarantine_log=log)
    assert batch.valid.tolist() == [True, False, True, True, True]
    good = [row.shape for row in run("mixed", [photographs[0]])[0].as_cpu().rows()]
    assert batch.shape()[1] == good[0]
    assert "DecodeError" in log.read_text()


@pytest.mark.slow
def test_the_process_that_reads_looks_at_headers(device_stage, image_zoo, monkeypatch, tuned):
    tuned(helper_processes, WORTH_STARTING_SECONDS=0.0)
    paths = [str(image.path) for image in image_zoo.values()]
    looked_at: list[int] = []

    def memory(addresses, lengths, original=jpeg_batch_headers.memory_of):
        looked_at.append(len(lengths))
        return original(addresses, lengths)

    monkeypatch.setattr(jpeg_batch_headers, "memory_of", memory)
    with Pipeline(batch_size=len(paths), num_threads=2) as pipe:
        encoded, _ = fn.readers.file(files=paths)
        pipe.set_outputs(fn.decoders.image(encoded, device="mixed"))
        expected = pipe.run()[0].as_cpu().rows()
        deadline = time.monotonic() + 60
        while looked_at:
            assert time.monotonic() < deadline
            looked_at.clear()
            rows = pipe.run()[0].as_cpu().rows()
        for row, wanted in zip(rows, expected, strict=True):
            np.testing.assert_array_equal(row, wanted)


@pytest.mark.slow
def test_a_process_decodes_what_the_gpu_does_not(device_stage, image_zoo, monkeypatch, tuned):
    tuned(helper_processes, WORTH_STARTING_SECONDS=0.0)
    tuned(cpu_decoding, MIN_CORES=1)
    paths = [str(image.path) for image in image_zoo.values()]
    by_process: list[bool] = []

    def note(decoding, *arguments, original=CpuDecoding._by_process):
        pixels = original(decoding, *arguments)
        by_process.append(pixels is not None)
        return pixels

    monkeypatch.setattr(CpuDecoding, "_by_process", note)
    with Pipeline(batch_size=len(paths), num_threads=2, device_id=0) as pipe:
        encoded, _ = fn.readers.file(files=paths)
        pipe.set_outputs(fn.decoders.image(encoded, device="mixed", dtype=types.FLOAT))
        expected = pipe.run()[0].as_cpu().rows()
        deadline = time.monotonic() + 60
        while by_process.count(True) < 10:
            assert time.monotonic() < deadline
            rows = pipe.run()[0].as_cpu().rows()
            for row, wanted in zip(rows, expected, strict=True):
                np.testing.assert_array_equal(row, wanted)
        remark = "a process of its own decodes what the GPU does not"
        assert remark in str(pipe.stats())
    pipe.close()
    assert_soon(lambda: not children())


def test_a_window_outside_of_the_image(device_stage, photographs):
    with pytest.raises(ValueError, match="reaches out"):
        run("mixed", photographs[:2], "image_crop", crop=(5000, 10))


def test_an_empty_batch_of_gpu_images_is_no_problem(device_stage, image_zoo):
    png = next(i.path.read_bytes() for i in image_zoo.values() if i.path.suffix == ".png")
    check([png, png], exact=True)


@pytest.mark.gpu
@pytest.mark.parametrize("share", [0.0, 1.0])
def test_with_and_without_the_hardware_engine(cupy, photographs, share):
    check(photographs, "image_random_crop", hw_decoder_load=share, seed=5)
