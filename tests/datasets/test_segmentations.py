"""Segmentations as JSON: equal numbers are equal bytes, and strings stay."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.datasets import Encoded, segmentations
from penstock.datasets.segmentations import (
    encoded_segmentations,
    scaled_segmentations,
    segmentations_of,
)
from penstock.engine.errors import ArgumentError, DecodeError

NUMBERS = st.one_of(st.integers(-(10**6), 10**6), st.floats(-1e6, 1e6))
POLYGONS = st.lists(st.lists(NUMBERS, max_size=6), max_size=3)
COUNTS = st.one_of(st.text(max_size=8), st.lists(st.integers(0, 99), max_size=5))
RLE = st.fixed_dictionaries({"counts": COUNTS, "size": st.just([3, 4])})


@pytest.mark.slow
@given(st.lists(st.one_of(st.none(), POLYGONS, RLE), max_size=4))
def test_numbers_and_strings_come_back(values):
    texts = [b"" if value is None else json.dumps(value).encode() for value in values]
    component = encoded_segmentations(texts)
    assert segmentations_of(component) == values
    again = encoded_segmentations(
        json.dumps(each, indent=1).encode() for each in segmentations_of(component)
    )
    assert again == component


DECIMALS = st.one_of(
    st.from_regex(r"-?(0|[1-9][0-9]{0,10})(\.[0-9]{1,8})?([eE][-+]?[0-9])?", fullmatch=True),
    NUMBERS.map(repr),
)


@given(st.lists(st.lists(DECIMALS, max_size=6), max_size=3), st.sampled_from([",", ", ", " ,\n"]))
def test_plain_texts_need_no_parser(polygons, comma):
    text = f"[{comma.join(f'[{comma.join(polygon)}]' for polygon in polygons)}]".encode()
    assert segmentations._canonical(text) == segmentations._parsed(text)


def test_equal_numbers_are_equal_bytes():
    first = encoded_segmentations(
        [b"[[1.0, 2.50, -0.0, 10]]", b'{"counts": "a.0]", "size": [1,2]}']
    )
    second = encoded_segmentations([b"[[1,2.5,0,1e1]]", b'{"size":[1,2],"counts":"a.0]"}'])
    assert first == second
    assert b'"a.0]"' in first.data


@pytest.mark.parametrize("text", [b"3", b'"RLE"', b"[[1, 2", b"[[1 2]]", b"[[1,,2]]"])
def test_other_json_is_a_decode_error(text):
    with pytest.raises(DecodeError, match="'segmentation' is"):
        encoded_segmentations([text])


@pytest.mark.parametrize("value", [Encoded(b"{}", "json"), Encoded(b"[1]", "json"), "[]", 3])
def test_other_components_are_argument_errors(value):
    with pytest.raises(ArgumentError, match="must be a JSON array"):
        segmentations_of(value)


def test_polygons_are_scaled_and_masks_are_refused():
    component = encoded_segmentations([b"[[2, 3, 4, 5]]", b"", b"[]"])
    assert scaled_segmentations(component, (0.5, 2)).data == b"[[[1,6,2,10]],null,[]]"
    mask = encoded_segmentations([b'{"size": [1, 2], "counts": "02"}'])
    with pytest.raises(ArgumentError, match="RLE mask cannot be made smaller"):
        scaled_segmentations(mask, (0.5, 0.5))
    with pytest.raises(ArgumentError, match="is no list of polygons"):
        scaled_segmentations(Encoded(b"[[1]]", "json"), (0.5, 0.5))
