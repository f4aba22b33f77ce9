"""Sounds of every container, cut at 60 %, are errors that name the place.

The exception of docs/audio.md is MPEG audio that does not state its length.
"""

import numpy as np
import pytest

from penstock.engine.errors import DecodeError

from ...sounds import file_of, speech_like
from .ffmpeg_sounds import decoded, encoded

BY_FFMPEG = {
    "adts": ("aac",),
    "ipod": ("aac", "alac"),
    "mp4": ("libopus", "libmp3lame", "flac", "ac3"),
    "asf": ("wmav1", "wmav2", "libmp3lame"),
    "matroska": ("aac", "libopus", "flac", "libmp3lame", "pcm_s16le", "ac3"),
    "webm": ("libopus",),
    "ac3": ("ac3",),
    "wv": ("wavpack",),
    "ogg": ("flac", "libopus"),
}
BY_LIBSNDFILE = {
    "WAV": ("PCM_16", "PCM_24", "FLOAT", "ULAW", "IMA_ADPCM", "MS_ADPCM", "GSM610"),
    "FLAC": ("PCM_16", "PCM_24"),
    "OGG": ("VORBIS", "OPUS"),
    "MP3": ("MPEG_LAYER_III",),
    "AIFF": ("PCM_16", "FLOAT"),
    "AU": ("PCM_16", "ULAW"),
    "CAF": ("PCM_16", "ALAC_16"),
    "W64": ("PCM_16",),
    "NIST": ("PCM_16",),
}
PLACE = (
    r"data ends at byte \d+|pages end at byte \d+|cannot open it|FFmpeg cannot decode it|"
    r"\d+ samples could be decoded where \d+|cannot decode the samples from \d+ on"
)


def pairs(table):
    return [(container, codec) for container, codecs in table.items() for codec in codecs]


def check(content, samples):
    assert len(decoded(content)[1]) > samples
    for size in (len(content) * 6 // 10, len(content) * 6 // 10 - 1):
        with pytest.raises(DecodeError, match=PLACE):
            decoded(content[:size])


@pytest.mark.parametrize(("container", "codec"), pairs(BY_FFMPEG))
def test_a_cut_sound_of_ffmpeg_is_no_shorter_one(container, codec):
    check(encoded(container, codec), 18_000)


@pytest.mark.parametrize(("container", "codec"), pairs(BY_LIBSNDFILE))
def test_a_cut_sound_of_libsndfile_is_no_shorter_one(container, codec):
    check(file_of(speech_like(1.0), 16000, container, codec).tobytes(), 15_000)


def test_mpeg_audio_that_states_no_length_is_shorter():
    content = encoded("mp2", "mp2")
    cut = decoded(content[: len(content) * 6 // 10])[1]
    whole = decoded(content)[1]
    assert 0 < len(cut) < len(whole)
    np.testing.assert_array_equal(cut[:-1152], whole[: len(cut) - 1152])
