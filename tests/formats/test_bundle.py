"""Several encoded files as one array."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock import DecodeError
from penstock.extend import files_of
from penstock.formats.bundle import bundled


def bundle(*files):
    return bundled([np.frombuffer(file, np.uint8) for file in files], np.empty)


@given(st.lists(st.binary(max_size=40), max_size=6))
def test_files_come_back(files):
    assert [file.tobytes() for file in files_of(bundle(*files))] == files


@pytest.mark.parametrize("wrong", [np.zeros(40, np.uint8), np.zeros((2, 40), np.uint8), b"12"])
def test_other_arrays_are_refused(wrong):
    with pytest.raises(DecodeError, match="no list of files"):
        files_of(np.frombuffer(wrong, np.uint8) if isinstance(wrong, bytes) else wrong)


@given(st.data())
def test_damage_is_an_error_or_keeps_within_the_bundle(data):
    damaged = bundle(b"first", b"", b"the third")
    size = data.draw(st.integers(0, damaged.size))
    damaged = damaged[:size].copy()
    for _ in range(3):
        if damaged.size > 8:
            place = data.draw(st.integers(8, damaged.size - 1))
            damaged[place] = data.draw(st.integers(0, 255))
    try:
        files = files_of(damaged)
    except DecodeError:
        return
    assert all(np.shares_memory(file, damaged) for file in files if file.size)


def test_counts_and_sizes_beyond_the_bundle():
    for place, number in ((8, 1 << 60), (8, -1), (16, 1 << 62), (16, -8), (24, 100)):
        damaged = bundle(b"first", b"the second")
        damaged[place : place + 8] = np.array([number], "<i8").view(np.uint8)
        with pytest.raises(DecodeError, match="damaged"):
            files_of(damaged)
