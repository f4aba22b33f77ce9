"""`penstock convert`: a data set in another format."""

from __future__ import annotations

import json
import operator
import os
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import MISSING, Field, asdict, fields
from inspect import Parameter, Signature
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from .. import datasets
from ..datasets import FORMATS, ConvertReport
from ..datasets.conversion.engines.table import ENGINES
from ..datasets.conversion.options import CommandOption, ConvertOptions
from ..datasets.formats.loose_files import LooseFileWriter
from ..datasets.formats.table import writers
from ..engine.errors import ArgumentError
from ..engine.suggestions import counted, listed
from ..readers.hub.names import is_on_hub
from ..readers.storage.urls import is_url
from .commands import AsJson, CommandFailed, between, message_of, say_error, status_of
from .console import Printer, size_text
from .formats import DATA_SET
from .progress import ProgressBar
from .target import require_path

EXAMPLES = (
    "penstock convert photos/ shards/ --to webdataset --shard-size 256MB --shuffle 1",
    "penstock convert shards/ small/ --to tfrecord --longest-side 512",
    "penstock convert shards/ cats/ --to folder --where \"label in ('cat', 'dog')\"",
    "penstock convert photos/ shards/ --to webdataset --resume",
    "penstock convert shards/ hf://user/name --to parquet",
    "penstock convert damaged/ rescued/ --to webdataset --skip-bad --quarantine bad.jsonl",
)

_GO_ON = "the whole shards stay: go on with the same command and --resume"
_OPTION = re.compile(r"\b(overwrite|resume)=True|`(components)`|\b(sample)_fraction\b")


def _size(text: str) -> int:
    """Return a number of bytes: "256MB", "1.5GiB" or "4096"."""
    units = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "ki": 2**10, "mi": 2**20, "gi": 2**30}
    letters = text.lstrip("0123456789.")
    unit = letters.lower().removesuffix("b")
    try:
        return int(float(text.removesuffix(letters)) * units[unit])
    except (KeyError, ValueError):
        raise typer.BadParameter(f"{text!r} is no size such as 256MB or 1GiB") from None


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _lines(path: str) -> list[str]:
    names = [line.strip() for line in Path(path).read_text(encoding="utf-8").splitlines()]
    if not all(names):
        raise CommandFailed(
            f"{path}, line {names.index('') + 1}: the name of a class is missing", 2
        )
    return names


_PARSERS: dict[str, Callable[[str], object]] = {
    "shard_size": _size,
    "components": _names,
    "classes": _lines,
}
"""What makes values of texts, where numbers and texts are not enough."""

_CHOICES = {"to": list(writers()), "format": list(FORMATS), "engine": list(ENGINES)}


def _parameters() -> Iterator[Parameter]:
    """Yield the arguments and options of the command: of fields of `ConvertOptions`, and --json."""
    hints = get_type_hints(ConvertOptions, include_extras=True)
    for field in fields(ConvertOptions):
        hint = hints[field.name]
        for option in getattr(hint, "__metadata__", ()):
            plain = hint.__origin__ in (bool, int, float, str, int | None)
            yield Parameter(
                field.name,
                Parameter.KEYWORD_ONLY,
                default=Parameter.empty if field.default is MISSING else field.default,
                annotation=_annotated(
                    hint.__origin__ if plain else str | None, _declared(field, option)
                ),
            )
    yield Parameter("as_json", Parameter.KEYWORD_ONLY, default=False, annotation=AsJson)


def _annotated(*parts: object) -> object:
    return operator.getitem(Annotated, parts)


def _declared(field: Field[Any], option: CommandOption) -> object:
    """Return the declaration of a field as an argument or option."""
    texts: dict[str, Any] = {
        "help": option.help.format(data_set=DATA_SET, formats=listed(writers(), "or")),
        "metavar": option.metavar or None,
    }
    if not field.kw_only:
        return typer.Argument(**texts)
    parser = _PARSERS.get(field.name)
    if option.minimum is not None:
        parser = between(option.minimum, option.maximum)
    choices = _CHOICES.get(field.name)
    return typer.Option(
        f"--{option.flag or field.name.replace('_', '-')}",
        parser=parser,
        autocompletion=(lambda: choices) if choices else None,
        **texts,
    )


def convert(*, as_json: bool, **options: Any) -> int:
    """Write a data set in another format.

    Encoded files keep their bytes, unless an option encodes them anew. The files of DST appear
    when they are whole. The file dataset.json, which appears last, has the counts, the schema and
    the SHA-256 of each shard. `penstock verify SRC DST` proves that nothing was lost.
    """
    with ProgressBar(sys.stderr, f"to {options['to']}") as bar:
        try:
            options["source"] = require_path(options["source"])
            report = datasets.convert(
                **options, progress=lambda p: bar.update(p.samples, p.total, p.bytes)
            )
        except (KeyboardInterrupt, SystemExit):  # Ctrl-C, or the process was told to end
            bar.close()
            say_error(f"interrupted; {_GO_ON}")
            raise
        except (ArgumentError, FileExistsError) as error:
            raise CommandFailed(_OPTION.sub(r"--\1\2\3", message_of(error)), 2) from error
        except OSError as error:
            raise _with_hint(error, options["destination"]) from error
    if as_json:
        print(json.dumps(asdict(report), indent=2))
    else:
        Printer(sys.stdout).print(_text(report))
    return 0


vars(convert)["__signature__"] = Signature([*_parameters()], return_annotation=int)
convert.__annotations__ = {parameter.name: parameter.annotation for parameter in _parameters()} | {
    "return": int
}


def _with_hint(error: OSError, destination: str) -> CommandFailed:
    """Return the end of the command, with one hint at how to go on, in words of options."""
    failure = CommandFailed(message_of(error).split("\n")[0], status_of(error))
    for note in getattr(error, "__notes__", ()):
        if "resume=True" not in note or is_on_hub(destination):
            failure.add_note(_OPTION.sub(r"--\1\2\3", note))
    if os.path.isdir(destination) or (is_url(destination) and not is_on_hub(destination)):
        failure.add_note(_GO_ON)
    return failure


def _text(report: ConvertReport) -> str:
    samples, shards = counted(report.samples, "sample"), counted(report.shards, "shard")
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
        remarks.append(f"{counted(report.left_out, 'sample')} left out by a list or a filter")
    if report.skipped:
        first = str(report.bad[0])
        damaged = counted(report.skipped, "damaged sample or file", "damaged samples or files")
        remarks.append(f"{damaged} left out, the first: {first}")
    if report.lost:
        remarks.append(f"not converted: {', '.join(report.lost)}")
    remarks += [
        f"{kind} ({len(names):,}, such as {names[0]}) are left out"
        for kind, names in report.skipped_files.items()
    ]
    return "; ".join(remarks)
