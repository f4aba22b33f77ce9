"""Everything that an extension of Penstock needs: `from penstock.extend import register, ...`.

A format of stored samples derives from `Reader` and has a `Source`. An operator derives from
`SampleOperator` or `BatchOperator`. `register` enters both into the table of operators, which
makes them functions of `fn` and classes of `ops`. An image format is an `ImageFormat`, which
`register_format` enters. A format of data sets is a `DatasetFormat`, which
`register_dataset_format` enters. An iterator for a framework derives from `BaseIterator`.

These names are stable: a release that removes one, or changes its meaning, has a new major number.
Everything that is imported from other modules may change. docs/extending.md shows each extension.
"""

# `X as X` exports a name, for type checkers too.
from .datasets.formats.base import Location as Location
from .datasets.formats.base import ReaderCall as ReaderCall
from .datasets.formats.base import StoredSamples as StoredSamples
from .datasets.formats.dataset_format import DatasetFormat as DatasetFormat
from .datasets.formats.one_file import OneFileWriter as OneFileWriter
from .datasets.formats.table import register_dataset_format as register_dataset_format
from .datasets.formats.writer import Target as Target
from .datasets.formats.writer import Writer as Writer
from .datasets.manifest import ShardInfo as ShardInfo
from .datasets.sample import Encoded as Encoded
from .datasets.sample import Sample as Sample
from .decoders.errors import decode_error as decode_error
from .decoders.image.formats.base import DecodeRequest as DecodeRequest
from .decoders.image.formats.base import ImageFormat as ImageFormat
from .decoders.image.formats.base import ImageHeader as ImageHeader
from .decoders.image.formats.base import StoredImage as StoredImage
from .decoders.image.table import register_format as register_format
from .engine.errors import ArgumentError as ArgumentError
from .engine.errors import DecodeError as DecodeError
from .engine.errors import MissingDependencyError as MissingDependencyError
from .engine.errors import SourceError as SourceError
from .engine.gpu.kernels import Kernel as Kernel
from .engine.gpu.kernels import c_type as c_type
from .engine.gpu.launch import launch_elements as launch_elements
from .engine.gpu.tables import Pointers as Pointers
from .engine.gpu.tables import struct_table as struct_table
from .engine.graph.context import BatchContext as BatchContext
from .engine.graph.context import Workspace as Workspace
from .engine.graph.functions import function_of as function_of
from .engine.graph.operator import BatchOperator as BatchOperator
from .engine.graph.operator import SampleOperator as SampleOperator
from .engine.graph.operator import register as register
from .engine.graph.params import ANY as ANY
from .engine.graph.params import ANY_FLOAT as ANY_FLOAT
from .engine.graph.params import ANY_FLOATS as ANY_FLOATS
from .engine.graph.params import ARRAY as ARRAY
from .engine.graph.params import BOOL as BOOL
from .engine.graph.params import CALLABLE as CALLABLE
from .engine.graph.params import DTYPE as DTYPE
from .engine.graph.params import DTYPES as DTYPES
from .engine.graph.params import FLOAT as FLOAT
from .engine.graph.params import FLOATS as FLOATS
from .engine.graph.params import IMAGE_TYPE as IMAGE_TYPE
from .engine.graph.params import INT as INT
from .engine.graph.params import INTERP as INTERP
from .engine.graph.params import INTS as INTS
from .engine.graph.params import LAYOUT as LAYOUT
from .engine.graph.params import OPTIONS as OPTIONS
from .engine.graph.params import REQUIRED as REQUIRED
from .engine.graph.params import STR as STR
from .engine.graph.params import STRS as STRS
from .engine.graph.params import param as param
from .engine.tensors import TensorList as TensorList
from .engine.tensors import TensorListCPU as TensorListCPU
from .engine.tensors import TensorListGPU as TensorListGPU
from .operators.elementwise.pointwise import pointwise as pointwise
from .operators.elementwise.saturation import saturate as saturate
from .plugin.base_iterator import BaseIterator as BaseIterator
from .readers.reader import Reader as Reader
from .readers.record_reader import RecordReader as RecordReader
from .readers.source import Source as Source
from .readers.source import checked_indices as checked_indices
from .readers.storage.opening import open_storages as open_storages
from .readers.storage.records import RecordFiles as RecordFiles
