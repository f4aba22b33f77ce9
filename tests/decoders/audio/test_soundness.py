"""Whole files: their samples are those that were encoded."""

import hashlib
import sys

import numpy as np
import pytest

from penstock.decoders.audio import soundness
from penstock.decoders.audio.engines import drflac
from penstock.decoders.audio.formats.flac import audio_offset, stored_digest
from penstock.decoders.audio.soundness import check_audio
from penstock.engine.errors import DecodeError

from ...sounds import file_of, noise, speech_like

SIGNAL = speech_like(0.5, channels=2)
NOISE = file_of(5 * noise(0.1), 16000, "FLAC")  # one frame of 1600 samples as they are


@pytest.fixture(params=["miniaudio", "libsndfile"], autouse=True)
def engine(request, monkeypatch):
    """Decode with each library."""
    if request.param == "libsndfile":
        monkeypatch.setitem(sys.modules, "miniaudio", None)
    else:
        pytest.importorskip("miniaudio")
    drflac._library.cache_clear()
    yield
    drflac._library.cache_clear()


def crc16(data):
    """Return the checksum of a frame."""
    value = 0
    for byte in data:
        value ^= byte << 8
        for _ in range(8):
            value = (value << 1) ^ (0x18005 if value & 0x8000 else 0)
    return value


@pytest.mark.parametrize("subtype", ["PCM_S8", "PCM_16", "PCM_24"])
def test_sound_files(subtype, monkeypatch):
    monkeypatch.setattr(soundness, "_BLOCK", 3000)
    data = file_of(SIGNAL, 16000, "FLAC", subtype)
    assert stored_digest(data) is not None
    check_audio(data)
    check_audio(file_of(SIGNAL, 16000, "WAV", subtype.replace("S8", "U8")))


def test_a_damaged_frame_whose_checksum_holds():
    data = NOISE.copy()
    at = audio_offset(data)
    data[data.size // 2] ^= 1
    data[-2:] = np.frombuffer(crc16(data[at:-2].tolist()).to_bytes(2, "big"), np.uint8)
    assert not np.array_equal(data[-2:], NOISE[-2:])
    with pytest.raises(DecodeError, match=r"FLAC: the MD5 of the samples is .*; expected [0-9a-f]"):
        check_audio(data)


def test_the_digest_is_that_of_the_samples():
    samples = np.array([[1, -2], [3, 70000]], np.int32) << 8
    digest = stored_digest(file_of(SIGNAL, 16000, "FLAC", "PCM_24"))
    wanted = bytes.fromhex("010000 feffff 030000 701101")
    assert digest.bits == 24
    assert digest.stored(samples) == wanted
    assert len(digest.md5) == hashlib.md5(wanted, usedforsecurity=False).digest_size


def test_a_file_without_a_digest_is_decoded():
    data = NOISE.copy()
    data[26:42] = 0
    check_audio(data)
    with pytest.raises(DecodeError):
        check_audio(data[:-9])


@pytest.mark.parametrize("form", ["WAV", "OGG", "AIFF", "MP3"])
def test_other_formats_are_decoded(form):
    data = file_of(SIGNAL[:, :1], 16000, form)
    check_audio(data)
    assert stored_digest(data) is None
    with pytest.raises(DecodeError):
        check_audio(data[: data.size // 2].copy())
