"""Child processes that are forks of this process, for users' objects that no pickle can carry.

A fork copies the locks of other threads as they are, and no CUDA context survives a fork. So
`why_no_fork` has to be asked before.
"""

from __future__ import annotations

import ctypes
import gc
import os
import random
import select
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from socket import MSG_WAITALL, socket
from subprocess import TimeoutExpired
from typing import NoReturn

import numpy as np

from ..closing import finish_closing
from ..gpu.driver import LIBRARY
from ..uninterrupted import Uninterrupted
from .channel import Channel, connected_sockets
from .child_process import (
    HANG_UP,
    ChildProcess,
    end_after_parent,
    end_process,
    poll_unwaited,
)

_POLL_SECONDS = 0.002
_NOT_INITIALIZED = 3  # CUDA_ERROR_NOT_INITIALIZED

NUMBER_BYTES = 8
"""Of a fork's number, the first that it sends."""


class ForkedProcess(ChildProcess):
    """A fork of this process that runs `work(channel)`. Else as its base class.

    Args:
        work: the function, which gets the child's end of the connection.
    """

    def __init__(self, work: Callable[[Channel], None]) -> None:
        ours, theirs = connected_sockets()
        self.channels = [Channel(ours)]
        self.owner = os.getpid()
        poll_unwaited()
        _flush()
        try:
            with warnings.catch_warnings():
                # Python counts the threads of libraries, which take care of forks, as well.
                warnings.simplefilter("ignore", DeprecationWarning)
                number = os.fork()
            if not number:
                ours.close()
                be_fork(work, theirs, self.owner)
            self._process = Fork(number)
            self._own()
        except BaseException:  # of a signal's handler, perhaps before the number was stored
            Uninterrupted(partial(_end_unowned, ours, theirs)).run()
            raise
        theirs.close()
        ours.recv(NUMBER_BYTES, MSG_WAITALL)


def _end_unowned(ours: socket, theirs: socket) -> None:
    """End a child that says its number itself, if there is one."""
    theirs.close()
    number = ours.recv(NUMBER_BYTES, MSG_WAITALL)
    if number:
        end_process(Fork(int.from_bytes(number, "little")), [], os.getpid())
    ours.close()


def why_no_fork() -> str:
    """Say why a fork of this process would not be safe; "" if it is safe."""
    finish_closing()  # in a thread that is gone then
    this = threading.current_thread()
    others = [thread.name for thread in threading.enumerate() if thread is not this]
    if others:
        return f"other threads run: {', '.join(sorted(others)[:4])}"
    return "CUDA was started" if _uses_cuda() else ""


def _uses_cuda() -> bool:
    try:
        driver = ctypes.CDLL(LIBRARY, mode=os.RTLD_NOW | os.RTLD_NOLOAD)
    except OSError:
        return False
    return bool(driver.cuDeviceGetCount(ctypes.byref(ctypes.c_int())) != _NOT_INITIALIZED)


class Fork:
    """A forked process with the methods of `Popen`."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._lock = threading.Lock()

    def poll(self) -> int | None:
        with self._lock:
            if self.returncode is None:
                try:
                    pid, status = os.waitpid(self.pid, os.WNOHANG)
                except ChildProcessError:  # other code has waited for all child processes
                    pid, status = self.pid, 0
                if pid:
                    self.returncode = os.waitstatus_to_exitcode(status)
            return self.returncode

    def wait(self, timeout: float) -> int:
        deadline = time.monotonic() + timeout
        while (code := self.poll()) is None:
            if time.monotonic() > deadline:
                raise TimeoutExpired("fork", timeout)
            time.sleep(_POLL_SECONDS)
        return code

    def kill(self) -> None:
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)


def be_fork(work: Callable[[Channel], None], theirs: socket, parent: int) -> NoReturn:
    """Be the child, which ends as soon as its parent ends.

    Args:
        work: the function, which gets the connection.
        theirs: the child's end of the connection.
        parent: number of the parent.
    """
    code = 1
    try:
        theirs.sendall(os.getpid().to_bytes(NUMBER_BYTES, "little"))
        os.setpgid(0, 0)  # so that an interrupt at the keyboard does not reach the process
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        with open(os.devnull, "rb") as nothing:
            os.dup2(nothing.fileno(), 0)
        gc.freeze()  # the parent's garbage is the parent's
        _limit_threads()
        _seed_generators()
        hung_up = select.poll()
        hung_up.register(theirs, HANG_UP)
        threading.Thread(target=end_after_parent, args=(hung_up, parent), daemon=True).start()
        work(Channel(theirs))
        code = 0
    except (EOFError, ConnectionError):  # the parent has ended
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        with suppress(BaseException):
            _flush()
        os._exit(code)


def _limit_threads() -> None:
    """Keep libraries from waiting for threads of theirs, which a fork does not have."""
    if (torch := sys.modules.get("torch")) is not None:
        torch.set_num_threads(1)
    if (cv2 := sys.modules.get("cv2")) is not None:
        cv2.setNumThreads(0)  # 1 would wait for the end of the threads


def _seed_generators() -> None:
    """Keep the global generators of all forks from drawing the same numbers."""
    random.seed()
    np.random.seed()
    if (torch := sys.modules.get("torch")) is not None:
        torch.default_generator.manual_seed(random.getrandbits(63))


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):
            stream.flush()
