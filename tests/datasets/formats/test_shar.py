"""Shar data sets as samples: all fields, and conversions."""

import io
import json

import numpy as np
import pytest

from penstock.datasets import convert, inspect, open_dataset, verify
from penstock.engine.errors import SourceError
from penstock.tests.readers.shar_sets import by_lhotse, cut, encoded, pairs, read_by_lhotse, write


def array(number):
    stream = io.BytesIO()
    np.save(stream, np.full((2, number + 1), number, np.float32))
    return stream.getvalue()


def fields():
    features = {}
    for number in range(3):
        ending = (".npy", ".json") if number != 1 else (".nodata", ".nometa")
        features[f"a/{number}.x{ending[0]}"] = array(number) if number != 1 else b""
        features[f"a/{number}.x{ending[1]}"] = b"{}" if number != 1 else b""
    return {"recording": pairs([0, 1, 2]), "features": features}


def test_samples(tmp_path):
    write(tmp_path, [cut(0), cut(1, start=0.5, duration=0.25), cut(2)], fields())
    with open_dataset(tmp_path) as dataset:
        samples = dataset.read([2, 0, 1])
        assert dataset.format == "shar"
        assert dataset.where(1).endswith("cuts.000000.jsonl.gz, cut 1")
    assert [sample.key for sample in samples] == ["a/2.x", "a/0.x", "a/1.x"]
    last, first, window = (sample.components for sample in samples)
    assert bytes(last["audio"].data) == encoded(2)
    assert last["features"].tolist() == [[2] * 3] * 2
    assert "features" not in window
    assert (window["offset"], window["duration"]) == (0.5, 0.25)
    assert {name: first[name] for name in ("text", "speaker", "language", "snr", "picked")} == {
        "text": "word 0",
        "speaker": "p0",
        "language": "en",
        "snr": 0.0,
        "picked": 0.0,
    }
    assert bytes(first["tags"].data) == b'["a"]'


def test_lines_of_a_field(tmp_path):
    write(tmp_path, [cut(0), cut(1)], {"recording": pairs([0, 1])})
    lines = [{"cut_id": "a/0.x", "level": 3}, {"cut_id": "a/1.x"}]
    path = tmp_path / "level.000000.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with open_dataset(tmp_path) as dataset:
        levels = [sample.components.get("level") for sample in dataset.read([0, 1])]
    assert levels == [3, None]
    path.write_text('{"cut_id": "a/1.x"}\n{"cut_id": "a/0.x"}\n')
    with pytest.raises(SourceError, match=r"pair 0 is 'a/1\.x', but cut 0"):
        open_dataset(tmp_path)


def test_custom_values_have_one_type(tmp_path):
    cuts = [cut(0), cut(1, custom={"snr": "loud"})]
    write(tmp_path, cuts, {"recording": pairs([0, 1])})
    with pytest.raises(SourceError, match="value 'snr' is a str, but a float in other cuts"):
        open_dataset(tmp_path)


@pytest.mark.parametrize("to", ["webdataset", "parquet"])
def test_conversions(tmp_path, to):
    write(tmp_path / "a", [cut(0), cut(2)], {"recording": pairs([0, 2])})
    assert convert(tmp_path / "a", tmp_path / "b", to=to).samples == 2
    assert verify(tmp_path / "a", tmp_path / "b").ok


def test_a_damaged_archive_costs_what_lies_behind(tmp_path):
    write(tmp_path / "a", [cut(0), cut(1), cut(2)], {"recording": pairs([0, 1, 2])})
    path = tmp_path / "a" / "recording.000000.tar"
    path.write_bytes(path.read_bytes()[:-12_000])
    report = convert(tmp_path / "a", tmp_path / "b", to="webdataset", skip_bad=True)
    assert 1 <= report.samples < 3


def test_what_lhotse_writes(tmp_path):
    root = by_lhotse(tmp_path)
    expected = read_by_lhotse(root)
    with open_dataset(root) as dataset:
        samples = dataset.read(range(len(dataset)))
    assert [sample.key for sample in samples] == [one[0] for one in expected]
    for number, (sample, one) in enumerate(zip(samples, expected, strict=True)):
        held = sample.components
        assert (held["duration"], held["text"]) == (one[1], one[2])
        assert (held["speaker"], held["score"], held["level"]) == (
            f"s{number % 2}",
            number / 2,
            number,
        )
    assert inspect(root).samples == 7
