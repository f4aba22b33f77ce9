import numpy as np
import pytest

from penstock.readers.lmdb.salvage import whole_samples
from penstock.readers.storage.strings import StringTable

NAMES = (b"a.cls", b"a.jpg", b"b.cls", b"b.jpg", b"b.txt", b"c.cls", b"c.jpg")


@pytest.mark.parametrize(
    ("lost", "gaps", "kept"),
    [
        ((), (), "aabbbcc"),
        ((3,), (), "aacc"),  # not the other values of b
        ((0, 6), (), "bbb"),
        ((), (3,), "aacc"),
        ((), (2,), "cc"),  # more values of a, or of b, may be missing
        ((), (0,), "bbbcc"),
        ((), (7,), "aabbb"),
        ((5,), (7, 0), "bbb"),
    ],
)
def test_samples_that_lack_a_value_are_left_out(lost, gaps, kept):
    sound = np.ones(len(NAMES), bool)
    sound[list(lost)] = False
    whole = whole_samples(StringTable.of(NAMES), sound, gaps)
    assert (
        "".join(name[:1].decode() for name, is_whole in zip(NAMES, whole, strict=True) if is_whole)
        == kept
    )


def test_values_whose_keys_are_no_names_of_files_are_samples_of_their_own():
    sound = np.array([True, True, False, True])
    whole = whole_samples(StringTable.of([b"0", b"1", b"2", b"3"]), sound, [1, 4])
    assert whole.tolist() == sound.tolist()
