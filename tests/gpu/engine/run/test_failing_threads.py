"""A lack of memory at the lines of threads that launch GPU work, or wait for such work.

A run ends with the error or with right data, and leaves no thread and no memory. By default a test
visits some of the lines, in steps. PENSTOCK_INTERRUPTS=all visits every line.
"""

from __future__ import annotations

import gc
import os
import threading
import time

import numpy as np
import pytest
from PIL import Image

from penstock import Pipeline, fn, types
from penstock.decoders.image import plain_jpeg
from penstock.engine.run import delivery
from penstock.testing.emulator import HostEngine
from penstock.tests.checkout import PACKAGE

from ....engine.toys import own_threads
from ....sounds import file_of, speech_like
from ....tracing import leaves_with

HOME = str(PACKAGE) + os.sep
TESTS = HOME + "tests" + os.sep
OWN = ("engine/run/", "engine/threads.py", "decoders/image/plain_jpeg.py")
FINALIZERS = {"give_back", "take_back", "__del__", "_end_threads"}
"""Functions that garbage collection may call in any thread. pytest keeps what they raise until the
test ends, with the frames below them, and so memory of batches."""
EVERY_LINE = os.environ.get("PENSTOCK_INTERRUPTS") == "all"
SOUND = np.clip(1.2 * speech_like(0.02, 16000, channels=2), -1, 1)

pytestmark = [
    # Python drops what finalizers raise.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.timeout(4 * 3600 if EVERY_LINE else 240),
]


class Hook:
    """Raises MemoryError at the n-th line that threads of a name execute in some files."""

    def __init__(self, name, files, at):
        self.name, self.left = name, at
        self.files = tuple(HOME + file for file in files)
        self.place = ""

    def __call__(self, frame, event, argument):
        code = frame.f_code
        path = code.co_filename
        if not threading.current_thread().name.startswith(self.name):
            return None
        if not path.startswith(HOME) or path.startswith(TESTS):
            return None
        if code is WATCH or (event == "call" and in_finalizer(frame)):
            return None
        if event == "line" and path.startswith(self.files) and not leaves_with(frame):
            self.left -= 1
            if self.left == 0:
                self.place = f"{path}:{frame.f_lineno}"
                raise MemoryError("no memory")
        return self


def in_finalizer(frame):
    """Whether a frame, or a frame that has called it, is a finalizer's."""
    while frame is not None:
        if frame.f_code.co_name in FINALIZERS:
            return True
        frame = frame.f_back
    return False


WATCH = delivery.DeliveryQueue.watch.__code__  # the last frame of a thread, which catches the rest


@pytest.fixture(autouse=True)
def _emulated(device_stage, monkeypatch):
    if device_stage:
        pytest.skip("the hook slows down the threads of a real device, too, and finds no more")
    monkeypatch.setattr(plain_jpeg, "HardwareDecoder", HostEngine)
    # A thread of a team may end: the thread that waits makes the calls itself. pytest would keep
    # the exception, and so the thread's memory.
    monkeypatch.setattr(threading, "excepthook", lambda arguments: None)


@pytest.fixture
def graphs(photo_tree, tmp_path):
    """Definitions of graphs by name."""
    paths = [str(tmp_path / f"{i}.npy") for i in range(8)]
    for i, path in enumerate(paths):
        np.save(path, np.full((4, 5), i, np.int32))
    pictures = [str(path) for path in sorted(photo_tree.root.rglob("*.jpg"))[:8]]
    for i in range(0, 8, 2):  # threads of the CPU decode progressive files
        progressive = str(tmp_path / f"{i}.jpg")
        Image.open(pictures[i]).save(progressive, progressive=True)
        pictures[i] = progressive
    sounds = [
        np.frombuffer(file_of(SOUND, 16000, form), np.uint8)
        for form in ("WAV", "FLAC", "OGG", "AIFF")
    ]

    def operators():
        numbers = fn.external_source(lambda k: np.full((4, 3), k % 100, np.float32))
        return (fn.cast(numbers.gpu() + 1, dtype=types.INT32),)

    def jpeg():
        encoded = fn.readers.file(files=pictures)[0]
        options = {"device": "mixed", "hw_decoder_load": 0.5, "seed": 5}
        return (fn.decoders.image_random_crop(encoded, **options),)

    def audio():
        encoded = fn.external_source(lambda: sounds)
        return tuple(fn.decoders.audio(encoded, device="mixed", sample_rate=8000.0))

    def arrays():
        return (fn.readers.numpy(files=paths, device="gpu"),)

    return {module.__name__: module for module in (operators, jpeg, audio, arrays)}


def run(define):
    """Return the batches, the error that ended the run or None, and the pipeline, closed."""
    batches, error = [], None
    pipe = Pipeline(4, num_threads=2, device_id=0, seed=3)
    with pipe:
        pipe.set_outputs(*define())
    try:
        for _ in range(4):
            outputs = pipe.run()
            batches.append(
                [[np.array(row) for row in output.as_cpu().rows()] for output in outputs]
            )
            del outputs
    except MemoryError as raised:
        error = raised
    pipe.close()
    return batches, error, pipe


def differ(found, expected):
    """Return whether a row of the batches found is not as expected."""
    return any(
        len(one) != len(other) or not all(map(np.array_equal, one, other))
        for pair in zip(found, expected, strict=False)
        for one, other in zip(*pair, strict=True)
    )


def check_ends(pipe, place):
    """Threads and memory are gone, at once or as soon as a thread comes to it."""
    patience = time.monotonic() + 30
    while (own_threads() or pipe._run.pool.lent_bytes) and time.monotonic() < patience:
        gc.collect()
        time.sleep(0.005)
    assert own_threads() == [], place
    assert pipe._run.pool.lent_bytes == 0, place


@pytest.mark.slow
@pytest.mark.parametrize(
    ("graph", "thread", "files", "step"),
    [
        ("operators", "device", OWN, 5),
        ("operators", "device", ("",), 193),
        ("operators", "awaiter", ("",), 7),
        ("jpeg", "device", OWN, 307),
        ("jpeg", "awaiter", OWN, 137),
        ("jpeg", "decoder", OWN, 73),
        ("jpeg", "compiler", OWN, 47),
        ("audio", "device", ("",), 3989),
        ("arrays", "feeder", ("",), 61),
        ("arrays", "awaiter", OWN, 5),
    ],
)
def test_a_lack_of_memory_ends_the_run(graphs, graph, thread, files, step):
    define = graphs[graph]
    expected, error, pipe = run(define)
    assert error is None
    before = threading.gettrace()
    place, at = "nowhere yet", 1
    while place:
        hook = Hook(f"penstock-{thread}", files, at)
        threading.settrace(hook)
        try:
            found, error, pipe = run(define)
        finally:
            threading.settrace(before)
        place = hook.place
        assert not differ(found, expected), place
        assert error is not None or len(found) == len(expected), place
        assert error is None or error.__notes__, place  # which thread, operator or batch
        del error, found
        check_ends(pipe, place)
        at += 1 if EVERY_LINE else step
    assert at > 2 * step
