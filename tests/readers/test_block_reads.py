import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import chain

import numpy as np
import pytest

from penstock import fn, pipeline_def
from penstock.engine.errors import ArgumentError
from penstock.engine.order.block_permutation import Blocks
from penstock.engine.order.sampler import Sampler
from penstock.engine.tensors.memory import SlabPool
from penstock.readers.block_reads import BlockReads


class Numbers:
    """Sample i is i bytes of value i, and the number i; notes what is read."""

    def __init__(self, size, bad=()):
        self.size, self.bad = size, bad
        self.reads = []

    def __len__(self):
        return self.size

    def read(self, indices, allocate):
        self.reads.append(indices.tolist())
        if set(self.bad) & set(indices.tolist()):
            raise OSError("bad")
        return [np.full(i % 50, i % 256, np.uint8) for i in indices], indices[:, None].copy()


def check(columns, indices):
    contents, numbers = columns
    assert isinstance(numbers, np.ndarray)
    np.testing.assert_array_equal(numbers[:, 0], indices)
    for content, index in zip(contents, indices, strict=True):
        np.testing.assert_array_equal(content, np.full(index % 50, index % 256, np.uint8))


def test_an_epoch_reads_every_block_once():
    source = Numbers(1003)
    reads = BlockReads(source, Blocks(20, 4))
    sampler = Sampler(1003, 16, shuffle=True, blocks=Blocks(20, 4))
    for batch in range(1003 // 16):
        indices = sampler.select(batch).index
        check(reads.read(indices, np.empty), indices)
    read = sorted(index for indices in source.reads for index in indices)
    assert len(read) == len(set(read)) > 900
    assert len(source.reads) <= 20 + 2


def test_threads_that_want_the_same_block_share_it():
    source = Numbers(640)
    reads = BlockReads(source, Blocks(10, 64))
    together = threading.Barrier(8)

    def read(seed):
        indices = np.random.default_rng(seed).permutation(640)
        together.wait()
        check(reads.read(indices, SlabPool().empty), indices)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(read, range(8)))
    assert sorted(index for indices in source.reads for index in indices) == list(range(640))


def test_a_block_that_fails_is_tried_again():
    source = Numbers(40, bad=[7])
    reads = BlockReads(source, Blocks(10, 2))
    for _ in range(2):
        with pytest.raises(OSError, match="bad"):
            reads.read(np.array([3]), np.empty)
    check(reads.read(np.array([33, 12]), np.empty), [33, 12])
    source.bad = ()
    check(reads.read(np.array([3]), np.empty), [3])


def files(folder, count):
    for number in range(count):
        (folder / f"{number:03}").write_bytes(bytes([number]))
    return [str(folder / f"{number:03}") for number in range(count)]


def run(paths, batches, **options):
    arguments = {"shuffle_block": 4, "shuffle_window": 2, "random_shuffle": True} | options

    @pipeline_def(batch_size=4, num_threads=1, on_error="skip")
    def pipeline():
        return fn.readers.file(files=paths, **arguments)

    with pipeline() as pipe:
        return [[int(row[0]) for row in map(np.asarray, pipe.run()[0])] for _ in range(batches)]


def test_a_pipeline_takes_two_blocks_at_a_time(tmp_path):
    paths = files(tmp_path, 32)
    batches = run(paths, 8)
    assert sorted(chain.from_iterable(batches)) == list(range(32))
    for first in range(0, 8, 2):
        window = batches[first] + batches[first + 1]
        assert len({number // 4 for number in window}) == 2
    assert run(paths, 8, prefetch_queue_depth=3) == batches


def test_a_missing_file_spoils_its_own_sample_only(tmp_path):
    paths = files(tmp_path, 32)
    whole = list(chain.from_iterable(run(paths, 8)))
    (tmp_path / "005").unlink()
    found = list(chain.from_iterable(run(paths, 8)))
    assert [a for a, b in zip(whole, found, strict=True) if a != b] == [5]


def test_blocks_need_a_shuffle(tmp_path):
    paths = files(tmp_path, 4)
    with pytest.raises(ArgumentError, match="shuffle_block needs random_shuffle"):
        run(paths, 1, random_shuffle=False)
    with pytest.raises(ArgumentError, match="shuffle_window needs random_shuffle"):
        run(paths, 1, random_shuffle=False, shuffle_block=None)
    with pytest.raises(ArgumentError, match="expected 1 or more"):
        run(paths, 1, shuffle_window=0)
