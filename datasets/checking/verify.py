"""Verifying data sets: `verify`."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..dataset import Dataset, left_out_of, open_dataset
from ..reading import read_batches
from ..sample import Sample
from .digests import (
    KEY_BYTES,
    KEYS_DTYPE,
    content_digest,
    first_rows,
    key_digest,
    portions_of_keys,
)
from .integrity import BadSample, damaged_files, read_intact, remarks_on

MAX_LISTED = 1000
"""Cases that a list of a report has at most; all are counted."""


_RECORD = np.dtype([*KEYS_DTYPE.descr, ("content", f"V{KEY_BYTES}"), ("dataset", "i1")])
"""The digests of a sample, its index, and the number of its data set."""

UNHELD = "components of the schema that no sample holds"

VerifyProgress = Callable[[int, int], None]
"""`progress(samples, total)` is called after each batch."""


@dataclass
class VerifyReport:
    """The result of `verify`.

    The lists name the first cases, at most `MAX_LISTED` each; `counts` counts all.

    Attributes:
        samples: of the first data set.
        other_samples: of the second data set; None without one.
        counts: number of cases by the names of the lists.
        only_a, only_b: keys of samples that the other data set lacks.
        different: keys of samples whose content differs.
        repeated: keys that several samples of one data set have.
        classes: names that both data sets know for a label, but that differ: "1: dog, cat".
        bad: samples that cannot be read or decoded, and files that were changed.
        left_out: of each data set, what no sample holds, such as columns and files: names by what
            they are. The comparison cannot tell whether they were kept.
        remarks: what could not be checked. They are no faults.
    """

    samples: int
    other_samples: int | None = None
    counts: dict[str, int] = field(default_factory=dict)
    only_a: list[str] = field(default_factory=list)
    only_b: list[str] = field(default_factory=list)
    different: list[str] = field(default_factory=list)
    repeated: list[str] = field(default_factory=list)
    classes: list[str] = field(default_factory=list)
    bad: list[BadSample] = field(default_factory=list)
    left_out: tuple[dict[str, Sequence[str]], ...] = ()
    remarks: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether nothing differs and nothing is damaged."""
        return not any(self.counts.values())

    def add_bad(self, bad: BadSample) -> None:
        """Count a bad sample, and list it if the list is not full."""
        self.counts["bad"] = self.counts.get("bad", 0) + 1
        if len(self.bad) < MAX_LISTED:
            self.bad.append(bad)

    def add_classes(self, first: Sequence[str], second: Sequence[str]) -> None:
        """Count and list the labels that both data sets have names for, but different ones."""
        pairs = enumerate(zip(first, second, strict=False))
        differ = [f"{number}: {a}, {b}" for number, (a, b) in pairs if a and b and a != b]
        if differ:
            self.counts["classes"] = len(differ)
            self.classes += differ[:MAX_LISTED]

    def add_keys(self, name: str, dataset: Dataset, indices: NDArray[np.int64]) -> None:
        """Count samples of a data set under a name, and list the keys of the first ones."""
        self.counts[name] = self.counts.get(name, 0) + len(indices)
        listed: list[str] = getattr(self, name)
        chosen = indices[: MAX_LISTED - len(listed)].tolist()
        listed += [dataset.read([index])[0].key for index in chosen]


