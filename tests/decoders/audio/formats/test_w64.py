"""W64 files."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.decoders.audio.formats import w64
from penstock.engine.errors import DecodeError

from ..ffmpeg_sounds import TONE, decoded, encoded


def test_files_of_ffmpeg_and_files_that_are_cut_off():
    content = encoded("w64", "pcm_s16le")
    assert w64.recognize(content[:64])
    name, found = decoded(content)
    assert name == w64.NAME
    np.testing.assert_allclose(found[:, 0], TONE, atol=1e-4)
    with pytest.raises(DecodeError, match=r"the data ends at byte \d+ inside the samples"):
        decoded(content[:-2000])
