"""The exception tree.

    PenstockError (RuntimeError)
    ├── ArgumentError (ValueError)      an argument has the wrong type or value
    │   └── LayoutError                 an operator cannot take the layout of its data
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

DISTRIBUTION = "."
"""What pip installs: the folder of the sources. The name of the package, once it is published."""


def install_hint(extra: str) -> str:
    """Return the command that installs an optional part of Penstock, such as "cuda13"."""
    where = " in the folder of Penstock's sources" if DISTRIBUTION == "." else ""
    return f"pip install '{DISTRIBUTION}[{extra}]'{where}"


class PenstockError(RuntimeError):
    """Base of every error that Penstock raises by itself.

    Programs that catch RuntimeError catch all of these errors.
    """


class ArgumentError(PenstockError, ValueError):
    """An argument has the wrong type or value."""


class LayoutError(ArgumentError):
    """An operator cannot take the layout of its data, or needs a layout, which the data lack."""


class DecodeError(PenstockError, ValueError):
    """Bytes are not what their format demands."""


class SourceError(OSError, PenstockError):
    """A file, folder or object cannot be read."""


class MissingDependencyError(ImportError, PenstockError):
    """An optional library, a driver or a device is not there."""


class CheckpointError(PenstockError, ValueError):
    """A checkpoint does not fit the pipeline that it is restored into."""


class WorkerError(PenstockError):
    """A worker process died, or raised something that cannot be passed on to this one."""


class PipelineStopped(PenstockError):  # noqa: N818  (a state, not a fault)
    """The pipeline was closed, or an earlier error stopped it."""
