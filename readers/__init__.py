"""Storage to encoded samples: one format, one folder. Importing this enters all readers."""

from .files import read_file, sequence
from .files import reader as file_reader
from .lmdb import caffe, caffe2
from .lmdb import reader as lmdb_reader
from .npy import reader as npy_reader
from .recordio import reader as mxnet_reader
from .tfrecord import reader as tfrecord_reader
from .webdataset import reader as webdataset_reader

__all__ = [
    "caffe",
    "caffe2",
    "file_reader",
    "lmdb_reader",
    "mxnet_reader",
    "npy_reader",
    "read_file",
    "sequence",
    "tfrecord_reader",
    "webdataset_reader",
]
