"""A format of data sets as one row: how it is recognized, opened, written and indexed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import partial

from ...readers.storage.storage import Storage
from .base import Location, StoredSamples
from .writer import Writer

IndexScan = Callable[[str], tuple[Storage, Callable[[], int]]]
"""Opens a file; returns the file, and what indexes it and returns the number of samples."""


@dataclass(frozen=True)
class DatasetFormat:
    """A format of data sets.

    Conversions send the row to other processes and machines. Functions and classes are pickled by
    reference, so they must be names of a module that can be imported there.

    Attributes:
        name: as users write it, and as `dataset.json` has it.
        title: in the plural, for messages and documentation.
        open: opens the data set at a location.
        writer: class of the writers; None for a format that is only read.
        recognize: tells from the first 4096 bytes of a file, and the file, whether the file has
            the format; None for a format that users must name.
        companions: endings of files that accompany data files, such as indexes. No format reads
            them as data.
        endings: of data files. If some files have them, the other files are not read; data files
            may have the ending of another format's companions.
        opens_folder: whether `open` takes a folder as a whole, and finds its files itself.
        index: makes the index of a file, for `penstock index`; None for files without one.
    """

    name: str
    title: str
    open: Callable[[Location], StoredSamples]
    writer: type[Writer] | None = None
    _: KW_ONLY
    recognize: Callable[[bytes, Storage], bool] | None = None
    companions: tuple[str, ...] = ()
    endings: tuple[str, ...] = ()
    opens_folder: bool = False
    index: IndexScan | None = None


def begins_with(*magics: bytes) -> Callable[[bytes, Storage], bool]:
    """Return what recognizes files whose first bytes are one of some texts."""
    return partial(_begins_with, magics)


def _begins_with(magics: tuple[bytes, ...], head: bytes, _: Storage) -> bool:
    return head.startswith(magics)
