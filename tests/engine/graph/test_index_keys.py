"""Keys such as `node[1:, ..., None]`, taken apart."""

from __future__ import annotations

import pytest

from penstock import ArgumentError
from penstock.engine.graph.index_keys import IndexFromData, NewAxis, newaxis, split_key


def split(key):
    return split_key(key, lambda value: isinstance(value, str))  # strings stand for nodes


def test_constants_stay_as_they_are():
    assert split(3) == ((3,), [])
    assert split((slice(1, None), ..., None)) == ((slice(1, None), ..., newaxis), [])


def test_data_is_replaced_by_numbers():
    key, data = split((slice("a", "b"), 2, "c"))
    assert key == (slice(IndexFromData(0), IndexFromData(1)), 2, IndexFromData(2))
    assert data == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("key", "error"), [(1.5, TypeError), ((0, [1]), TypeError), ((..., 0, ...), IndexError)]
)
def test_other_keys_are_refused(key, error):
    with pytest.raises(error, match=r"data is indexed with|only one ellipsis"):
        split(key)


def test_a_new_axis_may_have_a_letter():
    assert newaxis("F").name == "F"
    assert repr(newaxis) == "newaxis"
    assert repr(newaxis("F")) == "newaxis('F')"
    with pytest.raises(ArgumentError, match="a single letter"):
        NewAxis("FH")
