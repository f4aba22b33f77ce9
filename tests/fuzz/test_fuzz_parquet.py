"""Damage to Parquet files, most of it to their footers."""

import io
import random
import struct

import numpy as np
import pytest

from penstock.engine.errors import SourceError
from penstock.readers.parquet.parquet_file import ParquetTable

from . import fuzz_parquet
from .memory import MemoryFile

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

MAGIC = b"PAR1"
TAIL = 8  # bytes: the footer's length, and the magic bytes
# Numbers in Thrift's compact form: the largest and smallest of 64 bits, and of 32.
HUGE = [b"\xff" * 9 + b"\x01", b"\xfe" * 9 + b"\x01", b"\xff" * 4 + b"\x0f", b"\xfe" + b"\xff" * 3]


def saved(**options):
    numbers = range(30)
    table = pa.table(
        {
            "image": [{"bytes": bytes([i]) * i * 9, "path": f"{i}.jpg"} for i in numbers],
            "label": list(numbers),
            "boxes": pa.array([[[i, 2.5]] * (i % 3) for i in numbers]),
            "fixed": pa.array([[i, 1.5] for i in numbers], pa.list_(pa.float64(), 2)),
            "flag": [None if i % 5 else True for i in numbers],
        }
    )
    file = io.BytesIO()
    pq.write_table(table, file, row_group_size=11, **options)
    return file.getvalue()


FILES = [
    saved(),
    saved(compression="none", use_dictionary=False, store_schema=False),
    saved(compression="zstd", data_page_version="2.0", write_page_checksum=True),
]


def parts(content):
    """Return what lies before the footer, and the footer."""
    (length,) = struct.unpack("<I", content[-TAIL:-4])
    return content[: -TAIL - length], content[-TAIL - length : -TAIL]


def joined(pages, footer, length=None):
    return pages + footer + struct.pack("<I", len(footer) if length is None else length) + MAGIC


def damaged(content, chance):
    pages, footer = map(bytearray, parts(content))
    for _ in range(chance.choice((1, 1, 1, 3))):
        data = footer if chance.random() < 0.7 else pages
        place, way = chance.randrange(len(data)), chance.randrange(5)
        if way == 0:
            data[place] ^= 1 << chance.randrange(8)
        elif way == 1:
            data[place : place + 1] = chance.choice(HUGE)
        elif way == 2:
            del data[place : place + chance.randrange(1, 6)]
        elif way == 3:
            data[place:place] = chance.randbytes(chance.randrange(1, 6))
        else:
            data[place : place + 4] = chance.choice((b"\xff" * 4, bytes(4), b"\0\0\0\x80"))
    return joined(bytes(pages), bytes(footer))


@pytest.mark.parametrize("seed", range(4))
def test_random_damage(seed):
    chance = random.Random(seed)
    for _ in range(60):
        fuzz_parquet.check(damaged(chance.choice(FILES), chance))


@pytest.mark.parametrize("content", FILES, ids=["plain", "bare", "zstd"])
def test_a_file_that_is_cut_off_is_named(content):
    pages, footer = parts(content)
    sizes = [*range(16), *range(len(pages) - 2, len(content), 7)]
    for size in sizes:
        with pytest.raises(SourceError, match="file is no sound Parquet file"):
            ParquetTable(MemoryFile(content[:size]))
    for size in range(0, len(footer), 7):  # with the length of what is left
        with pytest.raises(SourceError, match="file is no sound Parquet file"):
            ParquetTable(MemoryFile(joined(pages, footer[:size])))


@pytest.mark.parametrize("length", [0, 1, -1, 2**31 - 1, 2**31, 2**32 - 1])
def test_a_footer_of_any_length_is_named(length):
    pages, footer = parts(FILES[0])
    for claim in {length % 2**32, (len(footer) + length) % 2**32} - {len(footer)}:
        with pytest.raises(SourceError, match="file is no sound Parquet file"):
            ParquetTable(MemoryFile(joined(pages, footer, claim)))


def test_each_byte_of_a_footer_as_a_huge_number():
    pages, footer = parts(FILES[1])
    for place in range(0, len(footer), 37):
        for number in HUGE:
            changed = footer[:place] + number + footer[place + 1 :]
            fuzz_parquet.check(joined(pages, changed))


def test_what_is_not_damaged_is_read():
    for content in FILES:
        table = ParquetTable(MemoryFile(content))
        labels = [batch.column("label") for block in range(3) for batch in table.read(block, None)]
        np.testing.assert_array_equal(np.concatenate(labels), range(30))
        fuzz_parquet.check(content)
