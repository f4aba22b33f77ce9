"""Fuzzing of what parses the values of Caffe's data sets: Datum, TensorProtos, and .npy.

    pip install atheris
    python tests/fuzz/fuzz_datum.py -max_total_time=600 corpus/

needs the folder that holds `penstock` on PYTHONPATH. `test_fuzz_lmdb.py` runs the same checks
over random damage without atheris. The first byte of an input chooses what the others are
given to. Whatever they are, the result is an array no larger than them, or a DecodeError.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

if __name__ == "__main__":
    import atheris

    watched: AbstractContextManager[Any] = atheris.instrument_imports(
        include=["penstock.readers", "penstock.formats.npy"]
    )
else:
    watched = nullcontext()

with watched:
    from penstock.engine.errors import DecodeError
    from penstock.formats.npy import array_of_npy
    from penstock.readers.lmdb.caffe2_samples import LabelType, TensorProtosParser
    from penstock.readers.lmdb.datum import DatumParser
    from penstock.readers.protobuf.columns import MIN_MESSAGES, SLACK
    from penstock.readers.storage.records import Records

CLASSES = 10
DATUM = bytes.fromhex("0803 1002 1802 220461626364 28ac02 3801")
TENSORS = bytes.fromhex("0a08 10043204 61626364 0a07 0801 1002 2201 05")
PARSERS = [DatumParser(True, True), DatumParser(True, False), DatumParser(False, True)] + [
    TensorProtosParser(image, label_type, CLASSES, additional, box)
    for image, label_type, additional, box in [
        (True, LabelType.SINGLE, 0, False),
        (True, LabelType.SPARSE, 1, True),
        (False, LabelType.DENSE, 2, False),
        (True, LabelType.WEIGHTED, 0, True),
        (True, LabelType.NONE, 1, False),
    ]
]
USUAL = [DATUM] * 3 + [TENSORS] * (len(PARSERS) - 3)
"""Valid values, next to which others are given."""


def together(messages: list[bytes]) -> Records:
    """Lay messages into one block, with bytes on either side that must not be touched."""
    lengths = np.array([len(message) for message in messages])
    joined = b"\x08\xff" + b"".join(messages) + b"\xff" * SLACK
    return Records(np.frombuffer(joined, np.uint8), 2 + np.cumsum(lengths) - lengths, lengths)


def outcome(parse: Callable[[Records], Any], records: Records) -> Any:
    """Return the columns' values as lists, or "error"."""
    try:
        columns = parse(records)
    except DecodeError:
        return "error"
    return [[(row.shape, row.dtype, row.tobytes()) for row in column] for column in columns]


def check_parser(number: int) -> Callable[[bytes], None]:
    """Return the check of one of the parsers."""
    parser = PARSERS[number]

    def check(data: bytes) -> None:
        cut = len(data) // 2
        few = MIN_MESSAGES
        for messages in ([data], [data] * few, [USUAL[number]] * few + [data],
                         [data[:cut], data[cut:]] * few):  # fmt: skip
            records = together(messages)
            found = outcome(parser, records)
            assert found == outcome(parser._one_by_one, records)
            if found == "error":
                continue
            for column in found:
                for (_, _, content), message in zip(column, messages, strict=True):
                    # A number may take one byte in the message and eight in the array.
                    assert len(content) <= 8 * max(len(message), CLASSES)

    return check


def check_npy(data: bytes) -> None:
    """An array that lies in the bytes, or an error of ours; as NumPy reads it."""
    content = np.frombuffer(data, np.uint8)
    try:
        array = array_of_npy(content)
    except DecodeError:
        return
    assert array.nbytes <= len(data)
    assert array.flags.c_contiguous


CHECKS = [*(check_parser(number) for number in range(len(PARSERS))), check_npy]


def check(data: bytes) -> None:
    """Run the check that the first byte chooses."""
    if data:
        CHECKS[data[0] % len(CHECKS)](data[1:])


if __name__ == "__main__":
    atheris.Setup(sys.argv, check)
    atheris.Fuzz()
