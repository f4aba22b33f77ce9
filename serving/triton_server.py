"""Triton's own server: finding one that is installed, and running it on an exported model."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ..engine.errors import MissingDependencyError
from .model import Model
from .signature import BYTES

END_SECONDS = 60
"""Seconds for the requests in the server, once it shall end."""


class TritonServer(NamedTuple):
    """A server that is installed.

    Attributes:
        program: its file.
        backends: folder of its backends; None for the server's own default.
        stub: program of the Python backend for this release of Python; None for the backend's own.
        libraries: folder of libraries that both need; None for none.
    """

    program: Path
    backends: Path | None = None
    stub: Path | None = None
    libraries: Path | None = None


def find_server(model: Model) -> TritonServer:
    """Return the `tritonserver` of the PATH, or that in the package nvidia-pytriton.

    Raises:
        MissingDependencyError: there is none, or its Python backend is not for this Python or for
            the model's inputs.
    """
    program = shutil.which("tritonserver")
    if program is not None:
        return TritonServer(Path(program))
    spec = importlib.util.find_spec("pytriton")
    if spec is None or spec.origin is None:
        raise MissingDependencyError(
            "there is no tritonserver: neither on the PATH nor in the package nvidia-pytriton. "
            "Penstock needs NumPy 2, which nvidia-pytriton does not admit, so install it by "
            "`pip install --no-deps nvidia-pytriton`; or leave out --server triton",
            name="pytriton",
        )
    folder = Path(spec.origin).parent / "tritonserver"
    release = f"{sys.version_info.major}.{sys.version_info.minor}"
    stub = folder / "python_backend_stubs" / release / "triton_python_backend_stub"
    if not stub.is_file():
        raise MissingDependencyError(
            f"the installed nvidia-pytriton has no Python backend for Python {release}",
            name="pytriton",
        )
    of_bytes = [spec.name for spec in model.inputs.values() if spec.datatype == BYTES]
    if of_bytes:
        raise MissingDependencyError(
            f"the installed nvidia-pytriton was built before NumPy 2, and hands wrong bytes to the "
            f"input {of_bytes[0]!r}, which takes bytes; take a later release of Triton, or leave "
            "out --server triton",
            name="pytriton",
        )
    libraries = folder.parent.parent / "nvidia_pytriton.libs"
    return TritonServer(folder / "bin" / "tritonserver", folder / "backends", stub, libraries)


def run_server(server: TritonServer, repository: Path, work: Path, host: str, port: int) -> int:
    """Run a server on a repository until this process gets SIGTERM or SIGINT.

    Args:
        server: the server.
        repository: the models.
        work: an empty folder, for the server's backend.
        host, port: to listen to, for HTTP.

    Returns:
        the server's exit status.
    """
    command = [os.fspath(server.program), f"--model-repository={repository}"]
    command += [f"--http-address={host}", f"--http-port={port}", "--allow-grpc=false"]
    command += ["--allow-metrics=false", f"--exit-timeout-secs={END_SECONDS}"]
    if server.backends is not None and server.stub is not None:
        python = work / "backends" / "python"
        shutil.copytree(server.backends / "python", python)
        shutil.copy(server.stub, python)
        command.append(f"--backend-directory={python.parent}")
    ends: list[int] = []
    process = subprocess.Popen(command, env=_environment(server), start_new_session=True)
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}

    def end(number: int, _: object) -> None:
        ends.append(number)
        process.send_signal(signal.SIGTERM if len(ends) == 1 else signal.SIGKILL)

    try:
        for number in handlers:
            signal.signal(number, end)
        status = process.wait()
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        if process.poll() is None:
            process.kill()
            process.wait()
    return 0 if ends and len(ends) == 1 else status


def _environment(server: TritonServer) -> dict[str, str]:
    """Return the environment: Triton's Python is this Python, and finds its library."""
    environment = dict(os.environ)
    _prepend(environment, "PATH", [os.path.dirname(sys.executable)])
    libraries = [sysconfig.get_config_var("LIBDIR") or ""]
    if server.libraries is not None:
        libraries.append(os.fspath(server.libraries))
    _prepend(environment, "LD_LIBRARY_PATH", [folder for folder in libraries if folder])
    return environment


def _prepend(environment: dict[str, str], name: str, folders: Sequence[str]) -> None:
    known = environment.get(name)
    environment[name] = os.pathsep.join([*folders, *([known] if known else [])])
