import io

import pytest

from penstock.readers.storage.file_object import OutsideError, StorageFile
from penstock.readers.storage.opening import open_storage


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(bytes(range(100)))
    return StorageFile(open_storage(path))


def test_reads_from_any_place(file):
    assert file.readable()
    assert file.seekable()
    assert file.read(3) == bytes([0, 1, 2])
    assert file.seek(-2, io.SEEK_END) == 98
    assert file.read(9) == bytes([98, 99])
    assert file.read(9) == b""
    assert file.seek(-50, io.SEEK_CUR) == file.tell() == 50
    assert file.read(1) == bytes([50])
    assert file.seek(500) == 500
    assert file.read() == b""


def test_a_place_before_the_beginning_is_refused(file):
    with pytest.raises(OutsideError, match="before the file's beginning"):
        file.seek(-101, io.SEEK_END)
