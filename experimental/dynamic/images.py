"""`imread`: images of files."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from .batch import Batch
from .calls import call
from .tensor import Tensor
from .values import Value


def imread(filepaths: Any, /, *, device: Any = "cpu", **arguments: Any) -> Any:
    """Return the image of a file, a `Tensor`; or of several files, a `Batch`.

    Args:
        filepaths: a path, or a list of paths; or a `Tensor` or `Batch` with the bytes of paths.
        device: where the images are decoded, "cpu" or "gpu".
        arguments: those of `ndd.decoders.image`, such as `output_type`.

    Raises:
        OSError: a file cannot be read.
        DecodeError: a file is no image that can be decoded.
    """
    several = isinstance(filepaths, list | tuple)
    paths: object = Batch([*map(_path, filepaths)]) if several else _path(filepaths)
    return call("decoders.image", call("io.file.read", paths), device=device, **arguments)


def _path(path: object) -> Value:
    if isinstance(path, Value):
        return path
    if not isinstance(path, str | bytes | os.PathLike):
        raise TypeError(f"a path must be a str or a Path, but is {path!r}")
    return Tensor(np.frombuffer(os.fsencode(path), np.uint8))
