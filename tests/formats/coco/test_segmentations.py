import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.formats.coco.columns import ElementError
from penstock.formats.coco.segmentations import SegmentationsBuilder

NUMBERS = st.one_of(
    st.integers(0, 10**9),
    st.floats(0, 700).map(lambda x: round(x, 2)),
    st.floats(-1e9, 1e9),
)
POLYGON = st.lists(st.tuples(NUMBERS, NUMBERS), max_size=6).map(
    lambda points: [number for point in points for number in point]
)
RLE = st.lists(st.integers(0, 99), min_size=1, max_size=5).map(
    lambda counts: {"counts": counts, "size": [1, sum(counts)]}
)
SEGMENTATION = st.one_of(st.lists(POLYGON, max_size=4), RLE, st.none())


def built(*batches):
    builder = SegmentationsBuilder()
    for batch in batches:
        builder.add(batch)
    return builder.finish()


def stored(segmentations, number):
    """Return the polygons, runs and size of an annotation."""
    first, end = segmentations.polygons[number].tolist()
    bounds = segmentations.vertices
    polygons = [
        segmentations.coordinates[bounds[p] : bounds[p + 1]].tolist() for p in range(first, end)
    ]
    runs = segmentations.runs[slice(*segmentations.run_ranges[number])].tolist()
    return polygons, runs, segmentations.sizes[number].tolist()


def expected(value):
    if isinstance(value, dict):
        return [], value["counts"], value["size"]
    return value or [], [], [0, 0]


@given(
    st.lists(st.lists(SEGMENTATION, max_size=5), max_size=3),
    st.sampled_from([{}, {"separators": (",", ":")}, {"indent": 1}]),
)
def test_segmentations_come_back(batches, layout):
    texts = [
        [b"" if value is None else json.dumps(value, **layout).encode() for value in batch]
        for batch in batches
    ]
    segmentations = built(*texts)
    values = [value for batch in batches for value in batch]
    assert [stored(segmentations, i) for i in range(len(values))] == [*map(expected, values)]
    order = np.arange(len(values))[::-1]
    assert [stored(segmentations.take(order), i) for i in range(len(values))] == [
        expected(value) for value in reversed(values)
    ]
    assert segmentations.are_rle.tolist() == [isinstance(value, dict) for value in values]


def test_two_points_and_none():
    segmentations = built([b"[[1,1,5,5],[]]", b"[]", b"null"])
    assert [stored(segmentations, i)[0] for i in range(3)] == [[[1, 1, 5, 5], []], [], []]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"[[1,2,3]]", "odd number of coordinates"),
        (b"[1,2,3,4]", "no list of polygons"),
        (b"[[[1,2]]]", "no list of polygons"),
        (b"[[1,2],]", "no list of polygons"),
        (b"[[1,,2,3]]", "no list of polygons"),
        (b"[[1 2,3,4]]", "no list of polygons"),
        (b"[[1,2]", "no list of polygons"),
        (b"[[1,2]]]", "no list of polygons"),
        (b"[[NaN,2]]", "no list of polygons"),
        (b"[[1e999,2]]", "of finite numbers"),
        (b'[["1",2]]', "no list of polygons"),
        (b"[[null,2]]", "no list of polygons"),
        (b'"abc"', "'segmentation' is 'abc', where a list of polygons or an RLE is needed"),
        (b'{"counts": [4]}', r"size must be \[height, width\], not None"),
        (b'{"counts": [4], "size": [2, 2.5]}', "size must be"),
        (b'{"counts": [4], "size": [2, -2]}', "size must be"),
        (b'{"counts": [4], "size": [99999999, 99999999]}', "size must be"),
        (b'{"counts": [4], "size": [2, 3]}', "cover 4 pixels, but its size has 6"),
        (b'{"size": [2, 3]}', "neither a text nor a list"),
        (b"{bad}", "'segmentation' is no JSON"),
    ],
)
def test_the_wrong_segmentation_is_named(text, message):
    for texts in ([text], [b"[[1,2,3,4]]", b"[]", text, b'{"counts":[4],"size":[2,2]}']):
        with pytest.raises(ElementError, match=message) as caught:
            built([b"[[5,6]]"], texts)
        assert texts[caught.value.number] == text


@given(st.lists(st.text('[],.0159-eE \n"{}:nul', max_size=12), min_size=1, max_size=4))
def test_any_text_is_parsed_or_refused(texts):
    try:
        segmentations = built([text.encode() for text in texts])
    except ElementError:
        return
    assert np.isfinite(segmentations.coordinates).all()
    assert len(segmentations.polygons) == len(texts)
