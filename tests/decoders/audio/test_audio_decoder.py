"""`fn.decoders.audio` in pipelines: arguments a sample each, outputs, and refusals."""

import numpy as np
import pytest

from penstock import Pipeline, fn, types
from penstock.engine.errors import ArgumentError, DecodeError
from penstock.engine.graph.operator import OPERATORS
from penstock.testing.agreement import source

from ...operators.running import apply
from ...sounds import file_of, speech_like

DECODER = OPERATORS["decoders.audio"]
FILES = [
    file_of(speech_like(0.1 + 0.05 * i, 16000 // (i % 2 + 1), seed=i), 16000 // (i % 2 + 1), form)
    for i, form in enumerate(["WAV", "FLAC", "OGG", "MP3", "AIFF"])
]


def run(files, *, on_error="raise", threads=2, **arguments):
    with Pipeline(batch_size=len(files), num_threads=threads, on_error=on_error) as pipe:
        named = {k: source(v) if isinstance(v, list) else v for k, v in arguments.items()}
        data = source(files)
        pipe.set_outputs(*fn.decoders.audio(data, **named))
        return [[np.array(row) for row in output.as_cpu().rows()] for output in pipe.run()]


def test_outputs_are_the_signals_and_their_rates():
    signals, rates = run(FILES)
    assert [signal.shape for signal in signals] == [
        (1600, 1),
        (1200, 1),
        (3200, 1),
        (2000, 1),
        (4800, 1),
    ]
    assert all(signal.dtype == np.float32 for signal in signals)
    assert [rate.item() for rate in rates] == [16000, 8000, 16000, 8000, 16000]
    assert rates[0].shape == ()
    assert rates[0].dtype == np.float32


def test_rate_offset_and_duration_may_vary_by_sample():
    signals, rates = run(
        FILES,
        sample_rate=[np.float32(r) for r in (8000, 0, 16000, 4000, 22050)],
        offset=[0.05, 0.0, 0.1, 0.0, 0.0],
        duration=[-1.0, 0.1, 0.05, -1.0, 10.0],
        downmix=True,
    )
    assert [len(signal) for signal in signals] == [400, 800, 800, 1000, 6615]
    assert [rate.item() for rate in rates] == [8000, 8000, 16000, 4000, 22050]


def test_threads_change_nothing():
    one, _ = run(FILES * 4, threads=1, sample_rate=11025.0)
    four, _ = run(FILES * 4, threads=4, sample_rate=11025.0)
    for first, other in zip(one, four, strict=True):
        np.testing.assert_array_equal(first, other)


def test_a_bad_file_can_be_replaced():
    files = [FILES[0], FILES[1][:500], FILES[2]]
    with pytest.raises(DecodeError, match="FLAC"):
        run(files)
    signals, _ = run(files, on_error="replace")
    assert len(signals) == 3


@pytest.mark.parametrize("dtype", [types.UINT8, types.FLOAT64, types.INT64])
def test_other_dtypes_are_refused(dtype):
    with pytest.raises(ArgumentError, match="FLOAT, INT16 or INT32"):
        apply(DECODER, FILES[0], dtype=dtype)


@pytest.mark.parametrize("data", [np.zeros((2, 2), np.uint8), np.zeros(9, np.int8)])
def test_data_that_are_no_bytes_are_refused(data):
    with pytest.raises(DecodeError, match="one dimension and type uint8"):
        apply(DECODER, data)


def test_the_older_name_is_the_same_operator():
    assert OPERATORS["audio_decoder"] is DECODER
    assert OPERATORS["nemo_asr_reader"] is OPERATORS["readers.nemo_asr"]
    assert OPERATORS["experimental.audio_resample"] is OPERATORS["audio_resample"]
