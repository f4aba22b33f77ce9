import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.engine.errors import DecodeError
from penstock.formats import json_arrays, json_text
from penstock.formats.json_arrays import JsonArrays

ELEMENTS = [
    {"id": 1, "seg": [[1, 2.5], [3]], "text": 'a "seg": [[9]] \\" }, {'},
    {"id": 2, "seg": []},
    {"id": 3},
    {"seg": {"counts": "]}", "size": [1, 2]}, "id": 4, "name": "ä€😀"},
    {"id": 5, "inner": {"seg": [[7]]}, "seg": [[8]]},
    {"id": 6, "seg": 0},
    {"id": 7, "seg": None, "list": [{"a": 1}, {"b": [{}]}]},
    {"id": 8, "seg": [["]"], 1]},
]


def parsed(text, lift="seg"):
    """Return the members that are arrays, with the lifted members put back."""
    members = {}
    arrays = JsonArrays(io.BytesIO(text), "some.json")
    for name in arrays.names():
        elements = []
        for block in arrays.blocks(lift):
            assert block.first == len(elements)
            for number, (element, lifted) in enumerate(
                zip(block.elements, block.lifted, strict=True)
            ):
                at = block.offset_of(number)
                assert not isinstance(element, dict) or text[at : at + 1] == b"{"
                if lifted:
                    element["seg"] = json.loads(lifted)
                elements.append(element)
        members[name] = elements
    return members


@pytest.mark.parametrize("window", [1, 50, 150, 1 << 17])
@pytest.mark.parametrize("layout", [{}, {"indent": 2}, {"separators": (",", ":")}], ids=str)
@pytest.mark.parametrize("ascii", [True, False])
def test_blocks_of_any_size(tuned, window, layout, ascii):
    tuned(json_arrays, WINDOW_BYTES=window)
    tuned(json_text, READ_BYTES=window, FIRST_WINDOW_BYTES=16)
    content = {"info": {"a": [1, "}"]}, "first": ELEMENTS * 5, "none": [], "n": 1.5}
    content["last"] = ELEMENTS
    text = json.dumps(content, ensure_ascii=ascii, **layout).encode()
    expected = {"info": [], "first": ELEMENTS * 5, "none": [], "n": [], "last": ELEMENTS}
    assert parsed(text) == expected
    assert parsed(b"\xef\xbb\xbf  " + text + b"\n") == expected


def test_arrays_that_nobody_takes_are_skipped():
    arrays = JsonArrays(io.BytesIO(b'{"a": [1, [2]], "b": {"c": []}, "d": "e"}'), "some.json")
    assert list(arrays.names()) == ["a", "b", "d"]


def test_most_elements_are_parsed_together(tuned):
    tuned(json_arrays, WINDOW_BYTES=2000)
    tuned(json_text, READ_BYTES=2000)
    elements = [{"id": number, "seg": [[1, 2, 3, 4]]} for number in range(1000)]
    arrays = JsonArrays(io.BytesIO(json.dumps({"a": elements}).encode()), "some.json")
    sizes = [len(block.elements) for _ in arrays.names() for block in arrays.blocks("seg")]
    assert sum(sizes) == 1000
    assert len(sizes) < 60


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "cut off: it ends where '{' is needed, at byte 0"),
        (b"[1]", r"no JSON: b'\[' where '\{' is needed, at byte 0"),
        (b'{"a": [{"x": 1}, {"x"', "ends within a value that starts, at byte 17"),
        (b'{"a": [{"x": 1}', "cut off: it ends where ',' is needed, at byte 15"),
        (b'{"a": [{"x": 1},', "ends within a value"),
        (b'{"a": [{"x": 1} {"x": 2}]}' + b" " * 99, "where ',' is needed, at byte 16"),
        (b'{"a": [{"x": 1}, {"x" 2}]}' + b" " * 99, r"no JSON \(.*\), at byte 22"),
        (b'{"a" [1]}', "where ':' is needed, at byte 5"),
        (b"{1: 2}", "no name of a member"),
        (b'{"a": [{}]', "cut off"),
    ],
)
def test_text_that_is_no_json(text, message):
    with pytest.raises(DecodeError, match=message) as caught:
        parsed(text)
    assert "some.json" in str(caught.value)


