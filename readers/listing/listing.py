"""The files that a reader reads, in order: with labels, or without."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array
from ...engine.errors import ArgumentError, SourceError
from ...formats.endings import AUDIO, ENDINGS, IMAGE, UNREAD, VIDEO
from ...formats.foreign import foreign_file
from ..storage.strings import StringTable
from ..storage.urls import is_url, place_of, shown
from .class_folders import OTHER_FILES, ClassFolders
from .folder import Folder
from .layouts import inner_layout, layout_of
from .list_file import read_list_file, read_plain_list
from .shares import SplitBy, in_split, require_some
from .targets import Targets, checked_labels, numbered

Path = str | bytes | os.PathLike[str] | os.PathLike[bytes]

IMAGE_PATTERNS = tuple(f"*.{ending}" for ending in ENDINGS[IMAGE] if ending not in UNREAD)
KNOWN_EXTENSIONS = (*IMAGE_PATTERNS, *(f"*.{ending}" for ending in ENDINGS[AUDIO]))
"""The default of `file_filters`: all that the decoders read, with DALI's patterns among them."""

VIDEO_PATTERNS = tuple(f"*.{ending}" for ending in ENDINGS[VIDEO])


@dataclass(frozen=True)
class FileList:
    """Files in reading order and their labels.

    Attributes:
        root: absolute path or URL of a folder, with a slash at its end.
        names: paths below `root`, absolute paths, or URLs.
        labels: of shape (files,), int32 or real; or of shape (files, k).
        by_class: whether each name begins with the folder of the class that its label numbers.
        label_names: texts that the labels number, unless they are those folders.
        targets: what stands in the place of labels.
    """

    root: bytes
    names: StringTable
    labels: Array
    by_class: bool = False
    label_names: tuple[str, ...] = ()
    targets: Targets | None = None

    def __len__(self) -> int:
        return len(self.names)

    def paths(self, indices: NDArray[np.int64]) -> list[bytes]:
        """Return the absolute paths, or the URLs, of the files `indices`."""
        root, names = self.root, self.names.take(indices)
        if not self._some_are_whole:
            return [root + name for name in names]
        return [n if n.startswith(b"/") or is_url(n) else root + n for n in names]

    def name(self, index: int) -> str:
        """Return a file as it is named: relative to `root`, or its path or URL without secrets."""
        return shown(self.names[index])

    def subset(self, indices: NDArray[np.int64]) -> FileList:
        """Return the list of some files; classes keep their numbers."""
        return FileList(
            self.root,
            StringTable.of(self.names.take(indices)),
            self.labels[indices],
            label_names=self.class_names,
            targets=self.targets and self.targets.subset(indices),
        )

    def of_split(self, split: str | None, split_by: SplitBy | None) -> FileList:
        """Return the list of the files that belong to a part: see `splits`.

        Raises:
            ArgumentError: there is no such part.
            SourceError: no file belongs to it.
        """
        if split is None or not isinstance(split_by, Mapping):
            return self
        kept = in_split(self.names, split, split_by)
        require_some(kept, split, len(self))
        return self.subset(kept)

    @cached_property
    def class_names(self) -> tuple[str, ...]:
        """The texts that labels number: by default the names of class folders.

        A folder without files has the name "".
        """
        if not self.by_class:
            return self.label_names
        labels, firsts = np.unique(self.labels, return_index=True)
        names = [""] * (int(labels[-1]) + 1)
        for label, first in zip(labels.tolist(), firsts.tolist(), strict=True):
            names[label] = os.fsdecode(self.names[first].partition(b"/")[0])
        return tuple(names)

    @cached_property
    def _some_are_whole(self) -> bool:
        """Whether any name may be an absolute path or a URL."""
        return self.names.some_begin_with(ord("/")) or self.names.contain(b"://")

    @cached_property
    def some_are_urls(self) -> bool:
        """Whether any path may be a URL."""
        return is_url(self.root) or self.names.contain(b"://")


