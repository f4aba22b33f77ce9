"""Outputs of pipelines lie at addresses that XLA and TensorFlow compute with: multiples of 64."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from penstock import Pipeline, fn, pipeline_def, types
from penstock.engine.run.workers.choice import Chooser
from penstock.engine.tensors.alignment import ALIGNMENT
from penstock.plugin.arrays import GenericIterator

BATCHES = 4


def offsets(output):
    """Return how far the exports of a dense output are behind an aligned address."""
    if not output.is_dense_tensor():  # its samples are where the memory of others ends
        return []
    array = output.dense()
    assert array.flags.c_contiguous
    assert array.flags.writeable
    exports = array.ctypes.data, output.as_tensor().data_ptr(), np.from_dlpack(output).ctypes.data
    return [address % ALIGNMENT for address in exports]


def check(pipe):
    """Hold several batches of a pipeline at once, and check their outputs."""
    with pipe:
        kept = [pipe.run() for _ in range(BATCHES)]
        found = {
            (i, offset)
            for outputs in kept
            for i, output in enumerate(outputs)
            for offset in offsets(output)
            if offset
        }
        assert not found


@pytest.mark.parametrize("batch_size", [1, 3, 8])
@pytest.mark.parametrize("debug", [False, True])
def test_images_labels_and_numbers(photo_tree, batch_size, debug):
    @pipeline_def(batch_size=batch_size, num_threads=2, seed=1, debug=debug)
    def definition():
        encoded, labels = fn.readers.file(file_root=str(photo_tree.root))
        images = fn.decoders.image(encoded)
        small = fn.resize(images, size=(5, 7))
        coin = fn.random.coin_flip()
        anchor, shape, boxes, classes = fn.random_bbox_crop(
            fn.constant(fdata=[0, 0, 1, 1], shape=(1, 4)),
            fn.constant(idata=[1], shape=(1,)),
            bbox_layout="xyXY",
            aspect_ratio=[0.5, 2],
            thresholds=[0, 0.1],
            scaling=[0.8, 1.0],
        )
        return (
            labels,
            images,
            small,
            fn.flip(small, horizontal=coin),
            fn.transpose(small, perm=[2, 0, 1]),
            fn.crop_mirror_normalize(small, crop=(4, 4), mirror=coin),
            small[1:, ::2],
            small.shape(),
            fn.peek_image_shape(encoded),
            fn.one_hot(labels, num_classes=8),
            labels * 2 + 1,
            fn.cast(labels, dtype=types.INT64),
            fn.reductions.mean(small, axes=[0, 1]),
            fn.random.uniform(range=(0, 1)),
            fn.random.normal(shape=[3]),
            coin,
            fn.constant(idata=7),
            types.Constant(np.arange(5)),
            fn.stack(labels, labels),
            fn.cat(labels, labels),
            fn.reshape(small, shape=[-1]),
            fn.pad(small, fill_value=1, shape=[6, 7, 3]),
            fn.permute_batch(labels, indices=[0] * batch_size),
            fn.batch_permutation(),
            fn.transforms.rotation(angle=fn.random.uniform(range=(0, 90))),
            anchor,
            shape,
            boxes,
            classes,
        )

    check(definition())


@pytest.mark.parametrize("no_copy", [False, True])
def test_data_of_the_program(no_copy):
    rng = np.random.default_rng(0)
    batches = [rng.random((3, 5), np.float32)[:, 1:] for _ in range(BATCHES)]

    @pipeline_def(batch_size=3, num_threads=2)
    def definition():
        whole = fn.external_source(batches, no_copy=no_copy)
        samples = fn.external_source([list(batch) for batch in batches], no_copy=no_copy)
        numbers = fn.external_source(lambda info: np.int64(info.idx_in_batch), batch=False)
        plus = fn.python_function(samples, function=lambda sample: sample + 1)
        turned = fn.python_function(
            whole, function=lambda rows: [row[::-1] for row in rows], batch_processing=True
        )
        return whole, samples, numbers, plus, turned

    check(definition())


def test_processes(photo_tree, limited, monkeypatch):
    """Workers and sources in processes send results through messages and shared memory."""
    root = Path(__file__).resolve().parents[1]
    monkeypatch.setattr(sys, "path", [str(root), *sys.path])
    limited(Chooser, scaling_threads=0)

    @pipeline_def(batch_size=3, num_threads=2, exec_processes=True)
    def definition():
        encoded, labels = fn.readers.file(file_root=str(photo_tree.root))
        images = fn.resize(fn.decoders.image(encoded), size=(3, 5))
        return images, labels, images.shape(), fn.reductions.sum(images)

    check(definition())


def row_of(info):
    return np.full(5, info.idx_in_epoch, np.float32), np.int64(info.idx_in_epoch)


@pytest.mark.usefixtures("importable_tests")
def test_a_source_in_processes():
    @pipeline_def(batch_size=3, num_threads=1, py_num_workers=2)
    def definition():
        return tuple(fn.external_source(row_of, num_outputs=2, batch=False, parallel=True))

    check(definition())


def test_arrays_in_files(tmp_path):
    for i in range(9):
        np.save(tmp_path / f"{i}.npy", np.arange(i % 3, i % 3 + 5, dtype=np.float64))

    @pipeline_def(batch_size=3, num_threads=2)
    def definition():
        return fn.readers.numpy(file_root=str(tmp_path), file_filter="*.npy")

    check(definition())


def test_a_stored_pipeline_with_conditions(photo_tree):
    @pipeline_def(batch_size=3, num_threads=2, enable_conditionals=True, seed=3)
    def definition():
        encoded, labels = fn.readers.file(file_root=str(photo_tree.root))
        images = fn.resize(fn.decoders.image(encoded), size=(3, 5))
        if fn.random.coin_flip():
            images = fn.flip(images)
            labels = labels + 1
        return images, labels

    check(Pipeline.deserialize(definition().serialize()))


def test_batches_of_iterators(photo_tree):
    @pipeline_def(batch_size=5, num_threads=2)
    def definition():
        _, labels = fn.readers.file(file_root=str(photo_tree.root), name="files")
        return labels

    with GenericIterator(definition(), ["x"], reader_name="files", with_valid=True) as batches:
        found = [array for (batch,) in batches for array in batch.values()]
    assert {array.ctypes.data % ALIGNMENT for array in found} == {0}
