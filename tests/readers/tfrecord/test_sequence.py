import pytest

from penstock.engine.errors import DecodeError
from penstock.readers.tfrecord.features import FixedLenFeature, VarLenFeature, int64, string
from penstock.readers.tfrecord.sequence import WantedList, sequence_columns

from ..tfrecord_files import sequence_example

RECORDS = [
    ("first", sequence_example({}, {"n": [[1], [2]], "s": [b"a", b"bcd"]})),
    ("second", sequence_example({}, {"n": [[3]], "s": [b""]})),
]


def outputs(name, feature, records=RECORDS):
    columns = sequence_columns([WantedList(name, feature)], records)
    return [[array.tolist() for array in column] for column in columns]


def test_numbers_of_one_shape_are_one_tensor():
    assert outputs("n", FixedLenFeature([1], int64)) == [[[[1], [2]], [[3]]]]


def test_numbers_of_any_count_come_with_the_counts_of_the_steps():
    record = sequence_example({}, {"n": [[1, 2], [], [3]]})
    assert outputs("n", VarLenFeature(int64), [("r", record)]) == [[[1, 2, 3]], [[2, 0, 1]]]


def test_strings_come_with_their_lengths():
    assert outputs("s", FixedLenFeature([], string)) == [[list(b"abcd"), []], [[1, 3], [0]]]


def test_a_missing_list_is_named_beside_those_of_the_record():
    with pytest.raises(
        DecodeError, match=r"first: feature 'm' is missing; the record has 'n', 's'"
    ):
        outputs("m", FixedLenFeature([1], int64))


def test_another_number_of_values_raises():
    with pytest.raises(DecodeError, match=r"first, step 0: feature 'n' has 1 values"):
        outputs("n", FixedLenFeature([2], int64))
