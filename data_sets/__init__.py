"""Whole data sets: opened, converted, verified and inspected in any format.

    from penstock import datasets

    datasets.convert("train/", "train-tar/", to="webdataset", shard_count=64, shuffle_seed=1)
    report = datasets.verify("train/", "train-tar/")

docs/datasets.md shows the formats and the options.
"""

from .checking.bad_samples import BadSample
from .checking.verify import VerifyReport, verify
from .conversion.convert import ConvertReport, convert
from .conversion.progress import ConvertProgress
from .dataset import Dataset, open_dataset
from .formats.dataset_format import DatasetFormat
from .formats.table import FORMATS
from .formats.writer import Writer
from .inspect import InspectReport, inspect
from .sample import Encoded, Sample, Value
from .schema import ComponentType, Schema

__all__ = [
    "FORMATS",
    "BadSample",
    "ComponentType",
    "ConvertProgress",
    "ConvertReport",
    "Dataset",
    "DatasetFormat",
    "Encoded",
    "InspectReport",
    "Sample",
    "Schema",
    "Value",
    "VerifyReport",
    "Writer",
    "convert",
    "inspect",
    "open_dataset",
    "verify",
]
