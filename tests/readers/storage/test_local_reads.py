import os

import numpy as np
import pytest

from penstock.engine.errors import SourceError
from penstock.readers.storage.local_reads import (
    OPEN_FLAGS,
    check_regular,
    read_cached,
    read_waiting,
)

CONTENT = np.random.default_rng(4).bytes(10_000)


@pytest.fixture
def opened(tmp_path):
    (tmp_path / "file").write_bytes(CONTENT)
    fd = os.open(tmp_path / "file", OPEN_FLAGS)
    yield fd
    os.close(fd)


def test_what_is_cached_is_read(opened):
    os.pread(opened, len(CONTENT), 0)
    buffer = np.zeros(100, np.uint8)
    assert read_cached(opened, buffer, 50)
    assert buffer.tobytes() == CONTENT[50:150]
    assert read_cached(opened, buffer[:0], 50)


def test_what_lies_behind_the_end_is_not_read(opened):
    buffer = np.zeros(100, np.uint8)
    assert not read_cached(opened, buffer, len(CONTENT) - 99)
    assert read_waiting(opened, buffer, len(CONTENT) - 99) == 99
    assert buffer[:99].tobytes() == CONTENT[-99:]


def test_regular_files_alone_are_read(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    check_regular(os.stat(__file__), __file__)
    with pytest.raises(SourceError, match="fifo is a device or FIFO"):
        check_regular(os.stat(tmp_path / "fifo"), tmp_path / "fifo")
    with pytest.raises(IsADirectoryError) as caught:
        check_regular(os.stat(tmp_path), os.fsencode(tmp_path))
    assert caught.value.filename == str(tmp_path)
