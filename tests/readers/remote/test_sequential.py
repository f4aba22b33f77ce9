import numpy as np
import pytest

from penstock.readers.remote import sequential
from penstock.readers.remote.sequential import SequentialObject
from penstock.readers.storage.local_file import LocalFile

CONTENT = np.random.default_rng(3).bytes(1000)


class Counted(LocalFile):
    """A file that notes which offsets are read."""

    def __init__(self, path):
        super().__init__(str(path))
        self.offsets = []

    def start_read(self, offsets, buffers):
        self.offsets += offsets
        return super().start_read(offsets, buffers)


@pytest.fixture
def file(tmp_path):
    (tmp_path / "data").write_bytes(CONTENT)
    return Counted(tmp_path / "data")


def test_each_part_is_read_once_and_some_ahead(file, tuned):
    tuned(sequential, MAX_AHEAD=3)
    walk = SequentialObject(file, 100)
    buffer = np.empty(7, np.uint8)
    ahead = []
    for offset in range(0, 994, 7):
        walk.fill([offset], [buffer])
        assert buffer.tobytes() == CONTENT[offset : offset + 7]
        ahead.append(max(file.offsets) // 100 - (offset + 6) // 100)
    assert sorted(file.offsets) == list(range(0, 1000, 100))
    assert max(ahead) == 3


def test_a_leap_reads_nothing_ahead(file):
    walk = SequentialObject(file, 100)
    buffer = np.empty(150, np.uint8)
    for offset in (700, 50, 850):
        walk.fill([offset], [buffer])
        assert buffer.tobytes() == CONTENT[offset : offset + 150]
    walk.close()
    walk.fill([0], [buffer])
    assert buffer.tobytes() == CONTENT[:150]
