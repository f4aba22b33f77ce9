import io

import numpy as np
import pytest

from penstock.formats.npy import parse_header
from penstock.readers.npy import expected_header
from penstock.readers.npy.expected_header import ExpectedHeader
from penstock.readers.npy.region import RegionOfInterest, parse_key


def saved(array):
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


@pytest.fixture
def files(tmp_path):
    paths = [tmp_path / f"{i}.npy" for i in range(5)]
    for i, path in enumerate(paths):
        path.write_bytes(saved(np.full((3, 4), i, "i2")))
    return paths


@pytest.fixture
def likeness(files):
    beginning = files[0].read_bytes()[:-24]
    return ExpectedHeader(beginning, parse_header(beginning))


def read(likeness, files):
    result = np.full((len(files), 3, 4), -1, "i2")
    return likeness.start(list(map(str, files)), None, result).result(), result[:, 0, 0].tolist()


def test_files_that_are_alike(likeness, files):
    assert read(likeness, files) == (True, [0, 1, 2, 3, 4])
    assert read(likeness, files[3:]) == (True, [3, 4])


@pytest.mark.parametrize(
    "other",
    [
        saved(np.ones((3, 5), "i2")),
        saved(np.ones((4, 3), "i2")),
        saved(np.ones((3, 4), "u2")),
        saved(np.ones((3, 4), "i2"))[:-1],
        saved(np.ones((3, 4), "i2")) + b"x",
        b"",
        None,
    ],
)
def test_a_file_that_is_not(likeness, files, other):
    if other is None:
        files[2].unlink()
    else:
        files[2].write_bytes(other)
    assert not read(likeness, files)[0]
    assert read(likeness, files[:2])[0]


def regions_of(key, files=1):
    region = RegionOfInterest(key=parse_key(key), policy="pad")
    return region.of_samples(np.full((files, 2), (3, 4)), {}, str)


def read_regions(likeness, files, regions):
    result = np.full((len(files), *regions.shape[0]), -1, "i2")
    return likeness.start(list(map(str, files)), regions, result).result(), result


@pytest.mark.parametrize("key", ["[1:3, 1:3]", "[2, :]", "[::2, 1::2]", "[0:1, 0:1]"])
@pytest.mark.parametrize("count", [1, 5])
def test_regions_of_files_that_are_alike(likeness, files, key, count):
    arrays = np.arange(60, dtype="i2").reshape(5, 3, 4)
    for path, array in zip(files, arrays, strict=True):
        path.write_bytes(saved(array))
    regions = regions_of(key, count)
    assert likeness.may_read(regions)
    alike, result = read_regions(likeness, files, regions)
    assert alike
    expected = [array[eval(f"np.s_{key}")].reshape(result.shape[1:]) for array in arrays]
    np.testing.assert_array_equal(result, expected)


def test_a_region_of_a_file_that_is_not(likeness, files):
    files[2].write_bytes(saved(np.ones((3, 4), "u2")))
    assert not read_regions(likeness, files, regions_of("[1:3, 1:3]"))[0]
    files[2].write_bytes(saved(np.ones((3, 5), "i2")))
    assert not read_regions(likeness, files, regions_of("[1:3, 1:3]"))[0]


@pytest.mark.parametrize("key", ["[1:3, 2:6]", "[1:1, :]"])
def test_regions_that_no_single_call_reads(likeness, key):
    assert not likeness.may_read(regions_of(key))


def test_regions_that_differ_or_lie_far_apart(likeness, tuned):
    regions = RegionOfInterest().of_samples(
        np.full((2, 2), (3, 4)), {"shape": np.array([(1, 2), (2, 2)])}, str
    )
    assert not likeness.may_read(regions)
    assert likeness.may_read(regions_of("[::2, 0:1]"))
    tuned(expected_header, MAX_UNUSED_BYTES=3)
    assert not likeness.may_read(regions_of("[::2, 0:1]"))
