import os
import subprocess
import tarfile

import numpy as np
import pytest

from penstock.engine.errors import SourceError
from penstock.readers.archives.tar import (
    BLOCK,
    TarError,
    header_fits,
    headers_fit,
    members,
    parse_header,
)
from penstock.readers.storage.opening import open_storage

from ..tars import CLOSING, FORMATS, archive, entry, header, pax, write

LONG = "folder.with.dots/" * 12 + "file.name.jpg"
FILES = {
    "a.txt": b"alpha",
    "empty.txt": b"",
    "exact.bin": b"x" * 512,
    LONG: b"long",
    "ünï/ cödé.txt": b"unicode",
    "../../etc/passwd": b"harmless",
    "/absolute": b"harmless, too",
    "big": bytes(200_000),
}


def found(path):
    content = path.read_bytes()
    return [
        (file.name, content[file.offset : file.offset + file.size])
        for file in members(open_storage(path))
    ]


def listed(files):
    return [(os.fsencode(name), content) for name, content in files.items()]


@pytest.mark.parametrize("form", FORMATS)
def test_archives_of_python(tmp_path, form):
    (tmp_path / "a.tar").write_bytes(archive(FILES, form))
    assert found(tmp_path / "a.tar") == listed(FILES)


DEREFERENCE = ["--dereference", "--hard-dereference"]


@pytest.mark.parametrize("form", ["v7", "oldgnu", "gnu", "ustar", "posix"])
def test_archives_of_the_tar_command(tmp_path, form):
    files = {"./a.txt": b"alpha", "./sub/b.c.txt": b"x" * 700, "./sub/" + "n" * 60 + ".bin": b"1"}
    for name, content in files.items():
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / name).write_bytes(content)
    (tmp_path / "in" / "link").symlink_to("a.txt")
    os.link(tmp_path / "in" / "a.txt", tmp_path / "in" / "twice")
    command = ["tar", f"--format={form}", "--sort=name", "-C", tmp_path / "in", "-cf"]
    subprocess.run([*command, tmp_path / "a.tar", "."], check=True)
    with pytest.warns(
        UserWarning, match=r"a\.tar holds 2 link\(s\), the first at offset \d+, which have"
    ):
        assert found(tmp_path / "a.tar") == listed(files)
    subprocess.run([*command, tmp_path / "b.tar", *DEREFERENCE, "."], check=True)
    both = {"./link": b"alpha", "./twice": b"alpha"}
    assert sorted(found(tmp_path / "b.tar")) == sorted(listed(files | both))


def test_members_are_those_that_python_finds(tmp_path):
    (tmp_path / "a.tar").write_bytes(archive(FILES, "pax"))
    with tarfile.open(tmp_path / "a.tar") as tar:
        theirs = [(os.fsencode(i.name), i.offset_data, i.size) for i in tar]
    ours = [(f.name, f.offset, f.size) for f in members(open_storage(tmp_path / "a.tar"))]
    assert ours == theirs


NO_MAGIC = {"magic": b""}


@pytest.mark.parametrize(
    ("parts", "names"),
    [
        ([entry(b"v7", b"1", kind=b"\0", **NO_MAGIC)], [b"v7"]),
        ([entry(b"contiguous", b"1", kind=b"7")], [b"contiguous"]),
        ([entry(b"old folder/", b"", kind=b"\0", **NO_MAGIC)], []),
        ([entry(b"folder", b"", kind=b"5"), entry(b"a", b"1")], [b"a"]),
        ([header(b"link with a size", 700, kind=b"1"), entry(b"a", b"1")], [b"a"]),
        ([entry(b"label", b"", kind=b"V"), entry(b"a", b"1")], [b"a"]),
        ([entry(b"unknown", b"x" * 600, kind=b"Z"), entry(b"a", b"1")], [b"a"]),
        ([entry(b"name", b"1", prefix=b"long/folder")], [b"long/folder/name"]),
        ([entry(b"name", b"1", magic=b"ustar  \0", prefix=b"times")], [b"name"]),
        ([pax({b"path": b"new.txt"}), entry(b"a", b"1"), entry(b"b", b"2")], [b"new.txt", b"b"]),
        ([pax({b"path": b"g"}, b"g"), entry(b"a", b"1"), entry(b"b", b"2")], [b"g", b"g"]),
        (
            [pax({b"path": b"g"}, b"g"), pax({b"path": b"x"}), entry(b"a", b"1"), entry(b"b", b"")],
            [b"x", b"g"],
        ),
        ([pax({b"mtime": b"1.5", b"comment": b"=\n="}), entry(b"a", b"1")], [b"a"]),
        ([entry(b"x", b"long name\0", kind=b"L"), entry(b"a", b"1")], [b"long name"]),
        ([entry(b"x", b"target\0", kind=b"K"), entry(b"a", b"1")], [b"a"]),
        ([entry(b"\xff\xfe", b"signed", signed=True)], [b"\xff\xfe"]),
    ],
)
@pytest.mark.filterwarnings("ignore:.*holds 1 link")
def test_kinds_of_headers(tmp_path, parts, names):
    write(tmp_path / "a.tar", *parts)
    assert [file.name for file in members(open_storage(tmp_path / "a.tar"))] == names


