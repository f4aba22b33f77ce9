"""Batches: construction, samples, slices and one tensor of all samples."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import ArgumentError, Pipeline, fn
from penstock.experimental import dynamic as ndd

RAGGED = [np.arange(6, dtype=np.float32).reshape(2, 3), np.ones((4, 3), np.float32)]


def arrays(batch: ndd.Batch) -> list[np.ndarray]:
    return [np.asarray(sample) for sample in batch]


def test_of_a_list():
    batch = ndd.batch(RAGGED, layout="HW")
    assert (batch.batch_size, batch.ndim, batch.layout) == (2, 2, "HW")
    assert batch.shape == [(2, 3), (4, 3)]
    assert batch.dtype == ndd.float32
    for made, given in zip(arrays(batch), RAGGED, strict=True):
        np.testing.assert_array_equal(made, given)


@pytest.mark.parametrize(
    ("samples", "dtype", "shape"),
    [
        ([1, 2, 3], "i32", [(), (), ()]),
        ([[1.5], [2, 3]], "f32", [(1,), (2,)]),
        (np.zeros((2, 3, 4), np.int8), "i8", [(3, 4)] * 2),
        ([np.int32([1]), np.float32([2.6])], "i32", [(1,)] * 2),  # the first one decides
        ((ndd.tensor(1), 2), "i32", [(), ()]),
        (iter([[1, 2], [3, 4]]), "i32", [(2,), (2,)]),
    ],
)
def test_of_samples_of_every_kind(samples, dtype, shape):
    batch = ndd.batch(samples)
    assert (batch.dtype.name, batch.shape) == (dtype, shape)


def test_of_a_batch_of_a_pipeline():
    with Pipeline(batch_size=2, num_threads=1) as pipe:
        pipe.set_outputs(fn.constant(idata=[1, 2, 3]))
        (output,) = pipe.run()
        batch = ndd.as_batch(output)
        assert batch.shape == [(3,), (3,)]
        assert ndd.as_batch(output, dtype=ndd.float32).dtype == ndd.float32
        assert ndd.as_batch(output, layout="X").layout == "X"
        assert batch.layout is None


@pytest.mark.parametrize(
    ("samples", "error", "message"),
    [
        (None, ValueError, "needs samples"),
        ([], ValueError, "Element type must be specified"),
        ([None], TypeError, "sample 0 must be"),
        ([ndd.batch([1])], TypeError, "sample 0 must be"),
        ([np.ones(2), np.ones((2, 2))], ArgumentError, "one number of dimensions"),
        (np.float32(3), ValueError, "from a scalar"),
        (3, TypeError, "iterable"),
    ],
)
def test_samples_that_make_no_batch(samples, error, message):
    with pytest.raises(error, match=message):
        ndd.Batch(samples)


def test_a_batch_without_samples():
    batch = ndd.batch([], dtype=ndd.int32)
    assert (batch.batch_size, batch.shape, batch.dtype) == (0, [], ndd.int32)
    assert list(batch) == []
    assert "num_samples=0" in repr(batch)


def test_as_batch_shares_memory_and_batch_does_not():
    array = np.zeros((2, 3), np.float32)
    shared, copied = ndd.as_batch(array), ndd.batch(array)
    rows = ndd.as_batch([array[0], array[1]])
    array[1, 0] = 7
    assert shared.tensors[1][0].item() == rows.tensors[1][0].item() == 7
    assert copied.tensors[1][0].item() == 0
    assert ndd.as_batch(shared) is shared
    assert ndd.batch(shared).tensors[1][0].item() == 7


def test_selection_of_samples():
    batch = ndd.batch([10, 11, 12, 13])
    assert batch.select(1).item() == batch.tensors[-3].item() == 11
    assert [tensor.item() for tensor in batch.select(slice(1, 3))] == [11, 12]
    assert [tensor.item() for tensor in batch.select([3, 0, 3])] == [13, 10, 13]
    assert batch.select(...) is batch
    assert [tensor.item() for tensor in batch.tensors[::2]] == [10, 12]
    assert [tensor.item() for tensor in batch.tensors[1:][1:].as_batch()] == [12, 13]
    assert len(batch.tensors) == 4
    assert isinstance(batch.tensors.tolist()[0], ndd.Tensor)
    with pytest.raises(IndexError, match="no sample 4 among 4 samples"):
        batch.select(4)
    with pytest.raises(TypeError, match="no sample 'a' among 4 samples"):
        batch.tensors["a"]


def test_slices_of_each_sample():
    batch = ndd.batch(RAGGED, layout="HW")
    assert batch.slice[0].layout == "W"
    assert [tensor.item() for tensor in batch.slice[1, 1]] == [4, 1]
    assert batch.slice[..., 1:-1].shape == [(2, 1), (4, 1)]
    rows = ndd.as_batch([0, 3])
    assert [array.tolist() for array in arrays(batch.slice[rows, 0])] == [0, 1]
    assert batch.slice[: ndd.batch([1, 2])].shape == [(1, 3), (2, 3)]
    with pytest.raises(ValueError, match="Inconsistent batch size"):
        batch.slice[ndd.batch([1, 2, 3])]


def test_arithmetic_with_tensors_and_numbers():
    batch = ndd.batch(RAGGED)
    for result in (batch + 1, 1 + batch, batch + ndd.tensor(1.0), np.float32(1) + batch):
        assert isinstance(result, ndd.Batch)
        for made, given in zip(arrays(result), RAGGED, strict=True):
            np.testing.assert_array_equal(made, given + 1)
    by_sample = batch * ndd.batch([2, 3])
    for made, given, factor in zip(arrays(by_sample), RAGGED, (2, 3), strict=True):
        np.testing.assert_array_equal(made, given * factor)
    assert (ndd.tensor(np.float32([1, 2, 3])) + batch).shape == batch.shape
    with pytest.raises(ValueError, match="Inconsistent batch size"):
        batch + ndd.batch([1, 2, 3])


def test_broadcast():
    batch = ndd.Batch.broadcast([1, 2, 3], 5)
    assert [array.tolist() for array in arrays(batch)] == [[1, 2, 3]] * 5
    assert ndd.Batch.broadcast(np.arange(3), 2, dtype=ndd.float32).dtype == ndd.float32
    with pytest.raises(ValueError, match="Cannot broadcast a Batch"):
        ndd.Batch.broadcast(batch, 2)


def test_one_tensor_of_all_samples():
    dense = ndd.batch([[1, 2], [3, 4]], layout="X")
    whole = ndd.as_tensor(dense)
    assert (whole.shape, whole.layout) == ((2, 2), "NX")
    ragged = ndd.batch(RAGGED)
    with pytest.raises(ArgumentError, match="non-uniform shape"):
        ndd.as_tensor(ragged)
    padded = np.asarray(ndd.tensor(ragged, pad=True))
    assert padded.shape == (2, 4, 3)
    np.testing.assert_array_equal(padded[0, 2:], 0)
    assert ndd.as_tensor(ndd.batch([], dtype=ndd.int8)).shape == (0,)


def test_torch():
    torch = pytest.importorskip("torch")
    dense, ragged = ndd.batch(np.ones((2, 3), np.float32)), ndd.batch(RAGGED)
    assert dense.torch().shape == (2, 3)
    assert dense.torch(copy=False).data_ptr() == dense.torch().data_ptr()
    assert dense.torch(copy=True).data_ptr() != dense.torch().data_ptr()
    assert ragged.torch(pad=True).shape == (2, 4, 3)
    with pytest.raises(ValueError, match="non-uniform"):
        ragged.torch()
    with pytest.raises(ValueError, match="without a copy"):
        ragged.torch(copy=False)
    assert ndd.as_batch([torch.ones(2), torch.zeros(3)]).shape == [(2,), (3,)]
    assert ndd.as_batch(torch.ones(2, 3)).shape == [(3,), (3,)]


def test_text_of_a_batch():
    assert repr(ndd.batch([1, 2])) == (
        'Batch(\n    [1, 2],\n    dtype=i32,\n    device="cpu",\n    num_samples=2,\n'
        "    shape=[(), ()])"
    )
    assert "[[0. 1. 2.]\n      [3. 4. 5.]],\n     [[1." in repr(ndd.batch(RAGGED))


def test_on_the_gpu(device_stage):
    batch = ndd.batch(RAGGED, device="gpu", layout="HW")
    assert batch.device == ndd.Device("gpu")
    assert (batch.shape, batch.dtype, batch.layout) == ([(2, 3), (4, 3)], ndd.float32, "HW")
    for made, given in zip(arrays((batch + 1).cpu()), RAGGED, strict=True):
        np.testing.assert_array_equal(made, given + 1)
    np.testing.assert_array_equal(np.asarray(batch.tensors[1].cpu()), RAGGED[1])
    assert ndd.batch([batch.tensors[0]]).device.device_type == "gpu"
    mixed = ndd.batch([ndd.tensor(1), ndd.tensor(2).gpu()])
    assert mixed.device == ndd.Device("cpu")
    assert ndd.batch([], dtype=ndd.int32, device="gpu").dtype == ndd.int32
