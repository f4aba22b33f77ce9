"""The names, types and dimensions of a model's inputs and outputs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from ..engine.errors import ArgumentError
from ..engine.graph.inputs import FedSample
from ..engine.graph.nodes import Node

BYTES = "BYTES"
DTYPES = {
    "BOOL": np.dtype(np.bool_),
    "UINT8": np.dtype(np.uint8),
    "UINT16": np.dtype(np.uint16),
    "UINT32": np.dtype(np.uint32),
    "UINT64": np.dtype(np.uint64),
    "INT8": np.dtype(np.int8),
    "INT16": np.dtype(np.int16),
    "INT32": np.dtype(np.int32),
    "INT64": np.dtype(np.int64),
    "FP16": np.dtype(np.float16),
    "FP32": np.dtype(np.float32),
    "FP64": np.dtype(np.float64),
}
"""Types of NumPy by the names of the Open Inference Protocol."""

_NAMES = {dtype: name for name, dtype in DTYPES.items()}


class TensorSpec(NamedTuple):
    """One input or output.

    Attributes:
        name: of the tensor.
        datatype: its type in the protocol. BYTES are samples of bytes, such as encoded images,
            each of its own length.
        ndim: number of dimensions of a sample in the pipeline.
    """

    name: str
    datatype: str
    ndim: int

    @property
    def dims(self) -> tuple[int, ...]:
        """The dimensions of a sample in requests; -1 for any. A number counts as one of [1]."""
        if self.datatype == BYTES or self.ndim == 0:
            return (1,)
        return (-1,) * self.ndim


def datatype_of(dtype: DTypeLike) -> str:
    """Return the protocol's name of a type.

    >>> datatype_of("float32")
    'FP32'
    """
    try:
        return _NAMES[np.dtype(dtype)]
    except KeyError:
        raise ArgumentError(f"no type of the Open Inference Protocol is {dtype}") from None


def input_spec(name: str, declared: FedSample, users: Iterable[Node]) -> TensorSpec:
    """Return what requests bring for an input.

    An input of one-dimensional uint8 samples takes bytes. So does an input of which nothing is
    declared, if decoders alone use the data.

    Raises:
        ArgumentError: the type or the number of dimensions is not known.
    """
    dtype, ndim = declared.dtype, declared.ndim
    if declared.layout and ndim is None:
        ndim = len(declared.layout)
    if dtype in (None, np.uint8) and ndim in (None, 1) and _are_decoders(users):
        return TensorSpec(name, BYTES, 1)
    if dtype is None or ndim is None:
        missing = [
            text
            for text, is_known in (
                ("dtype=types.FLOAT", dtype is not None),
                ("ndim=3 or layout='HWC'", ndim is not None),
            )
            if not is_known
        ]
        raise ArgumentError(
            f"a server must know what requests bring for the input {name!r}: declare it, such as "
            f"fn.external_source(name={name!r}, {', '.join(missing)})"
        )
    if dtype == np.uint8 and ndim == 1:
        return TensorSpec(name, BYTES, 1)
    return TensorSpec(name, datatype_of(dtype), ndim)


def decodes_sound(users: Iterable[Node]) -> bool:
    """Return whether decoders of sound use an input."""
    return any("audio" in node.operator.name for node in users)


def _are_decoders(users: Iterable[Node]) -> bool:
    """Return whether all users take encoded samples, which their names tell."""
    names = [node.operator.name for node in users]
    return bool(names) and all("decode" in name or "peek_image" in name for name in names)
