"""Images that decoders scale down: the same pixels with and without a cache, on both devices."""

from __future__ import annotations

import os

import cv2
import numpy as np
import pytest

from penstock import ArgumentError, Pipeline, fn, types
from penstock.decoders.image.decode import decode
from penstock.decoders.image.shrink import DTYPES, shrink, shrink_on_device, shrunk_sizes
from penstock.engine.tensors import TensorListCPU

from .pipelines import run

SHORTER = 30


@pytest.fixture
def cached():
    """Arguments of a decoder with a cache of its own."""
    return {"cache": "ram", "cache_size": 2008 + os.getpid() % 1000}


def views(arguments):
    arguments = {"shrink_shorter": SHORTER, **arguments}
    return lambda encoded: (
        fn.decoders.image(encoded, **arguments),
        fn.decoders.image_random_crop(encoded, **arguments),
        fn.decoders.image_crop(encoded, crop=(20, 16), **arguments),
        fn.decoders.image_slice(encoded, start=(3, 2), shape=(9, 7), **arguments),
    )


def test_the_shorter_side_has_the_size(files):
    whole, crops, fixed, slices = run(files, views({}))
    for path, image, crop, window in zip(files, whole, fixed, slices, strict=True):
        full = cv2.cvtColor(cv2.imread(path), cv2.COLOR_BGR2RGB)
        assert min(full.shape[:2]) > SHORTER == min(image.shape[:2])
        expected = cv2.resize(full, image.shape[1::-1], interpolation=cv2.INTER_AREA)
        assert np.abs(image.astype(int) - expected).mean() < 0.5
        top, left = (image.shape[0] - 20) // 2, (image.shape[1] - 16) // 2
        assert np.abs(image[top : top + 20, left : left + 16].astype(int) - crop).mean() < 20
        np.testing.assert_array_equal(window, image[2:9, 3:12])
    assert all(image.shape[0] <= crop.shape[0] for image, crop in zip(crops, whole, strict=True))


def test_small_images_stay_as_they_are(files):
    (images,) = run(files, lambda encoded: fn.decoders.image(encoded, shrink_shorter=5000))
    for path, image in zip(files, images, strict=True):
        np.testing.assert_array_equal(image, decode(np.fromfile(path, np.uint8)))


def test_a_cache_changes_nothing_and_holds_more(files, cached):
    plain = run(files, views({}))
    for options in (cached, {**cached, "cache_threshold": 1 << 30}):
        with Pipeline(batch_size=len(files), num_threads=2, seed=11) as pipe:
            encoded, _ = fn.readers.file(files=files)
            pipe.set_outputs(*views(options)(encoded))
        with pipe:
            for _ in range(3):
                outputs = pipe.run()
                for images, expected in zip(outputs[::3], plain[::3], strict=True):
                    for i, image in enumerate(expected):
                        np.testing.assert_array_equal(images.at(i), image)
            counts = [each.events for each in pipe.stats().operators if each.events]
            stored = sum(each.get("images stored in the cache", 0) for each in counts)
            assert stored == (0 if "cache_threshold" in options else len(files))
    full = sum(cv2.imread(path).nbytes for path in files)
    assert sum(image.nbytes for image in plain[0]) < full / 4


def test_caches_of_several_sizes_are_apart(files, cached):
    for shorter in (30, 20, 0):
        arguments = {**cached, "shrink_shorter": shorter}
        (images,) = run(files, lambda encoded: fn.decoders.image(encoded, **arguments))  # noqa: B023
        assert {min(image.shape[:2]) for image in images if shorter} <= {shorter}


def test_sizes_round_to_the_nearest():
    sizes = np.array([[500, 375], [375, 500], [256, 1000], [255, 1000], [257, 514], [3000, 2]])
    expected = [[341, 256], [256, 341], [256, 1000], [255, 1000], [256, 512], [3000, 2]]
    assert shrunk_sizes(sizes, 256).tolist() == expected
    assert shrunk_sizes(sizes, 0) is sizes


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("channels", [1, 3, 4, 6])
def test_devices_agree(gpu_device, dtype, channels):
    dtype = np.dtype(dtype)
    rng = np.random.default_rng(channels)
    full = 1.0 if dtype.kind == "f" else np.iinfo(dtype).max
    sizes = np.array([[50, 70], [61, 33], [20, 20], [19, 90], [160, 40]])
    images = [(rng.random((*size, channels)) * full).astype(dtype) for size in sizes]
    on_cpu = [shrink(image, 20, np.empty) for image in images]
    shapes = np.array([image.shape for image in on_cpu])
    source = gpu_device.to_device(TensorListCPU(images, "HWC"))
    out = gpu_device.empty(shapes, dtype)
    shrink_on_device(gpu_device, dtype, source.pointers(), sizes, out.pointers(), shapes)
    gpu_device.synchronize()
    for row, expected in zip(out.as_cpu().rows(), on_cpu, strict=True):
        tolerance = 1 if dtype.kind != "f" else full * 2e-3 if dtype.itemsize == 2 else 1e-5
        difference = np.abs(row.astype(np.float64) - expected.astype(np.float64))
        assert difference.max() <= tolerance


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"dtype": types.INT32}, "int32 may hold numbers"),
        ({"fit": 20}, "both choose the size"),
        ({"shrink_shorter": -1}, "at least 0"),
    ],
)
def test_arguments_are_checked(files, arguments, message):
    arguments = {"shrink_shorter": 20, **arguments}
    with pytest.raises(ArgumentError, match=message):
        run(files, lambda encoded: fn.decoders.image(encoded, **arguments))
