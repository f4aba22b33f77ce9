"""Damaged and odd files of every format: what the error says, or how many samples come."""

import numpy as np
import pytest

from penstock.decoders.audio.formats.flac import audio_offset
from penstock.decoders.audio.table import open_audio, open_audio_file
from penstock.engine.errors import DecodeError

from ...sounds import file_of, noise, speech_like

SIGNAL = speech_like(0.5)
WAV, FLAC, OGG, MP3, AIFF = (
    file_of(SIGNAL, 16000, form) for form in ("WAV", "FLAC", "OGG", "MP3", "AIFF")
)
LONG = file_of(noise(2.0), 16000, "FLAC")  # 32000 samples in frames of 4096
FRAME = audio_offset(LONG)


def patched(data, at, content):
    data = data.copy()
    data[at : at + len(content)] = np.frombuffer(content, np.uint8)
    return data


def flipped(data, at):
    return patched(data, at, bytes([int(data[at]) ^ 0x10]))


def behind(data, content):
    return np.concatenate([data, np.frombuffer(content, np.uint8)])


def number(value):
    return value.to_bytes(4, "little")


def of_rate_0():
    data = patched(FLAC, 18, bytes(2))
    return patched(data, 20, bytes([int(data[20]) & 0x0F]))


def of_unknown_length():
    data = patched(FLAC, 21, bytes([int(FLAC[21]) & 0xF0]))
    return patched(data, 22, bytes(4))


def decoded(stream):
    with stream:
        out = np.empty((stream.header.frames, stream.header.channels), np.float32)
        stream.read(0, out)
        return out


CUT = {
    "WAV": (WAV[:-100], r"^WAV: the data ends at byte 15944 inside .*; expected 16000 bytes"),
    "WAV header": (WAV[:20], r"a format chunk of 16 bytes in a file of 20 at byte 12"),
    "WAV without samples": (WAV[:36], r"^WAV: no chunk of samples in 36 bytes"),
    "FLAC": (LONG[:-100], r"^FLAC: libsndfile cannot decode the samples from 28672 on: "),
    "FLAC header": (FLAC[:60], r"^FLAC: libsndfile cannot decode the data: "),
    "Ogg": (OGG[:-100], r"^Ogg: pages end at byte \d+ of \d+; expected another page"),
    "MP3": (MP3[: len(MP3) // 2], r"^MP3: 3\d+ samples could be decoded where 8000 should"),
    "MP3 header": (MP3[:4], r"^MP3: no sample can be decoded\. "),
    "AIFF": (AIFF[:-50], r"^AIFF: the data ends at byte \d+ inside the samples"),
    "AIFF header": (AIFF[:30], r"^AIFF: no whole chunk 'COMM' in 30 bytes"),
}
DAMAGED = {
    "FLAC": (flipped(LONG, FRAME + 100), r"cannot decode the samples from 0 on"),
    "FLAC later": (flipped(LONG, len(LONG) // 2), r"cannot decode the samples from 1\d{4} on"),
    "FLAC rate": (of_rate_0(), r"^FLAC: the header says 0 Hz at byte 18; expected 1 Hz or more"),
    "Ogg": (flipped(OGG, len(OGG) // 2), r"^Ogg: the checksum of a page does not fit at byte \d+"),
    "WAV size": (patched(WAV, 40, number(17000)), r"expected 17000 bytes of samples from byte 44"),
    "WAV format": (patched(WAV, 16, number(0)), r"a format chunk of 0 bytes"),
    "WAV format size": (patched(WAV, 16, number(1 << 31)), r"a format chunk of 2147483648 bytes"),
    "WAV rate 0": (patched(WAV, 24, number(0)), r"^WAV: the header says 0 Hz; expected a rate"),
    "WAV rate": (patched(WAV, 24, number(1 << 31)), r"^WAV: the header says 2147483648 Hz"),
    "WAV channels": (patched(WAV, 22, bytes(2)), r"^WAV: the header says 0 channels"),
    "WAV block": (patched(WAV, 32, bytes(2)), r"in blocks of 0 bytes for 1 channels"),
}


@pytest.mark.parametrize("name", CUT)
def test_files_that_are_cut_off(name):
    data, message = CUT[name]
    with pytest.raises(DecodeError, match=message):
        decoded(open_audio(data.copy()))


@pytest.mark.parametrize("name", DAMAGED)
def test_damaged_files(name):
    data, message = DAMAGED[name]
    with pytest.raises(DecodeError, match=message):
        decoded(open_audio(data))


def test_the_damaged_samples_of_a_local_file_are_named(tmp_path):
    flipped(LONG, len(LONG) // 2).tofile(tmp_path / "a.flac")
    with open_audio_file(str(tmp_path / "a.flac")) as stream:
        stream.read(100, np.empty((100, 1), np.float32))
        with pytest.raises(DecodeError, match=r"cannot decode the samples from 1\d{4} on"):
            stream.read(200, np.empty((30000, 1), np.float32))


def test_a_window_behind_the_end_of_a_local_file_cannot_be_found(tmp_path):
    LONG[: len(LONG) // 2].tofile(tmp_path / "a.flac")
    with (
        open_audio_file(str(tmp_path / "a.flac")) as stream,
        pytest.raises(DecodeError, match="cannot find sample 30000"),
    ):
        stream.read(30000, np.empty((10, 1), np.float32))


@pytest.mark.parametrize(
    ("data", "shape"),
    [
        (patched(WAV, 4, number(7)), (8000, 1)),  # the size of the whole file is not needed
        (patched(WAV, 40, number(0)), (0, 1)),
        (patched(WAV, 40, number(15999)), (7999, 1)),
        (behind(WAV, b"LIST" + number(4) + b"abcd"), (8000, 1)),
        (behind(FLAC, b"TAG" + bytes(125)), (8000, 1)),
        (behind(MP3, b"TAG" + bytes(125)), (8000, 1)),
        (behind(OGG, b"junk"), (8000, 1)),
        (file_of(np.zeros((0, 1)), 16000, "WAV"), (0, 1)),
        (file_of(np.zeros((0, 1)), 16000, "OGG"), (0, 1)),
        (of_unknown_length(), (8000, 1)),
        (of_unknown_length()[: audio_offset(FLAC)].copy(), (0, 1)),
        *((file_of(np.tile(SIGNAL, (1, 8)), 16000, form), (8000, 8)) for form in ("WAV", "FLAC")),
    ],
)
def test_odd_files_are_read(data, shape):
    assert decoded(open_audio(data)).shape == shape