@pytest.mark.parametrize(
    "told", [b"\x80" + bytes(9) + b"\x02\xbc", b"  1274 \0    ", b"00000001274 "]
)
def test_ways_to_write_a_size(tmp_path, told):
    write(tmp_path / "a.tar", header(b"a", told), bytes(1024), entry(b"b", b"1"))
    assert [file.size for file in members(open_storage(tmp_path / "a.tar"))] == [700, 1]


def test_a_pax_size_counts(tmp_path):
    write(
        tmp_path / "a.tar", pax({b"size": b"700"}), header(b"a", 0), bytes(1024), entry(b"b", b"")
    )
    assert [file.size for file in members(open_storage(tmp_path / "a.tar"))] == [700, 0]


@pytest.mark.parametrize(
    ("content", "offset", "text"),
    [
        (b"", 0, "cut off: no header follows, but 0 bytes"),
        (b"short", 0, "cut off: no header follows, but 5"),
        (b"x" * 512, 0, "the checksum of a header is b'xxxxxxxx'"),
        (b"\x1f\x8b" + b"x" * 600, 0, "compressed with gzip.* decompress it"),
        (b"(\xb5/\xfd" + bytes(600), 0, "compressed with zstd"),
        (entry(b"a", b"1") + b"x" * 512, 1024, "the checksum of a header is"),
        (entry(b"a", b"1") + bytes(511), 1024, "cut off: no header follows, but 511 bytes"),
        (entry(b"a", b"12345")[:-1], 0, "cut off: 'a' takes 5 bytes, but the file ends at 1023"),
        (header(b"a", b"-0000000001\0"), 0, "the size of a header is"),
        (header(b"a", b"0000_000001\0"), 0, "the size of a header is"),
        (header(b"a", b"00000000009\0"), 0, "the size of a header is"),
        (header(b"a", b"\xff" * 12), 0, "the size of a header is"),
        (header(b"a", b"\x80" + b"\xff" * 11), 0, f"'a' takes {2**88 - 1} bytes"),
        (header(b"a", b"\x80" + (2**63).to_bytes(11, "big")), 0, f"'a' takes {2**63} bytes"),
        (header(b"L", 2**30, kind=b"L"), 0, "a header of 1073741824 bytes; more than 1 MB"),
        (header(b"x", 2000, kind=b"x"), 0, "cut off: 2000 bytes of a header"),
        (entry(b"x", b"99 path=a\n", kind=b"x"), 0, "PAX header is damaged at its byte 0"),
        (entry(b"x", b"10 path=a\n5 a", kind=b"x"), 0, "PAX header is damaged at its byte 10"),
        (entry(b"x", b"00000 path=a\n", kind=b"x"), 0, "PAX header is damaged"),
        (entry(b"x", b"99999999999999 a=b\n", kind=b"x"), 0, "PAX header is damaged"),
        (pax({b"size": b"-5"}) + header(b"a", 0), 1024, r"size of 'a' is b'-5'"),
        (pax({b"size": b"9" * 20}) + header(b"a", 0), 1024, f"takes {'9' * 20} bytes"),
        (pax({b"GNU.sparse.major": b"1"}) + header(b"a", 0), 1024, "'a' is stored as a sparse"),
        (pax({b"GNU.sparse.name": b"n"}) + header(b"a", 0), 1024, "'n' is stored as a sparse"),
        (pax({b"path": b"a"}) + CLOSING, 1024, "cut off: no header follows, but 1024 bytes"),
        (header(b"a", 0, kind=b"S"), 0, "'a' is stored as a sparse"),
        (header(b"a", 0, kind=b"M"), 0, "'a' continues another volume"),
    ],
)
def test_damage_is_named_with_its_place(tmp_path, content, offset, text):
    (tmp_path / "bad.tar").write_bytes(content)
    with pytest.raises(SourceError, match=rf"/bad\.tar, offset {offset}: .*{text}"):
        list(members(open_storage(tmp_path / "bad.tar")))


def test_sparse_files_of_the_tar_command_are_refused(tmp_path):
    with open(tmp_path / "holes", "wb") as file:
        file.truncate(1 << 20)
        file.seek(1 << 19)
        file.write(b"data")
    for form in ("gnu", "posix"):
        command = ["tar", f"--format={form}", "--sparse", "-C", tmp_path, "-cf"]
        subprocess.run([*command, tmp_path / "a.tar", "holes"], check=True)
        with pytest.raises(SourceError, match="'holes' is stored as a sparse file"):
            list(members(open_storage(tmp_path / "a.tar")))


