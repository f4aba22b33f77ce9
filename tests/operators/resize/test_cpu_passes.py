import threading

import numpy as np
import pytest

from penstock.operators.resize.cpu_passes import ThreadScratch, store, transpose


@pytest.mark.parametrize("dtype", ["u1", "i1", "u2", "i2", "u4", "i4", "f2", "f4", "f8"])
@pytest.mark.parametrize("channels", [1, 2, 3, 4, 5, 17])
def test_transpose_swaps_rows_and_columns(dtype, channels):
    rng = np.random.default_rng(1)
    for rows, columns in ((5, 9), (1, 7), (7, 1), (1, 1), (33, 65)):
        source = rng.integers(0, 100, (rows, columns, channels)).astype(dtype)
        out = np.empty((columns, rows, channels), dtype)
        transpose(source, out)
        np.testing.assert_array_equal(out, source.swapaxes(0, 1))


@pytest.mark.parametrize(
    "view",
    [
        np.s_[2:9, 3:8],
        np.s_[::-1],
        np.s_[:, ::-1],
        np.s_[:, :, ::-1],
        np.s_[::2, ::3, 1:],
    ],
)
def test_transpose_takes_views(view):
    source = np.arange(12 * 10 * 3, dtype=np.uint16).reshape(12, 10, 3)[view]
    out = np.empty((source.shape[1], source.shape[0], source.shape[2]), np.uint16)
    transpose(source, out)
    np.testing.assert_array_equal(out, source.swapaxes(0, 1))


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.uint16, np.int16])
def test_store_rounds_half_to_even_and_saturates(dtype):
    limits = np.iinfo(dtype)
    values = [0.5, 1.5, 2.4, 2.5, 2.6, limits.max + 9.0, limits.min - 9.0]
    expected = [0, 2, 2, 2, 3, limits.max, limits.min]
    result = np.array(values, np.float32).reshape(1, -1, 1)
    out = np.empty(result.shape, dtype)
    store(result, out, overshoots=True)
    np.testing.assert_array_equal(out.ravel(), expected)


def test_store_keeps_all_digits_of_32_bit_integers():
    values = np.array([[[2.0**31 - 1, -(2.0**31), 1e10, 123456789.0]]])
    out = np.empty(values.shape, np.int32)
    store(values, out, overshoots=True)
    assert out.ravel().tolist() == [2**31 - 1, -(2**31), 2**31 - 1, 123456789]


def test_store_into_a_narrower_float_goes_to_infinity():
    out = np.empty((1, 1, 1), np.float16)
    store(np.full((1, 1, 1), 1e9, np.float32), out, overshoots=False)
    assert np.isinf(out).all()


def test_scratch_is_each_threads_own():
    scratch = ThreadScratch()
    first = scratch.array("a", (4, 5), np.float32)
    assert np.shares_memory(first, scratch.array("a", (2, 3), np.uint8))
    others = []
    thread = threading.Thread(target=lambda: others.append(scratch.array("a", (1,), np.uint8)))
    thread.start()
    thread.join()
    assert not np.shares_memory(first, others[0])


def test_scratch_does_not_keep_very_large_blocks():
    scratch = ThreadScratch()
    large = scratch.array("a", (33 << 20,), np.uint8)
    assert not np.shares_memory(large, scratch.array("a", (33 << 20,), np.uint8))
