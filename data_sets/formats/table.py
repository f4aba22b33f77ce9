"""The table of all formats, and adding a format to it."""

from __future__ import annotations

import pickle

from ...engine.errors import ArgumentError
from ...engine.suggestions import unknown
from . import (
    arrays,
    boxes,
    caffe,
    coco,
    energon,
    file_list,
    folder,
    kaldi,
    lmdb,
    mds,
    nemo,
    parquet,
    recordio,
    shar,
    tfrecord,
    webdataset,
)
from .dataset_format import DatasetFormat
from .writer import Writer

FORMATS: dict[str, DatasetFormat] = {
    row.name: row
    for row in (
        folder.ROW,
        file_list.ROW,
        tfrecord.ROW,
        recordio.ROW,
        lmdb.ROW,
        *caffe.ROWS,
        webdataset.ROW,
        energon.ROW,
        *arrays.ROWS,
        *parquet.ROWS,
        coco.ROW,
        *boxes.ROWS,
        *nemo.ROWS,
        shar.ROW,
        mds.ROW,
        kaldi.ROW,
    )
}
"""Every format by its name; a file is of the first format that recognizes it."""


def register_dataset_format(format: DatasetFormat) -> DatasetFormat:
    """Add a format of data sets: it can be opened, converted, verified and shown from then on.

    Call this when the module that defines the format is imported. Conversions import that module
    in their processes.

    Raises:
        ArgumentError: there is another format of this name, or the row cannot be pickled.
    """
    if FORMATS.get(format.name, format) != format:
        raise ArgumentError(f"there is a format of data sets named {format.name!r} already")
    try:
        pickle.dumps(format)
    except Exception as error:
        raise ArgumentError(
            f"the format {format.name!r} cannot be sent to other processes: {error}; its functions "
            "and classes must be names of a module"
        ) from None
    FORMATS[format.name] = format
    return format


def format_named(format: str | DatasetFormat, *, written: bool = False) -> DatasetFormat:
    """Return the row of a format, which has a writer if it is `written`.

    Raises:
        ArgumentError: there is no such format.
    """
    if isinstance(format, DatasetFormat):
        return format
    rows = {name: row for name, row in FORMATS.items() if row.writer or not written}
    if format not in rows:
        raise ArgumentError(f"the format is one of {', '.join(rows)}, not {unknown(format, rows)}")
    return rows[format]


def writers() -> dict[str, type[Writer]]:
    """Return the class of the writers of each format that can be written, by its name."""
    return {name: row.writer for name, row in FORMATS.items() if row.writer is not None}
