"""Writes samples as files of their own: class folders, and file lists."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from errno import ENAMETOOLONG
from pathlib import Path
from typing import Any

from ...engine.errors import ArgumentError
from ...readers.storage.index_cache import SUFFIX
from ..class_names import checked_classes
from ..component_files import file_of, quoted, quoted_key
from ..manifest import NAME, ShardFile, ShardInfo
from ..sample import Sample
from ..schema import Schema
from ..stored.folder import KEYS, LIST, NAMES, WHOLE
from .base import LABEL, Target, Writer, needs_label
from .hashed_file import HashedFile, sync_file_system, write_new

ASIDE = ".penstock-"
"""What the names of lists of files begin with. A folder for them would be a class to readers."""

_RESERVED = (NAME, LIST)


@contextmanager
def whole_file(path: Path) -> Iterator[HashedFile]:
    """Yield a file to write, which gets its name once it is whole."""
    partial = path.parent / f"{ASIDE}{path.name}.partial"
    partial.unlink(missing_ok=True)
    file = HashedFile(partial)
    try:
        yield file
        file.finish(path.parent)
    finally:
        file.close()
    os.replace(partial, path)


class LooseFileWriter(Writer):
    """Base of writers that write files for each sample.

    The file `.penstock-<shard>.sha256` lists a shard's files, in the form that `sha256sum` reads.

    Attributes:
        root: folder of the shard.
        name: of the shard.
        samples: of the shard so far.
        lines: of the shard so far, for writers that list all samples in one file.
    """

    def start(self, path: Path) -> None:
        """See `Writer.start`."""
        self.root, self.name = path.parent, path.name
        self.samples = 0
        self.lines: list[bytes] = []
        self._files: list[ShardFile] = []

    def write_file(self, name: str, content: bytes | memoryview) -> None:
        """Write one file of a sample; `name` is its path in the data set."""
        if name in _RESERVED or name.startswith(ASIDE) or name.endswith(SUFFIX):
            raise ArgumentError(
                f"the sample would be the file {name!r}, but conversions and readers keep such "
                "names for files of their own; rename the sample"
            )
        try:
            file = HashedFile(self.root / name)
        except FileExistsError:
            raise ArgumentError(f"two samples of a shard would be the file {name!r}") from None
        except OSError as error:
            if error.errno != ENAMETOOLONG:
                raise
            raise ArgumentError(
                f"the sample would be the file {name!r:.300}, whose name or path is longer than "
                "the file system allows (usually 255 bytes a name); rename the sample, or write "
                "webdataset, tfrecord or parquet"
            ) from None
        try:
            file.write([content])
            self._files.append(file.finish(self.root, sync=False))
        finally:
            file.close()

    def write_components(self, stem: str, sample: Sample) -> list[str]:
        """Write a file for each component but the label; return the names."""
        names = []
        for name, value in sample.components.items():
            if name != LABEL:
                suffix, content = file_of(name, value)
                names.append(f"{stem}.{suffix}")
                self.write_file(names[-1], content)
        if not names:
            raise ArgumentError("the sample holds nothing but a label")
        self.samples += 1
        return names

    def finish(self) -> ShardInfo:
        """See `Writer.finish`."""
        lines = [f"{file.sha256}  {file.name}\n".encode() for file in self._files]
        listing = self.root / f"{ASIDE}{self.name}.sha256"
        sync_file_system(self.root)
        return ShardInfo((write_new(listing, b"".join(lines), self.root),), self.samples)

    def with_lines(self, info: ShardInfo, suffix: str) -> ShardInfo:
        """Write the lines of a shard, for `complete`; their file becomes its last one."""
        path = self.root / f"{ASIDE}{self.name}{suffix}"
        lines = write_new(path, b"".join(self.lines), self.root)
        return ShardInfo((*info.files, lines), info.samples)

    def abandon(self) -> None:
        """See `Writer.abandon`; no file stays open between two calls."""


class FolderWriter(LooseFileWriter):
    """Writes class folders: a folder for each value of "label".

    If the keys begin with the folder of their class, the rest of the key is the files' name. Else
    the whole key is the name. A slash in a name is written as %2F.
    """

    @classmethod
    def refusal(cls, schema: Schema) -> str:
        """See `Writer.refusal`."""
        return needs_label(schema, "a class folder")

    @classmethod
    def layout(cls, target: Target, first: Sample) -> dict[str, Any]:
        """See `Writer.layout`."""
        checked_classes(target.classes)  # those of a source may be anything
        whole = first.key.startswith(f"{class_name(target, first)}/")
        return {KEYS: WHOLE if whole else NAMES}

    def write(self, sample: Sample) -> None:
        """See `Writer.write`."""
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
        folders = [each.name for each in os.scandir(root) if each.is_dir()]
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


class FileListWriter(LooseFileWriter):
    """Writes files named by their keys, and a list of the files with their labels."""

    @classmethod
    def refusal(cls, schema: Schema) -> str:
        """See `Writer.refusal`."""
        return needs_label(schema, "a file list")

    @classmethod
    def layout(cls, target: Target, first: Sample) -> dict[str, Any]:
        """See `Writer.layout`."""
        return {KEYS: WHOLE}

    def write(self, sample: Sample) -> None:
        """See `Writer.write`."""
        label = sample.components.get(LABEL)
        if not isinstance(label, int) or not 0 <= label < 1 << 31:
            raise ArgumentError(f"the label is {label!r}; file lists need an integer from 0 on")
        names = self.write_components(quoted_key(sample.key), sample)
        self.lines += [f"{name} {label}\n".encode() for name in names]

    def finish(self) -> ShardInfo:
        """See `Writer.finish`."""
        return self.with_lines(super().finish(), ".lst")

    @classmethod
    def complete(cls, root: Path, target: Target, shards: Sequence[ShardInfo]) -> Target:
        """Join the lists of the shards."""
        join_lines(root, shards, LIST)
        return target


def join_lines(root: Path, shards: Sequence[ShardInfo], name: str) -> None:
    """Write a file of the lines of all shards: see `LooseFileWriter.with_lines`."""
    with whole_file(root / name) as file:
        for shard in shards:
            file.write([(root / shard.files[-1].name).read_bytes()])
