"""Data sets of any format as sequences of samples: `open_dataset`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..readers.hub.names import is_on_hub
from ..readers.hub.repository import pinned
from ..readers.listing.splits import SplitChoice
from ..readers.source import checked_indices
from ..readers.storage.damage import Damages
from ..readers.storage.urls import Url, place_of
from .formats.base import StoredSamples
from .formats.dataset_format import DatasetFormat
from .formats.table import format_named
from .manifest import Manifest
from .recognition import locate
from .sample import Sample
from .schema import Schema


class Dataset:
    """Random access to the samples of a data set; see `open_dataset`.

    Many threads may read a data set. A copy that is pickled opens the files anew.

    Attributes:
        path: as it was given; of a data set on the Hub, with the commit.
        place: of the data set; as a text, it shows no secrets of a URL.
        options: `Reader.storage_options`, for URLs.
        row: of the format, in `datasets.FORMATS`.
        manifest: the content of `dataset.json`; None without this file.
        damages: what was wrong with files when they were opened.
        stored: the samples as the format stores them.
    """

    def __init__(
        self,
        path: str,
        format: str | DatasetFormat | None = None,
        options: Mapping[str, object] | None = None,
        *,
        skip_bad: bool = False,
        part: SplitChoice | None = None,
    ) -> None:
        self.path = path = pinned(path) if is_on_hub(path) else path
        self.place = place_of(path)
        self.options = options or {}
        row = None if format is None else format_named(format)
        self.row, location = locate(self.place, row, self.options, part)
        self._part = part
        self.manifest: Manifest | None = location.manifest
        self.damages = Damages(leaves_out=skip_bad)
        self.stored: StoredSamples = self.row.open(replace(location, damages=self.damages))

    def __reduce__(self) -> Any:
        again = partial(Dataset, skip_bad=self.damages.leaves_out, part=self._part)
        return again, (self.absolute_path, self.row, self.options)

    @property
    def absolute_path(self) -> str:
        """The path as a process finds it that works in another folder."""
        return self.path if isinstance(self.place, Url) else os.path.abspath(self.path)

    @property
    def format(self) -> str:
        """Name of the format, one of `datasets.FORMATS`."""
        return self.row.name

    @property
    def schema(self) -> Schema:
        """The type of each component, by name: of the manifest, or of a few samples."""
        return self.stored.schema

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the values of the component "label"; empty if they are not known."""
        return self.stored.classes

    def __len__(self) -> int:
        return len(self.stored)

    def read(self, indices: Sequence[int] | NDArray[np.int64]) -> list[Sample]:
        """Return samples in the order of `indices`, which are read together.

        The memory that a call takes is that of its samples.

        Raises:
            IndexError: an index is negative or not below `len(self)`.
            OSError: a file cannot be read. DecodeError: a sample is damaged.
        """
        numbers = np.asarray(indices, np.int64).reshape(-1)
        return self.stored.read(checked_indices(numbers, len(self)))

    def where(self, index: int) -> str:
        """Return the location of a sample: file, key or offset."""
        checked_indices(np.array([index]), len(self))
        return self.stored.where(index)

    def close(self) -> None:
        """Release files; a later `read` opens them again."""
        self.stored.close()

    def __enter__(self) -> Dataset:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


FIELDS = "data of samples that no component holds"


def left_out_of(dataset: Dataset) -> dict[str, Sequence[str]]:
    """Return the names of what no sample holds, such as columns and files, by what they are."""
    fields = dataset.stored.unread_fields
    return {**dataset.stored.skipped_files, **({FIELDS: fields} if fields else {})}


def open_dataset(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    storage_options: Mapping[str, object] | None = None,
    skip_bad: bool = False,
    split: str | None = None,
    config: str | None = None,
) -> Dataset:
    """Open a data set of any format.

    Args:
        path: a folder, a file, a pattern such as "train-{000..127}.tar", or a URL of these.
        format: one of `datasets.FORMATS`; by default, the content of the files tells.
        storage_options: for URLs: see `fn.readers.file`.
        skip_bad: whether files that cannot be opened, or are cut off, are left out or read in part.
            `Dataset.damages` tells of them. Otherwise the first one is an error.
        split, config: of a folder of Parquet files or tar archives: see `fn.readers.parquet`. A
            split may also be a folder that is a data set as a whole, as MDS has them.

    Raises:
        SourceError: there is no data set of a known format, or a file is damaged.
        ArgumentError: the format is not known, or there is no such split or configuration.
        OSError: a file cannot be read.

    >>> from pathlib import Path
    >>> Path("a").mkdir(), Path("b").mkdir()
    (None, None)
    >>> Path("a", "1.txt").write_text("one"), Path("b", "2.txt").write_text("two")
    (3, 3)
    >>> with open_dataset(".", format="folder") as dataset:
    ...     print(dataset.format, len(dataset), dataset.read([1]))
    folder 2 [Sample(key='b/2', components={'text': 'two', 'label': 1})]
    """
    part = SplitChoice(split or "", config or "") if split or config else None
    return Dataset(os.fspath(path), format, storage_options, skip_bad=skip_bad, part=part)
