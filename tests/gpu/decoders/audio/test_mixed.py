"""`decoders.audio(device="mixed")`: numbers, shapes, rates and errors are those of the CPU."""

from __future__ import annotations

import re

import numpy as np
import pytest

from penstock import Pipeline, fn, types
from penstock.engine.errors import DecodeError
from penstock.engine.tensors import TensorListGPU
from penstock.testing.agreement import source

from ....sounds import file_of, speech_like

SIGNAL = np.clip(1.2 * speech_like(0.05, 16000, channels=2), -1, 1)
WIDTHS = ["PCM_U8", "PCM_16", "PCM_24", "PCM_32", "FLOAT", "DOUBLE"]
PLAIN = [file_of(SIGNAL[: 200 + 100 * i], 16000, "WAV", w) for i, w in enumerate(WIDTHS)]
LONG = np.tile(SIGNAL, (16, 1))  # several frames of FLAC
FLAC = [
    file_of(wave, 16000, "FLAC", subtype)
    for wave in (SIGNAL, LONG[:, :1], np.tile(LONG, 4))
    for subtype in ("PCM_S8", "PCM_16", "PCM_24")
]
OTHERS = [file_of(SIGNAL, 16000, form) for form in ("OGG", "AIFF")]
OTHERS.append(file_of(SIGNAL, 16000, "WAV", "ULAW"))


def run(device, files, *, on_error="raise", **arguments):
    """Return signals and rates, and what the statistics say."""
    with Pipeline(batch_size=len(files), num_threads=2, on_error=on_error) as pipe:
        named = {k: source(v) if isinstance(v, list) else v for k, v in arguments.items()}
        pipe.set_outputs(*fn.decoders.audio(source(files), device=device, **named))
        outputs = pipe.run()
        assert all(isinstance(out, TensorListGPU) == (device == "mixed") for out in outputs)
        rows = [[np.array(row) for row in out.as_cpu().rows()] for out in outputs]
        return rows, str(pipe.stats())


def check(files, largest=0, **arguments):
    wanted, _ = run("cpu", files, **arguments)
    found, stats = run("mixed", files, **arguments)
    for column, expected in zip(found, wanted, strict=True):
        for one, other in zip(column, expected, strict=True):
            assert (one.dtype, one.shape) == (other.dtype, other.shape)
            np.testing.assert_allclose(one, other.astype(np.float64), rtol=0, atol=largest)
    return stats


@pytest.mark.parametrize("dtype", [types.FLOAT, types.INT16, types.INT32])
@pytest.mark.parametrize("downmix", [False, True])
def test_every_width_and_dtype(device_stage, dtype, downmix):
    stats = check(PLAIN + FLAC, dtype=dtype, downmix=downmix)
    assert "decoded by the CPU" not in stats


def test_other_files_are_decoded_by_the_cpu_and_counted(device_stage):
    stats = check(PLAIN[:2] + FLAC[:2] + OTHERS, downmix=True)
    counted = re.search(r"(\d+) files decoded by the CPU", stats)
    assert counted
    assert int(counted[1]) % 3 == 0  # also those of batches that are under way


# Sums are rounded in another order than on the CPU, as those of `audio_resample`.
@pytest.mark.parametrize(
    ("dtype", "largest"), [(types.FLOAT, 2e-6), (types.INT16, 1), (types.INT32, 2e-6 * 2**31)]
)
@pytest.mark.parametrize("downmix", [False, True])
def test_other_rates_are_resampled_on_the_device(device_stage, dtype, largest, downmix):
    files = PLAIN + FLAC
    rates = [np.float32((0, 16000, 8000, 11025, 22050, -1)[i % 6]) for i in range(len(files))]
    stats = check(files, largest, sample_rate=rates, dtype=dtype, downmix=downmix)
    assert "decoded by the CPU" not in stats


def test_resampled_windows(device_stage):
    starts, counts = (0, 1, 700, 12799, 800, 0), (5000, 700, 4097, 1, 0, 12800)
    offsets, durations = ([n / 16000 for n in numbers] for numbers in (starts, counts))
    window = {"offset": offsets, "duration": durations}
    for arguments in ({"quality": 0.0}, {"antialias": True, "quality": 80.0}):
        check([FLAC[4]] * 6, 2e-6, sample_rate=6000.0, **window, **arguments)


def test_resampled_and_other_rows_of_a_batch(device_stage):
    """Each row has the signal of its own file, wherever it was decoded."""
    files = [OTHERS[0], FLAC[4], PLAIN[1], OTHERS[1], FLAC[7], PLAIN[2][:-7], PLAIN[4]]
    rates = [np.float32(rate) for rate in (8000, 0, 8000, 16000, 8000, 8000, 0)]
    found, wanted = (
        run(device, files, on_error="replace", sample_rate=rates, downmix=True)[0]
        for device in ("mixed", "cpu")
    )
    np.testing.assert_array_equal(found[1], wanted[1])
    for one, other in zip(found[0], wanted[0], strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=2e-6)


def test_a_damaged_file_is_an_error_also_if_it_is_resampled(device_stage):
    data = FLAC[4].copy()
    data[data.size // 2] ^= 16
    with pytest.raises(DecodeError, match=r"FLAC: \d+ samples could be decoded where 12800"):
        run("mixed", [FLAC[3], data], sample_rate=8000.0)
    with pytest.raises(DecodeError, match=r"FLAC: .* samples .* at 1e\+12 Hz; expected"):
        run("mixed", [FLAC[3]], sample_rate=1e12)


def test_windows_vary_by_sample(device_stage):
    offsets = [0.0, 0.001, 0.005, 0.01, 0.0, 0.012]
    durations = [-1.0, 0.004, 0.0, 1.0, 0.002, 0.001]
    check(PLAIN, offset=offsets, duration=durations)


def test_windows_of_flac(device_stage):
    starts = [0, 1, 100, 4095, 4096, 4097, 8192, 12799, 0]
    counts = [0, 5, 700, 1, 4096, 5000, 4608, 1, 12800]
    offsets, durations = ([n / 16000 for n in numbers] for numbers in (starts, counts))
    check([FLAC[4]] * 9, offset=offsets, duration=durations, dtype=types.INT16)
    check([FLAC[8]] * 9, offset=offsets, duration=durations, downmix=True)


def test_damaged_flac_is_an_error_of_its_sample(device_stage):
    data = FLAC[4].copy()
    data[data.size // 2] ^= 16
    with pytest.raises(DecodeError, match=r"FLAC: \d+ samples could be decoded where 12800"):
        run("mixed", [FLAC[3], data])
    (signals, _), _ = run("mixed", [FLAC[3], data, FLAC[4]], on_error="replace", downmix=True)
    np.testing.assert_array_equal(signals[1], signals[0])


def test_many_channels(device_stage):
    eight = file_of(np.tile(SIGNAL, 4), 16000, "WAV", "PCM_24")
    check([eight] * 2, downmix=True, dtype=types.INT32)
    check([eight] * 2)


def test_bad_files_are_errors_of_their_samples(device_stage):
    files = [PLAIN[1], PLAIN[2][:-7], OTHERS[0][:-40], PLAIN[3]]
    with pytest.raises(DecodeError, match="WAV: the data ends"):
        run("mixed", files)
    (signals, _), _ = run("mixed", files, on_error="replace")
    assert len(signals) == 4
    np.testing.assert_array_equal(signals[3], run("cpu", [PLAIN[3]])[0][0][0])
    with pytest.raises(DecodeError, match="starts at 9 s"):
        run("mixed", PLAIN, offset=9.0)
