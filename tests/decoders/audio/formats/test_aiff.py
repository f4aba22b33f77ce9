"""AIFF files that end early."""

import pytest

from penstock.decoders.audio.formats.aiff import open_stream, recognize
from penstock.engine.errors import DecodeError

from ....sounds import file_of, speech_like

FILE = file_of(speech_like(0.1), 16000, "AIFF")


def test_recognition():
    assert recognize(FILE[:12].tobytes())
    assert recognize(b"FORM....AIFC")
    assert not recognize(b"FORM....8SVX")


def test_a_file_that_ends_inside_its_samples_is_refused():
    with open_stream(FILE) as stream:
        assert stream.header.frames == 1600
    with pytest.raises(DecodeError, match=r"AIFF: the data ends at byte \d+ inside the samples"):
        open_stream(FILE[:-2])
    with pytest.raises(DecodeError, match=r"^AIFF: "):
        open_stream(FILE[:20])
