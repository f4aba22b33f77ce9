import io
from itertools import pairwise

import numpy as np
import pytest

from penstock.decoders.video.sound import SoundTrack
from penstock.decoders.video.span_sound import decode_span
from penstock.engine.errors import DecodeError
from penstock.engine.graph.context import HeapWorkspace

from ...videos import Sound, tone, video_bytes


@pytest.fixture(scope="module")
def film():
    sound = Sound("pcm_s16le", 44100)
    return video_bytes("h264 4:2:2.mov", count=30, sound=sound, preset="ultrafast")


@pytest.fixture
def track(film):
    track = SoundTrack(io.BytesIO(film))
    yield track
    track.close()


def decode(track, *span, rate=0.0, downmix=False):
    sound, found = decode_span(track, span, HeapWorkspace(), rate=rate, downmix=downmix)
    assert sound.dtype == np.float32
    assert found.dtype == np.float32
    return sound, found


def test_samples_of_a_span(track):
    sound, rate = decode(track, 0.1, 0.3)
    assert rate == 44100
    assert sound.shape == (8820, 2)
    np.testing.assert_allclose(sound[:, 0], tone(0.1 + np.arange(8820) / 44100), atol=1e-4)


def test_spans_that_follow_one_another_have_each_sample_once(track):
    whole, _ = decode(track, 0.0, 1.0)
    limits = np.arange(31) / 30
    parts = [decode(track, *span)[0] for span in pairwise(limits)]
    np.testing.assert_array_equal(np.concatenate(parts), whole)


def test_another_rate_without_frequencies_that_it_cannot_hold(track):
    sound, rate = decode(track, 0.0, 1.0, rate=16000)
    assert rate == 16000
    assert sound.shape == (16000, 2)
    expected = tone(np.arange(16000) / 16000)
    np.testing.assert_allclose(sound[100:-100, 0], expected[100:-100], atol=5e-3)
    low, _ = decode(track, 0.5, 1.0, rate=500)  # the tone has 700 to 1000 Hz there
    assert np.abs(low[5:-5]).max() < 0.01


def test_the_mean_of_the_channels(track):
    sound, _ = decode(track, 0.0, 0.2, downmix=True)
    assert sound.shape == (8820,)
    np.testing.assert_allclose(sound, 0, atol=1e-4)  # one is the negative of the other


def test_an_empty_span(track):
    for rate in (0, 8000):
        assert decode(track, 0.0, 0.0, rate=rate)[0].shape == (0, 2)


def test_a_late_last_frame_makes_no_hours_of_silence(track):
    for span, rate in (((0.0, 3600.0), 0.0), ((0.0, 100.0), 1e6)):
        with pytest.raises(DecodeError, match=r"lasts from 0\.000 s to .* the limit is 134217728"):
            decode(track, *span, rate=rate)
