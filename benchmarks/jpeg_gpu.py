"""JPEG files on the GPU: Penstock's CUDA kernels beside the JPEG engine and beside nvImageCodec.

Each decodes whole plain files out of pinned memory on one stream, batch after batch. "both" is the
files that the kernels and the engine decode together in two threads, beside the engine alone. The
sums of one image in 61 are queued behind each batch, and compared with those of the first batch.

    python benchmarks/jpeg_gpu.py [--photographs FOLDER] [--only NAME ...] [--rounds 3] [--once]
        [--json FILE]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from penstock.benchmarks import common
from penstock.benchmarks.looking import ONE_IN, TOLERANCE, Looked, checked, sums_of_rows
from penstock.benchmarks.natural_data import data_set
from penstock.decoders.image.engines.cuda_jpeg import JpegFiles, decode_windows
from penstock.decoders.image.engines.nvimgcodec import JpegDecoder
from penstock.decoders.image.engines.nvjpeg import HardwareDecoder
from penstock.decoders.image.formats.jpeg_batch_headers import GRAY, read_headers
from penstock.engine.gpu.device import Device
from penstock.engine.gpu.gpu_device import GpuDevice
from penstock.engine.tensors import PackedRows, TensorListCPU

_SECONDS, _FILES = 0.5, 256
_BATCHES = (256, 64, 16)
_OTHER = "the other"


class PinnedFiles:
    """Plain color files of one mix in pinned memory, and the ways to decode them."""

    def __init__(self, device: Device, mix: str, count: int, photographs: Path | None) -> None:
        paths = (path for path in data_set(mix, 2 * _FILES, photographs).rglob("*") if path.suffix)
        contents = [np.frombuffer(path.read_bytes(), np.uint8) for path in sorted(paths)]
        headers = read_headers(TensorListCPU(contents))
        plain = headers.is_plain & (headers.sampling < GRAY)
        chosen = [contents[i] for i in np.flatnonzero(plain)[:count]]
        lengths = np.array([content.size for content in chosen])
        memory = device.pinned(int(lengths.sum()))
        np.concatenate(chosen, out=memory)
        offsets = np.cumsum(lengths) - lengths
        packed = PackedRows(memory, offsets, lengths[:, np.newaxis], np.uint8)
        self.encoded = TensorListCPU(packed)
        headers = read_headers(self.encoded)
        boxes = np.concatenate([np.zeros_like(headers.sizes), headers.sizes], axis=1)
        rows = np.arange(len(boxes))
        self.files = JpegFiles(rows, lengths, headers.sizes, headers.sampling, boxes)
        self.order = np.argsort(-headers.sizes.prod(axis=1), kind="stable")

    def by_kernels(self, device: Device) -> list[Any]:
        """Decode on CUDA cores."""
        decoded = decode_windows(device, self.encoded, self.files, 3, smooth=False)
        return self.sums(device, decoded.addresses, np.arange(len(self.files.rows)))

    def by_engine(self, device: Device, engine: HardwareDecoder | None) -> list[Any]:
        """Decode by the hardware engine."""
        addresses, lengths = self.encoded.pointers()[self.order], self.files.lengths[self.order]
        assert engine is not None
        decoded = engine.decode(addresses, lengths, self.files.sizes[self.order], "RGB")
        assert decoded is not None
        assert decoded.is_written.all()
        return self.sums(device, decoded.pixels.pointers(), self.order)

    def by_nvimgcodec(self, device: Device, decoder: JpegDecoder) -> list[Any]:
        """Decode by nvImageCodec, as on GPUs without an engine."""
        addresses = decoder.decode(self.encoded.rows(), self.files.boxes.tolist())
        sums = self.sums(device, np.array(addresses), np.arange(len(addresses)))
        decoder.read_until(device.event())
        return sums

    def sums(self, device: Device, addresses: Any, order: Any) -> list[Any]:
        """Queue the sums of one image in so many, whose files are numbered by `order`."""
        import cupy

        found = []
        assert all(addresses)  # nvImageCodec has decoded all
        with device.stream:
            for row in range(0, len(order), ONE_IN):
                nbytes = int(3 * self.files.sizes[order[row]].prod())
                memory = cupy.cuda.UnownedMemory(int(addresses[row]), nbytes, self)
                pixels = cupy.ndarray(nbytes, np.uint8, cupy.cuda.MemoryPointer(memory, 0))
                found.append(sums_of_rows(pixels[None]))
        return found

    def decoding(self, way: str, device: Device) -> Callable[[], list[Any]]:
        """Return a function that decodes the batch, waits, and returns sums on the device."""
        if way == "kernels":
            decode = partial(self.by_kernels, device)
        elif way == "engine":
            decode = partial(self.by_engine, device, HardwareDecoder.open(device))
        else:
            decode = partial(self.by_nvimgcodec, device, JpegDecoder(device, False))

        def run() -> list[Any]:
            sums = decode()
            device.synchronize()
            device.end_batch()
            return sums

        return run


def rate(gpu: GpuDevice, batch: PinnedFiles, way: str, seconds: float = _SECONDS) -> Looked:
    """Return files a second."""
    seen: list[list[Any]] = []
    with gpu.lane() as device:
        run = batch.decoding(way, device)
        run()
        alone = run()
        started = time.perf_counter()
        count = common.run_for(lambda: seen.append(run()), seconds)
        rate = count * len(batch.files.rows) / (time.perf_counter() - started)
        expected = np.array([float(one[0]) for one in alone])
        sums = np.array([[float(one[0]) for one in found] for found in seen])
    wrong = int((~np.isclose(sums, expected, rtol=TOLERANCE)).sum())
    return checked(Looked(rate, sums.size, wrong), way)


def rate_of_both(gpu: GpuDevice, batch: PinnedFiles) -> Looked:
    """Return files a second of kernels and engine together."""
    with ThreadPoolExecutor() as pool:
        kernels, engine = pool.map(partial(rate, gpu, batch), ("kernels", "engine"))
    return Looked(
        kernels.figure + engine.figure,
        kernels.compared + engine.compared,
        kernels.wrong + engine.wrong,
    )


def measurements(
    gpu: GpuDevice, device: Device, photographs: Path | None
) -> dict[str, tuple[str, common.Turn, common.Turn | None]]:
    """Return unit, the turn of our kernels, and that of another way, by name."""
    offered: dict[str, tuple[str, common.Turn, common.Turn | None]] = {}
    for mix in ("natural", "uniform"):
        for count in _BATCHES:
            batch = PinnedFiles(device, mix, count, photographs)
            kernels = partial(rate, gpu, batch, "kernels")
            for way in ("engine", "nvImageCodec"):
                name = f"{mix} x{count}, {way}"
                offered[name] = "files/s", kernels, partial(rate, gpu, batch, way)
        batch = PinnedFiles(device, mix, _FILES, photographs)
        both, engine = partial(rate_of_both, gpu, batch), partial(rate, gpu, batch, "engine")
        offered[f"{mix} x{_FILES}, both"] = "files/s", both, engine
    return offered


def main() -> int:
    """The command line."""
    parser = common.command_line(__doc__, rounds=3)
    parser.add_argument("--photographs", type=Path, metavar="FOLDER")
    parser.add_argument("--once", action="store_true", help="run the kernels once, untimed")
    options = parser.parse_args()
    gpu = GpuDevice(None, 16 << 30, 8)
    with gpu.lane() as device:
        if options.once:
            PinnedFiles(device, "natural", 3, options.photographs).decoding("kernels", device)()
            return 0
        return common.main(parser, lambda _: measurements(gpu, device, options.photographs), _OTHER)


if __name__ == "__main__":
    sys.exit(main())
