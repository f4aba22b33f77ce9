import io

import numpy as np
import pytest

from penstock.formats.npy import parse_header
from penstock.readers.npy.expected_header import ExpectedHeader


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
    return likeness.read(list(map(str, files)), result), result[:, 0, 0].tolist()


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
