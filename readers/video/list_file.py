"""The text file `file_list` of video readers: each line has a path, a label and a range."""

from __future__ import annotations

import os
from dataclasses import dataclass

from ...engine.errors import SourceError


@dataclass(frozen=True)
class ListedVideo:
    """One line.

    Attributes:
        path: absolute.
        label: an integer.
        start, end: of the range, in frames or seconds as the reader says; None if not given.
    """

    path: str
    label: int
    start: float | None = None
    end: float | None = None


def read_video_list(path: str) -> list[ListedVideo]:
    """Read a list; relative paths start at the folder of the list.

    Raises:
        SourceError: the file cannot be read or is empty, or a line is no path, label and range.
    """
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as lines:
            videos = [
                _parsed(path, number, line) for number, line in enumerate(lines, 1) if line.strip()
            ]
    except SourceError:
        raise
    except OSError as error:
        raise SourceError(f"`file_list` {path!r} cannot be read: {error.strerror}") from error
    if not videos:
        raise SourceError(f"`file_list` {path!r} names no video")
    return videos


def _parsed(path: str, number: int, line: str) -> ListedVideo:
    for values in (3, 2, 1):  # a label, start and end; the path may hold spaces
        name, *fields = line.strip().rsplit(None, values)
        if len(fields) != values:
            continue
        try:
            label, limits = int(fields[0]), [float(field) for field in fields[1:]]
        except ValueError:
            continue
        folder = os.path.dirname(os.path.abspath(path))
        return ListedVideo(os.path.join(folder, name), label, *limits)
    raise SourceError(
        f"{path}, line {number}: expected a path, a label and, if wanted, start and end of the "
        f"range, such as 'cats/tom.mp4 0 1.5 4'; got {line.strip()[:200]!r}"
    )
