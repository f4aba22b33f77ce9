"""Which entries of manifests are read, and in which order."""

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError, SourceError
from penstock.readers.nemo.entries import chosen_entries, read_manifests

from .corpus import write_manifest


@pytest.fixture
def entries(tmp_path):
    one = [{"audio_filepath": f"{i}.wav", "duration": d} for i, d in enumerate((3, 1, 2))]
    other = [
        {"audio_filepath": "x.wav", "text": ""},
        {"audio_filepath": "1.wav", "duration": 2, "text": "t"},
    ]
    paths = [write_manifest(tmp_path / f"{i}.json", e) for i, e in enumerate((one, other))]
    return read_manifests(paths)


def choose(entries, shortest=0.0, longest=0.0, order="manifest"):
    return chosen_entries(entries, min_duration=shortest, max_duration=longest, order=order)


def test_manifests_follow_one_another(entries):
    assert [entries.path(i) for i in range(5)] == ["0.wav", "1.wav", "2.wav", "x.wav", "1.wav"]
    np.testing.assert_array_equal(entries.column("duration"), [3, 1, 2, np.nan, 2])
    assert entries.text(4) == b"t"
    assert entries.where(4).endswith("1.json, line 2)")
    assert entries.where(0).startswith("0.wav (")


def test_limits_of_duration(entries):
    assert choose(entries, shortest=2).row.tolist() == [0, 2, 1]
    kept = choose(entries, longest=2)
    assert [kept.path(i) for i in range(len(kept))] == ["1.wav", "2.wav", "x.wav", "1.wav"]
    assert kept.number.tolist() == [0, 1, 2, 3]
    with pytest.raises(ArgumentError, match="none of 5 entries is 7 to 8 s long"):
        choose(entries, shortest=7, longest=8)


def test_sorted_entries_keep_their_numbers(entries):
    kept = choose(entries, shortest=0.5, order="ascending")
    assert kept.column("duration").tolist() == [1, 2, 2, 3]
    assert kept.number.tolist() == [1, 2, 3, 0]
    kept = choose(entries, shortest=0.5, order="descending")
    assert kept.number.tolist() == [0, 2, 3, 1]


def test_entries_without_a_duration_cannot_be_sorted(entries):
    with pytest.raises(SourceError, match=r"^x.wav \(.*line 1\) has no 'duration'"):
        choose(entries, order="ascending")


def test_a_manifest_that_cannot_be_read(tmp_path):
    with pytest.raises(SourceError, match=r"none.json' cannot be read: No such file"):
        read_manifests([str(tmp_path / "none.json")])
    with pytest.raises(SourceError, match=r"bad\.json, line 1"):
        read_manifests([write_manifest(tmp_path / "bad.json", [{"text": "x"}])])
