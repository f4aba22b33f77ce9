import io
import random
import struct
import zipfile

import numpy as np
import pytest

from penstock.engine.errors import DecodeError, SourceError
from penstock.readers.archives.inflated_member import InflatedMember
from penstock.readers.archives.zip_index import DEFLATED, STORED, zip_members
from penstock.readers.storage.opening import open_storage

FILES = {"a.npy": b"first" * 10, "folder/b.npy": b"", "ü.npy": bytes(range(256)) * 40}


def zipped(files=FILES, method=zipfile.ZIP_STORED, **options):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method, **options) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()


def members(path, content):
    path.write_bytes(content)
    return zip_members(open_storage(path))


def inflated(packed, size, checksum):
    content = np.empty(size, np.uint8)
    InflatedMember("member", packed, size, checksum).fill([0], [content])
    return content


def contents(found, data):
    data = np.frombuffer(data, np.uint8)
    result = []
    for i in range(len(found.names)):
        raw = data[found.offsets[i] :][: found.sizes[i]]
        if found.methods[i] == DEFLATED:
            raw = inflated(raw, int(found.contents[i]), int(found.checksums[i]))
        result.append(raw.tobytes())
    return dict(zip((name.decode() for name in found.names), result, strict=True))


@pytest.mark.parametrize("method", [STORED, DEFLATED])
@pytest.mark.parametrize("lead", [b"", b"#!/bin/sh\n" * 50])
def test_what_zipfile_writes(tmp_path, method, lead):
    data = lead + zipped(method=method)
    assert contents(members(tmp_path / "a.zip", data), data) == FILES


def test_what_numpy_writes(tmp_path):
    np.savez(tmp_path / "a.npz", x=np.arange(3), y=np.ones(2))
    found = zip_members(open_storage(tmp_path / "a.npz"))
    assert list(found.names) == [b"x.npy", b"y.npy"]
    assert found.methods.tolist() == [STORED] * 2


def test_streamed_archives_and_zip64(tmp_path):
    class Unseekable(io.BytesIO):
        def seekable(self):
            return False

        def seek(self, *_):
            raise io.UnsupportedOperation

        tell = seek

    stream = Unseekable()
    with zipfile.ZipFile(stream, "w") as archive:
        with archive.open("a.npy", "w", force_zip64=True) as file:
            file.write(b"12345")
        archive.mkdir("folder")
    data = stream.getvalue()
    assert contents(members(tmp_path / "a.zip", data), data) == {"a.npy": b"12345"}


def test_two_members_of_one_name(tmp_path):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a.npy", b"first")
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("a.npy", b"second")
    with pytest.raises(SourceError, match=r"b.npz: two members are named 'a.npy'"):
        members(tmp_path / "b.npz", file.getvalue())


def test_no_members(tmp_path):
    assert len(members(tmp_path / "a.zip", zipped({})).names) == 0


def changed(data, place, form, value):
    data = bytearray(data)
    struct.pack_into(form, data, place, value)
    return bytes(data)


def directory(data, number=0):
    """Return where an entry of the central directory begins."""
    place = -1
    for _ in range(number + 1):
        place = data.index(b"PK\x01\x02", place + 1)
    return place


PLAIN = zipped()
FIRST, LAST = directory(PLAIN), directory(PLAIN, 2)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "no zip archive"),
        (b"no archive at all", "no zip archive"),
        (PLAIN[:-30], "no zip archive"),
        (changed(PLAIN, FIRST + 8, "<H", 1), "'a.npy' is encrypted"),
        (changed(PLAIN, FIRST + 10, "<H", 12), "'a.npy' is compressed with bzip2"),
        (changed(PLAIN, FIRST + 10, "<H", 99), "compressed with method 99"),
        (changed(PLAIN, FIRST + 42, "<I", 1), "does not begin where"),
        (changed(PLAIN, LAST + 42, "<I", 1 << 30), "'ü.npy' lies beyond the end"),
        (changed(PLAIN, LAST + 20, "<I", 1 << 30), "lies beyond the end"),
        (changed(PLAIN, FIRST + 24, "<I", 51), "'a.npy' is stored, but tells two sizes"),
        (changed(PLAIN, FIRST + 10, "<H", 8), "does not begin where"),
    ],
    ids=lambda value: value if isinstance(value, str) else "data",  # an archive names the time
)
def test_what_is_refused(tmp_path, data, message):
    with pytest.raises(SourceError, match=rf"a\.zip.*{message}"):
        members(tmp_path / "a.zip", data)


def test_members_must_not_overlap(tmp_path):
    larger = changed(changed(PLAIN, FIRST + 20, "<I", 200), FIRST + 24, "<I", 200)
    with pytest.raises(SourceError, match=r"'a\.npy' overlaps another one"):
        members(tmp_path / "a.zip", larger)


def test_members_must_not_promise_more_than_deflate_can_give(tmp_path):
    packed = zipped({"a.npy": bytes(1000)}, DEFLATED)
    bomb = changed(packed, directory(packed) + 24, "<I", 1 << 31)
    with pytest.raises(SourceError, match="would inflate to more than"):
        members(tmp_path / "a.zip", bomb)


@pytest.mark.parametrize("damage", ["checksum", "short", "long", "bytes"])
def test_damaged_members(tmp_path, damage):
    data = zipped({"a.npy": b"0123456789" * 9}, DEFLATED)
    found = members(tmp_path / "a.zip", data)
    raw = np.frombuffer(data, np.uint8)[found.offsets[0] :][: found.sizes[0]].copy()
    size, checksum = int(found.contents[0]), int(found.checksums[0])
    if damage == "checksum":
        checksum ^= 1
    elif damage == "bytes":
        raw[:] = 255
    else:
        size += 1 if damage == "long" else -1
    with pytest.raises(DecodeError, match="deflated bytes are damaged"):
        inflated(raw, size, checksum)


def test_random_damage_gives_errors_or_members(tmp_path):
    outcomes = set()
    pristine = zipped({"a.npy": b"x" * 30, "b.npy": b"y" * 9})
    for seed in range(400):
        chance = random.Random(seed)
        data = bytearray(pristine)
        for _ in range(chance.choice((1, 2, 4))):
            data[chance.randrange(len(data))] = chance.choice((0, 255, chance.randrange(256)))
        try:
            found = members(tmp_path / "a.zip", bytes(data))
        except SourceError:
            outcomes.add("error")
            continue
        outcomes.add("read")
        assert ((found.offsets >= 0) & (found.offsets + found.sizes <= len(data))).all()
    assert outcomes == {"error", "read"}
