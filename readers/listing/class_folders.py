"""A folder that holds one folder of files for each class."""

from __future__ import annotations

import os
import stat
from array import array
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import SourceError
from ...formats.endings import medium_of_name
from ..storage.strings import StringTable, StringTableBuilder
from .folder_rule import is_beside_data, is_hidden, visible_filter

Entry = tuple[bytes, bool]
"""Name of an entry of a folder, and whether the entry is a folder."""

OTHER_FILES = "files of other endings"
HIDDEN_FILES = "hidden files of data"
HIDDEN_FOLDERS = "hidden folders with data"
PLACEHOLDERS = "placeholders of iCloud, in place of files that are not on this machine"
DEEPER = "folders in class folders"
BESIDE = "files beside the class folders"

_PLACEHOLDER = b".icloud"  # of the file "a.jpg", which is to be fetched, ".a.jpg.icloud"
_ARRAYS = (b".npy", b".npz", b".fits", b".fit")


class ClassFolders:
    """The folders directly inside `root`, and the files directly inside each of these folders.

    Deeper folders are not listed, so links that lead in circles do no harm. Hidden names count only
    if a filter spells their first character: see `folder_rule`.

    Attributes:
        left_out: paths below `root` of what the lists left out, by what they are.
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
        self.file_matches = visible_filter(file_filters, case_sensitive=case_sensitive)
        self.dir_matches = visible_filter(
            ["*"] if dir_filters is None else dir_filters, case_sensitive=case_sensitive
        )
        self.left_out: dict[str, list[bytes]] = {}
        self._beside: list[Entry] = []

    def list_files(self) -> tuple[StringTable, NDArray[np.int32]]:
        """Return the files' paths below `root`, and the files' class numbers, int32 (files,).

        The bytes of the names give the order of the classes and of the files. A class without a
        matching file keeps its number.

        Raises:
            SourceError: no file matches.
        """
        names, labels = StringTableBuilder(), array("i")
        folders = self.folders()
        self._note_beside()
        listed = zip(folders, self.listed(folders), strict=True)
        for label, (folder, (files, others)) in enumerate(listed):
            self._note(folder + b"/", others)
            first = len(names)
            names.extend(files, prefix=folder + b"/")
            labels.extend(array("i", [label]) * (len(names) - first))
        if not labels:
            raise self._nothing_found(folders)
        return names.finish(), np.frombuffer(labels, np.int32)

    def entries(self) -> tuple[list[str], list[str]]:
        """Return the names of the files and the folders in `root`, hidden ones too."""
        folders = self.folders()
        files = [name for name, is_folder in self._beside if not is_folder]
        folders += [name for name, is_folder in self._beside if is_folder]
        return [*map(_text, files)], [*map(_text, folders)]

    def files_of_two_levels(self) -> Iterator[bytes]:
        """Yield the paths below `root` of the files in it, and then of those in its folders."""
        folders = self.folders()
        links = set(folders)  # links to folders are listed among the files, too
        files, others = self._listed(self.root)
        self._note_hidden(b"", others)
        yield from (name for name in files if name not in links)
        for folder, (names, others) in zip(folders, self.listed(folders), strict=True):
            self._note_hidden(folder + b"/", others)
            yield from (folder + b"/" + name for name in names)

    def listed(self, folders: list[bytes]) -> Iterable[tuple[list[bytes], list[Entry]]]:
        """Return, for each of `folders`, its matching files, sorted, and its other entries."""
        return (self._listed(self.root + folder) for folder in folders)

    def folders(self) -> list[bytes]:
        """Return the names of the class folders, sorted."""
        matches, folders = self.dir_matches, []
        self._beside = []
        try:
            with os.scandir(self.root) as entries:
                for entry in entries:
                    if matches(entry.name) and _is_folder(entry):
                        folders.append(entry.name)
                    else:
                        self._beside.append((entry.name, entry.is_dir(follow_symlinks=False)))
            return sorted(folders)
        except SourceError:
            raise
        except OSError as error:
            raise SourceError(
                f"`file_root` {_shown(self.root)} cannot be listed: {error.strerror}. "
                "The path must be a folder that holds one folder for each class"
            ) from error

    def files(self, folder: bytes) -> list[bytes]:
        """Return the names of the matching files directly inside `folder`, sorted."""
        return self._listed(folder)[0]

    def _listed(self, folder: bytes) -> tuple[list[bytes], list[Entry]]:
        matches = self.file_matches
        files: list[bytes] = []
        others: list[Entry] = []
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if matches(entry.name) and _may_be_file(entry):
                        files.append(entry.name)
                    else:
                        others.append((entry.name, entry.is_dir(follow_symlinks=False)))
        except OSError as error:
            raise SourceError(
                f"the class folder {_shown(folder)} cannot be listed: {error.strerror}"
            ) from error
        files.sort()
        return files, others

    def _note(self, folder: bytes, others: list[Entry]) -> None:
        """Note what a class folder, whose path ends with a slash, holds besides its files."""
        self._note_hidden(folder, others)
        for name, is_folder in sorted(others):
            if is_hidden(name):
                continue
            if is_folder:
                self._leave_out(DEEPER, folder + name)
            elif _is_data(name) or not is_beside_data(_text(name)):
                self._leave_out(OTHER_FILES, folder + name)

    def _note_beside(self) -> None:
        """Note hidden folders, and the files that lie beside the class folders."""
        folders = [entry for entry in self._beside if entry[1]]
        self._note_hidden(b"", folders)
        for name, is_folder in sorted(self._beside):
            if not is_folder and self.file_matches(name) and not is_beside_data(_text(name)):
                self._leave_out(BESIDE, name)

    def _note_hidden(self, folder: bytes, others: list[Entry]) -> None:
        for name, is_folder in sorted(others):
            if not is_hidden(name):
                continue
            if not is_folder and name.endswith(_PLACEHOLDER):
                self._leave_out(PLACEHOLDERS, folder + name)
            elif not is_folder and _is_data(name):
                self._leave_out(HIDDEN_FILES, folder + name)
            elif is_folder and not folder and self._holds_data(name):
                self._leave_out(HIDDEN_FOLDERS, name)

    def _leave_out(self, kind: str, name: bytes) -> None:
        self.left_out.setdefault(kind, []).append(name)

    def _holds_data(self, folder: bytes) -> bool:
        try:
            files, others = self._listed(self.root + folder)
        except SourceError:
            return False
        return any(map(_is_data, files)) or any(_is_data(n) for n, inner in others if not inner)

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
        if deeper := self.left_out.get(DEEPER):
            above = _shown(os.path.dirname(deeper[0]))
            text += (
                f"; {len(deeper)} folders, such as {_shown(deeper[0])}, lie in these: if they are "
                f"the classes, name the folder that holds them, such as {above}"
            )
        if loose := self.files(self.root):
            text += (
                f"; {len(loose)} files, such as {_shown(loose[0])}, lie in `file_root` itself: "
                "put them into a folder for each class, or name the files by `files` or `file_list`"
            )
        return SourceError(text)


def _is_data(name: bytes) -> bool:
    return bool(medium_of_name(_text(name))) or name.endswith(_ARRAYS)


def _text(name: bytes) -> str:
    return os.fsdecode(name)


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
