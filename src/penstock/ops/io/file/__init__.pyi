"""Signatures of the operators; made by docs/generate.py from their declarations."""

import collections.abc as _abc
from os import PathLike
from typing import Any, Literal, overload

from numpy.typing import ArrayLike, DTypeLike

from penstock import ops as _ops
from penstock.engine.graph.nodes import DataNode
from penstock.engine.tensors.dtypes import DALIDataType, DALIImageType, DALIInterpType

class Read:
    """`fn.io.file.read` as a class."""

    def __init__(
        self,
        *,
        storage_options: _abc.Mapping[str, Any] | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        dont_use_mmap: bool | None = ...,
        use_o_direct: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...
