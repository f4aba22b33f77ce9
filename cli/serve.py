"""`penstock serve`: a pipeline as a server, and as a model of NVIDIA Triton."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ..engine.errors import MissingDependencyError
from ..serving.model import Model
from .commands import BATCH_SIZE, CommandFailed, PipelineArguments, Threads, between
from .console import Printer
from .target import PipelineTarget, open_pipeline, parse_arguments, parse_target, running
from .user_module import loaded_module

if TYPE_CHECKING:
    from ..serving.triton_server import TritonServer

EXAMPLES = (
    "penstock serve train.py:inference --port 8000",
    "penstock serve train.py:inference --max-batch-size 64 --max-delay 2",
    "penstock serve export train.py:inference repository/",
)

_EXPORT = "export"


def serve(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[export] PIPELINE [REPOSITORY]",
            help="A pipeline as FILE.py:NAME or MODULE:NAME. With `export`, the folder of models "
            "to which it is added.",
            show_default=False,
        ),
    ],
    arg: PipelineArguments = None,
    name: Annotated[
        str | None,
        typer.Option(help="Of the model; by default that of the pipeline.", show_default=False),
    ] = None,
    max_batch_size: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            parser=between(1),
            help=f"Samples that are computed together; {BATCH_SIZE} where a pipeline does not say.",
            show_default=False,
        ),
    ] = None,
    max_delay: Annotated[
        float,
        typer.Option(
            metavar="MILLISECONDS",
            parser=between(0.0, 60_000.0),
            help="How long a batch that is not full waits for more requests.",
        ),
    ] = 0.0,
    threads: Threads = None,
    host: Annotated[str, typer.Option(help="Address to listen to.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(metavar="N", parser=between(0, 65535), help="Port; 0 takes a free one.")
    ] = 8000,
    server: Annotated[
        Literal["http", "triton", "auto"],
        typer.Option(
            help="Penstock's own HTTP server, or Triton's, from the PATH or from the package "
            "nvidia-pytriton. auto takes Triton where it is installed."
        ),
    ] = "http",
    max_requests: Annotated[
        int,
        typer.Option(
            metavar="N", parser=between(1), help="Requests in the server; more get status 503."
        ),
    ] = 1024,
    max_request_mib: Annotated[
        int,
        typer.Option(
            metavar="MIB",
            parser=between(1, 1 << 20),
            help="Size of a request; larger ones get status 413.",
        ),
    ] = 64,
    max_response_mib: Annotated[
        int,
        typer.Option(
            metavar="MIB",
            parser=between(1, 1 << 20),
            help="Size of the outputs of a request; larger ones get status 413.",
        ),
    ] = 256,
    instances: Annotated[
        int,
        typer.Option(
            metavar="N", parser=between(1, 64), help="For Triton: pipelines that compute at a time."
        ),
    ] = 1,
) -> int:
    """Answer requests over HTTP by a pipeline, or export it as a model of NVIDIA Triton.

    The server speaks the Open Inference Protocol (KServe v2), and forms batches of the requests.
    """
    exports = words[0] == _EXPORT and len(words) > 1
    if len(words) != (3 if exports else 1):
        raise CommandFailed(
            "expected `serve PIPELINE` or `serve export PIPELINE REPOSITORY`, but got "
            f"{' '.join(words)}",
            2,
        )
    target = parse_target(words[1] if exports else words[0])
    if not isinstance(target, PipelineTarget):
        raise CommandFailed(
            f"{target} is no pipeline; a pipeline is given as FILE.py:NAME or MODULE:NAME", 2
        )
    options = {"batch_size": max_batch_size, "num_threads": threads}
    pipeline = open_pipeline(target, parse_arguments(arg or []), options, BATCH_SIZE)
    delay = max_delay / 1000
    with running(target):
        model = Model(name or target.name, pipeline, most_output_bytes=max_response_mib << 20)
    try:
        if exports:
            folder = _export(target, model, pipeline, Path(words[2]), delay, instances)
            Printer(sys.stdout).print(("wrote ", "dim"), str(folder))
            return 0
        triton = _triton(server, model)
        if triton is not None:
            return _run_triton(target, model, pipeline, triton, delay, instances, host, port)
        with running(target):
            limits = delay, max_request_mib << 20, max_response_mib << 20, max_requests
            return _run_http(model, limits, host, port)
    finally:
        model.close()


def _export(
    target: PipelineTarget,
    model: Model,
    pipeline: Any,
    repository: Path,
    max_delay: float,
    instances: int,
    paths: Sequence[str] = (),
) -> Path:
    from ..serving.repository import export_model

    with running(target):
        return export_model(
            model,
            pipeline,
            repository,
            module=loaded_module(target.module),
            max_delay=max_delay,
            instances=instances,
            paths=paths,
        )


def _triton(server: str, model: Model) -> TritonServer | None:
    """Return Triton's server, if it is wanted and, for "auto", serves the model."""
    if server == "http":
        return None
    from ..serving.triton_server import find_server

    try:
        return find_server(model)
    except MissingDependencyError:
        if server == "triton":
            raise
        return None


def _run_triton(
    target: PipelineTarget,
    model: Model,
    pipeline: object,
    server: TritonServer,
    max_delay: float,
    instances: int,
    host: str,
    port: int,
) -> int:
    from ..serving.triton_server import run_server

    with TemporaryDirectory(prefix="penstock-triton-") as folder:
        repository = Path(folder) / "repository"
        paths = [os.path.abspath(path) for path in sys.path]
        _export(target, model, pipeline, repository, max_delay, instances, paths)
        model.close()
        _say(model.name, f"http://{host}:{port}", "by Triton")
        return run_server(server, repository, Path(folder), host, port)


def _run_http(model: Model, values: tuple[float, int, int, int], host: str, port: int) -> int:
    from ..serving.http_server import Server, ServerLimits  # needs aiohttp

    limits = ServerLimits(*values)

    def started(address: str) -> None:
        _say(model.name, address, "Ctrl-C ends it")

    async def run() -> None:
        server = Server(model, limits)
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, server.end)
        await server.run(host, port, started)

    asyncio.run(run())
    return 0


def _say(name: str, address: str, more: str) -> None:
    Printer(sys.stdout).print("serving ", (name, "bold"), f" at {address} ({more})")
    sys.stdout.flush()
