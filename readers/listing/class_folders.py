"""A folder that holds one folder of files for each class."""

from __future__ import annotations

import os
import stat
from array import array
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import SourceError
from ..storage.strings import StringTable, StringTableBuilder
from .globs import name_filter


class ClassFolders:
    """The folders directly inside `root`, and the files directly inside each of these folders.

    Deeper folders are not listed, so links that lead in circles do no harm.
    """

    def __init__(
        self,
        root: bytes,
        file_filters: Sequence[str],
        dir_filters: Sequence[str] | None,
        *,
        case_sensitive: bool,
    ) -> None:
        """Set `root`, which ends in a slash; if `dir_filters` is None, all folders match."""
        self.root = root
        self._file_filters = file_filters
        self._dir_filters = dir_filters
        self.file_matches = name_filter(file_filters, case_sensitive=case_sensitive)
        self.dir_matches = name_filter(
            ["*"] if dir_filters is None else dir_filters, case_sensitive=case_sensitive
        )

    def list_files(self) -> tuple[StringTable, NDArray[np.int32]]:
        """Return the files' paths below `root`, and the files' class numbers, int32 (files,).

        The bytes of the names give the order of the classes and of the files. A class without a
        matching file keeps its number.

        Raises:
            SourceError: no file matches.
        """
        names, labels = StringTableBuilder(), array("i")
        folders = self.folders()
        for label, (folder, files) in enumerate(zip(folders, self.listed(folders), strict=True)):
            first = len(names)
            names.extend(files, prefix=folder + b"/")
            labels.extend(array("i", [label]) * (len(names) - first))
        if not labels:
            raise self._nothing_found(folders)
        return names.finish(), np.frombuffer(labels, np.int32)

    def files_of_two_levels(self) -> Iterator[bytes]:
        """Yield the paths below `root` of the files in it, and then of those in its folders."""
        folders = self.folders()
        links = set(folders)  # links to folders are listed among the files, too
        yield from (name for name in self.files(self.root) if name not in links)
        for folder, names in zip(folders, self.listed(folders), strict=True):
            yield from (folder + b"/" + name for name in names)

    def listed(self, folders: list[bytes]) -> Iterable[list[bytes]]:
        """Return the files of each of `folders`."""
        return (self.files(self.root + folder) for folder in folders)

    def folders(self) -> list[bytes]:
        """Return the names of the class folders, sorted."""
        matches = self.dir_matches
        try:
            with os.scandir(self.root) as entries:
                return sorted(e.name for e in entries if matches(e.name) and _is_folder(e))
        except SourceError:
            raise
        except OSError as error:
            raise SourceError(
                f"`file_root` {_shown(self.root)} cannot be listed: {error.strerror}. "
                "The path must be a folder that holds one folder for each class"
            ) from error

    def files(self, folder: bytes) -> list[bytes]:
        """Return the names of the matching files directly inside `folder`, sorted."""
        matches = self.file_matches
        try:
            with os.scandir(folder) as entries:
                return sorted(e.name for e in entries if matches(e.name) and _may_be_file(e))
        except OSError as error:
            raise SourceError(
                f"the class folder {_shown(folder)} cannot be listed: {error.strerror}"
            ) from error

    def _nothing_found(self, folders: list[bytes]) -> SourceError:
        root = f"`file_root` {_shown(self.root)}"
        if folders:
            text = (
                f"no file matches `file_filters` {self._file_filters} in the {len(folders)} class "
                f"folders of {root} (the first is {_shown(folders[0])})"
            )
        elif self._dir_filters is None:
            text = f"{root} holds no folder; it must hold one folder for each class"
        else:
            text = f"{root} holds no folder that matches `dir_filters` {self._dir_filters}"
        if loose := self.files(self.root):
            text += (
                f"; {len(loose)} files, such as {_shown(loose[0])}, lie in `file_root` itself: "
                "put them into a folder for each class, or name the files by `files` or `file_list`"
            )
        return SourceError(text)


def _is_folder(entry: os.DirEntry[bytes]) -> bool:
    if not entry.is_symlink():
        return entry.is_dir(follow_symlinks=False)
    try:
        return stat.S_ISDIR(entry.stat().st_mode)
    except OSError as error:
        # To pass over the link could silently renumber all classes that follow.
        raise SourceError(
            f"the link {_shown(entry.path)} leads nowhere ({error.strerror}), so the link may be a "
            "class: repair the link, remove the link, or exclude it by `dir_filters`"
        ) from error


def _may_be_file(entry: os.DirEntry[bytes]) -> bool:
    # A link counts as a file: to follow each link would cost one system call.
    return entry.is_file(follow_symlinks=False) or entry.is_symlink()


def _shown(path: bytes) -> str:
    return repr(os.fsdecode(path))
