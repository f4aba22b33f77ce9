"""Kernels are compiled before batches need them, on a device, real or emulated."""

from __future__ import annotations

import threading
import time

import cv2
import numpy as np
import pytest
import simplejpeg

from penstock import Pipeline, fn, types
from penstock.auto_aug import augmentations, auto_augment
from penstock.decoders.image.image_decoder import ImageDecoder
from penstock.engine.gpu.device import Device
from penstock.engine.graph.rules import GpuRules
from penstock.engine.run import gpu_work
from penstock.operators.elementwise.cast import Cast
from penstock.operators.resize.resize import Resize
from penstock.operators.resize.tensor_resize import TensorResize
from penstock.operators.warp.warp_affine import WarpAffine
from penstock.testing.emulator import EmulatedDevice

from ....engine.toys import own_threads

pytest.importorskip("nvidia.nvimgcodec")

STEPS = {
    "rotate": lambda images: fn.rotate(images, angle=fn.random.uniform(range=[-30.0, 30.0])),
    "colors": lambda images: fn.color_twist(images, hue=fn.random.uniform(range=[-20.0, 20.0])),
    "blur": lambda images: fn.gaussian_blur(images, sigma=fn.random.uniform(range=[0.5, 3.0])),
    "brightness": lambda images: fn.brightness(
        images, brightness=fn.random.uniform(range=[0.5, 1.5])
    ),
    "policy": lambda images: auto_augment.auto_augment(images),
    "rotation": lambda images: augmentations.rotate.op(images, [20.0]),
    "cast": lambda images: fn.cast(images, dtype=types.FLOAT),
    "crop": lambda images: fn.crop(
        images, crop=(20, 20), crop_pos_x=fn.random.uniform(range=[0.0, 1.0])
    ),
}


@pytest.fixture
def launched(device_stage, monkeypatch):
    """The kernels that lanes launch, in their order; kernels do not run in the emulation."""
    kernels = []
    function = Device.kernel_function

    def noted(device, kernel, shared_bytes):
        kernels.append(kernel)
        if device_stage:
            return function(device, kernel, shared_bytes)
        return lambda *_, **__: None

    owner = Device if device_stage else EmulatedDevice
    monkeypatch.setattr(owner, "kernel_function", noted)
    return kernels


@pytest.fixture
def compiled(device_stage, monkeypatch):
    """The kernels that rehearsals have compiled."""
    kernels = []
    compile_ = gpu_work.GpuDevice.compile

    def noted(device, kernel):
        compile_(device, kernel)
        kernels.append(kernel)

    monkeypatch.setattr(gpu_work.GpuDevice, "compile", noted)
    return kernels


def training(photographs, step):
    pipe = Pipeline(batch_size=len(photographs), num_threads=4, seed=3)
    with pipe:
        encoded = fn.external_source(source=lambda: photographs)
        images = fn.decoders.image_random_crop(encoded, device="mixed", seed=5)
        images = step(fn.resize(images, size=(224, 224)))
        images = fn.crop_mirror_normalize(images, mirror=fn.random.coin_flip())
        pipe.set_outputs(images)
    return pipe


@pytest.fixture(scope="module")
def photographs():
    """Files of usual sizes."""
    random = np.random.default_rng(1)
    sizes = [(375, 500), (500, 375), (333, 500), (768, 1024)] * 4
    small = random.integers(0, 256, (16, 24, 32, 3), np.uint8)
    pixels = [cv2.resize(picture, size[::-1]) for picture, size in zip(small, sizes, strict=True)]
    return [np.frombuffer(simplejpeg.encode_jpeg(pixel), np.uint8) for pixel in pixels]


def wait_for(threads):
    """Wait for the end of threads that have this in their names."""
    deadline = time.monotonic() + 60
    while any(threads in thread.name for thread in own_threads()):
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.fixture(autouse=True)
def _ended():
    """Threads that compile for a closed pipeline may launch more: no other test sees that."""
    yield
    wait_for("penstock")


@pytest.mark.parametrize("step", STEPS)
def test_kernels_of_the_first_batches_are_named(photographs, launched, compiled, step):
    with training(photographs, STEPS[step]) as pipe:
        for _ in range(3):
            pipe.run()
        wait_for("compiler")
    named = [kernel for kernel in set(launched) if kernel in compiled]
    left = {kernel.function for kernel in set(launched).difference(named)}
    assert left <= {"resample_image"}  # whose variants depend on all sizes of a batch
    assert {kernel.function for kernel in named} == {kernel.function for kernel in launched}


def test_arguments_that_vary_need_not_be_known(photographs, compiled):
    def step(images):
        size = fn.random.uniform(range=[50.0, 100.0], shape=[2])
        return fn.resize(images, size=size)

    with training(photographs[:2], step) as pipe:
        pipe.run()
        wait_for("compiler")
    functions = [kernel.function for kernel in compiled]
    assert functions.count("decode_entropy") == 1
    assert "resample_image" in functions
    assert "crop_mirror_normalize" not in functions  # it follows a resize to unknown sizes


def test_user_functions_are_not_called_with_made_up_data(compiled):
    sizes = []

    def double(rows):
        sizes.append(len(rows))
        return rows

    pipe = Pipeline(batch_size=3, num_threads=2)
    with pipe:
        numbers = fn.external_source(lambda: np.ones((3, 4), np.float32)).gpu()
        numbers = fn.python_function(numbers, device="gpu", function=double, batch_processing=True)
        pipe.set_outputs(fn.cast(numbers, dtype=types.UINT8))
    with pipe:
        pipe.run()
        wait_for("compiler")
    assert set(sizes) == {3}
    assert compiled == []


def test_errors_are_those_of_batches(photographs, device_stage, monkeypatch):
    def fail(*arguments):
        raise RuntimeError("no compiler")

    monkeypatch.setattr(gpu_work.GpuDevice, "compile", fail)
    monkeypatch.setattr(ImageDecoder, "rehearse", fail)
    with training(photographs[:2], STEPS["cast"]) as pipe:
        assert len(pipe.run()[0]) == 2
        wait_for("compiler")


def test_a_closed_pipeline_compiles_no_more(photographs, device_stage, monkeypatch):
    begun, may_end, kernels = threading.Event(), threading.Event(), []

    def wait(device, kernel):
        kernels.append(kernel)
        begun.set()
        assert may_end.wait(60)

    monkeypatch.setattr(gpu_work.GpuDevice, "compile", wait)
    pipe = training(photographs[:2], STEPS["cast"])
    pipe.run()
    assert begun.wait(60)
    closing = threading.Thread(target=pipe.close)
    closing.start()
    while not pipe._run.executor._stopping:
        time.sleep(0.001)
    may_end.set()
    closing.join()
    wait_for("compiler")
    assert 1 <= len(kernels) <= 4  # those at hand


def test_classes_with_other_work_on_the_gpu_say_themselves_that_they_rehearse():
    work = {"batch_gpu": lambda self, batch, data: data}
    assert Cast.on_gpu.rehearses
    assert type("Same", (Cast,), {}).on_gpu.rehearses
    assert not type("Own", (Cast,), work).on_gpu.rehearses
    willing = work | {"on_gpu": GpuRules(rehearses=True)}
    assert type("Willing", (Cast,), willing).on_gpu.rehearses
    for operator in (Resize, TensorResize, WarpAffine):
        assert operator.on_gpu.rehearses
