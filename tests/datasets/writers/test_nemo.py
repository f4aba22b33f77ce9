"""NeMo's manifests, with audio files and with archives."""

from __future__ import annotations

import json
import tarfile

from penstock.datasets import Sample, convert, open_dataset
from penstock.testing import made
from penstock.testing.writers import WriterTests


class TestNemoWriter(WriterTests):
    format = "nemo"
    opens_files = False
    contents = ("speech",)

    def bad_sample(self, sample):
        return Sample("a", {"text": "x"})


class TestNemoTarWriter(TestNemoWriter):
    format = "nemo-tar"


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
