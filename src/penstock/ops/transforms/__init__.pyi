"""Signatures of the operators; made by docs/generate.py from their declarations."""

import collections.abc as _abc
from os import PathLike
from typing import Any, Literal, overload

from numpy.typing import ArrayLike, DTypeLike

from penstock import ops as _ops
from penstock.engine.graph.nodes import DataNode
from penstock.engine.tensors.dtypes import DALIDataType, DALIImageType, DALIInterpType

class Combine:
    """`fn.transforms.combine` as a class."""

    def __init__(
        self,
        *,
        reverse_order: bool | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Crop:
    """`fn.transforms.crop` as a class."""

    def __init__(
        self,
        *,
        reverse_order: bool | None = ...,
        from_start: float | _abc.Sequence[float] | DataNode | None = ...,
        from_end: float | _abc.Sequence[float] | DataNode | None = ...,
        to_start: float | _abc.Sequence[float] | DataNode | None = ...,
        to_end: float | _abc.Sequence[float] | DataNode | None = ...,
        absolute: bool | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Rotation:
    """`fn.transforms.rotation` as a class."""

    def __init__(
        self,
        *,
        reverse_order: bool | None = ...,
        angle: float | DataNode = ...,
        axis: float | _abc.Sequence[float] | DataNode | None = ...,
        center: float | _abc.Sequence[float] | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Scale:
    """`fn.transforms.scale` as a class."""

    def __init__(
        self,
        *,
        reverse_order: bool | None = ...,
        scale: float | _abc.Sequence[float] | DataNode = ...,
        center: float | _abc.Sequence[float] | DataNode | None = ...,
        ndim: int | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Shear:
    """`fn.transforms.shear` as a class."""

    def __init__(
        self,
        *,
        reverse_order: bool | None = ...,
        shear: float | _abc.Sequence[float] | DataNode | None = ...,
        angles: float | _abc.Sequence[float] | DataNode | None = ...,
        center: float | _abc.Sequence[float] | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Translation:
    """`fn.transforms.translation` as a class."""

    def __init__(
        self,
        *,
        reverse_order: bool | None = ...,
        offset: float | _abc.Sequence[float] | DataNode = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...
