"""Forks of this process: how they start and end, and when none may be made.

The test's own process has threads, so forks are made by programs in new interpreters.
"""

from __future__ import annotations

import os
import threading
from subprocess import TimeoutExpired

import pytest

from penstock.engine.processes import child_process
from penstock.engine.processes.forked_process import why_no_fork

from ...interpreters import output_of
from ...readers.processes import alive, assert_soon


def test_threads_forbid_a_fork():
    wait = threading.Event()
    thread = threading.Thread(target=wait.wait, name="!another")  # the first by name
    thread.start()
    try:
        assert "another" in why_no_fork()
    finally:
        wait.set()
        thread.join()


PROGRAM = """
import os, signal, sys, threading, time
from penstock.engine.closing import finish_closing
from penstock.engine.processes.forked_process import ForkedProcess, why_no_fork

assert why_no_fork() == ""
unpicklable = threading.Lock()
signal.signal(signal.SIGTERM, lambda *_: None)

def work(channel):
    print("in the child", flush=True)
    own_signals = signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    own_group = os.getpgid(0) == os.getpid()
    channel.send([unpicklable.locked(), own_group, own_signals, sys.stdin.read()])
    os._exit(channel.receive())

print("before")
process = ForkedProcess(work)
(channel,) = process.channels
assert channel.receive() == [False, True, True, ""]
assert not process.has_ended()
channel.send(5)
while not process.has_ended():
    time.sleep(.01)
assert process.fate() == "ended with exit status 5"
process.close()
process.close()

for end in ("close", "del", "exit"):
    process = ForkedProcess(lambda channel: channel.receive())
    pid = process._process.pid
    if end == "close":
        process.close()
        assert "SIGKILL" in process.fate()
    elif end == "del":
        del process
        finish_closing()
    if end != "exit":
        try:
            os.waitpid(pid, os.WNOHANG)
            raise AssertionError("a zombie is left")
        except ChildProcessError:
            pass
print(pid)
"""


def test_a_fork_has_all_objects_and_leaves_nothing():
    lines = output_of(PROGRAM).split()
    assert lines[:5] == ["before", "in", "the", "child", lines[4]]
    assert not alive(int(lines[-1]))


ORPHAN = """
import os, signal
from penstock.engine.processes.forked_process import ForkedProcess

def work(channel):
    channel.send(os.getpid())
    while True:
        pass

others = [ForkedProcess(work) for _ in range(2)]
print(*(process.channels[0].receive() for process in others), flush=True)
os._exit(0)
"""


def test_forks_end_with_their_parent():
    for pid in output_of(ORPHAN).split():
        assert_soon(lambda pid=pid: not alive(int(pid)))


LIBRARIES = """
import cv2, numpy as np
from penstock.engine.processes.forked_process import ForkedProcess

image = np.zeros((3000, 3000, 3), np.uint8)
cv2.setNumThreads(4)
cv2.GaussianBlur(image, (31, 31), 5)  # starts OpenCV's threads, which no fork has

def work(channel):
    channel.send(cv2.GaussianBlur(image, (31, 31), 5).shape)

process = ForkedProcess(work)
assert process.channels[0].receive() == (3000, 3000, 3)
process.close()
print("done")
"""


def test_a_fork_does_not_wait_for_threads_of_opencv():
    assert output_of(LIBRARIES) == "done\n"


GENERATORS = """
import random
import numpy as np
from penstock.engine.processes.forked_process import ForkedProcess

random.seed(1)
np.random.seed(1)

def work(channel):
    channel.send([random.random(), np.random.random()])
    channel.receive()

workers = [ForkedProcess(work) for _ in range(2)]
first, second = (worker.channels[0].receive() for worker in workers)
assert not set(first) & set(second)
"""


def test_global_generators_of_forks_differ():
    assert output_of(GENERATORS) == ""


TORCH = """
import torch
from penstock.engine.processes.forked_process import ForkedProcess

torch.manual_seed(1)
(torch.rand(300, 300) @ torch.rand(300, 300)).sum()  # starts threads, which no fork has

def work(channel):
    product = torch.rand(300, 300) @ torch.rand(300, 300)
    channel.send(float(product.sum()))
    channel.receive()

workers = [ForkedProcess(work) for _ in range(2)]
first, second = (worker.channels[0].receive() for worker in workers)
assert first != second
"""


@pytest.mark.slow
def test_forks_beside_pytorch():
    pytest.importorskip("torch", reason="its threads and its generator are tested")
    assert output_of(TORCH) == ""


INTERRUPTED = """
import os, time
from penstock.engine.processes.forked_process import ForkedProcess

real = os.fork
pids = []

def fork():
    number = real()
    if number:
        pids.append(number)
        raise KeyboardInterrupt
    return number

for at_fork in (True, False):
    if at_fork:
        os.fork = fork
    else:
        os.fork = lambda: (pids.append(real()), pids[-1])[1]
        def own(*arguments):
            raise KeyboardInterrupt
        ForkedProcess._own = own
    try:
        ForkedProcess(lambda channel: channel.receive())
    except KeyboardInterrupt:
        pass
for pid in pids:
    try:
        os.waitpid(pid, os.WNOHANG)
        raise AssertionError("a process is left")
    except ChildProcessError:
        pass
print(len(pids), len(os.listdir("/proc/self/fd")))
"""


def test_an_interrupt_while_it_starts_leaves_nothing():
    before = output_of("import os; print(len(os.listdir('/proc/self/fd')))")
    assert output_of(INTERRUPTED).split() == ["2", before.strip()]


def test_a_process_that_ends_late_is_waited_for_at_the_next_start():
    class Late:
        """A process whose end takes long, as that of one which waits for a broken disk."""

        returncode = None

        def kill(self):
            pass

        def wait(self, timeout):
            raise TimeoutExpired("late", timeout)

        def poll(self):
            return self.returncode

    late = Late()
    child_process.end_process(late, [], os.getpid())
    child_process.poll_unwaited()
    assert late in child_process._unwaited
    late.returncode = -9
    child_process.poll_unwaited()
    assert late not in child_process._unwaited
