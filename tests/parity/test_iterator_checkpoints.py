"""An iterator that resumes goes on as the one that was not stopped, and both as DALI's."""

from __future__ import annotations

import gc
import logging
from typing import Any

import numpy as np
import pytest

from penstock import fn, pipeline_def

dali = pytest.importorskip("nvidia.dali")
pytest.importorskip("torch")
dali_plugin = pytest.importorskip("nvidia.dali.plugin.pytorch")

from penstock.plugin import pytorch as plugin  # noqa: E402  (only where PyTorch is)

# Every use of `size` makes DALI warn.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Please set `reader_name`"),
    # DALI says nothing of samples that nobody gets.
    pytest.mark.filterwarnings("ignore:last_batch_policy=:RuntimeWarning"),
]

POLICIES = ["FILL", "DROP", "PARTIAL"]
GEOMETRIES = [  # samples, batch size, shards
    *((10, 3, 1), (11, 4, 1), (5, 7, 1)),
    *((9, 3, 2), (7, 4, 2), (10, 3, 3), (11, 2, 3)),
]


class Library:
    """DALI or Penstock."""

    def __init__(self, functions, decorator, iterators, **options):
        self.functions = functions
        self.decorator = decorator
        self.iterators = iterators
        self.options = options
        self.made: list[Any] = []

    def pipeline(self, define, batch_size, checkpoint):
        options = {"device_id": None, "num_threads": 1, **self.options}
        if checkpoint is not None:
            options["checkpoint"] = checkpoint
        self.made.append(self.decorator(define, batch_size=batch_size, **options)())
        return self.made[-1]

    def iterator(self, pipelines, policy, **options):
        return self.iterators.DALIGenericIterator(
            pipelines, ["x"], last_batch_policy=self.iterators.LastBatchPolicy[policy], **options
        )

    def shards(self, file, samples, batch_size, count, saved, **reader):
        def shard(rank):
            return self.functions.readers.file(
                files=[file] * samples,
                labels=list(range(samples)),
                name="Reader",
                shard_id=rank,
                num_shards=count,
                **reader,
            )[1]

        saved = saved or [None] * count
        return [
            self.pipeline(lambda rank=rank: shard(rank), batch_size, saved[rank])
            for rank in range(count)
        ]

    def close(self):
        for pipeline in self.made:
            getattr(pipeline, "close", lambda: None)()
        self.made.clear()
        gc.collect()  # every pipeline reserves addresses, which are few


OURS = Library(fn, pipeline_def, plugin)
THEIRS = Library(dali.fn, dali.pipeline_def, dali_plugin, enable_checkpointing=True)


@pytest.fixture(autouse=True)
def closed(caplog):
    caplog.set_level(logging.ERROR)  # DALI logs that it ignores a reset, which it asks for itself
    yield
    for library in (OURS, THEIRS):
        library.close()


def values(batch):
    return [outputs["x"].ravel().tolist() for outputs in batch]


def epochs(iterator, count=2):
    return [[values(batch) for batch in iterator] for _ in range(count)]


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("files") / "one"
    path.write_bytes(b"x")
    return str(path)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("stick", [False, True])
def test_at_the_end_of_an_epoch(file, policy, padded, stick):
    for number, (samples, batch_size, count) in enumerate(GEOMETRIES):
        before = 1 + number % 2  # epochs; each takes part with one and with several shards
        if policy == "DROP" and (samples // count < batch_size or (padded and samples % count)):
            continue  # where we differ from DALI: see test_iterators.py
        reader = {"pad_last_batch": padded, "stick_to_shard": stick}

        def run(library):
            def start(saved=None):
                shards = library.shards(file, samples, batch_size, count, saved, **reader)  # noqa: B023
                return library.iterator(shards, policy, reader_name="Reader", auto_reset=True)

            unbroken = start()
            first = epochs(unbroken, before)  # noqa: B023
            resumed = start(unbroken.checkpoints())
            results = first, epochs(unbroken), epochs(resumed)
            library.close()
            return results

        first, unbroken, resumed = run(OURS)
        assert resumed == unbroken, (samples, batch_size, count, before)
        assert (first, unbroken, resumed) == run(THEIRS), (samples, batch_size, count, before)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("stick", [False, True])
def test_anywhere(file, policy, padded, stick):
    """DALI restores the middle of an epoch, too; the batches are compared above."""
    reader = {"pad_last_batch": padded, "stick_to_shard": stick}
    for samples, batch_size, count in [(10, 3, 1), (7, 3, 2)]:

        def start(saved=None):
            shards = OURS.shards(file, samples, batch_size, count, saved, **reader)  # noqa: B023
            return OURS.iterator(shards, policy, reader_name="Reader")

        def follow(iterator, batches):
            """Return the next batches, and the place and the length of their epochs."""
            seen = []
            while len(seen) < batches:
                loop = [values(batch) for batch in iterator]
                seen += [(i - len(loop), len(iterator), batch) for i, batch in enumerate(loop)]
                iterator.reset()
            return seen[:batches]

        with start() as unbroken:
            everything = follow(unbroken, 16)
        running, kept = start(), start()
        for number in range(8):
            made = len(OURS.made)
            with start(running.checkpoints()) as resumed:
                assert follow(resumed, 8) == everything[number : number + 8], number
            del OURS.made[made:], resumed
            kept.load_state_dict(running.state_dict())
            assert follow(kept, 8) == everything[number : number + 8], number
            try:
                next(running)
            except StopIteration:
                running.reset()
                next(running)
        OURS.close()


def source(number):
    if number >= 4:
        raise StopIteration
    return [np.array([number])]


@pytest.mark.parametrize("size", [{"size": 4}, {}, {"size": 6}, {"size": 3}])
@pytest.mark.parametrize("auto_reset", [False, True])
@pytest.mark.parametrize("broken", [False, True])
def test_an_epoch_over_a_source(size, auto_reset, broken):
    def run(library):
        def start(saved=None):
            def define():
                return library.functions.external_source(source=source)

            pipeline = library.pipeline(define, 1, saved)
            return library.iterator([pipeline], "FILL", auto_reset=auto_reset, **size)

        def whole(iterator):
            for _ in range(2):
                yield [values(batch) for batch in iterator]
                iterator.reset()

        unbroken = start()
        for number, _ in enumerate(unbroken):
            if broken and number == min(size.get("size", 4), 4) - 1:
                break
        (saved,) = unbroken.checkpoints()
        return list(whole(start(saved))), list(whole(unbroken))

    resumed, unbroken = run(OURS)
    assert resumed == unbroken
    if size.get("size") in (4, None):  # otherwise DALI has empty epochs, or does not resume
        assert (resumed, unbroken) == run(THEIRS)


def test_before_reset(file):
    """DALI resumes at the empty end of the old epoch; here no epoch is empty."""

    def start(saved=None):
        return OURS.iterator(OURS.shards(file, 10, 3, 1, saved), "PARTIAL", reader_name="Reader")

    ended = start()
    epochs(ended, 1)
    for _ in range(2):
        with pytest.raises(StopIteration):
            next(ended)
    (saved,) = ended.checkpoints()
    resumed = [start([saved]), start([saved]), start([saved])]
    first = next(resumed[0])
    resumed[1].reset()
    ended.reset()
    assert values(first) == values(next(resumed[1])) == values(next(ended)) == [[2, 3, 4]]
    assert epochs(resumed[2]) == [[[[2, 3, 4]], *epochs(ended, 1)[0]], *epochs(ended, 1)]
