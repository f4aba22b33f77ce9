"""Paddle tensors from pipelines."""

from __future__ import annotations

import ctypes
from types import MappingProxyType

import numpy as np
import pytest

from penstock import ArgumentError, Pipeline, fn
from penstock.tensors import TensorCPU, TensorListCPU

paddle = pytest.importorskip("paddle", reason="PaddlePaddle is not installed")

from penstock.plugin.paddle import (  # noqa: E402
    ClassificationIterator,
    DALIClassificationIterator,
    DALIGenericIterator,
    GenericIterator,
    feed_ndarray,
    to_paddle_type,
)
from penstock.testing.iterators import IteratorConformance  # noqa: E402

VARIABLE = paddle.framework.core.VarDesc.VarType
SAME = ("uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "bool")
WIDENED = {"uint16": "int32", "uint32": "int64"}


class TestGenericIterator(IteratorConformance):
    iterator = GenericIterator
    tensor = paddle.Tensor
    dtypes = MappingProxyType({**WIDENED, "uint64": None})

    def to_numpy(self, tensor):
        return tensor.numpy()

    def address(self, tensor):
        return tensor.data_ptr()


@pytest.mark.parametrize("dtype", WIDENED)
def test_paddle_computes_with_widened_numbers(feed, dtype):
    largest = np.iinfo(dtype).max
    (batch,) = next(GenericIterator(feed([np.array([largest, largest], dtype)]), ["x"]))
    assert (batch["x"] + batch["x"]).sum().item() == 4 * largest


def labels(batch):
    return batch["label"].numpy().ravel().tolist()


def by_reader(pipelines, **options):
    return GenericIterator(pipelines, ["label"], reader_name="Reader", **options)


def test_samples_of_several_shapes_are_joined_at_a_level_of_detail(feed):
    rows = [np.full((n, 3), n, np.uint16) for n in (2, 1, 3, 4)]
    iterator = GenericIterator(feed([rows, rows]), [("x", 1)], 7, last_batch_policy="partial")
    (batch,), (last,) = iterator
    assert batch["x"].dtype == paddle.int32
    np.testing.assert_array_equal(batch["x"].numpy(), np.concatenate(rows))
    assert batch["x"].get_tensor().lod() == [[0, 2, 3, 6, 10]]
    np.testing.assert_array_equal(last["x"].numpy(), np.concatenate(rows[:3]))
    assert last["x"].get_tensor().lod() == [[0, 2, 3, 6]]


def test_two_levels_of_detail(feed):
    rows = [np.arange(2 * n).reshape(2, n) for n in (1, 2, 3, 4)]
    ((batch,),) = GenericIterator(feed([rows]), [("x", 2)])
    assert batch["x"].get_tensor().lod() == [[0, 2, 4, 6, 8], [0, 1, 2, 4, 6, 9, 12, 16, 20]]
    np.testing.assert_array_equal(batch["x"].numpy(), np.concatenate([r.ravel() for r in rows]))


def test_what_cannot_be_one_tensor(feed):
    rows = [np.ones((2, n)) for n in (1, 2, 3, 4)]
    with pytest.raises(ArgumentError, match=r'\("x", 1\) in output_map'):
        next(GenericIterator(feed([rows]), ["x"]))
    with pytest.raises(ArgumentError, match=r"'x': at level of detail 1 .* \(2, 1\), \(2, 2\)"):
        next(GenericIterator(feed([rows]), [("x", 1)]))
    with pytest.raises(ArgumentError, match="or more"):
        next(GenericIterator(feed([rows]), [("x", 3)]))


@pytest.mark.parametrize("entry", [("x", -1), ("x", "1"), 3, ("x", 1, 2), (1, 1)])
def test_names_and_levels_are_checked(feed, entry):
    with pytest.raises(ArgumentError, match="pairs of a name and a level of detail"):
        GenericIterator(feed([np.ones((4, 1))]), [entry])


def test_types_of_elements_are_what_functions_of_paddle_take():
    assert to_paddle_type(TensorCPU(np.ones(1, np.float32))) == VARIABLE.FP32
    for dtype, made in [*zip(SAME, SAME, strict=True), *WIDENED.items()]:
        kind = to_paddle_type(TensorListCPU(np.ones((2, 1), dtype)))
        assert paddle.zeros([1], dtype=kind).dtype == getattr(paddle, made)
    with pytest.raises(ArgumentError, match="uint64"):
        to_paddle_type(TensorCPU(np.ones(1, np.uint64)))


@pytest.mark.parametrize("dtype", SAME)
def test_feeding_an_address(dtype):
    rows = np.array([[0, 1, 1], [1, 0, 1]], dtype)
    tensor = paddle.framework.core.DenseTensor()
    tensor._set_dims([2, 3])
    address = tensor._mutable_data(paddle.CPUPlace(), to_paddle_type(TensorCPU(rows)))
    assert feed_ndarray(TensorCPU(rows), address) == address
    np.testing.assert_array_equal(np.array(tensor), rows)
    feed_ndarray(TensorListCPU(1 - rows.astype(np.int8)), ctypes.c_void_p(address))


def test_feeding_a_tensor():
    rows = np.arange(6, dtype=np.float32).reshape(2, 3)
    tensor = paddle.zeros([2, 3])
    assert feed_ndarray(TensorListCPU(rows), tensor) is tensor
    np.testing.assert_array_equal(tensor.numpy(), rows)
    for other in (paddle.zeros([3, 2]), paddle.zeros([2, 3], "float64")):
        with pytest.raises(ArgumentError, match="cannot copy float32 of shape"):
            feed_ndarray(TensorListCPU(rows), other)
    with pytest.raises(ArgumentError, match="contiguous"):
        feed_ndarray(TensorListCPU(rows), paddle.zeros([3, 2]).t())


def test_static_graphs_take_batches_as_they_are(numbers):
    with by_reader(numbers(4, 2), last_batch_policy="partial") as iterator:
        paddle.enable_static()
        try:
            program = paddle.static.Program()
            with paddle.static.program_guard(program):
                result = paddle.static.data("label", [None, 1], "int32") * 2
            run = paddle.static.Executor(paddle.CPUPlace()).run
            results = [run(program, feed=batch, fetch_list=[result])[0] for (batch,) in iterator]
        finally:
            paddle.disable_static()
    assert [result.ravel().tolist() for result in results] == [[0, 2], [4, 6]]


def test_names_of_dali():
    assert DALIGenericIterator is GenericIterator
    assert DALIClassificationIterator is ClassificationIterator


@pytest.mark.gpu
def test_batches_on_the_gpu(device_stage, numbered_files, pipelines):
    pipeline = Pipeline(batch_size=2, num_threads=1, device_id=0)
    with pipeline:
        _, label = fn.readers.file(files=numbered_files[:4], name="Reader")
        pipeline.set_outputs(label.gpu())
    pipelines.append(pipeline)
    iterator = by_reader(pipeline)
    if paddle.is_compiled_with_cuda():
        assert [labels(batch) for (batch,) in iterator] == [[0, 1], [2, 3]]
        return
    with pytest.raises(ArgumentError, match="'label' lies on the GPU, but this Paddle is built"):
        next(iterator)
