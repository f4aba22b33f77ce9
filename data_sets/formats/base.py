"""The contract of a data set's storage: what every format implements."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Int64s
from ...engine.errors import PenstockError, SourceError
from ...readers.source import Source
from ...readers.storage.damage import STRICT, Damages, is_of_data
from ...readers.storage.urls import Place, is_url
from ..manifest import Manifest
from ..reading import BatchSize
from ..sample import Sample
from ..schema import Schema, schema_of

OneSource = TypeVar("OneSource", bound=Source)

PROBED_SAMPLES = 8
"""Number of samples that are looked at."""


@dataclass(frozen=True)
class Location:
    """Where a data set lies.

    Attributes:
        root: the place that the user gave.
        files: the data files, in order.
        manifest: of the folder, if a conversion wrote it.
        options: `Reader.storage_options`, for URLs.
        skipped: names of other files and folders that lie there, by what they are.
        damages: takes what is wrong with the files.
    """

    root: Place
    files: Sequence[str]
    manifest: Manifest | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    skipped: Mapping[str, Sequence[str]] = field(default_factory=dict)
    damages: Damages = STRICT


@dataclass(frozen=True)
class ReaderCall:
    """A call of a reader of `fn.readers`, which DALI has by the same name.

    Attributes:
        operator: the reader's name below `fn.readers`, such as "file".
        arguments: of the call that reads what a comparison of libraries decodes. A function as a
            value gets the library (Penstock or DALI), with `types` and `tfrecord`, and returns the
            argument.
        shown: arguments that replace these in the call that people see, which reads all components.
        index: name of the argument for index files, which DALI needs, and the function that writes
            the index of a file.
        is_own: whether DALI cannot read the files in this way.
        medium: "image" or "audio", where the schema does not tell the medium of the first output.
        decodes: whether the reader decodes the first output by itself: to images of layout HWC, or
            to sound of one channel. Components are encoded all the same.
        outputs: names of the outputs, in order, where the reader returns a dictionary.
    """

    operator: str
    arguments: Mapping[str, Any]
    index: tuple[str, Callable[[str, str], int]] | None = None
    is_own: bool = False
    medium: str = ""
    decodes: bool = False
    outputs: Sequence[str] = ()
    shown: Mapping[str, Any] = field(default_factory=dict)


class StoredSamples(ABC):
    """Random access to the samples of a data set in one format.

    It is deterministic and may be used by several threads.

    Attributes:
        location: of the data set.
        schema: of the samples.
        classes: names of the values of the component "label"; empty if they are not known.
        unread_fields: names of data in the files that samples do not carry.
        reading: how much is best read together; None for what is usual.
        labels: int32, of all samples, where they are known without reading samples; else None.
        skipped_files: names of files or folders that hold no sample, by what they are.
    """

    schema: Schema
    classes: tuple[str, ...] = ()
    unread_fields: tuple[str, ...] = ()
    reading: BatchSize | None = None
    labels: NDArray[np.int32] | None = None

    def __init__(self, location: Location) -> None:
        self.location = location

    @property
    def skipped_files(self) -> Mapping[str, Sequence[str]]:
        """See the class."""
        return self.location.skipped

    @abstractmethod
    def __len__(self) -> int:
        """Return the number of samples."""

    @abstractmethod
    def read(self, indices: NDArray[np.int64]) -> list[Sample]:
        """Return samples in the order of `indices`; read them together.

        Raises:
            IndexError: an index is out of range.
            OSError: a file cannot be read. DecodeError: a sample is damaged.
        """

    @abstractmethod
    def where(self, index: int) -> str:
        """Return the location of a sample, for messages."""

    def files(self) -> list[str]:
        """Return the paths of the files and folders whose change would change the samples."""
        return list(self.location.files)

    def loose_files(self, indices: NDArray[np.int64]) -> Iterable[str | bytes]:
        """Return the paths of the files of samples, where they are none of `files`."""
        return ()

    def folders(self) -> set[str]:
        """Return the folders of loose files."""
        paths = map(os.fsdecode, self.loose_files(np.arange(len(self))))
        return set(map(os.path.dirname, paths))

    @abstractmethod
    def close(self) -> None:
        """Release files; a later `read` opens them again."""

    def reader_calls(self) -> Sequence[ReaderCall]:
        """Return the calls of readers that together read the same samples, if there are such."""
        return ()

    def times_ahead(self, started: int) -> dict[str, int]:
        """Return the times of change, in nanoseconds, of loose files that lie behind `started`.

        A server's clock may be ahead of this machine's, and archives may hold any time.
        """
        times = {}
        for path in self.loose_files(np.arange(len(self))):
            if not is_url(path):
                with suppress(OSError):  # reading tells
                    time = os.stat(path).st_mtime_ns
                    if time > started:
                        times[os.fsdecode(path)] = time
        return times

    def check_age(self, indices: NDArray[np.int64], started: int, ahead: Mapping[str, int]) -> None:
        """Raise SourceError if a loose file of samples was changed after the start.

        Args:
            indices: of samples that have been read.
            started: nanoseconds since the epoch; later changes are errors.
            ahead: times that were later at the start: see `times_ahead`.
        """
        for path in self.loose_files(indices):
            if is_url(path):
                continue
            time = os.stat(path).st_mtime_ns
            if time > started and ahead.get(os.fsdecode(path)) != time:
                raise SourceError(f"{os.fsdecode(path)} was changed while the data set was read")

    def wrong_files(self) -> Iterable[tuple[str, str]]:
        """Yield files that differ from the digests that the data set has of them, and the reasons.

        `verify` calls this.
        """
        return ()

    def check_decoded(self, sample: Sample) -> None:
        """Raise DecodeError if a sample's files, once they are decoded, lack what it says of them.

        `verify` calls this for samples whose files can be decoded.
        """
        return

    def learn(self, manifest: Manifest | None) -> None:
        """Take schema and classes from the manifest, or the schema from a few samples."""
        if manifest is not None:
            self.schema, self.classes = manifest.schema, manifest.classes
        else:
            self.schema = self.schema_of_some(self.probes())

    def probes(self) -> NDArray[np.int64]:
        """Return the indices of a few samples that tell of all; of sound ones, if bad are skipped.

        Raises:
            SourceError, DecodeError: none of them is sound.
        """
        return self.sound(probes(len(self)), self.read)

    def sound(
        self, indices: NDArray[np.int64], read: Callable[[NDArray[np.int64]], object]
    ) -> NDArray[np.int64]:
        """Return those of some indices that can be read, if bad samples are skipped; else all.

        Raises:
            SourceError, DecodeError: none of them can be read.
        """
        if not self.location.damages.leaves_out:
            return indices
        sound, first = [], None
        for number in range(len(indices)):
            try:
                read(indices[number : number + 1])
                sound.append(number)
            except (OSError, PenstockError) as error:
                if not is_of_data(error):
                    raise
                first = first or error
        if first is not None and not sound:
            raise first
        return indices[sound]

    def schema_of_some(self, indices: NDArray[np.int64]) -> Schema:
        """Return the schema of some samples."""
        return schema_of(self.read(indices))


class SourceSamples(StoredSamples, Generic[OneSource]):
    """Samples that a source reads, which numbers them alike."""

    _source: OneSource

    def __len__(self) -> int:
        return len(self._source)

    def where(self, index: int) -> str:
        """Return what the source says."""
        return self._source.where(index)

    def close(self) -> None:
        """Close the source."""
        self._source.close()


def grouped_rows(firsts: Int64s, indices: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Return the rows of each of some groups; group i has the rows from `firsts[i]` on.

    >>> [rows.tolist() for rows in grouped_rows(np.array([0, 2, 3]), np.array([1, 0]))]
    [[2], [0, 1]]
    """
    pairs = zip(firsts[indices].tolist(), firsts[indices + 1].tolist(), strict=True)
    return [np.arange(first, end) for first, end in pairs]


def joined(groups: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return the rows of all groups end to end."""
    return np.concatenate([np.empty(0, np.int64), *groups])


def probes(count: int) -> NDArray[np.int64]:
    """Return the indices of a few of `count` samples, spread over all."""
    spread = np.linspace(0, max(count - 1, 0), min(count, PROBED_SAMPLES))
    return np.unique(spread.astype(np.int64))


def numbered_key(path: str, number: int) -> str:
    """Return the key of a sample that has no name: its file's name and its number there.

    >>> numbered_key("/data/train-0.rec", 7)
    'train-0/00000007'
    """
    name = os.path.basename(path.rstrip("/"))
    return f"{name.partition('.')[0]}/{number:08d}"
