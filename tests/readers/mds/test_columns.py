"""The encodings of MDS, compared with what streaming reads."""

import json

import numpy as np
import pytest

from penstock.decoders.image.decode import decode
from penstock.engine.errors import ArgumentError, SourceError
from penstock.readers.mds.columns import rule_of
from penstock.readers.mds.index_file import StoredColumn
from penstock.readers.mds.source import open_mds
from penstock.readers.parquet.values import BadValueError

from . import sets


def columns_of(name, tmp_path, columns, dtypes=()):
    source = open_mds(
        [sets.put(name, tmp_path)],
        columns,
        dtypes=[np.dtype(dtype) for dtype in dtypes],
        cache_bytes=0,
    )
    return source.read(np.arange(len(source)), np.empty)


def test_numbers_have_the_type_of_their_encoding(tmp_path):
    told = sets.expected("scalars")
    names = [name for name, value in told[0].items() if isinstance(value, np.ndarray)]
    assert len(names) == 11
    for name, column in zip(names, columns_of("scalars", tmp_path, names), strict=True):
        wanted = np.array([sample[name] for sample in told])
        np.testing.assert_array_equal(column, wanted, strict=True)
        assert column.dtype.name == name


def test_integers_and_texts(tmp_path):
    names = ["n", "many", "real", "money", "text", "raw", "told"]
    n, many, real, money, text, raw, told = columns_of("scalars", tmp_path, names)
    samples = sets.expected("scalars")
    assert (n.dtype, many.dtype, real.dtype) == (np.int64, np.int64, np.float64)
    assert n.tolist() == [sample["n"] for sample in samples]
    assert many.tolist() == [sample["many"] for sample in samples]
    assert real.tolist() == [sample["real"] for sample in samples]
    assert [bytes(row).decode() for row in money] == [sample["money"] for sample in samples]
    assert [bytes(row).decode() for row in text] == [sample["text"] for sample in samples]
    assert [bytes(row) for row in raw] == [bytes(range(number)) for number in range(6)]
    assert [json.loads(bytes(row)) for row in told] == [sample["told"] for sample in samples]


def test_arrays(tmp_path):
    names = ["fixed", "typed", "free", "long"]
    columns = columns_of("arrays", tmp_path, names)
    for name, column in zip(names, columns, strict=True):
        for row, sample in zip(column, sets.expected("arrays"), strict=True):
            np.testing.assert_array_equal(row, sample[name], strict=True)
            assert row.flags.aligned
    assert isinstance(columns[0], np.ndarray)


def test_images(tmp_path):
    names = ["jpeg", "png", "pil"]
    for name, column in zip(names, columns_of("images", tmp_path, names), strict=True):
        for row, sample in zip(column, sets.expected("images"), strict=True):
            pixels = decode(row, output="ANY_DATA")
            wanted = sample[name].reshape(pixels.shape)
            np.testing.assert_allclose(pixels, wanted, atol=3 if name == "jpeg" else 0)


LISTS = {
    "pils": "list[pil]",
    "jpegs": "list[jpeg]",
    "pngs": "list[png]",
    "array": "jpeg_array",
    "older": "jpegarray",
}


@pytest.mark.parametrize("name", LISTS)
def test_images_of_lists(tmp_path, name):
    samples = sets.expected("lists")
    columns = columns_of("lists", tmp_path, [f"{name}[{i}]" for i in range(4)])
    counts = [len(sample[name]) for sample in samples]
    assert counts == ([1, 2, 3, 4] if LISTS[name].startswith("jpeg") else [0, 1, 2, 3])
    for item, column in enumerate(columns):
        for row, sample in zip(column, samples, strict=True):
            if item >= len(sample[name]):
                assert (row.shape, row.dtype) == ((0,), np.uint8)
                continue
            pixels = decode(row, output="ANY_DATA")
            wanted = sets.value_of(sample[name][item]).reshape(pixels.shape)
            np.testing.assert_allclose(pixels, wanted, atol=3 if "j" in LISTS[name] else 0)


def test_names_of_lists_and_of_their_images(tmp_path):
    with pytest.raises(ArgumentError, match=r"such as 'pngs\[0\]', the first"):
        columns_of("lists", tmp_path, ["pngs"])
    for name in ("n[0]", "pngs[-1]", "pngs[]", "other[0]"):
        with pytest.raises(ArgumentError, match="has no column"):
            columns_of("lists", tmp_path, [name])
    with pytest.raises(ArgumentError, match="which becomes uint8, and not int32"):
        columns_of("lists", tmp_path, ["pngs[0]"], [np.int32])
    content = sets.made({"a[0]": ("str", None)}, [b"\1\0\0\0x"])
    assert bytes(columns_of(content, tmp_path / "b", ["a[0]"])[0][0]) == b"x"


def test_bytes_as_elements_and_numbers_of_another_type(tmp_path):
    tokens, n = columns_of("tokens", tmp_path, ["tokens", "n"], [np.int64, np.float32])
    np.testing.assert_array_equal(tokens, np.tile(np.arange(8), (3, 1)), strict=True)
    np.testing.assert_array_equal(n, np.float32([0, 1, 2]), strict=True)
    (long,) = columns_of("arrays", tmp_path / "b", ["long"], [np.uint8])
    assert long[2].tolist() == [*range(252)]


