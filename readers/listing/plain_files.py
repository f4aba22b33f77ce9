"""Files without labels: named one by one, listed in a text file, or found in a folder."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import ArgumentError, SourceError
from ...engine.graph.params import STR, STRS, param
from ..storage.opening import opened
from ..storage.strings import StringTable
from ..storage.urls import is_url, shown
from .class_folders import ClassFolders
from .list_file import check_remote_name
from .listing import FileList, absolute, encoded_paths, folders_below, root_of

FILES = param(STRS, None, "Paths of the files, relative to `file_root` if that is given.")
FILE_LIST = param(
    STR,
    None,
    "Text file with a path on each line, relative to `file_root` or, without it, to the list.",
)
FILE_ROOT = param(
    STR, None, "Folder whose files, and those of the folders right inside it, are read."
)


def list_plain_files(
    owner: str,
    *,
    files: Sequence[str] | None,
    file_list: str | None,
    file_root: str | None,
    file_filter: str,
    options: Mapping[str, Any],
) -> FileList:
    """Return the files that a reader's arguments name; all labels are 0.

    Args:
        owner: the reader, for messages.
        files: paths, relative to `file_root` if that is given.
        file_list: text file with a path on each line, relative to `file_root` or to the list.
        file_root: folder whose files, and those of the folders right inside it, are read.
        file_filter: pattern of their names, with `file_root` alone.
        options: `Reader.storage_options`, for URLs.

    Raises:
        ArgumentError: the arguments contradict each other, or are missing.
        SourceError: a folder or list cannot be read, or no file is there.
    """
    if files is not None and file_list is not None:
        raise ArgumentError(f"{owner}: give either files or file_list, not both")
    if files is not None:
        names = StringTable.of(encoded_paths(files))
        listing = FileList(root_of(names, file_root or b""), names, _no_labels(names))
        return _checked(owner, listing, "files")
    if file_list is not None:
        root = os.path.dirname(file_list) if file_root is None else file_root
        names = StringTable.of(_lines(file_list, options))
        return _checked(owner, FileList(absolute(root), names, _no_labels(names)), file_list)
    if not file_root:
        raise ArgumentError(f"{owner} needs file_root, files or file_list")
    root_path = absolute(file_root)
    folders: ClassFolders = folders_below(root_path, options)(
        root_path, [file_filter], None, case_sensitive=True
    )
    inside = folders.folders()
    linked = set(inside)  # links to folders are listed among the files, too
    found = [name for name in folders.files(root_path) if name not in linked]
    for folder, listed in zip(inside, folders.listed(inside), strict=True):
        found += [folder + b"/" + name for name in listed]
    names = StringTable.of(found)
    return _checked(
        owner,
        FileList(root_path, names, _no_labels(names)),
        f"{file_root!r} and the folders in it, for {file_filter!r},",
    )


def _checked(owner: str, listing: FileList, what: str) -> FileList:
    if not len(listing):
        raise SourceError(f"{owner}: {what} names no file")
    return listing


def _no_labels(names: StringTable) -> NDArray[np.int32]:
    return np.broadcast_to(np.int32(0), len(names))


def _lines(path: str, options: Mapping[str, Any]) -> list[bytes]:
    """Return the lines of a text file that are not empty."""
    try:
        with opened(os.fsencode(path), options) as file:
            text = file.read().removeprefix(b"\xef\xbb\xbf")
    except SourceError:
        raise
    except OSError as error:
        raise SourceError(f"`file_list` {shown(path)!r} cannot be read: {error}") from error
    lines = [raw.rstrip(b"\r") for raw in text.split(b"\n")]
    if is_url(path):
        for number, line in enumerate(lines, 1):
            check_remote_name(os.fsencode(path), number, line)
    return [line for line in lines if line]
