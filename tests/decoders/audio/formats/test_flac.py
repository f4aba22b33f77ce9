"""FLAC files whose headers lie or are silent about their length."""

import numpy as np
import pytest

from penstock.decoders.audio.formats.flac import open_stream, recognize
from penstock.engine.errors import DecodeError

from ....sounds import file_of, speech_like

SIGNAL = speech_like(0.5)
FILE = file_of(SIGNAL, 16000, "FLAC")
_TOTAL = slice(21, 26)  # 36 bits, whose first four are in byte 21


def with_total(total):
    data = FILE.copy()
    kept = int(data[21]) & 0xF0
    data[_TOTAL] = np.frombuffer((kept << 32 | total).to_bytes(5, "big"), np.uint8)
    return data


def test_recognition():
    assert recognize(b"fLaC")
    assert not recognize(b"flac")


def test_a_stream_of_unknown_length_is_counted():
    with open_stream(with_total(0)) as stream, open_stream(FILE) as whole:
        assert stream.header.frames == 8000
        found, wanted = np.empty((2, 8000, 1), np.int16)
        stream.read(0, found)
        whole.read(0, wanted)
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("total", [2**36 - 1, 2**32])
def test_a_claim_of_billions_of_samples_is_refused_before_memory_is_taken(total):
    with pytest.raises(DecodeError, match=r"^FLAC: "):
        open_stream(with_total(total))


@pytest.mark.parametrize("total", [8001, 9000])
def test_fewer_samples_than_the_header_says_are_refused(total):
    with open_stream(with_total(total)) as stream, pytest.raises(DecodeError, match=r"^FLAC: "):
        stream.read(0, np.empty((stream.header.frames, 1), np.float32))


def test_silence_is_no_suspicious_claim():
    with open_stream(file_of(np.zeros((200_000, 2)), 16000, "FLAC")) as stream:
        assert stream.header.frames == 200_000
