"""Parquet and Arrow files: see `reader`."""

from ....readers.storage.storage import Storage
from ..dataset_format import DatasetFormat
from .reader import ENDINGS, ParquetSamples
from .writer import ParquetWriter


def _is_parquet(head: bytes, _: Storage) -> bool:
    return head[:4] == b"PAR1"


def _is_arrow(head: bytes, _: Storage) -> bool:
    return head[:6] == b"ARROW1" or head[:4] == b"\xff\xff\xff\xff"


ROWS = (
    DatasetFormat(
        name="parquet",
        title="Parquet files",
        open=ParquetSamples,
        writer=ParquetWriter,
        recognize=_is_parquet,
        endings=ENDINGS,
    ),
    DatasetFormat(
        name="arrow",
        title="Arrow files",
        open=ParquetSamples,
        recognize=_is_arrow,
        endings=ENDINGS,
    ),
)
