"""A fork of the process by user code that runs in a thread of a pipeline."""

from __future__ import annotations

import os


def end_forked_child(process: int) -> None:
    """End this process, if user code has forked it: its parent's threads are not here.

    Args:
        process: number of the process whose threads run the pipeline.
    """
    if os.getpid() != process:
        os.write(2, _FORKED)
        os._exit(1)


_FORKED = (
    b"penstock: a source or function forked this process and returned in it, where no pipeline "
    b"runs; the process ends. End it by os._exit, or use multiprocessing or subprocess\n"
)
