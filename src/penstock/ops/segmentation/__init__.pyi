"""Signatures of the operators; made by docs/generate.py from their declarations."""

import collections.abc as _abc
from os import PathLike
from typing import Any, Literal, overload

from numpy.typing import ArrayLike, DTypeLike

from penstock import ops as _ops
from penstock.engine.graph.nodes import DataNode
from penstock.engine.tensors.dtypes import DALIDataType, DALIImageType, DALIInterpType

class RandomMaskPixel:
    """`fn.segmentation.random_mask_pixel` as a class."""

    def __init__(
        self,
        *,
        foreground: int | DataNode | None = ...,
        threshold: float | DataNode | None = ...,
        value: int | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class RandomObjectBBox:
    """`fn.segmentation.random_object_bbox` as a class."""

    def __init__(
        self,
        *,
        foreground_prob: float | DataNode | None = ...,
        background: int | DataNode | None = ...,
        classes: int | _abc.Sequence[int] | DataNode | None = ...,
        class_weights: float | _abc.Sequence[float] | DataNode | None = ...,
        ignore_class: bool | None = ...,
        output_class: bool | None = ...,
        threshold: int | _abc.Sequence[int] | DataNode | None = ...,
        k_largest: int | None = ...,
        format: Literal['anchor_shape', 'start_end', 'box'] | None = ...,
        cache_objects: bool | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class SelectMasks:
    """`fn.segmentation.select_masks` as a class."""

    def __init__(
        self,
        *,
        reindex_masks: bool | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...
