"""Memory and copies of a device, on the emulation."""

from __future__ import annotations

import ctypes
import weakref
from pathlib import Path

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.engine.gpu import device as device_module
from penstock.engine.gpu.kernels import Kernel
from penstock.engine.gpu.tables import Pointers, struct_table
from penstock.engine.tensors import TensorListCPU, address_of
from penstock.engine.tensors.rows import packed_between
from penstock.testing.emulator import COMPILER, EmulatedDevice, HostPool


@pytest.fixture
def device():
    return EmulatedDevice(HostPool())


@pytest.mark.parametrize(
    "copy",
    [
        lambda device, array: device.to_device(TensorListCPU(array)),
        lambda device, array: device.to_device(TensorListCPU([array[0], array[1, :2]])),
        lambda device, array: device.copy_in(address_of(device.buffer(array.nbytes)), array),
        lambda device, array: device.hold(array),
    ],
    ids=["dense", "ragged", "copy_in", "hold"],
)
def test_host_memory_is_held_until_the_batch_ends(device, copy):
    array = np.zeros((2, 4), np.int32)
    alive = weakref.ref(array)
    copy(device, array)
    del array
    assert alive() is not None
    held = device.end_batch()
    assert alive() is not None
    del held
    assert alive() is None


def test_small_arrays_are_copied_out_of_pinned_memory(device, monkeypatch):
    blocks, copies = [], []
    pinned = EmulatedDevice.pinned

    def noted(device, nbytes):
        blocks.append(weakref.ref(block := pinned(device, nbytes)))
        return block

    monkeypatch.setattr(EmulatedDevice, "pinned", noted)
    monkeypatch.setattr(device, "copy", lambda to, *copy: copies.append(copy))
    arrays = [np.arange(30_000) + i for i in range(5)]  # four of them fill a block
    memory = [device.upload(array) for array in arrays]
    assert len(blocks) == 2
    for array, (source, nbytes, _) in zip(arrays, copies, strict=True):
        inside = [0 <= source - block().ctypes.data < block().nbytes for block in blocks]
        assert inside.count(True) == 1
        assert ctypes.string_at(source, nbytes) == array.tobytes()
    device.upload(np.zeros(0, np.int32))
    device.upload(large := np.zeros(40_000))
    assert copies[-1][0] == large.ctypes.data
    alive = weakref.ref(large)
    del large
    held = device.end_batch()
    device.upload(arrays[0])
    assert len(blocks) == 3
    assert all(each() is not None for each in (*blocks, alive))
    del held
    assert [each() is None for each in (*blocks, alive)] == [True, True, False, True]
    assert len({address_of(each) for each in memory}) == 5


def test_host_memory_of_results_is_held(device):
    data = device.to_device(TensorListCPU(np.zeros((2, 4), np.int32)))
    device.end_batch()
    memory = []

    def empty(shape, dtype):
        array = np.empty(shape, dtype)
        memory.append(weakref.ref(array))
        return array

    device.to_host(data, empty)
    assert memory[0]() is not None
    device.end_batch()
    assert memory[0]() is None


def test_small_buffers_share_a_block(device):
    for _ in range(2):  # the first batch shows how large the block must be
        first, second = device.buffer(10), device.buffer(10)
        device.end_batch()
    assert address_of(second) - address_of(first) == 256
    assert (first.nbytes, second.nbytes) == (10, 10)


def test_ragged_batches_begin_at_multiples_of_256_bytes(device):
    data = device.empty([(3,), (100,)], np.float32, "W")
    assert (np.diff(data.pointers().astype(np.int64)) == 256).all()
    assert device.taken_bytes == 256 + 512


def test_blocks_of_several_sizes(device):
    [memory], addresses = device.blocks(np.array([3, 300, 256]))
    assert (addresses - np.uint64(address_of(memory))).tolist() == [0, 256, 768]
    assert memory.nbytes == device.taken_bytes == 1024


