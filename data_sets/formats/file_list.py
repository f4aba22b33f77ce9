"""File lists: a text file that names files with their labels."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...engine.errors import ArgumentError, SourceError
from ...readers.listing.listing import list_files
from ...readers.storage.storage import Storage
from ...readers.storage.urls import place_of, text_of
from ..component_files import LABEL, quoted_key
from ..manifest import ShardInfo
from ..sample import Sample
from ..schema import Schema
from .base import Location, ReaderCall
from .dataset_format import DatasetFormat
from .folder import KEYS, WHOLE, FileSamples, absolute_path
from .loose_files import LIST, LooseFileWriter, join_lines
from .writer import Target, needs_label


class FileListSamples(FileSamples):
    """Files that a list names."""

    def reader_calls(self) -> Sequence[ReaderCall]:
        place = place_of(_list_of(self.location))
        roots = {"file_list": absolute_path(place), "file_root": absolute_path(place.parent)}
        return [ReaderCall("file", roots)]


def open_file_list(location: Location) -> FileListSamples:
    """Open the files that a list names with their labels."""
    listing = list_files(file_list=_list_of(location), storage_options=location.options)
    return FileListSamples(listing, location)


def _list_of(location: Location) -> str:
    if location.manifest is not None:
        return text_of(location.root / LIST)
    if len(location.files) != 1:
        raise SourceError(
            f"{location.root} holds {len(location.files)} files, of which one may be a list; name "
            "the list: a text file with a path and a label on each line"
        )
    return location.files[0]


class FileListWriter(LooseFileWriter):
    """Writes files named by their keys, and a list of the files with their labels."""

    lines_suffix = ".lst"

    @classmethod
    def refusal(cls, schema: Schema) -> str:
        return needs_label(schema, "a file list")

    @classmethod
    def layout(cls, target: Target, first: Sample) -> dict[str, Any]:
        return {KEYS: WHOLE}

    def write(self, sample: Sample) -> None:
        label = sample.components.get(LABEL)
        if not isinstance(label, int) or not 0 <= label < 1 << 31:
            raise ArgumentError(f"the label is {label!r}; file lists need an integer from 0 on")
        names = self.write_components(quoted_key(sample.key), sample)
        self.lines += [f"{name} {label}\n".encode() for name in names]

    @classmethod
    def complete(cls, root: Path, target: Target, shards: Sequence[ShardInfo]) -> Target:
        """Join the lists of the shards."""
        join_lines(root, shards, LIST)
        return target


def _is_file_list(head: bytes, _: Storage) -> bool:
    fields = head.split(b"\n", 1)[0].rsplit(None, 1)
    return b"\0" not in head and len(fields) == 2 and fields[1].isdigit()


ROW = DatasetFormat(
    "filelist",
    "a list of files with labels",
    open_file_list,
    FileListWriter,
    recognize=_is_file_list,
)
