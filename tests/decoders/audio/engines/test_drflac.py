"""dr_flac beside libsndfile: the same numbers, and the same errors for damaged frames."""

import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from penstock.decoders.audio.engines import drflac
from penstock.decoders.audio.engines.drflac import DrFlacStream
from penstock.decoders.audio.engines.sndfile import SndfileStream
from penstock.decoders.audio.formats.flac import audio_offset, open_stream
from penstock.engine.errors import DecodeError

from ....sounds import file_of, speech_like

RNG = np.random.default_rng(1)
MONO = file_of(speech_like(1.3), 16000, "FLAC")  # 20800 samples in frames of 4096
DTYPES = [np.float32, np.int16, np.int32]


@pytest.fixture(autouse=True)
def _needs_miniaudio():
    pytest.importorskip("miniaudio")


def of_libsndfile(data):
    return SndfileStream("FLAC", data)


def outcome(opened, data, start, count, dtype):
    """Return header and samples, or the text of the error."""
    try:
        with opened(data) as stream:
            out = np.empty((count, stream.header.channels), dtype)
            stream.read(start, out)
            return stream.header, out
    except DecodeError as error:
        return str(error), None


def check(data, start, count, dtype=np.float32):
    found, wanted = (
        outcome(opened, data, start, count, dtype) for opened in (open_stream, of_libsndfile)
    )
    assert found[0] == wanted[0]
    np.testing.assert_array_equal(found[1], wanted[1])
    return wanted


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("subtype", ["PCM_S8", "PCM_16", "PCM_24"])
@pytest.mark.parametrize("channels", [1, 2, 8])
def test_the_numbers_are_libsndfile_s(channels, subtype, dtype):
    signal = np.clip(3 * speech_like(0.6, channels=channels), -1, 1)  # clipped at both ends
    data = file_of(signal, 16000, "FLAC", subtype)
    with open_stream(data) as stream:
        assert isinstance(stream, DrFlacStream)
    check(data, 0, 9600, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_windows(dtype):
    for start, count in ((1, 20799), (4095, 12000), (10400, 10400), (20000, 800), (9, 0)):
        check(MONO, start, count, dtype)


def test_a_stream_is_read_again():
    with open_stream(MONO) as stream, of_libsndfile(MONO) as wanted:
        for start, count in ((0, 20800), (0, 20800), (700, 20000), (20000, 10), (0, 20800)):
            out, right = np.empty((2, count, 1), np.float32)
            stream.read(start, out)
            wanted.read(start, right)
            np.testing.assert_array_equal(out, right)


@pytest.mark.parametrize("start", [0, 6000])
def test_damaged_frames_are_noticed_as_by_libsndfile(start):
    """A frame that dr_flac leaves out must not move the samples behind it."""
    first = audio_offset(MONO)
    errors = 0
    for _ in range(60):
        data = MONO.copy()
        data[RNG.integers(first, data.size)] ^= 1 << RNG.integers(8)
        errors += check(data, start, 20800 - start - 100)[1] is None
    assert errors > 30


def test_cut_off_and_spliced_files_are_noticed_as_by_libsndfile():
    for at in RNG.integers(60, MONO.size, size=20).tolist():
        check(MONO[:at].copy(), 0, 20800)
        check(np.concatenate([MONO[:at], MONO[at + 40 :]]), 0, 20800)
        check(np.concatenate([MONO[:at], MONO[60:90], MONO[at:]]), 0, 20800)


def test_threads_decode_at_the_same_time():
    wanted = outcome(of_libsndfile, MONO, 0, 20800, np.int16)[1]
    with ThreadPoolExecutor(8) as threads:
        calls = [threads.submit(outcome, open_stream, MONO, 0, 20800, np.int16) for _ in range(40)]
    for call in calls:
        np.testing.assert_array_equal(call.result()[1], wanted)


def test_closing_twice_does_no_harm():
    stream = open_stream(MONO)
    stream.close()
    stream.close()


def without_total(data):
    data = data.copy()
    data[21] &= 0xF0
    data[22:26] = 0
    return data


def of_32_bits(data):
    data = data.copy()
    data[20] |= 1
    data[21] |= 0xF0
    return data


def without_rate(data):
    data = data.copy()
    data[18:20] = 0
    data[20] &= 0x0F
    return data


@pytest.mark.parametrize("change", [without_total, of_32_bits, without_rate])
def test_unusual_files_are_libsndfile_s(change):
    assert drflac.open_stream("FLAC", change(MONO)) is None


def test_a_file_with_a_gap_before_its_frames_is_libsndfile_s():
    at = audio_offset(MONO)
    data = np.concatenate([MONO[:at], np.zeros(9, np.uint8), MONO[at:]])
    with open_stream(data) as stream:
        assert not isinstance(stream, DrFlacStream)


@pytest.mark.parametrize("missing", [None, type(sys)("miniaudio")])
def test_without_a_usable_miniaudio_libsndfile_decodes(monkeypatch, missing):
    if missing is not None:
        missing.lib = object()
    monkeypatch.setitem(sys.modules, "miniaudio", missing)
    drflac._library.cache_clear()
    try:
        with open_stream(MONO) as stream:
            assert isinstance(stream, SndfileStream)
    finally:
        drflac._library.cache_clear()
