"""The text files that list files: a path on each line and, for `fn.readers.file`, a label."""

from __future__ import annotations

import os
from array import array
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import SourceError
from ..storage.opening import opened
from ..storage.strings import StringTable, StringTableBuilder
from ..storage.urls import is_local, is_url, shown


def read_list_file(
    path: bytes, options: Mapping[str, object] | None = None
) -> tuple[StringTable, NDArray[np.int32]]:
    """Return the paths, as the file has them, and the labels, int32 of shape (files,).

    Args:
        path: path of the list, a local file or a URL.
        options: `Reader.storage_options`, for a URL.

    Raises:
        SourceError: the file cannot be read or names no file, or a line is not a path, white space
            and an integer from 0 to 2147483647. The message has the number of the line.
    """
    names, labels = StringTableBuilder(), array("i")
    for number, line in list_lines(path, options):
        # A split from the right keeps the spaces before and inside of a path.
        fields = line.rsplit(None, 1)
        if not fields:
            continue
        if len(fields) != 2 or not fields[1].isdigit() or b"\0" in line:
            raise _bad_line(path, number, line)
        check_remote_name(path, number, fields[0])
        try:
            labels.append(int(fields[1]))
        except (OverflowError, ValueError) as error:
            raise _bad_line(path, number, line) from error
        names.append(fields[0])
    if not labels:
        raise SourceError(
            f"`file_list` {shown(path)!r} names no file: each line must hold a path and "
            "a label, such as 'cats/tom.jpg 0'"
        )
    return names.finish(), np.frombuffer(labels, np.int32)


def read_plain_list(path: bytes, options: Mapping[str, object] | None = None) -> StringTable:
    """Return the lines of a list without labels, but for empty lines: see `read_list_file`."""
    names = StringTableBuilder()
    for number, line in list_lines(path, options):
        name = line.rstrip(b"\n").rstrip(b"\r")
        check_remote_name(path, number, name)
        if name:
            names.append(name)
    return names.finish()


def list_lines(
    path: bytes, options: Mapping[str, object] | None = None
) -> Iterator[tuple[int, bytes]]:
    """Yield number and content of each line of the list at a path or URL; the first number is 1.

    A byte order mark before the first line is skipped.

    Raises:
        SourceError: the file cannot be read.
    """
    try:
        with opened(path, options or {}) as lines:
            for number, line in enumerate(lines, 1):
                yield number, line.removeprefix(BOM_UTF8) if number == 1 else line
    except SourceError:
        raise
    except OSError as error:
        raise SourceError(
            f"`file_list` {shown(path)!r} cannot be read: {error.strerror or error}"
        ) from error


def check_remote_name(path: bytes, number: int, name: bytes) -> None:
    """Raise SourceError if a list behind a URL names a local file.

    Otherwise a person who can change the list could have any file of this machine read.
    """
    if not is_url(path):
        return
    if is_local(name) or b".." in name.split(b"/"):
        raise SourceError(
            f"{shown(path)}, line {number}: a list behind a URL may not name the local file "
            f"{os.fsdecode(name)!r}; name files relative to the list or to `file_root`, or copy "
            "the list to this machine"
        )


def _bad_line(path: bytes, number: int, line: bytes) -> SourceError:
    got = line[:200].decode("utf-8", "backslashreplace").strip()
    return SourceError(
        f"{shown(path)}, line {number}: expected a path, white space and a label, which is "
        f"an integer from 0 to 2147483647, such as 'cats/tom.jpg 0'; got {got!r}"
    )
