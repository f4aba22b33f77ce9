"""The schedule starts each batch once, and those of failed groups again before any other."""

from types import SimpleNamespace

from penstock.engine.run.schedule import Schedule


def schedule(count):
    chosen = []
    grouping = SimpleNamespace(count=count, choose=lambda *given: chosen.append(given))
    return Schedule(grouping), chosen


def started(schedule, taken):
    found = []
    while schedule.may_start(taken):
        first = schedule.first()
        assert schedule.start(taken, 5, 3) == first
        found.append(list(first))
    return found


def test_batches_start_as_the_consumer_asks_for_them():
    made, chosen = schedule(1)
    assert started(made, 0) == []
    made.launched = 3
    assert started(made, 0) == [[0], [1], [2]]
    assert started(made, 2) == []
    made.launched = 4
    assert started(made, 2) == [[3]]
    assert chosen == [(0, 5, 3)] * 3 + [(2, 5, 3)]


def test_groups_count_like_batches():
    made, _ = schedule(4)
    made.launched = 2
    assert started(made, 0) == [[0, 1, 2, 3], [4, 5, 6, 7]]
    made.launched = 4
    assert started(made, 2) == [[8, 9, 10, 11]]


def test_parts_of_a_failed_group_start_first():
    made, chosen = schedule(3)
    made.launched = 1
    started(made, 0)
    made.compute_apart([range(2), range(2, 3)])
    assert started(made, 0) == [[0, 1], [2]]
    made.launched = 2
    assert started(made, 1) == [[3, 4, 5]]
    assert len(chosen) == 2


def test_a_restart():
    made, _ = schedule(1)
    made.launched = 5
    started(made, 0)
    made.restart(3)
    assert not made.may_start(3)
    made.launched = 4
    assert started(made, 3) == [[3]]


def test_batches_that_are_read_at_once_count_like_one():
    made, _ = schedule(1)
    made.launched = 2
    while made.may_start(0, read_at_once=3):
        last = made.start(0, 5, 3)
    assert last == range(5, 6)
    assert started(made, 0) == []
    made.launched = 6
    assert started(made, 4) == []
    assert made.may_start(4, read_at_once=2)


def test_while_held_only_parts_of_failed_groups_start():
    made, _ = schedule(2)
    made.launched = 1
    assert started(made, 0) == [[0, 1]]
    made.launched = 3
    assert made.hold() == 2
    assert not made.may_start(0)
    assert not made.start(0, 5, 3)
    made.compute_apart([range(1), range(1, 2)])
    assert started(made, 0) == [[0], [1]]
    assert made.hold() == 2
    made.restart(1)
    made.launched = 2
    assert started(made, 1) == [[1, 2]]
