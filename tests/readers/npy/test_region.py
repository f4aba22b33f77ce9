import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.engine.errors import ArgumentError
from penstock.readers.npy.region import RegionOfInterest, parse_key


def where(row):
    return f"file {row}"


def taken(roi, array, **values):
    """Return the part of an array that a region takes, padded with -1."""
    shapes = np.array([array.shape], np.int64).reshape(1, array.ndim)
    parts = roi.of_samples(shapes, {k: np.atleast_2d(v) for k, v in values.items()}, where)
    start, count, step = parts.start[0], parts.count[0], parts.step
    found = array[tuple(slice(a, a + n * s, s) for a, n, s in zip(start, count, step, strict=True))]
    result = np.full(parts.shape[0], -1, array.dtype)
    result[tuple(slice(a, a + n) for a, n in zip(parts.lead[0], count, strict=True))] = found
    return result.reshape(parts.shape[0][list(parts.kept)])


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("[8:24, :, 128:384]", (slice(8, 24), slice(None), slice(128, 384))),
        ("3", (3,)),
        ("..., -1", (..., -1)),
        (" [ ::2 , 1:-1:3 ] ", (slice(None, None, 2), slice(1, -1, 3))),
    ],
)
def test_texts(text, key):
    assert parse_key(text) == key


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("", "'' is no index"),
        ("[1:2", "no index"),
        ("1,,2", "'' is no index"),
        ("::-1", "a step of -1; only positive steps"),
        ("::0", "a step of 0"),
        ("-:3", "no index"),
        ("1:2:3:4", "no index"),
        ("None", "no index"),
        ("..., ...", "more than one Ellipsis"),
        (None, "None is no index"),
        (1.5, "1.5 is no index"),
        (True, "True is no index"),
        ((slice(0, 1.5),), "1.5 is no index"),
        (slice(None, None, -2), "a step of -2"),
        ([1, 2], "no index"),
        (1 << 70, "too large"),
    ],
)
def test_what_is_no_region(value, message):
    with pytest.raises(ValueError, match=message):
        parse_key(value)


@st.composite
def keys(draw):
    shape = tuple(draw(st.lists(st.integers(0, 6), max_size=4)))
    named = []
    for extent in shape[: draw(st.integers(0, len(shape)))]:
        bound = st.none() | st.integers(-extent - 2, extent + 2)
        one = st.builds(slice, draw(st.just(bound)), bound, st.none() | st.integers(1, 3))
        if extent:
            one |= st.integers(-extent, extent - 1)
        named.append(draw(one))
    return shape, tuple(named)


@given(keys())
def test_keys_trimmed_to_the_shape_do_what_numpy_does(case):
    shape, key = case
    array = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    found = taken(RegionOfInterest(key=key, policy="trim_to_shape"), array)
    np.testing.assert_array_equal(found, array[key], strict=True)


@given(keys())
def test_keys_with_padding_take_what_a_larger_array_has_there(case):
    shape, key = case
    array = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    larger = np.pad(array, 9, constant_values=-1)
    moved = tuple(_moved(entry, n) for entry, n in zip(key, shape, strict=False))
    rest = tuple(slice(9, 9 + n) for n in shape[len(key) :])
    found = taken(RegionOfInterest(key=key, policy="pad"), array)
    np.testing.assert_array_equal(found, larger[moved + rest], strict=True)


def _moved(entry, extent):
    if isinstance(entry, int):
        return entry % extent + 9
    start, stop = (
        default if bound is None else bound + (extent if bound < 0 else 0)
        for bound, default in ((entry.start, 0), (entry.stop, extent))
    )
    return slice(start + 9, max(start, stop) + 9, entry.step)


def test_an_ellipsis_stands_for_the_axes_that_are_not_named():
    array = np.arange(24).reshape(2, 3, 4)
    for key in [(..., 1), (0, ...), (0, ..., slice(1, 3)), (...,), (1, 2, 3, ...)]:
        np.testing.assert_array_equal(taken(RegionOfInterest(key=key), array), array[key])


