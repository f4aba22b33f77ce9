"""Row groups that are kept, and dropped."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from penstock import SourceError
from penstock.readers.parquet.blocks import RowBlocks, open_tables
from penstock.readers.storage.opening import open_storages

from .tables import table, write

GROUP = 5


@pytest.fixture
def path(tmp_path):
    return write(tmp_path / "a.parquet", table(), row_group_size=GROUP)


def blocks_of(path, cache_bytes):
    """Return rows, and a list that tells which groups were decoded. Each takes 10 bytes."""
    decoded = []

    def decode(file, batches):
        label = batches[0].column(0)[0].as_py()
        decoded.append(label // GROUP)
        return label, 10

    return RowBlocks(open_tables(open_storages([path])), ["label"], decode, cache_bytes), decoded


def read(blocks, *rows):
    return [number for number, *_ in blocks.groups(np.array(rows))]


@pytest.mark.parametrize(("cache_bytes", "again"), [(0, 2), (10, 2), (29, 1), (30, 0)])
def test_the_cache_keeps_what_fits(path, cache_bytes, again):
    blocks, decoded = blocks_of(path, cache_bytes)
    for row in (0, 5, 10, 11, 10):
        read(blocks, row)
    assert decoded == [0, 1, 2]
    for row in (10, 5, 0):
        read(blocks, row)
    assert len(decoded) == 3 + again


def test_a_read_decodes_each_group_once(path):
    blocks, decoded = blocks_of(path, 0)
    assert read(blocks, 22, 0, 21, 7, 1, 8, 13, 19, 20) == [0, 1, 2, 3, 4]
    assert sorted(decoded) == [0, 1, 2, 3, 4]


def test_threads_that_want_the_same_group_decode_it_once(path):
    blocks, decoded = blocks_of(path, 1000)
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda row: read(blocks, row, 22 - row), range(23)))
    assert sorted(decoded) == [0, 1, 2, 3, 4]


def test_a_group_that_cannot_be_decoded_is_tried_again(path):
    blocks, decoded = blocks_of(path, 1000)
    with open(path, "r+b") as file:
        content = file.read()
        file.seek(0)
        file.write(b"PAR1" + bytes(len(content) // 2))
        file.flush()
        for _ in range(2):
            with pytest.raises(SourceError, match=r"a\.parquet, row group 0: "):
                read(blocks, 0)
        file.seek(0)
        file.write(content)
    assert read(blocks, 0) == [0]
    assert decoded == [0]
