import io

import pytest

from penstock.engine.errors import DecodeError
from penstock.formats import json_text
from penstock.formats.json_text import JsonText, decoded, encoded


def text_of(content):
    return JsonText(io.BytesIO(content), "some.json")


@pytest.mark.parametrize("shortest", [1, 8, 4096])
def test_values_and_marks_follow_one_another(tuned, shortest):
    tuned(json_text, READ_BYTES=1, FIRST_WINDOW_BYTES=shortest)
    content = '{"ä": [1, {"b": "€😀"}], "c" : 12.5e3}'.encode()
    for start in (b"", b" \n", b"\xef\xbb\xbf"):
        text = text_of(start + content + b"  ")
        assert text.take(b"{")
        assert (text.value(), text.take(b":"), text.value()) == ("ä", True, [1, {"b": "€😀"}])
        assert not text.take(b"}")
        text.expect(b",")
        assert (text.value(), text.take(b":"), text.value()) == ("c", True, 12500)
        assert text.here == len(start + content) - 1
        text.compact()
        assert (text.offset, text.at, text.window[:1]) == (len(start + content) - 1, 0, b"}")
        text.expect(b"}")
        assert text.peek() == b""


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'["\xff"]', "not UTF-8, at byte 2"),
        (b"[" * 100_000, "nested too deeply, at byte 0"),
        (b"9" * 5000, "no JSON"),
        (b"  [1, 2", "ends within a value that starts, at byte 2"),
        (b'[1, "abc', "ends within a value that starts, at byte 0"),
        (b"[1 2]" + b" " * 99, r"no JSON \(.*\), at byte 3"),
        (b"", "ends within a value"),
        (b"nul", "ends within a value"),
    ],
)
def test_text_that_is_no_value(content, message):
    with pytest.raises(DecodeError, match=message):
        text_of(content).value()


def test_a_value_that_is_too_long(tuned):
    tuned(json_text, READ_BYTES=8, FIRST_WINDOW_BYTES=8, MAX_VALUE_BYTES=64)
    with pytest.raises(DecodeError, match="more than 64 bytes, at byte 1"):
        text_of(b' "%s"' % (b"x" * 500)).value()


def test_bytes_that_are_no_text_come_back():
    content = b"a\xff\xc3\xa4\xed\xa0\x80"
    assert encoded(decoded(content)) == content