ARRAY = np.arange(20).reshape(4, 5)


@pytest.mark.parametrize(
    ("roi", "values", "expected"),
    [
        (RegionOfInterest({"start": (1, 2)}), {}, ARRAY[1:, 2:]),
        (RegionOfInterest({"end": (1, 2)}), {}, ARRAY[:1, :2]),
        (RegionOfInterest({"start": (1,), "shape": (2,)}, axes=(-1,)), {}, ARRAY[:, 1:3]),
        (RegionOfInterest({"start": (1, 0), "end": (3, 2)}, axes=(1, 0)), {}, ARRAY[0:2, 1:3]),
        (RegionOfInterest({"shape": (2,)}), {"start": [1, 3]}, ARRAY[1:3, 3:5]),
        (RegionOfInterest({"rel_shape": (0.5,)}), {"rel_start": [0.25, 0.4]}, ARRAY[1:3, 2:5]),
        (RegionOfInterest({"start": (2, 2), "end": (2, 4)}), {}, ARRAY[2:2, 2:4]),
        (RegionOfInterest({"start": None}, axes=(0,)), {}, ARRAY),
    ],
)
def test_arguments(roi, values, expected):
    np.testing.assert_array_equal(taken(roi, ARRAY, **values), expected, strict=True)


@pytest.mark.parametrize(
    ("roi", "values", "message"),
    [
        (
            RegionOfInterest({"start": (1, 2), "end": (5, 5)}),
            {},
            r"file 0: .* \(1, 2\) to \(5, 5\) reaches out",
        ),
        (RegionOfInterest({"start": (-1, 0)}), {}, r"\(-1, 0\) .* shape is \(4, 5\)"),
        (RegionOfInterest({"start": (5,), "shape": (0,)}, axes=(0,)), {}, "reaches out"),
        (
            RegionOfInterest({"start": (3, 3), "end": (2, 4)}),
            {},
            "file 0: .* ends before it starts, along axis 0",
        ),
        (RegionOfInterest({"start": (1, 2, 3)}), {}, "'start' has 3 values for 2 axes"),
        (RegionOfInterest({"start": (1,)}, axes=(2,)), {}, "axis 2 is outside"),
        (RegionOfInterest({"rel_start": (float("nan"),)}), {}, "ends before it starts|reaches out"),
        (RegionOfInterest({"rel_start": (1e300,)}, policy="pad"), {}, "ends before it starts"),
        (RegionOfInterest(key=(slice(0, 5),)), {}, r"\(0, 0\) to \(5, 5\) reaches out"),
        (RegionOfInterest(key=(slice(-5, None),)), {}, r"\(-1, 0\) to"),
        (
            RegionOfInterest(key=(4,)),
            {},
            "the index 4 in roi is out of bounds for axis 0 with the extent 4",
        ),
        (
            RegionOfInterest(key=(0, -6), policy="pad"),
            {},
            "the index -6 in roi is out of bounds for axis 1",
        ),
        (RegionOfInterest(key=(0, 0, 0)), {}, "3 entries, but the sample has 2 axes"),
    ],
)
def test_what_does_not_fit(roi, values, message):
    with np.errstate(over="ignore"), pytest.raises(ArgumentError, match=message):
        taken(roi, ARRAY, **values)


def test_a_whole_batch_at_once():
    shapes = np.array([[4, 5], [6, 7], [8, 9]])
    values = {"start": np.array([[0, 1], [2, 3], [4, 5]])}
    parts = RegionOfInterest({"shape": (2, 3)}).of_samples(shapes, values, where)
    assert parts.start.tolist() == values["start"].tolist()
    assert parts.count.tolist() == parts.shape.tolist() == [[2, 3]] * 3
    values["start"][1, 0] = 5
    with pytest.raises(ArgumentError, match="file 1: "):
        RegionOfInterest({"shape": (2, 3)}).of_samples(shapes, values, where)
