"""Text for terminals and files: colors and tables, which rich prints.

All that commands print for people comes through here, so that no name, text or message out of a
data set controls the terminal. JSON for programs is printed as it is.
"""

from __future__ import annotations

import sys
import traceback
import warnings
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, TextIO

from ..engine.printable import printable

if TYPE_CHECKING:
    from rich.text import Text

Piece = str | tuple[str, str]
"""A text, or a text with a style of rich's such as "bold red"."""

_UNBOUNDED = 1 << 16
"""Width of a file's lines, so that nothing in a file is wrapped or cut."""


class Printer:
    """Prints to one stream, with colors if the stream is a terminal (see https://no-color.org)."""

    def __init__(self, stream: TextIO) -> None:
        from rich.console import Console

        width = None if stream.isatty() else _UNBOUNDED
        self._stream = stream
        self._console = Console(file=stream, width=width, highlight=False)

    def print(self, *pieces: Piece) -> None:
        """Print pieces of text on one line."""
        self._write(_assembled(pieces), soft_wrap=True)

    def table(
        self,
        head: Sequence[str],
        rows: Sequence[Sequence[Piece]],
        *,
        words: int,
        bars: bool = False,
    ) -> None:
        """Print a table.

        Args:
            head: titles of the columns.
            rows: cells of each row.
            words: number of columns that hold words; the others hold numbers, to the right.
            bars: whether the last column holds bars, to the left.
        """
        from rich.table import Table

        table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
        for number, title in enumerate(head):
            is_left = number < words or (bars and number == len(head) - 1)
            table.add_column(
                _assembled([title]), justify="left" if is_left else "right", overflow="fold"
            )
        for row in rows:
            table.add_row(*(_assembled([cell]) for cell in row))
        self._write(table)

    def _write(self, content: Any, **options: Any) -> None:
        # If a pipe is closed, rich would end the process with a status of its own.
        with self._console.capture() as capture:
            self._console.print(content, **options)
        self._stream.write("".join(f"{line.rstrip()}\n" for line in capture.get().splitlines()))


def _assembled(pieces: Sequence[Piece]) -> Text:
    from rich.text import Text

    return Text.assemble(*map(_harmless, pieces))


def _harmless(piece: Piece) -> Piece:
    return printable(piece) if isinstance(piece, str) else (printable(piece[0]), piece[1])


def guard_terminal() -> None:
    """Have Python print tracebacks and warnings of this process without control characters."""

    def print_traceback(
        kind: type[BaseException], error: BaseException, frames: TracebackType | None
    ) -> None:
        text = "".join(traceback.format_exception(kind, error, frames))
        sys.stderr.write(printable(text))

    format_warning = warnings.formatwarning

    def formatted(*arguments: Any, **options: Any) -> str:
        return printable(format_warning(*arguments, **options))

    sys.excepthook = print_traceback
    warnings.formatwarning = formatted


def size_text(size: float) -> str:
    """Return a number of bytes for people.

    >>> size_text(8 << 20), size_text(150_754_820_096), size_text(512)
    ('8 MiB', '140.4 GiB', '512 B')
    """
    units = ["GiB", "MiB", "KiB", "B"]
    while size >= 1024 and len(units) > 1:
        size /= 1024
        units.pop()
    return f"{size:.1f}".removesuffix(".0") + f" {units[-1]}"
