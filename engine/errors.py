"""The exception tree.

    PenstockError (RuntimeError)
    ├── ArgumentError (ValueError)      an argument has the wrong type or value
    │   └── LayoutError                 an operator cannot take the layout of its data
    ├── DecodeError (ValueError)        bytes are not what their format demands
    ├── SourceError (OSError)           a file, folder or object cannot be read
    ├── MissingDependencyError (ImportError)   an optional library or the GPU is missing
    ├── CheckpointError (ValueError)    a checkpoint does not fit the pipeline
    ├── SerializationError (ValueError)   a pipeline cannot be stored, or bytes are no stored one
    ├── WorkerError                     a worker process died, or an error of it cannot be passed on
    └── PipelineStopped                 the pipeline was closed, or stopped by an earlier error

What user code raises (in an external source, a Python function) keeps its type. Every
exception that reaches the caller of `Pipeline.run` carries notes (`__notes__`) which name
the operator, the line that made it, the stage, the sample and where that sample came from.
"""

from __future__ import annotations

import importlib
import os
import types

from .printable import printable

_ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
"""The folder of the package: of a checkout, it has pyproject.toml."""


def install_hint(extra: str) -> str:
    """Return the command that installs an optional part of Penstock, such as "cuda13".

    A checkout names itself. An installed wheel names the libraries and their releases, as its
    metadata do.
    """
    if os.path.exists(os.path.join(_ROOT, "pyproject.toml")):
        return f"pip install '{_ROOT}[{extra}]'"
    libraries = [f"'{name}{bounds}'" for name, bounds in requirements(extra).items()]
    return f"pip install {' '.join(libraries)}"


def requirements(extra: str = "") -> dict[str, str]:
    """Return the libraries that an extra brings, each with the releases that Penstock admits.

    Args:
        extra: name of the extra; "" for the libraries that every installation needs.

    Returns:
        the bounds, such as "<3,>=1.26", by the name of the distribution. The name has the extras of
        that distribution behind, as in "cuda-toolkit[nvrtc]". Nothing if Penstock is not installed.
    """
    from importlib import metadata  # both take 10 ms, and only errors and reports need them

    from packaging.requirements import Requirement

    try:
        texts = metadata.requires("penstock") or []
    except metadata.PackageNotFoundError:
        return {}
    bounds = {}
    for requirement in map(Requirement, texts):
        marker = requirement.marker
        is_of_extra = (
            marker is None
            if not extra
            else (
                marker is not None
                and marker.evaluate({"extra": extra})
                and not marker.evaluate({"extra": ""})
            )
        )
        if is_of_extra:
            parts = f"[{','.join(sorted(requirement.extras))}]" if requirement.extras else ""
            bounds[f"{requirement.name}{parts}"] = str(requirement.specifier)
    return bounds


class PenstockError(RuntimeError):
    """Base of every error that Penstock raises by itself.

    Programs that catch RuntimeError catch all of these errors. Control characters in names that
    a message quotes are shown as escapes, because messages are printed to terminals.
    """

    def __str__(self) -> str:
        return printable(super().__str__())

    def add_note(self, note: str, /) -> None:
        """Add a line to what is printed with the error."""
        super().add_note(printable(note))


class ArgumentError(PenstockError, ValueError):
    """An argument has the wrong type or value."""


class LayoutError(ArgumentError):
    """An operator cannot take the layout of its data, or needs a layout, which the data lack."""


class DecodeError(PenstockError, ValueError):
    """Bytes are not what their format demands."""


class SourceError(OSError, PenstockError):
    """A file, folder or object cannot be read."""

    def __str__(self) -> str:
        return printable(super().__str__())


class MissingDependencyError(ImportError, PenstockError):
    """An optional library, a driver or a device is not there."""

    def __str__(self) -> str:
        return printable(super().__str__())


class CheckpointError(PenstockError, ValueError):
    """A checkpoint does not fit the pipeline that it is restored into."""


class SerializationError(PenstockError, ValueError):
    """A pipeline cannot be stored, or stored bytes are no pipeline that can be made again."""


class WorkerError(PenstockError):
    """A worker process died, or raised something that cannot be passed on to this one."""


class PipelineStopped(PenstockError):  # noqa: N818  (a state, not a fault)
    """The pipeline was closed, or an earlier error stopped it."""


def imported(module: str, wanting: str, extra: str) -> types.ModuleType:
    """Import a module that an optional part of Penstock brings.

    Args:
        module: its full name.
        wanting: what needs it, as the message begins: "Parquet files need pyarrow".
        extra: name of the part.

    Raises:
        MissingDependencyError: the module is not installed.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingDependencyError(f"{wanting}: {install_hint(extra)}") from error
