"""What every `Source` must do, as a test class that each format's tests inherit."""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from ..engine.errors import PenstockError
from ..engine.pipeline.pipeline import Pipeline
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


def _cut(path: Path, part: float, less: int = 0) -> None:
    os.truncate(path, int(path.stat().st_size * part) - less)


HARMS: dict[str, Callable[[Path], object]] = {
    "absent": Path.unlink,
    "foreign": lambda path: path.write_bytes(np.random.default_rng(1).bytes(3000)),
    **{f"cut at {part}": partial(_cut, part=part) for part in (0, 0.03, 0.25, 0.5, 0.75)},
    "cut by a byte": partial(_cut, part=1, less=1),
}
"""What may happen to a file, by name."""


class SourceConformance:
    """Inherit it, and give two fixtures: `source`, not read yet, and `expected`, its samples.

    `expected[i]` is sample i: a tuple with one array for each output. There must be at least
    three samples.

    If the samples lie in files whose paths a reader takes, give the fixture `files` and the method
    `read`, too. The suite then damages the last file, and reads sound copies of all files with it.
    With `on_error="raise"` the error must name the file, and with "skip" all other samples come.

    Attributes:
        harms: what is done to the file, of `HARMS`. A cut may leave fewer samples without an error,
            as a file that is cut between two of them is a shorter one. Leave out what harms no
            file of the format, such as a cut where any bytes are a sample.
        left: how many samples of `files` are left, at least, if the last byte is cut off.
    """

    harms: ClassVar[Sequence[str]] = tuple(HARMS)
    left: ClassVar[int] = 0

    @pytest.fixture
    def source(self) -> Source:
        raise NotImplementedError

    @pytest.fixture
    def expected(self) -> Sequence[Sample]:
        raise NotImplementedError

    @pytest.fixture
    def files(self) -> Sequence[Path]:
        """The files that hold `expected`. The folder of each is copied whole."""
        pytest.skip("the suite names no files")

    def read(self, paths: Sequence[Path]) -> Any:
        """Return the outputs of the reader for `files`, and for copies of them."""
        raise NotImplementedError

    @pytest.mark.parametrize("harm", HARMS)
    def test_a_damaged_file_costs_no_other_samples(
        self,
        files: Sequence[Path],
        expected: Sequence[Sample],
        harm: str,
        tmp_path_factory: pytest.TempPathFactory,
    ) -> None:
        if harm not in self.harms:
            pytest.skip(f"{harm}: does no harm to files of the format")
        sound, damaged = tmp_path_factory.mktemp("sound"), files[-1]
        folders = {path.parent: sound / path.parent.name for path in files}
        for folder, copy in folders.items():
            shutil.copytree(folder, copy)
        paths = [*files, *(folders[path.parent] / path.name for path in files)]
        HARMS[harm](damaged)
        problem = ""
        try:
            self._epoch(paths, on_error="raise")
        except (OSError, PenstockError) as error:
            problem = "\n".join([str(error), *getattr(error, "__notes__", ())])
        is_told = str(damaged) in problem
        assert is_told or (not problem and harm.startswith("cut")), f"no {damaged} in: {problem}"
        log = sound / "log.jsonl"
        rows = self._epoch(paths, on_error="skip", quarantine_log=str(log))
        assert not is_told or str(damaged) in log.read_text(encoding="utf-8"), "not in the log"
        left = len(rows) - len(expected)
        assert left >= (self.left if harm == "cut by a byte" else 0), f"{left} samples are left"
        places = iter([*expected, *expected])  # the rows are some of them, in their order
        assert all(any(are_equal(row, sample) for sample in places) for row in rows), (
            "no such samples"
        )
        assert all(map(are_equal, rows[left:], expected)), "samples of sound files are missing"

    def _epoch(self, paths: Sequence[Path], **options: Any) -> list[Sample]:
        """Return the samples of an epoch, without those that took the place of bad ones."""
        samples: list[tuple[Any, ...]] = []
        with warnings.catch_warnings(), Pipeline(2, 1, None, **options) as pipe:
            warnings.simplefilter("ignore", RuntimeWarning)  # of what is left out
            outputs = self.read(paths)
            pipe.set_outputs(*(outputs if isinstance(outputs, list | tuple) else [outputs]))
            pipe.build()
            (size,) = pipe.epoch_size().values()
            while len(samples) < size:
                batches = pipe.run()
                rows = [map(np.array, batch.rows()) for batch in batches]
                samples += zip(batches[0].valid, *rows, strict=True)
        return [tuple(sample) for is_valid, *sample in samples[:size] if is_valid]

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


def are_equal(sample: Sequence[np.ndarray], other: Sequence[np.ndarray]) -> bool:
    """Return whether two samples have equal arrays of equal dtypes."""
    pairs = zip(sample, other, strict=True)
    return all(a.dtype == b.dtype and np.array_equal(a, b) for a, b in pairs)


def assert_columns(columns: tuple[Column, ...], expected: Sequence[Sample]) -> None:
    """Check columns of a batch against its samples: values, dtypes and shapes."""
    for number, column in enumerate(columns):
        assert len(column) == len(expected)
        for row, sample in zip(column, expected, strict=True):
            np.testing.assert_array_equal(row, sample[number], strict=True)
    assert all(len(sample) == len(columns) for sample in expected)
