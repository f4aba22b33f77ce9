import os
import pickle

import numpy as np
import pytest

from penstock.engine.errors import SourceError
from penstock.readers.storage.opening import open_storage
from penstock.readers.storage.records import RecordFiles

LENGTHS = [[3, 0, 70_000, 5], [], [1, 90_000]]


@pytest.fixture
def contents():
    random = np.random.default_rng(3)
    return [[random.bytes(length) for length in file] for file in LENGTHS]


@pytest.fixture
def files(tmp_path, contents):
    storages, places = [], []
    for number, file in enumerate(contents):
        path = tmp_path / f"{number}.records"
        path.write_bytes(b"".join(b"<" + record + b">" for record in file))
        lengths = np.array([len(record) for record in file], np.int64)
        storages.append(open_storage(path))
        places.append((np.cumsum(lengths + 2) - lengths - 1, lengths))
    return RecordFiles(storages, places)


def read(files, indices):
    return [view.tobytes() for view in files.read(np.array(indices, np.int64), np.empty).views()]


@pytest.mark.parametrize("order", [[0, 1, 2, 3, 4, 5], [5, 0, 4, 2, 3, 1], [2, 2, 5, 2], [1], []])
def test_reads_records_of_all_files_in_the_order_asked(files, contents, order):
    flat = [record for file in contents for record in file]
    assert len(files) == len(flat)
    assert read(files, order) == [flat[i] for i in order]


def test_the_files_share_one_block(files):
    requests = []

    def allocate(shape, dtype):
        requests.append(shape)
        return np.empty(shape, dtype)

    records = files.read(np.array([4, 0, 3]), allocate)
    assert len(requests) == 1
    assert len(records) == 3
    assert records.block.shape == requests[0]


def test_all_records_are_used_once_as_they_were_read(files, contents):
    flat = [record for file in contents for record in file]
    order = [5, 0, 4, 2, 2, 1, 3]
    found = {}

    def use(records, rows):
        views = records.views()
        found.update((row, views[row].tobytes()) for row in rows if row not in found)

    files.read(np.array(order), np.empty, use=use)
    assert found == {row: flat[index] for row, index in enumerate(order)}


def test_where_names_file_record_and_offset(files, tmp_path):
    assert files.where(0) == f"{tmp_path}/0.records, record 0, offset 1"
    assert files.where(3) == f"{tmp_path}/0.records, record 3, offset 70010"
    assert files.where(4) == f"{tmp_path}/2.records, record 0, offset 1"
    assert files.position_of(5) == (f"{tmp_path}/2.records", 1, 4)


@pytest.mark.parametrize("index", [-1, 6])
def test_an_index_outside_raises(files, index):
    with pytest.raises(IndexError, match=f"no sample {index}"):
        read(files, [0, index])
    with pytest.raises(IndexError, match=f"no sample {index}"):
        files.where(index)


def test_copies_and_closed_files_read_on(files, contents):
    copy = pickle.loads(pickle.dumps(files))
    files.close()
    assert read(copy, [0, 5]) == read(files, [0, 5]) == [contents[0][0], contents[2][1]]


def test_places_outside_their_file_raise(tmp_path):
    (tmp_path / "short").write_bytes(b"12345")
    storage = open_storage(tmp_path / "short")
    for offset, length in [(-1, 2), (4, 2), (6, 0), (1, 2**63 - 1)]:
        with pytest.raises(SourceError, match=f"short: {length} bytes at offset {offset}"):
            RecordFiles([storage], [(np.array([0, offset]), np.array([1, length]))])


def test_a_file_that_was_cut_short_raises(files, tmp_path):
    os.truncate(tmp_path / "2.records", 10)
    assert read(files, [0, 4]) == read(files, [0, 4])
    with pytest.raises(SourceError, match=r"2.records: of 90000 bytes at offset 4 only 6 are"):
        read(files, [0, 5])
