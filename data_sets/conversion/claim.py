"""Who writes to a destination in a store: an object, which one process at a time replaces."""

from __future__ import annotations

import json
import os
import socket
import time
import uuid
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Any

from ...engine.errors import PenstockError
from ...readers.remote.service import Version
from ...readers.remote.writing import WritableFolder

BEAT_SECONDS = 20.0
"""Seconds between two times that a writer says that it is at work."""

SILENT_SECONDS = 120.0
"""Seconds after which a writer on another machine that says nothing is taken for dead."""


class Claim:
    """The claim of this process to write, an object in the store.

    The store replaces the object only if it is the version that this process knows. So of two
    processes that claim at once, or of an old and a new one, exactly one has it.

    Attributes:
        name: of the object.
    """

    def __init__(self, store: WritableFolder, name: str) -> None:
        self.name = name
        self._store = store
        self._known: Version | None = None
        self._said = 0.0
        self._lock = Lock()

    def take(self) -> None:
        """Take the claim, if nobody has it or its writer is dead.

        Raises:
            FileExistsError: another process is writing.
        """
        found = self._store.listed().get(self.name)
        if found is not None:
            self._check_dead(found)
        with self._lock:
            self._write(found)

    def _check_dead(self, found: Version) -> None:
        try:
            writer: dict[str, Any] = json.loads(self._store.read(self.name))
            host, process, began = writer["host"], int(writer["process"]), writer["began"]
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return
        if host == _host():
            if _began(process) != began:
                return
            silent = 0.0
        else:
            said = datetime.fromisoformat(found.modified)
            silent = (datetime.now(UTC) - said).total_seconds()
            if silent > SILENT_SECONDS:
                return
        raise FileExistsError(
            f"another process is converting to {self._store.url}: number {process} on "
            f"{host.partition(' ')[0]}; once it has said nothing for {SILENT_SECONDS:.0f} s "
            f"({silent:.0f} s now), resume=True goes on"
        )

    def renew(self, *, at_once: bool = False) -> None:
        """Say that this process is at work, if it has not done so for some time.

        Raises:
            FileExistsError: another process took over.
        """
        with self._lock:
            if at_once or time.monotonic() - self._said > BEAT_SECONDS:
                self._write(self._known)

    def release(self) -> None:
        """Give up the claim, if this process has it."""
        with self._lock, suppress(OSError, PenstockError):
            if self._known is not None:
                self._write(self._known)
                self._store.delete(self.name)
                self._known = None

    def _write(self, known: Version | None) -> Version:
        writer = {"host": _host(), "process": os.getpid(), "began": _began(os.getpid())}
        content = json.dumps({**writer, "token": uuid.uuid4().hex}).encode()
        try:
            self._known = self._store.write(self.name, content, known=known, create=known is None)
        except FileExistsError:
            raise FileExistsError(f"another process is converting to {self._store.url}") from None
        self._said = time.monotonic()
        return self._known


def _host() -> str:
    """Return the name of the machine, and when it was started."""
    with suppress(OSError):
        return f"{socket.gethostname()} {Path('/proc/sys/kernel/random/boot_id').read_text()}"
    return socket.gethostname()


def _began(process: int) -> str:
    """Return when a process of this machine was started; "" if there is none."""
    with suppress(OSError, IndexError):
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return "" if fields[0] in "ZX" else fields[19]
    return ""
