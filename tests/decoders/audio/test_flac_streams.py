import io

import numpy as np
import pytest
import soundfile

from penstock.decoders.audio.flac_streams import read_streams
from penstock.engine.tensors import TensorListCPU

RNG = np.random.default_rng(4)


def encode(samples=5000, channels=1, subtype="PCM_16", rate=16000):
    file = io.BytesIO()
    wave = RNG.uniform(-0.5, 0.5, (samples, channels))
    soundfile.write(file, wave, rate, format="FLAC", subtype=subtype)
    return np.frombuffer(file.getvalue(), np.uint8).copy()


def read(*files):
    return read_streams(TensorListCPU(list(files)))


def test_headers():
    streams = read(encode(), encode(20, 2, "PCM_24", 44100), encode(100, 8, "PCM_S8", 8000))
    assert streams.is_plain.all()
    assert streams.samples.tolist() == [5000, 20, 100]
    assert streams.rate.tolist() == [16000, 44100, 8000]
    assert streams.channels.tolist() == [1, 2, 8]
    assert streams.bits.tolist() == [16, 24, 8]
    assert streams.block.tolist() == [4096] * 3
    assert streams.frames.tolist() == [2, 1, 1]


def test_the_audio_follows_all_blocks_of_metadata():
    data = encode()
    offset = int(read(data).audio[0])
    assert data[offset : offset + 2].tolist() == [0xFF, 0xF8]


@pytest.mark.parametrize(
    ("change", "values"),
    [
        ("no marker", {0: 0}),
        ("another first block", {4: 4}),
        ("another size of the first block", {7: 30}),
        ("blocks of two sizes", {11: 1}),
        ("blocks of 8 samples", {8: 0, 9: 8, 10: 0, 11: 8}),
        ("an unknown number of samples", {21: 0xF0, 22: 0, 23: 0, 24: 0, 25: 0}),
        ("more samples than bytes can hold", {22: 0xFF}),
        ("a rate of 0", {18: 0, 19: 0, 20: 0}),
        ("a block behind the end", {43: 0xFF}),
    ],
)
def test_other_files_are_left_to_the_cpu(change, values):
    data = encode()
    data[list(values)] = list(values.values())
    assert read(encode(), data).is_plain.tolist() == [True, False]


def test_files_that_are_cut_off():
    data = encode()
    for size in (0, 1, 41, 60):
        assert not read(data[:size]).is_plain[0]


def test_random_bytes_are_no_stream():
    for _ in range(200):
        data = encode(100)
        at = RNG.integers(0, 60, 6)
        data[at] = RNG.integers(0, 256, 6)
        streams = read(data[: RNG.integers(0, data.size)])
        if streams.is_plain[0]:
            assert 0 < streams.audio[0] < data.size
            assert streams.frames[0] * 10 <= data.size
