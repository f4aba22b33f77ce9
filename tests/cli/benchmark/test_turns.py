"""Two pipelines side by side, with speeds that are known."""

from __future__ import annotations

from penstock.cli.benchmark import turns

from .test_measure import Steady


def test_two_pipelines_take_turns(monkeypatch):
    monkeypatch.setattr(turns.gc, "collect", lambda: 0)  # takes long among the tests' objects
    made, announced = [], []

    def opener(seconds):
        def open_():
            made.append(seconds)
            return Steady(seconds)

        return open_

    comparison = turns.compare(opener(0.003), opener(0.015), 0.3, announced.append)
    assert made == [0.003, 0.015] * 3
    assert announced == ["round 1 of 3", "round 2 of 3", "round 3 of 3"]
    assert 1.5 < comparison.ratio < 5.5
    assert comparison.lowest <= comparison.ratio <= comparison.highest
    assert comparison.ours > comparison.theirs
    assert comparison.speed.samples > 0
    assert comparison.their_first_batch_s > 0
