"""Fuzzing of everything that parses TFRecord files.

    pip install atheris crc32c
    python tests/fuzz/fuzz_tfrecord.py -max_total_time=600 corpus/

needs the folder that holds `penstock` on PYTHONPATH. `test_fuzz_tfrecord.py` runs the same
checks over random damage without atheris. The first byte of an input chooses what the others
are given to. Whatever they are, only errors of ours may come out, and what is found for many
records together must be what is found for each alone.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np

if __name__ == "__main__":
    import atheris

    watched: Any = atheris.instrument_imports(include=["penstock.readers"])
else:
    watched = nullcontext()

with watched:
    from penstock import tfrecord
    from penstock.engine.errors import PenstockError
    from penstock.readers.storage.opening import open_storage
    from penstock.readers.storage.records import RecordFiles, Records
    from penstock.readers.tfrecord.columns import Examples, Wanted, columns
    from penstock.readers.tfrecord.example_batch import Locator
    from penstock.readers.tfrecord.index import find_frames, open_records, read_index_file
    from penstock.readers.tfrecord.patterns import SLACK
    from penstock.readers.tfrecord.reader import TFRecordSource
    from penstock.readers.tfrecord.sequence import WantedList, sequence_columns

WANTED = [
    Wanted("n", tfrecord.FixedLenFeature([], tfrecord.int64, -1)),
    Wanted("s", tfrecord.FixedLenFeature([], tfrecord.string, "")),
    Wanted("v", tfrecord.VarLenFeature(tfrecord.int64)),
    Wanted("f", tfrecord.VarLenFeature(tfrecord.float32)),
    Wanted("w", tfrecord.VarLenFeature(tfrecord.string)),
]
LISTS = [
    WantedList("v", tfrecord.VarLenFeature(tfrecord.int64)),
    WantedList("w", tfrecord.FixedLenFeature([], tfrecord.string, "")),
    WantedList("f", tfrecord.FixedLenFeature([2], tfrecord.float32, 0)),
]
# What valid Examples with these features look like, so that layouts are known.
USUAL = bytes.fromhex(
    "0a36 0a0a0a016e12051a030a0107 0a0c0a017312070a050a03616263"
    "0a0b0a017612061a040a020102 0a0d0a0166120812060a0400000000"
)


def together(records: list[bytes]) -> Records:
    """Lay records end to end in one block."""
    lengths = np.array([len(record) for record in records], np.int64)
    joined = b"".join(records) + bytes(SLACK)
    return Records(np.frombuffer(joined, np.uint8), np.cumsum(lengths) - lengths, lengths)


def outcome(records: list[bytes], locator: Locator, *, alone: bool) -> Any:
    """Return the columns' values as lists, or "error"."""
    block = together(records)
    try:
        located = locator.locate(block, not_at_all=alone)
        examples = Examples.parse(block, located, WANTED, str)
        found = columns(WANTED, examples, np.empty)
    except PenstockError:
        return "error"
    return [[(row.shape, row.dtype, row.tobytes()) for row in column] for column in found]


def check_examples(data: bytes) -> None:
    """Many records at once give what each gives alone."""
    cut, data = (data[0], data[1:]) if data else (0, b"")
    cut = min(cut, len(data))
    records = [data[:cut], data[cut:]] * 8 + [data] * 13 + [USUAL] * 13
    locator = Locator({wanted.key: wanted.feature_type for wanted in WANTED})
    for _ in range(2):
        for chosen in (records, records[16:], records[16:29], records[::-1]):
            one_by_one = outcome(chosen, locator, alone=True)
            assert outcome(chosen, locator, alone=False) == one_by_one


def check_sequence(data: bytes) -> None:
    """A SequenceExample gives columns or an error of ours."""
    try:
        result = sequence_columns(LISTS, [("record", data)])
    except PenstockError:
        return
    assert len(result) == sum(len(wanted.names()) for wanted in LISTS)


def check_file(data: bytes) -> None:
    """A file is read whole, compressed or not, or refused; a bad record is named."""
    with temporary(data) as path:
        try:
            (storage,) = open_records([path])
            files = RecordFiles([storage], [find_frames(storage, verify_data=False)])
        except PenstockError as error:
            assert path in str(error)  # noqa: PT017  (errors are optional here)
            return
        source = TFRecordSource(files, WANTED, verify=True)
        for index in range(len(source)):
            try:
                source.read(np.array([index]), np.empty)
            except PenstockError as error:
                assert path in str(error)  # noqa: PT017  (errors are optional here)
        source.close()


def check_index(data: bytes) -> None:
    """An index file is read or refused."""
    with temporary(data[: len(data) // 2]) as index, temporary(data[len(data) // 2 :]) as path:
        try:
            (storage,) = open_records([path])
            offsets, lengths = read_index_file(open_storage(index), storage)
        except PenstockError:
            return
        assert (offsets >= 0).all()
        assert (offsets + lengths <= storage.size).all()


class temporary:  # noqa: N801  (used like a function)
    """A file with this content, and its caches, for the length of a block."""

    def __init__(self, content: bytes) -> None:
        self._folder = tempfile.TemporaryDirectory(dir=FOLDER)
        self._path = Path(self._folder.name) / "file"
        self._path.write_bytes(content)

    def __enter__(self) -> str:
        os.environ["XDG_CACHE_HOME"] = self._folder.name
        return str(self._path)

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()


FOLDER = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
CHECKS: list[Callable[[bytes], None]] = [check_examples, check_sequence, check_file, check_index]


def check(data: bytes) -> None:
    """Run the check that the first byte chooses."""
    if data:
        CHECKS[data[0] % len(CHECKS)](data[1:])


if __name__ == "__main__":
    atheris.Setup(sys.argv, check)
    atheris.Fuzz()
