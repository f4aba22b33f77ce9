"""The writer of each format."""

from __future__ import annotations

from .arrays import NpzWriter, StackWriter
from .base import Writer
from .coco import CocoWriter
from .folder import FileListWriter, FolderWriter
from .lmdb import Caffe2Writer, CaffeWriter, LmdbFileWriter
from .nemo import NemoTarWriter, NemoWriter
from .parquet import ParquetWriter
from .recordio import RecordIOWriter
from .tfrecord import TFRecordWriter
from .webdataset import WebDatasetWriter

WRITERS: dict[str, type[Writer]] = {
    "folder": FolderWriter,
    "filelist": FileListWriter,
    "tfrecord": TFRecordWriter,
    "recordio": RecordIOWriter,
    "lmdb": LmdbFileWriter,
    "caffe": CaffeWriter,
    "caffe2": Caffe2Writer,
    "webdataset": WebDatasetWriter,
    "npy": StackWriter,
    "npz": NpzWriter,
    "parquet": ParquetWriter,
    "coco": CocoWriter,
    "nemo": NemoWriter,
    "nemo-tar": NemoTarWriter,
}
