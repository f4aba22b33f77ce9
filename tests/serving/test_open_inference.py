"""Messages of the protocol: what is read, what is refused, and what is written."""

from __future__ import annotations

import json
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.serving import open_inference
from penstock.serving.open_inference import parse_request, write_response
from penstock.serving.requests import RequestError
from penstock.serving.signature import DTYPES, TensorSpec

from .servers import as_elements

SPECS = {
    spec.name: spec
    for spec in (
        TensorSpec("bytes", "BYTES", 1),
        TensorSpec("pixels", "UINT8", 3),
        TensorSpec("scale", "FP32", 0),
    )
}


def parse(tensors, binary=b"", inputs=None, size=None, **more):
    specs = SPECS if inputs is None else inputs
    text = (
        tensors if isinstance(tensors, bytes) else json.dumps({"inputs": tensors, **more}).encode()
    )
    length = size if size is not None else (str(len(text)) if binary else None)
    return parse_request(text + binary, length, specs, ["a", "b"], 4)


def of(name):
    return {name: SPECS[name]}


def tensor(name, datatype, shape, data=None, size=None, **more):
    whole = {"name": name, "datatype": datatype, "shape": shape, **more}
    if data is not None:
        whole["data"] = data
    if size is not None:
        whole["parameters"] = {"binary_data_size": size}
    return whole


@pytest.mark.parametrize("name", [[], {}, 5, None, ["scale"]])
def test_a_name_that_is_no_text_is_no_input(name):
    with pytest.raises(RequestError, match="the model has no input"):
        parse([{"name": name}])


def test_binary_tensors_follow_the_json_in_order():
    files = [b"one", b"", b"\xff\x00"]
    elements = as_elements(files)
    pixels = np.arange(3 * 2 * 2 * 3, dtype=np.uint8).reshape(3, 2, 2, 3)
    tensors = [
        tensor("pixels", "UINT8", [3, 2, 2, 3], size=pixels.nbytes),
        tensor("bytes", "BYTES", [3, 1], size=len(elements)),
        tensor("scale", "FP32", [3], [1, 2.5, -1e30]),
    ]
    request = parse(tensors, pixels.tobytes() + elements, id="7")
    assert request.id == "7"
    assert request.samples.size == 3
    assert np.array_equal(request.samples.data["pixels"], pixels)
    assert [content.tobytes() for content in request.samples.data["bytes"]] == files
    assert request.samples.data["scale"].tolist() == np.float32([1, 2.5, -1e30]).tolist()
    assert request.outputs == {"a": False, "b": False}


@pytest.mark.parametrize("datatype", DTYPES)
def test_every_type_as_binary_data(datatype):
    array = np.array([[0, 1], [1, 0]]).astype(DTYPES[datatype])
    spec = {"x": TensorSpec("x", datatype, 1)}
    request = parse([tensor("x", datatype, [2, 2], size=array.nbytes)], array.tobytes(), spec)
    assert request.samples.data["x"].dtype == array.dtype
    assert np.array_equal(request.samples.data["x"], array)


@pytest.mark.parametrize("datatype", [name for name in DTYPES if name != "FP16"])
@pytest.mark.parametrize("data", [[0, 1, 1, 0], [[0, 1], [1, 0]]])
def test_every_type_as_json_flat_and_nested(datatype, data):
    if datatype == "BOOL":
        data = json.loads(json.dumps(data).replace("0", "false").replace("1", "true"))
    spec = {"x": TensorSpec("x", datatype, 1)}
    array = parse([tensor("x", datatype, [2, 2], data)], inputs=spec).samples.data["x"]
    assert array.dtype == DTYPES[datatype]
    assert array.astype(int).tolist() == [[0, 1], [1, 0]]


@pytest.mark.parametrize(
    ("datatype", "value"), [("UINT64", 2**64 - 1), ("INT64", -(2**63)), ("INT8", -128)]
)
def test_extreme_numbers_of_json_are_exact(datatype, value):
    spec = {"x": TensorSpec("x", datatype, 0)}
    array = parse([tensor("x", datatype, [1], [value])], inputs=spec).samples.data["x"]
    assert int(array[0]) == value


def test_bytes_in_other_forms():
    for data in (["a", "ü"], [["a"], ["ü"]]):
        texts = parse([tensor("bytes", "BYTES", [2], data)], inputs=of("bytes")).samples.data
        assert [text.tobytes() for text in texts["bytes"]] == [b"a", "ü".encode()]
    rows = tensor("bytes", "UINT8", [2, 3], size=6)
    data = parse([rows], b"abcdef", of("bytes")).samples.data["bytes"]
    assert [content.tobytes() for content in data] == [b"abc", b"def"]


