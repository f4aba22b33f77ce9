"""A manifest of NeMo, and a folder of FLAC files."""

import glob
import json

import numpy as np
import pytest

from penstock import SourceError, fn, pipeline_def

RATE = 8000
TEXTS = ["one", "twenty", "a b", "ö"]


@pytest.fixture
def folder(tmp_path):
    soundfile = pytest.importorskip("soundfile")
    lines = []
    for number, text in enumerate(TEXTS):
        seconds = 0.1 * (number + 1)
        tone = np.sin(np.arange(round(seconds * RATE)) / 5)
        soundfile.write(tmp_path / f"{number}.flac", tone, RATE)
        lines.append({"audio_filepath": f"{number}.flac", "duration": seconds, "text": text})
    (tmp_path / "train.json").write_text("\n".join(map(json.dumps, lines)))
    return tmp_path


def test_a_manifest_gives_features_and_tokens_with_lengths(folder):
    @pipeline_def(batch_size=4, num_threads=2)
    def pipeline():
        audio, text = fn.readers.nemo_asr(
            manifest_filepaths=str(folder / "train.json"), read_sample_rate=False
        )
        bands = fn.mel_filter_bank(fn.spectrogram(audio, window_length=256), nfilter=8)
        lengths = bands.shape()[1]
        return fn.pad(fn.to_decibels(bands)), lengths, fn.pad(text), text.shape()[0]

    with pipeline() as pipe:
        bands, windows, texts, letters = pipe.run()
    assert bands.as_array().shape[:2] == (4, 8)
    assert max(windows.as_array().ravel()) == bands.as_array().shape[2]
    rows = zip(texts.as_array(), letters.as_array().ravel(), strict=True)
    assert [bytes(row[:length]).decode() for row, length in rows] == TEXTS


def test_a_folder_without_classes_says_what_to_do(folder):
    @pipeline_def(batch_size=4, num_threads=2)
    def pipeline(**arguments):
        encoded, numbers = fn.readers.file(**arguments)
        audio, rate = fn.decoders.audio(encoded, downmix=True)
        return audio, rate, numbers

    with pytest.raises(SourceError, match=r"4 files, such as '0\.flac'.*name the files by `files`"):
        pipeline(file_root=str(folder)).build()
    with pipeline(files=sorted(glob.glob(f"{folder}/*.flac"))) as pipe:
        audio, rates, numbers = pipe.run()
    assert [len(audio.at(i)) for i in range(4)] == [800, 1600, 2400, 3200]
    assert set(rates.as_array().ravel()) == {RATE}
    assert numbers.as_array().ravel().tolist() == [0, 1, 2, 3]
