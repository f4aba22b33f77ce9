"""Which batches are read together and ahead, and that this changes no sample."""

from itertools import chain

import numpy as np
import pytest

from penstock import fn, pipeline_def
from penstock.engine.order.block_permutation import Blocks
from penstock.engine.order.length_classes import LengthClasses
from penstock.engine.order.order import Order
from penstock.engine.order.rounds import Rounds
from penstock.engine.order.sampler import Sampler
from penstock.engine.tensors.memory import SlabPool
from penstock.engine.work.batch import Batch
from penstock.readers.block_reads import BlockReads
from penstock.readers.interrupt import Interrupt
from penstock.readers.reading import window
from penstock.readers.reading.carriers import Inline, Threads
from penstock.readers.reading.window import ReadWindow

SIDE = 50_000


class Reads:
    """Sample i is SIDE bytes of value i % 256, the same as a list, and the number i."""

    def __init__(self, bad=()):
        self.bad = bad
        self.sizes = []

    def read(self, indices, allocate):
        self.sizes.append(len(indices))
        if set(self.bad) & set(indices.tolist()):
            raise OSError("bad")
        block = allocate((len(indices), SIDE), np.uint8)
        block[:] = indices[:, None] % 256
        return block, list(block), indices.copy()


class Groups:
    """Batches by way of groups, checked one by one."""

    def __init__(self, reads, size=200, batch_size=4, budget=1 << 40, **options):
        self.batch_size = batch_size
        self.sampler = Sampler(size, batch_size, **options)
        self.pool = SlabPool(budget=budget)
        self.window = ReadWindow(self.sampler, Inline(reads, grouped=True))

    def assert_right(self, number):
        """Select and read a batch, and assert that it is right; return it with its columns."""
        expected = self.sampler.select(number)
        found = self.window.select(number)
        for name in ("index", "epoch", "position", "valid"):
            np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
        batch = Batch(number, self.batch_size, self.pool, seed=0)
        columns = dense, listed, numbers = self.window.take(batch, found)
        np.testing.assert_array_equal(numbers, expected.index)
        np.testing.assert_array_equal(
            dense[:, ::99], np.tile(expected.index[:, None] % 256, len(dense[0, ::99]))
        )
        np.testing.assert_array_equal(np.stack(listed)[:, ::99], dense[:, ::99])
        return batch, columns


@pytest.fixture(autouse=True)
def _any_speed(limited):
    """Let this machine be as slow as it likes."""
    limited(ReadWindow, seconds=1e9)


def test_groups_grow_from_one_batch_to_what_pays(limited):
    limited(ReadWindow, nbytes=1 << 40)
    reads = Reads()
    groups = Groups(reads, size=4000)
    for number in range(800):
        groups.assert_right(number)
    assert reads.sizes[:6] == [4, 8, 16, 32, 64, 128]
    assert max(reads.sizes) == 1024
    assert groups.window.decisions["reads"].setting == "256 batches at once"
    assert groups.window.decisions["reads"].reading.startswith("128 took ")


def test_batches_of_several_sizes_are_read_together(limited):
    limited(ReadWindow, nbytes=1 << 40)
    lengths = np.random.default_rng(0).integers(1, 40, 500)
    classes = LengthClasses(lengths, budget=40, buckets=6, most=64)
    reads = Reads()
    groups = Groups(reads, size=500)
    groups.sampler = Rounds(classes, 64, shuffle=True)
    groups.window = ReadWindow(groups.sampler, Inline(reads, grouped=True))
    steps = groups.sampler.sizes(0)[0] // 64
    for number in [*range(steps + 20), 3, 4, 90, 5]:
        groups.assert_right(number)
    assert len(reads.sizes) < steps / 4
    assert max(reads.sizes) > 100


def test_large_batches_are_read_alone():
    reads = Reads()
    groups = Groups(reads, size=4000, batch_size=600)
    for number in range(4):
        groups.assert_right(number)
    assert reads.sizes == [600] * 4


def test_slow_storage_is_read_batch_by_batch(limited):
    reads = Reads()
    groups = Groups(reads)
    for number in range(3):
        groups.assert_right(number)
    assert reads.sizes == [4, 8]
    limited(ReadWindow, seconds=1e-9)
    for number in range(3, 12):
        groups.assert_right(number)
    assert reads.sizes == [4, 8, 16, 8, 4, 4, 4]


@pytest.mark.parametrize(("room", "most"), [(1 << 40, 256), (20 * 4 * SIDE, 8), (0, 4)])
def test_a_group_takes_a_share_of_the_room_and_counts(room, most):
    reads = Reads()
    groups = Groups(reads, size=1000, budget=room)
    taken = [groups.assert_right(number)[0].memory.taken_bytes for number in range(100)]
    assert max(reads.sizes) == most
    assert sum(taken) == sum(reads.sizes) * SIDE
    assert groups.pool.lent_bytes <= groups.pool.empty((most * SIDE,)).base.nbytes * 2


