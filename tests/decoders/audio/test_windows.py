"""Windows hold the samples that the whole file has there, in every form that libsndfile writes."""

from __future__ import annotations

import io

import numpy as np
import pytest
import soundfile

from penstock.decoders.audio.table import FORMATS, format_of, open_audio, open_audio_file

_LONG = 20_000
_CLOSE = 1e-6  # of full scale: libmpg123 adds in another order after a seek
_OPUS = 2e-2  # of full scale: the decoder starts with another state

FORMS = [
    (container, subtype)
    for container in ("WAV", "AIFF", "AU", "CAF", "W64", "NIST", "RF64", "FLAC", "OGG", "MP3")
    for subtype in soundfile.available_subtypes(container)
]


def encoded(container, subtype, rate=16000, **options):
    """Encode loud noise, silence, and noise again: what comes before must not be heard later."""
    random = np.random.default_rng(7)
    noise = random.uniform(-0.9, 0.9, _LONG)
    noise[_LONG // 4 : _LONG // 2] *= 1e-3
    file = io.BytesIO()
    try:
        soundfile.write(file, noise, rate, format=container, subtype=subtype, **options)
    except soundfile.LibsndfileError as error:
        pytest.skip(f"libsndfile writes no {subtype} in {container} at this rate: {error}")
    return file.getvalue()


def whole(stream):
    out = np.empty((stream.header.frames, stream.header.channels), np.float32)
    stream.read(0, out)
    return out


def windows(length):
    random = np.random.default_rng(3)
    starts = [
        *random.integers(0, length, 6),
        *(length - random.integers(1, min(3000, length), 4)),
        length - 1,
    ]
    return [
        (int(start), min(int(random.integers(1, 900)), length - int(start))) for start in starts
    ]


def check_windows(open_file, tolerance):
    with open_file() as stream:
        signal = whole(stream)
    for start, count in windows(len(signal)):
        with open_file() as stream:
            out = np.empty((count, signal.shape[1]), np.float32)
            stream.read(start, out)
        np.testing.assert_allclose(
            out, signal[start : start + count], atol=tolerance, rtol=0, err_msg=f"from {start}"
        )
    with open_file() as stream:  # one stream, forward and back
        for start, count in windows(len(signal)):
            out = np.empty((count, signal.shape[1]), np.float32)
            stream.read(start, out)
            np.testing.assert_allclose(out, signal[start : start + count], atol=tolerance, rtol=0)


@pytest.mark.parametrize(("container", "subtype"), FORMS)
def test_windows_are_those_of_the_whole_file(tmp_path, container, subtype):
    content = encoded(container, subtype)
    path = tmp_path / "sound"
    path.write_bytes(content)
    data = np.frombuffer(content, np.uint8)
    assert format_of(content[:64]).name in FORMATS
    tolerance = _OPUS if subtype == "OPUS" else _CLOSE
    check_windows(lambda: open_audio(data), tolerance)
    check_windows(lambda: open_audio_file(str(path)), tolerance)


@pytest.mark.parametrize("rate", [8000, 24000, 48000])
@pytest.mark.parametrize("mode", ["CONSTANT", "VARIABLE"])
def test_mp3_borrows_bits_of_frames_before(rate, mode):
    content = encoded("MP3", "MPEG_LAYER_III", rate, bitrate_mode=mode, compression_level=0.99)
    check_windows(lambda: open_audio(np.frombuffer(content, np.uint8)), _CLOSE)


@pytest.mark.parametrize("level", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("length", [700, 9_000, 61_234])
def test_the_last_page_of_vorbis(level, length):
    file = io.BytesIO()
    noise = np.random.default_rng(1).uniform(-0.5, 0.5, (length, 2))
    soundfile.write(file, noise, 44100, format="OGG", subtype="VORBIS", compression_level=level)
    check_windows(lambda: open_audio(np.frombuffer(file.getvalue(), np.uint8)), _CLOSE)
