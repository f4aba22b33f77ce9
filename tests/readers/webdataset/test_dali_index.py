import os

import numpy as np
import pytest

from penstock.engine.errors import SourceError
from penstock.readers.archives.tar_index import index_archive
from penstock.readers.storage.opening import open_storage
from penstock.readers.webdataset.dali_index import (
    check_ends,
    parse_dali_index,
    read_dali_index,
    write_dali_index,
)

from ..tars import archive, entry, write

FILES = {"x/1.jpg": b"111", "x/1.a.txt": b"", ".no.jpg": b"", "x/2.txt": b"2", "y/2.txt": b"22"}
TEXT = "v1.2 3\njpg 512 3 x/1.jpg a.txt 1536 0 x/1.a.txt\ntxt 2560 1 x/2.txt\ntxt 3584 2 y/2.txt\n"


@pytest.fixture
def storage(tmp_path):
    (tmp_path / "a.tar").write_bytes(archive(FILES))
    return open_storage(tmp_path / "a.tar")


def assert_is_of_files(index, keys=(b"x/1", b"x/2", b"y/2")):
    assert list(index.keys) == list(keys)
    assert index.firsts.tolist() == [0, 2, 3, 4]
    assert index.offsets.tolist() == [512, 1536, 2560, 3584]
    assert index.sizes.tolist() == [3, 0, 1, 2]
    assert [index.extensions[kind] for kind in index.extension_numbers] == [
        b"jpg",
        b"a.txt",
        b"txt",
        b"txt",
    ]


def test_the_index_of_an_archive(storage):
    assert_is_of_files(index_archive(storage))
    assert_is_of_files(index_archive(storage))  # from its file


def test_dali_indexes_are_written(storage, tmp_path):
    assert write_dali_index(tmp_path / "a.tar", tmp_path / "a.idx") == 3
    assert (tmp_path / "a.idx").read_text() == TEXT


@pytest.mark.parametrize("name", ["a b.jpg", "sub folder/a.jpg", "a.j\tpg", "README", "x/README"])
def test_names_that_no_dali_index_can_hold_raise(tmp_path, name):
    (tmp_path / "a.tar").write_bytes(archive({"0.jpg": b"", name: b""}))
    with pytest.raises(SourceError, match=r"a\.tar, offset 1024: .* has a space or no extension"):
        write_dali_index(tmp_path / "a.tar", tmp_path / "a.idx")
    assert not (tmp_path / "a.idx").exists()


def test_an_archive_without_samples_has_no_dali_index(tmp_path):
    with pytest.raises(SourceError, match=r"a\.tar holds no sample"):
        write_dali_index(write(tmp_path / "a.tar", entry(b".a", b"")), tmp_path / "a.idx")


@pytest.mark.parametrize("text", [TEXT, TEXT.rstrip("\n"), TEXT.replace("\n", "\r\n")])
def test_dali_indexes_are_read(storage, tmp_path, text):
    (tmp_path / "a.idx").write_bytes(text.encode())
    assert_is_of_files(read_dali_index(open_storage(tmp_path / "a.idx"), storage))


