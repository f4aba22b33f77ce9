"""Damaged TFRecord, tar, .npy and .npz files, with checksums, tarfile and NumPy as judges.

Refusing a file is always right. Records of TFRecord files must be ones that were written, since
checksums are verified. Members of archives must be those that `tarfile` reads, and arrays those
that NumPy reads.
"""

from __future__ import annotations

import io
import struct
import tarfile
import warnings
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from crc32c import crc32c
from numpy.typing import NDArray

from penstock import Pipeline, fn, tfrecord
from penstock.engine.errors import PenstockError

from ...readers.tfrecord_files import example
from .damage import damaged


def case(seed: int) -> None:
    """Damage one file of one format, and read it."""
    random = Random(seed)
    attack = random.choice((records, archives, arrays, zipped_arrays))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        attack(random)


def records(random: Random) -> None:
    """Read a damaged TFRecord file with checksums."""
    written = [random.randbytes(random.randint(0, 300)) for _ in range(random.randint(1, 30))]
    Path("file").write_bytes(damaged(record_file(written), random))
    for data in read(lambda: values_of("file")):
        assert data in written, "a record that was never written"


def values_of(path: str) -> Any:
    """Return the node of the values that `record_file` stored."""
    features = {"value": tfrecord.FixedLenFeature((), tfrecord.string, "")}
    return fn.readers.tfrecord(path=path, features=features, verify_crc="always")["value"]


def record_file(values: Iterable[bytes]) -> bytes:
    """Return a TFRecord file of one value a record, with checksums."""
    return b"".join(framed(example({"value": [value]})) for value in values)


def framed(record: bytes) -> bytes:
    """Return a record as TFRecord files store it."""

    def masked(data: bytes) -> bytes:
        crc = crc32c(data)
        return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)

    length = struct.pack("<Q", len(record))
    return length + masked(length) + record + masked(record)


def archives(random: Random) -> None:
    """Read a damaged tar archive whose samples have one component each."""
    stored = io.BytesIO()
    with tarfile.open(fileobj=stored, mode="w") as archive:
        for number in range(random.randint(1, 12)):
            member = tarfile.TarInfo(f"{number:04}.bin")
            member.size = random.randint(0, 1500)
            archive.addfile(member, io.BytesIO(random.randbytes(member.size)))
    Path("file").write_bytes(damaged(stored.getvalue(), random))
    contents = read(lambda: fn.readers.webdataset(paths="file", ext=["bin"]))
    if contents:
        assert contents == members(), "tarfile reads other members"


def members() -> list[bytes]:
    """Return the contents of all members as `tarfile` reads them, past blocks of zeros."""
    with tarfile.open("file", ignore_zeros=True) as archive:
        every = [archive.extractfile(member) for member in archive if member.name.endswith(".bin")]
        return [member.read() for member in every if member is not None]


def arrays(random: Random) -> None:
    """Read a damaged .npy file."""
    dtype = random.choice(("u1", "<i2", ">f4", "<f8", "?", "<c8"))
    shape = tuple(random.randint(1, 9) for _ in range(random.randint(0, 4)))
    bits = np.random.default_rng(random.randrange(1 << 32)).integers(0, 2, shape)
    written = bits.astype(dtype)
    stored = io.BytesIO()
    np.save(stored, np.asfortranarray(written) if random.random() < 0.3 else written)
    Path("file.npy").write_bytes(damaged(stored.getvalue(), random) or b"\0")
    for data in read(lambda: fn.readers.numpy(files=["file.npy"])):
        judges = [written]
        with suppress(ValueError, SyntaxError):
            judges.append(np.load("file.npy", allow_pickle=False))
        assert data in map(native_bytes, judges), "NumPy reads another array"


def zipped_arrays(random: Random) -> None:
    """Read a damaged .npz file of one deflated member, whose checksum is verified.

    Members that are stored without compression are read in place, without their checksum.
    """
    generator = np.random.default_rng(random.randrange(1 << 32))
    written = generator.integers(0, 99, (random.randint(1, 40), 7))
    stored = io.BytesIO()
    np.savez_compressed(stored, member=written)
    Path("file.npz").write_bytes(damaged(stored.getvalue(), random) or b"\0")
    for data in read(lambda: fn.readers.numpy(files=["file.npz"])):
        assert data == native_bytes(written), "a member unlike the one that was written"


def native_bytes(array: NDArray[Any]) -> bytes:
    """Return the bytes of an array in this machine's byte order; any nonzero boolean is 1."""
    if array.dtype == bool:
        array = array.view(np.uint8) != 0
    return array.astype(array.dtype.newbyteorder("=")).tobytes()


def read(make: Any) -> list[bytes]:
    """Return the bytes of one epoch's samples; nothing if Penstock refuses the file."""
    try:
        with Pipeline(4, num_threads=2, seed=1) as pipeline:
            node = make()
            node = node[0] if isinstance(node, list | tuple) else node
            pipeline.set_outputs(*node.values() if isinstance(node, dict) else (node,))
            size = pipeline.epoch_size()
            count = next(iter(size.values())) if isinstance(size, dict) else size
            samples = []
            while len(samples) < count:
                (output,) = pipeline.run()
                samples += [np.asarray(output.at(i)).tobytes() for i in range(len(output))]
            return samples[:count]
    except (PenstockError, OSError):
        return []
