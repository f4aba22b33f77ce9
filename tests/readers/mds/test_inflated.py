"""Compressed shards that claim more than they hold."""

import bz2
import gzip
import tracemalloc

import numpy as np
import pytest

from penstock.engine.errors import SourceError
from penstock.readers.mds.source import open_mds

from . import sets

BOMB = 50_000_000
COMPRESS = {"gz": gzip.compress, "bz2": bz2.compress}


def claiming(nbytes, content, compression):
    """Return a set with one shard of a content, which claims to have so many bytes."""
    packed = COMPRESS[compression](content)
    files = sets.made({"x": ("bytes", None)}, [b"\0\0\0\0"] * 3)
    told = {"basename": "a.packed", "bytes": len(packed), "hashes": {}}
    raw = {"basename": "a", "bytes": nbytes, "hashes": {}}
    files = sets.changed(files, compression=compression, raw_data=raw, zip_data=told)
    return {"index.json": files["index.json"], "a.packed": packed}


@pytest.mark.parametrize("compression", COMPRESS)
def test_what_unpacks_to_another_size_is_not_unpacked(tmp_path, compression):
    root = sets.put(claiming(10_000, bytes(BOMB), compression), tmp_path)
    source = open_mds([root], ["x"], cache_bytes=0)
    tracemalloc.start()
    for _ in range(2):
        with pytest.raises(SourceError, match=r"a.packed is damaged: it unpacks to 10001 bytes, n"):
            source.read(np.arange(3), np.empty)
    assert tracemalloc.get_traced_memory()[1] < BOMB // 4
    tracemalloc.stop()


def test_a_claim_that_the_file_cannot_hold_is_refused(tmp_path):
    root = sets.put(claiming((1 << 32) - 1, b"x" * 1000, "gz"), tmp_path)
    with pytest.raises(
        SourceError, match="bytes of gz cannot hold the 4294967295 bytes that the i"
    ):
        open_mds([root], ["x"], cache_bytes=0)


def test_a_shard_is_decompressed_once_as_long_as_it_is_kept(tmp_path):
    source = open_mds([sets.put("gz", tmp_path)], ["n"], cache_bytes=1 << 20)
    source.read(np.arange(9), np.empty)
    for path in tmp_path.glob("*.gz"):
        path.write_bytes(b"gone")
    source.read(np.arange(9), np.empty)
    source.close()
    with pytest.raises(OSError, match=r"shard.00000.mds.gz"):
        source.read(np.arange(9), np.empty)


def test_a_shard_that_was_mended_is_read_after_close(tmp_path):
    content = sets.files_of("gz")
    name = "shard.00000.mds.gz"
    damaged = content[name][:40] + b"?" + content[name][41:]
    source = open_mds([sets.put(content | {name: damaged}, tmp_path)], ["n"], cache_bytes=0)
    for mended in (False, True):
        with pytest.raises(SourceError, match="is damaged: the sha256 is"):
            source.read(np.array([0]), np.empty)
        if not mended:
            (tmp_path / name).write_bytes(content[name])
    source.close()
    (numbers,) = source.read(np.array([0]), np.empty)
    assert numbers.tolist() == [0]
