"""FLAC on the GPU, against libsndfile: numbers are equal to the last bit."""

import io

import av
import numpy as np
import pytest
import soundfile

from penstock.decoders.audio.flac_streams import read_streams
from penstock.decoders.audio.gpu_flac import FlacWindows, decode_flac

RNG = np.random.default_rng(3)
BITS = {"PCM_S8": 8, "PCM_16": 16, "PCM_24": 24}


def speech(samples, channels=1):
    t = np.arange(samples)[:, None] / 16000
    tones = np.sin(2 * np.pi * np.array([220, 233, 247, 262, 277, 294, 311, 330])[:channels] * t)
    return 0.4 * tones + 0.05 * RNG.standard_normal((samples, channels))


def encode(wave, subtype="PCM_16", **options):
    file = io.BytesIO()
    soundfile.write(file, wave, 16000, format="FLAC", subtype=subtype, **options)
    return np.frombuffer(file.getvalue(), np.uint8)


def expected(data, bits):
    wave, _ = soundfile.read(io.BytesIO(data.tobytes()), dtype="int32", always_2d=True)
    return (wave >> (32 - bits)).T


def run(gpu_batch, files):
    batch, (data,) = gpu_batch(files)
    streams = read_streams(data.as_cpu())
    assert streams.is_plain.all()
    rows = np.arange(len(files))
    windows = FlacWindows(streams, rows, np.zeros_like(rows), streams.samples)
    planes = decode_flac(batch, windows, data.pointers())
    batch.device.synchronize()
    batch.debts.run_checks()
    return batch, [np.array(row) for row in planes.as_cpu().rows()], streams


def check(gpu_batch, files):
    batch, planes, streams = run(gpu_batch, files)
    assert not batch.errors
    for data, plane, bits in zip(files, planes, streams.bits.tolist(), strict=True):
        np.testing.assert_array_equal(plane, expected(data, bits))


@pytest.mark.parametrize("subtype", BITS)
@pytest.mark.parametrize("channels", [1, 2, 3, 8])
def test_all_widths_and_channels(gpu_batch, subtype, channels):
    lengths = 1, 15, 4095, 4096, 4097, 20000
    check(gpu_batch, [encode(speech(n, channels), subtype) for n in lengths])


@pytest.mark.parametrize("level", [0.0, 0.3, 0.6, 1.0])
def test_all_levels_of_compression(gpu_batch, level):
    noise = RNG.uniform(-1, 1, (9000, 2))
    waves = [speech(9000, 2), noise, np.zeros((9000, 2)), np.round(speech(9000, 2) * 64) / 64]
    waves.append(np.sign(speech(9000, 2)))
    check(gpu_batch, [encode(wave, compression_level=level) for wave in waves])


def by_ffmpeg(wave, format="s16", **options):
    file = io.BytesIO()
    with av.open(file, "w", format="flac") as container:
        stream = container.add_stream("flac", rate=16000, layout="stereo", format=format)
        stream.options = {name: str(value) for name, value in options.items()}
        scale, dtype = ((1 << 15) - 1, np.int16) if format == "s16" else ((1 << 31) - 1, np.int32)
        frame = av.AudioFrame.from_ndarray(
            (wave * scale).astype(dtype).reshape(1, -1), format=format, layout="stereo"
        )
        frame.sample_rate = 16000
        for packet in [*stream.encode(frame), *stream.encode(None)]:
            container.mux(packet)
    return np.frombuffer(file.getvalue(), np.uint8)


@pytest.mark.parametrize("mode", ["indep", "left_side", "right_side", "mid_side"])
def test_all_stereo_modes(gpu_batch, mode):
    check(gpu_batch, [by_ffmpeg(speech(9000, 2), ch_mode=mode)])


@pytest.mark.parametrize("kind", ["none", "fixed", "levinson", "cholesky"])
def test_all_predictors(gpu_batch, kind):
    orders = {} if kind in ("none", "fixed") else {"max_prediction_order": 32}
    files = [by_ffmpeg(speech(9000, 2), lpc_type=kind, **orders)]
    files.append(by_ffmpeg(speech(9000, 2), "s32", lpc_type=kind, **orders))
    check(gpu_batch, files)


def test_damage_is_noticed_and_nothing_else_is_written(gpu_batch):
    whole = encode(speech(20000, 2))
    right = expected(whole, 16)
    damaged = []
    for _ in range(60):
        data = whole.copy()
        at = RNG.integers(60, data.size, size=int(RNG.integers(1, 6)))
        data[at] ^= RNG.integers(1, 256, size=at.size).astype(np.uint8)
        damaged.append(data)
    damaged += [whole[:end].copy() for end in RNG.integers(80, whole.size, size=20)]
    damaged.append(whole)
    batch, planes, _ = run(gpu_batch, damaged)
    assert len(damaged) - 1 not in batch.errors
    assert len(batch.errors) > 70
    for row, plane in enumerate(planes):
        if row not in batch.errors:
            np.testing.assert_array_equal(plane, right)
    assert "where 20000 should be" in str(batch.errors[60])


def test_bytes_that_look_like_a_header_are_told_from_one(gpu_batch):
    """Uncompressed noise holds a copy of the file's own second header."""
    frames = 4 * 4096
    wave = RNG.integers(-(1 << 15), 1 << 15, (frames, 1)).astype(np.int16)
    header = encode(wave)
    second = [
        at for at in range(60, header.size - 1) if header[at] == 0xFF and header[at + 1] == 0xF8
    ]
    copied = header[second[1] : second[1] + 6].copy()
    wave[:3, 0] = copied.view(">i2").astype(np.int16)
    data = encode(wave)
    assert bytes(data).count(bytes(copied)) == 2
    check(gpu_batch, [data])
