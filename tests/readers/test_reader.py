"""What all readers share: the arguments, and reading around bad samples."""

import numpy as np
import pytest

from penstock import fn, pipeline_def
from penstock.engine.graph.functions import apply
from penstock.readers.reader import Reader
from penstock.readers.source import Source


class Squares(Source):
    """A source with nothing but what a source must have; samples divisible by 7 are bad."""

    def __len__(self):
        return 20

    def read(self, indices, allocate):
        if (indices % 7 == 0).any():
            raise OSError("bad")
        return ([np.full(3, i * i) for i in indices.tolist()],)

    def where(self, index):
        return f"square {index}"


class SquareReader(Reader):
    """A reader with nothing but what a reader must have."""

    name = "toy.squares"

    def open_source(self):
        return Squares()


def run_squares(batches=4, **options):
    def define():
        return apply(SquareReader, (), {"random_shuffle": True}, None)

    with pipeline_def(define, batch_size=5, num_threads=1, **options)() as pipe:
        return [pipe.run()[0] for _ in range(batches)]


def test_a_reader_needs_no_placeholder_of_its_own():
    found = run_squares(on_error="skip")
    values = sorted({int(row[0]) for batch in found for row in batch.as_array()})
    assert values == sorted(i * i for i in range(20) if i % 7)


def test_bad_samples_are_named():
    with pytest.raises(OSError, match="bad") as caught:
        run_squares()
    assert any("square" in note for note in caught.value.__notes__)


class OneByOne(Squares):
    """A source with a fault: it cannot read several samples."""

    def read(self, indices, allocate):
        return ([np.full(3, indices.item() ** 2)],)


class OneByOneReader(SquareReader):
    """A reader of that source."""

    name = "toy.one_by_one"

    def open_source(self):
        return OneByOne()


def test_a_source_that_fails_for_batches_alone_is_told():
    def define():
        return apply(OneByOneReader, (), {}, None)

    with (
        pipeline_def(define, batch_size=5, num_threads=1)() as pipe,
        pytest.warns(RuntimeWarning, match=r"OneByOne\.read fails .* with ValueError") as warned,
    ):
        found = [int(row[0]) for _ in range(4) for row in pipe.run()[0].as_array()]
    assert found == [i * i for i in range(20)]
    assert len(warned) == 1


def order(files, batches=2, **arguments):
    def define():
        return fn.readers.file(files=files, **arguments)[1]

    with pipeline_def(define, batch_size=16, num_threads=1)() as pipe:
        return [pipe.run()[0].as_array().reshape(-1).tolist() for _ in range(batches)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"shuffle_after_epoch_seed": 3}, {"shuffle_seed": 3}),
        ({"seed": 3}, {"shuffle_seed": 3}),
        ({"seed": 4, "shuffle_seed": 3}, {"shuffle_seed": 3}),
        ({"seed": -1}, {}),
        ({"seed": 5, "shuffle_seed": 0}, {}),
    ],
)
def test_which_seed_gives_the_order(photo_tree, one, other):
    def shuffled(seeds):
        return order(photo_tree.files, random_shuffle=True, **seeds)

    assert shuffled(one) == shuffled(other)
    assert shuffled({"seed": 99}) != shuffled(one)


def test_a_rank_that_sticks_to_its_shard_reads_the_same_samples_in_every_epoch(photo_tree):
    files = photo_tree.files
    for rank in range(2):
        epochs = order(
            files, 4, random_shuffle=True, stick_to_shard=True, num_shards=2, shard_id=rank
        )
        own = set(range(len(files) * rank // 2, len(files) * (rank + 1) // 2))
        assert set(epochs[0] + epochs[1]) == set(epochs[2] + epochs[3]) == own
        assert epochs[:2] != epochs[2:]
