"""The formats of data sets: how each one is opened."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .stored.arrays import open_arrays
from .stored.base import Location, StoredSamples
from .stored.coco import CocoDatasetSamples
from .stored.folder import open_file_list, open_folder
from .stored.lmdb import LmdbFileSamples, open_caffe, open_caffe2
from .stored.nemo import NemoSamples
from .stored.parquet import ParquetSamples
from .stored.recordio import RecordIOSamples
from .stored.tfrecord import TFRecordSamples
from .stored.webdataset import WebDatasetSamples


@dataclass(frozen=True)
class DataFormat:
    """A format of data sets.

    Attributes:
        name: as users write it.
        title: for messages and documentation.
        open: opens the data set at a location.
    """

    name: str
    title: str
    open: Callable[[Location], StoredSamples]


FORMATS = {
    each.name: each
    for each in (
        DataFormat("folder", "class folders", open_folder),
        DataFormat("filelist", "a list of files with labels", open_file_list),
        DataFormat("tfrecord", "TFRecord files", TFRecordSamples),
        DataFormat("recordio", "RecordIO files of MXNet", RecordIOSamples),
        DataFormat("lmdb", "LMDB databases of files", LmdbFileSamples),
        DataFormat("caffe", "LMDB databases of Caffe", open_caffe),
        DataFormat("caffe2", "LMDB databases of Caffe2", open_caffe2),
        DataFormat("webdataset", "WebDataset archives", WebDatasetSamples),
        DataFormat("npy", "NumPy's .npy files", open_arrays),
        DataFormat("npz", "NumPy's .npz archives", open_arrays),
        DataFormat("parquet", "Parquet files", ParquetSamples),
        DataFormat("arrow", "Arrow files", ParquetSamples),
        DataFormat("coco", "COCO annotations and images", CocoDatasetSamples),
        DataFormat("nemo", "a manifest of NeMo with audio files", NemoSamples),
        DataFormat("nemo-tar", "a manifest of NeMo with tar archives", NemoSamples),
    )
}
