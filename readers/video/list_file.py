"""The text file `file_list` of video readers: each line has a path, a label and a range."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import NamedTuple

from ...engine.errors import SourceError
from ..listing.list_file import check_remote_name, list_lines
from ..storage.urls import is_url, shown


class ListedVideo(NamedTuple):
    """One line.

    Attributes:
        path: absolute, or a URL.
        label: an integer.
        start, end: of the range, in frames or seconds as the reader says; None if not given.
    """

    path: str
    label: int
    start: float | None = None
    end: float | None = None


def read_video_list(path: str, options: Mapping[str, object] | None = None) -> list[ListedVideo]:
    """Read a list; relative paths start at the folder of the list.

    Args:
        path: path of the list, a local file or a URL.
        options: `Reader.storage_options`, for a URL.

    Raises:
        SourceError: the file cannot be read or is empty, or a line is no path, label and range.
    """
    lines = list_lines(os.fsencode(path), options)
    videos = [_parsed(path, number, line) for number, line in lines if line.strip()]
    if not videos:
        raise SourceError(f"`file_list` {shown(path)!r} names no video")
    return videos


def _parsed(path: str, number: int, content: bytes) -> ListedVideo:
    line = os.fsdecode(content)
    for values in (3, 2, 1):  # a label, start and end; the path may hold spaces
        name, *fields = line.strip().rsplit(None, values)
        if len(fields) != values:
            continue
        try:
            label, limits = int(fields[0]), [float(field) for field in fields[1:]]
        except ValueError:
            continue
        check_remote_name(os.fsencode(path), number, os.fsencode(name))
        if not is_url(name):
            folder = os.path.dirname(path if is_url(path) else os.path.abspath(path))
            name = os.path.join(folder, name)
        return ListedVideo(name, label, *limits)
    raise SourceError(
        f"{shown(path)}, line {number}: expected a path, a label and, if wanted, start and "
        f"end of the range, such as 'cats/tom.mp4 0 1.5 4'; got {line.strip()[:200]!r}"
    )
