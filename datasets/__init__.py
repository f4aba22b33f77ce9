"""Whole data sets: opened, converted, verified and inspected in any format.

    from penstock import datasets

    datasets.convert("train/", "train-tar/", to="webdataset", shard_count=64, shuffle_seed=1)
    report = datasets.verify("train/", "train-tar/")

docs/datasets.md shows the formats and the options.
"""

from .conversion import ConvertReport
from .convert import convert
from .dataset import Dataset, open_dataset
from .formats_table import FORMATS
from .inspect import InspectReport, inspect
from .running import ConvertProgress
from .sample import Encoded, Sample, Value
from .schema import ComponentType, Schema
from .verify import VerifyReport, verify
from .writers.base import Writer
from .writers.table import WRITERS

__all__ = [
    "FORMATS",
    "WRITERS",
    "ComponentType",
    "ConvertProgress",
    "ConvertReport",
    "Dataset",
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
