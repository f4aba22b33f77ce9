"""Judge many files in processes of their own, each file within a time limit."""

from __future__ import annotations

import json
import os
import queue
import select
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from .verdicts import Kind, Verdict

WORKER = [sys.executable, "-m", f"{__package__}.worker"]
"""The command of a process that judges."""

_KEPT_ERROR_TEXT = 300  # characters of what a process printed before its end


class JudgeProcess:
    """A process that judges one file after the other, and starts anew after a crash or a hang."""

    def __init__(self, seconds: float, log: IO[bytes]) -> None:
        self._seconds = seconds
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None

    def judge(self, path: Path) -> Verdict:
        """Return the verdict on one file."""
        process = self._process or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        with suppress(BrokenPipeError):  # then there is no answer, either
            process.stdin.write(json.dumps(os.fspath(path)).encode() + b"\n")
            process.stdin.flush()
        ready, _, _ = select.select([process.stdout], [], [], self._seconds)
        if not ready:
            self.close()
            return Verdict(Kind.HANG, f"no verdict after {self._seconds:g} s")
        answer = process.stdout.readline()
        if not answer:
            status = process.wait()
            self.close()
            self._log.seek(0)
            return Verdict(Kind.CRASH, f"exit status {status}: {self._last_words()}")
        kind, detail = json.loads(answer)
        return Verdict(Kind(kind), detail)

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()

    def _start(self) -> subprocess.Popen[bytes]:
        self._process = subprocess.Popen(
            WORKER,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
        )
        return self._process

    def _last_words(self) -> str:
        return self._log.read().decode(errors="replace")[-_KEPT_ERROR_TEXT:].strip()


def judge_files(
    files: Sequence[Path], *, processes: int, seconds: float, logs: Path
) -> Iterator[tuple[Path, Verdict]]:
    """Yield each file with its verdict, as the verdicts come.

    Args:
        files: to judge.
        processes: number of processes that judge at the same time.
        seconds: time limit for a file; the first file of a process includes its imports.
        logs: folder for what the processes print.
    """
    waiting: queue.SimpleQueue[Path] = queue.SimpleQueue()
    verdicts: queue.SimpleQueue[tuple[Path, Verdict]] = queue.SimpleQueue()
    for file in files:
        waiting.put(file)

    def work(number: int) -> None:
        with (logs / f"judge-{number}.log").open("w+b") as log:
            process = JudgeProcess(seconds, log)
            try:
                while True:
                    try:
                        file = waiting.get_nowait()
                    except queue.Empty:
                        return
                    verdicts.put((file, process.judge(file)))
            finally:
                process.close()

    for number in range(processes):
        threading.Thread(target=work, args=(number,), daemon=True).start()
    for _ in files:
        yield verdicts.get()
