"""The readers. Importing this enters all of them into the table of operators."""

from .coco import reader as coco_reader
from .files import read_file, sequence
from .files import reader as file_reader
from .fits import reader as fits_reader
from .lmdb import caffe, caffe2
from .lmdb import reader as lmdb_reader
from .nemo import reader as nemo_reader
from .npy import reader as npy_reader
from .parquet import reader as parquet_reader
from .recordio import reader as mxnet_reader
from .tfrecord import reader as tfrecord_reader
from .video import reader as video_reader
from .video import resize_reader as video_resize_reader
from .webdataset import reader as webdataset_reader

__all__ = [
    "caffe",
    "caffe2",
    "coco_reader",
    "file_reader",
    "fits_reader",
    "lmdb_reader",
    "mxnet_reader",
    "nemo_reader",
    "npy_reader",
    "parquet_reader",
    "read_file",
    "sequence",
    "tfrecord_reader",
    "video_reader",
    "video_resize_reader",
    "webdataset_reader",
]