def list_files(
    *,
    file_root: Path | None = None,
    files: Path | Sequence[Path] | None = None,
    labels: Any = None,
    class_names: Sequence[str] | None = None,
    file_list: Path | None = None,
    file_filters: str | Sequence[str] = KNOWN_EXTENSIONS,
    dir_filters: str | Sequence[str] | None = None,
    case_sensitive_filter: bool = False,
    storage_options: Mapping[str, Any] | None = None,
) -> FileList:
    """List files as DALI's `fn.readers.file` does; each argument has the same meaning as there.

    There are three ways to name the files:

    - `file_root` alone: the files of each folder directly inside `file_root`. Folders that match
      one of `dir_filters`, in the order of their names' bytes, are the classes 0, 1, .... A folder
      without a file that matches `file_filters` is a class, too. Hidden names are left out, unless
      a pattern spells their first character: see `folder_rule`. A warning tells what is left out.
      A class's files have the order of their names' bytes. Links are followed.
      `globs.name_filter` explains the patterns. `class_names` number the folders otherwise.
    - `files`: paths, relative to `file_root` (default: the current folder), with one of `labels`
      each (default: 0, 1, 2, ...). See `checked_labels`.
    - `file_list`: a text file with a path, white space and a label from 0 to 2147483647 on
      each line, relative to `file_root` (default: the folder of `file_list`). Blank lines are
      skipped. Spaces before and inside of a path belong to the path.

    All three arguments accept URLs, with `Reader.storage_options`. A web server's pages of links
    serve as folders.

    Relative paths are resolved when the list is made, so a later change of the current folder
    changes nothing. The files of `files` and `file_list` are not opened before they are read.

    Differences from DALI: hidden folders, such as `.ipynb_checkpoints`, are no classes. Labels that
    int32 cannot hold, and labels that are no integers, are errors (DALI wraps or cuts them). A byte
    order mark before the first line of `file_list` is skipped.

    Raises:
        ArgumentError: the arguments contradict each other or are empty.
        SourceError: a folder or `file_list` cannot be read, or holds nothing that matches.
    """
    if files is not None and file_list is not None:
        raise ArgumentError("give either `files` or `file_list`, not both")
    if labels is not None and files is None:
        raise ArgumentError("`labels` belong to `files`, which is not given")
    if files is not None:
        names = names_in(files)
        if not len(names):
            raise ArgumentError("`files` is empty: name at least one file")
        checked, classes = checked_labels(labels, len(names), class_names)
        return FileList(root_of(names, file_root or b""), names, checked, label_names=classes)
    if file_list is not None:
        if not file_list:
            raise ArgumentError("`file_list` is an empty string: give the path of a text file")
        names, of_list = read_list_file(os.fsencode(file_list), storage_options)
        return FileList(root_of_list(file_root, file_list), names, of_list)
    if not file_root:
        raise ArgumentError(
            "no files are named: give `file_root` (a folder with one folder for each class), "
            "`files` (paths) or `file_list` (a text file)"
        )
    root = absolute(file_root)
    folders = folders_below(root, storage_options or {})(
        root,
        _patterns("file_filters", file_filters),
        None if dir_filters is None else _patterns("dir_filters", dir_filters),
        case_sensitive=case_sensitive_filter,
    )
    if dir_filters is not None:
        listed = FileList(root, *folders.list_files(), by_class=True)
    else:
        listed = _listed(folders, Folder(place_of(os.fsdecode(root)), storage_options or {}))
    _warn_of_left_out(folders, tuple(file_filters))
    return listed if class_names is None else _renumbered(listed, class_names)


def _renumbered(listed: FileList, class_names: Sequence[str]) -> FileList:
    """Return the files of class folders, with the numbers that `class_names` give the folders.

    Raises:
        ArgumentError: a folder with files has none of the names.
    """
    folders = listed.class_names
    numbers, classes = numbered(folders, class_names)
    if strange := [n for n, number in zip(folders, numbers, strict=True) if n and number < 0]:
        raise ArgumentError(
            f"the folder {strange[0]!r} in {shown(listed.root)} is none of the {len(classes)} "
            "`class_names`; name it there, or leave it out by `dir_filters`"
        )
    return replace(listed, labels=numbers[listed.labels], by_class=False, label_names=classes)


def _listed(folders: ClassFolders, folder: Folder) -> FileList:
    """Return the files of class folders; raise SourceError if the folders are something else."""
    root = folders.root
    if layout := layout_of(folder, opened=True):
        raise SourceError(
            f"{shown(root)} is {layout}. If its folders are classes all the same, "
            "fn.readers.file takes dir_filters='*'"
        )
    try:
        return FileList(root, *folders.list_files(), by_class=True)
    except SourceError as error:
        if layout := inner_layout(folder):
            raise SourceError(f"{shown(root)} holds no class folders; {layout}") from error
        names = map(os.fsdecode, folders.left_out.get(OTHER_FILES, ()))
        for name, title in ((name, foreign_file(name, b"")) for name in names):
            if title:
                raise SourceError(f"{error}; {name!r} is {title}") from error
        raise


def _warn_of_left_out(folders: ClassFolders, filters: tuple[str, ...] = ()) -> None:
    """Warn of files in and beside folders, and of folders, that are no samples."""
    defaults = (KNOWN_EXTENSIONS, IMAGE_PATTERNS, VIDEO_PATTERNS)
    cases = [
        f"{kind} ({len(names):,}, such as {shown(names[0])!r})"
        for kind, names in folders.left_out.items()
        if kind != OTHER_FILES or filters in defaults  # the user's own patterns leave these out
    ]
    if cases:
        is_file_reader = filters and filters not in defaults[1:]
        advice = ". `file_filters` and `dir_filters` name what is read" if is_file_reader else ""
        warnings.warn(
            f"{shown(folders.root)!r}: left out are {', '.join(cases)}{advice}",
            RuntimeWarning,
            stacklevel=2,
        )


