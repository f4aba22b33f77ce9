"""Resampling on the GPU into memory that the caller names."""

import numpy as np

from penstock.signals.gpu_resampling import resample_on_gpu
from penstock.signals.resampling import resample, resampled_length
from penstock.signals.sinc import filter_of, lobes_of

from ...sounds import noise

LOBES = lobes_of(50)
RATES = [(16000, 8000.0), (44100, 16000.0), (8000, 11025.0)]
SIGNALS = [noise(0.02, rate, 2, seed=rate).astype(np.float32) for rate, _ in RATES]


def test_results_go_where_the_addresses_say(gpu_batch):
    batch, (audio,) = gpu_batch(SIGNALS)
    lengths = [resampled_length(len(s), *r) for s, r in zip(SIGNALS, RATES, strict=True)]
    out = batch.device.empty(np.array([(n, 2) for n in lengths[::-1]]), np.dtype(np.float32))
    filters = [filter_of(LOBES, *rates, antialias=True) for rates in RATES]
    rates = [(*rates, length) for rates, length in zip(RATES, lengths, strict=True)]
    cutoffs = [each.cutoff for each in filters]
    resample_on_gpu(batch, audio, rates, cutoffs, LOBES, np.dtype("f4"), out.pointers()[::-1])
    batch.device.synchronize()
    rows = [np.array(row) for row in out.as_cpu().rows()][::-1]
    for row, signal, (before, after, length), sinc in zip(
        rows, SIGNALS, rates, filters, strict=True
    ):
        wanted = np.empty((length, 2), np.float32)
        for channel in range(2):
            resample(signal[:, channel], before, after, sinc, wanted[:, channel])
        np.testing.assert_allclose(row, wanted, rtol=0, atol=2e-6)
