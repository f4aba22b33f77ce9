"""Batches of arrays with a region of each sample."""

import numpy as np

from penstock.engine.order.sampler import Sampler
from penstock.engine.tensors.memory import SlabPool
from penstock.engine.work.batch import Batch
from penstock.readers.npy.reader import ArrayReads
from penstock.readers.reading.window import ReadWindow

from ..npy_files import save_all, source_of


def test_each_sample_has_a_region_of_its_own(tmp_path):
    arrays = [np.arange(20) + 100 * i for i in range(4)]
    source = source_of(save_all(tmp_path, arrays))
    window = ReadWindow(Sampler(4, 2), ArrayReads(source))
    selection, other = window.select(1), window.select(1)
    selection.arguments.update(start=np.array([[3], [5]]), shape=np.array([[2], [2]]))
    assert other.arguments == {}
    (column,) = window.take(Batch(1, 2, SlabPool(), 0), selection)
    assert column.tolist() == [[203, 204], [305, 306]]
