"""Whether one more batch fits is judged by those before it."""

from __future__ import annotations

from types import SimpleNamespace

from penstock.engine.run.budget import Budget


def test_nothing_is_begun_before_it_is_known_what_a_batch_takes():
    budget = Budget(SimpleNamespace(budget=1 << 41, room=1 << 40), lambda batch: batch.bytes)
    assert budget.is_short([])
    assert not budget.known
    budget.learn(SimpleNamespace(bytes=3, count=1))
    assert budget.known
    assert not budget.is_short([])


def test_batches_under_way_are_owed_what_they_lack():
    pool = SimpleNamespace(budget=120, room=99)
    budget = Budget(pool, lambda batch: batch.bytes)
    assert budget.limit == 120
    budget.learn(SimpleNamespace(bytes=40, count=1))
    budget.learn(SimpleNamespace(bytes=10, count=1))
    under_way = [SimpleNamespace(bytes=20, count=1)]
    assert not budget.is_short(under_way)
    assert budget.is_short([*under_way, SimpleNamespace(bytes=0, count=1)])
    assert not budget.is_short([SimpleNamespace(bytes=90, count=1)] * 5)
    pool.room = 39
    assert budget.is_short([])