def rule(encoding, size=0, dtype=None):
    return rule_of([StoredColumn("x", encoding, size)], "x", dtype, "set")


def test_pickles_are_refused_with_the_reason(tmp_path):
    with pytest.raises(
        ArgumentError, match="'p' has the encoding 'pkl': a pickle can run any prog"
    ):
        columns_of("pickles", tmp_path, ["p"])
    (numbers,) = columns_of("pickles", tmp_path, ["n"])
    assert numbers.tolist() == [0, 1, 2]
    with pytest.raises(ArgumentError, match="has no column 'm'; there are n, p"):
        columns_of("pickles", tmp_path, ["m"])


@pytest.mark.parametrize(
    ("encoding", "size", "dtype", "error", "message"),
    [
        ("list[int]", 0, None, ArgumentError, r"encoding 'list\[int\]'; those that are read are"),
        ("", 0, None, ArgumentError, "encoding ''; those that are read are str,"),
        ("json", 0, np.int32, ArgumentError, "'json', which becomes uint8, and not int32"),
        ("bytes", 0, np.bool_, ArgumentError, "'bytes', which becomes uint8, and not bool"),
        ("int", 4, None, SourceError, "'int' and 4 bytes a value, not 8"),
        ("str", 4, None, SourceError, "'str' and 4 bytes a value, not 0"),
        ("ndarray:int32:2,3", 0, None, SourceError, "and 0 bytes a value, not 24"),
        ("ndarray:int32", 24, None, SourceError, "and 24 bytes a value, not 0"),
        ("ndarray:object", 0, None, SourceError, "'ndarray:object', which is none"),
        ("ndarray:int", 0, None, SourceError, "'ndarray:int', which is none"),
        ("ndarray:int8:2,x", 0, None, SourceError, "which is none"),
        ("ndarray:int8:2,0", 0, None, SourceError, "which is none"),
        ("ndarray:int8:-2", 0, None, SourceError, "which is none"),
        ("ndarray:int8:" + "1," * 40 + "1", 1, None, SourceError, "which is none"),
    ],
)
def test_columns_that_are_refused(encoding, size, dtype, error, message):
    with pytest.raises(error, match=message):
        rule(encoding, size, None if dtype is None else np.dtype(dtype))


def take(encoding, value, size=0, dtype=None):
    value = np.frombuffer(value, np.uint8)
    column = rule(encoding, size, None if dtype is None else np.dtype(dtype))
    starts, sizes = np.zeros(1, np.int64), np.array([len(value)])
    return column.take(value, starts, sizes, np.empty)


@pytest.mark.parametrize(
    ("encoding", "value", "message"),
    [
        ("ndarray", b"", "of an unknown type, -1"),
        ("ndarray", b"\x07\x04\x01a", "of an unknown type, 7"),
        ("ndarray", b"\x08", "of 0 dimensions in 1 bytes"),
        ("ndarray", b"\x08\x00a", "of 0 dimensions"),
        ("ndarray", b"\x08\xfc", "of 63 dimensions in 2 bytes"),
        ("ndarray", b"\x08\xfc" + b"\1" * 64, "of 63 dimensions"),
        ("ndarray", b"\x08\x04\x02a", r"uint8 of shape \(2,\), in 1 bytes"),
        ("ndarray", b"\x10\x04\x01a", r"uint16 of shape \(1,\), in 1 bytes"),
        ("ndarray", b"\x08\x0b" + b"\xff" * 16, r"of shape \(18446744073709551615, 18446"),
        ("ndarray:uint8", b"\x06\x01", "of 1 dimensions in 2 bytes"),
        ("pil", b"", "mode ''; L, LA, RGB, RGBA are read"),
        ("pil", np.uint32([1, 1, 1]).tobytes() + b"P0", "mode 'P'"),
        ("pil", np.uint32([2, 1, 1]).tobytes() + b"L0", "L of 2 x 1 in 1 bytes"),
        ("pil", np.uint32([2**32 - 1] * 3).tobytes() + b"RGB", "is RGB of|mode 'RGB'"),
        ("str_int", b"9" * 30, "is no number"),
        ("str_float", b"x", "no decimal number"),
    ],
)
def test_values_that_are_damaged(encoding, value, message):
    with pytest.raises(BadValueError, match=message):
        take(encoding, value)


@pytest.mark.parametrize("encoding", LISTS.values())
@pytest.mark.parametrize("value", [[], [0, 9], [2**32 - 1] * 4, [0, 1, 8, 5], [1, 3, 5, 5]])
def test_lists_that_are_damaged(encoding, value):
    block = np.uint32(value).view(np.uint8)
    rule = rule_of([StoredColumn("x", encoding, 0)], "x[0]", None, "set")
    with pytest.raises(BadValueError, match=r"is a list of \d+ images that are not \d+ bytes"):
        rule.take(block, np.zeros(1, np.int64), np.array([block.size]), np.empty)


def test_bytes_that_are_no_multiple_of_the_elements():
    with pytest.raises(BadValueError, match="no multiple of 4 bytes"):
        take("bytes", b"abc", dtype=np.int32)


def test_an_extent_of_zero_is_an_empty_array():
    assert take("ndarray:int32", b"\x04\x00").shape == (1, 0)
