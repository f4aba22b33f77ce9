import os
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from penstock import fn, pipeline_def
from penstock.engine.errors import ArgumentError, SourceError
from penstock.readers.recordio.reader import MXNet, open_records
from penstock.testing.readers import SourceConformance, assert_columns

from ...conftest import kept_index
from ..record_io import MAGIC, frame, image_record, record_file

pytestmark = pytest.mark.usefixtures("user_cache")

IMAGES = [b"first", b"x" * 120_000, b"abc" + MAGIC * 2 + b"d" * 30 + MAGIC, b"", b"last" * 500]


def write(path, contents):
    data, index = record_file(contents)
    path.write_bytes(data)
    path.with_suffix(".idx").write_bytes(index)
    return str(path)


def labelled(images=IMAGES, labels=None):
    labels = labels or [float(i) for i in range(len(images))]
    return [
        image_record(image, label, i)
        for i, (image, label) in enumerate(zip(images, labels, strict=True))
    ]


def sample(image, *labels):
    return np.frombuffer(image, np.uint8), np.array(labels, np.float32)


def read(source):
    images, labels = source.read(np.arange(len(source)), np.empty)
    return [image.tobytes() for image in images], [label.tolist() for label in labels]


class TestMXNetSource(SourceConformance):
    @pytest.fixture
    def paths(self, tmp_path):
        images = [image for image in IMAGES if image]
        return [
            write(tmp_path / "a.rec", labelled(images)),
            write(tmp_path / "b.rec", labelled(images[:2], [(7.5, 8), (9, 1, 2)])),
        ]

    @pytest.fixture(params=["scan", "index"])
    def source(self, paths, request):
        indexes = [path[:-4] + ".idx" for path in paths] if request.param == "index" else ()
        return open_records(paths, indexes)

    @pytest.fixture
    def expected(self):
        images = [image for image in IMAGES if image]
        return [
            *(sample(image, i) for i, image in enumerate(images)),
            sample(images[0], 7.5, 8),
            sample(images[1], 9, 1, 2),
        ]

    left = 5

    @pytest.fixture
    def files(self, paths):
        return [Path(path) for path in paths]

    def read(self, paths):
        return fn.readers.mxnet(path=paths)

    def test_where(self, source, tmp_path):
        assert source.where(0) == f"{tmp_path}/a.rec, record 0, offset 0"
        assert source.where(5).startswith(f"{tmp_path}/b.rec, record 1, offset ")


def test_labels_of_equal_number_come_as_one_array(tmp_path):
    path = write(tmp_path / "a.rec", labelled([b"1", b"2"], [(1, 2, 3), (4, 5, 6)]))
    _, labels = open_records([path]).read(np.array([1, 0]), np.empty)
    np.testing.assert_array_equal(labels, np.float32([[4, 5, 6], [1, 2, 3]]), strict=True)


def test_single_labels_come_as_one_array(tmp_path):
    path = write(tmp_path / "a.rec", labelled([b"1", b"2"], [0.5, -3]))
    _, labels = open_records([path]).read(np.array([1, 0, 1]), np.empty)
    np.testing.assert_array_equal(labels, np.float32([[-3], [0.5], [-3]]), strict=True)


def test_very_many_labels(tmp_path):
    many = [float(i) for i in range(3000)]
    path = write(tmp_path / "a.rec", labelled([b"1", b"2"], [many, many]))
    images, labels = read(open_records([path]))
    assert images == [b"1", b"2"]
    assert labels == [many, many]


@pytest.mark.parametrize("indexed", [False, True])
def test_header_records_are_told_apart(tmp_path, indexed):
    head = image_record(b"", (4, 6))  # images are records 1 to 3, ranges of classes 4 to 5
    ranges = [image_record(b"", (1, 3)), image_record(b"", (3, 4))]
    path = write(tmp_path / "a.rec", [head, *labelled([b"a", b"b", b"c"]), *ranges])
    index = [path[:-4] + ".idx"] if indexed else []
    assert read(open_records([path], index)) == ([b"a", b"b", b"c"], [[0], [1], [2]])
    images, labels = read(open_records([path], index, keep_header_records=True))
    assert images == [b"", b"a", b"b", b"c", b"", b""]
    assert labels == [[4, 6], [0], [1], [2], [1, 3], [3, 4]]


def test_an_index_chooses_records(tmp_path):
    path = write(tmp_path / "a.rec", labelled([b"a", b"b" * 10_000_000, b"c", b"d"]))
    lines = (tmp_path / "a.idx").read_bytes().splitlines()
    (tmp_path / "a.idx").write_bytes(b"\n".join([lines[3], lines[0]]))
    source = open_records([path], [str(tmp_path / "a.idx")])
    requests = []

    def allocate(shape, dtype):
        requests.append(shape)
        return np.empty(shape, dtype)

    images, _ = source.read(np.array([0, 1]), allocate)
    assert [image.tobytes() for image in images] == [b"a", b"d"]
    assert requests[0][0] < 200  # though the first record could be 10 MB long, by the index


def test_one_index_for_several_files(tmp_path):
    whole = write(tmp_path / "whole.rec", labelled())
    offsets = [int(line.split()[1]) for line in (tmp_path / "whole.idx").read_text().splitlines()]
    content = (tmp_path / "whole.rec").read_bytes()
    parts = [content[: offsets[2]], content[offsets[2] :]]
    for number, part in enumerate(parts):
        (tmp_path / f"{number}.rec").write_bytes(part)
    together = open_records(
        [str(tmp_path / "0.rec"), str(tmp_path / "1.rec")], [str(tmp_path / "whole.idx")]
    )
    assert read(together) == read(open_records([whole]))


