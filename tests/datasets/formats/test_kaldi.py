"""Data directories of Kaldi: utterances with their windows, and conversions to NeMo."""

import pytest

from penstock.datasets import convert, open_dataset, verify
from penstock.engine.errors import SourceError
from penstock.tests.readers.shar_sets import encoded

TABLES = {
    "wav.scp": "r0 audio/0.flac\nr1 audio/1.flac\n",
    "segments": "u0 r0 0 0.5\nu1 r0 0.5 1\nu2 r1 0.25 -1\n",
    "text": "u0 one\nu1 two words\nu2\n",
    "utt2spk": "u0 a\nu1 a\nu2 b\n",
}


def write(root, **changes):
    (root / "audio").mkdir(parents=True)
    for number in range(2):
        (root / "audio" / f"{number}.flac").write_bytes(encoded(number))
    for name, content in (TABLES | changes).items():
        if content is not None:
            (root / name).write_text(content)
    return root


def test_segments(tmp_path):
    with open_dataset(write(tmp_path)) as dataset:
        assert dataset.format == "kaldi"
        held = [sample.components for sample in dataset.read([0, 1, 2])]
    assert [bytes(one.pop("audio").data) for one in held] == [encoded(0), encoded(0), encoded(1)]
    assert held == [
        {"text": "one", "duration": 0.5, "speaker": "a"},
        {"text": "two words", "duration": 0.5, "offset": 0.5, "speaker": "a"},
        {"text": "", "offset": 0.25, "speaker": "b"},
    ]


def test_recordings_as_utterances(tmp_path):
    changes = {
        "segments": None,
        "text": "r0 x\nr1 y\n",
        "utt2spk": None,
        "utt2dur": "r0 1\nr1 1.1\n",
    }
    root = write(tmp_path / "a", **changes)
    report = convert(root, tmp_path / "b", to="nemo")
    assert report.samples == 2
    assert verify(root, tmp_path / "b").ok


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"wav.scp": "r0 sox a.wav -t wav - |\n"}, "line 1: .* is a command, which is not run"),
        ({"wav.scp": "r0 raw.ark:17\n"}, "is an archive of Kaldi"),
        ({"wav.scp": "r0\n"}, r"line 1: 'r0' has not 2 fields"),
        ({"segments": "u0 r9 0 1\n"}, "has no recording 'r9'"),
        ({"segments": "u0 r0 1 0.5\n"}, "ends at 0.5 s, before its start"),
        ({"segments": "u0 r0 nan 1\n"}, "'nan' is no time in seconds"),
        ({"text": "u0 x\n"}, "no line for 2 of 3 utterances, the first is 'u1'"),
    ],
)
def test_directories_that_are_not_read(tmp_path, changes, error):
    with pytest.raises(SourceError, match=error):
        open_dataset(write(tmp_path, **changes))


def test_a_url_names_no_local_file(tmp_path, web):
    web.objects["set/wav.scp"] = b"r0 /etc/hostname\n"
    with pytest.raises(SourceError, match="names a file of this machine"):
        open_dataset(f"{web.url}/set/", format="kaldi")
