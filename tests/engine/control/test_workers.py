"""The choice of workers, over synthetic measurements of light, middle and heavy samples."""

from __future__ import annotations

import pytest

from penstock.engine.control.workers import WorkerChoice, WorkerLimits, WorkerLoad, decide, judge
from penstock.engine.run.workers.choice import Chooser

LIMITS = WorkerLimits()

MS = 1_000_000
GIL_MS = 0.35  # for which a sample needs the GIL in one of several threads, handovers included
MESSAGE_MS = 0.035  # of the pipeline's own process, for a sample in a worker process
CROWD = 0.04  # by which each thread beyond the first lengthens the time with the GIL


def thread_rate(cpu_ms, threads):
    """Samples a second of so many threads on as many cores: the GIL bounds their number."""
    if threads == 1:
        return 1000 / cpu_ms
    return min(threads * 1000 / cpu_ms, 1000 / (GIL_MS * (1 + CROWD * (threads - 1))))


def process_rate(cpu_ms, count):
    return min(count * 1000 / (cpu_ms + 0.05), 1000 / MESSAGE_MS)


def load(cpu_ms, threads, seconds=1.0, rate=None):
    """What threads that are never idle measure in so many seconds."""
    rate = thread_rate(cpu_ms, threads) if rate is None else rate
    rows = int(rate * seconds)
    return WorkerLoad(rows, int(threads * seconds * 1000 * MS), int(rows * cpu_ms * MS))


def outcome(cpu_ms, workers):
    """The rate after the decision, and the best one."""
    few = min(workers, LIMITS.first_threads)
    scalable = workers > 1
    choice = decide(load(cpu_ms, few), few, LIMITS, scalable=scalable)
    rates = {
        WorkerChoice.KEEP: thread_rate(cpu_ms, few),
        WorkerChoice.ALL_THREADS: thread_rate(cpu_ms, workers),
        WorkerChoice.PROCESSES: process_rate(cpu_ms, workers),
    }
    possible = rates if scalable else {k: r for k, r in rates.items() if k.name != "PROCESSES"}
    return rates[choice], max(possible.values())


