import io
import random
import zipfile

import numpy as np
import pytest

from ..readers.record_io import MAGIC, image_record, record_file
from ..readers.tars import CLOSING, archive, entry, pax
from . import fuzz_npy, fuzz_recordio, fuzz_tar, fuzz_zip

CONTENTS = [
    image_record(b"image", 3),
    image_record(b"", (1, 2)),
    image_record(b"abc" + MAGIC * 2 + b"xyz!", (1.5, 2)),
    image_record(b"", 0),
]
RECORDS, INDEX = record_file(CONTENTS)
WDS_INDEX = b"v1.2 2\nt 512 3 a.t u 1536 0 a.u\nt 2560 2 b.t\n"
LONG = "x" * 120 + ".t"


def zipped(method, *arrays):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive_file:
        for i, array in enumerate(arrays):
            archive_file.writestr(f"{i}.npy", saved(array))
    return stream.getvalue()


def saved(array):
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


INPUTS = {
    fuzz_recordio: [bytes([len(INDEX)]) + INDEX + RECORDS, b"\0" + RECORDS],
    fuzz_tar: [
        b"\1"
        + bytes([len(WDS_INDEX)])
        + WDS_INDEX
        + archive({"a.t": b"1", "a.u": b"", "b.t": b"x"}),
        b"\1\0" + archive({LONG: b"1", "b.u": b"22"}, "gnu"),
        b"\3\0" + archive({LONG: b"1", "ü.t": b"x" * 600}, "pax"),
        b"\1\0" + pax({b"path": b"a", b"size": b"1"}, b"g") + entry(b"b", b"1") + CLOSING,
    ],
    fuzz_npy: [
        saved(np.arange(6.0).reshape(2, 3)),
        saved(np.asfortranarray(np.ones((2, 3), ">i2"))),
        saved(np.array([True, False])),
        saved(np.array([1 + 2j], ">c8")),
        saved(np.array([3, 4], "M8[ns]")),
    ],
    fuzz_zip: [
        zipped(zipfile.ZIP_STORED, np.arange(3), np.ones((2, 2), "f2")),
        zipped(zipfile.ZIP_DEFLATED, np.arange(3), np.zeros(100)),
    ],
}
SPECIAL = [b"\xff" * 8, bytes(8), MAGIC, b"\x80", b"77777777777", b"(", b"'<f8'", b"9" * 12]


def damaged(content, chance):
    data = bytearray(content)
    for _ in range(chance.choice((1, 1, 2, 5))):
        # Most of an archive is zeros, which hardly matter.
        used = [i for i, byte in enumerate(data) if byte] or [0]
        place = chance.choice(used) if chance.random() < 0.8 else chance.randrange(len(data) + 1)
        way = chance.randrange(5)
        if way == 0 and data:
            data[place % len(data)] ^= 1 << chance.randrange(8)
        elif way == 1:
            data[place:place] = chance.randbytes(chance.choice((1, 4, 512)))
        elif way == 2:
            del data[place : place + chance.choice((1, 4, 512))]
        elif way == 3:
            special = chance.choice(SPECIAL)
            data[place : place + len(special)] = special
        elif data:
            data[place % len(data)] = chance.randrange(256)
    return bytes(data)


@pytest.mark.parametrize("target", INPUTS, ids=lambda target: target.__name__.rpartition(".")[2])
class TestTargets:
    @pytest.mark.parametrize("seed", range(4))
    def test_random_damage(self, target, seed):
        chance = random.Random(seed)
        for _ in range(300):
            target.check(damaged(chance.choice(INPUTS[target]), chance))

    def test_truncation_at_every_byte(self, target):
        for content in INPUTS[target]:
            for size in range(min(len(content), 3000)):
                target.check(content[:size])

    def test_every_single_bit(self, target):
        content = INPUTS[target][0][:320]
        for bit in range(8 * len(content)):
            data = bytearray(content)
            data[bit // 8] ^= 1 << bit % 8
            target.check(bytes(data))
