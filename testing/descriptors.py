"""Files that this process holds open.

Tests look at their own files only: a count of all descriptors changes when a connection or a file
of another test is closed meanwhile.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def open_below(folder: str | Path) -> list[str]:
    """Return the paths of the open files of this process that are, or lie or lay in, `folder`."""
    paths: list[str] = []
    for number in os.listdir("/proc/self/fd"):
        with suppress(FileNotFoundError):  # that of the listing itself
            paths.append(os.readlink(f"/proc/self/fd/{number}"))
    return [path for path in paths if f"{path}/".startswith(f"{folder}/")]
