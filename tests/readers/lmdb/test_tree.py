"""The tree against the library, and against files that are damaged or hostile."""

import random
from contextlib import suppress

import lmdb
import numpy as np
import pytest

from penstock.engine.errors import SourceError
from penstock.readers.lmdb import tree as lmdb_tree
from penstock.readers.lmdb.files import LMDBFiles
from penstock.readers.lmdb.format import read_snapshot
from penstock.readers.lmdb.tree import read_entries
from penstock.readers.storage.opening import open_storage

from ..lmdb_samples import FORMATS, write_lmdb

SEEDS = 400  # ten thousand were run by hand


def entries(path):
    """Return the records that the tree holds."""
    storage = open_storage(path)
    try:
        snapshot = read_snapshot(storage)
        found = read_entries(storage, snapshot, snapshot.main)
    finally:
        storage.close()
    content = path.read_bytes()
    return [
        (key, content[offset : offset + length])
        for key, offset, length in zip(
            found.key_list(), found.offsets.tolist(), found.lengths.tolist(), strict=True
        )
    ]


@pytest.mark.parametrize("lib_version", FORMATS)
@pytest.mark.parametrize("count", [0, 1, 50, 5000])
@pytest.mark.parametrize("sizes", [(0, 30), (1900, 2200), (0, 20_000)])
def test_sizes(tmp_path, lib_version, count, sizes):
    draw = random.Random(count)
    count = min(count, 20_000_000 // sizes[1])
    records = {
        draw.randbytes(draw.randint(1, 60)): draw.randbytes(draw.randint(*sizes))
        for _ in range(count)
    }
    path = write_lmdb(tmp_path / "f", records, lib_version=lib_version, subdir=False)
    assert entries(path) == sorted(records.items())


@pytest.mark.parametrize("lib_version", FORMATS)
@pytest.mark.parametrize("seed", range(4))
def test_many_changes(tmp_path, lib_version, seed):
    draw = random.Random(seed)
    longest_key, longest_value = draw.choice([4, 60, 400]), draw.choice([20, 500, 6000])
    records = {}
    with lmdb.open(
        str(tmp_path / "f"), subdir=False, lib_version=lib_version, map_size=1 << 28, sync=False
    ) as environment:
        for _ in range(15):
            with environment.begin(write=True) as transaction:
                for _ in range(60):
                    key = draw.randbytes(draw.randint(1, longest_key))
                    if records and draw.random() < 0.6:
                        key = draw.choice(list(records))
                    if draw.random() < 0.3:
                        transaction.delete(key)
                        records.pop(key, None)
                    else:
                        records[key] = draw.randbytes(draw.randint(0, longest_value))
                        transaction.put(key, records[key])
    assert entries(tmp_path / "f") == sorted(records.items())


@pytest.mark.parametrize(
    ("flags", "keys"),
    [
        ({"reverse_key": True}, [b"za", b"ab", b"xb", b"c"]),
        ({"integerkey": True}, [number.to_bytes(8, "little") for number in (1, 255, 256, 2**40)]),
    ],
)
def test_other_orders_of_keys(tmp_path, flags, keys):
    records = dict.fromkeys(keys, b"value")
    write_lmdb(tmp_path / "e", records, database=b"named", **flags)
    files = LMDBFiles([str(tmp_path / "e")], "named")
    found = files.keys(np.arange(len(files)), np.empty)
    assert [key.tobytes() for key in found] == keys


def test_levels_are_read_in_chunks(tmp_path, tuned):
    records = {b"%06d" % number: bytes(number % 700) for number in range(3000)}
    path = write_lmdb(tmp_path / "f", records, subdir=False)
    tuned(lmdb_tree, CHUNK_BYTES=3 * 4096)
    assert entries(path) == list(records.items())


@pytest.fixture(scope="module", params=FORMATS)
def small_file(request, tmp_path_factory):
    """Bytes of a small file with two databases, a tree of two levels, and large values."""
    path = tmp_path_factory.mktemp("small") / "f"
    draw = random.Random(9)
    for name, sizes in ((b"sub", [0, 10, 300, 900]), (None, [0, 10, 300, 5000])):
        values = [draw.randbytes(draw.choice(sizes)) for _ in range(40)]
        write_lmdb(path, values, lib_version=request.param, subdir=False, database=name)
    return path.read_bytes()


def read_all(path, database=None):
    """Read everything, or raise SourceError; any other error fails the test."""
    files = None
    try:
        files = LMDBFiles([str(path)], database)
        values = files.read(np.arange(len(files)), np.empty).views()
        assert sum(map(len, values)) <= path.stat().st_size
        return [value.tobytes() for value in values]
    finally:
        open_storage(path).close()


def test_a_file_cut_short_anywhere_is_refused(small_file, tmp_path):
    whole = tmp_path / "whole"
    whole.write_bytes(small_file)
    expected = read_all(whole)
    for size in [*range(0, 4096, 97), *range(4096, len(small_file), 1023)]:
        path = tmp_path / f"{size}"
        path.write_bytes(small_file[:size])
        with suppress(SourceError):
            assert read_all(path) == expected  # free pages at the end may be missing


@pytest.mark.slow
def test_flipped_bits_never_do_worse_than_an_error(small_file, tmp_path):
    path = tmp_path / "flipped"
    refused = 0
    for seed in range(SEEDS):
        draw = random.Random(seed)
        content = bytearray(small_file)
        for _ in range(draw.choice([1, 1, 3, 30])):
            within = draw.randrange(64) if seed % 2 else draw.randrange(4096)
            content[draw.randrange(len(content) // 4096) * 4096 + within] ^= draw.randrange(1, 256)
        path.write_bytes(content)
        try:
            read_all(path, draw.choice([None, "sub"]))
        except SourceError:
            refused += 1
    assert refused > SEEDS // 10


def leaf_of(content, lib_version):
    """Return the offset of a leaf page."""
    flags = 10 if lib_version == 0 else 18
    return next(
        page for page in range(8192, len(content), 4096) if content[page + flags] & 0x0F == 2
    )


@pytest.mark.parametrize("lib_version", FORMATS)
@pytest.mark.parametrize(
    ("place", "change", "message"),
    [
        ("number", b"\x07", "bears another page's number"),
        ("flags", b"\x01\0", "is no leaf page"),
        ("lower", b"\xff\xff", "impossible bounds"),
        ("lower", b"\0\0", "impossible bounds|wrong lengths"),
        ("first", b"\xfe\xff", "node outside"),
        ("first", b"\x01\x0f", "node outside"),
        ("key size", b"\xff\x7f", "key outside"),
        ("key size", b"\x02\0", "wrong lengths"),
        ("size", b"\xff\xff", "value that goes beyond"),
        ("size", b"\x09\0", "wrong lengths|value that goes beyond"),
        ("node flags", b"\x04\0", "unknown kind"),
        ("node flags", b"\x01\0", "value that goes beyond|refers to no page|wrong lengths"),
        ("second", None, "wrong lengths|out of order"),
    ],
)
def test_damage_is_described(tmp_path, lib_version, place, change, message):
    path = write_lmdb(
        tmp_path / "f", [b"value %d" % i for i in range(9)], lib_version=lib_version, subdir=False
    )
    content = bytearray(path.read_bytes())
    page, header, base = leaf_of(content, lib_version), (16, 24)[lib_version], (0, 24)[lib_version]
    first = page + header
    node = page + base + int.from_bytes(content[first : first + 2], "little")
    where = {
        "number": page,
        "flags": page + header - 6,
        "lower": page + header - 4,
        "first": first,
        "second": first + 2,
        "size": node,
        "node flags": node + 4,
        "key size": node + 6,
    }[place]
    if change is None:  # two entries share a node
        change = content[first : first + 2]
    content[where : where + len(change)] = change
    path.write_bytes(content)
    with pytest.raises(SourceError, match=message) as caught:
        read_all(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("lib_version", FORMATS)
def test_values_that_share_pages_are_refused(tmp_path, lib_version):
    path = write_lmdb(tmp_path / "f", [bytes(10_000)] * 20, lib_version=lib_version, subdir=False)
    content = bytearray(path.read_bytes())
    page, header, base = leaf_of(content, lib_version), (16, 24)[lib_version], (0, 24)[lib_version]
    pointers = np.frombuffer(content, "<u2", 20, page + header).astype(int) + page + base + 16
    for place in pointers[1:]:  # all values are the first one: twenty times its bytes
        content[place : place + 8] = content[pointers[0] : pointers[0] + 8]
    path.write_bytes(content)
    with pytest.raises(SourceError, match="overlap"):
        read_all(path)
