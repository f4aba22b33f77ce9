"""Windows are cut out of whole images on the device, and out of those in registered host memory."""

from __future__ import annotations

import mmap

import numpy as np
import pytest

from penstock.decoders.image.whole_images import cut_windows
from penstock.engine.tensors import address_of
from penstock.engine.tensors.alignment import address_of_host

BEFORE, BEHIND = 200, 16
"""Most bytes in front of an image or a window in the memory, and bytes behind a window."""


@pytest.fixture(params=["device", "host"])
def memory_with(request, gpu_device):
    """A function that returns the address of bytes, in memory of the device or of the host."""
    maps = []

    def in_host_memory(content):
        size = -(-len(content) // mmap.PAGESIZE) * mmap.PAGESIZE
        mapped = mmap.mmap(-1, size)
        mapped[size - len(content) :] = content.tobytes()  # nothing may be read behind the end
        array = np.frombuffer(mapped, np.uint8)
        address = address_of_host(array)
        gpu_device.registry.register(address, size)
        maps.append((address, array))
        return address + size - len(content)

    def in_device_memory(content):
        maps.append(gpu_device.upload(content))
        return address_of(maps[-1])

    yield in_host_memory if request.param == "host" else in_device_memory
    gpu_device.synchronize()
    for address, _ in maps if request.param == "host" else ():
        gpu_device.registry.unregister(address)


def cut(device, memory_with, images, windows, rng):
    """Cut windows out of images that begin anywhere, into memory that begins anywhere."""
    itemsize = images[0].itemsize
    addresses, offsets = [], []
    for image in images:
        before = int(rng.integers(BEFORE // itemsize)) * itemsize
        content = np.concatenate([np.full(before, 7, np.uint8), image.reshape(-1).view(np.uint8)])
        addresses.append(memory_with(content) + before)
    sizes = [
        (y1 - y0) * (x1 - x0) * image.shape[2]
        for image, (y0, x0, y1, x1) in zip(images, windows.tolist(), strict=True)
    ]
    end = 0
    for size in sizes:
        offsets.append(end + int(rng.integers(BEFORE // itemsize)) * itemsize)
        end = offsets[-1] + size * itemsize + BEHIND
    out = device.buffer(end)
    device.fill(out, 0x5A)
    results = (address_of(out) + np.array(offsets)).astype(np.uint64)
    shapes = np.array([image.shape for image in images])
    cut_windows(device, itemsize, np.array(addresses, np.uint64), shapes, windows, results)
    device.synchronize()
    return out.get(), offsets


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32"])
@pytest.mark.parametrize("sizes", [(1, 20), (60, 90), (200, 300)])
def test_windows_are_those_of_the_images(gpu_device, memory_with, dtype, sizes):
    rng = np.random.default_rng(sizes)
    shapes = np.column_stack([rng.integers(*sizes, (12, 2)), rng.integers(1, 5, 12)])
    images = [rng.integers(0, 256, shape).astype(dtype) for shape in shapes]
    low = (rng.random((12, 2)) * shapes[:, :2]).astype(np.int64)
    high = low + 1 + (rng.random((12, 2)) * (shapes[:, :2] - low)).astype(np.int64)
    low[:3], high[:3] = 0, shapes[:3, :2]  # whole images
    windows = np.hstack([low, high])
    expected = []
    for image, (y0, x0, y1, x1) in zip(images, windows.tolist(), strict=True):
        expected.append(image[y0:y1, x0:x1].tobytes())
    out, offsets = cut(gpu_device, memory_with, images, windows, rng)
    rest = np.ones(out.size, np.bool_)
    for window, at in zip(expected, offsets, strict=True):
        assert out[at : at + len(window)].tobytes() == window
        rest[at : at + len(window)] = False
    assert (out[rest] == 0x5A).all()


def test_each_thread_of_a_large_image_works_on(gpu_device, memory_with):
    """One image of more words than a launch has threads."""
    image = np.random.default_rng(3).integers(0, 256, (3000, 2100, 1), np.uint8)
    windows = np.array([[0, 1, 3000, 2100]])
    out, (at,) = cut(gpu_device, memory_with, [image], windows, np.random.default_rng(4))
    window = np.ascontiguousarray(image[:, 1:])
    assert out[at : at + window.size].tobytes() == window.tobytes()
