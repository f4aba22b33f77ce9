"""The byte ranges that regions take."""

import numpy as np

from penstock.readers.npy import region_reads
from penstock.readers.npy.form_groups import BatchMemory
from penstock.readers.npy.region_reads import DirectRange, StagedRanges, byte_ranges_of

from ..npy_files import save_all, source_of


def region_read(folder, array, roi):
    source = source_of(save_all(folder, [array]), roi)
    batch = source.locate(np.zeros(1, np.int64), None)
    memory = BatchMemory(batch.groups, 1, np.empty)
    (read,) = batch.region_reads(memory, 0.0)
    return read, memory


def test_a_long_run_is_read_in_place(tmp_path):
    read, memory = region_read(tmp_path, np.zeros((4, 100_000), "u1"), "1:3")
    (direct,) = byte_ranges_of([read])
    assert isinstance(direct, DirectRange)
    assert (direct.offset, direct.buffer.size) == (128 + 100_000, 200_000)
    assert np.shares_memory(direct.buffer, memory.dense)


def test_short_runs_are_read_together_and_picked_out(tmp_path, tuned):
    tuned(region_reads, STAGED_BYTES=1000)
    array = np.arange(4000, dtype="i2").reshape(40, 100)
    read, memory = region_read(tmp_path, array, ":, 10:12")
    content = array.tobytes()
    for staged in byte_ranges_of([read]):
        assert isinstance(staged, StagedRanges)
        length = staged.grid.length
        assert length <= 1000
        parts = [content[at - 128 : at - 128 + length] for at in staged.offsets.tolist()]
        staged.put(np.frombuffer(b"".join(parts), np.uint8))
    np.testing.assert_array_equal(memory.dense[0], array[:, 10:12])
    assert read.cost >= len(content) // 2
