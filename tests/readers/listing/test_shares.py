"""Parts of a data set by a hash of the files' names."""

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.readers.listing.shares import SPLIT_BY, in_column, in_split

NAMES = [b"class/%05d.jpg" % number for number in range(20_000)]


def test_parts_are_disjoint_whole_and_of_the_wanted_size():
    shares = {"train": 0.8, "val": 0.15, "test": 0.05}
    parts = [in_split(NAMES, part, shares) for part in shares]
    assert sorted(np.concatenate(parts).tolist()) == [*range(len(NAMES))]
    assert [round(len(part) / len(NAMES), 2) for part in parts] == [0.8, 0.15, 0.05]


def test_a_new_file_moves_no_other():
    shares = {"train": 0.9, "val": 0.1}
    before = {NAMES[i] for i in in_split(NAMES, "val", shares).tolist()}
    more = [b"class/new.jpg", *reversed(NAMES)]
    after = {more[i] for i in in_split(more, "val", shares).tolist()}
    assert after - {b"class/new.jpg"} == before


def test_the_hash_is_that_of_all_releases():
    # Who trains on with a newer release must not validate on what the network has learned.
    names = [b"%d" % number for number in range(12)]
    assert in_split(names, "train", {"train": 0.5, "val": 0.5}).tolist() == [0, 1, 2, 3, 6, 9]


def test_shares():
    assert SPLIT_BY.convert(0.75) == {"train": 0.75, "val": 0.25}
    assert SPLIT_BY.convert({"a": 0.5, "b": 0.5}) == {"a": 0.5, "b": 0.5}
    for wrong in (0, 1, 1.5, {"a": 0.5}, {"a": 0.5, "b": 0.6}, {"a": -1, "b": 2}):
        with pytest.raises(ValueError, match="share"):
            SPLIT_BY.convert(wrong)


def test_words_of_one_meaning_name_one_part():
    shares = {"train": 0.9, "val": 0.1}
    rest = in_split(NAMES, "val", shares).tolist()
    for word in ("valid", "validation", "dev"):
        assert in_split(NAMES, word, shares).tolist() == rest
    assert len(in_split(NAMES, "training", shares)) == len(NAMES) - len(rest)
    both = {"train": 0.8, "val": 0.1, "dev": 0.1}
    assert in_split(NAMES, "dev", both).tolist() != in_split(NAMES, "val", both).tolist()
    with pytest.raises(ArgumentError, match="no part 'valid'"):  # which of both?
        in_split(NAMES, "valid", both)


def test_a_column_of_parts():
    parts = np.array(["train", "val", "train"])
    assert in_column(parts, "train", "split").tolist() == [0, 2]
    assert in_column(parts, "validation", "split").tolist() == [1]
    with pytest.raises(ArgumentError, match="'split' holds no part 'vall'; did you mean 'val'"):
        in_column(parts, "vall", "split")