@pytest.mark.parametrize(
    ("tensors", "binary", "text"),
    [
        ([tensor("scales", "FP32", [1], [1])], b"", "no input 'scales'; its inputs are scale"),
        ([], b"", "'scale' 0 times"),
        ([tensor("scale", "FP32", [1], [1])] * 2, b"", "'scale' 2 times"),
        ([tensor("scale", "FP64", [1], [1])], b"", "must be of type FP32, but is 'FP64'"),
        ([tensor("scale", None, [1], [1])], b"", "but is None"),
        ([tensor("scale", "FP32", [1, 2], [1, 2])], b"", r"\[samples, 1\] or \[samples\]"),
        ([tensor("scale", "FP32", [-1], [1])], b"", r"has \[-1\]"),
        ([tensor("scale", "FP32", [True], [1])], b"", r"has \[True\]"),
        ([tensor("scale", "FP32", "1", [1])], b"", "has '1'"),
        ([tensor("scale", "FP32", [0], [])], b"", "has 0 samples; a request may have 1 to 4"),
        ([tensor("scale", "FP32", [5], [1] * 5)], b"", "has 5 samples"),
        ([tensor("scale", "FP32", [10**30], [1])], b"", r"but has \[1e\+30\]"),
        ([tensor("scale", "FP32", [2], [1])], b"", r"no FP32 of shape \[2\]"),
        ([tensor("scale", "FP32", [2], ["a", "b"])], b"", "no FP32 of shape"),
        ([tensor("scale", "FP32", [2], [[1], [1, 2]])], b"", "no FP32 of shape"),
        ([tensor("scale", "FP32", [1], [10**400])], b"", "is not JSON: number is infinity"),
        ([tensor("scale", "FP32", [1], {"a": 1})], b"", "no FP32 of shape"),
        ([tensor("scale", "FP32", [1])], b"", "has no data"),
        ([tensor("scale", "FP32", [1], [1], 4)], b"\0" * 4, "both data and binary_data_size"),
        ([tensor("scale", "FP32", [1], size=8)], b"\0" * 4, "but 4 bytes of the request are left"),
        ([tensor("scale", "FP32", [1], size=-4)], b"\0" * 4, "has binary_data_size -4"),
        ([tensor("scale", "FP32", [1], size="4")], b"\0" * 4, "has binary_data_size '4'"),
        ([tensor("scale", "FP32", [2], size=4)], b"\0" * 4, "make 8"),
        ([tensor("scale", "FP32", [1], size=4)], b"\0" * 9, "5 bytes of the request belong to no"),
        ([tensor("scale", "FP32", [1], parameters=3)], b"", "are no object"),
        (
            [tensor("scale", "FP32", [1], parameters={"shared_memory_region": "x"})],
            b"",
            "shared memory",
        ),
        (["scale"], b"", "a list of objects"),
        ({"a": 1}, b"", "a list of objects"),
    ],
)
def test_requests_that_are_refused(tensors, binary, text):
    with pytest.raises(RequestError, match=text) as caught:
        parse(tensors, binary, of("scale"))
    assert caught.value.status == 400


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\x01\0", "ends before element 0 of 2"),
        (struct.pack("<I", 1) + b"a", "ends before element 1 of 2"),
        (struct.pack("<I", 2**32 - 1) + b"a", "has 4294967295 bytes, but 1 are left"),
        (as_elements([b"a", b"b", b"c"]), "has 5 bytes behind its elements"),
    ],
)
def test_damaged_elements(data, text):
    with pytest.raises(RequestError, match=text):
        parse([tensor("bytes", "BYTES", [2], size=len(data))], data, of("bytes"))


@pytest.mark.parametrize("data", [["a"], ["a", 1], "ab", [["a"], "b"], ["a", "\ud800"], None])
def test_texts_that_are_none(data):
    with pytest.raises(RequestError, match=r"strings|no low surrogate|no data"):
        parse([tensor("bytes", "BYTES", [2], data)], inputs=of("bytes"))


@pytest.mark.parametrize(
    ("body", "size", "text"),
    [
        (b"", None, "is not JSON"),
        (b"\xff\xfe", None, "is not JSON"),
        (b"[1]", None, "is no object"),
        (b"[" * 100_000, None, "is not JSON: depth limit"),
        (b"{}", "3", "has 2 bytes"),
        (b"{}", "-1", "is no size"),
        (b"{}", "²", "is no size"),
        (b"{}", "9" * 5000, "is no size"),
        (b'{"inputs": [], "id": 3}', None, "id must be a string"),
    ],
)
def test_bodies_that_are_no_requests(body, size, text):
    with pytest.raises(RequestError, match=text):
        parse(body, size=size)


