"""The windows of `fn.readers.nemo_asr`, from bytes and from paths."""

import numpy as np
import pytest

from penstock.engine.errors import DecodeError
from penstock.engine.graph.operator import OPERATORS

from ...operators.running import apply
from ...sounds import file_of, speech_like

OPERATOR = OPERATORS["_decode_utterance"]
FILE = file_of(speech_like(0.5), 16000, "FLAC")


def test_bytes_and_paths_give_the_same(tmp_path):
    (tmp_path / "a.flac").write_bytes(FILE.tobytes())
    path = np.frombuffer(str(tmp_path / "a.flac").encode(), np.uint8)
    found, rate = apply(OPERATOR, path, np.array([0.1, 0.2, 1]), downmix=True)
    wanted, _ = apply(OPERATOR, FILE, np.array([0.1, 0.2, 0]), downmix=True)
    np.testing.assert_array_equal(found, wanted)
    assert found.shape == (3200,)
    assert rate == 16000


def test_the_rate_is_that_of_the_file():
    signal, rate = apply(OPERATOR, FILE, np.array([0.0, -1, 0]), sample_rate=8000.0)
    assert signal.shape == (4000, 1)
    assert rate == 16000


def test_errors_name_the_reader():
    with pytest.raises(DecodeError, match="starts at 3 s"):
        apply(OPERATOR, FILE, np.array([3.0, 1, 0]))
    with pytest.raises(FileNotFoundError):
        apply(OPERATOR, np.frombuffer(b"/none", np.uint8), np.array([3.0, 1, 1]))
