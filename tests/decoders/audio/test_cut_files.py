"""Sounds of every container that FFmpeg decodes, cut at 60 %, are errors that name the place."""

import pytest

from penstock.engine.errors import DecodeError

from .ffmpeg_sounds import decoded, encoded

FORMS = {
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
PLACE = r"data ends at byte \d+|pages end at byte \d+|cannot open it|FFmpeg cannot decode it"


@pytest.mark.parametrize(
    ("container", "codec"), [(name, codec) for name, codecs in FORMS.items() for codec in codecs]
)
def test_a_cut_sound_is_no_shorter_one(container, codec):
    content = encoded(container, codec)
    assert len(decoded(content)[1]) > 18_000
    for size in (len(content) * 6 // 10, len(content) * 6 // 10 - 1):
        with pytest.raises(DecodeError, match=PLACE):
            decoded(content[:size])
