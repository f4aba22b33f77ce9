"""The commands `tfrecord2idx`, `rec2idx` and `wds2idx`, which write indexes as DALI's scripts do.

Penstock's readers need no such files: they make an index when they find none. The commands are for
programs and tutorials that call them, and for DALI itself.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence

from ..engine.errors import PenstockError
from ..readers.recordio.reader import write_mxnet_index
from ..readers.tfrecord.index import write_tfrecord_index
from ..readers.webdataset.dali_index import write_dali_index
from .console import Printer

Write = Callable[[str, str], int]
"""Writes the index of a data file and returns the number of samples that the index lists."""


def tfrecord2idx(arguments: Sequence[str] | None = None) -> int:
    """Run `tfrecord2idx DATA INDEX`; return the exit status."""
    parser = _parser("tfrecord2idx", "a TFRecord file")
    parser.add_argument("data", help="path of the TFRecord file")
    parser.add_argument("index", help="path of the index file, which is replaced")
    chosen = parser.parse_args(arguments)
    return _run(write_tfrecord_index, chosen.data, chosen.index)


def rec2idx(arguments: Sequence[str] | None = None) -> int:
    """Run `rec2idx RECORD INDEX`; return the exit status."""
    parser = _parser("rec2idx", "a RecordIO file")
    parser.add_argument("record", help="path of the .rec file")
    parser.add_argument("index", help="path of the index file, which is replaced")
    chosen = parser.parse_args(arguments)
    return _run(write_mxnet_index, chosen.record, chosen.index)


def wds2idx(arguments: Sequence[str] | None = None) -> int:
    """Run `wds2idx ARCHIVE [INDEX]`; return the exit status."""
    parser = _parser("wds2idx", "a WebDataset archive")
    parser.add_argument("archive", help="path of the .tar file")
    parser.add_argument(
        "index",
        nargs="?",
        help="path of the index file, which is replaced; by default the archive's, with the "
        "extension .idx",
    )
    chosen = parser.parse_args(arguments)
    index = chosen.index or beside(chosen.archive)
    return _run(write_dali_index, chosen.archive, index)


def beside(archive: str) -> str:
    """Return the archive's path with `.idx` in place of all that follows its name's first dot.

    >>> beside("data.v2/train.000.tar"), beside("train")
    ('data.v2/train.idx', 'train.idx')
    """
    folder, name = os.path.split(archive)
    return os.path.join(folder, name[:1] + name[1:].partition(".")[0] + ".idx")


def _parser(command: str, what: str) -> argparse.ArgumentParser:
    return argparse.ArgumentParser(prog=command, description=f"Writes the index of {what}.")


def _run(write: Write, data: str, index: str) -> int:
    try:
        count = write(data, index)
    except (PenstockError, OSError) as error:
        Printer(sys.stderr).print(f"error: {error}")
        return 1
    Printer(sys.stdout).print(f"{index}: {count} samples")
    return 0
