"""Keys of decoded images: one for each file and each way to decode it."""

from __future__ import annotations

import numpy as np

from penstock.decoders.cache.keys import METADATA, Keys, digests
from penstock.engine.tensors import PackedRows, TensorListCPU

FILES = [np.arange(size, dtype=np.uint8) for size in (7, 1, 250, 7)]
LENGTHS = np.array([file.size for file in FILES])


def test_a_batch_has_the_keys_of_its_files():
    keys = Keys("RGB", 1)
    expected = [keys.of_file(file) for file in FILES]
    assert keys.of_batch(TensorListCPU(FILES), LENGTHS) == expected
    memory, offsets = np.concatenate(FILES), np.cumsum(LENGTHS) - LENGTHS
    rows = TensorListCPU(PackedRows(memory, offsets, LENGTHS[:, np.newaxis], np.uint8))
    assert keys.of_batch(rows, LENGTHS) == expected
    hashes = digests(rows.pointers(), LENGTHS)
    known = {METADATA: hashes[::-1]}
    rows = TensorListCPU(PackedRows(memory, offsets, LENGTHS[:, np.newaxis], np.uint8, known))
    assert keys.of_batch(rows, LENGTHS) == expected[::-1]  # of the process that read them
    assert digests(np.empty(0, np.uint64), np.empty(0, np.int64)).shape == (0, 2)


def test_other_files_and_other_arguments_have_other_keys():
    made = [keys.of_file(file) for keys in (Keys("RGB"), Keys("BGR")) for file in FILES[:3]]
    assert len(set(made)) == len(made)
    assert Keys("RGB").of_file(FILES[0]) == Keys("RGB").of_file(FILES[3])
    assert {len(key) for key in made} == {16}
