"""The losses of JPEG on the GPU: the pixels are those of libjpeg-turbo."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Int64s
from ...engine.graph.context import BatchContext
from ...engine.tensors import TensorListGPU
from ..kernels import Pointers, addresses_in, kernel, launch_elements, struct_table

_SIDE = 8  # of a block

_LUMA = """
    16 11 10 16 24 40 51 61 12 12 14 19 26 58 60 55 14 13 16 24 40 57 69 56 14 17 22 29 51 87 80 62
    18 22 37 56 68 109 103 77 24 35 55 64 81 104 113 92 49 64 78 87 103 121 120 101
    72 92 95 98 112 100 103 99
"""
_CHROMA = """
    17 18 24 47 99 99 99 99 18 21 26 66 99 99 99 99 24 26 56 99 99 99 99 99 47 66 99 99 99 99 99 99
"""
"""Tables K.1 and K.2 of ITU-T T.81 at quality 50; what follows in the second is 99."""


def quantization_tables(quality: Int64s) -> tuple[NDArray[np.int16], NDArray[np.int16]]:
    """Return the tables of luma and chroma, as libjpeg scales them: (..., 64).

    Args:
        quality: from 1 to 100.
    """
    scale = np.where(quality < 50, 5000 // quality, 200 - 2 * quality)[..., np.newaxis]
    luma, chroma = (np.array(text.split(), np.int64) for text in (_LUMA, _CHROMA))
    chroma = np.pad(chroma, (0, luma.size - chroma.size), constant_values=99)
    tables = [((base * scale + 50) // 100).clip(1, 255).astype(np.int16) for base in (luma, chroma)]
    return tables[0], tables[1]


def distort_batch(
    batch: BatchContext,
    images: TensorListGPU,
    possible: NDArray[np.bool_],
    quality: Int64s,
) -> TensorListGPU:
    """Return images as JPEG leaves them, in two launches.

    Args:
        images: uint8 (..., height, width, 3).
        possible: whether each sample is such an image: (batch,). Others are not computed.
        quality: from 1 to 100: (batch,).
    """
    shapes = images.extents()
    out = batch.device.empty(shapes, np.uint8)
    frames = shapes[:, :-3].prod(axis=1)
    sample = np.repeat(np.arange(len(shapes)), frames)
    number = np.arange(len(sample)) - np.repeat(frames.cumsum() - frames, frames)
    start = (number * shapes[:, -3:].prod(axis=1)[sample]).astype(np.uint64)
    extents = np.where(possible[:, np.newaxis], shapes[:, -3:-1], 0)[sample]
    height, width = extents.T
    blocks = _blocks(height) * _blocks(width)
    blocks += 2 * _blocks(-(-height // 2)) * _blocks(-(-width // 2))
    sizes = blocks * _SIDE**2
    memory = batch.device.buffer(int(sizes.sum()))
    luma, chroma = quantization_tables(quality[sample])
    table = batch.device.upload_table(
        struct_table(
            "Frame",
            len(blocks),
            source=Pointers(images.pointers()[sample] + start, "const unsigned char*"),
            out=Pointers(out.pointers()[sample] + start, "unsigned char*"),
            planes=Pointers(addresses_in(memory, sizes, 1), "unsigned char*"),
            blocks=blocks,
            pixels=height * width,
            height=height.astype(np.int32),
            width=width.astype(np.int32),
            luma=luma,
            chroma=chroma,
        )
    )
    launch_elements(batch.device, kernel("filters/jpeg", "blocks"), table, blocks)
    launch_elements(batch.device, kernel("filters/jpeg", "pixels"), table, height * width)
    return out


def _blocks(extent: Int64s) -> Int64s:
    blocks: Int64s = -(-extent // _SIDE)
    return blocks
