"""Images with their annotations: the storage of `fn.readers.coco`."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ..files.source import FileSource
from ..listing.listing import list_files
from ..source import Allocate, Column
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

    def read(self, indices: NDArray[np.int64], allocate: Allocate) -> tuple[Column, ...]:
        """Return the images' bytes, uint8 (size,) each, and the columns: see `FileSource.read`."""
        images = super().read(indices, allocate)[0]
        return images, *(column.take(indices, allocate) for column in self._columns)
