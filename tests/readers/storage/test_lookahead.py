import numpy as np
import pytest

from penstock.engine.errors import SourceError
from penstock.readers.storage.local_file import LocalFile
from penstock.readers.storage.lookahead import Lookahead


class Counting(LocalFile):
    def __init__(self, path):
        super().__init__(path)
        self.reads = []

    def fill(self, offsets, buffers):
        self.reads += [buffer.size for buffer in buffers]
        super().fill(offsets, buffers)


@pytest.fixture
def content():
    return np.random.default_rng(1).bytes(3_000_000)


@pytest.fixture
def storage(tmp_path, content):
    (tmp_path / "file").write_bytes(content)
    return Counting(str(tmp_path / "file"))


@pytest.mark.parametrize("step", [8, 300, 20_000, 100_000])
def test_bytes_are_those_of_the_file(storage, content, step):
    ahead = Lookahead(storage)
    for offset in range(0, len(content) - 8, step):
        assert ahead.take(offset, 8) == content[offset : offset + 8]


def test_backward_jumps_long_and_empty_pieces(storage, content):
    ahead = Lookahead(storage)
    for offset, length in [(10, 4), (5, 4), (2_999_999, 1), (3_000_000, 0), (7, 1_000_000)]:
        assert ahead.take(offset, length) == content[offset : offset + length]


def test_close_headers_share_large_reads(storage):
    ahead = Lookahead(storage)
    for offset in range(0, storage.size - 512, 1000):
        ahead.take(offset, 512)
    assert len(storage.reads) < 15


def test_far_headers_are_read_alone(storage):
    ahead = Lookahead(storage)
    for offset in range(0, storage.size - 512, 100_000):
        ahead.take(offset, 512)
    assert sum(storage.reads) < storage.size / 10


def test_a_file_that_was_cut_short_raises(storage, tmp_path):
    ahead = Lookahead(storage)
    ahead.take(0, 8)
    (tmp_path / "file").write_bytes(b"short")
    with pytest.raises(SourceError, match="cut short"):
        ahead.take(2_000_000, 8)
