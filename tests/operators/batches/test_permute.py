from __future__ import annotations

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.engine.errors import ArgumentError
from penstock.operators.batches.permute import BatchPermutation, PermuteBatch
from penstock.testing.agreement import agree, source
from penstock.tests.operators.running import array, batch_of, dense, tensors

from ..indexing.test_crop import rows


def permute(data, indices):
    if hasattr(indices, "row"):
        operator = PermuteBatch("cpu", ("indices",), ("X",))
    else:
        operator = PermuteBatch("cpu", (), ("X",), indices=indices)
        indices = operator.indices
    return operator.batch(batch_of(len(data)), data, indices=indices)


def test_permute():
    result = permute(dense([[0], [1], [2]]), [2, 2, 0])
    assert result.as_array().tolist() == [[2], [2], [0]]
    assert result.layout() == "X"
    ragged = permute(tensors(array("int32", [1]), array("int32", [1, 2])), dense([1, 0]))
    assert ragged.shape() == [(2,), (1,)]


@pytest.mark.parametrize(
    ("indices", "text"),
    [
        ([0, 1], "got 2 indices for a batch of 3"),
        ([0, 1, 3], "no sample 3"),
        ([0, 1, -1], "no sample -1"),
        (dense([[0], [1], [2]]), "must be scalars"),
    ],
)
def test_bad_indices(indices, text):
    with pytest.raises(ArgumentError, match=text):
        permute(dense([[0], [1], [2]]), indices)


def permutation(size, number=0, **arguments):
    return BatchPermutation("cpu", **arguments).batch(batch_of(size, number=number))


def test_batch_permutation():
    orders = [permutation(16, number) for number in range(50)]
    assert all(sorted(order.tolist()) == list(range(16)) for order in orders)
    assert {order.dtype.name for order in orders} == {"int32"}
    assert len({tuple(order) for order in orders}) == 50
    assert len({order[0] for order in orders}) > 10
    assert permutation(1).tolist() == [0]


@pytest.mark.parametrize("size", [2, 3, 16])
@pytest.mark.parametrize("repeat", [False, True])
def test_no_fixed_points(size, repeat):
    options = {"no_fixed_points": True, "allow_repetitions": repeat}
    for number in range(50):
        order = permutation(size, number, **options)
        assert not (order == np.arange(size)).any()
        assert set(order) <= set(range(size))
        assert repeat or len(set(order)) == size
    assert permutation(1, **options).tolist() == [0]


def test_repetitions():
    orders = np.array([permutation(8, number, allow_repetitions=True) for number in range(50)])
    assert set(orders.ravel()) == set(range(8))
    assert any(len(set(order)) < 8 for order in orders)


# `permute_batch` on the GPU.
@pytest.mark.parametrize("ragged", [True, False])
def test_the_same_order_on_both_devices(device_stage, ragged):
    data = rows(3, "HWC") if ragged else [np.full((3, 5, 3), n, np.float16) for n in range(6)]
    agree("permute_batch", data, layout="HWC", indices=[5, 0, 0, 3, 2, 2])
    agree("permute_batch", data, per_sample={"indices": [1, 2, 3, 4, 5, 0]})


def test_constant_indices_for_a_batch_without_samples(device):
    with Pipeline(batch_size=4) as pipe:
        data = source([], "HWC")
        data = data.gpu() if device == "gpu" else data
        pipe.set_outputs(fn.permute_batch(data, indices=[1, 0]))
        (permuted,) = pipe.run()
        assert (len(permuted), permuted.layout()) == (0, "HWC")


def test_batches_without_samples(device_stage):
    with Pipeline(batch_size=4) as pipe:
        data = source([], "HWC").gpu()
        results = [
            fn.crop(data, crop=(2, 2)),
            data[0],
            data.shape(),
            fn.cat(data, data),
            fn.pad(data),
        ]
        pipe.set_outputs(*results, fn.copy(data, device="cpu"))
        outputs = pipe.run()
        assert [len(output) for output in outputs] == [0] * 6
        devices = [type(output).__name__[-3:].lower() for output in outputs]
        assert devices == [node.device for node in results] + ["cpu"]
