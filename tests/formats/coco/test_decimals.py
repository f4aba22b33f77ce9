import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.formats.coco.decimals import parse_decimals


def parse(texts):
    joined = np.frombuffer(("[" + ",".join(texts) + "]").encode(), np.uint8)
    marks = np.flatnonzero((joined == 44) | (joined == 91) | (joined == 93))
    return parse_decimals(joined, marks[:-1] + 1, marks[1:])


WHOLE = st.integers(0, 10**8 - 1).map(str)
BROKEN = st.tuples(st.integers(0, 9999), st.integers(0, 9999)).map(lambda n: f"{n[0]}.{n[1]:03}")


@pytest.mark.slow
@given(st.lists(WHOLE | BROKEN, min_size=1))
def test_plain_numbers_are_those_of_float(texts):
    assert parse(texts).tolist() == [float(text) for text in texts]


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False).map(repr), min_size=1))
def test_numbers_of_any_form_are_those_of_float(texts):
    assert parse(texts).tolist() == [float(text) for text in texts]


@pytest.mark.parametrize("text", ["1.2.3", ".", "-", "1e", "--1", "1-2", "e5", "0x10", "é"])
@pytest.mark.parametrize("others", [["7"], ["7.123456789"]], ids=["short", "long"])
def test_text_that_is_no_number(text, others):
    assert parse([*others, text]) is None
    assert parse([text, *others]) is None


def test_no_number():
    empty = np.empty(0, np.int64)
    assert parse_decimals(np.frombuffer(b"[]", np.uint8), empty, empty).tolist() == []
