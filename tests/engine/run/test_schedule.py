"""The schedule starts each batch once, and those of failed groups again before any other."""

from types import SimpleNamespace

from penstock.engine.control.readings import Readings
from penstock.engine.run.budget import Budget
from penstock.engine.run.config import PipelineConfig
from penstock.engine.run.delivery import DeliveryQueue
from penstock.engine.run.schedule import Schedule

READINGS = Readings(5, 2, 3)


class Run:
    """A run whose consumer takes batches as the test says."""

    def __init__(self, count=1, sources=(), readers=(), room=1000):
        sources = tuple(SimpleNamespace(operator=source) for source in sources)
        readers = tuple(SimpleNamespace(operator=reader) for reader in readers)
        plan = SimpleNamespace(
            uses_gpu=False, sources=sources, readers=readers, nodes=(*sources, *readers)
        )
        self.delivery = DeliveryQueue()
        pool = SimpleNamespace(budget=room, room=room)
        budgets = [Budget(pool, lambda batch: batch.bytes)]
        self.schedule = Schedule(plan, PipelineConfig(4), budgets, self.delivery, {})
        self.chosen = []
        self.schedule.grouping.most = 8
        self.set(together=count)
        self.schedule.grouping.choose = self.chosen.append

    def set(self, **setting):
        """Have the rule choose a setting."""
        grouping = self.schedule.grouping
        grouping.groups = grouping.groups._replace(**setting)

    def started(self, *, launched, taken=0):
        """Start all batches that may start."""
        self.schedule.launched, self.delivery.delivered = launched, taken
        found = []
        while self.schedule.may_start():
            found.append(list(self.schedule.start(READINGS)))
        return found

    def fail(self, number, count):
        group = SimpleNamespace(number=number, count=count, end=OSError())
        self.schedule.compute_parts(group)


def test_batches_start_as_the_consumer_asks_for_them():
    made = Run()
    assert made.started(launched=0) == []
    assert made.started(launched=3) == [[0], [1], [2]]
    assert made.started(launched=3, taken=2) == []
    assert made.started(launched=4, taken=2) == [[3]]
    assert made.chosen == [READINGS] * 4


def test_groups_count_like_batches():
    made = Run(count=4)
    assert made.started(launched=2) == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert made.started(launched=4, taken=2) == [[8, 9, 10, 11]]


def test_two_groups_are_under_way_while_the_consumer_hardly_waits():
    made = Run(count=4)
    made.set(is_calm=True)
    assert made.started(launched=1) == [[0, 1, 2, 3]]
    assert made.started(launched=4) == [[4, 5, 6, 7]]
    assert made.started(launched=5, taken=1) == [[8, 9, 10, 11]]
    assert made.started(launched=8, taken=4) == []
    made.set(is_calm=False)
    assert made.started(launched=8, taken=4) == [[12, 13, 14, 15], [16, 17, 18, 19]]
    small = Run(count=1)
    small.set(is_calm=True)
    assert small.started(launched=4) == [[0], [1], [2], [3]]


def test_parts_of_a_failed_group_start_first():
    made = Run(count=3)
    assert made.started(launched=1) == [[0, 1, 2]]
    made.fail(0, 3)
    assert made.started(launched=1) == [[0], [1], [2]]
    assert len(made.chosen) == 1
    assert made.started(launched=4, taken=1) == [[3]]


def test_a_restart():
    made = Run()
    made.started(launched=5)
    made.schedule.restart(3)
    assert made.started(launched=3, taken=3) == []
    assert made.started(launched=4, taken=3) == [[3]]


def test_batches_that_are_read_at_once_count_like_one():
    at_once = iter([3] * 7 + [1])
    made = Run(readers=[SimpleNamespace(read_at_once=lambda: next(at_once))])
    assert made.started(launched=2) == [[0], [1], [2], [3], [4], [5]]
    assert made.started(launched=4, taken=4) == []


def test_while_held_only_parts_of_failed_groups_start():
    made = Run(count=2)
    assert made.started(launched=1) == [[0, 1]]
    assert made.schedule.hold() == 2
    assert made.started(launched=3) == []
    assert not made.schedule.start(READINGS)
    made.fail(0, 2)
    assert made.started(launched=3) == [[0], [1]]
    assert made.schedule.hold() == 2
    made.schedule.restart(1)
    assert made.started(launched=2, taken=1) == [[1]]


def test_a_batch_waits_until_its_sources_are_fed():
    queued = [0]
    waiting = SimpleNamespace(waits_for_feed=True, available=lambda: queued[0])
    other = SimpleNamespace(waits_for_feed=False, available=lambda: 0)
    made = Run(sources=[waiting, other])
    assert made.started(launched=1) == []
    queued[0] = 1
    assert made.started(launched=1) == [[0]]


def test_a_batch_waits_for_memory_unless_the_consumer_waits_for_the_batch():
    made = Run(room=5)
    assert made.started(launched=2) == [[0], [1]]
    schedule = made.schedule
    assert schedule.is_short_of_memory()  # what a batch needs is not known
    assert not schedule.knows_need
    schedule.learn(SimpleNamespace(bytes=6, count=1))
    assert schedule.knows_need
    assert schedule.is_short_of_memory()
    made.delivery.delivered = 2
    assert not schedule.is_short_of_memory()
