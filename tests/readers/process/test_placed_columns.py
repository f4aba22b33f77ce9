"""Columns in the memory of a read, and joined in another process."""

import numpy as np
import pytest

from penstock.engine.tensors import PackedRows
from penstock.readers.process.placed_columns import (
    ALIGNMENT,
    PlacedArray,
    PlacedRows,
    ReadMemory,
    joined,
)


def lengths(addresses, sizes):
    """Find out how long rows are: a fact about each."""
    return sizes


@pytest.fixture
def block():
    return np.zeros(4096, np.uint8)


@pytest.fixture
def memory(block):
    return ReadMemory(block)


def test_arrays_lie_in_the_memory(memory, block):
    first = memory.empty((3,), np.uint8)
    second = memory.empty((2, 3), np.float32)
    assert (first.ctypes.data, second.ctypes.data) == (
        block.ctypes.data,
        block.ctypes.data + ALIGNMENT,
    )
    assert (second.shape, second.dtype, memory.used) == ((2, 3), np.float32, ALIGNMENT + 24)


def test_arrays_beyond_its_end_are_counted_and_lie_elsewhere(memory, block):
    memory.empty((4000,), np.uint8)
    beyond = memory.empty((100,), np.uint8)
    beyond[:] = 7
    assert memory.used == 4032 + 100
    assert not np.shares_memory(beyond, block)
    assert not block.any()


def test_an_array_is_described_where_it_lies(memory, block):
    array = memory.empty((2, 5), np.int16)
    array[:] = np.arange(10).reshape(2, 5)
    placed = memory.place(array, {})
    assert placed == PlacedArray(0, (2, 5), "<i2")
    np.testing.assert_array_equal(joined(block, [0], [placed]), array, strict=True)


@pytest.mark.parametrize(
    "array", [np.arange(6.0), np.arange(12)[::2], np.empty((0, 3)), np.zeros((), ">i4")]
)
def test_other_arrays_are_copied_into_it(memory, block, array):
    memory.empty((10,), np.uint8)
    placed = memory.place(array, {})
    assert placed.offset % ALIGNMENT == 0
    found = joined(block, [0], [placed])
    np.testing.assert_array_equal(found, array, strict=True)
    assert not array.size or np.shares_memory(found, block)


def test_rows_have_metadata_if_they_are_bytes(memory, block):
    content = memory.empty((30,), np.uint8)
    content[:] = np.arange(30)
    rows = [content[3:10], content[10:10], content[2:4], np.array([9], np.uint8)]
    placed = memory.place(rows, {"lengths": lengths})
    found = joined(block, [0], [placed])
    assert isinstance(found, PackedRows)
    assert [row.tolist() for row in found] == [row.tolist() for row in rows]
    assert found.metadata["lengths"].tolist() == [7, 0, 2, 1]
    assert memory.place([np.arange(3)], {"lengths": lengths}).metadata == {}


def test_rows_that_have_no_room_have_no_metadata(memory):
    placed = memory.place([np.zeros(5000, np.uint8)], {"lengths": lengths})
    assert (placed.metadata, memory.used) == ({}, 5000)


@pytest.mark.parametrize(
    "column",
    [
        [np.zeros(2), np.zeros((2, 1))],
        [np.zeros(2), np.zeros(2, np.float32)],
        [np.zeros(1, "u1,f4")],
        [],
        np.zeros(2, "u1,f4"),
    ],
)
def test_columns_of_other_forms_stand_for_themselves(memory, block, column):
    placed = memory.place(column, {})
    assert placed is column or placed == column
    assert joined(block, [0], [placed]) is placed


def test_packed_rows_are_rows(memory, block):
    packed = PackedRows(np.arange(9, dtype=np.uint8), np.array([4, 0]), np.array([[2], [3]]), "u1")
    placed = memory.place(packed, {})
    assert isinstance(placed, PlacedRows)
    assert [row.tolist() for row in joined(block, [0], [placed])] == [[4, 5], [0, 1, 2]]


class Parts:
    """The memory of a read by three processes, a third for each."""

    def __init__(self, block):
        self.block = block
        self.firsts = [0, 1344, 2688]

    def joined(self, *columns):
        memories = [ReadMemory(self.block[first:][:1344]) for first in self.firsts]
        placed = [
            memory.place(column, {"lengths": lengths})
            for memory, column in zip(memories, columns, strict=True)
        ]
        return joined(self.block, self.firsts, placed)


@pytest.fixture
def parts(block):
    return Parts(block)


def test_rows_of_several_processes_are_the_rows_of_one_column(parts):
    columns = [[np.full(n, n, np.uint8) for n in sizes] for sizes in ([3, 1], [2], [5, 0, 4])]
    found = parts.joined(*columns)
    assert isinstance(found, PackedRows)
    assert [row.tolist() for row in found] == [[n] * n for n in (3, 1, 2, 5, 0, 4)]
    assert found.metadata["lengths"].tolist() == [3, 1, 2, 5, 0, 4]


def test_arrays_of_several_processes_are_one_array(parts):
    found = parts.joined(np.ones((2, 3)), np.zeros((0, 3)), np.full((1, 3), 7.0))
    np.testing.assert_array_equal(found, [[1.0] * 3, [1.0] * 3, [7.0] * 3], strict=True)


@pytest.mark.parametrize(
    "columns",
    [
        ([np.zeros(2)], [np.zeros((2, 2))], [np.zeros(1)]),
        ([np.zeros(2)], [np.zeros(2), np.zeros((2, 2))], [np.zeros(1)]),
        (np.zeros((2, 2)), np.zeros((1, 3)), np.zeros((1, 2))),
        (np.zeros((2, 2)), [np.zeros(3)], []),
        (np.zeros((2, 2)), np.zeros((1, 2), np.int64), np.zeros((1, 2))),
    ],
)
def test_parts_that_differ_are_a_list_of_samples(parts, columns):
    found = parts.joined(*columns)
    assert isinstance(found, list)
    for row, expected in zip(found, [row for column in columns for row in column], strict=True):
        np.testing.assert_array_equal(row, expected, strict=True)
