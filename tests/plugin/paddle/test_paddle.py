"""Paddle tensors from pipelines."""

from __future__ import annotations

import ctypes
import gc
import os
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from penstock import ArgumentError, DecodeError, Pipeline, fn
from penstock.tensors import TensorCPU, TensorListCPU

paddle = pytest.importorskip("paddle", reason="PaddlePaddle is not installed")

from penstock.plugin.paddle import (  # noqa: E402
    ClassificationIterator,
    DALIClassificationIterator,
    DALIGenericIterator,
    GenericIterator,
    LastBatchPolicy,
    feed_ndarray,
    to_paddle_type,
)

VARIABLE = paddle.framework.core.VarDesc.VarType
SAME = ("uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "bool")
WIDENED = {"uint16": "int32", "uint32": "int64"}


def labels(batch):
    return batch["label"].numpy().ravel().tolist()


def by_reader(pipelines, **options):
    return GenericIterator(pipelines, ["label"], reader_name="Reader", **options)


def test_one_dictionary_a_pipeline(numbers):
    shards = [numbers(8, 2, rank, 2) for rank in (0, 1)]
    for batch in by_reader(shards):
        assert [list(outputs) for outputs in batch] == [["label"], ["label"]]
        assert all(type(outputs["label"]) is paddle.Tensor for outputs in batch)
        assert [tuple(outputs["label"].shape) for outputs in batch] == [(2, 1), (2, 1)]


@pytest.mark.parametrize(("dtype", "made"), [*zip(SAME, SAME, strict=True), *WIDENED.items()])
def test_element_types(feed, dtype, made):
    kind = np.dtype(dtype).kind
    largest = np.iinfo(dtype).max if kind in "iu" else 1
    rows = np.array([[0, 1], [1, largest]], dtype)
    (batch,) = next(GenericIterator(feed([rows]), ["x"]))
    assert batch["x"].dtype == getattr(paddle, made)
    np.testing.assert_array_equal(batch["x"].numpy(), rows)
    if dtype in WIDENED:
        assert (batch["x"] + batch["x"]).sum().item() == 2 * (largest + 2)  # Paddle has such sums


def test_unsigned_numbers_of_64_bits_are_refused(feed):
    with pytest.raises(ArgumentError, match=r"output 'x': Paddle does not compute with uint64"):
        next(GenericIterator(feed([np.ones((4, 2), np.uint64)]), ["x"]))


def test_the_handover_copies_nothing_and_memory_lives_as_long_as_the_tensor(feed):
    batches = [np.full((4, 50_000), k, np.float32) for k in range(30)]
    pipeline = feed(batches)
    iterator = DALIGenericIterator(pipeline, ["x"])
    (output,) = feed(batches).run()
    address = output.dense().__array_interface__["data"][0]
    assert iterator.convert("x", output, 4).data_ptr() == address
    kept = [batch["x"][1:, :5] for (batch,) in iterator]
    gc.collect()
    assert [float(tensor[0, 0]) for tensor in kept] == list(range(30))


def test_memory_is_flat_over_a_thousand_batches():
    def resident():
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")

    with Pipeline(batch_size=4, num_threads=1) as pipeline:
        row = np.ones(100_000, np.uint8)
        pipeline.set_outputs(fn.external_source(lambda: [row] * 4))
    with GenericIterator(pipeline, ["x"]) as iterator:
        for _ in islice(iterator, 20):
            pass
        before = resident()
        for _ in islice(iterator, 1000):
            pass
        assert resident() - before < 40 << 20  # a copy of all would be 400 MB


@pytest.mark.parametrize(
    ("policy", "sizes"),
    [(LastBatchPolicy.FILL, [4, 4]), ("partial", [4, 2]), ("drop", [4])],
)
def test_the_last_batch_and_three_epochs(numbers, policy, sizes):
    pipeline = numbers(6, 4, pad_last_batch=True)
    with by_reader(pipeline, last_batch_policy=policy, auto_reset=True) as iterator:
        for _ in range(3):
            assert [len(batch["label"]) for (batch,) in iterator] == sizes
        assert len(iterator) == len(sizes)


def test_the_end_of_a_source(feed):
    iterator = GenericIterator(feed([np.ones((4, 1))] * 3), ["x"])
    assert len(list(iterator)) == 3
    with pytest.raises(StopIteration, match="the epoch has ended"):
        next(iterator)
    iterator.reset()
    assert len(list(iterator)) == 3


def test_shards_have_each_sample_once(numbers):
    seen = []
    for rank in range(3):
        options = {"last_batch_policy": "partial"}
        with by_reader(numbers(10, 2, rank, 3), **options) as iterator:
            seen += [n for (batch,) in iterator for n in labels(batch)]
    assert sorted(seen) == list(range(10))


def test_a_state_goes_on_in_the_middle_of_an_epoch(numbers):
    first = by_reader(numbers(12, 2, random_shuffle=True))
    loop = iter(first)
    next(loop), next(loop)
    state = first.state_dict()
    rest = [labels(batch) for (batch,) in loop]
    second = by_reader(numbers(12, 2, random_shuffle=True))
    second.load_state_dict(state)
    assert len(rest) == 4
    assert [labels(batch) for (batch,) in second] == rest


def test_errors_have_the_text_of_the_pipeline(tmp_path):
    (tmp_path / "broken.jpg").write_bytes(b"\xff\xd8\xff no image")
    with Pipeline(batch_size=1, num_threads=1) as pipeline:
        encoded, label = fn.readers.file(files=[str(tmp_path / "broken.jpg")], name="Reader")
        pipeline.set_outputs(fn.decoders.image(encoded), label)
    iterator = ClassificationIterator(pipeline, reader_name="Reader")
    with pytest.raises(DecodeError) as caught:
        next(iterator)
    said = "\n".join([str(caught.value), *caught.value.__notes__])
    assert "broken.jpg" in said
    assert "fn.decoders.image" in said


def test_valid_marks_padding(numbers):
    iterator = by_reader(numbers(3, 2, pad_last_batch=True), with_valid=True)
    assert [batch["valid"].tolist() for (batch,) in iterator] == [[True, True], [True, False]]


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


def test_batches_as_dictionaries_and_tuples(numbers):
    with by_reader(numbers(4, 2), batch_form="dict") as iterator:
        assert [labels(batch) for batch in iterator] == [[0, 1], [2, 3]]
    with by_reader(numbers(4, 2), batch_form="tuple") as iterator:
        assert [label.numpy().ravel().tolist() for (label,) in iterator] == [[0, 1], [2, 3]]


def test_names_of_outputs_come_from_the_pipeline():
    with Pipeline(batch_size=2, num_threads=1) as pipeline:
        pipeline.set_outputs({"x": fn.constant(idata=[1, 2])})
    batch = next(GenericIterator(pipeline, batch_form="dict"))
    assert batch["x"].tolist() == [[1, 2]] * 2


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
