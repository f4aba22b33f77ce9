"""Files that this process holds open.

Tests look at their own files only: a count of all descriptors changes when a connection or a file
of another test is closed meanwhile.
"""

import os
from contextlib import suppress


def open_below(folder):
    """Return the paths of the open files of this process that are, or lie or lay in, `folder`."""
    paths = []
    for number in os.listdir("/proc/self/fd"):
        with suppress(FileNotFoundError):  # that of the listing itself
            paths.append(os.readlink(f"/proc/self/fd/{number}"))
    return [path for path in paths if f"{path}/".startswith(f"{folder}/")]
