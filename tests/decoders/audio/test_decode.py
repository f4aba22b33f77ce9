"""Windows, channels, dtypes and rates of decoded files, beside soundfile's numbers."""

import io

import numpy as np
import pytest
import soundfile

from penstock.decoders.audio import decode as module
from penstock.decoders.audio.decode import AudioRequest, decode, window
from penstock.decoders.audio.formats.base import AudioHeader
from penstock.decoders.audio.table import open_audio
from penstock.engine.errors import DecodeError
from penstock.signals.resampling import resampled_length

from ...sounds import file_of, speech_like

FORMS = [
    ("WAV", "PCM_U8"),
    ("WAV", "PCM_16"),
    ("WAV", "PCM_24"),
    ("WAV", "PCM_32"),
    ("WAV", "FLOAT"),
    ("WAV", "DOUBLE"),
    ("WAV", "ULAW"),
    ("WAVEX", "PCM_24"),
    ("RF64", "PCM_16"),
    ("FLAC", "PCM_16"),
    ("FLAC", "PCM_24"),
    ("OGG", "VORBIS"),
    ("OGG", "OPUS"),
    ("MP3", None),
    ("AIFF", "PCM_24"),
    ("AIFF", "FLOAT"),
]
FLOATS = {"FLOAT", "DOUBLE", "VORBIS", "OPUS", None}
STEREO = speech_like(0.3, 16000, channels=2)


def decoded(data, dtype="f4", *, downmix=False, rate=0.0, offset=0.0, duration=-1.0):
    request = AudioRequest(
        np.dtype(dtype), downmix, rate, 16, False, offset, duration, np.empty, np.empty
    )
    with open_audio(data) as stream:
        return decode(stream, request)


def by_soundfile(data, dtype):
    return soundfile.read(io.BytesIO(data.tobytes()), dtype=dtype, always_2d=True)[0]


@pytest.mark.parametrize(("form", "subtype"), FORMS)
def test_floats_are_those_of_libsndfile(form, subtype):
    data = file_of(STEREO, 16000, form, subtype)
    largest = 1e-6 if form == "MP3" else 0  # mpg123 itself differs from call to call
    np.testing.assert_allclose(decoded(data), by_soundfile(data, "float32"), atol=largest, rtol=0)


@pytest.mark.parametrize(("form", "subtype"), FORMS)
@pytest.mark.parametrize("dtype", ["int16", "int32"])
def test_integers_have_the_full_scale_of_the_stored_numbers(form, subtype, dtype):
    data = file_of(STEREO, 16000, form, subtype)
    found = decoded(data, dtype)
    if subtype in FLOATS:
        largest = np.iinfo(dtype).max
        wanted = np.rint(by_soundfile(data, "float64") * largest)
        np.testing.assert_allclose(found, wanted, atol=largest * 2**-23 + 1)
    else:
        np.testing.assert_array_equal(found, by_soundfile(data, dtype))


@pytest.mark.parametrize(("form", "subtype"), FORMS)
def test_a_window_holds_the_samples_of_the_whole(form, subtype):
    data = file_of(STEREO, 16000, form, subtype)
    whole = decoded(data)
    found = decoded(data, offset=0.1, duration=0.05)
    # Opus starts in the middle of a stream with another state, within the codec's own error.
    largest = 5e-3 if subtype == "OPUS" else 1e-6
    np.testing.assert_allclose(found, whole[1600:2400], atol=largest)


def test_the_mean_of_the_channels():
    data = file_of(speech_like(0.1, channels=8), 16000, "WAV", "FLOAT")
    found = decoded(data, downmix=True)
    assert found.shape == (1600,)
    np.testing.assert_allclose(found, by_soundfile(data, "float32").mean(1), atol=1e-6)
    assert decoded(data).shape == (1600, 8)


@pytest.mark.parametrize("dtype", ["f4", "i2", "i4"])
def test_resampled_lengths_are_rounded_up(dtype):
    data = file_of(STEREO[:1001], 16000, "FLAC")
    for rate in (8000, 16000.5, 44100):
        found = decoded(data, dtype, rate=rate)
        assert found.shape == (resampled_length(1001, 16000, rate), 2)
        assert found.dtype == dtype


def test_windows_are_cut_off_at_the_end_and_refused_behind_it():
    header = AudioHeader("WAV", 1000, 100, 1, integers=True)
    assert window(header, 0, -1) == (0, 1000)
    assert window(header, 9.5, 3) == (950, 50)
    assert window(header, 0.29, 0.29) == (29, 29)
    assert window(header, 3, 0) == (300, 0)
    for offset in (10, 11, 1e300):
        with pytest.raises(DecodeError, match=r"starts at .* but the file has 10 s \(1000 samples"):
            window(header, offset, 1)
    for offset, duration in ((-1, 1), (np.nan, 1), (0, np.nan), (np.inf, 1)):
        with pytest.raises(DecodeError, match="expected numbers of seconds"):
            window(header, offset, duration)


def test_offsets_that_floats_cannot_hold_name_the_sample_that_is_meant():
    header = AudioHeader("WAV", 44100, 44100, 1, integers=True)
    assert window(header, 0.29, 0.29) == (12789, 12789)


@pytest.mark.parametrize(("form", "subtype"), [("WAV", "PCM_16"), ("AIFF", None)])
def test_no_samples_give_an_empty_signal(form, subtype):
    data = file_of(np.zeros((0, 2)), 16000, form, subtype)
    assert decoded(data).shape == (0, 2)
    assert decoded(data, downmix=True, rate=8000).shape == (0,)


def test_signals_that_are_too_long_are_refused_before_memory_is_taken(monkeypatch):
    monkeypatch.setattr(module, "MAX_SAMPLES", 9000)
    data = file_of(STEREO, 16000, "FLAC")
    with pytest.raises(DecodeError, match="expected 9000 at most"):
        decoded(data)
    assert decoded(data, duration=0.2).shape == (3200, 2)
    with pytest.raises(DecodeError, match="Decode windows"):
        decoded(data, duration=0.2, rate=48000.0)
    with pytest.raises(DecodeError, match="sample_rate is nan"):
        decoded(data, rate=np.nan, duration=0.1)
    assert decoded(data, rate=-1.0, duration=0.1).shape == (1600, 2)
