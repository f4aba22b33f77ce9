"""Signatures of the operators; made by docs/generate.py from their declarations."""

import collections.abc as _abc
from os import PathLike
from typing import Any, Literal, overload

from numpy.typing import ArrayLike, DTypeLike

from penstock import ops as _ops
from penstock.engine.graph.nodes import DataNode
from penstock.engine.tensors.dtypes import DALIDataType, DALIImageType, DALIInterpType

class Max:
    """`fn.reductions.max` as a class."""

    def __init__(
        self,
        *,
        axes: int | _abc.Sequence[int] | None = ...,
        axis_names: str | None = ...,
        keep_dims: bool | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Mean:
    """`fn.reductions.mean` as a class."""

    def __init__(
        self,
        *,
        axes: int | _abc.Sequence[int] | None = ...,
        axis_names: str | None = ...,
        keep_dims: bool | None = ...,
        dtype: DALIDataType | DTypeLike | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class MeanSquare:
    """`fn.reductions.mean_square` as a class."""

    def __init__(
        self,
        *,
        axes: int | _abc.Sequence[int] | None = ...,
        axis_names: str | None = ...,
        keep_dims: bool | None = ...,
        dtype: DALIDataType | DTypeLike | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Min:
    """`fn.reductions.min` as a class."""

    def __init__(
        self,
        *,
        axes: int | _abc.Sequence[int] | None = ...,
        axis_names: str | None = ...,
        keep_dims: bool | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class RMS:
    """`fn.reductions.rms` as a class."""

    def __init__(
        self,
        *,
        axes: int | _abc.Sequence[int] | None = ...,
        axis_names: str | None = ...,
        keep_dims: bool | None = ...,
        dtype: DALIDataType | DTypeLike | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class StdDev:
    """`fn.reductions.std_dev` as a class."""

    def __init__(
        self,
        *,
        axes: int | _abc.Sequence[int] | None = ...,
        axis_names: str | None = ...,
        keep_dims: bool | None = ...,
        ddof: int | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Sum:
    """`fn.reductions.sum` as a class."""

    def __init__(
        self,
        *,
        axes: int | _abc.Sequence[int] | None = ...,
        axis_names: str | None = ...,
        keep_dims: bool | None = ...,
        dtype: DALIDataType | DTypeLike | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Variance:
    """`fn.reductions.variance` as a class."""

    def __init__(
        self,
        *,
        axes: int | _abc.Sequence[int] | None = ...,
        axis_names: str | None = ...,
        keep_dims: bool | None = ...,
        ddof: int | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...
