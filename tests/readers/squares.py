"""A source that other processes can import, by its full name `penstock.tests.readers.squares`."""

import numpy as np


class Squares:
    """Sample i is i squared bytes of value i % 256, and the number i.

    Args:
        bad: numbers of samples that cannot be read.
    """

    def __init__(self, bad=()):
        self.bad = set(bad)

    def __len__(self):
        return 1000

    def read(self, indices, allocate):
        """Return the samples."""
        if self.bad & set(indices.tolist()):
            raise OSError("bad")
        ends = np.cumsum(indices**2)
        block = allocate((int(ends[-1]) if len(ends) else 0,), np.uint8)
        rows = [block[end - i**2 : end] for i, end in zip(indices.tolist(), ends, strict=True)]
        for index, row in zip(indices.tolist(), rows, strict=True):
            row[:] = index % 256
        return rows, indices.copy()

    def where(self, index):
        """Return the name of a sample."""
        return f"number {index}"

    def close(self):
        """Do nothing: there is nothing to close."""


def lengths(addresses, sizes):
    """Find out how long rows are: a fact about each, for `Operator.metadata_functions`."""
    return sizes
