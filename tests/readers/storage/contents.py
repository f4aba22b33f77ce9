"""The bytes of the file that tests of storage read, and how they ask for parts of them."""

import numpy as np

CONTENT = np.random.default_rng(2).bytes(100_000)


def ranges(*pairs):
    offsets, lengths = np.array(pairs, np.int64).reshape(-1, 2).T
    return offsets, lengths


def read(storage, *pairs):
    return [view.tobytes() for view in storage.read(*ranges(*pairs), np.empty)]
