import gc
import os
import subprocess
import sys
import threading
import time
import weakref

import pytest

from penstock.engine import threads
from penstock.engine.threads import Team, wait_at_exit

from ..readers.processes import assert_soon


@pytest.fixture
def team():
    team = Team("penstock-test", 3)
    yield team
    team.close()
    assert wait_for_end() == []  # or the next test would count these threads


def own_names():
    return sorted(t.name for t in threading.enumerate() if t.name.startswith("penstock-test"))


def wait_for_end():
    deadline = time.monotonic() + 120
    while own_names() and time.monotonic() < deadline:
        time.sleep(0.01)
    return own_names()


def test_each_job_is_done_once(team):
    done = []
    team.run_jobs(done.append, range(1000))
    assert sorted(done) == list(range(1000))
    team.run_jobs(done.append, [])
    assert len(done) == 1000


def test_two_jobs_are_done_at_the_same_time(team):
    both = threading.Barrier(2)
    team.run_jobs(lambda _: both.wait(30), range(2))
    assert own_names() == ["penstock-test-0"]


def test_one_thread_is_the_caller_s(team):
    callers = set()
    team.run_jobs(lambda _: callers.add(threading.get_ident()), range(9), threads=1)
    assert callers == {threading.get_ident()}
    assert own_names() == []


@pytest.mark.parametrize("here", [True, False])
def test_an_exception_of_one_thread_ends_both(team, here):
    both = threading.Barrier(2)
    caller = threading.get_ident()
    done = []

    def work(job):
        if job < 2:
            both.wait(30)
            if here == (threading.get_ident() == caller):
                raise OSError("bad")
        done.append(job)

    with pytest.raises(OSError, match="bad"):
        team.run_jobs(work, [0, 1])
    assert len(done) == 1


class Buffer:
    """An object that jobs and results hold."""


def test_an_error_keeps_no_memory(team):
    def fail(_):
        raise OSError("bad")

    buffers = [Buffer(), Buffer()]
    held = [weakref.ref(buffer) for buffer in buffers]
    gc.disable()
    try:
        with pytest.raises(OSError, match="bad") as raised:
            team.run_jobs(fail, buffers)
        call = team.submit(fail, buffers.pop())
        with pytest.raises(OSError, match="bad") as second:
            call.result()
        del raised, second, call, buffers
        team.submit(int).result()
        # A thread of the team may be about to drop its call.
        assert_soon(lambda: not any(reference() for reference in held))
    finally:
        gc.enable()


def test_threads_keep_no_result(team):
    result = team.submit(Buffer).result()
    held = weakref.ref(result)
    team.submit(int).result()
    del result
    assert_soon(lambda: held() is None)


def test_results_and_exceptions_of_single_calls(team):
    calls = [team.submit(divmod, 7, number) for number in range(9)]
    with pytest.raises(ZeroDivisionError):
        calls[0].result()
    assert [call.result() for call in calls[1:]] == [divmod(7, number) for number in range(1, 9)]
    assert len(own_names()) <= 3


def test_calls_of_calls_end_although_all_threads_wait():
    team = Team("penstock-test", 1)

    def depth(levels):
        return 1 + team.submit(depth, levels - 1).result() if levels else 0

    def nested(_):
        team.run_jobs(lambda _: None, range(5))

    assert team.submit(depth, 20).result() == 20
    team.run_jobs(nested, range(20))
    team.close()
    assert wait_for_end() == []


def test_several_threads_may_use_one_team(team):
    results = [[], []]
    users = [
        threading.Thread(target=team.run_jobs, args=(result.append, range(500)))
        for result in results
    ]
    for user in users:
        user.start()
    for user in users:
        user.join()
    assert [sorted(result) for result in results] == [list(range(500))] * 2


