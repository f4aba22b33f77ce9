"""The readers of stored samples. Importing this enters all of them into the table of operators."""

# ruff: noqa: F401 (an import is all that an operator needs)

from . import map_dataset
from .files import read_file
from .files import reader as file_reader
from .fits import reader as fits_reader
from .lmdb import caffe, caffe2
from .lmdb import reader as lmdb_reader
from .mds import reader as mds_reader
from .mixture import balance, pack
from .mixture import reader as mix_reader
from .npy import reader as npy_reader
from .parquet import reader as parquet_reader
from .recordio import reader as mxnet_reader
from .tfrecord import reader as tfrecord_reader
from .webdataset import reader as webdataset_reader
