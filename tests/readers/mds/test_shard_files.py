import pickle

import numpy as np
import pytest

from penstock.engine.errors import SourceError
from penstock.readers.mds.index_file import folder_of, shards_of
from penstock.readers.mds.shard_files import ShardFiles
from penstock.readers.storage.opening import open_storages

from . import sets


@pytest.fixture
def files(tmp_path):
    shards = shards_of(folder_of(sets.put("shards", tmp_path)))
    storages = open_storages([shard.path for shard in shards])
    return ShardFiles(storages, shards, [shard.samples for shard in shards])


def reads_of(files, monkeypatch):
    """Return the list that grows by the file and the size of each read."""
    reads = []
    for storage in files._storages:

        def start_read(offsets, buffers, storage=storage, start=storage.start_read):
            reads.append((storage.name[-5], [buffer.size for buffer in buffers]))
            return start(offsets, buffers)

        monkeypatch.setattr(storage, "start_read", start_read)
    return reads


def test_a_table_is_read_once_and_with_its_first_sample(files, monkeypatch):
    reads = reads_of(files, monkeypatch)
    assert len(files) == 12
    assert files.where(9).endswith("/shard.00002.mds, sample 1")
    assert reads == []
    for _ in range(2):
        files.read(np.array([5, 4, 9]), np.empty)
    assert [name for name, _ in reads] == ["1", "2", "1", "2", "1", "2"]
    assert [sizes for _, sizes in reads[:2]] == [[24], [24]]


def test_parts_of_samples(files):
    indices = np.array([9, 0])
    lengths = files.lengths(indices)
    assert lengths.tolist() == [47, 47]
    parts = files.read_parts(indices, np.array([4, 20]), np.array([8, 3]))
    first, second = parts.views()
    assert first.view(np.int64).tolist() == [9]
    assert bytes(second) == b"000"


def test_what_was_learned_is_pickled(files, monkeypatch):
    files.read(np.array([5]), np.empty)
    copy = pickle.loads(pickle.dumps(files))
    reads = reads_of(copy, monkeypatch)
    copy.read(np.array([6]), np.empty)
    assert len(reads) == 1


def test_more_samples_than_memory_lists_are_refused(tmp_path):
    shards = shards_of(folder_of(sets.put("shards", tmp_path)))
    storages = open_storages([shard.path for shard in shards])
    with pytest.raises(SourceError, match="bytes would have to be read at once"):
        ShardFiles(storages, shards, [1 << 40] * 3)