def test_inputs_that_differ_in_their_samples():
    tensors = [tensor("scale", "FP32", [2], [1, 2]), tensor("bytes", "BYTES", [1], ["a"])]
    with pytest.raises(RequestError, match="differ in their number of samples"):
        parse(tensors, inputs=of("scale") | of("bytes"))


def test_outputs_are_chosen():
    one = [tensor("scale", "FP32", [1], [1])]

    def wanted(**more):
        return parse(one, inputs=of("scale"), **more).outputs

    assert wanted(parameters={"binary_data_output": True}) == {"a": True, "b": True}
    assert wanted(outputs=[{"name": "b", "parameters": {"binary_data": True}}]) == {"b": True}
    assert wanted(outputs=[{"name": "b"}, {"name": "a"}]) == {"b": False, "a": False}
    with pytest.raises(RequestError, match="no output 'c'; its outputs are a, b"):
        wanted(outputs=[{"name": "c"}])
    with pytest.raises(RequestError, match="only tensors are served"):
        wanted(outputs=[{"name": "a", "parameters": {"classification": 3}}])


@given(st.binary(max_size=60), st.one_of(st.none(), st.integers(-3, 80).map(str)))
def test_no_bytes_make_another_error(body, size):
    with pytest.raises(RequestError):
        parse_request(body, size, SPECS, ["a"], 4)


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


@given(st.sampled_from(sorted(SPECS)), st.sampled_from(["BYTES", "UINT8", "FP32"]), _json, _json)
def test_no_json_makes_another_error(name, datatype, shape, data):
    request = json.dumps({"inputs": [tensor(name, datatype, shape, data)]}).encode()
    try:
        parsed = parse_request(request, None, of(name), ["a"], 4)
    except RequestError:
        return
    assert 1 <= parsed.samples.size <= 4


def test_responses_are_read_as_they_were_written():
    one = [tensor("scale", "FP32", [2], [1, 2])]
    request = parse(one, inputs=of("scale"), id="x", outputs=[{"name": "a"}, {"name": "b"}])
    arrays = {"a": np.arange(6, dtype=np.int16).reshape(2, 3), "b": np.float64([[0.5], [2]])}
    (body,) = write_response("m", request, arrays)
    assert json.loads(body) == {
        "model_name": "m",
        "model_version": "1",
        "id": "x",
        "outputs": [
            {"name": "a", "datatype": "INT16", "shape": [2, 3], "data": [0, 1, 2, 3, 4, 5]},
            {"name": "b", "datatype": "FP64", "shape": [2, 1], "data": [0.5, 2]},
        ],
    }
    binary = request._replace(outputs={"b": True, "a": True})
    head, *data = write_response("m", binary, {**arrays, "a": arrays["a"][:, ::2]})
    message = json.loads(head)
    assert [output["parameters"]["binary_data_size"] for output in message["outputs"]] == [16, 8]
    assert b"".join(data) == arrays["b"].tobytes() + np.int16([0, 2, 3, 5]).tobytes()


@pytest.mark.parametrize("count", [0, 1, 3, 4, 7])
def test_elements_become_json_in_parts(tuned, count):
    tuned(open_inference, ELEMENTS_AT_ONCE=3)
    request = parse([tensor("scale", "FP32", [1], [1])], inputs=of("scale"))._replace(
        outputs={"a": False}
    )
    array = np.arange(count, dtype=np.float32).reshape(count, 1)
    (body,) = write_response("m", request, {"a": array})
    assert json.loads(body)["outputs"][0]["data"] == list(range(count))


@pytest.mark.parametrize("dtype", ["?", *np.typecodes["AllInteger"], "f", "d"])
def test_no_response_is_larger_than_its_bound(dtype):
    request = parse([tensor("scale", "FP32", [1], [1])], inputs=of("scale"))._replace(
        outputs={"a": False}
    )
    kind = np.dtype(dtype).kind
    longest = [0, 1]
    if kind in "iu":
        longest = [np.iinfo(dtype).min, np.iinfo(dtype).max]
    elif kind == "f":
        longest = [-np.finfo(dtype).max, -np.finfo(dtype).tiny, -1 / 3]
    arrays = {"a": np.array([longest * 100], dtype)}
    (body,) = write_response("m", request, arrays)
    (empty,) = write_response("m", request, {"a": arrays["a"][:, :0]})
    assert len(body) - len(empty) <= open_inference.response_bytes(request, arrays)


def test_values_that_json_does_not_have():
    request = parse([tensor("scale", "FP32", [1], [1])], inputs=of("scale"))._replace(
        outputs={"a": False}
    )
    for array in (np.float32([[np.nan]]), np.float32([[np.inf]]), np.float16([[1]])):
        with pytest.raises(RequestError, match="binary data"):
            write_response("m", request, {"a": array})
