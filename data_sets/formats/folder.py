"""Class folders and file lists: one file or more for each sample, and a label."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import ArgumentError, DecodeError, SourceError
from ...formats.endings import medium_of_name
from ...formats.foreign import LFS, foreign_file, is_pointer
from ...readers.archives.tar_index import split_name
from ...readers.files.source import FileSource
from ...readers.listing.folder import Folder
from ...readers.listing.layouts import inner_layout
from ...readers.listing.listing import FileList, absolute, folders_below
from ...readers.storage.index_cache import SUFFIX
from ...readers.storage.strings import StringTable
from ...readers.storage.urls import Place, Url, is_url, text_of
from ..class_names import checked_classes
from ..component_files import CLS, LABEL, component_of, components_of, quoted
from ..manifest import ShardInfo
from ..sample import Sample
from ..schema import Schema
from .base import Location, ReaderCall, SourceSamples, grouped_rows, joined
from .dataset_format import DatasetFormat
from .loose_files import LooseFileWriter
from .writer import Target, needs_label

NO_MEDIA = "files that are no image, sound or video"
_IF_CLASSES = "If the folders are classes, say format='folder' (in commands, --format folder)"

KEYS = "keys"
"""The entry of a manifest's layout that says how class folders keep keys."""

WHOLE, NAMES = "class/name", "name"
"""Values of the entry: the key is class and name; the key is the name alone."""


