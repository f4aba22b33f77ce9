"""Ways of reading batches of arrays."""

import numpy as np
import pytest

from penstock.engine.order.sampler import Sampler
from penstock.engine.tensors.memory import SlabPool
from penstock.engine.work.batch import Batch
from penstock.readers.npy import region_reading
from penstock.readers.npy.region_reading import AheadIfLarge, RegionReading, RegionSelection

from ..npy_files import save_all, source_of


class Way:
    """A `BatchReading` that counts its batches, of a given size each."""

    def __init__(self, nbytes):
        self.nbytes, self.taken, self.closed = nbytes, [], 0

    def select(self, number):
        return Sampler(10, 2).select(number)

    def take_batch(self, batch, selection):
        self.taken.append(batch.number)
        return (np.zeros((2, self.nbytes // 2), np.uint8),)

    def close(self):
        self.closed += 1


@pytest.mark.parametrize(
    ("nbytes", "ahead", "depth"),
    [(998, [], None), (1000, [1, 2], 3), (3000, [1, 2], 2), (9000, [1, 2], 1)],
)
def test_batches_are_read_ahead_from_the_first_large_one_on(tuned, nbytes, ahead, depth):
    tuned(region_reading, READ_AHEAD_BYTES=1000, UNDER_WAY_BYTES=9000)
    groups, threads, depths = Way(nbytes), Way(nbytes), []
    reading = AheadIfLarge(groups, lambda depth: (depths.append(depth), threads)[1])
    for number in range(3):
        reading.take_batch(Batch(number, 2, SlabPool(), 0), reading.select(number))
    assert threads.taken == ahead
    assert groups.closed == bool(ahead)
    assert depths == ([] if depth is None else [depth])
    reading.close()
    assert threads.closed == bool(ahead)


def test_each_sample_has_a_region_of_its_own(tmp_path):
    arrays = [np.arange(20) + 100 * i for i in range(4)]
    reading = RegionReading(source_of(save_all(tmp_path, arrays)), Sampler(4, 2))
    chosen = reading.select(1)
    selection = RegionSelection(chosen.index, chosen.epoch, chosen.position, chosen.valid)
    selection.regions.values.update(start=np.array([[3], [5]]), shape=np.array([[2], [2]]))
    (column,) = reading.take_batch(Batch(1, 2, SlabPool(), 0), selection)
    assert column.tolist() == [[203, 204], [305, 306]]
