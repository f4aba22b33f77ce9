"""Arrays in NumPy's formats: see `reader`."""

from ....formats.npy import MAGIC
from ..dataset_format import DatasetFormat, begins_with
from .reader import KEYS_SUFFIX, open_arrays
from .writer import NpzWriter, StackWriter

_ZIP = begins_with(b"PK\x03\x04")

ROWS = (
    DatasetFormat(
        "npy",
        "NumPy's .npy files",
        open_arrays,
        StackWriter,
        recognize=begins_with(MAGIC),
        companions=(KEYS_SUFFIX,),
    ),
    DatasetFormat("npz", "NumPy's .npz archives", open_arrays, NpzWriter, recognize=_ZIP),
)