def test_memory_comes_back_with_the_last_batch():
    groups = Groups(Reads())
    held = [groups.assert_right(number) for number in range(3)]
    assert groups.pool.lent_bytes > 0
    del held
    assert groups.pool.lent_bytes == 0
    groups.assert_right(3)
    assert groups.pool.lent_bytes > 0
    groups.window.close()
    assert groups.pool.lent_bytes == 0


@pytest.mark.parametrize(
    "options",
    [
        {"shuffle": True},
        {"shuffle": True, "shard_id": 1, "num_shards": 3},
        {"pad_last_batch": True, "num_shards": 3},
        {"stick_to_shard": True, "num_shards": 2},
    ],
)
def test_any_number_at_any_time(options):
    groups = Groups(Reads(), size=101, **options)
    for number in [0, 1, 2, 3, 4, 2, 3, 40, 41, 42, 43, 44, 3, 3, 8, *range(60, 120)]:
        groups.assert_right(number)


def test_no_sample_lies_in_two_batches():
    reads = Reads()
    groups = Groups(reads, size=10)
    for number in range(40):
        _, (dense, _, _) = groups.assert_right(number)
        dense[:] = 255  # `assert_right` would see it in the next one
    assert max(reads.sizes) == 8


def test_a_group_ends_before_a_sample_that_comes_again():
    reads = Reads()
    groups = Groups(reads, size=44)
    for number in range(48):
        groups.assert_right(number)
    assert reads.sizes == [4, 8, 16, 32, 44, 44, 44]


def test_changes_to_a_selection_stay_in_that_selection():
    groups = Groups(Reads())
    groups.assert_right(0)
    selection = groups.window.select(1)
    selection.index[:] = 77
    selection.valid[:] = False
    groups.assert_right(1)


def test_a_batch_that_fails_leaves_the_others_of_its_group():
    reads = Reads(bad=[30])
    groups = Groups(reads)
    for number in range(7):
        groups.assert_right(number)
    with pytest.raises(OSError, match="bad"):
        groups.assert_right(7)
    for number in range(8, 16):
        groups.assert_right(number)
    assert reads.sizes == [4, 8, 16, 32, 4, 4, 8, 16, 32]
    with pytest.raises(OSError, match="bad"):
        groups.assert_right(7)
    reads.bad = ()
    groups.assert_right(7)


def test_selections_are_those_of_the_sampler(tuned):
    tuned(window, SAMPLES_AT_ONCE=20)
    sampler = Sampler(23, 3, shuffle=True, seed=5)
    made = ReadWindow(sampler, Inline(Reads()))
    for batch, batches in ((0, 1), (1, 1), (2, 4), (6, 1), (7, 1), (30, 9), (2, 2), (33, 1)):
        found, expected = made.select(batch, batches), sampler.select(batch, batches)
        for name in ("index", "epoch", "position", "valid"):
            np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


def test_a_short_run_of_a_small_data_set_selects_few_epochs(monkeypatch):
    asked = []

    def select(self, batch, batches=1):
        asked.append(batches * self.batch_size)
        return Order.select(self, batch, batches)

    monkeypatch.setattr(Sampler, "select", select)
    made = ReadWindow(Sampler(3, 2, shuffle=True), Inline(Reads()))
    for number in range(8):
        made.select(number)
    assert sum(asked) <= 100
    for number in range(8, 9000):
        made.select(number)
    assert len(asked) < 15


class Squares:
    """A source whose sample i is i * i."""

    def __len__(self):
        return 30

    def read(self, indices, allocate):
        column = allocate((len(indices), 1), np.int64)
        column[:, 0] = indices**2
        return (column,)


BLOCKS = Blocks(4, 2)


@pytest.mark.parametrize("blocks", [None, BLOCKS])
@pytest.mark.parametrize(("depth", "grouped"), [(0, True), (0, False), (3, False), (2, True)])
def test_a_batch_follows_from_its_number(depth, grouped, blocks):
    sampler = Sampler(30, 4, shuffle=True, seed=5, blocks=blocks)
    source = Squares() if blocks is None else BlockReads(Squares(), blocks)
    carrier = Threads(source, depth, Interrupt()) if depth else Inline(source)
    carrier.grouped = grouped
    reads = ReadWindow(sampler, carrier)
    pool = SlabPool()
    for number in [0, 1, 2, 7, 8, 2, 3, 4, 5, 6, 5, 9]:
        selection = reads.select(number)
        np.testing.assert_array_equal(selection.index, sampler.select(number).index)
        (column,) = reads.take(Batch(number, 4, pool, seed=0), selection)
        np.testing.assert_array_equal(np.ravel(column), selection.index**2)
    reads.close()
    reads.close()


