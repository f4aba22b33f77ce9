"""Recognition of formats by their first bytes, and files of all formats that are damaged."""

import random

import numpy as np
import pytest

from penstock.decoders.audio.table import FORMATS, format_of, open_audio, open_audio_file
from penstock.engine.errors import DecodeError, SourceError

from ...sounds import file_of, speech_like

SIGNAL = speech_like(0.25, 16000, channels=2)
FILES = {
    "WAV": file_of(SIGNAL, 16000, "WAV", "PCM_24"),
    "FLAC": file_of(SIGNAL, 16000, "FLAC"),
    "Ogg": file_of(SIGNAL, 16000, "OGG", "VORBIS"),
    "AIFF": file_of(SIGNAL, 16000, "AIFF"),
    "MP3": file_of(SIGNAL, 16000, "MP3"),
}
ENCODED_WAV = file_of(SIGNAL, 16000, "WAV", "MS_ADPCM")


def samples(data):
    with open_audio(data) as stream:
        out = np.empty((stream.header.frames, stream.header.channels), np.float32)
        stream.read(0, out)
        return out


def assert_same(found, wanted):
    np.testing.assert_allclose(found, wanted, atol=1e-6)  # mpg123 differs from call to call


def tagged(data):
    """Return a file behind an ID3 tag of 300 bytes."""
    return np.concatenate([np.frombuffer(b"ID3\4\0\0\0\0\2\x2c" + bytes(300), np.uint8), data])


@pytest.mark.parametrize("name", FILES)
def test_formats_are_recognized(name):
    assert format_of(FILES[name][:64].tobytes()) is FORMATS[name]
    with open_audio(FILES[name]) as stream:
        assert stream.header.format == name
        assert (stream.header.rate, stream.header.channels) == (16000, 2)
        assert stream.header.frames == 4000


@pytest.mark.parametrize("name", ["FLAC", "MP3"])
def test_files_behind_a_tag_are_recognized(name, tmp_path):
    assert_same(samples(tagged(FILES[name])), samples(FILES[name]))
    path = tmp_path / "tagged"
    path.write_bytes(tagged(FILES[name]).tobytes())
    with open_audio_file(str(path)) as stream:
        assert stream.header.format == name


@pytest.mark.parametrize("start", [b"", b"\0", b"fLaX", b"RIFF\0\0\0\0AVI ", b"\xff\xff\xff\xff"])
def test_unknown_bytes_are_refused(start):
    with pytest.raises(DecodeError, match=r"unknown format|no data"):
        open_audio(np.frombuffer(start, np.uint8))


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("part", [0.3, 0.7, 0.99])
def test_files_that_are_cut_off_are_refused(name, part):
    data = FILES[name][: int(part * len(FILES[name]))]
    with pytest.raises(DecodeError, match=f"^{name}: "):
        samples(data)


@pytest.mark.parametrize("name", ["FLAC", "Ogg"])
def test_a_flipped_bit_of_the_samples_is_noticed(name):
    chance = random.Random(3)
    for _ in range(25):
        data = FILES[name].copy()
        data[chance.randrange(len(data) // 2, len(data))] ^= 1 << chance.randrange(8)
        with pytest.raises(DecodeError, match=f"^{name}: "):
            samples(data)


@pytest.mark.parametrize("name", FILES)
def test_bytes_behind_a_file_do_no_harm(name):
    longer = np.concatenate([FILES[name], np.frombuffer(b"LIST\4\0\0\0abcd", np.uint8)])
    assert_same(samples(longer), samples(FILES[name]))


@pytest.mark.parametrize("name", FILES)
def test_a_local_file_gives_what_its_bytes_give(name, tmp_path):
    path = tmp_path / "sound"
    path.write_bytes(FILES[name].tobytes())
    with open_audio_file(str(path)) as stream:
        out = np.empty((4000, 2), np.float32)
        stream.read(0, out)
    assert_same(out, samples(FILES[name]))


def test_a_local_file_that_cannot_be_read(tmp_path):
    with pytest.raises(FileNotFoundError):
        open_audio_file(str(tmp_path / "none.wav"))
    with pytest.raises(SourceError, match="no regular file"):
        open_audio_file(str(tmp_path))


def test_compressed_wav_is_libsndfile_s():
    assert samples(ENCODED_WAV).shape[1] == 2
    with pytest.raises(DecodeError, match="WAV: the data ends"):
        samples(ENCODED_WAV[:-50])


@pytest.mark.parametrize("content", [b"\x89PNG\r\n\x1a\n" + bytes(90), b"plain text of 20 bytes"])
def test_unknown_formats_are_not_called_damaged(content):
    with pytest.raises(DecodeError, match="unknown format") as failure:
        open_audio(np.frombuffer(content, np.uint8))
    assert "damaged" not in str(failure.value)
    assert "FLAC" in str(failure.value)
