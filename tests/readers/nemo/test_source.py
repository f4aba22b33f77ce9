"""The contract of sources, for files and for archives."""

import numpy as np
import pytest

from penstock.readers.nemo.audio import AudioFiles, AudioMembers
from penstock.readers.nemo.entries import read_manifests
from penstock.readers.nemo.source import NemoSource
from penstock.testing.readers import SourceConformance

from .corpus import ENTRIES, FILES, bytes_of, write_corpus, write_tarred


def samples(contents, is_path):
    return [
        (
            bytes_of(content),
            np.array([entry.get("offset", 0.0), entry["duration"], path]),
            bytes_of(entry.get("text", "")),
            np.array([number]),
        )
        for number, (entry, content, path) in enumerate(
            zip(ENTRIES, contents, is_path, strict=True)
        )
    ]


class TestFiles(SourceConformance):
    @pytest.fixture
    def folder(self, tmp_path):
        return tmp_path / "set"

    @pytest.fixture
    def source(self, folder):
        entries = read_manifests([write_corpus(folder)])
        return NemoSource(entries, AudioFiles(entries, {}))

    @pytest.fixture
    def expected(self, folder):
        is_path = [True, True, False, False, True, True]
        names = [entry["audio_filepath"] for entry in ENTRIES]
        contents = [
            str(folder / name) if path else FILES[name]
            for name, path in zip(names, is_path, strict=True)
        ]
        return samples(contents, is_path)


class TestMembers(SourceConformance):
    @pytest.fixture
    def source(self, tmp_path):
        manifest, _ = write_tarred(tmp_path)
        entries = read_manifests([manifest])
        archives = [str(tmp_path / f"audio_{number}.tar") for number in range(2)]
        return NemoSource(entries, AudioMembers(entries, archives, {}))

    @pytest.fixture
    def expected(self):
        return samples([FILES[entry["audio_filepath"]] for entry in ENTRIES], [False] * 6)


def test_an_unknown_duration_is_negative(tmp_path):
    write_corpus(tmp_path / "set")
    (tmp_path / "set" / "m.json").write_text('{"audio_filepath": "b.flac"}\n')
    entries = read_manifests([str(tmp_path / "set" / "m.json")])
    _, windows, *_ = NemoSource(entries, AudioFiles(entries, {})).read(np.arange(1), np.empty)
    assert windows.tolist() == [[0, -1, 0]]
