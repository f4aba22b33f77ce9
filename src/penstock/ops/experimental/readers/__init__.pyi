"""Signatures of the operators; made by docs/generate.py from their declarations."""

import collections.abc as _abc
from os import PathLike
from typing import Any, Literal, overload

from numpy.typing import ArrayLike, DTypeLike

from penstock import ops as _ops
from penstock.engine.graph.nodes import DataNode
from penstock.engine.tensors.dtypes import DALIDataType, DALIImageType, DALIInterpType

class Fits:
    """`fn.experimental.readers.fits` as a class."""

    def __init__(
        self,
        *,
        files: str | _abc.Sequence[str] | None = ...,
        file_list: str | None = ...,
        file_root: str | None = ...,
        file_filter: str | None = ...,
        hdu_indices: int | _abc.Sequence[int] | None = ...,
        dtypes: DALIDataType | DTypeLike | _abc.Sequence[DALIDataType | DTypeLike] | None = ...,
        random_shuffle: bool | None = ...,
        shuffle_after_epoch: bool | None = ...,
        shuffle_after_epoch_seed: int | None = ...,
        shuffle_seed: int | None = ...,
        shuffle_block: int | None = ...,
        shuffle_window: int | None = ...,
        shard_id: int | None = ...,
        num_shards: int | None = ...,
        stick_to_shard: bool | None = ...,
        indices: Any | None = ...,
        batch_cost: _abc.Mapping[str, Any] | None = ...,
        pad_last_batch: bool | None = ...,
        prefetch_queue_depth: int | None = ...,
        storage_options: _abc.Mapping[str, Any] | None = ...,
        split: str | None = ...,
        split_by: float | _abc.Mapping[str, float] | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        initial_fill: int | None = ...,
        read_ahead: bool | None = ...,
        skip_cached_images: bool | None = ...,
        lazy_init: bool | None = ...,
        dont_use_mmap: bool | None = ...,
        use_o_direct: bool | None = ...,
        tensor_init_bytes: int | None = ...,
        bytes_per_sample: float | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Video:
    """`fn.experimental.readers.video` as a class."""

    def __init__(
        self,
        *,
        labels: int | _abc.Sequence[int] | None = ...,
        file_list_format: Literal['timestamps', 'frames'] | None = ...,
        file_list_rounding: Literal['start_down_end_up', 'start_up_end_down', 'all_up', 'all_down'] | None = ...,
        file_list_include_end: bool | None = ...,
        pad_mode: Literal['none', 'constant', 'edge', 'repeat', 'reflect_1001', 'symmetric', 'reflect_101', 'reflect'] | None = ...,
        fill_value: int | _abc.Sequence[int] | None = ...,
        uniform_sample: bool | None = ...,
        random_shuffle: bool | None = ...,
        shuffle_after_epoch: bool | None = ...,
        shuffle_after_epoch_seed: int | None = ...,
        shuffle_seed: int | None = ...,
        shuffle_block: int | None = ...,
        shuffle_window: int | None = ...,
        shard_id: int | None = ...,
        num_shards: int | None = ...,
        stick_to_shard: bool | None = ...,
        indices: Any | None = ...,
        batch_cost: _abc.Mapping[str, Any] | None = ...,
        pad_last_batch: bool | None = ...,
        prefetch_queue_depth: int | None = ...,
        storage_options: _abc.Mapping[str, Any] | None = ...,
        audio: bool | None = ...,
        audio_rate: float | None = ...,
        audio_downmix: bool | None = ...,
        filenames: str | _abc.Sequence[str] | None = ...,
        file_root: str | None = ...,
        file_list: str | None = ...,
        sequence_length: int = ...,
        stride: int | None = ...,
        step: int | None = ...,
        enable_frame_num: Literal['none', False, 'scalar', True, 'sequence'] | None = ...,
        enable_timestamps: bool | None = ...,
        image_type: DALIImageType | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        initial_fill: int | None = ...,
        read_ahead: bool | None = ...,
        skip_cached_images: bool | None = ...,
        lazy_init: bool | None = ...,
        dont_use_mmap: bool | None = ...,
        use_o_direct: bool | None = ...,
        tensor_init_bytes: int | None = ...,
        bytes_per_sample: float | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...
