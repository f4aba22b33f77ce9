"""Signatures of the operators; made by docs/generate.py from their declarations."""

import collections.abc as _abc
from os import PathLike
from typing import Any, Literal, overload

from numpy.typing import ArrayLike, DTypeLike

from penstock import ops as _ops
from penstock.engine.graph.nodes import DataNode
from penstock.engine.tensors.dtypes import DALIDataType, DALIImageType, DALIInterpType

class Gaussian:
    """`fn.noise.gaussian` as a class."""

    def __init__(
        self,
        *,
        mean: float | DataNode | None = ...,
        stddev: float | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class SaltAndPepper:
    """`fn.noise.salt_and_pepper` as a class."""

    def __init__(
        self,
        *,
        pepper_val: float | DataNode | None = ...,
        per_channel: bool | None = ...,
        prob: float | DataNode | None = ...,
        salt_val: float | DataNode | None = ...,
        salt_vs_pepper: float | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Shot:
    """`fn.noise.shot` as a class."""

    def __init__(
        self,
        *,
        factor: float | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...
