"""Whole files as samples: `fn.readers.file`."""

from __future__ import annotations

import numpy as np

from ...engine.errors import ArgumentError
from ...engine.graph.operator import Array, register
from ...engine.graph.params import BOOL, INTS, STR, STRS, param
from ..listing.listing import KNOWN_EXTENSIONS, list_files
from ..record_reader import RecordReader
from .source import FileSource


class WholeFileReader(RecordReader):
    """Base of the readers of whole files.

    To read a file takes the GIL for a shorter time than to parse records. So processes read beside
    a GPU, on any machine, or where worker processes share the memory of batches anyway.
    """

    source: FileSource

    def wants_shared_memory(self, *, uses_gpu: bool) -> bool:
        return uses_gpu and super().wants_shared_memory(uses_gpu=uses_gpu)

    def cores_suffice(self) -> bool:
        return True

    def reads_urls(self) -> bool:
        return self.source.some_are_urls


@register
class FileReader(WholeFileReader):
    """Reads whole files, such as encoded images, with an integer label each.

    The files come from folders of classes (`file_root`), from a list of paths (`files`), or
    from a text file that lists them (`file_list`). Each of these may be or hold URLs, such as
    "s3://bucket/train". Hidden folders, such as ".ipynb_checkpoints", are no classes, and hidden
    files are left out, unless a filter spells the dot. A warning tells what is left out of class
    folders.

    In pipelines that use the GPU or worker processes, one to four processes of the reader's own
    read local files, after a fifth of a second of reading: threads that read would wait for
    the GIL.

    >>> from pathlib import Path
    >>> from penstock import Pipeline, fn
    >>> for name in ("cat", "dog"):
    ...     Path("photos", name).mkdir(parents=True)
    ...     _ = Path("photos", name, "0.jpg").write_text(name)
    >>> with Pipeline(batch_size=2, num_threads=1) as pipe:
    ...     pipe.set_outputs(*fn.readers.file(file_root="photos"))
    ...     for output in pipe.run():
    ...         print([row.tolist() for row in output.rows()])
    [[99, 97, 116], [100, 111, 103]]
    [[0], [1]]

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
        STRS,
        KNOWN_EXTENSIONS,
        "Patterns such as '*.jpg'; with `file_root` alone. By default all that decoders read.",
    )
    dir_filters = param(
        STRS, None, "Patterns of the class folders' names; by default all but hidden ones."
    )
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
            max(2, self.placement.threads),
        )

    def placeholder(self) -> tuple[Array, ...]:
        return np.empty(0, np.uint8), np.zeros(1, np.int32)
