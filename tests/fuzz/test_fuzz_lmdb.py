"""The fuzz targets of the LMDB readers over random damage."""

import io
import random

import numpy as np
import pytest

from ..readers import lmdb_samples as write
from . import fuzz_datum as values
from . import fuzz_lmdb as files
from .damage import damaged

TELLING = (0, 1, 8, 0x22, 0x7F, 0x80, 0xFF)


def npy():
    file = io.BytesIO()
    np.save(file, np.arange(6, dtype=np.int16).reshape(2, 3))
    return file.getvalue()


TENSORS = write.tensor_protos(
    write.tensor(4, strings=[b"image"]),
    write.tensor(2, int32s=[3, 300]),
    write.tensor(1, floats=[0.5, 2]),
    write.tensor(2, int32s=[1, 2, 3, 4]),
)
DAMAGED_BEHIND = TENSORS[: 2 + TENSORS[1]] + b"\x0a\x07\x10\x02\x22\x03\x83\xac\x02\x0a\x02\x1a\x08"
VALUES = [
    b"\x03" + DAMAGED_BEHIND,  # in a tensor that is not asked for
    *(bytes([number]) + write.datum(data=b"pixels", label=300, encoded=False, shape=(1, 2, 3))
      for number in range(3)),
    *(bytes([number]) + TENSORS for number in range(3, len(values.PARSERS))),
    bytes([len(values.PARSERS)]) + npy(),
]  # fmt: skip


@pytest.mark.parametrize("content", VALUES, ids=range(len(VALUES)))
def test_values(content):
    values.check(content)
    chance = random.Random(content[0])
    for _ in range(400):
        values.check(content[:1] + damaged(content[1:], chance, TELLING))
    for size in range(len(content)):
        values.check(content[:size])


@pytest.mark.parametrize("kind", range(8))
def test_files(kind):
    files.check(bytes([kind, 0]))
    chance = random.Random(kind)
    for _ in range(150):
        cut = chance.choice((0, 0, 0, chance.randrange(256)))
        changes = chance.randbytes(3 * chance.choice((1, 1, 2, 8)))
        files.check(bytes([kind, cut]) + changes)
