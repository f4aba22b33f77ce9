"""The exception tree.

    PenstockError (RuntimeError)
    ├── ArgumentError (ValueError)      an argument has the wrong type or value
    ├── DecodeError (ValueError)        bytes are not what their format demands
    ├── SourceError (OSError)           a file, folder or object cannot be read
    ├── MissingDependencyError (ImportError)   an optional library or the GPU is missing
    ├── CheckpointError (ValueError)    a checkpoint does not fit the pipeline
    ├── WorkerError                     a worker process died, or an error of it cannot be passed on
    └── PipelineStopped                 the pipeline was closed, or stopped by an earlier error

What user code raises (in an external source, a Python function) keeps its type. Every
exception that reaches the caller of `Pipeline.run` carries notes (`__notes__`) which name
the operator, the line that made it, the stage, the sample and where that sample came from.
"""

from __future__ import annotations

from .printable import printable

DISTRIBUTION = "."
"""What pip installs: the folder of the sources. The name of the package, once it is published."""


def install_hint(extra: str) -> str:
    """Return the command that installs an optional part of Penstock, such as "cuda13"."""
    where = " in the folder of Penstock's sources" if DISTRIBUTION == "." else ""
    return f"pip install '{DISTRIBUTION}[{extra}]'{where}"


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


class WorkerError(PenstockError):
    """A worker process died, or raised something that cannot be passed on to this one."""


class PipelineStopped(PenstockError):  # noqa: N818  (a state, not a fault)
    """The pipeline was closed, or an earlier error stopped it."""