@pytest.mark.parametrize("depth", [0, 1])
def test_several_batches_at_once(depth):
    sampler = Sampler(30, 4, shuffle=True)
    carrier = Threads(Squares(), depth, Interrupt()) if depth else Inline(Squares())
    carrier.grouped = True
    reads = ReadWindow(sampler, carrier)
    assert reads.takes_groups
    pool = SlabPool()
    for number, count in [(0, 2), (2, 2), (4, 1), (5, 1), (6, 4), (20, 8), (28, 1)]:
        selection = reads.select(number, count)
        (column,) = reads.take(Batch(number, 4 * count, pool, 0, 0, count), selection)
        np.testing.assert_array_equal(np.ravel(column), selection.index**2)
        np.testing.assert_array_equal(selection.index, sampler.select(number, count).index)
    reads.close()


@pytest.mark.parametrize("order", [[0, 1], [1, 0]])
def test_batches_that_are_selected_before_any_is_read(order):
    sampler = Sampler(30, 4)
    reads = ReadWindow(sampler, Inline(Squares()))
    selections = [reads.select(number) for number in range(2)]
    for number in order:
        (column,) = reads.take(Batch(number, 4, SlabPool(), seed=0), selections[number])
        np.testing.assert_array_equal(np.ravel(column), selections[number].index ** 2)


class Begun(Inline):
    """Keeps the selections that it was asked to read."""

    def __init__(self, source):
        super().__init__(source)
        self.selections = []

    def start(self, selection, memory):
        self.selections.append(selection)
        return super().start(selection, memory)


def test_reads_that_are_started_wait_for_their_turn():
    carrier = Begun(Squares())
    reads = ReadWindow(Sampler(30, 4), carrier)
    pool = SlabPool()
    batches = [Batch(number, 4, pool, seed=0) for number in range(3)]
    selections = []
    for batch in batches:
        selections.append(reads.select(batch.number))
        selections[-1].arguments["of"] = np.full(1, batch.number)
        assert not reads.start(batch, selections[-1])
    for batch, selection in zip(batches, selections, strict=True):
        (column,) = reads.take(batch, selection)
        np.testing.assert_array_equal(np.ravel(column), selection.index**2)
    assert [int(chosen.arguments["of"][0]) for chosen in carrier.selections] == [0, 1, 2]


@pytest.fixture
def paths(tmp_path):
    for number in range(100):
        (tmp_path / f"{number:03}").write_bytes(bytes([number]) * 3)
    return [str(tmp_path / f"{number:03}") for number in range(100)]


def make(paths, on_error="skip", checkpoint=None, **options):
    @pipeline_def(
        batch_size=4, num_threads=1, on_error=on_error, enable_checkpointing=True,
        checkpoint=checkpoint,
    )  # fmt: skip
    def pipeline():
        return fn.readers.file(files=paths, random_shuffle=True, **options)

    return pipeline()


def run(pipe, batches):
    found = []
    for _ in range(batches):
        contents, labels = pipe.run()
        rows = [int(content[0]) for content in map(np.asarray, contents)]
        assert [int(np.asarray(label)[0]) for label in labels] == rows
        assert [int(source[-3:]) for source in contents.source_info()] == rows
        found.append(rows)
    return found


def test_a_pipeline_gives_the_same_as_without_groups(paths):
    with make(paths) as grouped, make(paths, prefetch_queue_depth=0) as single:
        assert run(grouped, 80) == run(single, 80)


def test_a_missing_file_spoils_its_own_sample_only(paths, tmp_path):
    with make(paths) as pipe:
        whole = list(chain.from_iterable(run(pipe, 25)))
    (tmp_path / "005").unlink()
    with make(paths) as pipe:
        found = list(chain.from_iterable(run(pipe, 25)))
    assert [a for a, b in zip(whole, found, strict=True) if a != b] == [5]


def test_an_error_comes_with_its_batch(paths, tmp_path):
    with make(paths) as pipe:
        whole = run(pipe, 25)
    bad = next(number for number, batch in enumerate(whole) if 5 in batch)
    (tmp_path / "005").unlink()
    with make(paths, on_error="raise") as pipe:
        assert run(pipe, bad) == whole[:bad]
        with pytest.raises(FileNotFoundError):
            pipe.run()


@pytest.mark.parametrize("stop", [1, 9, 17, 26])
def test_a_checkpoint_within_a_group(paths, stop):
    with make(paths) as pipe:
        run(pipe, stop)
        saved = pipe.checkpoint()
        rest = run(pipe, 20)
    with make(paths, checkpoint=saved) as pipe:
        assert run(pipe, 20) == rest
