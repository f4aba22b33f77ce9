"""`bench` and `tune` give one advice, on a machine at rest and beside other programs."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from penstock.cli.benchmark import advice
from penstock.cli.benchmark.advice import CLEAR, Tried, advised, as_arguments, try_setting
from penstock.cli.tune import _Tuned
from penstock.engine.errors import PenstockError
from penstock.engine.machine import usable_cores

from .test_report import COMPARISON, SPEED

WORKERS = {"exec_processes": True}
ALL_CORES = float(usable_cores())


@pytest.mark.parametrize(
    ("ratio", "other_cores", "is_advised"),
    [
        (1.4, 0.0, True),
        (CLEAR, 0.0, False),
        (0.7, 0.0, False),
        (1.4, ALL_CORES, False),
        (0.7, ALL_CORES, False),
    ],
)
def test_the_two_commands_agree(ratio, other_cores, is_advised):
    comparison = replace(COMPARISON, ratio=ratio)
    bench = Tried(WORKERS, comparison, other_cores=other_cores)
    tune = _Tuned(WORKERS, comparison, (), 0.0, 60.0, other_cores)
    assert bench.advised == tune.advised == (WORKERS if is_advised else {})


def test_a_pipeline_that_fails_as_it_is_gets_a_setting():
    assert advised(WORKERS, None, 0.0) == WORKERS


@pytest.fixture
def compared(monkeypatch):
    """The settings that were compared: a comparison runs no pipeline, but opens both."""
    opened = []

    def compare(ours, theirs, seconds, tick):
        opened.extend((ours(), theirs()))
        return COMPARISON

    monkeypatch.setattr(advice, "compare", compare)
    monkeypatch.setattr(advice.OtherPrograms, "cores", lambda self: 0.0)
    return opened


def limited(setting, other_cores=0.0):
    figures = SimpleNamespace(limit=SimpleNamespace(setting=setting))
    return replace(SPEED, figures=figures, other_cores=other_cores)


def test_the_setting_of_the_limit_is_tried(compared):
    tried = try_setting(dict, limited(WORKERS), 1.0, print)
    assert compared == [WORKERS, {}]
    assert tried.advised == WORKERS
    assert as_arguments(tried.setting) == "exec_processes=True"


@pytest.mark.parametrize("speed", [limited({}), limited(WORKERS, ALL_CORES)])
def test_nothing_is_tried_without_a_setting_or_beside_other_programs(compared, speed):
    assert try_setting(dict, speed, 1.0, print) is None
    assert compared == []


def test_a_setting_that_fails_is_not_advised(compared):
    def fails(setting):
        raise PenstockError("no processes here")

    tried = try_setting(fails, limited(WORKERS), 1.0, print)
    assert tried.advised == {}
    assert "no processes here" in str(tried.error)
