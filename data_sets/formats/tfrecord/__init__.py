"""TFRecord files of `tf.train.Example`: see `reader`."""

from collections.abc import Callable

from ....engine.errors import PenstockError
from ....readers.storage.storage import Storage
from ....readers.tfrecord.index import find_frames, is_record_file, open_records
from ..dataset_format import DatasetFormat
from .reader import TFRecordSamples
from .writer import TFRecordWriter


def _is_tfrecord(_: bytes, storage: Storage) -> bool:
    try:
        return is_record_file(storage)
    except PenstockError:
        return False


def _indexed(file: str) -> tuple[Storage, Callable[[], int]]:
    (storage,) = open_records([file])
    return storage, lambda: len(find_frames(storage, verify_data=False)[0])


ROW = DatasetFormat(
    "tfrecord",
    "TFRecord files",
    TFRecordSamples,
    TFRecordWriter,
    recognize=_is_tfrecord,
    companions=(".idx",),
    index=_indexed,
)
