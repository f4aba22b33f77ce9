"""Signatures of the operators; made by docs/generate.py from their declarations."""

import collections.abc as _abc
from os import PathLike
from typing import Any, Literal, overload

from numpy.typing import ArrayLike, DTypeLike

from penstock import ops as _ops
from penstock.engine.graph.nodes import DataNode
from penstock.engine.tensors.dtypes import DALIDataType, DALIImageType, DALIInterpType

class Beta:
    """`fn.random.beta` as a class."""

    def __init__(
        self,
        *,
        shape: int | _abc.Sequence[int] | DataNode | None = ...,
        dtype: DALIDataType | DTypeLike | None = ...,
        alpha: float | DataNode | None = ...,
        beta: float | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Choice:
    """`fn.random.choice` as a class."""

    def __init__(
        self,
        *,
        p: float | _abc.Sequence[float] | DataNode | None = ...,
        shape: int | _abc.Sequence[int] | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class CoinFlip:
    """`fn.random.coin_flip` as a class."""

    def __init__(
        self,
        *,
        shape: int | _abc.Sequence[int] | DataNode | None = ...,
        dtype: DALIDataType | DTypeLike | None = ...,
        probability: float | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Normal:
    """`fn.random.normal` as a class."""

    def __init__(
        self,
        *,
        shape: int | _abc.Sequence[int] | DataNode | None = ...,
        dtype: DALIDataType | DTypeLike | None = ...,
        mean: float | DataNode | None = ...,
        stddev: float | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Uniform:
    """`fn.random.uniform` as a class."""

    def __init__(
        self,
        *,
        shape: int | _abc.Sequence[int] | DataNode | None = ...,
        dtype: DALIDataType | DTypeLike | None = ...,
        range: float | _abc.Sequence[float] | DataNode | None = ...,
        values: float | _abc.Sequence[float] | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...
