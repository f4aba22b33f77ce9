"""Verifying data sets: `verify`."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array
from ..dataset import Dataset, left_out_of, open_dataset
from ..reading import read_batches
from ..sample import Sample
from .bad_samples import (
    MAX_LISTED,
    BadSample,
    ChosenSamples,
    ListPath,
    chosen_samples,
    damaged_on_opening,
    lines_of,
    named_places,
)
from .digests import (
    KEY_BYTES,
    KEYS_DTYPE,
    content_digest,
    first_rows,
    key_digest,
    key_digests,
    portions_of_keys,
    repeated_keys,
)
from .integrity import damaged_files, read_intact, remarks_on

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
        samples: of the first data set that were looked at.
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

    def add_bad(self, bad: BadSample, log: IO[bytes] | None) -> None:
        """Count a bad sample, write it to the log, and list it if the list is not full."""
        if log is not None:
            log.write(lines_of([bad]))
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
    split: str | None = None,
    config: str | None = None,
    decode: bool = False,
    storage_options: Mapping[str, Any] | None = None,
    quarantine: ListPath | None = None,
    only: ListPath | None = None,
    without: ListPath | None = None,
    progress: VerifyProgress | None = None,
) -> VerifyReport:
    """Check that two data sets hold the same samples, or that one data set is sound.

    Two data sets are the same if they have the same keys with the same content, in any order and
    any format. Content is the names and the values of the components: see
    `digests.content_digest`. If both know names of classes, the names must agree. The digests go
    through files in the folder for temporary files, so memory does not grow with the number of
    samples beyond the data sets' indexes.

    Columns and files that no sample holds are not compared; `VerifyReport.left_out` names them.
    Nor are components that the other format of boxes has no room for, which `remarks` name.

    A data set is sound if every sample can be read, with all checksums of its format, if no two
    samples have one key, and if all files have the SHA-256 of `dataset.json`. Names there, and in
    lists of checksums, must not lead out of the data set; devices and FIFOs are not opened. A file
    that cannot be opened, or is cut off, counts as bad, and the other files are read.

    Args:
        a: path or URL of a data set, or an open data set.
        b: another one to compare with; None checks whether `a` is sound.
        format: of `a`, one of `datasets.FORMATS`; by default, the content of the files tells.
        split, config: of `a`: see `open_dataset`.
        decode: whether images and sound must be decodable, too. Of FLAC files, the MD5 of the
            samples is compared with the one in the header.
        storage_options: for URLs.
        quarantine: file to write: all bad samples and files, a JSON object a line.
        only: such a file: its samples of `a` alone are looked at.
        without: such a file: its samples of `a` are not looked at, and its files not reported.
        progress: function that is called after each batch.

    Raises:
        SourceError: a path is no data set, or none of its samples can be read.
        ArgumentError: a list is none of `a`. OSError: a file cannot be written.

    >>> from pathlib import Path
    >>> for root, content in (("a", "same"), ("b", "changed")):
    ...     Path(root, "cat").mkdir(parents=True)
    ...     _ = Path(root, "cat", "1.jpg").write_text(content)
    >>> report = verify("a", "b")
    >>> report.ok, report.counts["different"], report.different
    (False, 1, ['cat/1'])
    """
    first = _opened(a, format, storage_options, split, config)
    chosen = [chosen_samples(first, only, without)]
    datasets = [first]
    if b is not None:
        datasets.append(_opened(b, None, storage_options))
        chosen.append(ChosenSamples(None, (), len(datasets[1])))
    remarks = [remark for dataset in datasets for remark in remarks_on(dataset)]
    counts = [samples.count for samples in chosen]
    report = VerifyReport(
        counts[0],
        counts[1] if b is not None else None,
        left_out=tuple(map(left_out_of, datasets)),
        remarks=remarks,
    )
    known = named_places(without)
    with ExitStack() as opened:
        log = None if quarantine is None else opened.enter_context(open(quarantine, "wb"))
        check = _Check(report, decode, progress, log, sum(counts))
        for dataset in datasets:
            for bad in damaged_on_opening(dataset):
                if bad.location not in known:
                    report.add_bad(bad, log)
        if b is not None:
            report.add_classes(first.classes, datasets[1].classes)
            folder = opened.enter_context(tempfile.TemporaryDirectory(prefix="penstock-verify-"))
            _compare(datasets, chosen, Path(folder), check)
            return report
        for bad in damaged_files(first, known) if only is None else ():
            report.add_bad(bad, log)
        keys = (
            key_digests([(sample.key, index) for index, sample in samples])
            for samples in check.readable(0, first, chosen[0])
        )
        with tempfile.TemporaryDirectory(prefix="penstock-verify-") as folder:
            pairs = repeated_keys(keys, counts[0] * KEYS_DTYPE.itemsize, Path(folder))
            again = np.fromiter((index for _, index in pairs), np.int64)
        if len(again):
            report.add_keys("repeated", first, again)
    return report


def _opened(
    path: Any,
    format: str | None,
    options: Mapping[str, Any] | None,
    split: str | None = None,
    config: str | None = None,
) -> Dataset:
    if isinstance(path, Dataset):
        return path
    return open_dataset(
        path, format=format, storage_options=options, skip_bad=True, split=split, config=config
    )


@dataclass
class _Check:
    """What is reported while samples are read: `done` of `total` were read before."""

    report: VerifyReport
    decode: bool
    progress: VerifyProgress | None
    log: IO[bytes] | None
    total: int
    done: int = 0

    def readable(
        self, number: int, dataset: Dataset, chosen: ChosenSamples
    ) -> Iterator[list[tuple[int, Sample]]]:
        """Yield the samples that are not damaged, with their indices, in batches.

        `number` is that of the data set: 0 or 1.
        """
        held: set[str] = set()
        read = partial(read_intact, dataset, decoding=self.decode)
        batches = read_batches(read, chosen.indices, 0, chosen.count, dataset.stored.reading)
        for indices, samples in batches:
            intact = []
            for index, sample in zip(indices.tolist(), samples, strict=True):
                if isinstance(sample, BadSample):
                    self.report.add_bad(sample, self.log)
                else:
                    intact.append((index, sample))
                    held |= sample.components.keys()
            yield intact
            self.done += len(indices)
            if self.progress is not None:
                self.progress(self.done, self.total)
        unheld = [name for name in dataset.schema if name not in held]
        if unheld and chosen.count == len(dataset):
            self.report.left_out[number][UNHELD] = unheld


def _compare(
    datasets: Sequence[Dataset], chosen: Sequence[ChosenSamples], folder: Path, check: _Check
) -> None:
    kept = _compared(datasets[0], datasets[1], check.report)

    def records() -> Iterator[Array]:
        yield np.empty(0, _RECORD)  # so that two empty data sets are compared, too
        for number, (dataset, some) in enumerate(zip(datasets, chosen, strict=True)):
            for samples in check.readable(number, dataset, some):
                rows = [
                    (key_digest(s.key), i, content_digest(s.with_only(kept[number])), number)
                    for i, s in samples
                ]
                yield np.array(rows, _RECORD)

    for portion in portions_of_keys(records(), check.total * _RECORD.itemsize, folder):
        _compare_portion(datasets, portion, check.report)


def _compared(
    first: Dataset, second: Dataset, report: VerifyReport
) -> tuple[Collection[str] | None, Collection[str] | None]:
    """Return the components of each data set that are compared; None for all.

    A component is not compared if the other data set's format has no room for it, so that a
    conversion into that format leaves it out.
    """
    compared: list[Collection[str] | None] = []
    for own, other in ((first, second), (second, first)):
        writer = other.row.writer
        lacking = [
            name
            for name in own.schema
            if name not in other.schema and writer is not None and name in writer.may_lack
        ]
        compared.append([n for n in own.schema if n not in lacking] if lacking else None)
        if lacking:
            report.remarks.append(
                f"{other.place}: the format {other.format} has no room for {', '.join(lacking)}, "
                f"which are not compared"
            )
    return compared[0], compared[1]


def _compare_portion(datasets: Sequence[Dataset], records: Array, report: VerifyReport) -> None:
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
