"""The same samples in each form that rows have: all forms give the same answers."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from penstock.engine.tensors.array_rows import DenseRows, ListedRows, as_rows
from penstock.engine.tensors.mixed_rows import MixedRows
from penstock.engine.tensors.rows import PackedRows, packed_between

LARGE = 100  # elements of a row that is not small


def address(array):
    return array.ctypes.data


def mixed(first, second):
    """Return rows that are by turns those of two batches."""
    turns = np.arange(len(first)) % 2 == 0
    pointers = np.where(turns, first.pointers(address), second.pointers(address))
    extents = np.where(turns[:, np.newaxis], first.extents(), second.extents())
    return MixedRows(turns, np.arange(len(first)), (first, second), pointers, extents)


def forms_of(values):
    """Return arrays of (n, columns) in all forms that can hold them."""
    listed = ListedRows([value.copy() for value in values])
    bounds = np.cumsum([0, *map(len, values)])
    packed = packed_between(np.concatenate(values), bounds)
    forms = [listed, packed, mixed(listed, packed), mixed(packed, ListedRows(list(values)))]
    if len({value.shape for value in values}) == 1:
        dense = np.stack(values)
        forms += [DenseRows(dense), DenseRows(dense[::-1].copy()[::-1])]
    return forms


def rising(*lengths):
    values = np.arange(sum(lengths) * 3, dtype=np.int16).reshape(-1, 3)
    return np.split(values, np.cumsum(lengths)[:-1])


UNIFORM = forms_of(rising(2, 2, 2, 2)) + forms_of(rising(LARGE, LARGE, LARGE))
FORMS = UNIFORM + forms_of(rising(3, 0, 1, 5))


def lists(rows):
    return [row.tolist() for row in rows]


@pytest.mark.parametrize("rows", FORMS)
def test_what_rows_are(rows):
    assert len(rows) == len(rows.shape())
    assert rows.shape() == [row.shape for row in rows] == [*map(tuple, rows.extents().tolist())]
    assert (rows.dtype, rows.ndim) == (np.int16, 2)
    assert rows.is_uniform() == (len(set(rows.shape())) == 1)
    for pointer, row in zip(rows.pointers(address).tolist(), rows, strict=True):
        assert pointer == row.ctypes.data or not row.size
    assert not rows.pointers(address).flags.writeable
    assert (rows.array is None) == (not isinstance(rows, DenseRows))
    assert rows.metadata == {}


@pytest.mark.parametrize("rows", FORMS)
def test_parts(rows):
    whole = lists(rows)
    assert lists(rows[1:3]) == whole[1:3] == lists([rows[1], rows[2]])
    assert lists(rows.part(slice(None, None, 2))) == whole[::2]
    assert np.shares_memory(rows[0], rows[:1][0])
    with pytest.raises(IndexError):
        rows[len(rows)]


@pytest.mark.parametrize("rows", FORMS)
def test_chosen_rows(rows):
    whole = lists(rows)
    chosen = np.array([2, 0, 2])
    selected = rows.selected(chosen)
    assert lists(selected) == [whole[2], whole[0], whole[2]]
    spread = selected.spread(np.array([4, 1, 3]), 6)
    assert len(spread) == 6
    assert lists([spread[4], spread[1], spread[3]]) == lists(selected)


@pytest.mark.parametrize("rows", FORMS)
def test_rows_in_one_block_or_end_to_end(rows):
    block, flat = rows.in_block(), rows.flat()
    if block is not None:
        assert lists(block) == lists(rows)
        assert block.memory.dtype == np.uint8
        assert all(np.shares_memory(row, block.memory) for row in rows if row.size)
    if flat is not None:
        assert flat.tolist() == np.concatenate([row.reshape(-1) for row in rows]).tolist()
        assert np.shares_memory(flat, rows[0])


def test_which_rows_lie_in_one_block():
    for form, expected in ((DenseRows, True), (PackedRows, True), (ListedRows, False)):
        found = [rows.in_block() is not None for rows in FORMS if type(rows) is form]
        assert any(found) == expected
    strided = DenseRows(np.zeros((4, 6))[:, ::2])
    assert (strided.in_block(), strided.flat()) == (None, None)


@pytest.mark.parametrize("rows", FORMS)
def test_copies(rows):
    copied = rows.copied(np.empty, np.copyto)
    assert lists(copied) == lists(rows)
    assert not any(np.shares_memory(*pair) for pair in zip(copied, rows, strict=True))
    if rows.is_uniform() and not isinstance(rows, PackedRows):
        assert copied.array is not None


@pytest.mark.parametrize("rows", FORMS)
def test_pickled_rows_lie_elsewhere(rows):
    here = rows.pointers(address)
    elsewhere = pickle.loads(pickle.dumps(rows))
    assert lists(elsewhere) == lists(rows)
    if not isinstance(rows, MixedRows):  # which are of devices
        assert not set(here.tolist()) & set(elsewhere.pointers(address).tolist())


@pytest.mark.parametrize("rows", FORMS)
def test_another_type(rows):
    retyped = rows.retyped(np.uint16)
    assert retyped.dtype == np.uint16
    assert lists(retyped) == lists(rows)
    with pytest.raises(ValueError, match="different size: 1 bytes for 2"):
        rows.retyped(np.uint8)


@pytest.mark.parametrize("rows", FORMS)
def test_contiguous_rows(rows):
    contiguous = rows.contiguous()
    assert lists(contiguous) == lists(rows)
    assert all(row.flags.c_contiguous for row in contiguous)


def test_arrays_that_are_not_contiguous_are_copied():
    whole = np.arange(24).reshape(4, 6)
    for rows in (as_rows(whole[:, ::2]), as_rows([whole[0, ::2], whole[1]])):
        contiguous = rows.contiguous()
        assert lists(contiguous) == lists(rows)
        assert all(row.flags.c_contiguous for row in contiguous)
        assert not np.shares_memory(contiguous[0], whole)


def test_rows_without_samples():
    listed, dense = as_rows([]), as_rows(np.zeros((0, 3), np.float32))
    assert (listed.dtype, listed.ndim, listed.is_uniform()) == (None, 0, False)
    assert (dense.dtype, dense.ndim, dense.is_uniform()) == (np.float32, 1, True)
    assert [rows.extents().shape for rows in (listed, dense)] == [(0, 0), (0, 1)]
    assert [rows.flat() for rows in (listed, dense)] == [None, None]


def test_a_row_that_was_not_computed_tells_nothing():
    rows = ListedRows([None, np.zeros((2, 3), np.int8)])
    assert (rows.dtype, rows.ndim) == (np.int8, 2)
    assert [rows.spread(np.array([1, 2]), 3)[0].shape] == [(0, 0)]


def test_numbers_are_rows_without_dimensions():
    rows = DenseRows(np.arange(3))
    assert [row.shape for row in rows] == [(), (), ()]
    assert rows.shape() == [(), (), ()]
