"""The last step of image decoding on the GPU: pixels are turned and converted into the result."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import DType
from ...engine.gpu.kernels import Kernel, c_type
from ...engine.gpu.launch import launch_elements
from ...engine.gpu.tables import Pointers, struct_table
from . import color, orientation

if TYPE_CHECKING:
    from ...engine.gpu.device import Device
    from .mixed_batch import PlacedImages, Waiting

_SOURCE = Path(__file__).parent / "finish.cu"
_STEPS = np.array([(0, 0, 0), *(orientation.STEPS[turn] for turn in range(1, 9))], np.int32)


class Finish:
    """Turns and converts decoded pixels, which have one channel for gray, and else three.

    Args:
        output, dtype: as for `decode`.
    """

    def __init__(self, output: str, dtype: DType) -> None:
        self.channels = 1 if output == "GRAY" else 3
        macros = {
            "Out": c_type(dtype),
            "SCALE": f"float({color.largest(dtype) / 255!r})",
            "WHOLE": str(int(dtype.kind != "f")),
            "CHANNELS": str(self.channels),
            "YCBCR": str(int(output == "YCbCr")),
            "BGR": str(int(output == "BGR")),
        }
        self._kernel = Kernel(_SOURCE, "finish", tuple(sorted(macros.items())))

    def run(self, device: Device, placed: PlacedImages, waiting: Waiting) -> None:
        """Write the decoded pixels of a batch to their targets."""
        if not waiting:
            return
        rows, source, strides, _memory = zip(*waiting, strict=True)
        chosen, boxes = np.concatenate(rows), placed.chosen.boxes
        extents = boxes[chosen, 2:] - boxes[chosen, :2]
        targets, turns = placed.targets[chosen], placed.chosen.files.turns[chosen]
        pixels = np.concatenate(source), np.concatenate(strides)
        self.launch(device, extents, turns, targets, *pixels)
        waiting.clear()

    def launch(
        self,
        device: Device,
        extents: NDArray[np.int64],
        turns: NDArray[np.int64],
        out: NDArray[np.uint64],
        source: NDArray[np.uint64],
        strides: NDArray[np.int64],
    ) -> None:
        """Launch the kernel.

        Args:
            device: the device.
            extents: height and width of each result: (rows, 2).
            turns: EXIF orientations to undo.
            out: addresses of the results.
            source, strides: see `DecodedPixels`.
        """
        height, width = extents.T.astype(np.int32)
        flip_rows, flip_columns, exchange = _STEPS[turns].T
        table = struct_table(
            "Sample",
            len(extents),
            source=Pointers(source, "const unsigned char*"),
            out=Pointers(out, "Out*"),
            height=height,
            width=width,
            stride=strides.astype(np.int32),
            flip_rows=flip_rows,
            flip_columns=flip_columns,
            exchange=exchange,
        )
        launch_elements(device, self._kernel, table, extents[:, 0] * extents[:, 1])
