"""Tables for the tests, as files of Parquet and Arrow."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.readers.parquet.source import open_parquet

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

COUNT = 23
CACHE = 1 << 20
COLUMNS = ["boxes", "image", "label", "matrix", "text"]


def image(number):
    return np.random.default_rng(number).bytes(number * 50)


def table():
    numbers = range(COUNT)
    boxes = [[[i, j, 5, 6.5] for j in range(i % 3)] for i in numbers]
    return pa.table(
        {
            "image": [{"bytes": image(i), "path": f"{i}.jpg"} for i in numbers],
            "label": list(numbers),
            "text": [f"schön {i}" for i in numbers],
            "boxes": pa.array(boxes, pa.list_(pa.list_(pa.float32()))),
            "matrix": pa.array([[[i, 1], [2, 3]] for i in numbers], pa.list_(pa.list_(pa.int16()))),
        }
    )


def samples():
    for i in range(COUNT):
        boxes = np.array([[i, j, 5, 6.5] for j in range(i % 3)], np.float32).reshape(-1, 4)
        matrix = np.array([[i, 1], [2, 3]], np.int16)
        texts = (np.frombuffer(content, np.uint8) for content in (image(i), f"schön {i}".encode()))
        content, text = texts
        yield boxes, content, np.int64(i)[()], matrix, text


def write_stream(path, rows, *, new=None, size=7):
    with (new or pa.ipc.new_stream)(path, rows.schema) as writer:
        writer.write_table(rows, max_chunksize=size)
    return str(path)


def write(path, rows, **options):
    pq.write_table(rows, path, **options)
    return str(path)


def opened(path, *columns, dtypes=(), cache_bytes=CACHE):
    types = [np.dtype(dtype) for dtype in dtypes]
    return open_parquet([str(path)], columns, dtypes=types, cache_bytes=cache_bytes)


def read(source, *rows):
    columns = source.read(np.array(rows or range(len(source))), np.empty)
    return [[sample.tolist() for sample in column] for column in columns]
