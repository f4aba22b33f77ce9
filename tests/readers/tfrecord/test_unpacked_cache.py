"""What stays of the unpacked files, and when the others go."""

import gzip
import os
import subprocess
import sys

import pytest

from penstock.engine.closing import finish_closing
from penstock.engine.errors import ArgumentError
from penstock.readers.storage.opening import open_storage
from penstock.readers.tfrecord import unpacked_cache
from penstock.readers.tfrecord.unpacked_cache import cache_limit, cache_use, trim
from penstock.readers.tfrecord.unpacked_file import unpacked


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "penstock"


def open_packed(tmp_path, name, size=1000):
    (tmp_path / name).write_bytes(gzip.compress(os.urandom(size)))
    return unpacked(open_storage(tmp_path / name), lambda content: None)


def kept(cache):
    return len(list(cache.glob("*.unpacked")))


def test_files_stay_while_they_are_in_use_and_go_when_they_exceed_the_limit(
    tmp_path, cache, monkeypatch
):
    monkeypatch.setenv("PENSTOCK_CACHE_BYTES", "2500")
    files = [open_packed(tmp_path, f"{number}.gz") for number in range(4)]
    assert kept(cache) == 4
    assert all(len(file.read_whole()) == 1000 for file in files)
    for file in files:
        file.close()
    finish_closing()
    assert kept(cache) == 2


def test_another_process_keeps_all_files(tmp_path, cache, monkeypatch):
    monkeypatch.setenv("PENSTOCK_CACHE_BYTES", "0")
    script = (
        "import sys; from pathlib import Path\n"
        "from penstock.readers.tfrecord.unpacked_cache import cache_use\n"
        "use = cache_use(Path(sys.argv[1])); print('in use', flush=True); sys.stdin.read()"
    )
    path = os.pathsep.join(filter(None, sys.path))
    with subprocess.Popen(
        [sys.executable, "-c", script, str(cache)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": path},
    ) as other:
        other.stdout.readline()
        open_packed(tmp_path, "a.gz").close()
        assert kept(cache) == 1
        other.stdin.close()
    assert kept(cache) == 0


def test_the_least_recently_used_files_go_with_their_indexes(tmp_path):
    for number in range(4):
        (tmp_path / f"{number}.unpacked").write_bytes(bytes(100))
        (tmp_path / f"{number}.unpacked.penstock-index").write_bytes(b"")
        os.utime(tmp_path / f"{number}.unpacked", ns=([5, 0, 9, 7][number], 0))
    (tmp_path / "another.file").write_bytes(bytes(1000))
    trim(tmp_path, 250)
    left = ["2.unpacked", "2.unpacked.penstock-index", "3.unpacked", "3.unpacked.penstock-index"]
    assert sorted(path.name for path in tmp_path.iterdir()) == [*left, "another.file"]


def test_a_process_enters_the_cache_once(tmp_path):
    first = cache_use(tmp_path)
    assert cache_use(tmp_path) is first


def test_the_limit(tmp_path, monkeypatch, tuned):
    tuned(unpacked_cache, MAX_CACHE_BYTES=1 << 50, MAX_FRACTION_OF_DISK=0.5)
    assert 0 < cache_limit(tmp_path) < 1 << 50
    tuned(unpacked_cache, MAX_CACHE_BYTES=12345)
    assert cache_limit(tmp_path) == 12345
    monkeypatch.setenv("PENSTOCK_CACHE_BYTES", "12 GB")
    with pytest.raises(ArgumentError, match=r"PENSTOCK_CACHE_BYTES='12 GB': a number of bytes"):
        cache_limit(tmp_path)