def test_a_lack_of_memory_loses_no_job_in_silence(team, monkeypatch):
    def take_and_fail(call, work):
        raise MemoryError("no memory")

    monkeypatch.setattr(threads.TeamCall, "_make", take_and_fail)
    monkeypatch.setattr(threading, "excepthook", lambda _: None)
    call = team.submit(int)
    with pytest.raises(MemoryError, match="no memory"):
        call.result()


def test_a_cancelled_call_is_not_made():
    team, started, go_on, made = Team("penstock-test", 1), threading.Event(), threading.Event(), []

    def block():
        started.set()
        go_on.wait(30)

    first, second = team.submit(block), team.submit(made.append, 1)
    assert started.wait(30)
    assert second.end() is None
    go_on.set()
    assert first.result() is None
    assert made == []
    team.close()
    assert wait_for_end() == []


def test_close_ends_the_threads_and_a_later_call_starts_others(team):
    team.run_jobs(lambda _: time.sleep(0.01), range(9))
    assert own_names()
    team.close()
    assert wait_for_end() == []
    assert team.submit(int).result() == 0
    team.close()
    assert wait_for_end() == []


def test_close_waits_for_the_threads_as_long_as_it_is_asked_to(team):
    team.submit(time.sleep, 0.05)
    team.close(30)
    assert own_names() == []
    go_on = threading.Event()
    team.submit(go_on.wait, 30)
    team.close(0.01)
    assert own_names()
    go_on.set()
    assert wait_for_end() == []


def test_a_dropped_team_ends_its_threads():
    Team("penstock-test", 2).submit(int).result()
    gc.collect()
    assert wait_for_end() == []


def test_no_thread_to_be_had(team, monkeypatch):
    def refuse(_):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    done = []
    team.run_jobs(done.append, range(5))
    assert done == list(range(5))
    assert team.submit(int, "3").result() == 3


FORK = """
import os, sys, threading
from penstock.engine import threads
from penstock.engine.threads import Team, wait_at_exit
threads.EXIT_SECONDS = 1.0  # both processes wait so long for the last call
team = Team("penstock-test", 2)
both = threading.Barrier(2)
team.run_jobs(lambda _: both.wait(30), range(2))
child = os.fork()
both = threading.Barrier(2)
team.run_jobs(lambda _: both.wait(30), range(2))
team.submit(threading.Event().wait)  # the interpreter ends in spite of this call
if child:
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.slow
def test_a_fork_has_threads_of_its_own_and_the_interpreter_ends():
    command = [sys.executable, "-W", "ignore", "-c", FORK]
    result = subprocess.run(command, timeout=200, capture_output=True, env=dict(os.environ))
    assert (result.returncode, result.stderr) == (0, b"")


def test_the_end_waits_for_the_threads_of_two_calls_at_once(monkeypatch):
    waiting = set()
    monkeypatch.setattr(threads, "_LEFT", waiting)
    go = threading.Event()
    first, second = (threading.Thread(target=go.wait) for _ in range(2))
    first.start()
    second.start()

    def between():
        """Yield a thread after another call, as that of a finalizer, has come in between."""
        wait_at_exit([second])
        yield first

    wait_at_exit(between())
    assert waiting == {first, second}
    go.set()
    first.join()
    second.join()
    wait_at_exit([])
    assert waiting == set()


def test_a_call_that_submits_after_the_end_starts_no_thread(team):
    closed, results = threading.Event(), []

    def work():
        assert closed.wait(30)
        results.append(team.submit(own_names))
        results.append(team.submit(int, "7").result())  # whoever waits makes the call

    team.submit(work)
    team.close()
    closed.set()
    assert wait_for_end() == []
    call, seven = results
    assert seven == 7
    assert call.result() == []


def test_a_thread_that_starts_during_the_end_ends_too(team, monkeypatch):
    start = threading.Thread.start

    def end_before(thread):
        crew = team._crews[os.getpid()]
        team.close()
        assert crew.threads == []
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", end_before)
    call = team.submit(int, "7")
    assert wait_for_end() == []
    assert call.result() == 7
