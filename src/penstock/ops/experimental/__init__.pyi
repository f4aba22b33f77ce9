"""Signatures of the operators; made by docs/generate.py from their declarations."""

import collections.abc as _abc
from os import PathLike
from typing import Any, Literal, overload

from numpy.typing import ArrayLike, DTypeLike

from penstock import ops as _ops
from penstock.engine.graph.nodes import DataNode
from penstock.engine.tensors.dtypes import DALIDataType, DALIImageType, DALIInterpType

from . import decoders as decoders

from . import inputs as inputs

from . import readers as readers

AudioResample = _ops.AudioResample

Debayer = _ops.Debayer

class Dilate:
    """`fn.experimental.dilate` as a class."""

    def __init__(
        self,
        *,
        anchor: int | _abc.Sequence[int] | DataNode | None = ...,
        border_mode: Literal['constant', 'replicate', 'reflect', 'reflect_101', 'wrap'] | None = ...,
        iterations: int | None = ...,
        mask_size: int | _abc.Sequence[int] | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

Equalize = _ops.Equalize

class Erode:
    """`fn.experimental.erode` as a class."""

    def __init__(
        self,
        *,
        anchor: int | _abc.Sequence[int] | DataNode | None = ...,
        border_mode: Literal['constant', 'replicate', 'reflect', 'reflect_101', 'wrap'] | None = ...,
        iterations: int | None = ...,
        mask_size: int | _abc.Sequence[int] | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

Filter = _ops.Filter

Inflate = _ops.decoders.Inflate

class MedianBlur:
    """`fn.experimental.median_blur` as a class."""

    def __init__(
        self,
        *,
        window_size: int | _abc.Sequence[int] | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

PeekImageShape = _ops.PeekImageShape

class Remap:
    """`fn.experimental.remap` as a class."""

    def __init__(
        self,
        *,
        interp: DALIInterpType | None = ...,
        pixel_origin: Literal['corner', 'center'] | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

Resize = _ops.Resize

TensorResize = _ops.TensorResize

class WarpPerspective:
    """`fn.experimental.warp_perspective` as a class."""

    def __init__(
        self,
        *,
        matrix: float | _abc.Sequence[float] | DataNode | None = ...,
        size: float | _abc.Sequence[float] | DataNode | None = ...,
        inverse_map: bool | None = ...,
        pixel_origin: Literal['corner', 'center'] | None = ...,
        interp_type: DALIInterpType | None = ...,
        border_mode: Literal['constant', 'replicate', 'reflect', 'reflect_101', 'wrap'] | None = ...,
        fill_value: float | _abc.Sequence[float] | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...
