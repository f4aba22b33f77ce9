"""Arrays in NumPy's formats: see `reader`."""

from ....formats.npy import MAGIC
from ....readers.storage.storage import Storage
from ..dataset_format import DatasetFormat, begins_with
from .reader import KEYS_SUFFIX, open_arrays
from .writer import NpzWriter, StackWriter


def _is_npz(head: bytes, _: Storage) -> bool:
    """Return whether a zip archive begins with an array; others hold pictures or documents."""
    length = int.from_bytes(head[26:28], "little")
    return head[:4] == b"PK\x03\x04" and head[30 : 30 + length].endswith(b".npy")


ROWS = (
    DatasetFormat(
        "npy",
        "NumPy's .npy files",
        open_arrays,
        StackWriter,
        recognize=begins_with(MAGIC),
        companions=(KEYS_SUFFIX,),
    ),
    DatasetFormat("npz", "NumPy's .npz archives", open_arrays, NpzWriter, recognize=_is_npz),
)