class FileSamples(SourceSamples[FileSource]):
    """Files that share folder and name up to the extension, and the label of their folder."""

    def __init__(
        self,
        listing: FileList,
        location: Location,
        classes: Sequence[str] = (),
        left_out: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        """Take the files in the order of their samples.

        Args:
            listing: the files with the labels.
            location: of the data set. With a manifest, the first dot of a name ends the key and
                keys are unquoted; without a manifest, the last dot ends the key.
            classes: names of the labels.
            left_out: names of what else lies there, by what it is.
        """
        super().__init__(location)
        self._listing = listing
        self._source = FileSource(listing, location.options)
        self._dot = "last" if location.manifest is None else "first"
        self._firsts = _firsts(split_name(name, self._dot) for name in listing.names)
        self._left_out = left_out or {}
        self._folders = [listing.root + os.fsencode(name) for name in classes]
        manifest = location.manifest
        self._keys = str(manifest.layout.get(KEYS, "")) if manifest else ""
        self.classes = tuple(classes)
        self.labels = listing.labels[self._firsts[:-1]]
        self.learn(manifest)

    def __len__(self) -> int:
        return len(self._firsts) - 1

    def read(self, indices: NDArray[np.int64]) -> list[Sample]:
        groups = grouped_rows(self._firsts, indices)
        files = joined(groups)
        stored, labels = self._source.read(files, np.empty)
        for number, content in zip(files.tolist(), stored, strict=True):
            if is_pointer(content.data):
                raise DecodeError(f"{self._source.where(number)} is {LFS}")
        contents, names = iter(stored), self._listing.names.take(files)
        classes = np.asarray(labels).reshape(-1).tolist()
        samples, row = [], 0
        for index, group in zip(indices.tolist(), groups, strict=True):
            split = [split_name(name, self._dot) for name in names[row : row + len(group)]]
            suffixes = [os.fsdecode(suffix) for _, suffix in split]
            components = components_of(suffixes, contents, partial(self.where, index))
            if LABEL in components:
                raise DecodeError(
                    f"{self.where(index)}: a file .{CLS} or .{LABEL}.{CLS} beside it gives the "
                    "sample a label, but so does its place; remove one of them"
                )
            components[LABEL] = classes[row]
            samples.append(Sample(self._key(os.fsdecode(split[0][0])), components))
            row += len(group)
        return samples

    def _key(self, stem: str) -> str:
        if not self._keys:
            return stem
        folder, slash, name = stem.rpartition("/")
        return unquote(name) if self._keys == NAMES else f"{folder}{slash}{unquote(name)}"

    def where(self, index: int) -> str:
        """Return the path of a sample's first file."""
        return self._source.where(int(self._firsts[index]))

    def files(self) -> list[str]:
        """Return the folders, whose time of change tells of files and classes that come and go."""
        if is_url(self._listing.root):  # such folders have no time of change
            return []
        return [str(self.location.root), *map(os.fsdecode, self._folders)]

    @property
    def skipped_files(self) -> dict[str, Sequence[str]]:
        return {**self.location.skipped, **self._left_out}

    def folders(self) -> set[str]:
        return self._source.folders()

    def loose_files(self, indices: NDArray[np.int64]) -> Iterable[str | bytes]:
        return self._listing.paths(joined(grouped_rows(self._firsts, indices)))

    def reader_calls(self) -> Sequence[ReaderCall]:
        return [ReaderCall("file", {"file_root": absolute_path(self.location.root)})]


def _firsts(names: Iterator[tuple[bytes, bytes]]) -> NDArray[np.int64]:
    """Return the number of each sample's first file, and at the end the number of files.

    Files that follow one another with one stem are one sample, unless two hold one component.
    """
    firsts: list[int] = []
    last: bytes | None = None
    held: list[bytes] = []  # extensions of the last sample's files
    count = 0
    for number, (stem, extension) in enumerate(names):
        if stem == last and _component(extension) not in map(_component, held):
            held.append(extension)
        else:
            firsts.append(number)
            last, held = stem, [extension]
        count = number + 1
    return np.array([*firsts, count], np.int64)


def _component(extension: bytes) -> str:
    return component_of(os.fsdecode(extension))[0]


def open_folder(location: Location) -> FileSamples:
    """Open class folders; a manifest tells the classes' numbers, else the order of the names.

    Every visible file belongs to a sample.
    """
    return _opened(location, media_alone=False)


def open_media_folder(location: Location) -> FileSamples:
    """Open class folders that nobody named as such: each sample holds an image, sound or video.

    Raises:
        SourceError: no file is one, or the folders hold the parts of samples.
    """
    if location.manifest is not None:
        return _opened(location, media_alone=False)
    try:
        return _opened(location, media_alone=True)
    except SourceError as error:
        if layout := inner_layout(Folder(location.root, location.options)):
            raise SourceError(f"{location.root} holds no class folders; {layout}") from error
        raise


def _opened(location: Location, *, media_alone: bool) -> FileSamples:
    root = absolute(text_of(location.root))
    below = folders_below(root, location.options)
    folders = below(root, ["*"], None, case_sensitive=True)
    names, labels = _without_indexes(*folders.list_files())
    classes = [os.fsdecode(folder) for folder in folders.folders()]
    left_out: dict[str, Sequence[bytes]] = dict(folders.left_out)
    if media_alone:
        kept = _with_media(names)
        if not kept.any():
            text = f"{location.root} holds folders, but {_endings(names)}"
            titles = (foreign_file(os.fsdecode(name), b"") for name in names)
            title = next(filter(None, titles), "")
            raise SourceError(f"{text}{title and f', such as {title}'}. {_IF_CLASSES}")
        _refuse_parts(location, names, labels, classes)
        if not kept.all():
            left_out[NO_MEDIA] = names.take(np.flatnonzero(~kept))
            names, labels = StringTable.of(names.take(np.flatnonzero(kept))), labels[kept]
    if location.manifest is not None:
        numbers = {name: number for number, name in enumerate(location.manifest.classes)}
        if unknown := [name for name in classes if name not in numbers]:
            raise SourceError(f"{location.root}: the manifest names no class {unknown[0]!r}")
        labels = np.array([numbers[name] for name in classes], np.int32)[labels]
    shown = {kind: [*map(os.fsdecode, some)] for kind, some in left_out.items()}
    return FileSamples(FileList(root, names, labels), location, classes, shown)


def _with_media(names: StringTable) -> NDArray[np.bool_]:
    """Return which files belong to a sample that holds an image, sound or video."""
    media = np.array([bool(medium_of_name(os.fsdecode(name))) for name in names], np.bool_)
    firsts = _firsts(split_name(name, "last") for name in names)
    samples: NDArray[np.bool_] = np.logical_or.reduceat(media, firsts[:-1])
    return np.repeat(samples, np.diff(firsts))


def _endings(names: StringTable) -> str:
    """Return what files there are, for a message that none of them is an image, sound or video."""
    counts = Counter(os.path.splitext(os.fsdecode(name))[1] for name in names).most_common(4)
    listed = ", ".join(f"{ending or 'no ending'} ({count:,})" for ending, count in counts)
    return f"none of their {len(names):,} files is an image, sound or video: {listed}"


def _refuse_parts(
    location: Location, names: StringTable, labels: NDArray[np.int32], classes: Sequence[str]
) -> None:
    """Raise SourceError if two folders hold files of one set of names, but of different media."""
    media: dict[int, set[str]] = defaultdict(set)
    for name, label in zip(names, labels.tolist(), strict=True):
        media[label].add(medium_of_name(os.fsdecode(name)))
    held = {label: frozenset(some - {""}) for label, some in media.items()}
    if len(set(held.values())) == 1:
        return
    stems: dict[int, set[bytes]] = defaultdict(set)
    of_media: dict[frozenset[str], set[bytes]] = defaultdict(set)
    for name, label in zip(names, labels.tolist(), strict=True):
        stem = os.path.splitext(name)[0].partition(b"/")[2]
        stems[label].add(stem)
        of_media[held[label]].add(stem)
    for label, own in sorted(stems.items(), key=lambda item: len(held[item[0]])):
        for others, theirs in of_media.items():
            if own <= theirs and held[label] != others and held[label].isdisjoint(others):
                raise SourceError(
                    f"{location.root}: the files in {classes[label]!r} have names of files in "
                    "other folders, and are of another medium, so the folders hold parts of "
                    f"samples and are no classes. {_IF_CLASSES}"
                )


def _without_indexes(
    names: StringTable, labels: NDArray[np.int32]
) -> tuple[StringTable, NDArray[np.int32]]:
    """Leave out the indexes that readers keep beside files, such as videos."""
    suffix = os.fsencode(SUFFIX)
    if not names.contain(suffix):
        return names, labels
    kept = np.array([not name.endswith(suffix) for name in names], bool)
    return StringTable.of(names.take(np.flatnonzero(kept))), labels[kept]


def absolute_path(place: Place) -> str:
    """Return the absolute path of a file or folder; a URL stays as it is."""
    return place.text if isinstance(place, Url) else os.path.abspath(place)


class FolderWriter(LooseFileWriter):
    """Writes class folders: a folder for each value of "label".

    If the keys begin with the folder of their class, the rest of the key is the files' name. Else
    the whole key is the name. A slash in a name is written as %2F.
    """

    @classmethod
    def refusal(cls, schema: Schema) -> str:
        return needs_label(schema, "a class folder")

    @classmethod
    def layout(cls, target: Target, first: Sample) -> dict[str, Any]:
        checked_classes(target.classes)  # those of a source may be anything
        whole = first.key.startswith(f"{class_name(target, first)}/")
        return {KEYS: WHOLE if whole else NAMES}

    def write(self, sample: Sample) -> None:
        folder, name = class_name(self.target, sample), sample.key
        if self.target.layout[KEYS] == WHOLE:
            if not name.startswith(f"{folder}/"):
                raise ArgumentError(
                    f"the sample belongs to the class {folder!r}, but its key does not begin with "
                    f"'{folder}/' as the first key of the data set does; write a file list instead"
                )
            name = name[len(folder) + 1 :]
        self.write_components(f"{folder}/{quoted(name).replace('/', '%2F')}", sample)

    @classmethod
    def complete(cls, root: Path, target: Target, shards: Sequence[ShardInfo]) -> Target:
        """Make the folders of classes without samples, which keep the others' numbers."""
        folders = [entry.name for entry in os.scandir(root) if entry.is_dir()]
        names = target.classes or tuple(
            f"{number:06d}" for number in range(1 + max(map(_number, folders), default=-1))
        )
        for name in names:
            (root / name).mkdir(exist_ok=True)
        return Target(target.schema, names, target.layout)


def class_name(target: Target, sample: Sample) -> str:
    """Return the folder of a sample's class.

    Raises:
        ArgumentError: the sample has no class, or the names of the classes do not have it.
    """
    label = sample.components.get(LABEL)
    if not isinstance(label, int) or not 0 <= label < 1_000_000:
        raise ArgumentError(f"the label is {label!r}; class folders need an integer below 1000000")
    if not target.classes:
        return f"{label:06d}"
    if label >= len(target.classes):
        raise ArgumentError(
            f"the label is {label}, but there are names for {len(target.classes)} classes only; "
            "add the missing names to `classes`"
        )
    return target.classes[label]


def _number(folder: str) -> int:
    return int(folder) if folder.isdigit() else -1


ROW = DatasetFormat("folder", "class folders", open_folder, FolderWriter)
RECOGNIZED = replace(ROW, open=open_media_folder)
"""The row of folders that nobody named as class folders."""
