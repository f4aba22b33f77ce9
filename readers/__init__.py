"""Storage to encoded samples: one format, one file. Importing this enters all readers."""

from . import caffe, caffe2, file, lmdb, mxnet, npy, read_file, sequence, tfrecord, webdataset

__all__ = [
    "caffe",
    "caffe2",
    "file",
    "lmdb",
    "mxnet",
    "npy",
    "read_file",
    "sequence",
    "tfrecord",
    "webdataset",
]