PIECES = st.sampled_from([b" ", b"1", b"12", b",", b"{}", b"[]", b'"x"', b'"seg"', b'"id": 9'])


@given(st.binary(max_size=60) | PIECES, st.integers(0, 400), st.booleans())
def test_damaged_text_is_parsed_as_the_standard_parser_does_or_refused(damage, at, inserted):
    text = bytearray(json.dumps({"a": ELEMENTS, "b": 1}).encode())
    text[at : at + len(damage) * (not inserted)] = damage
    try:
        content = json.loads(text.decode())
    except ValueError:
        content = None
    try:
        found = parsed(bytes(text))
    except (DecodeError, json.JSONDecodeError):  # the latter of a lifted text
        assert not isinstance(content, dict)
        return
    if content is not None:
        assert found == {k: v if isinstance(v, list) else [] for k, v in content.items()}


@given(st.integers(0, 600))
def test_a_cut_off_file_is_refused(length):
    text = json.dumps({"a": ELEMENTS, "b": 1}).encode()
    if length >= len(text):
        return
    with pytest.raises(DecodeError, match=r"cut off|ends within"):
        parsed(text[:length])


# What orjson takes or refuses in another way than the standard parser, besides usual elements.
UNUSUAL = [
    b'{"id": 1, "seg": [[1, 2]], "x": 1e400}',
    b'{"id": 12345678901234567890123, "seg": []}',
    b'{"id": NaN, "seg": []}',
    b'{"id": 1, "text": "\\ud800"}',
    b'{"id": 1, "id": 2.0}',
    b'{"id": -0, "text": "\\u00e4 \xc3\xa4"}',
    b'{"id": ' + b"[" * 2000 + b"]" * 2000 + b"}",
    b'{"id": 01}',
    b'{"id": 1, "text": "\xff"}',
]


@pytest.mark.parametrize("unusual", UNUSUAL)
def test_a_faster_parser_gives_the_same(monkeypatch, unusual):
    orjson = pytest.importorskip("orjson")
    text = b'{"a": [%s]}' % b", ".join([b'{"id": 3}', unusual, b'{"id": 4}', b'{"id": 5}'])
    results = []
    for loads in (json.loads, orjson.loads):
        monkeypatch.setattr(json_arrays, "_parser", lambda loads=loads: loads)
        try:
            results.append(json.dumps(parsed(text), sort_keys=True))
        except DecodeError as error:
            results.append(str(error))
    if b"12345678901234567890123" in unusual:
        results[0] = results[0].replace("12345678901234567890123", "1.2345678901234568e+22")
    assert results[0] == results[1]


@pytest.mark.parametrize(
    "elements",
    [
        list(range(30_000)),
        [0.5, None, True] * 10_000,
        ["a, b", "\\", '"'] * 5_000,
        [[1, 2.5], [], [[3], "],["]] * 5_000,
        [{"a": [1]}, {}] * 5_000,
    ],
    ids=["numbers", "scalars", "texts", "arrays", "objects"],
)
def test_elements_of_any_kind_are_parsed_together(tuned, elements):
    tuned(json_arrays, WINDOW_BYTES=4000)
    text = json.dumps({"a": elements, "b": [1]}).encode()
    arrays = JsonArrays(io.BytesIO(text), "some.json")
    found, blocks = {}, 0
    for name in arrays.names():
        found[name] = []
        for block in arrays.blocks():
            found[name] += block.elements
            blocks += 1
    assert found == {"a": elements, "b": [1]}
    assert blocks < len(text) / 1000


def test_values_of_several_kinds_come_in_order(tuned):
    tuned(json_arrays, WINDOW_BYTES=100)
    elements = [1, "a", [2, "],"], {"b": 3}, None, "},", 1e9, [[]], {}, "x,y"] * 200
    assert parsed(json.dumps({"a": elements}).encode(), "")["a"] == elements
