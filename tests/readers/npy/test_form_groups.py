"""Samples of a batch by the form of their arrays."""

import numpy as np

from penstock.readers.npy.form_groups import BatchMemory

from ..npy_files import save_all, source_of


def located(folder, arrays, roi=None):
    return source_of(save_all(folder, arrays), roi).locate(np.arange(len(arrays)), None)


def test_arrays_of_one_form_are_one_group(tmp_path):
    arrays = [np.zeros((2, 3), "f4"), np.zeros((2, 3), ">f4"), np.zeros((2, 3), "f4")]
    batch = located(tmp_path, arrays)
    assert [group.rows.tolist() for group in batch.groups] == [[0, 2], [1]]
    assert batch.whole
    assert batch.inflated_nbytes() == 0


def test_only_whole_slices_are_runs_of_bytes(tmp_path):
    arrays = [np.zeros((4, 3))] * 2
    for roi, expected in (("1:3", True), (":, 1:2", False), (None, True)):
        batch = located(tmp_path, arrays, roi)
        assert batch.groups[0].in_runs(batch.arrays) == expected


def test_memory_is_one_block_if_samples_agree(tmp_path):
    batch = located(tmp_path, [np.zeros((4, 3)), np.zeros((4, 3), ">f8")])
    memory = BatchMemory(batch.groups, 2, np.empty)
    assert memory.dense.shape == (2, 4, 3)
    assert np.shares_memory(memory.row(1), memory.dense)
    ragged = located(tmp_path, [np.zeros((4, 3)), np.zeros((4, 2))])
    memory = BatchMemory(ragged.groups, 2, np.empty)
    assert memory.dense is None
    assert [memory.row(i).shape for i in range(2)] == [(4, 3), (4, 2)]
