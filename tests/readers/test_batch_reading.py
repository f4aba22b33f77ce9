"""All ways to read batches offer the methods of `BatchReading`, and return the same samples."""

import inspect

import numpy as np
import pytest

from penstock.engine.order.sampler import Blocks, Sampler
from penstock.engine.tensors.memory import SlabPool
from penstock.engine.work.batch import Batch
from penstock.readers.batch_groups import BatchGroups
from penstock.readers.batch_reading import BatchReading
from penstock.readers.block_reads import BlockReads
from penstock.readers.interrupt import Interrupt
from penstock.readers.npy.gds import DirectReading
from penstock.readers.npy.region_reading import RegionReading
from penstock.readers.read_ahead import AheadReading

BLOCKS = Blocks(4, 2)


class Squares:
    """A source whose sample i is i * i."""

    def __len__(self):
        return 30

    def read(self, indices, allocate):
        column = allocate((len(indices), 1), np.int64)
        column[:, 0] = indices**2
        return (column,)


def groups(source, sampler):
    return BatchGroups(source, sampler, 4, single=False)


def single(source, sampler):
    return BatchGroups(source, sampler, 4, single=True)


def ahead(source, sampler):
    return AheadReading(source, sampler, 3, Interrupt())


@pytest.mark.parametrize("blocks", [None, BLOCKS])
@pytest.mark.parametrize("make", [groups, single, ahead])
def test_a_batch_follows_from_its_number(make, blocks):
    sampler = Sampler(30, 4, shuffle=True, seed=5, blocks=blocks)
    source = Squares() if blocks is None else BlockReads(Squares(), blocks)
    reading: BatchReading = make(source, sampler)
    pool = SlabPool()
    for number in [0, 1, 2, 7, 8, 2]:
        selection = reading.select(number)
        np.testing.assert_array_equal(selection.index, sampler.select(number).index)
        (column,) = reading.take_batch(Batch(number, 4, pool, seed=0), selection)
        np.testing.assert_array_equal(np.ravel(column), selection.index**2)
    reading.close()
    reading.close()


@pytest.mark.parametrize("reading", [BatchGroups, AheadReading, RegionReading, DirectReading])
@pytest.mark.parametrize("name", ["select", "take_batch", "close"])
def test_all_ways_have_the_methods_and_their_arguments(reading, name):
    promised = inspect.signature(getattr(BatchReading, name)).parameters
    assert list(inspect.signature(getattr(reading, name)).parameters) == list(promised)
