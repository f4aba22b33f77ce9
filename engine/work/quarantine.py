"""The quarantine log: one JSON line for each bad sample."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

from ..errors import ArgumentError


class QuarantineLog:
    """A file to which records are appended.

    If the log cannot be written later, for example on a full disk, the run continues. The first
    failure is a warning, and the caller counts every failure.

    Args:
        path: the file, which is created at once.

    Raises:
        ArgumentError: the file cannot be opened for writing.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._torn = self._warned = False
        try:
            with path.open("ab"):
                pass
        except (OSError, ValueError) as error:
            raise ArgumentError(
                f"the argument quarantine_log names {str(path)!r}, which cannot be written "
                f"({error}); name a file in a folder that exists"
            ) from error

    def append_record(self, record: dict[str, Any]) -> bool:
        """Append a record; return whether the whole record was written.

        Bytes of file names that are not UTF-8 are written as escapes, such as `\\udcff` for the
        byte 0xff. `json.loads` and `os.fsencode` restore the file's name.
        """
        line = json.dumps(record, ensure_ascii=False, default=repr) + "\n"
        data = (b"\n" if self._torn else b"") + line.encode("utf-8", "backslashreplace")
        try:
            with self._path.open("ab", buffering=0) as log:
                written = log.write(data)
        except OSError as error:
            self._warn(str(error))
            return False
        self._torn = written < len(data)
        if self._torn:
            self._warn("the disk is full")
        return not self._torn

    def _warn(self, reason: str) -> None:
        if not self._warned:
            self._warned = True
            warnings.warn(
                f"the quarantine log {str(self._path)!r} cannot be written ({reason}); the run "
                "goes on, and Pipeline.stats counts the bad samples that are not in the log",
                RuntimeWarning,
                stacklevel=2,
            )
