"""FLAC on the GPU: the frames of all windows of a batch are decoded at once.

A first kernel looks for headers of frames at each byte of the files. A second kernel decodes each
frame in a thread of its own, and compares the frame's check sum. The CPU sees the outcome when the
device has done its work. Source: RFC 9639.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import DType
from ...engine.gpu.kernels import Kernel
from ...engine.gpu.launch import launch_elements
from ...engine.gpu.tables import Pointers, struct_table
from ...engine.tensors import TensorListGPU, address_of
from ..errors import decode_error
from .flac_streams import FlacStreams

if TYPE_CHECKING:
    from ...engine.graph.context import BatchContext

_FOLDER = Path(__file__).parent
_FIND = Kernel(_FOLDER / "flac_find.cu", "find_frames")
_DECODE = Kernel(_FOLDER / "flac_decode.cu", "decode_frames")
_SLOT = np.dtype([("count", np.int32), ("offsets", np.int32, 4)])  # as in flac.cuh
_OUTCOME = np.dtype([("samples", np.uint64), ("damaged", np.int32)], align=True)
_UNDAMAGED = 0x7F7F7F7F
_FRAMES_OF_A_BLOCK = 32


class FlacWindows(NamedTuple):
    """The windows of FLAC files that a batch wants, one entry a window.

    Attributes:
        streams: the headers of the batch's files.
        rows: rows of the batch: (windows,).
        starts: first sample of each window: (windows,).
        counts: samples of each window, 0 or more: (windows,).
    """

    streams: FlacStreams
    rows: NDArray[np.intp]
    starts: NDArray[np.int64]
    counts: NDArray[np.int64]

    @property
    def first_frames(self) -> NDArray[np.int64]:
        """The frame in which each window starts."""
        frames: NDArray[np.int64] = self.starts // self.streams.block[self.rows]
        return frames

    @property
    def end_frames(self) -> NDArray[np.int64]:
        """The frame behind each window."""
        ends = -(-(self.starts + self.counts) // self.streams.block[self.rows])
        return np.where(self.counts > 0, ends, self.first_frames).astype(np.int64)

    @property
    def plane_samples(self) -> NDArray[np.int64]:
        """The samples of the frames that hold each window."""
        block = self.streams.block[self.rows]
        ends = np.minimum(self.end_frames * block, self.streams.samples[self.rows])
        samples: NDArray[np.int64] = np.maximum(ends - self.first_frames * block, 0)
        return samples

    @property
    def skipped(self) -> NDArray[np.int64]:
        """The samples of the first frame in front of each window."""
        return self.starts - self.first_frames * self.streams.block[self.rows]


def decode_flac(
    batch: BatchContext, windows: FlacWindows, files: NDArray[np.uint64]
) -> TensorListGPU:
    """Decode the frames of windows of plain files.

    Args:
        batch: the batch. Files that turn out to be damaged are entered in its errors later.
        windows: the windows.
        files: addresses of the windows' files on the device.

    Returns:
        int32 of shape (channels, plane_samples) for each window, with the numbers as stored.
    """
    device, (streams, rows, _, _) = batch.device, windows
    first, end, samples = windows.first_frames, windows.end_frames, windows.plane_samples
    planes = device.empty(np.stack([streams.channels[rows], samples], axis=1), np.int32)
    slots = device.buffer(max(1, int((end - first).sum())) * _SLOT.itemsize)
    device.fill(slots, 0)
    initial = np.zeros(len(rows), _OUTCOME)
    initial["damaged"] = _UNDAMAGED
    outcomes = device.upload(initial)
    offsets = np.cumsum(end - first) - (end - first)
    table = device.upload_table(
        struct_table(
            "Stream",
            len(rows),
            data=Pointers(files, "const unsigned char*"),
            planes=Pointers(planes.pointers(), "int*"),
            slots=Pointers(_entries(slots, _SLOT, offsets), "struct Slot*"),
            outcome=Pointers(_entries(outcomes, _OUTCOME, np.arange(len(rows))), "struct Outcome*"),
            samples=streams.samples[rows],
            plane_samples=samples,
            length=streams.lengths[rows].astype(np.int32),
            audio=streams.audio[rows].astype(np.int32),
            frames=streams.frames[rows].astype(np.int32),
            first_frame=first.astype(np.int32),
            end_frame=end.astype(np.int32),
            block=streams.block[rows].astype(np.int32),
            channels=streams.channels[rows].astype(np.int32),
            bits=streams.bits[rows].astype(np.int32),
        )
    )
    launch_elements(device, _FIND, table, streams.lengths[rows])
    blocks = -(-int((end - first).max()) // _FRAMES_OF_A_BLOCK)
    device.launch(_DECODE, (blocks, len(rows)), (_FRAMES_OF_A_BLOCK,), table)
    ended = device.to_host(TensorListGPU(outcomes[np.newaxis]), batch.empty).dense()
    batch.check_later(partial(_enter_errors, batch, rows, samples, ended))
    return planes


def _entries(memory: object, dtype: DType, numbers: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return the addresses of these entries of an array on the device."""
    return (address_of(memory) + numbers * dtype.itemsize).astype(np.uint64)


def _enter_errors(
    batch: BatchContext,
    rows: NDArray[np.intp],
    samples: NDArray[np.int64],
    ended: NDArray[np.uint8],
) -> None:
    outcomes = ended.ravel().view(_OUTCOME)
    decoded = outcomes["samples"].astype(np.int64)
    for i in np.flatnonzero(decoded != samples).tolist():
        offset = int(outcomes["damaged"][i])
        where = "" if offset == _UNDAMAGED else f"; the frame at offset {offset} is damaged"
        text = f"{decoded[i]} samples could be decoded where {samples[i]} should be{where}"
        batch.fail_row(int(rows[i]), decode_error("FLAC", text))
