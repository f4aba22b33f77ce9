"""Files are decoded by a process as in a thread; what the process cannot do, the thread does."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import cv2
import numpy as np
import pytest

from penstock.decoders.image import cpu_decoding
from penstock.decoders.image.cpu_decoding import CpuDecoding
from penstock.decoders.image.decode import decode
from penstock.decoders.image.table import read_decodable_header
from penstock.engine.errors import DecodeError
from penstock.engine.tensors.memory import SlabPool

from ...readers.processes import start

ROI = 20, 30, 180, 270


@pytest.fixture
def pool(tuned) -> SlabPool:
    tuned(cpu_decoding, MIN_CORES=1)
    return SlabPool(shared=True)


@pytest.fixture
def decoding(pool: SlabPool) -> Iterator[Callable[..., CpuDecoding]]:
    """Return decoders with these arguments, and close them in the end."""
    made = []

    def make(
        output: str = "RGB",
        dtype: Any = np.uint8,
        pool: SlabPool = pool,
    ) -> CpuDecoding:
        made.append(CpuDecoding(pool.arena, output, np.dtype(dtype), True, threads=2))
        return made[-1]

    yield make
    for each in made:
        each.close()
        each.close()


@pytest.fixture
def encoded(pool: SlabPool) -> dict[str, np.ndarray]:
    """Files of 200 x 300 pixels in memory of the pool."""
    noise = np.random.default_rng(5).integers(0, 256, (25, 38, 3), np.uint8)
    image = cv2.resize(noise, (300, 200))
    progressive = [cv2.IMWRITE_JPEG_PROGRESSIVE, 1]
    files = {
        "progressive": cv2.imencode(".jpg", image, progressive)[1],
        "png": cv2.imencode(".png", image)[1],
        "gray": cv2.imencode(".jpg", image[..., 1], progressive)[1],
    }
    for name, file in files.items():
        files[name] = pool.empty((max(file.size, 1 << 16),))[: file.size]
        files[name][:] = file.reshape(-1)
    return files


@pytest.fixture
def decoded(pool: SlabPool) -> Callable[..., np.ndarray]:
    """Decode a file into memory of the pool."""

    def decode(decoding: CpuDecoding, file: np.ndarray) -> np.ndarray:
        return decoding.decode(file, ROI, read_decodable_header(file), pool.empty)

    return decode


def in_process(decoding: CpuDecoding) -> CpuDecoding:
    """Start the process, and forbid its work to this one."""
    start(decoding._process)
    decoding._decode = None  # type: ignore[assignment]
    return decoding


@pytest.mark.parametrize(
    ("output", "dtype"), [("RGB", "u1"), ("BGR", "f4"), ("GRAY", "u1"), ("ANY_DATA", "u2")]
)
def test_a_process_decodes_as_a_thread_does(decoding, decoded, encoded, pool, output, dtype):
    helped = in_process(decoding(output, dtype))
    for file in encoded.values():
        image = decoded(helped, file)
        expected = decode(file, output=output, dtype=dtype, roi=ROI)
        np.testing.assert_array_equal(image, expected)
        assert image.dtype == expected.dtype
        assert pool.arena.slot_of(image) is not None


@pytest.mark.slow
def test_it_starts_after_a_while_and_serves_several_threads(decoding, decoded, encoded):
    helped = decoding()
    expected = {name: decode(file, roi=ROI) for name, file in encoded.items()}
    assert not helped._process.is_there
    with ThreadPoolExecutor(4) as threads:
        while not helped._process.is_there:
            images = threads.map(lambda file: decoded(helped, file), encoded.values())
            for name, image in zip(encoded, images, strict=True):
                np.testing.assert_array_equal(image, expected[name])
        helped._decode = None
        names = [*encoded] * 20
        images = threads.map(lambda name: decoded(helped, encoded[name]), names)
        for name, image in zip(names, images, strict=True):
            np.testing.assert_array_equal(image, expected[name])


def test_a_file_that_it_cannot_decode_raises_here(decoding, encoded, pool):
    file = encoded["png"]
    header = read_decodable_header(file)
    file[file.size // 2 :] = 0
    helped = decoding()
    start(helped._process)
    with pytest.raises(DecodeError) as caught:
        helped.decode(file, ROI, header, pool.empty)
    with pytest.raises(DecodeError) as expected:
        decode(file, roi=ROI, header=header)
    assert str(caught.value) == str(expected.value)
    assert helped._process.is_there


def test_blemishes_are_reported(decoding, encoded, pool):
    file = encoded["progressive"]
    zeros = np.concatenate([file[:-2], np.zeros(20, np.uint8), file[-2:]])
    reports: list[list[str]] = []
    images = []
    for start_process in (False, True):
        reports.append([])
        helped = decoding()
        if start_process:
            in_process(helped)
        blemished = pool.empty((1 << 16,))[: zeros.size]
        blemished[:] = zeros
        header, report = read_decodable_header(file), reports[-1].append
        images.append(helped.decode(blemished, ROI, header, pool.empty, report))
    assert reports[0]
    assert reports[0] == reports[1]
    np.testing.assert_array_equal(*images)


def test_after_its_death_threads_go_on(decoding, decoded, encoded):
    helped = decoding()
    os.kill(start(helped._process), signal.SIGKILL)
    for _ in range(3):
        image = decoded(helped, encoded["png"])
        np.testing.assert_array_equal(image, decode(encoded["png"], roi=ROI))
    assert "the process that decodes was ended by the signal SIGKILL" in helped.path_used


@pytest.mark.parametrize("outside", ["encoded", "pixels", "header"])
def test_what_the_process_does_not_see_is_decoded_here(decoding, encoded, pool, outside):
    helped = decoding()
    start(helped._process)
    file, roi = encoded["png"], (0, 0, 10, 10) if outside == "pixels" else ROI
    if outside == "encoded":
        file = file.copy()
    header = None if outside == "header" else read_decodable_header(file)
    image = helped.decode(file, roi, header, pool.empty)
    np.testing.assert_array_equal(image, decode(file, roi=roi))


@pytest.mark.parametrize("reason", ["private memory", "few cores"])
def test_there_may_be_no_process(decoding, decoded, encoded, tuned, reason):
    if reason == "few cores":
        tuned(cpu_decoding, MIN_CORES=1 + len(os.sched_getaffinity(0)))
        alone = decoding()
    else:
        alone = decoding(pool=SlabPool(shared=False))
    assert alone._process is None
    assert alone.path_used == ""
    image = decoded(alone, encoded["png"])
    np.testing.assert_array_equal(image, decode(encoded["png"], roi=ROI))
