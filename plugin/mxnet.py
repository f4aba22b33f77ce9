"""MXNet, for which there are no iterators: the import of this module says so."""

from ..engine.errors import MissingDependencyError

raise MissingDependencyError(
    "Penstock has no iterators for MXNet: its last release, 1.9.1, needs NumPy below 1.24, and "
    "Penstock needs NumPy 2, so no program can import both. Data sets of MXNet remain of use: "
    "fn.readers.mxnet reads RecordIO files (.rec, .idx) for each framework, and `penstock convert` "
    "writes them and converts them to other formats: see docs/frameworks.md",
    name="mxnet",
)
