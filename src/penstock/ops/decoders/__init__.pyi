"""Signatures of the operators; made by docs/generate.py from their declarations."""

import collections.abc as _abc
from os import PathLike
from typing import Any, Literal, overload

from numpy.typing import ArrayLike, DTypeLike

from penstock import ops as _ops
from penstock.engine.graph.nodes import DataNode
from penstock.engine.tensors.dtypes import DALIDataType, DALIImageType, DALIInterpType

class Audio:
    """`fn.decoders.audio` as a class."""

    def __init__(
        self,
        *,
        dtype: DALIDataType | DTypeLike | None = ...,
        downmix: bool | None = ...,
        quality: float | None = ...,
        antialias: bool | None = ...,
        sample_rate: float | DataNode | None = ...,
        offset: float | DataNode | None = ...,
        duration: float | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Image:
    """`fn.decoders.image` as a class."""

    def __init__(
        self,
        *,
        output_type: DALIImageType | None = ...,
        dtype: DALIDataType | DTypeLike | None = ...,
        adjust_orientation: bool | None = ...,
        fit: int | _abc.Sequence[int] | None = ...,
        shrink_shorter: int | None = ...,
        jpeg_fancy_upsampling: bool | None = ...,
        hw_decoder_load: float | None = ...,
        cache: Literal['ram', 'disk', 'gpu'] | None = ...,
        cache_size: int | None = ...,
        cache_folder: str | None = ...,
        cache_threshold: int | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        use_fast_idct: bool | None = ...,
        hybrid_huffman_threshold: int | None = ...,
        device_memory_padding: int | None = ...,
        host_memory_padding: int | None = ...,
        device_memory_padding_jpeg2k: int | None = ...,
        host_memory_padding_jpeg2k: int | None = ...,
        preallocate_width_hint: int | None = ...,
        preallocate_height_hint: int | None = ...,
        affine: bool | None = ...,
        memory_stats: bool | None = ...,
        cache_debug: bool | None = ...,
        cache_batch_copy: bool | None = ...,
        cache_type: str | None = ...,
        split_stages: bool | None = ...,
        use_chunk_allocator: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class ImageCrop:
    """`fn.decoders.image_crop` as a class."""

    def __init__(
        self,
        *,
        output_type: DALIImageType | None = ...,
        dtype: DALIDataType | DTypeLike | None = ...,
        adjust_orientation: bool | None = ...,
        fit: int | _abc.Sequence[int] | None = ...,
        shrink_shorter: int | None = ...,
        jpeg_fancy_upsampling: bool | None = ...,
        hw_decoder_load: float | None = ...,
        cache: Literal['ram', 'disk', 'gpu'] | None = ...,
        cache_size: int | None = ...,
        cache_folder: str | None = ...,
        cache_threshold: int | None = ...,
        crop: float | _abc.Sequence[float] | DataNode | None = ...,
        crop_d: float | DataNode | None = ...,
        crop_h: float | DataNode | None = ...,
        crop_w: float | DataNode | None = ...,
        crop_pos_x: float | DataNode | None = ...,
        crop_pos_y: float | DataNode | None = ...,
        crop_pos_z: float | DataNode | None = ...,
        rounding: Literal['round', 'truncate'] | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        use_fast_idct: bool | None = ...,
        hybrid_huffman_threshold: int | None = ...,
        device_memory_padding: int | None = ...,
        host_memory_padding: int | None = ...,
        device_memory_padding_jpeg2k: int | None = ...,
        host_memory_padding_jpeg2k: int | None = ...,
        preallocate_width_hint: int | None = ...,
        preallocate_height_hint: int | None = ...,
        affine: bool | None = ...,
        memory_stats: bool | None = ...,
        cache_debug: bool | None = ...,
        cache_batch_copy: bool | None = ...,
        cache_type: str | None = ...,
        split_stages: bool | None = ...,
        use_chunk_allocator: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class ImageList:
    """`fn.decoders.image_list` as a class."""

    def __init__(
        self,
        *,
        size: int | _abc.Sequence[int] = ...,
        mode: Literal['stretch', 'not_larger', 'not_smaller'] | None = ...,
        fill_value: int | None = ...,
        output_type: DALIImageType | None = ...,
        adjust_orientation: bool | None = ...,
        interp_type: DALIInterpType | None = ...,
        antialias: bool | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class ImageRandomCrop:
    """`fn.decoders.image_random_crop` as a class."""

    def __init__(
        self,
        *,
        output_type: DALIImageType | None = ...,
        dtype: DALIDataType | DTypeLike | None = ...,
        adjust_orientation: bool | None = ...,
        fit: int | _abc.Sequence[int] | None = ...,
        shrink_shorter: int | None = ...,
        jpeg_fancy_upsampling: bool | None = ...,
        hw_decoder_load: float | None = ...,
        cache: Literal['ram', 'disk', 'gpu'] | None = ...,
        cache_size: int | None = ...,
        cache_folder: str | None = ...,
        cache_threshold: int | None = ...,
        random_area: float | _abc.Sequence[float] | None = ...,
        random_aspect_ratio: float | _abc.Sequence[float] | None = ...,
        num_attempts: int | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        use_fast_idct: bool | None = ...,
        hybrid_huffman_threshold: int | None = ...,
        device_memory_padding: int | None = ...,
        host_memory_padding: int | None = ...,
        device_memory_padding_jpeg2k: int | None = ...,
        host_memory_padding_jpeg2k: int | None = ...,
        preallocate_width_hint: int | None = ...,
        preallocate_height_hint: int | None = ...,
        affine: bool | None = ...,
        memory_stats: bool | None = ...,
        cache_debug: bool | None = ...,
        cache_batch_copy: bool | None = ...,
        cache_type: str | None = ...,
        split_stages: bool | None = ...,
        use_chunk_allocator: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class ImageSlice:
    """`fn.decoders.image_slice` as a class."""

    def __init__(
        self,
        *,
        output_type: DALIImageType | None = ...,
        dtype: DALIDataType | DTypeLike | None = ...,
        adjust_orientation: bool | None = ...,
        fit: int | _abc.Sequence[int] | None = ...,
        shrink_shorter: int | None = ...,
        jpeg_fancy_upsampling: bool | None = ...,
        hw_decoder_load: float | None = ...,
        cache: Literal['ram', 'disk', 'gpu'] | None = ...,
        cache_size: int | None = ...,
        cache_folder: str | None = ...,
        cache_threshold: int | None = ...,
        axes: int | _abc.Sequence[int] | DataNode | None = ...,
        axis_names: str | None = ...,
        start: int | _abc.Sequence[int] | DataNode | None = ...,
        end: int | _abc.Sequence[int] | DataNode | None = ...,
        shape: int | _abc.Sequence[int] | DataNode | None = ...,
        rel_start: float | _abc.Sequence[float] | DataNode | None = ...,
        rel_end: float | _abc.Sequence[float] | DataNode | None = ...,
        rel_shape: float | _abc.Sequence[float] | DataNode | None = ...,
        normalized_anchor: bool | None = ...,
        normalized_shape: bool | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        use_fast_idct: bool | None = ...,
        hybrid_huffman_threshold: int | None = ...,
        device_memory_padding: int | None = ...,
        host_memory_padding: int | None = ...,
        device_memory_padding_jpeg2k: int | None = ...,
        host_memory_padding_jpeg2k: int | None = ...,
        preallocate_width_hint: int | None = ...,
        preallocate_height_hint: int | None = ...,
        affine: bool | None = ...,
        memory_stats: bool | None = ...,
        cache_debug: bool | None = ...,
        cache_batch_copy: bool | None = ...,
        cache_type: str | None = ...,
        split_stages: bool | None = ...,
        use_chunk_allocator: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Inflate:
    """`fn.decoders.inflate` as a class."""

    def __init__(
        self,
        *,
        shape: int | _abc.Sequence[int] | DataNode = ...,
        dtype: DALIDataType | DTypeLike | None = ...,
        layout: str | None = ...,
        chunk_offsets: int | _abc.Sequence[int] | DataNode | None = ...,
        chunk_sizes: int | _abc.Sequence[int] | DataNode | None = ...,
        sequence_axis_name: str | None = ...,
        algorithm: str | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        check_output_size: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Json:
    """`fn.decoders.json` as a class."""

    def __init__(
        self,
        *,
        field: str | None = ...,
        dtype: DALIDataType | DTypeLike | None = ...,
        default: float | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Numpy:
    """`fn.decoders.numpy` as a class."""

    def __init__(
        self,
        *,
        dtype: DALIDataType | DTypeLike | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Video:
    """`fn.decoders.video` as a class."""

    def __init__(
        self,
        *,
        audio: bool | None = ...,
        audio_rate: float | None = ...,
        audio_downmix: bool | None = ...,
        frames: int | _abc.Sequence[int] | DataNode | None = ...,
        start_frame: int | DataNode | None = ...,
        end_frame: int | DataNode | None = ...,
        sequence_length: int | DataNode | None = ...,
        stride: int | DataNode | None = ...,
        pad_mode: Literal['none', 'constant', 'edge', 'repeat', 'reflect_1001', 'symmetric', 'reflect_101', 'reflect'] | None = ...,
        fill_value: int | _abc.Sequence[int] | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        affine: bool | None = ...,
        build_index: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...