def test_dali_indexes_of_version_1_1_are_read(storage, tmp_path):
    lines = ["v1.1 3", "jpg 512 3 a.txt 1536 0", "txt 2560 1", "txt 3584 2"]
    (tmp_path / "a.idx").write_text("\n".join(lines))
    assert_is_of_files(read_dali_index(open_storage(tmp_path / "a.idx"), storage), [b""] * 3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: 'v1.2' or 'v1.1' and the number of samples"),
        ("v1.3 1\nt 512 1 a.t\n", "line 1: "),
        ("v1.2\nt 512 1 a.t\n", "line 1: "),
        ("v1.2 -1\n", "line 1: "),
        ("v1.2 " + "9" * 30, "line 1: "),
        ("v1.2 2\nt 512 1 a.t\n", "2 samples are announced, but 1 listed"),
        ("v1.2 1\nt 512 1 a.t\nt 512 1 b.t\n", "1 samples are announced, but 2 listed"),
        ("v1.2 1\n\n", "line 2: 0 words, where each component takes 4"),
        ("v1.2 1\nt 512 1\n", "line 2: 3 words, where each component takes 4"),
        ("v1.2 1\nt 512 1 a b.t\n", "line 2: 5 words"),
        ("v1.2 1\nt 5x 1 a.t\n", "line 2: b'5x' and b'1' are no offset and size"),
        ("v1.2 1\nt 512 -1 a.t\n", "are no offset and size"),
        (f"v1.2 1\nt 512 {'9' * 19} a.t\n", "are no offset and size"),
        ("v1.2 1\nt 1 512 a.t\n", "bytes 1 to 513 cannot be a file in"),
        ("v1.2 1\nt 0 5 a.t\n", "bytes 0 to 5 cannot be a file in"),
        ("v1.2 1\nt 512 99999 a.t\n", "bytes 512 to 100511 cannot be a file in"),
        ("v1.2 1\nt 51200 1 a.t\n", "cannot be a file in"),
        ("v1.2 1\nt 512 9223372036854775807 a.t\n", "are no offset and size"),
    ],
)
def test_damaged_dali_indexes_raise(storage, tmp_path, text, message):
    (tmp_path / "a.idx").write_text(text)
    with pytest.raises(SourceError) as caught:
        read_dali_index(open_storage(tmp_path / "a.idx"), storage)
    assert "a.idx" in str(caught.value)
    assert message in str(caught.value)


@pytest.mark.slow
def test_damaged_bytes_of_dali_indexes_give_errors_or_places_inside(storage, tmp_path):
    outcomes = set()
    for seed in range(500):
        random = np.random.default_rng(seed)
        text = np.frombuffer(TEXT.encode(), np.uint8).copy()
        text[random.integers(0, len(text), 2)] = random.integers(0, 256, 2)
        text.tofile(tmp_path / "a.idx")
        try:
            index = read_dali_index(open_storage(tmp_path / "a.idx"), storage)
            outcomes.add(bool((index.offsets + index.sizes <= storage.size).all()))
        except SourceError:
            outcomes.add("error")
    assert outcomes == {True, "error"}


def test_an_existing_index_is_replaced_only_as_a_whole(storage, tmp_path):
    (tmp_path / "a.idx").write_text("old")
    os.truncate(tmp_path / "a.tar", 600)
    with pytest.raises(SourceError, match="cut off"):
        write_dali_index(tmp_path / "a.tar", tmp_path / "a.idx")
    assert (tmp_path / "a.idx").read_text() == "old"


@pytest.mark.parametrize("zeros", [512, 20_480])
def test_an_index_that_ends_before_zeros_with_files_behind_them_warns(tmp_path, zeros):
    first, second = entry(b"1.txt", b"1"), entry(b"2.txt", b"2")
    write(tmp_path / "a.tar", first, bytes(zeros), second)
    archive = open_storage(tmp_path / "a.tar")
    index = parse_dali_index(b"v1.2 1\ntxt 512 1 1.txt\n", "a.idx", archive)
    with pytest.warns(
        UserWarning, match=r"a\.tar goes on behind the zeros at offset 1024, .*index"
    ):
        check_ends([archive], [index])


def test_an_index_that_lacks_the_last_samples_warns(storage):
    index = parse_dali_index(b"v1.2 1\njpg 512 3 x/1.jpg a.txt 1536 0 x/1.a.txt\n", "a", storage)
    with pytest.warns(RuntimeWarning, match=r"a\.tar holds 2 files, the first 'x/2\.txt', behind"):
        check_ends([storage], [index])


def test_an_index_of_an_archive_with_a_hole_raises(tmp_path):
    write(tmp_path / "a.tar", entry(b"1.txt", b"1"), bytes(512), b"data".ljust(512))
    archive = open_storage(tmp_path / "a.tar")
    index = parse_dali_index(b"v1.2 1\ntxt 512 1 1.txt\n", "a.idx", archive)
    with pytest.raises(SourceError, match=r"a\.tar, offset 1024: 512 bytes are zeros"):
        check_ends([archive], [index])


def test_an_index_of_a_whole_archive_is_taken_without_a_word(storage, tmp_path):
    write_dali_index(tmp_path / "a.tar", tmp_path / "a.idx")
    index = read_dali_index(open_storage(tmp_path / "a.idx"), storage)
    check_ends([storage], [index])
    assert_is_of_files(index, [b"x/1", b"x/2", b"y/2"])