def test_indexes_of_other_files_raise(tmp_path):
    path = write(tmp_path / "a.rec", labelled())
    write(tmp_path / "other.rec", labelled([b"-" * 50, *IMAGES]))
    write(tmp_path / "long.rec", labelled([b"-" * 300_000, *IMAGES]))
    with pytest.raises(SourceError, match=r"long\.idx lists a record at offset \d+, but .*a\.rec"):
        open_records([path], [str(tmp_path / "long.idx")])
    with pytest.raises(SourceError, match=r"a\.rec, record 1, offset 84: .*another file"):
        read(open_records([path], [str(tmp_path / "other.idx")]))
    with pytest.raises(ArgumentError, match="2 index files for 1 files"):
        open_records([path], [str(tmp_path / "a.idx")] * 2)


def test_files_without_samples_raise(tmp_path):
    (tmp_path / "empty.rec").touch()
    with pytest.raises(SourceError, match=r"no image record in .*/empty\.rec"):
        open_records([str(tmp_path / "empty.rec")])
    with pytest.raises(FileNotFoundError, match=r"none\.rec"):
        open_records([str(tmp_path / "none.rec")])


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"short", "5 bytes hold no image header"),
        (image_record(b"", (1, 2, 3))[:-1], "3 labels do not fit into 11 bytes"),
        (b"\xff" * 24, "4294967295 labels do not fit into 0 bytes"),
    ],
)
def test_damaged_records_are_named(tmp_path, content, text):
    (tmp_path / "a.rec").write_bytes(frame(image_record(b"good", 1)) + frame(content))
    source = open_records([str(tmp_path / "a.rec")])
    assert source.read(np.array([0]), np.empty)[0][0].tobytes() == b"good"
    with pytest.raises(SourceError, match=rf"a\.rec, record 1, offset 36: {text}"):
        read(source)


def test_a_file_cut_short_at_any_byte_raises_or_gives_whole_records(tmp_path):
    images = [b"one", b"four", MAGIC + b"parts"]
    write(tmp_path / "a.rec", labelled(images))
    content = (tmp_path / "a.rec").read_bytes()
    offsets = [int(line.split()[1]) for line in (tmp_path / "a.idx").read_text().splitlines()]
    for size in range(len(content)):
        path = tmp_path / f"{size}.rec"
        path.write_bytes(content[:size])
        if size in offsets and size:
            found, _ = read(open_records([str(path)]))
            assert found == images[: offsets.index(size)]
        else:
            with pytest.raises(SourceError, match=rf"{size}\.rec"):
                open_records([str(path)])


@pytest.mark.slow
def test_flipped_bits_give_errors_or_the_other_records(tmp_path):
    images = [bytes([65 + i]) * (40 + i) for i in range(6)]
    write(tmp_path / "a.rec", labelled(images))
    content = np.fromfile(tmp_path / "a.rec", np.uint8)
    outcomes = Counter()
    for seed in range(1000):
        random = np.random.default_rng(seed)
        damaged = content.copy()
        damaged[random.integers(0, len(content), 2)] ^= np.uint8(1 << random.integers(0, 8))
        damaged.tofile(tmp_path / "bad.rec")
        index = [str(tmp_path / "a.idx")] if seed % 2 else []
        try:
            found, _ = read(open_records([str(tmp_path / "bad.rec")], index))
            assert sum(map(len, found)) <= len(content)
            outcomes["read"] += 1
        except SourceError as error:
            outcomes["error" if "bad.rec" in str(error) else "error that names no file"] += 1
    assert min(outcomes.values()) > 50
    assert len(outcomes) == 2


def test_a_file_that_shrinks_while_open_raises(tmp_path):
    path = write(tmp_path / "a.rec", labelled())
    source = open_records([path])
    read(source)
    os.truncate(path, 60)
    with pytest.raises(SourceError, match=r"a\.rec: .*cut short"):
        source.read(np.array([1]), np.empty)


def test_the_index_is_kept_for_the_next_time(tmp_path):
    path = write(tmp_path / "a.rec", labelled())
    first = open_records([path])
    assert kept_index(path).exists()
    assert read(open_records([path])) == read(first)


def test_a_pipeline_skips_what_is_damaged(tmp_path):
    path = tmp_path / "a.rec"
    contents = [image_record(bytes([65 + i]) * 8, i) for i in range(4)]
    contents[2] = b"damaged"
    path.write_bytes(b"".join(map(frame, contents)))

    @pipeline_def(batch_size=4, num_threads=1, device_id=None, on_error="skip")
    def pipeline():
        return fn.readers.mxnet(path=str(path), name="reader")

    with pipeline() as built:
        assert built.reader_meta("reader")["epoch_size"] == 4
        images, labels = built.run()
        assert images.valid.tolist() == [True, True, False, True]
        assert [image.tobytes()[:1] for image in map(images.at, (0, 1, 3))] == [b"A", b"B", b"D"]
        assert labels.at(3).tolist() == [3]


def test_arguments_are_checked():
    with pytest.raises(ArgumentError, match="'skip' or 'keep', but is 'all'"):
        MXNet(path="x", header_records="all")


def test_columns_of_one_batch_agree_with_reading_one_by_one(tmp_path):
    source = open_records([write(tmp_path / "a.rec", labelled(labels=[1, (2, 3), 4, 5, (6,)]))])
    singles = [source.read(np.array([i]), np.empty) for i in range(len(source))]
    samples = [(image, np.asarray(label)) for (image,), (label,) in singles]
    assert_columns(source.read(np.arange(len(source)), np.empty), samples)
