"""Runs jobs in child processes, each within a time limit, so that no job can hang the doctor.

A child runs the jobs in order. If a job crashes or exceeds its time, this is the job's outcome. The
child is killed, and another child continues with the next job.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from time import monotonic
from typing import IO, Any

from .finding import Context

_POLL = 0.1
"""Seconds between two calls of `tick`."""


@dataclass(frozen=True)
class Outcome:
    """The end of a job: its result as a dict, or the fault."""

    result: dict[str, Any] | None = None
    fault: str = ""


def run_jobs(
    module: str,
    names: Sequence[str],
    context: Context,
    *,
    limit: float,
    tick: Callable[[str], None] = lambda name: None,
) -> dict[str, Outcome]:
    """Run the jobs `names` of the module named `module`; return their outcomes in that order.

    Args:
        limit: maximum seconds for each job, and for the start of a child.
        tick: function that is called with the name of the current job, several times a second.
    """
    outcomes: dict[str, Outcome] = {}
    while waiting := [name for name in names if name not in outcomes]:
        child = _Child(module, waiting, context)
        try:
            current, fault = child.follow(outcomes, limit, tick)
        finally:
            child.end()
        # A child that dies outside of a job could not start; the next child could not either.
        left = [current] if current else [name for name in waiting if name not in outcomes]
        outcomes |= {name: Outcome(fault=fault) for name in left}
    return {name: outcomes[name] for name in names}


class _Child:
    def __init__(self, module: str, names: Sequence[str], context: Context) -> None:
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  (see `end`)
        # The child imports modules from the same folders as this process.
        path = os.pathsep.join(entry or os.getcwd() for entry in sys.path)
        command = [sys.executable, "-P", "-m", f"{__package__}.child", module]
        self._process = subprocess.Popen(
            [*command, json.dumps(asdict(context)), *names],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env={**os.environ, "PYTHONPATH": path},
            start_new_session=True,  # Ctrl-C reaches this process only, which ends the child
        )

    def follow(
        self, outcomes: dict[str, Outcome], limit: float, tick: Callable[[str], None]
    ) -> tuple[str, str]:
        """Collect outcomes; return the last job ("" if all ended) and the reason for its end."""
        assert self._process.stdout is not None
        source = self._process.stdout.fileno()
        poll = select.poll()
        poll.register(source, select.POLLIN)
        current, text, deadline = "", b"", monotonic() + limit
        while (left := deadline - monotonic()) > 0:
            tick(current)
            if not poll.poll(1000 * min(_POLL, left)):
                continue
            if not (data := os.read(source, 65536)):
                return current, self._how_it_ended(limit)
            *lines, text = (text + data).split(b"\n")
            for line in map(json.loads, lines):
                deadline = monotonic() + limit
                current = line.get("start", "")
                if "end" in line:
                    fault = line.get("error", "")
                    outcomes[line["end"]] = Outcome(line.get("result"), fault)
        return current, f"gave no answer within {limit:g} s (see --limit)"

    def _how_it_ended(self, limit: float) -> str:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(limit)
        code = self._process.returncode
        if code is None:
            return f"did not end within {limit:g} s"
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="backslashreplace").strip().split("\n")
        last = f" ({lines[-1].strip()})" if lines[-1] else ""
        if code >= 0:
            return f"ended with exit status {code}{last}"
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        return f"crashed with {name}{last}"

    def end(self) -> None:
        """Kill the child and its own children."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        with suppress(subprocess.TimeoutExpired):  # a process stuck in the kernel stays
            self._process.wait(1)
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._errors.close()
