import numpy as np
import pytest

from penstock.engine.errors import SourceError
from penstock.readers.recordio.framing import FrameError, read_index, record_length, scan, unframe
from penstock.readers.storage.opening import open_storage
from penstock.readers.storage.read_plan import plan_reads
from penstock.readers.storage.records import RecordFiles, Records

from ..record_io import MAGIC, frame, record, record_file

CONTENTS = [
    b"four",
    b"",
    b"odd",
    MAGIC,
    MAGIC * 3,
    b"abcd" + MAGIC + b"x",
    b"a" + MAGIC + b"not aligned",
    b"\x0a#\xd7" + MAGIC + b"yz",
    bytes(100_000),
    b"abc" * 7000 + MAGIC + b"." * 9,
]


@pytest.fixture
def path(tmp_path):
    (tmp_path / "file.rec").write_bytes(record_file(CONTENTS)[0])
    return tmp_path / "file.rec"


def read(path, indices):
    storage = open_storage(path)
    offsets = scan(storage)
    files = RecordFiles([storage], [(offsets, np.diff(offsets, append=storage.size))])
    records = unframe(files.read(np.array(indices), np.empty))
    return [view.tobytes() for view in records.views()]


@pytest.mark.parametrize("indices", [range(10), [9, 4, 0, 4, 3, 9, 4], [5]])
def test_contents_come_back(path, indices):
    assert read(path, indices) == [CONTENTS[i] for i in indices]


def test_the_scan_finds_the_offsets_of_the_index(path):
    index = record_file(CONTENTS)[1]
    assert scan(open_storage(path)).tolist() == read_index(index, "").tolist()


def test_scans_of_many_small_records_and_few_large_ones(tmp_path):
    random = np.random.default_rng(2)
    sizes = [*random.integers(0, 60, 5000), *random.integers(50_000, 90_000, 40), *[8] * 3000]
    content, index = record_file(bytes(size) for size in sizes)
    (tmp_path / "file.rec").write_bytes(content)
    found = scan(open_storage(tmp_path / "file.rec"))
    assert found.tolist() == read_index(index, "").tolist()


def test_an_empty_file_holds_no_record(tmp_path):
    (tmp_path / "file.rec").touch()
    assert scan(open_storage(tmp_path / "file.rec")).tolist() == []


def test_length_of_a_record_in_parts(path):
    offset = int(scan(open_storage(path))[4])
    assert record_length(open_storage(path), offset) == len(record(CONTENTS[4])) == 4 * 8


@pytest.mark.parametrize(
    ("content", "offset", "text"),
    [
        (b"GIF8....", 0, "47494638 is not the magic 0a23d7ce"),
        (frame(b"good") + b"bad", 12, "the file ends after 3 bytes of a frame"),
        (frame(b"good") + bytes(12), 12, "00000000 is not the magic"),
        (frame(b"good") + frame(b"12345678")[:-1], 12, "8 bytes should follow"),
        (frame(b"good") + frame(b"12345")[:-1], 12, "5 bytes should follow"),
        (frame(b"", 1), 8, "the file ends after 0 bytes of a frame"),
        (frame(b"1234", 1) + frame(b""), 12, "a frame with flag 0 cannot stand here"),
        (frame(b"1234", 1) + frame(b"", 2), 20, "the file ends after 0 bytes of a frame"),
        (frame(b"", 2), 0, "a frame with flag 2 cannot stand here"),
        (frame(b"", 7), 0, "a frame with flag 7 cannot stand here"),
        (MAGIC + b"\xff\xff\xff\x1f" + bytes(100), 0, "536870911 bytes should follow"),
    ],
)
def test_damage_is_named_with_its_place(tmp_path, content, offset, text):
    (tmp_path / "bad.rec").write_bytes(content)
    with pytest.raises(SourceError) as caught:
        scan(open_storage(tmp_path / "bad.rec"))
    assert f"{tmp_path}/bad.rec, record " in str(caught.value)
    assert f"offset {offset}: {text}" in str(caught.value)


@pytest.mark.parametrize("row", [0, 1, 2])
@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"1234", "4 bytes are no frame"),
        (bytes(8), "00000000 is not the magic"),
        (frame(b"", 3), "a frame with flag 3 cannot start"),
        (frame(b"1234")[:-1], "4 bytes should follow, but only 3 do"),
        (frame(b"1234", 1), "its last part is missing"),
        (frame(b"1234", 1) + frame(b"5678", 2), "its last part is missing"),
        (frame(b"1234", 1) + frame(b"5678", 3)[:-1], "its part 12 bytes into the record is cut"),
        (frame(b"1234", 1) + bytes(8), "is not the magic"),
        (frame(b"1234", 1) + frame(b"5678", 1), "a frame with flag 1 cannot stand here"),
    ],
)
def test_damaged_records_of_a_batch_are_named(row, content, text):
    parts = [record(b"good"), record(b"better"), record(b"best")]
    parts[row] = content
    lengths = np.array([len(part) for part in parts])
    begins = np.cumsum(lengths) - lengths
    block = np.frombuffer(b"".join(parts), np.uint8).copy()
    with pytest.raises(FrameError, match=text) as caught:
        unframe(Records(block, begins, lengths))
    assert caught.value.number == row


def test_damaged_blocks_give_errors_or_what_they_say(path):
    pristine = np.fromfile(path, np.uint8)[:400]
    offsets = scan(open_storage(path))[:8]
    lengths = np.diff(offsets, append=400)
    plan = plan_reads(offsets, lengths, 0)
    outcomes = set()
    for seed in range(2000):
        random = np.random.default_rng(seed)
        block = pristine.copy()
        block[random.integers(0, 120, 3)] ^= 1 << random.integers(0, 8, 3).astype(np.uint8)
        try:
            views = unframe(Records(block, plan.starts, lengths)).views()
            outcomes.add(all(len(view) <= 400 for view in views))
        except FrameError:
            outcomes.add("error")
    assert outcomes == {True, "error"}


@pytest.mark.parametrize("text", [b"0\t0\n1\t96\n", b"1\t96\r\n0\t0\r\n1\t96\n\n", b"a 0\nb 96"])
def test_index_files(text):
    assert read_index(text, "x.idx").tolist() == [0, 96]


@pytest.mark.parametrize(
    "text",
    [b"0\n", b"0\t-1", b"0\t1.5", b"0 0 0", b"\xff\xfe", b"0\tx", b"0\t" + b"9" * 19, MAGIC[1:]],
)
def test_bad_index_files_are_named_with_the_line(text):
    with pytest.raises(SourceError, match=r"x\.idx, line 2: a key, a tab and an offset"):
        read_index(b"0\t0\n" + text, "x.idx")


def test_an_empty_index_file_raises():
    with pytest.raises(SourceError, match=r"x\.idx lists no record"):
        read_index(b"\n", "x.idx")
