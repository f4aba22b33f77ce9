"""`fn.decoders.json`: fields of JSON documents."""

import json

import numpy as np
import pytest

from penstock import DecodeError, fn, pipeline_def, types

DOCUMENT = {
    "label": 7,
    "score": 0.5,
    "good": True,
    "caption": "a café",
    "nothing": None,
    "objects": [{"box": [1, 2.5], "name": "x"}, {"box": [3, 4]}],
    "matrix": [[1, 2, 3], [4, 5, 6]],
    "ragged": [[1], [2, 3]],
    "empty": [],
    "words": ["a", "b"],
    "large": 2**70,
}


def run(*documents, **arguments):
    contents = [
        document if isinstance(document, bytes) else json.dumps(document).encode()
        for document in documents
    ]

    @pipeline_def(batch_size=len(documents), num_threads=2)
    def pipeline():
        data = fn.external_source(
            source=lambda: [np.frombuffer(content, np.uint8) for content in contents]
        )
        return fn.decoders.json(data, **arguments)

    with pipeline() as pipe:
        (found,) = pipe.run()
    return [found.at(i) for i in range(len(documents))]


@pytest.mark.parametrize(
    ("field", "dtype", "expected"),
    [
        ("label", types.INT32, np.int32(7)),
        ("label", types.FLOAT, np.float32(7)),
        ("score", types.FLOAT64, np.float64(0.5)),
        ("good", types.BOOL, np.bool_(True)),
        ("good", types.UINT8, np.uint8(1)),
        ("objects.0.box", types.FLOAT, np.array([1, 2.5], np.float32)),
        ("objects.1.box.0", types.INT64, np.int64(3)),
        ("matrix", types.INT16, np.array([[1, 2, 3], [4, 5, 6]], np.int16)),
        ("empty", types.INT32, np.empty(0, np.int32)),
        ("caption", types.FLOAT, np.frombuffer("a café".encode(), np.uint8)),
    ],
)
def test_fields(field, dtype, expected):
    for found in run(DOCUMENT, DOCUMENT, field=field, dtype=dtype):
        np.testing.assert_array_equal(found, np.asarray(expected), strict=True)


def test_a_whole_document():
    assert [each.tolist() for each in run(b" 12 ", b"-1\n", dtype=types.INT64)] == [12, -1]


@pytest.mark.parametrize(
    ("document", "arguments", "message"),
    [
        (b"", {}, "this is no JSON"),
        (b"\xff\xfe", {}, "this is no JSON"),
        (b"[" * 100_000, {}, "this is no JSON"),
        (b"9" * 5000, {}, "this is no JSON"),
        (DOCUMENT, {"field": "lable"}, "no field 'lable': no 'lable'; did you mean 'label'"),
        (DOCUMENT, {"field": "objects.2.box"}, "'2' is no index of a list of 2"),
        (DOCUMENT, {"field": "objects.box"}, "'box' is no index"),
        (DOCUMENT, {"field": "label.x"}, "'x' is asked of 7"),
        (DOCUMENT, {"field": "nothing"}, "field 'nothing' is null, no number"),
        (DOCUMENT, {"field": "objects.0"}, "is dict, no number"),
        (DOCUMENT, {"field": "words"}, "is list, no number"),
        (DOCUMENT, {"field": "ragged"}, "lists that differ in length"),
        (DOCUMENT, {"field": "large", "dtype": types.INT64}, "a number that is too large"),
        (DOCUMENT, {"field": "score", "dtype": types.INT32}, "0.5 is no number of int32"),
        ({"n": 300}, {"field": "n", "dtype": types.UINT8}, "300 is no number of uint8"),
        ({"n": -1}, {"field": "n", "dtype": types.UINT64}, "-1 is no number of uint64"),
        (b'{"a": "NaN", "n": [1, NaN]}', {"field": "n"}, "NaN is no number, at byte 22"),
        (b"-Infinity", {}, "-Infinity is no number, at byte 0"),
        (b'{"n": 1e999}', {"field": "n"}, "field 'n': inf is no number of float32"),
        (b'{"n": [1, 1e39]}', {"field": "n"}, r"field 'n': 1e\+39 is no number of float32"),
        (b'{"b": {"n": 1, "n": 2}}', {"field": "b.n"}, "the field 'n' twice, at byte 15"),
        (b'["a\\ud800"]', {"field": "0"}, r"field '0': character 1 is U\+D800, half of"),
    ],
)
def test_what_is_no_field_is_refused(document, arguments, message):
    with pytest.raises(DecodeError, match=message):
        run(document, **arguments)


def test_a_default_stands_for_what_is_missing():
    documents = [{"n": 1}, {}, {"n": None}, {"m": []}]
    found = run(*documents, field="n", default=-1, dtype=types.INT32)
    assert [each.tolist() for each in found] == [1, -1, -1, -1]


def test_a_default_may_be_no_number():
    (found,) = run({}, field="n", default=float("nan"))
    assert np.isnan(found)


def test_surrogate_pairs_and_equal_names_of_several_objects_are_read():
    (found,) = run(b'{"a": {"t": "x"}, "t": "\\ud83d\\ude00"}', field="t")
    assert bytes(found).decode() == "\U0001f600"


def test_other_data_are_refused():
    @pipeline_def(batch_size=1, num_threads=1)
    def pipeline():
        return fn.decoders.json(types.Constant(np.zeros((2, 2), np.float32)))

    with pipeline() as pipe, pytest.raises(DecodeError, match="type uint8"):
        pipe.run()
