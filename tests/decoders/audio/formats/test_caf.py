"""CAF files."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.decoders.audio.formats import caf
from penstock.engine.errors import DecodeError

from ..ffmpeg_sounds import TONE, decoded, encoded


def test_files_of_ffmpeg_and_files_that_are_cut_off():
    content = encoded("caf", "pcm_s16be")
    assert caf.recognize(content[:64])
    name, found = decoded(content)
    assert name == caf.NAME
    np.testing.assert_allclose(found[:, 0], TONE, atol=1e-4)
    with pytest.raises(DecodeError, match=r"the data ends at byte \d+ inside the samples"):
        decoded(content[:-2000])


def test_a_size_that_the_writer_did_not_know():
    content = encoded("caf", "pcm_s16be")
    at = content.index(b"data") + 4
    streamed = content[:at] + b"\xff" * 8 + content[at + 8 :]
    np.testing.assert_allclose(decoded(streamed)[1][: len(TONE), 0], TONE, atol=1e-4)
