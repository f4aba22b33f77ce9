"""Lists of bad samples, and the samples that they choose."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock import ArgumentError, SourceError
from penstock.datasets import BadSample, open_dataset
from penstock.datasets.checking.bad_samples import (
    ChosenSamples,
    chosen_samples,
    lines_of,
    parse_lines,
    require_listed,
)


def folder(root, count=4):
    (root / "a").mkdir(parents=True)
    for number in range(count):
        (root / "a" / f"{number}.txt").write_text(str(number))
    return open_dataset(root, format="folder")


def listing(path, *samples):
    path.write_bytes(lines_of(BadSample(index, location, "bad") for index, location in samples))
    return path


def test_a_list_is_read_as_it_was_written():
    bad = [BadSample(3, "a/\udcff.jpg", "cut\noff"), BadSample(-1, "ä.tar", "gone")]
    assert list(parse_lines(lines_of(bad), "list")) == bad


@pytest.mark.parametrize("line", [b"a.jpg", b"[]", b"{}", b'{"index": "x"}', b"\xff", b"[" * 9999])
def test_a_line_of_another_kind_is_named(line):
    good = lines_of([BadSample(3, "a", "b")])
    with pytest.raises(ArgumentError, match=r"bad\.jsonl, line 2: .*penstock verify --quarantine"):
        list(parse_lines(good + line, "bad.jsonl"))


@given(st.integers(1, 30), st.sets(st.integers(0, 29)), st.booleans())
def test_chosen_samples(size, listed, alone):
    listed = tuple(sorted(number for number in listed if number < size))
    chosen = ChosenSamples(listed, (), size) if alone else ChosenSamples(None, listed, size)
    expected = [n for n in range(size) if (n in listed) == alone]
    assert chosen.count == len(expected)
    assert chosen.indices(0, chosen.count).tolist() == expected
    positions = np.arange(chosen.count)[::-1]
    assert chosen.at(positions).tolist() == expected[::-1]


def test_two_lists(tmp_path):
    with folder(tmp_path / "data") as dataset:
        places = [dataset.where(index) for index in range(4)]
        only = listing(tmp_path / "only", *((n, places[n]) for n in (0, 2, 3)))
        without = listing(tmp_path / "without", (2, places[2]), (-1, "any file"))
        chosen = chosen_samples(dataset, only, without)
        assert chosen.indices(0, chosen.count).tolist() == [0, 3]
        assert chosen_samples(dataset, None, None).is_all
        with pytest.raises(ArgumentError, match="leave none of the 4 samples"):
            chosen_samples(dataset, without, without)


@pytest.mark.parametrize(("index", "place"), [(1, 0), (9, 1), (-5, 1)])
def test_a_list_of_other_data_is_refused(tmp_path, index, place):
    with folder(tmp_path / "data") as dataset:
        path = listing(tmp_path / "list", (index, dataset.where(place)))
        with pytest.raises(ArgumentError, match=r"lists sample .* make it anew"):
            chosen_samples(dataset, None, path)


def test_damaged_files_must_be_listed(tmp_path):
    with open(tmp_path / "a.npy", "wb") as file:
        np.save(file, np.arange(3))
    with open_dataset(tmp_path / "a.npy", skip_bad=True) as dataset:
        dataset.damages.take("b.npy", SourceError("b.npy is cut off"))
        require_listed(dataset, listing(tmp_path / "list", (-1, "b.npy")))
        for path in (None, listing(tmp_path / "other", (-1, "c.npy"))):
            with pytest.raises(SourceError, match=r"b\.npy is cut off"):
                require_listed(dataset, path)