def list_plain_files(
    owner: str,
    *,
    files: Sequence[str] | None = None,
    file_list: str | None = None,
    file_root: str | None = None,
    file_filter: str = "*",
    storage_options: Mapping[str, object] | None = None,
) -> FileList:
    """List files without labels: named one by one, in a text file, or found in a folder.

    Args:
        owner: the reader, for messages.
        files: paths, relative to `file_root` if that is given.
        file_list: text file with a path on each line, relative to `file_root` or to the list.
        file_root: folder whose files, and those of the folders right inside it, are read.
        file_filter: pattern of their names, with `file_root` alone.
        storage_options: `Reader.storage_options`, for URLs.

    Raises:
        ArgumentError: the arguments contradict each other, or are missing.
        SourceError: a folder or list cannot be read, or no file is there.
    """
    if files is not None and file_list is not None:
        raise ArgumentError(f"{owner}: give either files or file_list, not both")
    if files is not None:
        argument, names = "files", names_in(files)
        root = root_of(names, file_root or b"")
    elif file_list is not None:
        argument, names = file_list, read_plain_list(os.fsencode(file_list), storage_options)
        root = root_of_list(file_root, file_list)
    elif file_root:
        argument = f"{file_root!r} and the folders in it, for {file_filter!r},"
        root = absolute(file_root)
        folders: ClassFolders = folders_below(root, storage_options or {})(
            root, [file_filter], None, case_sensitive=True
        )
        names = StringTable.of(folders.files_of_two_levels())
        layout = layout_of(Folder(place_of(os.fsdecode(root)), storage_options or {}))
        if layout and (not len(names) or names.contain(b"/")):
            raise SourceError(f"{owner}: {shown(root)} is {layout}, or name the folder of one part")
        _warn_of_left_out(folders)
    else:
        raise ArgumentError(f"{owner} needs file_root, files or file_list")
    if not len(names):
        raise SourceError(f"{owner}: {argument} names no file")
    return FileList(root, names, np.broadcast_to(np.int32(0), len(names)))


def folders_below(root: bytes, options: Mapping[str, object]) -> Callable[..., ClassFolders]:
    """Return the class that lists the folders in `root`, a local path or a URL."""
    if not is_url(root):
        return ClassFolders
    from ..remote.folders import RemoteClassFolders  # needs optional libraries

    return partial(RemoteClassFolders, options)


def absolute(folder: Path) -> bytes:
    """Return the absolute path, or the URL, of a folder, with a slash at its end."""
    path = os.fsencode(folder)
    if is_url(path):
        return path.rstrip(b"/") + b"/"
    # `os.path.abspath` would replace "link/.." by ".", which is another folder.
    return os.path.join(path if os.path.isabs(path) else _in_current_folder(path), b"")


def _in_current_folder(path: bytes) -> bytes:
    try:
        return os.path.join(os.getcwdb(), path)
    except FileNotFoundError:
        raise SourceError(
            f"the path {os.fsdecode(path)!r} is relative to the current folder, which was deleted: "
            "give absolute paths, or change to another folder"
        ) from None


def _patterns(argument: str, patterns: str | Sequence[str]) -> Sequence[str]:
    if not patterns:
        raise ArgumentError(
            f"`{argument}` is empty, so no name would match; leave the argument out"
        )
    return [patterns] if isinstance(patterns, str) else patterns


def names_in(files: Path | Sequence[Path]) -> StringTable:
    """Return the argument `files` as bytes."""
    paths = [files] if isinstance(files, str | bytes | os.PathLike) else files
    return StringTable.of(_encoded_paths(paths))


def root_of(names: StringTable, file_root: Path) -> bytes:
    """Return the absolute folder that names are relative to; "/" if all names are absolute.

    So files with absolute paths can be read although the current folder was deleted.
    """
    needed = file_root or not all(name.startswith(b"/") or is_url(name) for name in names)
    return absolute(file_root) if needed else b"/"


def _encoded_paths(paths: Sequence[Path]) -> Iterator[bytes]:
    """Yield the paths of the argument `files` as bytes; raise ArgumentError for other objects."""
    for index, path in enumerate(paths):
        try:
            name = os.fsencode(path)
        except TypeError:
            name = b""
        if not name or b"\0" in name:
            raise ArgumentError(f"`files[{index}]` must be a file's path, got {path!r}")
        yield name


def root_of_list(file_root: Path | None, file_list: Path) -> bytes:
    """Return the absolute folder that the names in a list are relative to."""
    return absolute(os.path.dirname(file_list) if file_root is None else file_root)
