"""`penstock bench`: how fast a pipeline is, and which limit it meets."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from functools import partial
from tempfile import TemporaryDirectory
from typing import Annotated, Literal

import typer

from ..datasets import open_dataset
from ..engine.machine import usable_cores
from ..engine.pipeline.pipeline import Pipeline
from ..readers.storage.urls import is_url
from .benchmark.advice import Setting, try_setting
from .benchmark.graphs import Work, graph_of
from .benchmark.measure import Tick, measure
from .benchmark.others import look_first
from .benchmark.pipeline_library import PipelineLibrary, Runnable, load
from .benchmark.report import Measurement, as_content, print_report
from .benchmark.turns import compare
from .commands import (
    BATCH_SIZE,
    AsJson,
    CommandFailed,
    PipelineArguments,
    Threads,
    between,
    refuse_options,
)
from .formats import FORMATS_READ
from .progress import Spinner
from .target import (
    PipelineTarget,
    definition_of,
    open_pipeline,
    parse_arguments,
    parse_target,
    running,
)

EXAMPLES = (
    "penstock bench train.py:training --arg folder=photos/train",
    "penstock bench photos/train --threads 4 --batch-size 128",
    "penstock bench shards/ --work decode --compare dali",
)


def bench(
    target: Annotated[
        str,
        typer.Argument(
            metavar="PIPELINE_OR_PATH",
            help="A pipeline as FILE.py:NAME or MODULE:NAME, the YAML file of a mixture, or a data "
            f"set, for which a pipeline is made. {FORMATS_READ}",
        ),
    ],
    arg: PipelineArguments = None,
    batch_size: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            parser=between(1),
            help=f"Samples in a batch; {BATCH_SIZE} where a pipeline does not say.",
            show_default=False,
        ),
    ] = None,
    threads: Threads = None,
    seconds: Annotated[
        float,
        typer.Option(metavar="SECONDS", parser=between(0.1, 3600.0), help="How long to measure."),
    ] = 5.0,
    work: Annotated[
        Literal["read", "decode", "train"] | None,
        typer.Option(
            help="For a PATH: read samples, decode their images or sound too, or make training "
            "batches (images: random crop to 224 x 224, mirror, normalize; sound: log-mels). By "
            "default train, or read without images and sound.",
            show_default=False,
        ),
    ] = None,
    device: Annotated[
        Literal["cpu", "mixed"],
        typer.Option(help="For a PATH: decode on the CPU, or on the GPU ('mixed')."),
    ] = "cpu",
    compare: Annotated[
        Literal["dali"] | None,
        typer.Option(
            help="For a PATH: run the same pipeline in NVIDIA DALI, by turns.", show_default=False
        ),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Measure the samples a second of a pipeline, and name its limit.

    The report shows the start, the steady speed, the time of each operator, and what would lift
    the limit: storage, CPU time of decoding, cores, the GIL, the consumer, or the GPU. An argument
    that may lift the limit is tried for as long as SECONDS, by turns. Other programs that use the
    cores are named first: figures mean nothing beside them.
    """
    parsed = parse_target(target)
    options = {"batch_size": batch_size, "num_threads": threads}
    look_first()
    with Spinner(sys.stderr) as tick:
        if isinstance(parsed, PipelineTarget):
            of_path = {"compare": compare, "work": work, "device": device != "cpu"}
            refuse_options("a PATH, not for a pipeline", of_path)
            report = _of_pipeline(parsed, arg or [], options, seconds, tick)
        else:
            refuse_options("a pipeline, not for a PATH", {"arg": arg})
            report = _of_path(
                parsed, work, device, options, seconds, tick, compares=compare is not None
            )
    if as_json:
        print(json.dumps(as_content(target, report), indent=2))
    else:
        print_report(target, report)
    return 0


def _of_pipeline(
    target: PipelineTarget,
    arguments: list[str],
    options: Mapping[str, object],
    seconds: float,
    tick: Tick,
) -> Measurement:
    given = parse_arguments(arguments)

    def opened(setting: Setting) -> Runnable:
        return open_pipeline(target, given, {**options, **setting}, BATCH_SIZE)

    with running(target):
        speed = measure(partial(opened, {}), seconds, tick)
        is_pipeline = isinstance(definition_of(target), Pipeline)  # which has its arguments already
        return Measurement(
            speed, tried=None if is_pipeline else try_setting(opened, speed, seconds, tick)
        )


def _of_path(
    path: str,
    work: Work | None,
    device: str,
    options: Mapping[str, object],
    seconds: float,
    tick: Tick,
    *,
    compares: bool,
) -> Measurement:
    if compares and is_url(path):
        raise CommandFailed(f"{path}: DALI reads no URLs of this kind; run without --compare", 2)
    gpu = None if device == "cpu" else 0
    usual = {
        "batch_size": BATCH_SIZE,
        "num_threads": usable_cores(),
        "device_id": gpu,
        "seed": 1,
    }
    chosen = usual | {name: value for name, value in options.items() if value is not None}
    libraries = [load(name) for name in ("penstock", *(["nvidia.dali"] if compares else []))]
    with TemporaryDirectory(prefix="penstock-bench-") as folder:
        with open_dataset(path) as dataset:
            graph = graph_of(dataset, work, device, folder)

        def opened(setting: Setting, library: PipelineLibrary = libraries[0]) -> Runnable:
            return graph.pipeline(library, **chosen | setting)

        if not compares:
            speed = measure(partial(opened, {}), seconds, tick)
            return Measurement(speed, tried=try_setting(opened, speed, seconds, tick))
        comparison = compare(partial(opened, {}), partial(opened, {}, libraries[1]), seconds, tick)
        return Measurement(comparison.speed, comparison)
