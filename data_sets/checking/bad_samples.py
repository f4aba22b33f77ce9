"""Lists of bad samples: files with a JSON object a line, which `verify` and `convert` write.

{"index": 7, "location": "photos/cat/7.jpg", "reason": "..."}     a sample
{"index": -1, "location": "shards/shard-00002.tar", ...}          a file that is damaged as such

`convert` and `verify` also read such lists, to take the samples of a list alone, or all others.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from ...engine.arrays import Int64s
from ...engine.errors import ArgumentError, SourceError
from ..dataset import Dataset

MAX_LISTED = 1000
"""Cases that a list of a report has at most; all are counted, and files have all."""

FILE = -1
"""The index of a file."""


@dataclass(frozen=True)
class BadSample:
    """A sample, or a file, that is damaged.

    Attributes:
        index: of the sample; -1 for a file.
        location: file, key or offset.
        reason: the error's text.
    """

    index: int
    location: str
    reason: str

    def __str__(self) -> str:
        """Return the place and the reason; most reasons name the place."""
        return self.reason if self.location in self.reason else f"{self.location}: {self.reason}"


def damaged_on_opening(dataset: Dataset) -> list[BadSample]:
    """Return the files that `skip_bad` left out in part or whole when the data set was opened."""
    return [BadSample(FILE, damage.name, damage.reason) for damage in dataset.damages.found]


def lines_of(bad: Iterable[BadSample]) -> bytes:
    """Return the lines of a list; bytes of names that are no UTF-8 are escapes."""
    lines = (json.dumps(asdict(sample), ensure_ascii=False) + "\n" for sample in bad)
    return "".join(lines).encode("utf-8", "backslashreplace")


def parse_lines(content: bytes, name: str) -> Iterator[BadSample]:
    """Yield the samples and files of a list.

    Raises:
        ArgumentError: a line is no such object.
    """
    for number, line in enumerate(content.splitlines(), 1):
        try:
            fields = json.loads(line)
            yield BadSample(int(fields["index"]), str(fields["location"]), str(fields["reason"]))
        except (ValueError, TypeError, KeyError, RecursionError):
            raise ArgumentError(
                f"{name}, line {number}: an object with index, location and reason is expected, as "
                f"`penstock verify --quarantine` writes it, but it reads {line[:80]!r}"
            ) from None


@dataclass(frozen=True)
class ChosenSamples:
    """Some of a data set's samples, in order.

    Attributes:
        only: indices of the samples, ascending; None for all.
        without: indices of samples that are left out, ascending.
        size: of the data set.

    >>> ChosenSamples(None, (1, 2), 5).indices(0, 3).tolist()
    [0, 3, 4]
    """

    only: tuple[int, ...] | None
    without: tuple[int, ...]
    size: int

    @property
    def count(self) -> int:
        """Number of the samples."""
        return len(self.only) if self.only is not None else self.size - len(self.without)

    @property
    def is_all(self) -> bool:
        """Whether these are all samples."""
        return self.only is None and not self.without

    def indices(self, start: int, stop: int) -> Int64s:
        """Return the samples at positions from `start` up to `stop`."""
        return self.at(np.arange(start, stop, dtype=np.int64))

    def at(self, positions: Int64s) -> Int64s:
        """Return the samples at positions."""
        if self.only is not None:
            return np.array(self.only, np.int64)[positions]
        before = np.array(self.without, np.int64) - np.arange(len(self.without))
        shifts: Int64s = np.searchsorted(before, positions, "right").astype(np.int64)
        return positions + shifts


ListPath = str | os.PathLike[str]


def chosen_samples(
    dataset: Dataset, only: ListPath | None, without: ListPath | None
) -> ChosenSamples:
    """Return the samples that two lists choose.

    Args:
        dataset: opened with `skip_bad` if there is a list, so that samples have the numbers of the
            run that wrote it.
        only: path of a list: its samples alone are taken.
        without: path of a list whose samples are left out.

    Raises:
        ArgumentError: a file is no list, or lists samples of another data set; no sample is left.
        OSError: a list cannot be read.
    """
    out = set() if without is None else _indices(dataset, without)
    taken = None
    if only is not None:
        taken = tuple(sorted(_indices(dataset, only) - out))
        out = set()
    chosen = ChosenSamples(taken, tuple(sorted(out)), len(dataset))
    if not chosen.count and len(dataset):
        raise ArgumentError(f"the lists leave none of the {len(dataset)} samples")
    return chosen


def _indices(dataset: Dataset, path: ListPath) -> set[int]:
    indices = set()
    for sample in parse_lines(Path(path).read_bytes(), os.fspath(path)):
        if sample.index == FILE:
            continue
        there = dataset.where(sample.index) if 0 <= sample.index < len(dataset) else "none"
        if lines_of([BadSample(0, there, "")]) != lines_of([BadSample(0, sample.location, "")]):
            raise ArgumentError(
                f"{path} lists sample {sample.index} as {sample.location!r}, but in "
                f"{dataset.place} this is {there!r}: the files were changed since, or it is a list "
                "of another data set; have `penstock verify --quarantine` make it anew"
            )
        indices.add(sample.index)
    return indices


def named_places(*lists: ListPath | None) -> frozenset[str]:
    """Return the places of all samples and files in some lists."""
    return frozenset(
        sample.location
        for path in lists
        if path is not None
        for sample in parse_lines(Path(path).read_bytes(), os.fspath(path))
    )


def require_listed(dataset: Dataset, *lists: ListPath | None) -> None:
    """Raise SourceError for the first damaged file of a data set that no list names."""
    named = named_places(*lists) if dataset.damages.found else ()
    for damage in dataset.damages.found:
        if damage.name not in named:
            raise SourceError(damage.reason)
