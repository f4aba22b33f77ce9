import gzip
import os
import pickle
import shutil
import zlib
from collections import namedtuple

import numpy as np
import pytest

from penstock.engine.errors import SourceError
from penstock.readers.storage.opening import open_storage
from penstock.readers.tfrecord import unpacked_file
from penstock.readers.tfrecord.unpacked_file import inflate, is_compressed, unpacked

CONTENT = np.random.default_rng(9).bytes(3_000_000) + bytes(1_000_000)


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "penstock"


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "data.gz"
    file.write_bytes(gzip.compress(CONTENT, 1))
    return file


def accept(content):
    pass


def whole(storage):
    (content,) = storage.read(np.array([0]), np.array([storage.size]), np.empty)
    return content.tobytes()


@pytest.mark.parametrize(
    "packed",
    [
        gzip.compress(CONTENT, 1),
        zlib.compress(CONTENT, 1),
        gzip.compress(CONTENT[:100]) + gzip.compress(CONTENT[100:], 1),
        gzip.compress(CONTENT, 1) + bytes(600),
    ],
)
def test_gzip_and_zlib_are_unpacked(tmp_path, packed):
    (tmp_path / "packed").write_bytes(packed)
    assert is_compressed(packed[:12])
    storage = unpacked(open_storage(tmp_path / "packed"), accept)
    assert whole(storage) == CONTENT
    assert storage.name == str(tmp_path / "packed")


def test_pieces_are_small(path):
    sizes = [len(piece) for piece in inflate(open_storage(path))]
    assert max(sizes) <= 1 << 20
    assert sum(sizes) == len(CONTENT)


def test_is_unpacked_once_and_anew_when_it_changes(path, cache):
    calls = []
    for _ in range(2):
        unpacked(open_storage(path), calls.append)
    assert len(calls) == 1
    path.write_bytes(gzip.compress(b"other content"))
    assert whole(unpacked(open_storage(path), calls.append)) == b"other content"
    assert len(list(cache.glob("*.unpacked"))) == 1


def test_a_pickled_and_a_closed_storage_read_on(path):
    storage = unpacked(open_storage(path), accept)
    copy = pickle.loads(pickle.dumps(storage))
    storage.close()
    assert whole(copy) == whole(storage) == CONTENT


def test_what_check_raises_leaves_nothing(path, cache):
    def refuse(content):
        raise SourceError("not this one")

    with pytest.raises(SourceError, match="not this one"):
        unpacked(open_storage(path), refuse)
    assert [name for name in os.listdir(cache) if not name.endswith(".lock")] == []


def test_a_bomb_is_refused(tmp_path, cache):
    (tmp_path / "bomb.gz").write_bytes(gzip.compress(bytes(20_000_000)))
    with pytest.raises(SourceError, match=r"bomb.gz: its \d+ bytes unpack to more than \d+"):
        unpacked(open_storage(tmp_path / "bomb.gz"), accept)
    assert list(cache.glob("*.unpacked*")) == []


def test_a_full_disk_is_told_before_it_is_full(path, monkeypatch):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: usage(10**9, 0, 258 << 20))
    with pytest.raises(SourceError, match=r"do not fit into .*penstock, which has room for 2097"):
        unpacked(open_storage(path), accept)


def test_a_cache_that_cannot_be_written_is_named(path, tmp_path):
    (tmp_path / "cache").write_text("a file where the folder should be")
    with pytest.raises(SourceError, match=r"data.gz is compressed .*set XDG_CACHE_HOME"):
        unpacked(open_storage(path), accept)


def test_truncation_at_every_byte(tmp_path):
    packed = gzip.compress(b"a few words and some more")
    for size in range(1, len(packed)):
        (tmp_path / "cut").write_bytes(packed[:size])
        with pytest.raises(SourceError, match=f"cut off at {size} bytes"):
            list(inflate(open_storage(tmp_path / "cut")))


def test_damage_is_named(path):
    content = bytearray(path.read_bytes())
    content[1_500_000:1_500_100] = bytes(100)
    path.write_bytes(content)
    with pytest.raises(SourceError, match=r"data.gz: damaged near offset \d+"):
        list(inflate(open_storage(path)))


@pytest.mark.parametrize(
    "beginning", [b"", b"x", b"\x08\x00" + bytes(9), b"\x00" * 12, b"\x79\x9c"]
)
def test_other_beginnings_are_not_taken_for_compressed(beginning):
    assert not is_compressed(beginning)
    assert unpacked_file.is_compressed(b"\x78\x9c")
