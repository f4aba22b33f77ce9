"""`penstock convert`: a data set in another format."""

from __future__ import annotations

import json
import os
import re
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .commands import AsJson, CommandFailed, between, message_of, say_error, status_of
from .console import console
from .progress import ProgressBar

if TYPE_CHECKING:
    from ..datasets import ConvertReport

EXAMPLES = (
    "penstock convert photos/ shards/ --to webdataset --shard-size 256MB --shuffle 1",
    "penstock convert shards/ small/ --to tfrecord --longest-side 512",
    "penstock convert shards/ cats/ --to folder --where 'label in (281, 282)'",
    "penstock convert photos/ shards/ --to webdataset --resume",
)

_GO_ON = "the whole shards stay: go on with the same command and --resume"
_OPTION = re.compile(r"\b(overwrite|resume)=True|`(components)`")


FORMATS = (  # whose table takes long to import
    "folder, filelist, tfrecord, recordio, lmdb, caffe, caffe2, webdataset, npy, npz, parquet, "
    "coco, nemo or nemo-tar"
)


def _formats() -> list[str]:
    from ..datasets.formats.table import writers

    return sorted(writers())


def _engines() -> list[str]:
    from ..datasets.conversion.engines.table import ENGINES

    return sorted(ENGINES)


def _size(text: str) -> int:
    """Return a number of bytes: "256MB", "1.5GiB" or "4096"."""
    units = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "ki": 2**10, "mi": 2**20, "gi": 2**30}
    letters = text.lstrip("0123456789.")
    unit = letters.lower().removesuffix("b")
    try:
        return int(float(text.removesuffix(letters)) * units[unit])
    except (KeyError, ValueError):
        raise typer.BadParameter(f"{text!r} is no size such as 256MB or 1GiB") from None


def convert(
    source: Annotated[
        str, typer.Argument(metavar="SRC", help="Data set: a folder, a file, or a pattern.")
    ],
    destination: Annotated[
        str, typer.Argument(metavar="DST", help="Folder to write, which must not exist.")
    ],
    to: Annotated[
        str,
        typer.Option(
            metavar="FORMAT",
            help=f"Format to write: {FORMATS}.",
            autocompletion=_formats,
        ),
    ],
    format: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT", help="Format of SRC; by default, the content of the files tells."
        ),
    ] = None,
    shard_count: Annotated[
        int | None, typer.Option(metavar="N", parser=between(1), help="Number of shards.")
    ] = None,
    shard_size: Annotated[
        int | None,
        typer.Option(
            metavar="SIZE",
            parser=_size,
            help="Size of a shard, about, such as 256MB, which is the default.",
        ),
    ] = None,
    shuffle: Annotated[
        int | None, typer.Option(metavar="SEED", help="Shuffle all samples, with this seed.")
    ] = None,
    sample: Annotated[
        float, typer.Option(metavar="FRACTION", help="Fraction of the samples to take.")
    ] = 1.0,
    sample_seed: Annotated[
        int, typer.Option(metavar="SEED", help="Selects which samples are taken.")
    ] = 0,
    where: Annotated[
        str | None,
        typer.Option(
            metavar="CONDITION",
            help='Take samples that fit, as in "label in (1, 2) and image.size > 10000".',
        ),
    ] = None,
    components: Annotated[
        str | None,
        typer.Option(metavar="NAMES", help="Components to write, as in image,label; else all."),
    ] = None,
    classes: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Text file with the name of a class on each line."),
    ] = None,
    jpeg_quality: Annotated[
        int | None,
        typer.Option(
            metavar="QUALITY", parser=between(1, 100), help="Encode images anew as JPEG, 1 to 100."
        ),
    ] = None,
    longest_side: Annotated[
        int | None,
        typer.Option(metavar="PIXELS", parser=between(1), help="Make larger images smaller."),
    ] = None,
    audio: Annotated[
        str | None, typer.Option(metavar="CODEC", help="Encode audio anew: flac or opus.")
    ] = None,
    video: Annotated[
        str | None, typer.Option(metavar="CODEC", help="Encode video anew: h264.")
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(metavar="N", parser=between(1), help="Shards that are written at once."),
    ] = None,
    engine: Annotated[
        str,
        typer.Option(
            metavar="ENGINE", help="local, ray or dask: where to work.", autocompletion=_engines
        ),
    ] = "local",
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace what an earlier conversion wrote.")
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with a conversion that was cut off.")
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Write a data set in another format.

    Encoded files keep their bytes, unless an option encodes them anew. The files of DST appear
    when they are whole. The file dataset.json, which appears last, has the counts, the schema and
    the SHA-256 of each shard. `penstock verify SRC DST` proves that nothing was lost.
    """
    from .. import datasets
    from ..engine.errors import ArgumentError
    from .target import require_path

    with ProgressBar(sys.stderr, f"to {to}") as bar:
        try:
            report = datasets.convert(
                require_path(source),
                destination,
                to=to,
                format=format,
                shard_count=shard_count,
                shard_size=shard_size,
                shuffle_seed=shuffle,
                sample_fraction=sample,
                sample_seed=sample_seed,
                where=where,
                components=None if components is None else _names(components),
                classes=None if classes is None else _lines(classes),
                jpeg_quality=jpeg_quality,
                longest_side=longest_side,
                audio=audio,
                video=video,
                workers=workers,
                engine=engine,
                overwrite=overwrite,
                resume=resume,
                progress=lambda p: bar.update(p.samples, p.total, p.bytes),
            )
        except (KeyboardInterrupt, SystemExit):  # Ctrl-C, or the process was told to end
            bar.close()
            say_error(f"interrupted; {_GO_ON}")
            raise
        except (ArgumentError, FileExistsError) as error:
            raise CommandFailed(_OPTION.sub(r"--\1\2", message_of(error)), 2) from error
        except OSError as error:
            raise _with_hint(error, destination) from error
    if as_json:
        print(json.dumps(asdict(report), indent=2))
    else:
        console(sys.stdout).print(_text(report))
    return 0


def _with_hint(error: OSError, destination: str) -> CommandFailed:
    """Return the end of the command, with one hint at how to go on, in words of options."""
    failure = CommandFailed(message_of(error).split("\n")[0], status_of(error))
    for note in getattr(error, "__notes__", ()):
        if "resume=True" not in note:
            failure.add_note(note)
    if os.path.isdir(destination):
        failure.add_note(_GO_ON)
    return failure


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _lines(path: Path) -> list[str]:
    names = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    if not all(names):
        raise CommandFailed(
            f"{path}, line {names.index('') + 1}: the name of a class is missing", 2
        )
    return names


def _text(report: ConvertReport) -> str:
    from ..datasets.formats.loose_files import LooseFileWriter
    from ..datasets.formats.table import writers
    from .probes.finding import size_text

    samples, shards = _counted(report.samples, "sample"), _counted(report.shards, "shard")
    facts = [f"{report.path}: {samples} in {shards} of {report.format}"]
    if not issubclass(writers()[report.format], LooseFileWriter):  # whose sizes are not counted
        facts.append(size_text(report.bytes))
    facts.append(f"{report.seconds:.1f} s")
    if report.seconds and not report.resumed_shards:
        facts.append(f"{report.samples / report.seconds:,.0f} samples/s")
    remarks = [", ".join(facts)]
    if report.resumed_shards:
        remarks.append(f"an earlier run wrote {report.resumed_shards:,} of the shards")
    if report.left_out:
        remarks.append(f"{_counted(report.left_out, 'sample')} left out")
    if report.lost:
        remarks.append(f"not converted: {', '.join(report.lost)}")
    return "; ".join(remarks)


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
