"""What writers with one data file for each shard share."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from ..manifest import ShardFile, ShardInfo
from .hashed_file import HashedFile, write_new
from .writer import Writer


class OneFileWriter(Writer):
    """Base of writers with one data file, and small files beside it.

    Attributes:
        file: the data file of the shard.
        samples: number of samples of the shard so far.
        beside: content of the files beside it, by suffix.
    """

    suffix: ClassVar[str]

    def start(self, path: Path) -> None:
        self._path = path
        self.samples = 0
        self.beside: dict[str, list[bytes]] = {}
        self.file = HashedFile(path.with_name(path.name + self.suffix))

    def finish(self) -> ShardInfo:
        root = self._path.parent
        aside: list[ShardFile] = [
            write_new(self._path.with_name(self._path.name + suffix), b"".join(lines), root)
            for suffix, lines in self.beside.items()
        ]
        return ShardInfo((self.file.finish(root), *aside), self.samples)

    def abandon(self) -> None:
        self.file.close()
