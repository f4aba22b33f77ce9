"""`penstock show`: a contact sheet of a batch."""

from __future__ import annotations

import json
import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import typer

from ..datasets import open_dataset
from ..engine.errors import SourceError
from ..readers.storage.urls import is_url
from .commands import AsJson, CommandFailed, PipelineArguments, between, refuse_options
from .console import Printer
from .formats import CONFIG, FORMATS_READ, SPLIT
from .graphs import show_graph
from .pictures.outputs import by_turns, media_files, of_batch, of_dataset, of_files
from .pictures.roles import Output
from .pictures.sheet import as_png, draw_sheet
from .pictures.terminal import Protocol, as_sequences, picture_width, protocol_of
from .pictures.tiles import SampleText
from .target import PipelineTarget, open_pipeline, parse_arguments, parse_target, running

EXAMPLES = (
    "penstock show photos/train",
    "penstock show train.py:training --arg folder=photos/train -o batch.png",
    "penstock show my_package.data:validation --count 64 --side 96",
    "penstock show train.py:training --graph -o training.svg",
)

Terminal = Literal["auto", "kitty", "iterm2", "sixel", "no"]

_FILE = "penstock-show.png"


def show(
    target: Annotated[
        str,
        typer.Argument(
            metavar="PATH_OR_PIPELINE",
            help="A data set, files of images, sound or video, or a pipeline as FILE.py:NAME or "
            "MODULE:NAME. NAME is a Pipeline, or a function with the decorator @pipeline_def. The "
            "YAML file of a mixture is a pipeline, too: --arg gives arguments of its readers. "
            f"{FORMATS_READ}",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help=f"PNG to write: {_FILE} by default."),
    ] = None,
    count: Annotated[
        int,
        typer.Option(
            "--count", "-n", metavar="N", parser=between(1, 1000), help="Number of samples."
        ),
    ] = 16,
    arg: PipelineArguments = None,
    shuffle: Annotated[
        bool, typer.Option(help="Any samples of PATH, not those of each class by turns.")
    ] = False,
    split: Annotated[str | None, typer.Option(metavar="NAME", help=SPLIT)] = None,
    config: Annotated[str | None, typer.Option(metavar="NAME", help=CONFIG)] = None,
    side: Annotated[
        int,
        typer.Option(
            metavar="PIXELS", parser=between(32, 2048), help="Height of each picture in pixels."
        ),
    ] = 224,
    width: Annotated[
        int,
        typer.Option(
            metavar="PIXELS",
            parser=between(100, 16384),
            help="Largest width of the sheet in pixels.",
        ),
    ] = 1600,
    terminal: Annotated[
        Terminal,
        typer.Option(help="How to show the sheet on the terminal; 'no' writes the PNG instead."),
    ] = "auto",
    boxes: Annotated[
        Literal["auto", "xyXY", "xyWH"],
        typer.Option(help="Boxes as corners, or as corner and size; 'auto' judges by the numbers."),
    ] = "auto",
    graph: Annotated[
        bool,
        typer.Option(
            "--graph",
            help="Show the graph of a pipeline, and where its time goes. --output takes .svg, .png "
            "and .pdf, which need Graphviz, and .dot.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Draw a contact sheet of samples or of a batch.

    The sheet shows images, masks, boxes, clips, spectrograms and arrays.
    A terminal that shows pictures (kitty, Ghostty, iTerm2, WezTerm, foot ...) shows the sheet.
    Otherwise the sheet is written to a PNG file.
    """
    if graph:
        of_sheets = {"shuffle": shuffle, "split": split, "config": config, "boxes": boxes != "auto"}
        refuse_options("a contact sheet, not for --graph", of_sheets)
        return show_graph(target, arg or [], count, output, as_json)
    if output is not None and output.suffix.lower() != ".png":
        raise CommandFailed(f"{output}: a contact sheet is written as .png", 2)
    outputs, known = _samples(target, count, arg or [], shuffle, split, config)
    if boxes != "auto":
        outputs = [replace(o, layout=boxes) if o.role.value == "boxes" else o for o in outputs]
    if not known:
        raise CommandFailed(f"{target}: the batch holds no sample")
    sheet = draw_sheet(outputs, known, side=side, width=width)
    shown = output is None and not as_json and _show_on_terminal(sheet, terminal)
    path = None if shown else _write(sheet, output or Path(_FILE))
    if as_json:
        print(json.dumps({"file": str(path), "outputs": _described(outputs)}, indent=2))
    else:
        _print(outputs, path, sheet.shape)
    return 0


def _samples(
    text: str,
    count: int,
    arguments: list[str],
    shuffle: bool,
    split: str | None,
    config: str | None,
) -> tuple[list[Output], list[SampleText]]:
    target = parse_target(text)
    if not isinstance(target, PipelineTarget):
        refuse_options("a pipeline, not for a PATH", {"arg": arguments})
        return _of_path(target, count, shuffle, split, config)
    of_path = {"shuffle": shuffle, "split": split, "config": config}
    refuse_options("a PATH; a pipeline takes arguments as --arg NAME=VALUE", of_path)
    pipeline = open_pipeline(target, parse_arguments(arguments), {}, count)
    with pipeline, running(target):
        outputs = pipeline.run()
        known = [names for reader in pipeline.class_names().values() for names in reader.values()]
        return of_batch(outputs, count, known)


def _of_path(
    path: str, count: int, shuffle: bool, split: str | None, config: str | None
) -> tuple[list[Output], list[SampleText]]:
    try:
        with open_dataset(path, split=split, config=config) as dataset:
            numbers = _any(len(dataset), count) if shuffle else by_turns(dataset, count)
            return of_dataset(dataset, numbers)
    except SourceError:
        files = media_files(path) if not is_url(path) and os.path.exists(path) else []
        if not files or split or config:
            raise
        numbers = _any(len(files), count) if shuffle else list(range(min(count, len(files))))
        return of_files([files[number] for number in numbers])


def _any(size: int, count: int) -> list[int]:
    """Return the indices of any `count` of `size` samples."""
    chosen: list[int] = np.random.default_rng().permutation(size)[:count].tolist()
    return chosen


def _show_on_terminal(sheet: Any, terminal: Terminal) -> bool:
    protocol: Protocol | None = None
    if terminal == "auto":
        protocol = protocol_of(os.environ) if sys.stdout.isatty() else None
    elif terminal != "no":
        protocol = terminal
    if protocol is None:
        return False
    columns = shutil.get_terminal_size().columns
    sys.stdout.write(as_sequences(sheet, protocol, picture_width(sys.stdout, columns)))
    return True


def _write(sheet: Any, path: Path) -> Path:
    path.write_bytes(as_png(sheet))
    return path


def _described(outputs: list[Output]) -> list[dict[str, Any]]:
    return [
        {
            "name": output.name,
            "shown_as": output.role.value,
            "dtype": str(output.rows[0].dtype),
            "layout": output.layout,
            "shapes": [list(row.shape) for row in output.rows],
        }
        for output in outputs
    ]


def _print(outputs: list[Output], path: Path | None, shape: tuple[int, ...]) -> None:
    printer = Printer(sys.stdout)
    rows = [
        (
            output.name,
            output.role.value,
            str(output.rows[0].dtype),
            output.layout or "-",
            _shapes(output),
        )
        for output in outputs
    ]
    printer.table(("output", "shown as", "dtype", "layout", "shape"), rows, words=5)
    if path is not None:
        printer.print(("wrote ", "dim"), str(path), f" ({shape[1]} x {shape[0]} pixels)")


def _shapes(output: Output) -> str:
    """Return the shape of the samples, with the range of each extent."""
    shapes = {row.shape for row in output.filled or output.rows}
    if len({len(shape) for shape in shapes}) > 1:
        return "several"
    extents = [sorted(extent) for extent in map(set, zip(*shapes, strict=True))]
    texts = [str(e[0]) if len(e) == 1 else f"{e[0]}..{e[-1]}" for e in extents]
    return f"({', '.join(texts)})"
