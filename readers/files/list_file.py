"""The text file that `fn.readers.file` takes as `file_list`: a path and a label a line."""

from __future__ import annotations

import io
import os
from array import array
from codecs import BOM_UTF8
from collections.abc import Mapping
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import SourceError
from ..storage.strings import StringTable, StringTableBuilder
from ..storage.urls import is_url


def read_list_file(
    path: bytes, options: Mapping[str, Any] | None = None
) -> tuple[StringTable, NDArray[np.int32]]:
    """Return the paths, as they are written there, and the labels, int32 of shape (files,).

    `options` are `Reader.storage_options`, for a URL.

    Raises SourceError if the file cannot be read, holds no file, or has a line that is not
    a path, white space and an integer from 0 to 2147483647; the message has its number.
    """
    names, labels = StringTableBuilder(), array("i")
    try:
        with opened(path, options or {}) as lines:
            for number, line in enumerate(lines, 1):
                if number == 1:
                    line = line.removeprefix(BOM_UTF8)
                # Splitting from the right leaves the spaces before and inside a path alone.
                parts = line.rsplit(None, 1)
                if not parts:
                    continue
                if len(parts) != 2 or not parts[1].isdigit() or b"\0" in line:
                    raise _bad_line(path, number, line)
                try:
                    labels.append(int(parts[1]))
                except (OverflowError, ValueError) as error:
                    raise _bad_line(path, number, line) from error
                names.append(parts[0])
    except SourceError:
        raise
    except OSError as error:
        raise SourceError(
            f"`file_list` {os.fsdecode(path)!r} cannot be read: {error.strerror or error}"
        ) from error
    if not labels:
        raise SourceError(
            f"`file_list` {os.fsdecode(path)!r} names no file: it must hold lines of a path and "
            "a label, such as 'cats/tom.jpg 0'"
        )
    return names.finish(), np.frombuffer(labels, np.int32)


def opened(path: bytes, options: Mapping[str, Any]) -> IO[bytes]:
    """Open a list, a local file or a URL, to read it."""
    if not is_url(path):
        return open(path, "rb")
    from ..remote.storage import begin_whole  # needs optional libraries

    return io.BytesIO(begin_whole(os.fsdecode(path), options, np.empty)().tobytes())


def _bad_line(path: bytes, number: int, line: bytes) -> SourceError:
    shown = line[:200].decode("utf-8", "backslashreplace").strip()
    return SourceError(
        f"{os.fsdecode(path)}, line {number}: expected a path, white space and a label, which is "
        f"an integer from 0 to 2147483647, such as 'cats/tom.jpg 0'; got {shown!r}"
    )
