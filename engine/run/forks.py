"""A fork of the process by user code that runs in a thread of a pipeline."""

from __future__ import annotations

import os
from typing import NoReturn


def end_forked_child() -> NoReturn:
    """End this process, which user code has forked: its parent's threads are not here."""
    os.write(2, _FORKED)
    os._exit(1)


_FORKED = (
    b"penstock: a source or function forked this process and returned in it, where no pipeline "
    b"runs; the process ends. End it by os._exit, or use multiprocessing or subprocess\n"
)
