"""Signatures of dynamic mode; made by docs/generate.py from operators' declarations."""

# mypy: disable-error-code="overload-overlap"
import builtins as _builtins
import collections.abc as _abc
from os import PathLike
from typing import Any, Literal, overload

from numpy.typing import ArrayLike

from penstock.engine.tensors.dtypes import DALIDataType, DALIImageType, DALIInterpType
from penstock.experimental import dynamic as _dynamic
from penstock.experimental.dynamic.batch import Batch
from penstock.experimental.dynamic.generators import RNG
from penstock.experimental.dynamic.kinds import DeviceLike, DTypeLike, TensorLike
from penstock.experimental.dynamic.reading import Reader
from penstock.experimental.dynamic.tensor import Tensor


@overload
def read(
    filepaths: TensorLike,
    /,
    *,
    storage_options: _abc.Mapping[str, Any] | None = ...,
    dont_use_mmap: _builtins.bool | None = ...,
    use_o_direct: _builtins.bool | None = ...,
    batch_size: None = ...,
    device: DeviceLike | None = ...,
) -> Tensor:
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
        batch_size (int | None): number of samples, if no input and no argument is a batch.
        device (DeviceLike | None): where it runs: cpu. Default: where the inputs are.
        Accepted for compatibility, without effect: dont_use_mmap, use_o_direct, .
    """

@overload
def read(
    filepaths: TensorLike | Batch,
    /,
    *,
    storage_options: _abc.Mapping[str, Any] | None = ...,
    dont_use_mmap: _builtins.bool | None = ...,
    use_o_direct: _builtins.bool | None = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Batch: ...