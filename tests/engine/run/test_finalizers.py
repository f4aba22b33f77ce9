"""Finalizers take no lock and join no thread, wherever the collector runs.

A program in a new interpreter makes every lock of the package tell what it sees: no blocking call
comes out of a finalizer, and the collector runs inside each lock. So a new lock, and a new
finalizer, are found by themselves.
"""

from __future__ import annotations

import re

import cv2
import numpy as np
import pytest

from penstock.tests.checkout import PACKAGE

from ...interpreters import output_of

SPIES = '''
import gc, os, sys, threading, warnings, weakref
from collections import Counter
warnings.simplefilter("ignore")

# RLocks that finalizers may take: their own thread may interrupt itself, and whoever holds them
# does nothing but arithmetic.
ALLOWED = {"engine/tensors/memory.py"}
inside, sites, problems = threading.local(), Counter(), []

def watch(phase, info):
    inside.collecting = phase == "start"
gc.callbacks.append(watch)

def finalizer():
    """Return the name of the finalizer that runs in this thread, or ''."""
    frame = sys._getframe(2)
    while frame is not None:
        code = frame.f_code
        if code.co_name == "__del__" or (
            code.co_filename == weakref.__file__ and code.co_name == "__call__"
        ):
            return code.co_qualname
        frame = frame.f_back
    return "the collector" if getattr(inside, "collecting", False) else ""

def accuse(what):
    name = finalizer()
    if name:
        problems.append(f"{name}: {what}")
        raise RuntimeError(what)  # else it might wait for ever

def site_of(frame):
    while frame is not None:
        file = frame.f_code.co_filename
        if "/penstock/" in file and "/tests/" not in file:
            return f"{file.rpartition('/penstock/')[2]}:{frame.f_lineno}"
        if "threading" not in file and "concurrent" not in file:
            return None
        frame = frame.f_back
    return None

class Spy:
    """A lock of the package."""

    def __init__(self, lock, site):
        self.lock, self.site = lock, site

    def acquire(self, blocking=True, timeout=-1):
        if blocking and self.site.partition(":")[0] not in ALLOWED:
            accuse(f"waits for the lock of {self.site}")
        return self.lock.acquire(blocking, timeout)

    def __enter__(self):
        self.acquire()
        sites[self.site] += 1
        if sites[self.site] in (1, 10, 100) or collect_everywhere:
            gc.collect(0 if sites[self.site] > 1 else 2)
        return True

    def __exit__(self, *_):
        self.lock.release()

    def __getattr__(self, name):
        return getattr(self.lock, name)

def spied(make):
    def lock():
        site = site_of(sys._getframe(1))
        return Spy(make(), site) if site else make()
    return lock

collect_everywhere = False
threading.Lock, threading.RLock = spied(threading.Lock), spied(threading.RLock)
for holder, name in ((threading.Thread, "join"), (threading.Event, "wait"), (os, "waitpid")):
    def wait(*arguments, _real=getattr(holder, name), _name=name, **more):
        accuse(f"calls {_name}")
        return _real(*arguments, **more)
    setattr(holder, name, wait)
'''

KINDS = """
import numpy as np
import penstock.experimental.dynamic as ndd
from penstock import Pipeline, fn
from penstock.engine.closing import finish_closing

folder = os.getcwd()

def numbers():
    return [np.zeros((200, 200, 3), np.uint8)] * 8

def own(**options):
    pipe = Pipeline(8, num_threads=2, seed=1, **options)
    with pipe:
        pipe.set_outputs(fn.resize(fn.external_source(source=numbers), size=64))
    return pipe

def of_files(**options):
    pipe = Pipeline(4, num_threads=2, seed=1, **options)
    with pipe:
        files, _ = fn.readers.file(file_root=folder)
        decoded = fn.decoders.image(files, cache="ram", cache_size=16)
        pipe.set_outputs(fn.resize(decoded, size=32))
    return pipe

def of_users(**options):
    pipe = Pipeline(4, num_threads=2, py_num_workers=1, **options)
    with pipe:
        source = lambda info: np.zeros((8, 8, 3), np.uint8)
        pipe.set_outputs(fn.external_source(source=source, parallel=True, batch=False))
    return pipe

def once(make, **options):
    pipe = make(**options)
    for _ in range(3):
        pipe.run()
    pipe.me = pipe  # a cycle

def dynamic(**_):
    with ndd.EvalContext(num_threads=2) as context:
        batch = ndd.resize(ndd.batch(numbers()), size=16)
        batch.evaluate()
    context.me = context, batch

def forks():
    gc.collect()
    finish_closing()  # no fork beside other threads
    once(of_users, py_start_method="fork")

KINDS = {
    "forks": forks,
    "threads": lambda: once(own),
    "processes": lambda: once(own, exec_processes=True),
    "files": lambda: once(of_files),
    "new interpreters": lambda: once(of_users, py_start_method="spawn"),
    "dynamic": dynamic,
}
"""

