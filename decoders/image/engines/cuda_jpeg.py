"""JPEG on CUDA cores: three kernels decode the plain files of a batch.

The first kernel decodes Huffman codes, with a block of threads for each file. The second computes
samples, and the third colors, both of the windows alone. Pixels are those of libjpeg-turbo, bit by
bit.

Source: ITU-T T.81, and the sources that the kernels name.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....engine.arrays import Array
from ....engine.gpu.device import Device
from ....engine.gpu.kernels import Kernel
from ....engine.gpu.launch import launch_elements
from ....engine.gpu.tables import Pointers, struct_table
from ....engine.tensors import TensorListCPU, address_of
from ..formats.jpeg_batch_headers import GRAY

if TYPE_CHECKING:
    import cupy

MOST_BYTES = 1 << 24
"""Largest size of a file, whose Huffman codes one block of threads decodes."""

_FOLDER = Path(__file__).parent
_SHARED = 36 << 10  # bytes for a file
_BLOCK = 64  # samples
_QUANTIZATION = 3 * _BLOCK * 2  # bytes of a file's tables
_SLACK = 8  # bytes behind a scan

FILE_THREADS = 1024
"""Threads that decode the Huffman codes of a file: 32 to MOST_THREADS of the kernels."""

MAX_GAP_FACTOR = 3.0
"""The files' bytes, times which a stretch of memory may have that is copied to the device whole.
Files of a shuffled batch may lie among those of other batches."""


@dataclass(frozen=True)
class JpegFiles:
    """Plain JPEG files without restart intervals, and their windows; one entry a file.

    Attributes:
        rows: rows of the files in the batch of encoded files: (files,).
        lengths: in bytes, `MOST_BYTES` at most: (files,).
        sizes: height and width as stored: (files, 2).
        sampling: sampling of luma, as in `JpegBatchHeaders`: (files,).
        boxes: the windows in the stored images: (files, 4).
    """

    rows: NDArray[np.intp]
    lengths: NDArray[np.int64]
    sizes: NDArray[np.int64]
    sampling: NDArray[np.int64]
    boxes: NDArray[np.int64]

    def part(self, chosen: Array | slice) -> JpegFiles:
        """Return the files of an index or a slice."""
        return JpegFiles(
            self.rows[chosen],
            self.lengths[chosen],
            self.sizes[chosen],
            self.sampling[chosen],
            self.boxes[chosen],
        )

    @cached_property
    def samples(self) -> NDArray[np.int64]:
        """Samples of all components, with padding to whole MCUs: (files,)."""
        across, down = self.sampling >> 4 & 15, self.sampling & 15
        lines, columns = self.sizes.T
        mcus = -(-lines // (8 * down)) * -(-columns // (8 * across))
        chroma = np.where(self.sampling >= GRAY, 0, 2)
        samples: NDArray[np.int64] = mcus * (across * down + chroma) * _BLOCK
        return samples

    @property
    def taken_bytes(self) -> NDArray[np.int64]:
        """Memory that the decoding of each file takes on the device: (files,)."""
        nbytes: NDArray[np.int64] = 3 * self.samples + 2 * self.lengths
        return nbytes


class DecodedWindows(NamedTuple):
    """Windows of files on the device.

    Attributes:
        memory: holds the pixels.
        addresses: of the pixels of each window, HWC uint8: (files,).
        damaged: whether each file is damaged, or of a kind that the kernels do not know: (files,)
            int32 on the device.
    """

    memory: cupy.ndarray
    addresses: NDArray[np.uint64]
    damaged: cupy.ndarray


def decode_windows(
    device: Device, encoded: TensorListCPU, files: JpegFiles, channels: int, *, smooth: bool
) -> DecodedWindows:
    """Decode the windows of files; the results are there when the stream has done its work.

    Args:
        device: the device to decode on.
        encoded: the batch of encoded files.
        files: the files to decode, and their windows.
        channels: 3 for RGB, 1 for gray.
        smooth: whether to interpolate chroma, instead of a plain repetition.
    """
    count, samples = len(files.rows), files.samples
    content, starts = _joined(device, encoded, files)
    scans = device.temporary(content.nbytes)
    data = _sent(device, address_of(scans), content, starts)
    coefficients, tables = device.blocks(_QUANTIZATION + 2 * samples, temporary=True)
    for part in coefficients:
        device.fill(part, 0)
    _planes, planes = device.blocks(samples + files.lengths + _SLACK, temporary=True)
    extents = files.boxes[:, 2:] - files.boxes[:, :2]
    pixels = extents[:, 0] * extents[:, 1]
    out, addresses = device.blocks(pixels * channels)
    damaged = device.buffer(4 * count)
    y0, x0, y1, x1 = files.boxes.T.astype(np.int32)
    height, width = files.sizes.T.astype(np.int32)
    table = device.upload_table(
        struct_table(
            "Sample",
            count,
            data=Pointers(data, "const unsigned char*"),
            scan=Pointers(planes + samples.astype(np.uint64), "unsigned char*"),
            quantization=Pointers(tables, "unsigned short*"),
            coefficients=Pointers(tables + _QUANTIZATION, "short*"),
            samples=Pointers(planes, "unsigned char*"),
            out=Pointers(addresses, "unsigned char*"),
            damaged=Pointers(address_of(damaged) + 4 * np.arange(count), "int*"),
            length=files.lengths.astype(np.int32),
            height=height,
            width=width,
            sampling=files.sampling.astype(np.int32),
            y0=y0,
            x0=x0,
            y1=y1,
            x1=x1,
        )
    )
    entropy, blocks, colors = _KERNEL_SETS[channels == 1, smooth]
    device.launch(entropy, (1, count), (FILE_THREADS,), table, shared_bytes=_SHARED)
    launch_elements(device, blocks, table, samples // _BLOCK)
    launch_elements(device, colors, table, pixels)
    return DecodedWindows(out, addresses, damaged.view(np.int32))


def _kernels(*, is_gray: bool, smooth: bool) -> tuple[Kernel, Kernel, Kernel]:
    macros = ("LUMA_ONLY", str(int(is_gray))), ("SMOOTH", str(int(smooth)))
    return (
        Kernel(_FOLDER / "jpeg_entropy.cu", "decode_entropy", (("SHARED_BYTES", str(_SHARED)),)),
        Kernel(_FOLDER / "jpeg_blocks.cu", "transform_blocks", macros[:1]),
        Kernel(_FOLDER / "jpeg_colors.cu", "convert_colors", macros),
    )


_KERNEL_SETS = {
    (is_gray, smooth): _kernels(is_gray=is_gray, smooth=smooth)
    for is_gray in (False, True)
    for smooth in (False, True)
}


def _joined(
    device: Device, encoded: TensorListCPU, files: JpegFiles
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return host memory with the encoded files, and their offsets there."""
    ends = np.cumsum(files.lengths)
    common = _common_memory(encoded, files.rows)
    if common is not None:
        block, offsets = common
        lowest, highest = int(offsets.min()), int((offsets + files.lengths).max())
        if highest - lowest <= MAX_GAP_FACTOR * ends[-1]:
            return block[lowest:highest], offsets - lowest
    pinned = device.pinned(int(ends[-1]))
    np.concatenate([encoded.row(row) for row in files.rows.tolist()], out=pinned)
    return pinned, ends - files.lengths


def _sent(
    device: Device, to: int, content: NDArray[np.uint8], starts: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Copy files to an address on the device; return the addresses of the files there."""
    device.send(to, content)
    return to + starts


def _common_memory(
    encoded: TensorListCPU, rows: NDArray[np.intp]
) -> tuple[NDArray[np.uint8], NDArray[np.int64]] | None:
    """Return the memory in which all of these rows lie, and their offsets there; None if they lie
    apart."""
    block = encoded.stored.in_block()
    if block is not None:
        return block.memory, block.offsets[rows]
    memory = encoded.row(int(rows[0])).base
    if not isinstance(memory, np.ndarray) or memory.dtype != np.uint8 or memory.ndim != 1:
        return None
    if any(encoded.row(row).base is not memory for row in rows.tolist()):
        return None
    return memory, (encoded.pointers()[rows] - np.uint64(memory.ctypes.data)).astype(np.int64)
