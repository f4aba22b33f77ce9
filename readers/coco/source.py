"""Images with their annotations: the storage of `fn.readers.coco`."""

from __future__ import annotations

from collections.abc import Mapping

from ...engine.arrays import Array, Int64s
from ..files.source import FileSource
from ..listing.listing import list_files
from ..source import Allocate, Columns
from .columns import SampleColumn
from .samples import CocoSamples


class CocoSource(FileSource):
    """The images of a COCO data set; a sample is an image's bytes and the wanted annotations."""

    def __init__(
        self,
        samples: CocoSamples,
        columns: list[SampleColumn],
        file_root: str,
        options: Mapping[str, object] | None = None,
    ) -> None:
        """Take the samples and the columns of their annotations.

        Args:
            samples: samples in reading order.
            columns: the outputs behind the images.
            file_root: folder of the images.
            options: `Reader.storage_options`.
        """
        super().__init__(list_files(files=samples.file_names, file_root=file_root), options)
        self._columns = columns

    def known_column(self, name: str) -> Array | None:
        """Return "bytes" of local files; an image has any number of labels."""
        return super().known_column(name) if name == "bytes" else None

    def _known(self, indices: Int64s, allocate: Allocate) -> Columns:
        return tuple(column.take(indices, allocate) for column in self._columns)