@pytest.mark.parametrize("workers", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("cpu_ms", [0.2, 1.5, 2.5, 4, 20])
def test_the_choice_is_nearly_the_best(cpu_ms, workers):
    chosen, best = outcome(cpu_ms, workers)
    assert chosen >= 0.93 * best


@pytest.mark.parametrize("cpu_ms", [0.2, 1.5, 4])
def test_waiting_for_the_gil_does_not_make_samples_heavy(cpu_ms):
    """Eight threads that wait for one another take ten times as long for each sample."""
    crowded = load(cpu_ms, 8, rate=thread_rate(cpu_ms, 8) / 10 if cpu_ms > 1 else 500)
    assert crowded.busy_ns > 5 * MS * crowded.rows
    assert decide(crowded, 8, LIMITS, scalable=True) == WorkerChoice.PROCESSES


@pytest.mark.parametrize("cpu_ms", [0.2, 1.5, 4, 20])
def test_the_choice_is_made_within_the_first_second(cpu_ms):
    assert decide(load(cpu_ms, 8, seconds=0.9), 8, LIMITS, scalable=True) != WorkerChoice.KEEP


def test_little_work_decides_nothing():
    assert decide(WorkerLoad(), 8, LIMITS, scalable=True) == WorkerChoice.KEEP
    assert decide(load(1.5, 8, seconds=0.1), 8, LIMITS, scalable=True) == WorkerChoice.KEEP
    assert decide(WorkerLoad(3, 60 * MS, 60 * MS), 8, LIMITS, scalable=True) == WorkerChoice.KEEP


def test_heavy_work_in_pure_python_goes_to_processes():
    """A sample of 20 ms that holds the GIL throughout: eight threads do the work of one."""
    python = load(20, 8, rate=50)
    assert decide(python, 8, LIMITS, scalable=True) == WorkerChoice.PROCESSES


@pytest.mark.parametrize(
    ("cpu_ms", "threads", "computing", "choice"),
    [
        (0.5, 2, 0.6, WorkerChoice.PROCESSES),
        (2.5, 2, 0.8, WorkerChoice.PROCESSES),
        (2.5, 2, 0.9, WorkerChoice.ALL_THREADS),
        (20, 2, 0.7, WorkerChoice.PROCESSES),  # other programs may use the cores
        (20, 3, 0.95, WorkerChoice.PROCESSES),
    ],
)
def test_two_threads_stay_where_they_hardly_wait(cpu_ms, threads, computing, choice):
    busy = load(cpu_ms, threads, rate=threads * computing * 1000 / cpu_ms)
    assert decide(busy, threads, LIMITS, scalable=True) == choice


def test_heavy_samples_get_all_threads_where_processes_are_impossible():
    assert decide(load(20, 8), 8, LIMITS, scalable=False) == WorkerChoice.ALL_THREADS
    assert decide(load(4, 8), 8, LIMITS, scalable=False) == WorkerChoice.KEEP


def test_samples_that_wait_for_a_server_get_all_threads():
    waiting = WorkerLoad(40, 40 * 20 * MS, 40 * MS // 10)
    assert decide(waiting, 8, LIMITS, scalable=False) == WorkerChoice.ALL_THREADS
    light = WorkerLoad(4000, 40 * 20 * MS, 40 * MS // 10)
    assert decide(light, 8, LIMITS, scalable=False) == WorkerChoice.KEEP


@pytest.mark.parametrize(
    ("rates", "choice"),
    [
        ([], None),
        ([500.0, 1000.0], None),
        ([500.0, 1400.0], WorkerChoice.KEEP),
        ([500.0, 1000.0, 1200.0, 1300.0], WorkerChoice.FEW_THREADS),
        ([500.0, 1400.0, 900.0, 900.0], WorkerChoice.KEEP),
    ],
)
def test_processes_that_turn_out_slower_are_given_up(rates, choice):
    assert judge(rates, 1500, LIMITS) == choice


def test_loads_add_up():
    one, two = WorkerLoad(1, 20, 3), WorkerLoad(4, 50, 6)
    assert one + two == WorkerLoad(5, 70, 9)
    assert (one + two) - one == two
    assert WorkerLoad(10, 1000 * MS, 0).rate(4) == 40
    assert WorkerLoad().rate(4) == 0


def proven(rate, workers):
    """The load of one of some workers that do so many samples a second, after a second."""
    return WorkerLoad(int(rate / workers), 1000 * MS, 0)


def part_of(computing, seconds):
    """The load of one of two threads, at work for so long, that compute for a part of the time."""
    return WorkerLoad(int(200 * seconds), int(seconds * 1000 * MS), int(computing * seconds * 1e9))


def test_threads_suffice_if_they_do_so_twice():
    chooser = Chooser(2, scalable=True)
    assert chooser.observe(0, part_of(0.95, 0.5)) == WorkerChoice.KEEP
    assert chooser.observe(1, part_of(0.95, 0.5)) == WorkerChoice.KEEP
    assert chooser.observe(0, part_of(0.95, 1.0)) == WorkerChoice.KEEP
    assert chooser.observe(1, part_of(0.95, 1.0)) == WorkerChoice.ALL_THREADS
    assert not chooser.is_open


def test_threads_do_not_suffice_if_they_wait_once_they_are_warm():
    chooser = Chooser(2, scalable=True)
    for worker in range(2):
        chooser.observe(worker, part_of(0.95, 0.5))
    chooser.observe(0, part_of(0.85, 1.0))
    assert chooser.observe(1, part_of(0.85, 1.0)) == WorkerChoice.PROCESSES
    assert chooser.reading == "threads computed for 75% of their busy time"


def test_light_samples_get_processes_which_are_judged_once_they_work():
    chooser = Chooser(4, scalable=True)
    outcomes = [chooser.observe(i, load(0.3, 1)) for i in range(4)]
    assert WorkerChoice.PROCESSES in outcomes
    assert not chooser.is_open  # until the processes work
    chooser.judge_processes()
    assert chooser.is_open
    for i in range(4):
        assert chooser.observe(("process", i), proven(1e9, 4)) == WorkerChoice.KEEP
    assert not chooser.is_open


def test_processes_that_are_slower_than_threads_are_given_up():
    chooser = Chooser(2, scalable=True)
    while chooser.observe(0, load(0.3, 2)) != WorkerChoice.PROCESSES:
        pass
    chooser.judge_processes()
    outcomes = []
    total = [WorkerLoad(), WorkerLoad()]
    while chooser.is_open:
        for i in range(2):
            total[i] += proven(10, 2)
            outcomes.append(chooser.observe(("process", i), total[i]))
    assert outcomes[-1] == WorkerChoice.FEW_THREADS
    assert chooser.reading.startswith("10 samples/s, threads ")
    assert set(outcomes[:-1]) == {WorkerChoice.KEEP}


def test_where_processes_cannot_start_there_may_be_more_threads():
    chooser = Chooser(16, scalable=True)
    assert chooser.observe(0, load(0.3, 8)) == WorkerChoice.PROCESSES
    chooser.keep_threads()
    assert chooser.observe(0, load(20, 8)) == WorkerChoice.ALL_THREADS
    assert not chooser.is_open


@pytest.mark.parametrize("count", [1, 8, 9])
def test_more_threads_than_the_first_leave_a_choice(count):
    chooser = Chooser(count, scalable=False)
    assert chooser.is_open == (count > LIMITS.first_threads)
    assert chooser.first_threads == min(count, LIMITS.first_threads)
    assert not Chooser(count, scalable=False, started=True).is_open
