"""Reading in batches of bounded size."""

from __future__ import annotations

import numpy as np

from penstock.datasets import Encoded, Sample, reading
from penstock.datasets.reading import read_batches, size_of


def sizes_of_batches(count, size):
    sample = Sample("x", {"image": Encoded(bytes(size), "jpg")})
    read = lambda indices: [sample] * len(indices)  # noqa: E731
    return [len(indices) for indices, _ in read_batches(read, np.arange, 0, count)]


def test_batches_cover_everything_once():
    batches = list(read_batches(lambda indices: indices.tolist(), np.arange, 3, 1000))
    assert [i for _, samples in batches for i in samples] == list(range(3, 1000))


def test_large_samples_make_small_batches(tuned):
    tuned(reading, USUAL=reading.BatchSize(samples=64, bytes=1000))
    assert max(sizes_of_batches(100, 300)) == 3
    assert max(sizes_of_batches(300, 2000)) == 1
    assert max(sizes_of_batches(300, 1)) == 64


def test_sizes_count_content():
    sample = Sample(
        "x", {"a": Encoded(b"123", "jpg"), "b": np.zeros(4, np.int32), "c": "ab", "d": 1}
    )
    assert size_of(sample) == 3 + 16 + 2 + 8
