"""SPHERE files."""

from __future__ import annotations

import io

import numpy as np
import pytest
import soundfile

from penstock.engine.errors import DecodeError

from ..ffmpeg_sounds import RATE, TONE, decoded


def test_whole_cut_and_compressed_files():
    file = io.BytesIO()
    soundfile.write(file, TONE, RATE, format="NIST", subtype="PCM_16")
    content = file.getvalue()
    name, found = decoded(content)
    assert name == "SPHERE"
    np.testing.assert_allclose(found[:, 0], TONE, atol=1e-4)
    with pytest.raises(DecodeError, match="the data ends at byte"):
        decoded(content[:-10])
    compressed = content.replace(b"-s3 pcm", b"-s26 pcm,embedded-shorten-v2.00")
    with pytest.raises(DecodeError, match=r"compressed: pcm,embedded-shorten.*sph2pipe"):
        decoded(compressed)
