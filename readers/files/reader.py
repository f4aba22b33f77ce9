"""Whole files as samples: `fn.readers.file`."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...engine.errors import ArgumentError
from ...engine.graph.operator import Array, register
from ...engine.graph.params import BOOL, INTS, STR, STRS, param
from ...engine.tensors.arena import Arena
from ...engine.tensors.packed_rows import MetadataFunction
from ..listing.listing import KNOWN_EXTENSIONS, list_files
from ..reader import Reader
from .source import FileSource


class WholeFileReader(Reader):
    """Base of the readers of whole files, which a process of the reader's own may read."""

    source: FileSource

    def wants_shared_memory(self, *, uses_gpu: bool) -> bool:
        return uses_gpu

    def share_memory(
        self, arena: Arena, metadata_functions: Mapping[str, MetadataFunction]
    ) -> None:
        self.source.share(arena, metadata_functions)

    def interrupt(self) -> None:
        super().interrupt()
        self.source.interrupt()

    def remark(self) -> str:
        return self.source.path_used


@register
class FileReader(WholeFileReader):
    """Reads whole files, such as encoded images, with an integer label each.

    The files come from folders of classes (`file_root`), from a list of paths (`files`), or
    from a text file that lists them (`file_list`). Each of these may be or hold URLs, such as
    "s3://bucket/train".

    In pipelines that use the GPU or worker processes, one to four processes of the reader's own
    read local files, after a fifth of a second of reading: threads that read would wait for
    Python's lock.

    Outputs:
        the file's bytes: uint8, shape (size,).
        its label: int32, shape (1,).

    Raises:
        SourceError: a folder or list cannot be read or holds nothing that matches.
        OSError: a file cannot be read (see `on_error` of the pipeline).
    """

    name = "readers.file"
    aliases = ("file_reader",)
    outputs = 2

    file_root = param(
        STR,
        None,
        "Folder whose subfolders are the classes, numbered in the order of their names; also what "
        "relative paths in `files` or `file_list` are relative to.",
    )
    files = param(STRS, None, "Paths of the files.")
    labels = param(INTS, None, "Their labels; by default 0, 1, 2, ...")
    file_list = param(
        STR, None, "Text file with a path and a label on each line; paths may hold spaces."
    )
    file_filters = param(
        STRS, KNOWN_EXTENSIONS, "Patterns such as '*.jpg'; with `file_root` alone."
    )
    dir_filters = param(STRS, None, "Patterns of the class folders' names; by default all.")
    case_sensitive_filter = param(BOOL, False, "Whether the patterns distinguish case.")

    def open_source(self) -> FileSource:
        if self.file_root is None and self.files is None and self.file_list is None:
            raise ArgumentError("fn.readers.file needs file_root, files or file_list")
        return FileSource(
            list_files(
                file_root=self.file_root,
                files=self.files,
                labels=self.labels,
                file_list=self.file_list,
                file_filters=self.file_filters,
                dir_filters=self.dir_filters,
                case_sensitive_filter=self.case_sensitive_filter,
                storage_options=self.storage_options,
            ),
            self.storage_options,
        )

    def placeholder(self) -> tuple[Array, ...]:
        return np.empty(0, np.uint8), np.zeros(1, np.int32)
