"""Whether a whole file of audio can be decoded, and holds the samples that were encoded."""

from __future__ import annotations

import hashlib

import numpy as np

from ...engine.arrays import Bytes
from ..errors import decode_error
from .formats import flac
from .formats.base import AudioStream
from .table import open_audio

_BLOCK = 1 << 18
"""Samples that are decoded together."""


def check_audio(data: Bytes) -> None:
    """Decode a whole file; of FLAC, compare the MD5 of the samples with the one in the header.

    An encoder computes the MD5 before it encodes. So the MD5 also shows what was damaged between
    encoder and checksums, and frames that are in another order. A pipeline does not compare: it
    decodes windows, and the MD5 takes twice as long as the decoding.

    Raises:
        DecodeError: the file is damaged, or its format is unknown.
    """
    with open_audio(data) as stream:
        digest = flac.stored_digest(data)
        if digest is not None:
            _compare(stream, digest)
            return
        for start, size in _blocks(stream):
            stream.read(start, np.empty(size, np.float32))


def _compare(stream: AudioStream, digest: flac.StoredDigest) -> None:
    md5 = hashlib.md5(usedforsecurity=False)
    for start, size in _blocks(stream):
        samples = np.empty(size, np.int32)
        stream.read(start, samples)
        md5.update(digest.stored(samples))
    if md5.digest() != digest.md5:
        raise decode_error(
            flac.NAME,
            f"the MD5 of the samples is {md5.hexdigest()}",
            expected=f"{digest.md5.hex()}, as the header says",
        )


def _blocks(stream: AudioStream) -> list[tuple[int, tuple[int, int]]]:
    """Return start and shape of each block."""
    frames, channels = stream.header.frames, stream.header.channels
    return [(start, (min(_BLOCK, frames - start), channels)) for start in range(0, frames, _BLOCK)]
