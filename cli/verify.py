"""`penstock verify`: whether two data sets are the same, or whether one is sound."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from .. import datasets
from ..datasets import VerifyReport
from .commands import AsJson
from .console import Printer
from .formats import CONFIG, DATA_SET, SPLIT
from .inspection.text import print_left_out
from .progress import ProgressBar
from .target import require_path

EXAMPLES = (
    "penstock verify photos/ shards/",
    "penstock verify shards/ --decode --quarantine bad.jsonl",
    "penstock verify shards/ rescued/ --without bad.jsonl",
)

_SHOWN = 5  # cases of each list that people see; JSON has more


def verify(
    a: Annotated[str, typer.Argument(metavar="A", help=DATA_SET)],
    b: Annotated[
        str | None, typer.Argument(metavar="B", help="Data set in any format, to compare with A.")
    ] = None,
    format: Annotated[
        str | None,
        typer.Option(metavar="FORMAT", help="Format of A; by default, the content tells."),
    ] = None,
    split: Annotated[str | None, typer.Option(metavar="NAME", help=f"Of A. {SPLIT}")] = None,
    config: Annotated[str | None, typer.Option(metavar="NAME", help=f"Of A. {CONFIG}")] = None,
    decode: Annotated[bool, typer.Option("--decode", help="Decode images and sound, too.")] = False,
    quarantine: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the bad samples to FILE, a JSON object a line."),
    ] = None,
    only: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Look at the samples of A in FILE alone.")
    ] = None,
    without: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Leave out the samples of A in FILE.")
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Check that A and B hold the same samples, or that A is sound.

    Samples are the same if key and content are the same; order and format do not matter. A is
    sound if every sample can be read, checksums agree, and the files are those of dataset.json.
    Columns and files that no sample holds are not compared, but listed as left out. The exit status
    is 1 if anything differs or is damaged. The list of --quarantine is what --only and --without
    take, here and in `penstock convert`.
    """
    with ProgressBar(sys.stderr, "verifying") as bar:
        report = datasets.verify(
            require_path(a),
            None if b is None else require_path(b),
            format=format,
            split=split,
            config=config,
            decode=decode,
            quarantine=quarantine,
            only=only,
            without=without,
            progress=lambda done, total: bar.update(done, total, 0),
        )
    if as_json:
        print(json.dumps({"ok": report.ok, **asdict(report)}, indent=2))
    else:
        _print(Printer(sys.stdout), report, a, b)
    return 0 if report.ok else 1


def _print(printer: Printer, report: VerifyReport, a: str, b: str | None) -> None:
    if report.ok and b is None:
        printer.print(("sound ", "bold green"), f"{a}: {report.samples:,} samples")
    elif report.ok:
        equal = "equal but for what is left out: " if any(report.left_out) else "equal "
        printer.print((equal, "bold green"), f"{a} and {b}: {report.samples:,} samples")
    else:
        printer.print(("not equal " if b else "damaged ", "bold red"), _totals(report, a, b))
    cases = {
        "only_a": f"only in {a}",
        "only_b": f"only in {b}",
        "different": "with different content",
        "repeated": "with a key that another sample has",
        "classes": "names of classes differ",
    }
    for name, text in cases.items():
        _print_cases(printer, report.counts.get(name, 0), text, getattr(report, name))
    bad = [*map(str, report.bad)]
    _print_cases(printer, report.counts.get("bad", 0), "damaged", bad)
    for path, left_out in zip((a, b), report.left_out, strict=False):
        for kind, names in left_out.items():
            print_left_out(printer, f"left out of {path}  ", kind, names)
    for remark in report.remarks:
        printer.print(("not checked: ", "dim"), remark)


def _totals(report: VerifyReport, a: str, b: str | None) -> str:
    first = f"{a}: {report.samples:,} samples"
    return first if b is None else f"{first}; {b}: {report.other_samples:,} samples"


def _print_cases(printer: Printer, count: int, text: str, cases: list[str]) -> None:
    if not count:
        return
    printer.print((f"{count:,}", "bold"), f" {text}:")
    for case in cases[:_SHOWN]:
        printer.print(f"  {case}")
    if count > _SHOWN:
        printer.print(("  ...", "dim"))
