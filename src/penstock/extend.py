"""Everything that an extension of Penstock needs: `from penstock.extend import register, ...`.

A format of stored samples derives from `Reader` and has a `Source`. An operator derives from
`SampleOperator` or `BatchOperator`. `register` enters both into the table of operators, which
makes them functions of `fn` and classes of `ops`. An image format is an `ImageFormat`, which
`register_format` enters. A format of data sets is a `DatasetFormat`, which
`register_dataset_format` enters. An iterator for a framework derives from `BaseIterator`.

These names are stable: a release that removes one, or changes its meaning, has a new major number.
Everything that is imported from other modules may change. docs/extending.md shows each extension.
"""

from .datasets.formats.base import Location, ReaderCall, StoredSamples
from .datasets.formats.dataset_format import DatasetFormat
from .datasets.formats.one_file import OneFileWriter
from .datasets.formats.table import register_dataset_format
from .datasets.formats.writer import Target, Writer
from .datasets.manifest import ShardInfo
from .datasets.sample import Encoded, Sample
from .decoders.errors import decode_error
from .decoders.image.formats.base import DecodeRequest, ImageFormat, ImageHeader, StoredImage
from .decoders.image.table import register_format
from .engine.errors import (
    ArgumentError,
    DecodeError,
    LayoutError,
    MissingDependencyError,
    SourceError,
)
from .engine.gpu.kernels import Kernel, c_type
from .engine.gpu.launch import launch_elements
from .engine.gpu.tables import Pointers, struct_table
from .engine.graph.context import BatchContext, Workspace
from .engine.graph.functions import function_of
from .engine.graph.operator import BatchOperator, SampleOperator, register
from .engine.graph.params import (
    ANY,
    ANY_FLOAT,
    ANY_FLOATS,
    ARRAY,
    BOOL,
    CALLABLE,
    DTYPE,
    DTYPES,
    FLOAT,
    FLOATS,
    IMAGE_TYPE,
    INT,
    INTERP,
    INTS,
    LAYOUT,
    OPTIONS,
    REQUIRED,
    STR,
    STRS,
    param,
)
from .engine.graph.rules import BatchRules, GpuRules, Input, SequenceRules
from .engine.tensors import TensorList, TensorListCPU, TensorListGPU
from .formats.bundle import files_of
from .geometry.layouts import layout_of, lines_axis
from .operators.common.batch_arguments import enter_errors, padded_numbers
from .operators.common.number_arguments import check_numbers, numbers_of_batch
from .operators.elementwise.pointwise import pointwise
from .operators.elementwise.saturation import saturate
from .plugin.base_iterator import BaseIterator, check_uniform
from .readers.listing.path_patterns import expand_paths
from .readers.reader import Reader
from .readers.record_reader import RecordReader
from .readers.source import Source, checked_indices
from .readers.storage.damage import DamagedFileError, Damages
from .readers.storage.opening import open_storages
from .readers.storage.records import RecordFiles

__all__ = [
    "ANY",
    "ANY_FLOAT",
    "ANY_FLOATS",
    "ARRAY",
    "BOOL",
    "CALLABLE",
    "DTYPE",
    "DTYPES",
    "FLOAT",
    "FLOATS",
    "IMAGE_TYPE",
    "INT",
    "INTERP",
    "INTS",
    "LAYOUT",
    "OPTIONS",
    "REQUIRED",
    "STR",
    "STRS",
    "ArgumentError",
    "BaseIterator",
    "BatchContext",
    "BatchOperator",
    "BatchRules",
    "DamagedFileError",
    "Damages",
    "DatasetFormat",
    "DecodeError",
    "DecodeRequest",
    "Encoded",
    "GpuRules",
    "ImageFormat",
    "ImageHeader",
    "Input",
    "Kernel",
    "LayoutError",
    "Location",
    "MissingDependencyError",
    "OneFileWriter",
    "Pointers",
    "Reader",
    "ReaderCall",
    "RecordFiles",
    "RecordReader",
    "Sample",
    "SampleOperator",
    "SequenceRules",
    "ShardInfo",
    "Source",
    "SourceError",
    "StoredImage",
    "StoredSamples",
    "Target",
    "TensorList",
    "TensorListCPU",
    "TensorListGPU",
    "Workspace",
    "Writer",
    "c_type",
    "check_numbers",
    "check_uniform",
    "checked_indices",
    "decode_error",
    "enter_errors",
    "expand_paths",
    "files_of",
    "function_of",
    "launch_elements",
    "layout_of",
    "lines_axis",
    "numbers_of_batch",
    "open_storages",
    "padded_numbers",
    "param",
    "pointwise",
    "register",
    "register_dataset_format",
    "register_format",
    "saturate",
    "struct_table",
]