def test_large_memory_of_blocks_comes_in_parts(device, tuned):
    tuned(device_module, PART_BYTES=1024)
    memory, addresses = device.blocks(np.array([700, 256, 600, 5000, 1, 256, 256]), temporary=True)
    assert [part.nbytes for part in memory] == [1024, 768, 5120, 768]
    starts = [address_of(part) for part in memory]
    assert addresses.dtype == np.uint64
    assert addresses.tolist() == [
        starts[0],
        starts[0] + 768,
        starts[1],
        starts[2],
        *(starts[3] + k for k in (0, 256, 512)),
    ]
    assert device.taken_bytes == 0
    assert device.blocks(np.zeros(0, np.int64))[0] == []


@pytest.mark.parametrize("count", [100, 100_000])
def test_arrays_of_any_size_are_sent(device, count):
    memory, values = device.buffer(8 * count), np.arange(count)
    device.send(address_of(memory), values)
    assert (memory.view(np.int64) == values).all()


def test_temporary_memory_is_not_counted(device):
    memory = device.temporary(1 << 20)
    assert memory.nbytes == device.pool.lent_bytes == 1 << 20
    assert device.taken_bytes == 0
    del memory
    assert device.pool.lent_bytes == 0


def test_small_rows_that_lie_end_to_end_take_one_transfer(device, monkeypatch):
    copies = []
    monkeypatch.setattr(device, "copy", lambda *copy: copies.append(copy))
    values = np.arange(280, dtype=np.float32).reshape(70, 4)
    rows = packed_between(values, np.array([2, 2, 5, 69, 70]))
    result = device.to_device(TensorListCPU(rows))
    [(to, source, nbytes, direction)] = copies
    EmulatedDevice.copy(device, to, source, nbytes, direction)
    assert [np.array(row).tolist() for row in result.rows()] == [row.tolist() for row in rows]
    assert (result.pointers() % 256 == result.pointers()[0] % 256).all()


@pytest.mark.skipif(COMPILER is None, reason="no g++")
def test_a_kernel_reads_its_table(device, tmp_path):
    (tmp_path / "double.cu").write_text(
        'extern "C" __global__ void twice(const Sample* samples, int factor) {\n'
        "    samples[blockIdx.y].out[threadIdx.x] = factor * samples[blockIdx.y].number;\n}\n"
    )
    kernel = Kernel(tmp_path / "double.cu", "twice")
    out = device.empty([(2,), (2,)], np.int32)
    pointers = out.pointers()
    table = struct_table("Sample", 2, number=np.array([3, 4]), address=pointers)
    with pytest.raises(AssertionError, match=r"has no member named .out."):
        device.launch(kernel, (1, 2), (2,), table, np.int32(2))
    table = struct_table("Sample", 2, number=np.array([3, 4]), out=Pointers(pointers, "int*"))
    device.launch(kernel, (1, 2), (2,), table, np.int32(2))
    assert np.array(out.dense()).tolist() == [[6, 6], [8, 8]]
    device.launch(kernel, (1, 2), (2,), device.upload_table(table), np.int32(3))
    assert np.array(out.dense()).tolist() == [[9, 9], [12, 12]]


def test_the_memory_of_all_tables_lasts_until_the_launch(device, monkeypatch):
    lent = []
    lend = device.pool.lend

    def noted(nbytes, stream):
        memory, lease = lend(nbytes, stream)
        lent.append(weakref.ref(memory))
        return memory, lease

    launched = []

    def started(*_, **__):
        launched.append([memory() is not None for memory in lent])

    monkeypatch.setattr(device.pool, "lend", noted)
    monkeypatch.setattr(device, "kernel_function", lambda *_: started)
    # No two of them fit into one block.
    tables = [struct_table(f"Row{i}", 2, values=np.zeros((2, 1 << 16))) for i in range(3)]
    device.launch(Kernel(Path("none.cu"), "none"), (1, 1), (1,), *tables)
    assert launched == [[True] * 3]


def test_batches_that_one_launch_cannot_serve(device, tmp_path):
    with pytest.raises(ArgumentError, match="65536 samples"):
        device.launch(Kernel(tmp_path / "none.cu", "none"), (1, 65536), (32,))
