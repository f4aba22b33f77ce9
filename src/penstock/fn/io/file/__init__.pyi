"""Signatures of the operators; made by docs/generate.py from their declarations."""

import collections.abc as _abc
from os import PathLike
from typing import Any, Literal, overload

from numpy.typing import ArrayLike, DTypeLike

from penstock import fn as _fn
from penstock.engine.graph.nodes import DataNode
from penstock.engine.tensors.dtypes import DALIDataType, DALIImageType, DALIInterpType

def read(
    filepaths: DataNode,
    /,
    *,
    storage_options: _abc.Mapping[str, Any] | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    dont_use_mmap: bool | None = ...,
    use_o_direct: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Reads the file that each sample names.

    >>> import numpy as np
    >>> from pathlib import Path
    >>> from penstock import Pipeline, fn
    >>> _ = Path("hello.txt").write_text("hello")
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.io.file.read(np.frombuffer(b"hello.txt", np.uint8)))
    ...     (result,) = pipe.run()
    ...     print(bytes(result.at(0)))
    b'hello'

    Inputs:
        filepaths: a path or URL a sample, encoded in UTF-8 (or as the file system has it): uint8
            or int8, one dimension, as `np.frombuffer(path.encode(), np.uint8)` gives it. Relative
            paths begin at the current folder.

    Outputs:
        the file's bytes: uint8, shape (size,).

    Raises:
        ArgumentError: the input is no path.
        OSError: a file cannot be read; the subclass says why and the message which one.

    Args:
        storage_options (Mapping[str, Any] | None): For URLs: see `fn.readers.file`. Default:
            {}.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: dont_use_mmap, use_o_direct,
            bytes_per_sample_hint.
    """
