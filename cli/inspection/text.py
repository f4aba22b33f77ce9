"""The summary of a data set as text and as JSON."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict

import numpy as np

from ...datasets import Encoded, InspectReport, Value
from ..console import Printer, size_text

_LABELS = 12  # that people see; JSON has all
_NAMES = 5  # of files that are left out
_BAR = 24  # characters of the longest bar


def as_content(report: InspectReport) -> dict[str, object]:
    """Return the summary as plain data, for JSON."""
    sample = report.sample
    return {
        "path": report.path,
        "format": report.format,
        "samples": report.samples,
        "schema": {name: component.to_json() for name, component in report.schema.items()},
        "classes": list(report.classes),
        "looked_at": report.looked_at,
        "sizes": {str(percent): size for percent, size in report.sizes.items()},
        "mean_size": report.mean_size,
        "labels": {str(label): count for label, count in report.labels.items()},
        "extensions": dict(report.extensions),
        "lost": list(report.lost),
        "left_out": {kind: list(names) for kind, names in report.left_out.items()},
        "bad": [asdict(bad) for bad in report.bad],
        "reader": list(report.reader),
        "shards": shard_count(report),
        "sample": None
        if sample is None
        else {
            "key": sample.key,
            "components": {name: described(value) for name, value in sample.components.items()},
        },
    }


def shard_count(report: InspectReport) -> int | None:
    """Return the number of shards that `dataset.json` lists; None without this file."""
    return None if report.manifest is None else len(report.manifest.shards)


def described(value: Value) -> str:
    """Return a short description of a component's value.

    >>> described(3), described("a dog"), described(np.zeros((2, 4)))
    ('3', 'a dog', 'float64 (2, 4)')
    """
    if isinstance(value, Encoded):
        return f"{value.extension or 'file'}, {size_text(len(value.data))}"
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape}"
    text = " ".join(str(value).split())
    return text if len(text) <= 100 else f"{text[:97]}..."


def label_rows(report: InspectReport) -> list[tuple[str, int]]:
    """Return name and count of the labels, the most frequent first."""
    rows = [
        (f"{label} {report.classes[label]}" if 0 <= label < len(report.classes) else str(label), n)
        for label, n in report.labels.items()
    ]
    return sorted(rows, key=lambda row: -row[1])


def print_summary(report: InspectReport) -> None:
    """Print the summary."""
    printer = Printer(sys.stdout)
    shards = shard_count(report)
    of_shards = "" if shards is None else f", {shards:,} shard{'s' * (shards != 1)}"
    printer.print(
        (report.path, "bold"), f"  {report.format}, {report.samples:,} samples{of_shards}"
    )
    for bad in report.bad[:_NAMES]:
        printer.print(("damaged  ", "bold red"), str(bad))
    if len(report.bad) > _NAMES:
        printer.print(("damaged  ", "bold red"), f"... ({len(report.bad):,}); see penstock verify")
    if report.sample is None:
        return
    printer.print()
    values = report.sample.components
    rows = [
        (name, str(component), described(values[name]) if name in values else "-")
        for name, component in report.schema.items()
    ]
    printer.table(("component", "type", f"of {report.sample.key}"), rows, words=3)
    for call in report.reader:
        printer.print(("read it by  ", "dim"), call)
    if report.lost:
        printer.print(("not in the samples  ", "dim"), ", ".join(report.lost))
    for kind, names in report.left_out.items():
        print_left_out(printer, "left out  ", kind, names)
    if len(report.extensions) > 1:
        counts = [f"{name or 'none'} ({count:,})" for name, count in report.extensions.items()]
        printer.print(("extensions  ", "dim"), ", ".join(counts))
    printer.print()
    looked_at = "" if report.looked_at == report.samples else f" of {report.looked_at:,} samples"
    printer.print(("size of a sample", "bold"), f"{looked_at}, mean {size_text(report.mean_size)}")
    sizes = [size_text(size) for size in report.sizes.values()]
    printer.table([f"{percent}%" for percent in report.sizes], [sizes], words=0)
    if report.labels:
        printer.print()
        _print_labels(report)


def print_left_out(printer: Printer, title: str, kind: str, names: Sequence[str]) -> None:
    """Print how many files, folders or columns no sample holds, and the names of the first."""
    more = ", ..." if len(names) > _NAMES else ""
    printer.print((title, "dim"), f"{kind} ({len(names):,}): {', '.join(names[:_NAMES])}{more}")


def _print_labels(report: InspectReport) -> None:
    printer, rows = Printer(sys.stdout), label_rows(report)
    most = rows[0][1]
    counted = "samples" if report.looked_at == report.samples else f"of {report.looked_at:,}"
    printer.table(
        ("label", counted, ""),
        [(name, f"{n:,}", ("█" * max(1, _BAR * n // most), "cyan")) for name, n in rows[:_LABELS]],
        words=1,
        bars=True,
    )
    if len(rows) > _LABELS:
        printer.print((f"... {len(rows):,} labels in all; --json and --html list more", "dim"))
