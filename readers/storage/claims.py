"""Sizes that files and servers claim, against the memory of this machine."""

from __future__ import annotations

from ...engine.errors import SourceError
from ...engine.machine import memory_of_machine


def check_claim(name: str, nbytes: int) -> None:
    """Raise SourceError if a claim is larger than this machine's memory: call before memory is
    taken.

    A lack of memory would be an error of the machine, which `on_error` does not leave out; but a
    server's header or a sparse file may claim any size.
    """
    most = memory_of_machine()
    if nbytes > most:
        raise SourceError(
            f"{name}: {nbytes} bytes would have to be read at once, but this machine has {most} "
            "bytes of memory; the size is wrong, or the file needs a reader of its format"
        )
