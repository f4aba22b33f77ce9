import os

import pytest

from penstock.engine.errors import SourceError
from penstock.readers.storage.opening import open_storage, open_storages


def test_files_are_opened_in_the_order_of_their_paths(tmp_path):
    for name in "abc":
        (tmp_path / name).write_text(name * 3)
    storages = open_storages([tmp_path / name for name in "cab"])
    assert [storage.read_whole() for storage in storages] == [b"ccc", b"aaa", b"bbb"]
    assert open_storages([]) == []


def test_what_is_no_file_is_named(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(FileNotFoundError, match="nowhere"):
        open_storage(tmp_path / "nowhere")
    with pytest.raises(IsADirectoryError, match=tmp_path.name):
        open_storage(tmp_path)
    with pytest.raises(SourceError, match="fifo is a device or FIFO"):
        open_storage(tmp_path / "fifo")
