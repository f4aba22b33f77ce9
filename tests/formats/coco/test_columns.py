import numpy as np
import pytest

from penstock.formats.coco.columns import ElementError, float_rows, floats, integers, strings


def test_whole_numbers():
    elements = [{"a": 1}, {"a": None}, {"a": 3.0}, {}]
    column = integers(elements, "a", -1)
    assert column.tolist() == [1, -1, 3, -1]
    assert column.dtype == np.int64
    assert integers([], "a").tolist() == []
    assert integers([{"a": (1 << 63) - 1}], "a").tolist() == [(1 << 63) - 1]


@pytest.mark.parametrize("value", ["7", 1.5, 1 << 63, 1e300, [1], {}, float("nan"), None])
def test_values_that_are_no_whole_number(value):
    with pytest.raises(ElementError, match=r"'a' is .*where a whole number is needed") as caught:
        integers([{"a": 1}, {"a": value}], "a")
    assert caught.value.number == 1


def test_numbers():
    column = floats([{"a": 1}, {"a": 2.5}, {}, {"a": None}], "a", 0.5)
    assert column.tolist() == [1, 2.5, 0.5, 0.5]
    with pytest.raises(ElementError, match="'a' is 'x', where a number is needed"):
        floats([{"a": "x"}], "a", 0)
    with pytest.raises(ElementError, match="a number is needed"):
        floats([{"a": 10**400}], "a", 0)


def test_rows_of_numbers():
    rows = float_rows([{"a": [1, 2.5]}, {}, {"a": None}, {"a": []}], "a", 2)
    assert rows.tolist() == [[1, 2.5], [0, 0], [0, 0], [0, 0]]
    assert float_rows([], "a", 4).shape == (0, 4)


@pytest.mark.parametrize("value", [[1], [1, 2, 3], [1, "2"], [1, [2]], 7, "ab", {"x": 1}])
def test_rows_of_other_values(value):
    with pytest.raises(
        ElementError, match=r"'a' is .*where a list of 2 numbers is needed"
    ) as caught:
        float_rows([{"a": [1, 2]}, {"a": value}], "a", 2)
    assert caught.value.number == 1


def test_texts():
    assert strings([{"a": "x"}, {"a": "é/😀.jpg"}], "a") == ["x", "é/😀.jpg"]
    for value in (None, "", 7, "\ud800"):
        with pytest.raises(ElementError, match=r"'a' is .*where a text is needed"):
            strings([{"a": value}], "a")


def test_long_values_are_cut_in_messages():
    with pytest.raises(ElementError) as caught:
        integers([{"a": "x" * 9999}], "a")
    assert len(str(caught.value)) < 150
