import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from penstock.readers.storage import index_cache
from penstock.readers.storage.damage import DamagedFileError
from penstock.readers.storage.index_cache import cached_index, forget_index
from penstock.readers.storage.opening import open_storage

from ...conftest import kept_index

pytestmark = pytest.mark.usefixtures("user_cache")

ARRAYS = (np.array([0, 2**40, 7]), np.array([1.5], np.float32), np.empty(0, np.uint8))


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
    (tmp_path / ".cache").write_text("a file where the folder should be")
    build = Builder()
    assert_arrays(index(data, build))
    assert_arrays(index(data, build))
    assert build.calls == 1
    assert sorted(os.listdir(data.parent)) == ["file.bin", "file.bin.penstock-index"]


def test_is_computed_where_nothing_can_be_written(data, tmp_path, monkeypatch):
    (tmp_path / ".cache").write_text("a file where the folder should be")
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


def test_the_damage_of_a_file_is_kept_with_what_is_sound(data):
    build = Builder()

    def damaged():
        raise DamagedFileError("cut off", 700, build(), 3)

    for _ in range(2):
        with pytest.raises(DamagedFileError, match="cut off") as error:
            index(data, damaged)
        assert_arrays(error.value.sound)
        assert (error.value.offset, error.value.lost) == (700, 3)
    assert build.calls == 1
    data.write_bytes(bytes(1001))  # which somebody has fetched again
    assert_arrays(index(data, build))


def test_the_readers_check_learns_where_the_sound_part_ends(data):
    ends = []

    def damaged():
        raise DamagedFileError("cut off", 700, ARRAYS)

    for _ in range(2):
        with pytest.raises(DamagedFileError):
            cached_index(
                open_storage(data),
                "numbers/1",
                damaged,
                lambda end, *_: bool(ends.append(end)) or True,
            )
    assert ends == [700]


def test_an_index_that_was_forgotten_is_built_anew(data):
    build = Builder()
    index(data, build)
    forget_index(open_storage(data))
    index(data, build)
    assert build.calls == 2


LARGE = 100 << 30

WRITE_AND_READ_TWICE = """
import os, resource, struct, sys, tarfile, warnings, zipfile
import numpy as np
from penstock.readers.listing.listing import list_plain_files
from penstock.readers.lmdb import files
from penstock.readers.npy.array_list import list_arrays
from penstock.readers.recordio.reader import open_records
from penstock.readers.storage import index_cache
from penstock.readers.storage.opening import open_storage
from penstock.readers.tfrecord.index import open_frames
from penstock.readers.video.source import read_index_of
from penstock.readers.webdataset.source import open_archives
from penstock.tests.readers.lmdb_samples import write_lmdb
from penstock.tests.readers.tfrecord_files import frame, masked_crc
from penstock.tests.videos import video_file

SIZE = int(sys.argv[1])
warnings.simplefilter("ignore")
files.MIN_CACHED_LEAF_PAGES = 0

def put(path, *parts):
    with open(path, "wb") as file:
        for part in parts:  # numbers are holes
            file.seek(part, 1) if isinstance(part, int) else file.write(part)

header = tarfile.TarInfo("a.bin")
header.size = SIZE
tail = tarfile.TarInfo("b.bin")
put("a.tar", header.tobuf(tarfile.GNU_FORMAT), SIZE, tail.tobuf(), bytes(1024))
piece = [struct.pack("<II", 0xCED7230A, 1 << 28), 1 << 28]
put("a.rec", *piece * (SIZE >> 28), struct.pack("<IIIfQQ", 0xCED7230A, 24, 0, 5.0, 0, 0))
length = struct.pack("<Q", SIZE)
put("a.tfrecord", length, struct.pack("<I", masked_crc(length)), SIZE + 4, frame(b""))
write_lmdb(__import__("pathlib").Path("a.lmdb"), [b"value"], subdir=False)
os.truncate("a.lmdb", SIZE)
video_file("a.mp4", count=3)
end = os.path.getsize("a.mp4")
with open("a.mp4", "ab") as file:
    file.write(struct.pack(">I4sQ", 1, b"free", SIZE))
os.truncate("a.mp4", end + SIZE)
np.savez("small.npz", x=np.arange(3))
put("a.npz", SIZE, open("small.npz", "rb").read())

READ = {
    "a.tar": lambda path: open_archives([path], ["bin"]),
    "a.rec": lambda path: open_records([path]),
    "a.tfrecord": lambda path: open_frames([path])[1][0][0],
    "a.lmdb": lambda path: files.LMDBFiles([path]),
    "a.mp4": lambda path: read_index_of(open_storage(path)).times,
    "a.npz": lambda path: list_arrays(list_plain_files("x", files=[path])),
}
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 30), resource.RLIM_INFINITY))
for path, read in READ.items():
    lengths = []
    for _ in range(2):
        lengths.append(len(read(path)))
        kept = index_cache.cache_paths(open_storage(path))[0]
        assert kept.exists(), path
        lengths.append(kept.stat().st_mtime_ns)
    assert lengths[:2] == lengths[2:], (path, lengths)
    print(path, lengths[0])
"""


def test_indexes_of_large_files_take_the_memory_of_the_index(tmp_path):
    result = subprocess.run(
        [sys.executable, "-c", WRITE_AND_READ_TWICE, str(LARGE)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert not result.returncode, result.stderr
    counts = dict(line.split() for line in result.stdout.splitlines())
    records = str(LARGE >> 28)
    expected = {"a.tar": "2", "a.rec": records, "a.tfrecord": "2", "a.lmdb": "1"}
    assert counts == expected | {"a.mp4": "3", "a.npz": "1"}


def test_an_index_larger_than_any_of_its_file_is_not_read(data):
    index(data, Builder())
    os.truncate(kept_index(data), LARGE)
    build = Builder()
    assert_arrays(index(data, build))
    assert build.calls == 1
