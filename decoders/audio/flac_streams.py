"""The stream headers of the FLAC files of a batch.

Source: RFC 9639, section 8.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...engine.tensors import TensorListCPU
from .formats.flac import audio_offset

_HEAD = 42  # bytes: the marker, and the first block of metadata with its header
_MOST_BYTES = (1 << 31) - 64  # kernels count bytes with 32 bits


@dataclass(frozen=True)
class FlacStreams:
    """The headers of a batch, one entry a file.

    Attributes:
        is_plain: whether the GPU can decode the file: FLAC without a tag in front, all blocks but
            the last of one size, a known number of samples. Where it is False, the rest means
            nothing.
        samples: samples of a channel.
        rate: in hertz.
        channels: 1 to 8.
        bits: bits of a sample, 4 to 32.
        block: samples of a frame and channel.
        audio: offset of the first frame.
        addresses, lengths: addresses and lengths of the files in memory, in bytes.
    """

    is_plain: NDArray[np.bool_]
    samples: NDArray[np.int64]
    rate: NDArray[np.int64]
    channels: NDArray[np.int64]
    bits: NDArray[np.int64]
    block: NDArray[np.int64]
    audio: NDArray[np.int64]
    addresses: NDArray[np.uint64]
    lengths: NDArray[np.int64]

    @property
    def frames(self) -> NDArray[np.int64]:
        """The number of frames of each file."""
        return -(-self.samples // np.maximum(self.block, 1))


def read_streams(encoded: TensorListCPU) -> FlacStreams:
    """Read the headers of encoded files, which are one-dimensional arrays of uint8."""
    rows = encoded.rows()
    lengths = np.array([row.size for row in rows], np.int64)
    heads = np.zeros((len(rows), _HEAD), np.int64)
    audio = np.zeros(len(rows), np.int64)
    for i, row in enumerate(rows):
        if _HEAD <= row.size <= _MOST_BYTES:
            heads[i] = row[:_HEAD]
            audio[i] = audio_offset(row)
    rate = heads[:, 18] << 12 | heads[:, 19] << 4 | heads[:, 20] >> 4
    channels = (heads[:, 20] >> 1 & 7) + 1
    bits = ((heads[:, 20] & 1) << 4 | heads[:, 21] >> 4) + 1
    samples = (heads[:, 21] & 15) << 32 | _number(heads[:, 22:26])
    block = _number(heads[:, 8:10])
    plain = (heads[:, :4] == tuple(b"fLaC")).all(axis=1) & (heads[:, 4] & 127 == 0)
    plain &= (_number(heads[:, 5:8]) == 34) & (audio > 0) & (block >= 16) & (samples > 0)
    plain &= (block == _number(heads[:, 10:12])) & (bits >= 4) & (rate > 0)
    # The difference of two channels of 32 bits has 33 bits.
    plain &= (bits < 32) | (channels != 2)
    # A frame has at least ten bytes, so a file cannot promise more memory than it is worth.
    plain &= -(-samples // np.maximum(block, 1)) * 10 <= lengths
    return FlacStreams(
        plain, samples, rate, channels, bits, block, audio, encoded.pointers(), lengths
    )


def _number(columns: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return big-endian numbers, one a line of bytes."""
    value = columns[:, 0]
    for column in columns.T[1:]:
        value = value << 8 | column
    return value
