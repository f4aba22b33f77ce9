"""Arrays that are opened: their headers, and files that change or are many."""

import os

import numpy as np
import pytest

from penstock.engine.errors import DecodeError
from penstock.readers.npy import opening
from penstock.readers.npy.opening import ArrayOpener
from penstock.testing.descriptors import open_below

from ..npy_files import arrays_of, save_all, saved


def opener_of(files, keep=False):
    arrays = arrays_of(files=[str(file) for file in files])
    return ArrayOpener(arrays, {}, keep)


def replaced(path, array):
    """Put another file in the place of one, as `os.replace` does."""
    other = path.with_suffix(".new")
    other.write_bytes(saved(array))
    os.replace(other, path)


def test_headers_in_any_order(tmp_path):
    opener = opener_of(save_all(tmp_path, [np.zeros((i, 3), "i2") for i in range(1, 5)]))
    assert [header.shape for header in opener.headers(np.array([2, 0]))] == [(3, 3), (1, 3)]


@pytest.mark.parametrize("beginning", [16, 100, 256])
def test_headers_longer_than_the_first_read(tmp_path, tuned, beginning):
    tuned(opening, FIRST_READ_BYTES=beginning)
    opener = opener_of(save_all(tmp_path, [np.zeros((4, 5))]))
    (array,) = opener.open(np.zeros(1, np.int64), whole=False)
    assert (array.header.shape, array.begin) == ((4, 5), 128)


def test_a_damaged_header_names_the_file(tmp_path):
    (tmp_path / "bad.npy").write_bytes(b"x" * 300)
    with pytest.raises(DecodeError, match=r"bad\.npy: no \.npy file"):
        opener_of([tmp_path / "bad.npy"]).headers(np.zeros(1, np.int64))


@pytest.mark.parametrize("keep", [False, True])
def test_a_replaced_file_is_read_anew_and_the_old_one_is_closed(tmp_path, keep):
    paths = save_all(tmp_path, [np.zeros(n) for n in (3, 4)])
    opener = opener_of(paths, keep)
    opener.headers(np.arange(2))
    for size in range(5, 15):
        replaced(paths[0], np.zeros(size))
        assert opener.headers(np.arange(2))[0].shape == (size,)
    assert set(open_below(tmp_path)) <= {str(path) for path in paths}
    opener.close()
    assert not open_below(tmp_path)


def test_no_more_files_are_kept_than_allowed(tmp_path, tuned):
    tuned(opening, MAX_KNOWN_FILES=2)
    opener = opener_of(save_all(tmp_path, [np.zeros(3)] * 6))
    for number in range(6):
        opener.headers(np.array([number]))
    assert len(open_below(tmp_path)) <= 2
