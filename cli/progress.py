"""What a terminal shows while a command works: the current step, or how far the work is."""

from __future__ import annotations

import shutil
from itertools import cycle
from typing import Any, TextIO

from ..engine.printable import printable


class Spinner:
    """Shows a spinner and a text if `stream` is a terminal; otherwise shows nothing.

    Callers call the object several times a second. The end of the `with` block erases the line.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream if stream.isatty() else None
        self._frames = cycle("|/-\\")

    def __call__(self, text: str) -> None:
        """Show the text and the spinner's next frame."""
        if self._stream:
            line = f"{next(self._frames)} {printable(text)}"[
                : shutil.get_terminal_size().columns - 1
            ]
            print(f"\r\x1b[K{line}", end="", file=self._stream, flush=True)

    def __enter__(self) -> Spinner:
        return self

    def __exit__(self, *_: object) -> None:
        if self._stream:
            print("\r\x1b[K", end="", file=self._stream, flush=True)


class ProgressBar:
    """Shows done and total, rate and time left if `stream` is a terminal; otherwise nothing.

    The end of the `with` block erases the bar.
    """

    def __init__(self, stream: TextIO, text: str) -> None:
        self._text = printable(text)
        self._bar: Any = _rich_bar(stream) if stream.isatty() else None
        self._task: Any = None

    def update(self, done: int, total: int, size: int, text: str = "") -> None:
        """Show how far the work is; any thread may call.

        Args:
            done, total: samples, or seconds.
            size: bytes of the samples so far.
            text: what is done now, in place of the bar's text.
        """
        if self._bar is None:
            return
        if self._task is None:
            self._bar.start()
            self._task = self._bar.add_task(self._text, completed=done, total=total, rate="")
        elapsed = self._bar.tasks[0].elapsed or 0.0
        rate = f"{size / 1e6 / elapsed:,.0f} MB/s" if elapsed > 0 and size else ""
        shown = printable(text) or self._text
        self._bar.update(self._task, completed=done, total=total, rate=rate, description=shown)

    def close(self) -> None:
        """Erase the bar; idempotent."""
        if self._bar is not None:
            self._bar.stop()

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _rich_bar(stream: TextIO) -> object:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        console=Console(file=stream),
        transient=True,
    )
