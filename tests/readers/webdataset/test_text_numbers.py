"""Labels in `.cls` files become numbers, in archives that the package webdataset writes."""

import warnings

import numpy as np
import pytest

from penstock import DecodeError
from penstock.readers.webdataset.source import open_archives
from penstock.readers.webdataset.text_numbers import parsed, parsed_one
from penstock.testing.readers import SourceConformance

from ..tars import archive

pytestmark = pytest.mark.usefixtures("user_cache")

LABELS = [7, 0, 123, -5, 1000]


def save(path, **files):
    path.write_bytes(archive({name.replace("_", "."): file for name, file in files.items()}))
    return str(path)


def labels(path, *, entry="cls", dtype="int32"):
    source = open_archives([path], [entry], dtypes=[dtype])
    (column,) = source.read(np.arange(len(source)), np.empty)
    return [sample.tolist() for sample in column]


@pytest.fixture
def written(tmp_path):
    """Return an archive that the package webdataset wrote."""
    webdataset = pytest.importorskip("webdataset")
    path = str(tmp_path / "train.tar")
    with webdataset.TarWriter(path) as writer:
        for number, label in enumerate(LABELS):
            sample = {"__key__": f"{number:03d}", "jpg": b"x" * number, "cls": label}
            writer.write(sample | {"txt": f"no {label}", "json": {"score": label / 2}})
    return path


class TestNumbersAsSamples(SourceConformance):
    @pytest.fixture
    def source(self, written):
        return open_archives([written], ["cls", "jpg"], dtypes=["int64", "uint8"])

    @pytest.fixture
    def expected(self):
        return [
            (np.array([label]), np.full(number, ord("x"), np.uint8))
            for number, label in enumerate(LABELS)
        ]


def test_labels_without_types_are_dali_s_bytes_and_a_warning(written):
    with pytest.warns(UserWarning, match=r"49 for '1'\. dtypes=\[types.UINT8, types.INT32\] gives"):
        source = open_archives([written], ["jpg", "cls"])
    _, column = source.read(np.arange(3), np.empty)
    assert [sample.tobytes() for sample in column] == [b"7", b"0", b"123"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        open_archives([written], ["jpg", "cls"], dtypes=["uint8", "uint8"])
        open_archives([written], ["jpg", "txt"])


@pytest.mark.parametrize("entry", ["cls", "id", "index", "inx", "txt", "left.cls", "CLS;cls"])
def test_extensions_of_numbers(tmp_path, entry):
    name = entry.rpartition(";")[2]
    path = tmp_path / "a.tar"
    path.write_bytes(archive({f"a.{name}": b"12", f"b.{name}": b" 7\n"}))
    assert labels(str(path), entry=entry) == [[12], [7]]


def test_elements_in_bytes_stay_elements(tmp_path):
    """A program for DALI whose labels are four bytes each."""
    values = [0, 1, 55, 12336, 70_000, -1]
    files = {f"{i}.cls": np.array([v], np.int32).tobytes() for i, v in enumerate(values)}
    (tmp_path / "a.tar").write_bytes(archive(files))
    assert labels(str(tmp_path / "a.tar")) == [[v] for v in values]


def test_one_byte_types_give_the_characters(tmp_path):
    path = save(tmp_path / "a.tar", a_cls=b"12", b_cls=b"7")
    assert labels(path, dtype="int8") == [[49, 50], [55]]


def test_other_extensions_hold_elements(tmp_path):
    path = save(tmp_path / "a.tar", a_bin=b"1234")
    assert labels(path, entry="bin") == [np.frombuffer(b"1234", np.int32).tolist()]


def test_a_missing_label_is_empty(tmp_path):
    path = save(tmp_path / "a.tar", a_cls=b"3", b_jpg=b"1")
    assert labels(path) == [[3], []]


@pytest.mark.parametrize(
    ("text", "dtype", "value"),
    [
        (b"+3", "int32", 3),
        (b"-3\r\n", "int64", -3),
        (b"007", "int32", 7),
        (b"18446744073709551615", "uint64", 2**64 - 1),
        (b"0.25", "float32", 0.25),
        (b"-1e3", "float64", -1000.0),
        (b"nan", "float32", float("nan")),
        (b" " * 63 + b"1", "int32", 1),
    ],
)
def test_texts_that_are_numbers(tmp_path, text, dtype, value):
    path = save(tmp_path / "a.tar", a_cls=text, b_cls=text)
    np.testing.assert_array_equal(labels(path, dtype=dtype), [[value]] * 2)


@pytest.mark.parametrize(
    ("text", "dtype", "message"),
    [
        (b"tree", "int32", "sample 1 'b', offset 1536: the text 'tree' is no decimal number"),
        (b"7 8", "int32", "'7 8' is no decimal number"),
        (b"1_0", "int32", "'1_0' is no decimal"),
        (b"   ", "int32", "is no decimal"),
        (b"1.5", "int32", "'1.5' is no decimal"),
        (b"70000", "int16", "70000 is no number of type int16"),
        (b"-1", "uint32", "-1 is no number of type uint32"),
        (b"9" * 20, "int64", "no number of type int64"),
        (b"1" * 100_000, "int64", "is no number of type int64"),
    ],
)
def test_texts_that_are_none_are_named(tmp_path, text, dtype, message):
    path = save(tmp_path / "a.tar", a_cls=b"1", b_cls=text)
    with pytest.raises(DecodeError, match=message):
        labels(path, dtype=dtype)


def test_all_at_once_and_one_by_one_agree():
    random = np.random.default_rng(3)
    for dtype in map(np.dtype, ("int16", "int32", "uint64", "float32")):
        for _ in range(200):
            content = bytes(random.choice([*b"0123456789+-. e\n\0"], random.integers(1, 7)))
            data = np.frombuffer(content, np.uint8)
            together = parsed(data, np.array([0]), np.array([len(data)]), dtype)
            try:
                alone = parsed_one(data, dtype)
            except DecodeError:
                alone = None
            if together is None:
                assert alone is None or dtype == np.uint64  # whose upper half is read one by one
            else:
                np.testing.assert_array_equal(together[0], alone, strict=True)