@pytest.mark.parametrize("zeros", [512, 1024, 10240, 200 * 512])
def test_files_behind_blocks_of_zeros_count_with_a_warning(tmp_path, zeros):
    write(tmp_path / "a.tar", entry(b"a", b"1"), bytes(zeros), entry(b"b", b"2"), bytes(zeros))
    with pytest.warns(UserWarning, match=r"a\.tar goes on behind the zeros at offset 1024,"):
        assert found(tmp_path / "a.tar") == [(b"a", b"1"), (b"b", b"2")]


@pytest.mark.parametrize("zeros", [512, 1024, 200 * 512])
def test_zeros_in_place_of_a_header_are_damage(tmp_path, zeros):
    write(tmp_path / "a.tar", entry(b"a", b"1"), bytes(zeros), b"data".ljust(512))
    with pytest.raises(SourceError, match=rf"a\.tar, offset 1024: {zeros} bytes are zeros, and"):
        found(tmp_path / "a.tar")


def test_a_scan_can_start_at_any_header(tmp_path):
    write(tmp_path / "a.tar", entry(b"a", b"1"), entry(b"b", b"2"))
    assert [file.name for file in members(open_storage(tmp_path / "a.tar"), 1024)] == [b"b"]


def test_an_archive_that_is_not_closed_warns(tmp_path):
    (tmp_path / "a.tar").write_bytes(entry(b"a", b"1"))
    with pytest.warns(UserWarning, match=r"a\.tar ends without the blocks of zeros"):
        assert [file.name for file in members(open_storage(tmp_path / "a.tar"))] == [b"a"]


def test_an_archive_cut_short_at_any_byte_raises_or_warns(tmp_path):
    content = pax({b"path": b"1.txt"}) + entry(b"a", b"1") + entry(b"2.txt", b"x" * 600)
    path = tmp_path / "a.tar"
    path.write_bytes(content + CLOSING)
    for size in reversed(range(len(content) + len(CLOSING))):
        os.truncate(path, size)
        if size < len(content) + 512 and size not in (2048, len(content)):
            with pytest.raises(SourceError, match=r"a\.tar, offset \d+: .*cut off"):
                found(path)
        elif size <= len(content):
            with pytest.warns(UserWarning, match="ends without"):
                found(path)
        else:
            assert len(found(path)) == 2


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*ends without")
def test_flipped_bits_give_errors_or_files_inside_the_archive(tmp_path):
    names = {f"{i}.txt": bytes(100 * i) for i in range(6)} | {LONG: b"1"}
    pristine = np.frombuffer(archive(names, "gnu"), np.uint8)
    path = tmp_path / "a.tar"
    outcomes = {"error": 0, "read": 0}
    for seed in range(1000):
        random = np.random.default_rng(seed)
        damaged = pristine.copy()
        damaged[random.integers(0, 8000, 2)] ^= np.uint8(1 << random.integers(0, 8))
        damaged.tofile(path)
        try:
            files = list(members(open_storage(path)))
            assert all(0 < f.offset <= f.offset + f.size <= len(pristine) for f in files)
            outcomes["read"] += 1
        except SourceError:
            outcomes["error"] += 1
    assert min(outcomes.values()) > 30


def test_headers_can_be_compared_with_sizes(tmp_path):
    blocks = [
        header(b"a", 5),
        header(b"a", 5, kind=b"\0", magic=b""),
        header(b"a", b"     5\0     "),
        header(b"a", b"\x80" + bytes(10) + b"\5"),
        header(b"a", 6),
        header(b"a", 5, kind=b"2"),
        header(b"b" + b"a" * 50, 5)[:-1] + b"x",
        bytes(512),
        header(b"\xff", 5, signed=True),
    ]
    sizes = np.full(len(blocks), 5)
    quick = headers_fit(np.frombuffer(b"".join(blocks), np.uint8).reshape(-1, BLOCK), sizes)
    assert quick.tolist() == [True, True, True, False, False, False, False, False, False]
    fits = [header_fits(block, 5) for block in blocks]
    assert fits == [True, True, True, True, False, False, False, False, True]
    assert header_fits(header(b"a", 0), 2**33)


def test_checksums_are_compared(tmp_path):
    block = bytearray(header(b"name", 5))
    for place in range(BLOCK):
        block[place] ^= 1
        if not 148 <= place < 156:
            with pytest.raises(TarError, match="checksum"):
                parse_header(bytes(block))
        block[place] ^= 1
    assert parse_header(bytes(block)).size == 5
