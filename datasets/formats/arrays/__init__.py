"""Arrays in NumPy's formats: see `reader`."""

from ....formats.npy import MAGIC
from ....readers.storage.storage import Storage
from ..dataset_format import DatasetFormat
from .reader import KEYS_SUFFIX, open_arrays
from .writer import NpzWriter, StackWriter


def _is_npy(head: bytes, _: Storage) -> bool:
    return head[: len(MAGIC)] == MAGIC


def _is_npz(head: bytes, _: Storage) -> bool:
    return head[:4] == b"PK\x03\x04"


ROWS = (
    DatasetFormat(
        name="npy",
        title="NumPy's .npy files",
        open=open_arrays,
        writer=StackWriter,
        recognize=_is_npy,
        companions=(KEYS_SUFFIX,),
    ),
    DatasetFormat(
        name="npz",
        title="NumPy's .npz archives",
        open=open_arrays,
        writer=NpzWriter,
        recognize=_is_npz,
    ),
)
