"""Frames of videos to RGB or YCbCr on the GPU: one launch for a batch."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...engine.gpu.kernels import Kernel, c_type
from ...engine.gpu.launch import launch_elements
from ...engine.gpu.tables import Pointers, StructTable, struct_table
from ...engine.tensors import TensorListGPU, address_of
from .clip_frames import ClipFrames, Picture
from .colors import color_matrix

if TYPE_CHECKING:
    from ...engine.gpu.device import Device
    from ...engine.graph.context import BatchContext

_SOURCE = Path(__file__).parent / "pictures.cu"
_MOST = 1 << 15  # pictures of one launch
_ONE = 1 << 10  # of a matrix in integers, as in cv2.transform


class PlaneConversion:
    """Converts the frames of clips; the arguments are those of `ClipDecoder`."""

    def __init__(
        self, space: str, dtype: type[Any], normalized: bool, fill: tuple[int, ...]
    ) -> None:
        self.space = space
        self._dtype = np.dtype(dtype)
        self._fill = np.broadcast_to(np.array(fill, np.int32), (3,))
        macros = {"Out": c_type(self._dtype), "NORMALIZED": str(int(normalized))}
        self._kernel = Kernel(_SOURCE, "pictures", tuple(sorted(macros.items())))

    def run(self, batch: BatchContext, clips: Sequence[ClipFrames]) -> TensorListGPU:
        """Convert the clips of a batch: FHWC.

        The device reads the clips' frames until the work that is queued here is done.
        """
        device = batch.device
        shapes = np.array([(len(clip.entries), *clip.size, 3) for clip in clips], np.int64)
        out = device.empty(shapes, self._dtype, "FHWC")
        pictures = [picture for clip in clips for picture in clip.pictures]
        if any(picture.is_on_gpu for picture in pictures):
            device.wait_for_default_stream()  # where FFmpeg copies frames
        uploaded = [_upload(device, picture) for picture in pictures]
        table = self._table(clips, pictures, uploaded, shapes, out)
        for start in range(0, len(table), _MOST):
            part = StructTable(table.struct, table.array[start : start + _MOST])
            elements = part.array["size"].astype(np.int64).prod(axis=1)
            launch_elements(device, self._kernel, part, elements)
        return out

    def _table(
        self,
        clips: Sequence[ClipFrames],
        pictures: Sequence[Picture],
        memory: Sequence[tuple[object, ...]],
        shapes: NDArray[np.int64],
        out: TensorListGPU,
    ) -> StructTable:
        """Return a struct for each frame of the result."""
        counts = shapes[:, 0]
        firsts = np.cumsum([0, *(len(clip.pictures) for clip in clips)])
        chosen = np.concatenate(
            [
                np.where(clip.entries < 0, len(pictures), clip.entries + first)
                for clip, first in zip(clips, firsts.tolist(), strict=False)
            ]
        )
        frame_bytes = np.repeat(shapes[:, 1:].prod(axis=1) * self._dtype.itemsize, counts)
        numbers = np.concatenate([np.arange(count) for count in counts.tolist()])
        addresses = np.repeat(out.pointers(), counts) + (numbers * frame_bytes).astype(np.uint64)
        sizes = np.array([*(picture.size for picture in pictures), (0, 0)], np.int32)[chosen]
        sizes = np.where(sizes > 0, sizes, np.repeat(shapes[:, 1:3], counts, axis=0))
        planes = np.array([*map(_planes, pictures, memory), (0, 0, 0)], np.uint64)[chosen]
        # A struct for filled frames comes last.
        facts = np.array([*map(_facts, pictures), (0,) * 8], np.int64)[chosen]
        units = np.array([*(p.form.unit if p.form else 1.0 for p in pictures), 1.0], np.float32)
        matrices = [*(self._matrix(picture) for picture in pictures), self._matrix(None)]
        chroma = np.maximum(facts[:, 2:4], 1)
        return struct_table(
            "Picture",
            len(chosen),
            luma=Pointers(planes[:, 0], "const unsigned char*"),
            blue=Pointers(planes[:, 1], "const unsigned char*"),
            red=Pointers(planes[:, 2], "const unsigned char*"),
            out=Pointers(addresses, "Out*"),
            scale=1 / (sizes / chroma),
            pitch=facts[:, 0:2].astype(np.int32),
            size=sizes.astype(np.int32),
            chroma=chroma.astype(np.int32),
            step=facts[:, 4].astype(np.int32),
            turns=facts[:, 5].astype(np.int32),
            is_wide=facts[:, 6].astype(np.int32),
            integers=np.array([entry[2] for entry in matrices], np.int32)[chosen] & ~facts[:, 6],
            unit=units[chosen],
            shift=np.array([*(picture.shift for picture in pictures), 0], np.float32)[chosen],
            color=np.broadcast_to(self._fill, (len(chosen), 3)),
            matrix=np.stack([entry[0] for entry in matrices])[chosen],
            rounded_matrix=np.stack([entry[1] for entry in matrices])[chosen],
        )

    def _matrix(
        self, picture: Picture | None
    ) -> tuple[NDArray[np.float32], NDArray[np.int32], bool]:
        number, is_full = (picture.matrix, picture.is_full) if picture else (0, False)
        return _matrices(number, is_full, self.space)


def _upload(device: Device, picture: Picture) -> tuple[object, ...]:
    """Return the planes in the GPU's memory, or their addresses."""
    if picture.is_on_gpu:
        return picture.planes
    return tuple(device.upload(plane) for plane in picture.planes)


def _planes(picture: Picture, memory: tuple[object, ...]) -> tuple[int, int, int]:
    """Return the addresses of luma, of blue and of red; 0 for those that there are not."""
    first, *others = (
        plane if isinstance(plane, int) else int(address_of(plane)) for plane in memory
    )
    if picture.form is None:
        return first, 0, 0
    if picture.form.is_interleaved:
        return first, others[0], others[0] + 1 + picture.form.is_wide
    return first, others[0], others[1]


def _facts(picture: Picture) -> tuple[int, ...]:
    """Return pitches, the chroma's size, its step, turns, and whether numbers have 16 bits."""
    form = picture.form
    step = 1 + (form is not None and form.is_interleaved)
    is_wide = form is not None and form.is_wide
    return *picture.pitch, *picture.chroma, step, picture.turns, int(is_wide), 0


@cache
def _matrices(
    number: int, is_full: bool, space: str
) -> tuple[NDArray[np.float32], NDArray[np.int32], bool]:
    """Return a matrix, its integers, and whether cv2.transform computes in integers."""
    matrix = color_matrix(number, is_full, space)
    rounded = matrix * np.float32(_ONE)
    rounded[:, 3] += np.float32(_ONE / 2)
    mixes = matrix[:, :3] - np.diag(np.diag(matrix[:, :3]))
    is_mixed = bool(np.abs(mixes).max() > np.finfo(np.float32).eps)
    return matrix.ravel(), np.rint(rounded).astype(np.int32).ravel(), is_mixed
