"""Fuzzing of Parquet files.

    pip install atheris
    python tests/fuzz/fuzz_parquet.py -max_total_time=600 corpus/

needs the folder that holds `penstock` on PYTHONPATH. `test_fuzz_parquet.py` runs the same checks
over random damage without atheris. Only errors of ours may come out, and they name the file.
"""

from __future__ import annotations

import sys
from contextlib import nullcontext
from functools import partial
from typing import Any

import numpy as np

if __name__ == "__main__":
    import atheris
    from memory import MemoryFile

    watched: Any = atheris.instrument_imports(include=["penstock.readers.parquet"])
else:
    from .memory import MemoryFile

    watched = nullcontext()

with watched:
    from penstock.engine.errors import ArgumentError, DecodeError, SourceError
    from penstock.readers.parquet.blocks import RowBlocks
    from penstock.readers.parquet.columns import rule_of
    from penstock.readers.parquet.parquet_file import ParquetTable
    from penstock.readers.parquet.source import ParquetSource, RowGroup

_MOST_ROWS = 10_000  # that are read


def check(data: bytes) -> None:
    """Read all rows of all columns."""
    try:
        table = ParquetTable(MemoryFile(data))
    except SourceError as error:
        _check_message(error)
        return
    for name in table.schema.names:
        try:
            rule = rule_of(table.schema, name, None, "file")
            blocks = RowBlocks([table], [rule.selection], partial(_row_group, [rule]), 0)
            rows = np.arange(min(len(blocks), _MOST_ROWS))
            (column,) = ParquetSource(blocks, [rule], ["/none/file"], {}).read(rows, np.empty)
            assert len(column) == len(rows)
        except FileNotFoundError:  # that the table names
            continue
        except (ArgumentError, DecodeError, SourceError) as error:
            _check_message(error)


def _check_message(error: Exception) -> None:
    assert "file" in str(error)


def _row_group(rules: Any, file: int, batches: list[Any]) -> tuple[RowGroup, int]:
    group = RowGroup(rules, batches)
    return group, group.nbytes


if __name__ == "__main__":
    atheris.Setup(sys.argv, check)
    atheris.Fuzz()
