"""Tensors and batches in device memory: rows, copies, leases and streams."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.engine.tensors import TensorGPU, TensorListCPU, TensorListGPU, address_of
from penstock.engine.tensors.device_tensors import TensorGPU as Defined

RAGGED = [np.arange(6, dtype=np.int16).reshape(2, 3), np.array([[7, 8]], np.int16)]
DENSE = [np.arange(6, dtype=np.int16).reshape(2, 3), -np.arange(6, dtype=np.int16).reshape(2, 3)]


class Lease:
    """Records the calls of a tensor."""

    def __init__(self):
        self.used, self.moves = [], []

    def used_on(self, stream, *, lasts=False):
        self.used.append((stream, lasts))

    def moved(self, stream, to):
        self.moves.append((stream, to))


def rows_of(data):
    return [np.array(row).tolist() for row in data.as_cpu().rows()]


@pytest.mark.parametrize("rows", [RAGGED, DENSE])
def test_copies_in_host_memory(gpu_batch, rows):
    _, [data] = gpu_batch(rows, layout="HW")
    host = data.as_cpu()
    assert isinstance(host, TensorListCPU)
    assert (host.layout(), host.shape()) == ("HW", [row.shape for row in rows])
    assert rows_of(data) == [row.tolist() for row in rows]
    assert data[1].as_cpu().shape() == list(rows[1].shape)
    assert np.array(data[1].as_cpu()).tolist() == rows[1].tolist()


def test_a_row_is_a_tensor_with_its_location_and_no_copy(gpu_batch):
    _, [data] = gpu_batch(RAGGED, layout="HW")
    data = data.with_source_info(["a.jpg", "b.jpg"]).delivered(np.array([True, False]))
    row = data.at(1)
    assert isinstance(row, TensorGPU)
    assert TensorGPU is Defined
    assert (row.layout(), row.source_info()) == ("HW", "b.jpg")
    assert row.data_ptr() == data.pointers()[1]
    assert data.valid.tolist() == [True, False]


def test_a_dense_batch_is_one_tensor(gpu_batch):
    _, [data] = gpu_batch(DENSE, layout="HW")
    whole = data.as_tensor()
    assert (whole.layout(), whole.shape()) == ("NHW", [2, 2, 3])
    assert whole.data_ptr() == data.data_ptr() == data.pointers()[0]
    assert data.as_reshaped_tensor([4, 3]).shape() == [4, 3]
    assert data.as_reshaped_tensor([4, 3]).data_ptr() == data.data_ptr()


def test_a_ragged_batch_is_no_tensor(gpu_batch):
    _, [data] = gpu_batch(RAGGED)
    with pytest.raises(ArgumentError, match="differ in shape"):
        data.as_tensor()
    with pytest.raises(ArgumentError, match="differ in shape"):
        _ = data.__cuda_array_interface__


def test_another_row_and_another_layout_leave_the_batch_as_it_is(gpu_batch):
    batch, [data] = gpu_batch(DENSE, layout="HW")
    [other] = gpu_batch(RAGGED[1:])[1]
    changed = data.replaced(1, other.row(0))
    assert rows_of(changed) == [DENSE[0].tolist(), [[7, 8]]]
    assert rows_of(data) == [row.tolist() for row in DENSE]
    assert changed.pointers()[0] == data.pointers()[0]
    assert data.with_layout("HW") is data
    assert data.with_layout("WH").layout() == "WH"
    assert data.with_layout("WH").data_ptr() == data.data_ptr()
    assert batch.size == 2


def test_rows_are_contiguous(gpu_batch):
    _, [data] = gpu_batch(DENSE)
    turned = TensorListGPU(data.dense().transpose(0, 2, 1))
    assert rows_of(turned) == [row.T.tolist() for row in DENSE]
    assert turned.dense().flags.c_contiguous
    rows = TensorListGPU([data.row(0).T, data.row(1)])
    assert rows.row(0).flags.c_contiguous
    assert rows.pointers()[1] == data.pointers()[1]


def test_views_and_uses_go_to_the_lease(gpu_batch):
    _, [data] = gpu_batch(DENSE)
    lease = Lease()
    leased = TensorListGPU(data.dense(), lease=lease)
    leased.used_on(5)
    leased[0].used_on(6, lasts=True)
    leased.as_tensor().used_on(7)
    leased.with_layout("AB").used_on(8)
    assert lease.used == [(5, False), (6, True), (7, False), (8, False)]
    leased.moved("here", "there")
    assert lease.moves == [("here", "there")]
    interface = leased.__cuda_array_interface__
    assert interface["data"][0] == address_of(data.dense())
    assert (None, False) in lease.used[4:]  # its users work on the default stream


def test_memory_without_a_lease_records_nothing(gpu_batch):
    _, [data] = gpu_batch(DENSE)
    free = TensorListGPU(data.dense())
    free.used_on(5)
    free.moved("here", "there")
    assert rows_of(free) == [row.tolist() for row in DENSE]
