"""Parquet and Arrow files: see `reader`."""

from ..dataset_format import DatasetFormat, begins_with
from .reader import ENDINGS, ParquetSamples
from .writer import ParquetWriter

ROWS = (
    DatasetFormat(
        "parquet",
        "Parquet files",
        ParquetSamples,
        ParquetWriter,
        recognize=begins_with(b"PAR1"),
        endings=ENDINGS,
    ),
    DatasetFormat(
        "arrow",
        "Arrow files",
        ParquetSamples,
        recognize=begins_with(b"ARROW1", b"\xff\xff\xff\xff"),
        endings=ENDINGS,
    ),
)
