import pickle
import tracemalloc

import numpy as np
import pytest

from penstock.readers.storage.strings import StringTable, StringTableBuilder

STRINGS = [b"cat.jpg", b"", b"\xff\x00odd", "ü".encode(), b"cat.jpg"]


def test_gives_back_what_was_put_in():
    table = StringTable.of(STRINGS)
    assert len(table) == 5
    assert list(table) == STRINGS
    assert table.take(np.array([4, 1, 2, 2])) == [b"cat.jpg", b"", STRINGS[2], STRINGS[2]]
    assert table.take(np.empty(0, np.int64)) == []


def test_an_empty_table():
    table = StringTable.of([])
    assert len(table) == 0
    assert list(table) == []


@pytest.mark.parametrize("index", [-1, 5])
def test_an_index_outside_raises(index):
    with pytest.raises(IndexError, match=f"string {index} of a table of 5"):
        StringTable.of(STRINGS)[index]


def test_what_they_contain():
    table = StringTable.of([b"", b"cat", b"/dog", b""])
    assert table.contain(b"at")
    assert not table.contain(b"x")
    assert table.some_begin_with(ord("/"))
    assert table.some_begin_with(ord("c"))
    assert not table.some_begin_with(ord("a"))
    assert not StringTable.of([]).some_begin_with(ord("/"))
    assert not StringTable.of([b"", b""]).some_begin_with(ord("/"))


def test_pickles():
    assert list(pickle.loads(pickle.dumps(StringTable.of(STRINGS)))) == STRINGS


def test_builder_mixes_single_strings_and_prefixed_runs():
    builder = StringTableBuilder()
    builder.append(b"first")
    builder.extend([b"a", b"b"], prefix=b"dir/")
    builder.extend(iter(()), prefix=b"nothing/")
    builder.append(b"last")
    assert len(builder) == 4
    assert list(builder.finish()) == [b"first", b"dir/a", b"dir/b", b"last"]


def test_runs_longer_than_what_is_joined_at_once():
    names = [b"%d" % i for i in range(140_000)]
    builder = StringTableBuilder()
    builder.extend(names, prefix=b"x")
    table = builder.finish()
    assert [table[i] for i in (0, 65_535, 65_536, 139_999)] == [
        b"x0",
        b"x65535",
        b"x65536",
        b"x139999",
    ]
    assert len(table) == len(names)


@pytest.mark.slow
def test_takes_little_memory_also_while_it_is_built():
    count, name_bytes = 200_000, 30
    tracemalloc.start()
    try:
        table = StringTable.of(b"class_%06d/file_%012d" % (i % 999, i) for i in range(count))
        resident, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(table[0]) == name_bytes
    assert resident / count < 50
    assert peak / count < 120
