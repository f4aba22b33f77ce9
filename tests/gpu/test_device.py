"""The device stage on a real GPU: copies there and back, order, errors and memory."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

from penstock import fn, pipeline_def, types
from penstock.engine.tensors import TensorListCPU, TensorListGPU

pytestmark = pytest.mark.gpu


@pipeline_def(batch_size=8, num_threads=2, seed=5)
def copies(folder: str) -> Any:
    encoded, labels = fn.readers.file(file_root=folder, random_shuffle=True)
    images = fn.decoders.image_random_crop(encoded, output_type=types.RGB)
    shapes = images.shape()
    there = images.gpu()
    return there, there.cpu(), images, labels.gpu(), labels, shapes


def test_batches_survive_the_way_to_the_device_and_back(cupy, photo_tree):
    with copies(str(photo_tree.root)) as pipe:
        for _ in range(20):
            there, back, images, labels_there, labels, _ = pipe.run()
            assert isinstance(there, TensorListGPU)
            assert isinstance(back, TensorListCPU)
            assert there.layout() == back.layout() == "HWC"
            for i in range(8):
                expected = images.at(i)
                np.testing.assert_array_equal(back.at(i), expected)
                np.testing.assert_array_equal(cupy.asnumpy(cupy.asarray(there[i])), expected)
            assert (cupy.asnumpy(labels_there.dense()) == labels.as_array()).all()


def test_device_output_is_taken_without_a_copy(cupy, photo_tree):
    with copies(str(photo_tree.root)) as pipe:
        labels = pipe.run()[3]
        assert cupy.asarray(labels).data.ptr == labels.data_ptr()
        assert cupy.from_dlpack(labels).data.ptr == labels.data_ptr()
        torch = pytest.importorskip("torch")
        assert torch.from_dlpack(labels).data_ptr() == labels.data_ptr()


def test_no_thread_is_left(cupy, photo_tree):
    before = set(threading.enumerate())
    with copies(str(photo_tree.root)) as pipe:
        pipe.run()
    assert set(threading.enumerate()) == before


def test_same_batches_whatever_the_queue(cupy, photo_tree):
    results = []
    for depth in (1, {"cpu_size": 3, "gpu_size": 2}):
        with copies(str(photo_tree.root), prefetch_queue_depth=depth) as pipe:
            results.append([pipe.run()[1].at(3).copy() for _ in range(5)])
    for one, other in zip(*results, strict=True):
        np.testing.assert_array_equal(one, other)


def test_an_error_before_the_device_stage_is_raised(cupy, tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "bad.jpg").write_bytes(b"no image")
    with copies(str(tmp_path), batch_size=1) as pipe, pytest.raises(ValueError, match="no image"):
        pipe.run()
