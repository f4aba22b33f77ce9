import pytest

from penstock.engine.errors import SourceError
from penstock.readers.storage.opening import open_storage
from penstock.readers.tfrecord.index import (
    find_frames,
    read_index_file,
    record_paths,
    write_tfrecord_index,
)

from ..tfrecord_files import example, write_records


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    write_records(tmp_path / "data", [example({"n": [1] * count}) for count in (1, 9, 5)])
    return tmp_path / "data"


def test_an_index_that_is_written_says_what_the_file_says(path, tmp_path):
    assert write_tfrecord_index(str(path), str(tmp_path / "index")) == 3
    storage = open_storage(path)
    listed = read_index_file(open_storage(tmp_path / "index"), storage)
    for ours, theirs in zip(find_frames(storage, verify_data=False), listed, strict=True):
        assert ours.tolist() == theirs.tolist()


def test_indexes_in_folders_are_no_records(tmp_path):
    for name in ("b", "a", "a.idx"):
        (tmp_path / name).write_bytes(b"")
    assert record_paths([str(tmp_path)]) == [f"{tmp_path}/a", f"{tmp_path}/b"]
    assert record_paths([f"{tmp_path}/a.idx"]) == [f"{tmp_path}/a.idx"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0", "no index of a TFRecord file"),
        ("0 x", "no index of a TFRecord file"),
        ("", "the index is empty"),
        ("0 5", "line 1: .* has no record of 5 bytes at offset 0"),
        ("1 30", "line 1: .* has no record of 30 bytes at offset 1"),
    ],
)
def test_another_index_is_refused(path, tmp_path, text, message):
    (tmp_path / "index").write_text(text)
    with pytest.raises(SourceError, match=message):
        read_index_file(open_storage(tmp_path / "index"), open_storage(path))
