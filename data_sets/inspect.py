"""A summary of a data set: `inspect`."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from ..readers.storage.urls import shown
from .checking.bad_samples import MAX_LISTED, BadSample, damaged_on_opening
from .checking.integrity import miscounted, read_intact
from .dataset import Dataset, open_dataset
from .manifest import Manifest
from .reader_text import reader_texts
from .reading import read_batches, size_of
from .sample import Sample
from .schema import Schema

MAX_SAMPLES = 1000
"""Samples, spread over the data set, whose sizes and labels are counted."""

MAX_BYTES = 256 << 20
"""About the bytes that these samples have; of large samples, fewer are looked at."""

PERCENTILES = (0, 5, 25, 50, 75, 95, 100)


@dataclass(frozen=True)
class InspectReport:
    """A summary of a data set.

    Attributes:
        path: as it was given; of a URL, without secrets.
        format: name of the format.
        samples: in the data set.
        schema: type of each component.
        classes: names of the labels; empty if they are not known.
        looked_at: samples that the figures below come from.
        sizes: bytes of a sample, by percentile: see `PERCENTILES`.
        mean_size: bytes of a sample.
        labels: how many of the samples have each value of "label".
        extensions: how many of the encoded files have each extension.
        manifest: the content of `dataset.json`; None without this file.
        sample: the first sample.
        lost: names of data in the files that no sample carries.
        left_out: names of files or folders that hold no sample, and of classes without samples,
            by what they are.
        bad: files that are damaged, a `dataset.json` that counts other samples than the files
            hold, and samples of those looked at: the first `MAX_LISTED`.
        reader: the calls that read the data set in a pipeline, such as
            "fn.readers.file(file_root='/data/pets')"; they need `fn`, `types` and `tfrecord` of
            `penstock`. Empty if no reader reads it.
    """

    path: str
    format: str
    samples: int
    schema: Schema
    classes: tuple[str, ...]
    looked_at: int
    sizes: Mapping[int, int]
    mean_size: float
    labels: Mapping[int, int]
    extensions: Mapping[str, int]
    manifest: Manifest | None
    sample: Sample | None
    lost: tuple[str, ...] = ()
    left_out: Mapping[str, Sequence[str]] = field(default_factory=dict)
    bad: Sequence[BadSample] = ()
    reader: tuple[str, ...] = ()


def inspect(
    path: str | os.PathLike[str] | Dataset,
    *,
    format: str | None = None,
    storage_options: Mapping[str, object] | None = None,
) -> InspectReport:
    """Return a summary of a data set; at most `MAX_SAMPLES` samples are read.

    Args:
        path: path or URL of the data set, or the open data set.
        format: one of `datasets.FORMATS`; by default, the content of the files tells.
        storage_options: for URLs.

    Raises:
        SourceError: there is no data set of a known format, or none of its samples can be read.

    >>> from pathlib import Path
    >>> Path("pets", "cat").mkdir(parents=True)
    >>> _ = Path("pets", "cat", "1.jpg").write_bytes(b"meow")
    >>> report = inspect("pets")
    >>> report.format, report.samples, report.classes, report.sizes[50]
    ('folder', 1, ('cat',), 12)
    """
    dataset = (
        path
        if isinstance(path, Dataset)
        else open_dataset(path, format=format, storage_options=storage_options, skip_bad=True)
    )
    bad = damaged_on_opening(dataset) or [*miscounted(dataset)]
    first = dataset.read(dataset.stored.probes()[:1])[0] if len(dataset) else None
    few = max(MAX_BYTES // (size_of(first) + 1), 8)
    count = min(len(dataset), MAX_SAMPLES, few)
    chosen = np.unique(np.linspace(0, max(len(dataset) - 1, 0), count).astype(np.int64))
    sizes: list[int] = []
    labels, extensions = Counter[int](), Counter[str]()
    batches = read_batches(
        partial(read_intact, dataset, decoding=False),
        lambda start, stop: chosen[start:stop],
        0,
        len(chosen),
        dataset.stored.reading,
    )
    for _, samples in batches:
        for sample in samples:
            if isinstance(sample, BadSample):
                bad.append(sample)
                continue
            sizes.append(size_of(sample))
            label = sample.components.get("label")
            labels.update([label] if isinstance(label, int) else ())
            extensions.update(
                value.extension
                for value in sample.components.values()
                if hasattr(value, "extension")
            )
    levels = np.percentile(sizes, PERCENTILES).astype(int).tolist() if sizes else []
    return InspectReport(
        shown(dataset.path),
        dataset.format,
        len(dataset),
        dataset.schema,
        dataset.classes,
        len(sizes),
        dict(zip(PERCENTILES, levels, strict=False)),
        float(np.mean(sizes)) if sizes else 0.0,
        dict(sorted(labels.items())),
        dict(extensions.most_common()),
        dataset.manifest,
        first,
        dataset.stored.unread_fields,
        _left_out(dataset),
        bad[:MAX_LISTED],
        reader_texts(dataset),
    )


def _left_out(dataset: Dataset) -> dict[str, Sequence[str]]:
    left_out = dict(dataset.stored.skipped_files)
    if dataset.stored.labels is not None:
        used = set(dataset.stored.labels.tolist())
        empty = [name for number, name in enumerate(dataset.classes) if number not in used]
        left_out |= {"classes without samples": empty} if empty else {}
    return left_out
