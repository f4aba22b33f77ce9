"""MP3: recognition of frames, and the length without the encoder's padding."""

import numpy as np
import pytest

from penstock.decoders.audio.formats.mp3 import open_stream, recognize

from ....sounds import file_of, speech_like


@pytest.mark.parametrize("samples", [1, 100, 1001, 1152, 5000])
def test_the_padding_is_cut_off(samples):
    signal = speech_like(0.5)[:samples]
    with open_stream(file_of(signal, 16000, "MP3")) as stream:
        assert stream.header.frames == samples
        stream.read(0, np.empty((samples, 1), np.float32))


@pytest.mark.parametrize(
    ("head", "known"),
    [
        (b"\xff\xfb\x90\x00", True),
        (b"\xff\xf3\x40\xc0", True),
        (b"\xff\xfb\xf0\x00", False),  # no such bit rate
        (b"\xff\xfb\x9c\x00", False),  # no such rate
        (b"\xff\xe9\x90\x00", False),  # no such version
        (b"\xff\xf9\x90\x00", False),  # no such layer: AAC
        (b"\xff\xfb", False),
    ],
)
def test_recognition(head, known):
    assert recognize(head) is known
