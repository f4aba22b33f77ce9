"""A line on the terminal that says what is going on."""

from __future__ import annotations

import shutil
from itertools import cycle
from typing import TextIO


class Progress:
    """Shows a spinner and a text on `stream` if that is a terminal, and else nothing.

    Call it several times a second; leaving the `with` block wipes the line.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream if stream.isatty() else None
        self._frames = cycle("|/-\\")

    def __call__(self, text: str) -> None:
        """Show the text and the spinner's next state."""
        if self._stream:
            line = f"{next(self._frames)} {text}"[: shutil.get_terminal_size().columns - 1]
            print(f"\r\x1b[K{line}", end="", file=self._stream, flush=True)

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._stream:
            print("\r\x1b[K", end="", file=self._stream, flush=True)
