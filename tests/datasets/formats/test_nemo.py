"""Manifests of other programs."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import pytest

from penstock import datasets
from penstock.datasets import Sample, convert, open_dataset
from penstock.testing import made
from penstock.testing.writers import WriterTests

from ...readers.nemo.corpus import write_corpus, write_manifest


def test_windows_of_one_file_are_samples_of_their_own(tmp_path):
    (tmp_path / "a.wav").write_bytes(b"RIFF....WAVE")
    lines = [
        {"audio_filepath": "a.wav", "offset": offset, "duration": 1.5, "text": f"at {offset}"}
        for offset in (0, 1.5)
    ]
    (tmp_path / "m.json").write_text("\n".join(map(json.dumps, lines)))
    one, two = open_dataset(tmp_path / "m.json").read([0, 1])
    assert (one.key, two.key) == ("a-00000000", "a-00000001")
    assert bytes(one.components["audio"].data) == b"RIFF....WAVE"
    assert two.components["offset"] == 1.5
    assert two.components["text"] == "at 1.5"
    assert "offset" not in one.components


class TestNemoWriter(WriterTests):
    format = "nemo"
    opens_files = False
    contents = ("speech",)

    def bad_sample(self, sample):
        return Sample("a", {"text": "x"})


class TestNemoTarWriter(TestNemoWriter):
    format = "nemo-tar"
    opens_files = True


def test_the_manifest_names_files_below_its_folder(tmp_path):
    root = made.write(tmp_path / "a", made.speech(), "nemo")
    lines = [json.loads(line) for line in (root / "manifest.json").read_text().splitlines()]
    assert lines[1] == {
        "audio_filepath": "audio/reader-0/v1.1.flac",
        "text": "schön 1",
        "duration": 0.1,
    }
    content = (root / lines[1]["audio_filepath"]).read_bytes()
    assert content == made.speech()[1].components["audio"].data


def test_archives_have_the_numbers_of_the_manifest(tmp_path):
    source = made.write(tmp_path / "source", made.speech())
    convert(source, tmp_path / "a", to="nemo-tar", shard_count=3)
    lines = (tmp_path / "a" / "manifest.json").read_text().splitlines()
    for line in map(json.loads, lines):
        with tarfile.open(tmp_path / "a" / f"audio_{line['shard_id']}.tar") as archive:
            assert line["audio_filepath"] in archive.getnames()


def test_data_sets_without_dataset_json_are_recognized(tmp_path):
    for name in ("nemo", "nemo-tar"):
        root = made.write(tmp_path / name, made.speech(), name)
        (root / "dataset.json").unlink()
        dataset = open_dataset(root / "manifest.json")
        assert dataset.format == "nemo"
        assert len(dataset.read(range(9))) == 9


@pytest.mark.parametrize(
    "wrong", [{"offset": 9.0}, {"offset": 0.5, "duration": 0.9}, {"duration": 50}]
)
def test_verify_finds_windows_that_the_audio_does_not_have(tmp_path, wrong):
    path = write_corpus(tmp_path / "corpus")
    assert datasets.verify(path, decode=True).ok
    lines = [json.loads(line) for line in Path(path).read_text("utf-8").splitlines()]
    lines[1] |= wrong
    write_manifest(Path(path), lines)
    (bad,) = datasets.verify(path, decode=True).bad
    assert "s on, but the audio ends at 1.000 s" in bad.reason
    assert "line 2" in bad.location
