"""What the formats of audio share."""

import pytest

from penstock.decoders.audio.formats.base import AudioHeader, missing_samples
from penstock.engine.errors import DecodeError


@pytest.mark.parametrize(("rate", "channels"), [(0, 1), (2**31, 1), (16000, 0), (16000, 1025)])
def test_numbers_that_no_signal_has_are_refused(rate, channels):
    with pytest.raises(DecodeError, match="the header says"):
        AudioHeader("WAV", 10, rate, channels, integers=True).checked()


def test_missing_samples_are_counted():
    header = AudioHeader("FLAC", 10, 16000, 1, integers=True)
    assert "3 samples could be decoded where 5" in str(missing_samples(header, 3, 5))
