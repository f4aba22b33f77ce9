"""The content of an image record: header, labels, image."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

IMAGE_HEADER = np.dtype([("flag", "<u4"), ("label", "<f4"), ("id", "<u8"), ("id2", "<u8")])
"""MXNet's `IRHeader`, which precedes the image. `flag` is the number of labels (float32) between
header and image; with 0, the header's `label` is the only one."""


def encode_record(content: bytes | memoryview, labels: NDArray[np.float32], number: int) -> bytes:
    """Return the content of a record: header, labels and image, as `MXNetSource` reads them.

    Args:
        content: the image file.
        labels: one label, or several, shape (labels,).
        number: number of the record.
    """
    several = labels.astype("<f4").tobytes() if len(labels) != 1 else b""
    single = labels.item() if len(labels) == 1 else 0.0
    header = np.array([(len(several) // 4, single, number, 0)], IMAGE_HEADER)
    return b"".join([header.tobytes(), several, content])
