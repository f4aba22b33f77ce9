"""The bytes of entries: files, windows of files, and members of archives."""

from contextlib import suppress

import numpy as np
import pytest

from penstock.engine.errors import SourceError
from penstock.readers.nemo.audio import AudioFiles, AudioMembers
from penstock.readers.nemo.entries import read_manifests
from penstock.readers.storage.damage import Damages

from .corpus import ENTRIES, FILES, write_corpus, write_manifest, write_tarred

EVERY = np.arange(len(ENTRIES))


def test_whole_files_are_read_and_windows_are_named(tmp_path):
    entries = read_manifests([write_corpus(tmp_path / "set")])
    audio = AudioFiles(entries, {})
    assert audio.is_segment().tolist() == [True, True, False, False, True, True]
    contents = [bytes(content) for content in audio.read(EVERY, np.empty)]
    assert contents[2] == FILES["b.flac"]
    assert contents[3] == FILES["deep/c.ogg"]
    assert contents[0] == contents[5] == str(tmp_path / "set" / "a.wav").encode()


def test_absolute_paths_stay(tmp_path):
    (tmp_path / "x.wav").write_bytes(FILES["a.wav"])
    (tmp_path / "list").mkdir()
    entry = {"audio_filepath": str(tmp_path / "x.wav")}
    audio = AudioFiles(read_manifests([write_manifest(tmp_path / "list/m.json", [entry])]), {})
    assert bytes(audio.read(EVERY[:1], np.empty)[0]) == FILES["a.wav"]


def members(folder, entries=None):
    manifest, _ = write_tarred(folder)
    if entries is not None:
        manifest = write_manifest(folder / "own.json", entries)
    archives = [str(folder / f"audio_{number}.tar") for number in range(2)]
    return AudioMembers(read_manifests([manifest]), archives, {})


def test_members_are_found_by_archive_and_name(tmp_path):
    audio = members(tmp_path)
    assert not audio.is_segment().any()
    names = ["a.wav", "a.wav", "b.flac", "deep/c.ogg", "d.mp3", "a.wav"]
    contents = audio.read(EVERY, np.empty)
    assert [bytes(content) for content in contents] == [FILES[name] for name in names]


def test_without_a_number_every_archive_is_searched(tmp_path):
    audio = members(tmp_path, [{"audio_filepath": "b.flac"}, {"audio_filepath": "a-sub3.wav"}])
    contents = audio.read(EVERY[:2], np.empty)
    assert [bytes(content) for content in contents] == [FILES["b.flac"], FILES["a.wav"]]


@pytest.mark.parametrize(
    "entry", [{"audio_filepath": "no.wav"}, {"audio_filepath": "a.wav", "shard_id": 1}]
)
def test_a_member_that_is_missing_is_an_error_of_its_sample(tmp_path, entry):
    audio = members(tmp_path, [{"audio_filepath": "b.flac"}, entry])
    assert bytes(audio.read(EVERY[:1], np.empty)[0]) == FILES["b.flac"]
    with pytest.raises(SourceError, match=r"own.json, line 2\): no archive"):
        audio.read(EVERY[:2], np.empty)


def test_archives_keep_their_numbers_if_others_are_left_out(tmp_path):
    manifest, _ = write_tarred(tmp_path)
    archives = []
    for number in range(2):  # names without a number: the position is the number
        archives.append(str(tmp_path / f"{'xy'[number]}.tar"))
        (tmp_path / f"audio_{number}.tar").rename(archives[-1])
    entries = read_manifests([manifest])
    expected = [bytes(c) for c in AudioMembers(entries, archives, {}).read(EVERY, np.empty)]
    with open(archives[0], "wb") as file:
        file.write(b"no archive")
    with pytest.raises(SourceError, match=r"x\.tar, offset 0"):
        AudioMembers(entries, archives, {})
    damages = Damages(leaves_out=True)
    audio = AudioMembers(entries, archives, {}, damages)
    assert [damage.name for damage in damages.found] == archives[:1]
    found = {}
    for index in EVERY.tolist():
        with suppress(SourceError):
            found[index] = bytes(audio.read(EVERY[index : index + 1], np.empty)[0])
    assert 0 < len(found) < len(EVERY)
    assert found == {index: expected[index] for index in found}
