"""What every `Source` must do, as a test class that each format's tests inherit."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from ..engine.tensors.memory import SMALL, SlabPool
from ..readers.process.placed_columns import joined
from ..readers.process.source_reads import SourceReads
from ..readers.source import Column, Source

__all__ = ["SourceConformance", "assert_columns", "assert_reads"]

Sample = tuple[np.ndarray, ...]

# The child of the fork only writes what it read and leaves; the parent reads on meanwhile.
READ_BEFORE_AND_AFTER_A_FORK = """
import os, pickle, sys, warnings
import numpy as np
source, indices = pickle.load(sys.stdin.buffer)
source.read(indices, np.empty)
receiver, sender = os.pipe()
warnings.simplefilter("ignore", DeprecationWarning)  # Libraries' idle threads are no matter.
if os.fork() == 0:
    with open(sender, "wb") as pipe:
        pickle.dump(source.read(indices, np.empty), pipe)
    os._exit(0)
os.close(sender)
with open(receiver, "rb") as pipe:
    in_child = pickle.load(pipe)
os.wait()
source.close()
pickle.dump((in_child, source.read(indices, np.empty)), sys.stdout.buffer)
"""


class SourceConformance:
    """Inherit it, and give two fixtures: `source`, not read yet, and `expected`, its samples.

    `expected[i]` is sample i: a tuple with one array for each output. There must be at least
    three samples.
    """

    @pytest.fixture
    def source(self) -> Source:
        raise NotImplementedError

    @pytest.fixture
    def expected(self) -> Sequence[Sample]:
        raise NotImplementedError

    def test_length(self, source: Source, expected: Sequence[Sample]) -> None:
        assert len(source) == len(expected) >= 3

    def test_reads_in_any_order(self, source: Source, expected: Sequence[Sample]) -> None:
        everything = np.arange(len(expected))
        shuffled = np.random.default_rng(5).permutation(len(expected))
        for indices in (everything, everything[::-1], shuffled, everything[1:2]):
            assert_reads(source, indices, expected)

    def test_reads_an_index_as_often_as_it_is_asked_for(
        self, source: Source, expected: Sequence[Sample]
    ) -> None:
        assert_reads(source, np.array([1, 0, 1, 1, 0]), expected)

    def test_an_empty_request_gives_empty_columns(
        self, source: Source, expected: Sequence[Sample]
    ) -> None:
        columns = source.read(np.empty(0, np.int64), SlabPool().empty)
        assert [len(column) for column in columns] == [0] * len(expected[0])

    @pytest.mark.parametrize("index", [-1, "length", 2**40])
    def test_an_index_outside_raises(
        self, source: Source, expected: Sequence[Sample], index: int | str
    ) -> None:
        wrong = len(expected) if isinstance(index, str) else index
        with pytest.raises(IndexError, match=rf"no sample {wrong}\b.* {len(expected)}\b"):
            source.read(np.array([0, wrong]), SlabPool().empty)
        with pytest.raises(IndexError, match=rf"no sample {wrong}\b"):
            source.where(wrong)

    def test_a_batch_stays_right_when_the_next_ones_are_read(
        self, source: Source, expected: Sequence[Sample]
    ) -> None:
        pool = SlabPool()
        kept = source.read(np.array([0, 1]), pool.empty)
        for _ in range(3):
            source.read(np.array([2, 2]), pool.empty)
        source.close()
        assert_columns(kept, [expected[0], expected[1]])

    def test_eight_threads_read_the_same(self, source: Source, expected: Sequence[Sample]) -> None:
        pool, together = SlabPool(), threading.Barrier(8)

        def read(seed: int) -> None:
            indices = np.random.default_rng(seed).integers(0, len(expected), 20)
            together.wait()
            for _ in range(2):
                columns = source.read(indices, pool.empty)
                assert_columns(columns, [expected[i] for i in indices])

        with ThreadPoolExecutor(8) as threads:
            list(threads.map(read, range(8)))

    def test_pickles_before_the_first_read(
        self, source: Source, expected: Sequence[Sample]
    ) -> None:
        copy = pickle.loads(pickle.dumps(source))
        assert_reads(copy, np.arange(len(expected)), expected)
        assert copy.where(0) == source.where(0)
        copy.close()

    def test_a_copy_reads_into_shared_memory(
        self, source: Source, expected: Sequence[Sample]
    ) -> None:
        """As two processes read it: `reading.processes`."""
        source.read(np.array([0]), np.empty)
        pool = SlabPool(shared=True)
        reads = SourceReads(pool.arena, pickle.loads(pickle.dumps(source)), {})
        indices = np.array([2, 0, 1, 1])
        answer = reads.read(indices, 0, 0)
        assert answer is not None
        needed, placed = answer
        assert (needed > 0, placed) == (True, [])
        room = 2 * needed + SMALL
        memory = pool.empty((2 * room,))
        offset = pool.arena.offset(memory)
        assert offset is not None
        answers = [
            reads.read(indices[:3], offset, room),
            reads.read(indices[3:], offset + room, room),
        ]
        parts = zip(*(part for _, (part,) in pickle.loads(pickle.dumps(answers))), strict=True)
        columns = tuple(joined(memory, [0, room], part) for part in parts)
        assert_columns(columns, [expected[i] for i in indices])

    def test_reads_on_after_a_fork(self, source: Source, expected: Sequence[Sample]) -> None:
        indices = np.arange(len(expected))
        done = subprocess.run(
            [sys.executable, "-c", READ_BEFORE_AND_AFTER_A_FORK],
            input=pickle.dumps((source, indices)),
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            check=True,
            timeout=200,
        )
        for columns in pickle.loads(done.stdout):
            assert_columns(columns, expected)

    def test_opens_again_after_close(self, source: Source, expected: Sequence[Sample]) -> None:
        source.close()
        assert_reads(source, np.array([0, 1]), expected)
        source.close()
        source.close()
        assert_reads(source, np.array([2, 1]), expected)

    def test_where_names_each_sample(self, source: Source, expected: Sequence[Sample]) -> None:
        places = [source.where(i) for i in range(len(expected))]
        assert all(places)
        assert len(set(places)) == len(expected)


def assert_reads(source: Source, indices: np.ndarray, expected: Sequence[Sample]) -> None:
    """Check that `source` gives the samples `indices` of `expected`."""
    assert_columns(source.read(indices, SlabPool().empty), [expected[i] for i in indices])


def assert_columns(columns: tuple[Column, ...], expected: Sequence[Sample]) -> None:
    """Check columns of a batch against its samples: values, dtypes and shapes."""
    for number, column in enumerate(columns):
        assert len(column) == len(expected)
        for row, sample in zip(column, expected, strict=True):
            np.testing.assert_array_equal(row, sample[number], strict=True)
    assert all(len(sample) == len(columns) for sample in expected)
