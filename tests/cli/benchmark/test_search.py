"""The search for a setting, with pipelines whose speed is known, on a clock of its own."""

from __future__ import annotations

import random

import pytest

from penstock.cli.benchmark import search as search_module
from penstock.cli.benchmark.search import Search, choices_of, enough_turns
from penstock.engine.errors import PenstockError


class Machine:
    """Runs settings: at some rate, with noise, while the machine's speed changes.

    A turn lasts a second of the clock.
    """

    def __init__(self, rate_of, noise=0.0, seed=0):
        self.now, self.turns = 0.0, 0
        self._rate_of, self._noise, self._random = rate_of, noise, random.Random(seed)

    def __call__(self, setting):
        self.now += 1
        self.turns += 1
        rate = self._rate_of(setting)
        busy = 0.5 if self.now % 40 > 20 else 1.0
        return rate * busy * self._random.lognormvariate(0, self._noise)


@pytest.fixture
def search_on(monkeypatch):
    def search_on(machine):
        monkeypatch.setattr(search_module, "perf_counter", lambda: machine.now)
        return Search(machine)

    return search_on


def rate_of(setting):
    """The rate of a machine with 8 cores, whose threads wait for the GIL; 1,060 at best."""
    threads = setting.get("num_threads", 1)
    limit = 8 if setting.get("exec_processes") else 3
    return 125 * min(threads, limit) + 20 * min(setting.get("prefetch_queue_depth", 1), 3)


@pytest.mark.parametrize("seed", range(10))
def test_the_fastest_setting_is_found_among_noise(search_on, seed):
    machine = Machine(rate_of, noise=0.1, seed=seed)
    choices = choices_of(8, {}, present={}, has_python_workers=False)
    best = search_on(machine).fastest(choices, 135)
    assert rate_of(best) > 0.95 * 1060
    assert machine.turns <= 140


def test_a_setting_that_fails_is_skipped(search_on):
    def failing(setting):
        if setting.get("exec_processes"):
            raise PenstockError("a lambda cannot be pickled")
        return rate_of(setting)

    search = search_on(Machine(failing))
    best = search.fastest(choices_of(4, {}, present={}, has_python_workers=False), 100)
    assert (best["num_threads"], best["exec_processes"]) in {(n, False) for n in (3, 4, 6, 8)}
    assert len(search.failures) == 5
    assert all(trial.setting["exec_processes"] for trial in search.failures)


def test_an_error_of_all_settings_is_raised(search_on):
    def failing(setting):
        raise PenstockError(f"no such folder, {setting}")

    with pytest.raises(PenstockError, match=r"no such folder, \{\}"):
        search_on(Machine(failing)).fastest(
            choices_of(2, {}, present={}, has_python_workers=False), 10
        )


def test_the_pipeline_stays_as_it_is_if_nothing_is_clearly_faster(search_on):
    machine = Machine(lambda setting: 100 + bool(setting))
    assert (
        search_on(machine).fastest(choices_of(2, {}, present={}, has_python_workers=True), 100)
        == {}
    )


def test_the_time_is_kept(search_on):
    machine = Machine(rate_of)
    search = search_on(machine)
    search.fastest(choices_of(64, {}, present={}, has_python_workers=False), 6)
    assert machine.now <= 8
    assert sum(not trial.rates for trial in search.trials) > 10


def test_values_that_are_given_take_the_place_of_the_usual_ones():
    tried = {"num_threads": [3], "load": [0.5, 1]}
    choices = choices_of(8, tried, present={}, has_python_workers=False)
    assert choices[0] == [
        {"num_threads": 3, "exec_processes": False},
        {"num_threads": 3, "exec_processes": True},
    ]
    assert choices[-1] == [{"load": 0.5}, {"load": 1}]
    usual = choices_of(8, {}, present={"prefetch_queue_depth": 4}, has_python_workers=False)
    assert {"num_threads": 8, "exec_processes": True} in usual[0]
    assert usual[1] == [{"prefetch_queue_depth": depth} for depth in (2, 8, 1)]


class Task:
    """A made-up pipeline on a made-up machine, and the worst of twenty settings to begin with."""

    def __init__(self, seed):
        chance = random.Random(seed)
        self.cores = chance.choice([2, 8, 16, 64])
        self.gil = chance.uniform(0.02, 0.5)  # the part of the work that holds the GIL
        self.processes = chance.uniform(0.75, 1.02)  # the speed of a process, in that of a thread
        self.crowd = chance.uniform(0, 0.1)  # what twice as many workers as cores cost
        self.waits = chance.uniform(0.01, 0.3)  # of all cores, with four batches ahead
        self.memory = chance.uniform(0, 0.02)  # what a batch ahead costs
        workers, depths = self.choices({})
        settings = [worker | depth for worker in workers for depth in depths]
        self.present = min(chance.choices(settings, k=20), key=self.rate_of)
        self.best = max(map(self.rate_of, settings))

    def choices(self, present):
        return choices_of(self.cores, {}, present=present, has_python_workers=False)

    def rate_of(self, setting):
        threads, depth = setting["num_threads"], setting["prefetch_queue_depth"]
        busy = min(threads, self.cores)
        rate = busy * self.processes if setting["exec_processes"] else min(busy, 1 / self.gil)
        rate /= 1 + self.crowd * max(0, threads - self.cores) / self.cores
        return rate / (1 + self.waits * busy / self.cores * 4 / depth) * (1 - self.memory * depth)


@pytest.mark.parametrize("noise", [0.03, 0.1])
def test_95_of_100_searches_end_within_5_percent_of_the_fastest(search_on, noise):
    near = 0
    for seed in range(100):
        task = Task(seed)
        machine = Machine(lambda each, task=task: task.rate_of(task.present | each), noise, seed)
        found = search_on(machine).fastest(task.choices(task.present), enough_turns(noise))
        near += task.rate_of(task.present | found) > 0.95 * task.best
    assert near >= 95


def test_the_noise_of_the_turns_is_told(search_on):
    for noise in (0.05, 0.2):
        search = search_on(Machine(rate_of, noise))
        search.fastest(choices_of(8, {}, present={}, has_python_workers=False), 1000)
        assert noise / 1.4 < search.noise < noise * 1.4
    assert Search(len).noise == 0
