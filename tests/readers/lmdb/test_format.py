import struct

import lmdb
import pytest

from penstock.engine.errors import SourceError
from penstock.readers.lmdb.format import is_unchanged, read_snapshot
from penstock.readers.storage.opening import open_storage

from ..lmdb_samples import FORMATS, write_lmdb

HEADER = {0: 16, 1: 24}


@pytest.fixture(params=FORMATS)
def lib_version(request):
    return request.param


@pytest.fixture
def path(tmp_path, lib_version):
    return write_lmdb(tmp_path / "f.mdb", [b"x"] * 300, lib_version=lib_version, subdir=False)


def snapshot(path):
    storage = open_storage(path)
    try:
        return read_snapshot(storage)
    finally:
        storage.close()


def patched(path, offset, content):
    with open(path, "r+b") as file:
        file.seek(offset)
        file.write(content)
    return path


def test_agrees_with_the_library(path):
    found = snapshot(path)
    with lmdb.open(str(path), subdir=False, readonly=True, lock=False) as environment:
        stat, info = environment.stat(), environment.info()
    assert found.page_size == stat["psize"]
    assert found.pages == info["last_pgno"] + 1
    assert found.transaction == info["last_txnid"]
    assert (found.main.entries, found.main.depth) == (stat["entries"], stat["depth"])
    assert found.main.leaf_pages == stat["leaf_pages"]


def test_the_newest_transaction_counts(path, lib_version):
    before = snapshot(path)
    for number in (1, 2, 3):
        write_lmdb(path, {b"new%d" % number: b""}, lib_version=lib_version, subdir=False)
        now = snapshot(path)
        assert now.transaction == before.transaction + number
        assert now.main.entries == 300 + number
        assert is_unchanged(open_storage(path), now)
        assert not is_unchanged(open_storage(path), before)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "it is empty"),
        (b"PNG" * 1000, "does not start with a meta page"),
        (bytes(12) + struct.pack("<II", 0xBEEFC0DE, 1), "32-bit system"),
        (bytes(16) + struct.pack(">II", 0xBEEFC0DE, 1), "big-endian system"),
        (bytes(16) + struct.pack("<II", 0xBEEFC0DE, 2), r"data version is 2; 1 .* and 3 "),
        (bytes(24) + struct.pack("<II", 0xBEEFC0DE, 999), "data version is 999"),
        (bytes(16) + struct.pack("<II", 0xBEEFC0DE, 1), "cut short"),
    ],
)
def test_other_files_are_refused(tmp_path, content, message):
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(SourceError, match=message) as caught:
        snapshot(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("field", "content", "message"),
    [
        (24, struct.pack("<I", 5000), "pages of 5000 bytes"),
        (24, struct.pack("<I", 1 << 20), "pages of 1048576 bytes"),
        (24, struct.pack("<I", 8192), "no meta page of data version"),
        (4096 + 0, bytes(4), "page at offset 4096 is no meta page"),
    ],
)
def test_damaged_meta_pages_are_refused(path, lib_version, field, content, message):
    with pytest.raises(SourceError, match=message):
        snapshot(patched(path, HEADER[lib_version] + field, content))


@pytest.mark.parametrize(
    ("field", "content", "message"),
    [
        (4, struct.pack("<H", 4), "several values for a key"),
        (6, struct.pack("<H", 33), "a tree of 33 levels"),
    ],
)
def test_databases_that_cannot_be_read_are_refused(path, lib_version, field, content, message):
    for page in (0, 4096):
        patched(path, page + HEADER[lib_version] + 24 + 48 + field, content)
    with pytest.raises(SourceError, match=message):
        snapshot(path)