PROGRAM = (
    SPIES
    + KINDS
    + """
for name, kind in KINDS.items():
    for _ in range(2):
        kind()
        collect_everywhere = name == "threads"
gc.collect()
finish_closing()

class Node: pass
node = Node(); node.me = node; gone = weakref.ref(node); del node
gc.collect()
print("alive" if gone() is None else "dead")
print(*sorted({problem for problem in problems}), sep="\\n")
print("sites", *sorted({site for site in sites}))
"""
)


DESCRIPTORS = (
    "import gc, os, warnings\nwarnings.simplefilter('ignore')\n"
    + KINDS.replace("folder = sys.argv[1]", "")
    + """
gc.collect()
gc.disable()

def used(make, **options):
    before = sorted(os.listdir("/proc/self/fd"))
    pipe = make(**options)
    outputs = [pipe.run() for _ in range(4)]
    del outputs
    pipe.close()
    finish_closing()
    after = sorted(os.listdir("/proc/self/fd"))
    if after != before:
        print(make.__name__, options, len(after) - len(before))

used(of_users, py_start_method="fork")
used(of_users, py_start_method="spawn")
used(own)
used(own, exec_processes=True)
used(of_files, exec_processes=False)
used(of_files, exec_processes=True)
"""
)


def test_a_closed_pipeline_keeps_no_descriptor(folder):
    assert output_of(DESCRIPTORS, folder) == ""


LOCK_FREE = {
    "engine/closing.py": "queues the work; and the end of the interpreter, where nobody waits",
    "engine/threads.py": "tells threads to end, by a queue; and the end of the interpreter",
    "engine/pipeline/staged_pipeline.py": "queues the work, if there is any",
    "engine/tensors/arena.py": "closes a descriptor",
    "engine/tensors/memory.py": "gives memory back, under a lock that a thread may interrupt",
    "engine/tensors/device_pieces.py": "gives memory back to the driver",
    "engine/tensors/device_leases.py": "queues memory for the pool",
    "engine/tensors/event_pool.py": "gives events back to the driver",
    "engine/tensors/stream_marks.py": "gives events to their pool",
    "operators/optical_flow/flow_session.py": "gives buffers back to the driver",
    "readers/storage/descriptors.py": "closes a descriptor",
    "decoders/audio/engines/sndfile.py": "closes a descriptor",
    "testing/emulator.py": "counts memory of the tests",
}
"""The modules with finalizers that queue nothing for `closing`, and why they wait for nobody."""


def test_no_module_has_another_finalizer():
    folders = {"engine", "readers", "decoders", "operators", "composite", "plugin", "serving"}
    folders |= {"experimental", "datasets", "formats", "testing", "cli", "auto_aug", "signals"}
    finalizer = re.compile(r"def __del__|\bfinalize\(|weakref\.ref\([^()]*,|\bref\(\w+, ")
    found = {
        str(path.relative_to(PACKAGE))
        for folder in folders
        for path in (PACKAGE / folder).rglob("*.py")
        if finalizer.search(path.read_text())
    }
    assert found - {"serving/triton_model.py"} == LOCK_FREE.keys()  # a method of Triton's models


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a").mkdir()
    for number in range(8):
        image = np.full((40, 40, 3), number, np.uint8)
        cv2.imwrite(str(tmp_path / "a" / f"{number}.png"), image)
    return tmp_path


def test_no_finalizer_waits_inside_any_lock(folder):
    first, *problems, last = output_of(PROGRAM, folder).splitlines()
    assert first == "alive"
    assert [problem for problem in problems if problem] == []
    files = set(re.findall(r"[\w/]+\.py", last))
    assert files >= {
        "engine/run/workers/workers.py",
        "engine/run/delivery.py",
        "engine/run/shutdown.py",
        "engine/tensors/results.py",
        "engine/tensors/arena.py",
        "engine/processes/forked_process.py",
    }