def verify(
    a: str | os.PathLike[str] | Dataset,
    b: str | os.PathLike[str] | Dataset | None = None,
    *,
    format: str | None = None,
    decode: bool = False,
    storage_options: Mapping[str, Any] | None = None,
    progress: VerifyProgress | None = None,
) -> VerifyReport:
    """Check that two data sets hold the same samples, or that one data set is sound.

    Two data sets are the same if they have the same keys with the same content, in any order and
    any format. Content is the names and the values of the components: see
    `digests.content_digest`. If both know names of classes, the names must agree. The digests go
    through files in the folder for temporary files, so memory does not grow with the number of
    samples beyond the data sets' indexes.

    Columns and files that no sample holds are not compared; `VerifyReport.left_out` names them.

    A data set is sound if every sample can be read, with all checksums of its format, and if all
    files have the SHA-256 of `dataset.json`. Names there, and in lists of checksums, must not lead
    out of the data set; devices and FIFOs are not opened.

    Args:
        a: path or URL of a data set, or an open data set.
        b: another one to compare with; None checks whether `a` is sound.
        format: of `a`, one of `datasets.FORMATS`; by default, the content of the files tells.
        decode: whether images and sound must be decodable, too. Of FLAC files, the MD5 of the
            samples is compared with the one in the header.
        storage_options: for URLs.
        progress: function that is called after each batch.

    Raises:
        SourceError: a path is no data set. OSError: a temporary file cannot be written.

    >>> from pathlib import Path
    >>> for root, content in (("a", "same"), ("b", "changed")):
    ...     Path(root, "cat").mkdir(parents=True)
    ...     _ = Path(root, "cat", "1.jpg").write_text(content)
    >>> report = verify("a", "b")
    >>> report.ok, report.counts["different"], report.different
    (False, 1, ['cat/1'])
    """
    first = _opened(a, format, storage_options)
    if b is None:
        report = VerifyReport(
            len(first), left_out=(left_out_of(first),), remarks=[*remarks_on(first)]
        )
        for bad in damaged_files(first):
            report.add_bad(bad)
        for _ in _readable(0, first, report, decode, progress):
            pass
        return report
    second = _opened(b, None, storage_options)
    report = VerifyReport(
        len(first),
        len(second),
        left_out=(left_out_of(first), left_out_of(second)),
        remarks=[*remarks_on(first), *remarks_on(second)],
    )
    report.add_classes(first.classes, second.classes)
    with tempfile.TemporaryDirectory(prefix="penstock-verify-") as folder:
        _compare(first, second, Path(folder), report, decode, progress)
    return report


def _opened(path: Any, format: str | None, options: Mapping[str, Any] | None) -> Dataset:
    if isinstance(path, Dataset):
        return path
    return open_dataset(path, format=format, storage_options=options)


def _readable(
    number: int,
    dataset: Dataset,
    report: VerifyReport,
    decode: bool,
    progress: VerifyProgress | None,
) -> Iterator[list[tuple[int, Sample]]]:
    """Yield the samples that are not damaged, with their indices, in batches; report the others.

    `number` is that of the data set: 0 or 1.
    """
    done, total = number * report.samples, report.samples + (report.other_samples or 0)
    read = partial(read_intact, dataset, decoding=decode)
    held: set[str] = set()
    for indices, samples in read_batches(read, np.arange, 0, len(dataset), dataset.stored.reading):
        intact = []
        for index, sample in zip(indices.tolist(), samples, strict=True):
            if isinstance(sample, BadSample):
                report.add_bad(sample)
            else:
                intact.append((index, sample))
                held |= sample.components.keys()
        yield intact
        done += len(indices)
        if progress is not None:
            progress(done, total)
    if unheld := [name for name in dataset.schema if name not in held]:
        report.left_out[number][UNHELD] = unheld


def _compare(
    first: Dataset,
    second: Dataset,
    folder: Path,
    report: VerifyReport,
    decode: bool,
    progress: VerifyProgress | None,
) -> None:
    total = len(first) + len(second)

    def records() -> Iterator[NDArray[Any]]:
        yield np.empty(0, _RECORD)  # so that two empty data sets are compared, too
        for number, dataset in enumerate((first, second)):
            for samples in _readable(number, dataset, report, decode, progress):
                rows = [(key_digest(s.key), i, content_digest(s), number) for i, s in samples]
                yield np.array(rows, _RECORD)

    for portion in portions_of_keys(records(), total * _RECORD.itemsize, folder):
        _compare_portion((first, second), portion, report)


def _compare_portion(
    datasets: tuple[Dataset, Dataset], records: NDArray[Any], report: VerifyReport
) -> None:
    parts = []
    for number, dataset in enumerate(datasets):
        part = records[records["dataset"] == number]
        is_first = first_rows(part["key"]) == np.arange(len(part))
        report.add_keys("repeated", dataset, part["index"][~is_first])
        parts.append(part[is_first])
    a, b = parts
    partner = first_rows(np.concatenate([a["key"], b["key"]]))[len(a) :]
    in_a = partner < len(a)
    partner, shared = partner[in_a], b[in_a]
    report.add_keys("only_a", datasets[0], np.delete(a["index"], partner))
    report.add_keys("only_b", datasets[1], b["index"][~in_a])
    differ = a["content"][partner] != shared["content"]
    report.add_keys("different", datasets[0], a["index"][partner][differ])
