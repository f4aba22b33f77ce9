"""Memory at aligned addresses, and what DLPack exports."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.tensors import TensorCPU, TensorListCPU
from penstock.engine.tensors.alignment import (
    ALIGNMENT,
    address_of_host,
    aligned,
    empty_aligned,
    exported,
)
from penstock.engine.tensors.memory import SlabPool


def unaligned(shape, dtype=np.float32):
    """Return an array whose address is 16 bytes behind an aligned one, and its owner."""
    count = int(np.prod(shape)) * np.dtype(dtype).itemsize
    return empty_aligned((count + 16,))[16:].view(dtype).reshape(shape)


@pytest.mark.parametrize("shape", [(), (0,), (3, 5), (4, 0, 2), (1000, 77)])
def test_new_memory(shape):
    for dtype in (np.uint8, np.bool_, np.float16, np.complex128):
        array = empty_aligned(shape, dtype)
        assert (array.shape, array.dtype) == (shape, dtype)
        assert array.flags.c_contiguous
        assert array.flags.writeable
        assert address_of_host(array) % ALIGNMENT == 0


def test_what_is_aligned_stays():
    array = empty_aligned((2, 3), np.int16)
    assert aligned(array) is array


@pytest.mark.parametrize("reason", ["address", "strides", "constant"])
def test_other_arrays_are_copied(reason):
    array = empty_aligned((6, 8), np.float32)
    if reason == "address":
        array = unaligned((6, 8))
    array[:] = np.arange(48).reshape(6, 8)
    if reason == "strides":
        array = array[::-1, ::2]
    array.flags.writeable = reason != "constant"
    copy = aligned(array)
    assert address_of_host(copy) % ALIGNMENT == 0
    assert copy.flags.c_contiguous
    assert copy.flags.writeable
    np.testing.assert_array_equal(copy, array, strict=True)


@pytest.mark.parametrize("nbytes", [1, 100, 40_000, 1 << 20])
@pytest.mark.parametrize("closed", [False, True])
def test_a_pool_lends_aligned_memory(nbytes, closed):
    pool = SlabPool()
    if closed:
        pool.close()
    lent = [pool.empty((nbytes,)) for _ in range(9)]
    assert {address_of_host(array) % ALIGNMENT for array in lent} == {0}


def test_samples_become_one_aligned_tensor():
    rows = [np.full((1, 3), i, np.int16) for i in range(5)]
    for batch in (TensorListCPU(rows), TensorListCPU(rows, contiguous=True)):
        assert batch.data_ptr() % ALIGNMENT == 0
        assert batch.as_tensor().data_ptr() % ALIGNMENT == 0
        np.testing.assert_array_equal(batch.as_array(), np.stack(rows))


def test_delivered_batches():
    for rows in (unaligned((4, 3)), empty_aligned((4, 6), np.float32)[:, ::2]):
        rows[:] = 7
        delivered = TensorListCPU(rows).delivered(None)
        assert delivered.data_ptr() % ALIGNMENT == 0
        np.testing.assert_array_equal(delivered.as_array(), rows, strict=True)


class OldConsumer:
    """An object that exports by DLPack as consumers without versions ask for it."""

    def __init__(self, tensor):
        self._tensor = tensor

    def __dlpack__(self, **_):
        return self._tensor.__dlpack__()

    def __dlpack_device__(self):
        return self._tensor.__dlpack_device__()


def test_exports_of_constants():
    constant = np.arange(6, dtype=np.int32).reshape(2, 3)
    constant.flags.writeable = False
    for tensor in (TensorCPU(constant), TensorListCPU(constant)):
        copy = np.from_dlpack(OldConsumer(tensor))
        assert not np.shares_memory(copy, constant)
        assert address_of_host(copy) % ALIGNMENT == 0
        np.testing.assert_array_equal(copy, constant)
        shared = np.from_dlpack(tensor)  # of DLPack 1.0, which marks the memory
        assert np.shares_memory(shared, constant)
        assert not shared.flags.writeable
    with pytest.raises(BufferError):
        exported(constant, copy=False)


def test_exports_with_strides_share_memory():
    array = np.arange(24, dtype=np.int32).reshape(4, 6)[::2, ::3]
    assert np.shares_memory(np.from_dlpack(TensorCPU(array)), array)
    np.testing.assert_array_equal(np.from_dlpack(TensorListCPU(array)), array)
