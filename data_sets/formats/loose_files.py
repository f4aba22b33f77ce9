"""What writers of files for each sample share."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from errno import ENAMETOOLONG
from pathlib import Path
from typing import ClassVar

from ...engine.errors import ArgumentError
from ...readers.storage.index_cache import SUFFIX
from ..component_files import LABEL, file_of
from ..manifest import NAME, ShardFile, ShardInfo
from ..sample import Sample
from .hashed_file import HashedFile, sync_file_system, write_new
from .writer import Writer

LIST = "files.lst"
"""Name of the list that a conversion writes."""

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
        lines_suffix: of the file of a shard's lines, for `complete`; "" for no such file.
    """

    lines_suffix: ClassVar[str] = ""

    def start(self, path: Path) -> None:
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
        lines = [f"{file.sha256}  {file.name}\n".encode() for file in self._files]
        listing = self.root / f"{ASIDE}{self.name}.sha256"
        sync_file_system(self.root)
        return self.with_lines(write_new(listing, b"".join(lines), self.root))

    def with_lines(self, file: ShardFile) -> ShardInfo:
        """Write the lines of a shard; return the shard, whose last file they are."""
        if not self.lines_suffix:
            return ShardInfo((file,), self.samples)
        path = self.root / f"{ASIDE}{self.name}{self.lines_suffix}"
        lines = write_new(path, b"".join(self.lines), self.root)
        return ShardInfo((file, lines), self.samples)

    def abandon(self) -> None:
        """See `Writer.abandon`; no file stays open between two calls."""


def join_lines(root: Path, shards: Sequence[ShardInfo], name: str) -> None:
    """Write a file of the lines of all shards: see `LooseFileWriter.with_lines`."""
    with whole_file(root / name) as file:
        for shard in shards:
            file.write([(root / shard.files[-1].name).read_bytes()])
