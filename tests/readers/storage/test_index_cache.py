import os
from pathlib import Path

import numpy as np
import pytest

from penstock.readers.storage import index_cache
from penstock.readers.storage.index_cache import cached_index
from penstock.readers.storage.opening import open_storage

from ...conftest import kept_index

ARRAYS = (np.array([0, 2**40, 7]), np.array([1.5], np.float32), np.empty(0, np.uint8))


@pytest.fixture(autouse=True)
def user_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "penstock"


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "data" / "file.bin"
    path.parent.mkdir()
    path.write_bytes(bytes(1000))
    return path


class Builder:
    def __init__(self, arrays=ARRAYS):
        self.calls = 0
        self.arrays = arrays

    def __call__(self):
        self.calls += 1
        return self.arrays


def index(path, build, kind="numbers/1"):
    return cached_index(open_storage(path), kind, build, lambda *_: True)


def assert_arrays(found, expected=ARRAYS):
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other, strict=True)


def beside(path):
    return Path(f"{path}.penstock-index")


def test_is_built_once_and_kept_in_the_users_folder(data, user_cache):
    build = Builder()
    assert_arrays(index(data, build))
    assert_arrays(index(data, build))
    assert build.calls == 1
    assert os.listdir(data.parent) == ["file.bin"]
    assert len(os.listdir(user_cache)) == 1


def test_an_index_beside_the_data_is_read_and_renewed(data, user_cache):
    index(data, Builder())
    (kept,) = user_cache.iterdir()
    kept.rename(beside(data))
    build = Builder()
    assert_arrays(index(data, build))
    assert build.calls == 0
    os.utime(data, ns=(0, 5))
    assert_arrays(index(data, build))
    assert_arrays(index(data, build))
    assert build.calls == 1
    assert not os.listdir(user_cache)


def test_is_kept_beside_the_data_where_the_users_folder_cannot_be_written(data, tmp_path):
    (tmp_path / "cache").write_text("a file where the folder should be")
    build = Builder()
    assert_arrays(index(data, build))
    assert_arrays(index(data, build))
    assert build.calls == 1
    assert sorted(os.listdir(data.parent)) == ["file.bin", "file.bin.penstock-index"]


def test_is_computed_where_nothing_can_be_written(data, tmp_path, monkeypatch):
    (tmp_path / "cache").write_text("a file where the folder should be")
    beside(data).mkdir()
    assert_arrays(index(data, Builder()))


@pytest.mark.parametrize("change", ["content", "time", "kind"])
def test_is_built_anew_when_something_changed(data, change):
    index(data, Builder())
    if change == "content":
        data.write_bytes(bytes(1001))
    elif change == "time":
        os.utime(data, ns=(0, 5))
    other = (np.arange(4),)
    assert_arrays(index(data, Builder(other), "other" if change == "kind" else "numbers/1"), other)


def test_every_damage_leads_to_a_new_index(data):
    index(data, Builder())
    good = kept_index(data).read_bytes()
    damaged = [good[:size] for size in range(len(good))] + [good + b"\0", b"\xff" * 5000]
    damaged += [good[:i] + bytes([good[i] ^ 0x41]) + good[i + 1 :] for i in range(len(good))]
    for content in damaged:
        kept_index(data).write_bytes(content)
        build = Builder()
        assert_arrays(index(data, build))
        assert build.calls == 1
        assert kept_index(data).read_bytes() == good


@pytest.mark.parametrize(
    "header",
    [
        b"[]",
        b"[" * 50_000,
        b"\xff",
        b'{"content_name":"k","stamp":"s"}',
        b'{"content_name":"k","stamp":"s","arrays":[["|O",1]]}',
        b'{"content_name":"k","stamp":"s","arrays":[["<i8",-1]]}',
        b'{"content_name":"k","stamp":"s","arrays":[["<i8",1e300]]}',
        b'{"content_name":"k","stamp":"s","arrays":[["<i8",4611686018427387904]]}',
        b'{"content_name":"k","stamp":"s","arrays":[["<i8",1000000000000000000000000000000]]}',
        b'{"content_name":"k","stamp":"s","arrays":7}',
    ],
)
def test_hostile_headers_with_a_right_checksum_are_ignored(data, header, monkeypatch):
    stamp = open_storage(data).stamp.encode()
    header = header.replace(b'"s"', b'"' + stamp + b'"').replace(b'"k"', b'"numbers/1"')
    monkeypatch.setattr(index_cache, "_header", lambda *_: header)
    index(data, Builder((np.zeros(2, np.int64),)))
    monkeypatch.undo()
    build = Builder()
    assert_arrays(index(data, build))
    assert build.calls == 1


def test_a_huge_file_of_that_name_is_not_read(data):
    with open(beside(data), "wb") as file:
        file.truncate(1 << 40)
    assert_arrays(index(data, Builder()))


def test_a_named_pipe_of_that_name_is_not_waited_for(data):
    os.mkfifo(beside(data))
    assert_arrays(index(data, Builder()))


def test_a_failed_write_leaves_nothing(tmp_path):
    with pytest.raises(TypeError):
        index_cache.replace_file(tmp_path / "new", [b"ok", "no bytes"])
    assert os.listdir(tmp_path) == []
