"""`penstock inspect`: what a data set holds."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from .. import datasets
from ..datasets import Dataset
from .commands import AsJson, between, refuse_options
from .console import Printer
from .formats import CONFIG, DATA_SET, SPLIT
from .inspection.page import as_html
from .inspection.text import as_content, print_summary
from .pictures.outputs import of_dataset
from .pictures.sheet import as_png, draw_sheet
from .progress import Spinner
from .target import require_path

EXAMPLES = (
    "penstock inspect photos/train",
    "penstock inspect hf://user/name --split train",
    "penstock inspect shards/ --html shards.html",
    "penstock inspect 'train-{000..127}.tar' --json",
    "penstock inspect mixture.yaml --split train",
)


def inspect(
    path: Annotated[str, typer.Argument(metavar="PATH", help=DATA_SET)],
    format: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT", help="Format of PATH; by default, the content of the files tells."
        ),
    ] = None,
    split: Annotated[str | None, typer.Option(metavar="NAME", help=SPLIT)] = None,
    config: Annotated[str | None, typer.Option(metavar="NAME", help=CONFIG)] = None,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a page with a contact sheet.")
    ] = None,
    png: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a contact sheet.")] = None,
    count: Annotated[
        int,
        typer.Option(
            "--count",
            "-n",
            metavar="N",
            parser=between(1, 1000),
            help="Samples of the contact sheet.",
        ),
    ] = 24,
    as_json: AsJson = False,
) -> int:
    """Show format, schema, counts and sizes of a data set.

    Sizes and labels are those of at most 1,000 samples, spread over the data set. Of a file that
    lists the sources of a mixture, show the shares, the samples and the epochs of each source.
    """
    if require_path(path).lower().endswith((".yaml", ".yml")):
        from .mixture_file import is_mixture_file, print_sources, sources_of

        if is_mixture_file(path):
            of_data = {"format": format, "config": config, "html": html, "png": png}
            refuse_options("a data set, not for a file of a mixture", of_data)
            sources = sources_of(path, split)
            print(json.dumps(sources, indent=2)) if as_json else print_sources(path, sources)
            return 0
    with (
        Spinner(sys.stderr) as tick,
        datasets.open_dataset(
            path, format=format, skip_bad=True, split=split, config=config
        ) as dataset,
    ):
        tick(f"reading {path}")
        report = datasets.inspect(dataset)
        sheet = _sheet(dataset, count) if html or png else b""
    if png is not None:
        png.write_bytes(sheet)
    if html is not None:
        html.write_text(as_html(report, sheet), encoding="utf-8", errors="backslashreplace")
    if as_json:
        print(json.dumps(as_content(report), indent=2))
    else:
        print_summary(report)
        _print_files(html, png)
    return 0


def _print_files(*files: Path | None) -> None:
    for file in files:
        if file is not None:
            Printer(sys.stdout).print(("wrote ", "dim"), str(file))


def _sheet(dataset: Dataset, count: int) -> bytes:
    """Return a contact sheet of samples that are spread over the data set."""
    spread = np.linspace(0, len(dataset) - 1, min(count, len(dataset))).astype(int)
    sound = dataset.stored.sound(np.unique(spread), dataset.stored.read)
    outputs, known = of_dataset(dataset, sound.tolist())
    return as_png(draw_sheet(outputs, known, side=160, width=1400))
