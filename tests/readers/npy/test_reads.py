"""Reads of arrays: how they are divided among threads, and ways past the page cache."""

import os

import numpy as np
import pytest

from penstock.readers.npy import reads as npy_reads
from penstock.readers.npy import region_reads
from penstock.readers.npy.region import parse_key
from penstock.readers.storage.local_file import LocalFile

from ..npy_files import RANDOM, read, save_all, source_of

FIVE = [RANDOM.integers(0, 99, (6, 7, 8)).astype("i2") for _ in range(5)]


@pytest.mark.parametrize("order", "CF")
def test_large_regions_are_read_in_pieces_by_several_threads(tmp_path, monkeypatch, tuned, order):
    tuned(npy_reads, PIECE_BYTES=1000, COPIED_BYTES_PER_READ=16)
    tuned(region_reads, STAGED_BYTES=4096)
    threads = []
    original = npy_reads.READ_TEAM.run_jobs

    def noted(work, jobs, wanted):
        threads.append(wanted)
        original(work, jobs, wanted)

    monkeypatch.setattr(npy_reads.READ_TEAM, "run_jobs", noted)
    arrays = [np.asarray(RANDOM.random((40, 50, 30)), order=order) for _ in range(4)]
    paths = save_all(tmp_path, arrays)
    for roi in ("...", "3:30, 7:40, 2:20", "::3, :, 5", "5"):
        found = read(source_of(paths, roi, threads=5))
        np.testing.assert_array_equal(found, np.stack([a[parse_key(roi)] for a in arrays]))
    assert threads == [5, 5, 5, 5]


@pytest.mark.parametrize(
    ("shape", "roi", "wanted"),
    [
        ((16, 1 << 20), "...", 4),  # 16 MiB, in pieces of 4 MiB
        ((800, 40 << 10), ":, :16384", 2),  # 12 MiB, in reads of 16 KiB
        ((4, 1024), "...", 0),
    ],
)
def test_threads_are_as_many_as_the_work_is_worth(tmp_path, monkeypatch, shape, roi, wanted):
    threads = []
    monkeypatch.setattr(npy_reads.READ_TEAM, "run_jobs", lambda work, jobs, n: threads.append(n))
    source = source_of(save_all(tmp_path, [np.zeros(shape, "u1")]), roi, threads=9)
    read(source)
    assert threads == [wanted]


def test_what_is_not_in_the_page_cache(tmp_path):
    paths = save_all(tmp_path, FIVE)
    for roi in (None, "1:3, ::3", "2"):
        for path in paths:
            with path.open("rb") as file:
                os.fsync(file.fileno())
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        expected = np.stack([a if roi is None else a[parse_key(roi)] for a in FIVE])
        np.testing.assert_array_equal(read(source_of(paths, roi)), expected)


@pytest.mark.filterwarnings("ignore:the file system of .* does not allow O_DIRECT")
def test_past_the_page_cache(tmp_path):
    arrays = [RANDOM.random((150, 999)), np.asfortranarray(RANDOM.random((150, 999)))]
    paths = save_all(tmp_path, arrays)
    for roi in ("...", "3:7, 5:600", "149, 998"):
        found = read(source_of(paths, roi, o_direct=True))
        np.testing.assert_array_equal(found, np.stack([a[parse_key(roi)] for a in arrays]))


def test_o_direct_that_is_not_allowed_is_told(tmp_path, monkeypatch):
    original = os.open

    def refuse(path, flags):
        if flags & os.O_DIRECT:
            raise OSError(22, "Invalid argument")
        return original(path, flags)

    (path,) = save_all(tmp_path, [np.arange(5)])
    source = source_of([path], o_direct=True)
    monkeypatch.setattr(npy_reads.os, "open", refuse)
    with pytest.warns(UserWarning, match=r"0\.npy does not allow O_DIRECT"):
        assert read(source).tolist() == [[0, 1, 2, 3, 4]]


def test_neighbours_along_an_axis_are_read_together(tmp_path, monkeypatch):
    (path,) = save_all(tmp_path, [np.arange(4000).reshape(1000, 4)])
    source = source_of([path], sample_axis=0)
    reads = []
    original = LocalFile.fill_cached

    def noted(self, at, buffer):
        reads.append(buffer.size)
        return original(self, at, buffer)

    monkeypatch.setattr(LocalFile, "fill_cached", noted)
    found = read(source, np.array([5, 6, 7, 3, 900, 901, 7]))
    assert found[:, 0].tolist() == [20, 24, 28, 12, 3600, 3604, 28]
    assert reads == [3 * 32, 32, 2 * 32, 32]


def test_only_the_bytes_of_a_region_are_read(tmp_path, monkeypatch):
    (path,) = save_all(tmp_path, [np.zeros((64, 128, 128), "f4")])
    sizes = []
    original = LocalFile.fill_cached

    def noted(self, at, buffer):
        sizes.append(buffer.size)
        return original(self, at, buffer)

    regions = "8:10", "8:10, 40:50"
    source, part = (source_of([path], roi, keep_headers=True) for roi in regions)
    for reader in (source, part):
        reader.headers(np.arange(1))
    monkeypatch.setattr(LocalFile, "fill_cached", noted)
    read(source)
    assert sum(sizes) == 2 * 128 * 128 * 4
    sizes.clear()
    read(part)
    assert sum(sizes) == 2 * 10 * 128 * 4
