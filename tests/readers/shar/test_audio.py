"""`fn.readers.nemo_asr` on Shar data sets: windows, counts, ids and damage."""

import gzip
import re
from pathlib import Path

import numpy as np
import pytest

import penstock
from penstock import fn, pipeline_def
from penstock.engine.errors import SourceError

from .. import shar_sets
from ..shar_sets import RATE, cut, pairs, sound, write

ROOT = Path(penstock.__file__).resolve().parent


def read(path, count, **options):
    @pipeline_def(batch_size=count, num_threads=1)
    def speech():
        return fn.readers.nemo_asr(manifest_filepaths=str(path), read_sample_rate=False, **options)

    with speech() as pipe:
        audio, text = pipe.run()
        return (
            [np.asarray(audio.at(i)) for i in range(count)],
            [np.asarray(text.at(i)).tobytes().decode() for i in range(count)],
        )


def test_cuts_and_recordings(tmp_path):
    write(tmp_path, [cut(0), cut(1)], {"recording": pairs([0, 1])})
    write(tmp_path, [cut(2)], {"recording": pairs([2])}, number=1)
    audio, text = read(tmp_path, 3)
    assert text == ["word 0", "word 1", "word 2"]
    for number, signal in enumerate(audio):
        np.testing.assert_allclose(signal, sound(number), atol=1e-4)
    audio, text = read(tmp_path, 2, order="descending", max_duration=1.15)
    assert text == ["word 1", "word 0"]


def test_a_cut_is_a_window(tmp_path):
    write(tmp_path, [cut(0, start=0.25, duration=0.5)], {"recording": pairs([0])})
    ((signal,), _) = read(tmp_path, 1)
    np.testing.assert_allclose(signal, sound(0)[RATE // 4 : RATE // 4 * 3], atol=1e-4)


def test_a_set_behind_a_url(tmp_path, web):
    write(tmp_path, [cut(0), cut(1)], {"recording": pairs([0, 1])})
    web.objects.update((f"set/{p.name}", p.read_bytes()) for p in tmp_path.iterdir())
    assert read(f"{web.url}/set/", 2)[1] == ["word 0", "word 1"]


@pytest.mark.parametrize(
    ("cuts", "error"),
    [
        (
            [cut(0), cut(1), cut(2)],
            r"recording\.000000\.tar has 2 pairs, but .*jsonl.gz has 3 cuts",
        ),
        ([cut(0)], r"recording\.000000\.tar has 2 pairs, but .*has 1 cuts"),
        ([cut(1), cut(0)], r"pair 0 is 'a/0.x', but cut 0 of .*is 'a/1.x'"),
    ],
)
def test_cuts_and_recordings_that_differ_are_both_named(tmp_path, cuts, error):
    write(tmp_path, cuts, {"recording": pairs([0, 1])})
    with pytest.raises(SourceError, match=error):
        read(tmp_path, 1)


def test_a_missing_file_of_a_shard_is_named(tmp_path):
    write(tmp_path, [cut(0)], {"recording": pairs([0])})
    write(tmp_path, [cut(1)], {}, number=1)
    with pytest.raises(SourceError, match=r"there is cuts\.000001, but no recording\.000001: 2 "):
        read(tmp_path, 1)


def test_a_cut_without_a_recording_is_a_bad_sample(tmp_path):
    members = pairs([0]) | {"a/1.x.nodata": b"", "a/1.x.nometa": b""} | pairs([2])
    write(tmp_path, [cut(0), cut(1), cut(2)], {"recording": members})
    with pytest.raises(SourceError, match=r"cut 1 has no data of the field 'recording' \(\.nodata"):
        read(tmp_path, 3)


def test_features_of_lilcom_are_refused(tmp_path):
    write(tmp_path, [cut(0)], {"recording": {"a/0.x.llc": b"..", "a/0.x.json": b"{}"}})
    with pytest.raises(SourceError, match="compressed by lilcom"):
        read(tmp_path, 1)


def test_members_that_are_no_pairs(tmp_path):
    write(tmp_path, [cut(0)], {"recording": {"a/0.x.flac": b".."}})
    with pytest.raises(SourceError, match=r"expected a data file and its \.json, .*found flac"):
        read(tmp_path, 1)


def test_an_archive_that_is_cut_off_costs_what_lies_behind(tmp_path):
    write(tmp_path, [cut(0), cut(1), cut(2)], {"recording": pairs([0, 1, 2])})
    path = tmp_path / "recording.000000.tar"
    path.write_bytes(path.read_bytes()[:-12_000])
    with pytest.raises(SourceError, match="is cut off"):
        read(tmp_path, 1)


def test_cuts_that_are_cut_off(tmp_path):
    write(tmp_path, [cut(0)] * 50, {"recording": pairs([0])})
    path = tmp_path / "cuts.000000.jsonl.gz"
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(SourceError, match=r"cuts\.000000\.jsonl\.gz is damaged behind line \d+"):
        read(tmp_path, 1)
    path.write_bytes(gzip.compress(b"[]\n"))
    with pytest.raises(SourceError, match=r"line 1: \[\] is no cut"):
        read(tmp_path, 1)


def test_what_lhotse_writes(tmp_path):
    root = shar_sets.by_lhotse(tmp_path)
    expected = shar_sets.read_by_lhotse(root)
    audio, text = read(root, len(expected))
    assert text == [one[2] for one in expected]
    for signal, one in zip(audio, expected, strict=True):
        np.testing.assert_allclose(signal, one[3], atol=1e-4)


def test_the_page_of_speech(tmp_path, monkeypatch):
    write(tmp_path / "shar", [cut(n) for n in range(16)], {"recording": pairs([*range(16)])})
    monkeypatch.chdir(tmp_path)
    section = (ROOT / "docs" / "speech.md").read_text().split("## Shar data sets")[1]
    names = {"__name__": "page"}
    exec(re.search(r"```python\n(.*?)```", section, re.S)[1], names)
    with names["speech"]() as pipe:
        audio, text = pipe.run()
    assert audio.as_array().shape == (16, len(sound(15)))
    assert text.as_array()[3].tobytes().rstrip(b"\0") == b"word 3"
