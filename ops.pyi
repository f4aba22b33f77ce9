"""Signatures of the operators; made by docs/generate.py from their declarations."""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any

from numpy.typing import ArrayLike, DTypeLike

from .engine.graph import DataNode
from .engine.types import DALIDataType, DALIImageType, DALIInterpType

class Compose:
    """Operators applied one after the other: `Compose([a, b])(x)` is `b(a(x))`."""

    def __init__(self, op_list: Sequence[Callable[..., Any]]) -> None: ...
    def __call__(self, *inputs: Any) -> Any: ...

class BatchPermutation:
    """`fn.batch_permutation` as a class."""

    def __init__(
        self,
        *,
        allow_repetitions: bool | None = ...,
        no_fixed_points: bool | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Caffe2Reader:
    """`fn.readers.caffe2` as a class."""

    def __init__(
        self,
        *,
        image_available: bool | None = ...,
        label_type: int | None = ...,
        num_labels: int | None = ...,
        additional_inputs: int | None = ...,
        bbox: bool | None = ...,
        random_shuffle: bool | None = ...,
        shuffle_after_epoch: bool | None = ...,
        shuffle_after_epoch_seed: int | None = ...,
        shuffle_seed: int | None = ...,
        shuffle_block: int | None = ...,
        shuffle_window: int | None = ...,
        shard_id: int | None = ...,
        num_shards: int | None = ...,
        stick_to_shard: bool | None = ...,
        pad_last_batch: bool | None = ...,
        prefetch_queue_depth: int | None = ...,
        storage_options: Mapping[str, Any] | None = ...,
        path: str | Sequence[str] = ...,
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
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class CaffeReader:
    """`fn.readers.caffe` as a class."""

    def __init__(
        self,
        *,
        image_available: bool | None = ...,
        label_available: bool | None = ...,
        random_shuffle: bool | None = ...,
        shuffle_after_epoch: bool | None = ...,
        shuffle_after_epoch_seed: int | None = ...,
        shuffle_seed: int | None = ...,
        shuffle_block: int | None = ...,
        shuffle_window: int | None = ...,
        shard_id: int | None = ...,
        num_shards: int | None = ...,
        stick_to_shard: bool | None = ...,
        pad_last_batch: bool | None = ...,
        prefetch_queue_depth: int | None = ...,
        storage_options: Mapping[str, Any] | None = ...,
        path: str | Sequence[str] = ...,
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
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Cast:
    """`fn.cast` as a class."""

    def __init__(
        self,
        *,
        dtype: DALIDataType | DTypeLike = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class CastLike:
    """`fn.cast_like` as a class."""

    def __init__(
        self,
        *,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Cat:
    """`fn.cat` as a class."""

    def __init__(
        self,
        *,
        axis: int | None = ...,
        axis_name: str | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class CoinFlip:
    """`fn.random.coin_flip` as a class."""

    def __init__(
        self,
        *,
        shape: int | Sequence[int] | DataNode | None = ...,
        dtype: DALIDataType | DTypeLike | None = ...,
        probability: float | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Constant:
    """`fn.constant` as a class."""

    def __init__(
        self,
        *,
        idata: int | Sequence[int] | None = ...,
        fdata: float | Sequence[float] | None = ...,
        shape: int | Sequence[int] | None = ...,
        dtype: DALIDataType | DTypeLike | None = ...,
        layout: str | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Copy:
    """`fn.copy` as a class."""

    def __init__(
        self,
        *,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Crop:
    """`fn.crop` as a class."""

    def __init__(
        self,
        *,
        dtype: DALIDataType | DTypeLike | None = ...,
        output_dtype: DALIDataType | DTypeLike | None = ...,
        out_of_bounds_policy: str | None = ...,
        fill_values: float | Sequence[float] | None = ...,
        crop: float | Sequence[float] | DataNode | None = ...,
        crop_d: float | DataNode | None = ...,
        crop_h: float | DataNode | None = ...,
        crop_w: float | DataNode | None = ...,
        crop_pos_x: float | DataNode | None = ...,
        crop_pos_y: float | DataNode | None = ...,
        crop_pos_z: float | DataNode | None = ...,
        rounding: str | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        image_type: DALIImageType | None = ...,
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class CropMirrorNormalize:
    """`fn.crop_mirror_normalize` as a class."""

    def __init__(
        self,
        *,
        dtype: DALIDataType | DTypeLike | None = ...,
        output_dtype: DALIDataType | DTypeLike | None = ...,
        out_of_bounds_policy: str | None = ...,
        fill_values: float | Sequence[float] | None = ...,
        crop: float | Sequence[float] | DataNode | None = ...,
        crop_d: float | DataNode | None = ...,
        crop_h: float | DataNode | None = ...,
        crop_w: float | DataNode | None = ...,
        crop_pos_x: float | DataNode | None = ...,
        crop_pos_y: float | DataNode | None = ...,
        crop_pos_z: float | DataNode | None = ...,
        rounding: str | None = ...,
        output_layout: str | None = ...,
        pad_output: bool | None = ...,
        mirror: int | DataNode | None = ...,
        mean: float | Sequence[float] | DataNode | None = ...,
        std: float | Sequence[float] | DataNode | None = ...,
        scale: float | None = ...,
        shift: float | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        image_type: DALIImageType | None = ...,
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class ExpandDims:
    """`fn.expand_dims` as a class."""

    def __init__(
        self,
        *,
        axes: int | Sequence[int] = ...,
        new_axis_names: str | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class ExternalSource:
    """`fn.external_source` as a class."""

    def __init__(
        self,
        *,
        cycle: Any | None = ...,
        layout: Any | None = ...,
        dtype: Any | None = ...,
        ndim: Any | None = ...,
        no_copy: bool | None = ...,
        batch_info: bool | None = ...,
        repeat_last: bool | None = ...,
        parallel: bool | None = ...,
        cuda_stream: Any | None = ...,
        batch: bool | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        blocking: bool | None = ...,
        use_copy_kernel: bool | None = ...,
        prefetch_queue_depth: int | None = ...,
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class FastResizeCropMirror:
    """`fn.fast_resize_crop_mirror` as a class."""

    def __init__(
        self,
        *,
        interp_type: DALIInterpType | DataNode | None = ...,
        min_filter: DALIInterpType | DataNode | None = ...,
        mag_filter: DALIInterpType | DataNode | None = ...,
        antialias: bool | None = ...,
        dtype: DALIDataType | DTypeLike | None = ...,
        size: float | Sequence[float] | DataNode | None = ...,
        resize_x: float | DataNode | None = ...,
        resize_y: float | DataNode | None = ...,
        resize_z: float | DataNode | None = ...,
        resize_shorter: float | DataNode | None = ...,
        resize_longer: float | DataNode | None = ...,
        mode: str | None = ...,
        max_size: float | Sequence[float] | None = ...,
        subpixel_scale: bool | None = ...,
        roi_start: float | Sequence[float] | DataNode | None = ...,
        roi_end: float | Sequence[float] | DataNode | None = ...,
        roi_relative: bool | None = ...,
        crop: float | Sequence[float] | DataNode | None = ...,
        crop_d: float | DataNode | None = ...,
        crop_h: float | DataNode | None = ...,
        crop_w: float | DataNode | None = ...,
        crop_pos_x: float | DataNode | None = ...,
        crop_pos_y: float | DataNode | None = ...,
        crop_pos_z: float | DataNode | None = ...,
        rounding: str | None = ...,
        mirror: int | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        temp_buffer_hint: int | None = ...,
        minibatch_size: int | None = ...,
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class FileReader:
    """`fn.readers.file` as a class."""

    def __init__(
        self,
        *,
        file_root: str | None = ...,
        files: str | Sequence[str] | None = ...,
        labels: int | Sequence[int] | None = ...,
        file_list: str | None = ...,
        file_filters: str | Sequence[str] | None = ...,
        dir_filters: str | Sequence[str] | None = ...,
        case_sensitive_filter: bool | None = ...,
        random_shuffle: bool | None = ...,
        shuffle_after_epoch: bool | None = ...,
        shuffle_after_epoch_seed: int | None = ...,
        shuffle_seed: int | None = ...,
        shuffle_block: int | None = ...,
        shuffle_window: int | None = ...,
        shard_id: int | None = ...,
        num_shards: int | None = ...,
        stick_to_shard: bool | None = ...,
        pad_last_batch: bool | None = ...,
        prefetch_queue_depth: int | None = ...,
        storage_options: Mapping[str, Any] | None = ...,
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
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Flip:
    """`fn.flip` as a class."""

    def __init__(
        self,
        *,
        horizontal: int | DataNode | None = ...,
        vertical: int | DataNode | None = ...,
        depthwise: int | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Full:
    """`fn.full` as a class."""

    def __init__(
        self,
        *,
        shape: int | Sequence[int] | DataNode | None = ...,
        layout: str | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class FullLike:
    """`fn.full_like` as a class."""

    def __init__(
        self,
        *,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class GetProperty:
    """`fn.get_property` as a class."""

    def __init__(
        self,
        *,
        key: str = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class ImageDecoder:
    """`fn.decoders.image` as a class."""

    def __init__(
        self,
        *,
        output_type: DALIImageType | None = ...,
        dtype: DALIDataType | DTypeLike | None = ...,
        adjust_orientation: bool | None = ...,
        fit: int | Sequence[int] | None = ...,
        jpeg_fancy_upsampling: bool | None = ...,
        hw_decoder_load: float | None = ...,
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
        cache_size: int | None = ...,
        cache_threshold: int | None = ...,
        cache_debug: bool | None = ...,
        cache_batch_copy: bool | None = ...,
        cache_type: int | None = ...,
        split_stages: bool | None = ...,
        use_chunk_allocator: bool | None = ...,
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class ImageDecoderCrop:
    """`fn.decoders.image_crop` as a class."""

    def __init__(
        self,
        *,
        output_type: DALIImageType | None = ...,
        dtype: DALIDataType | DTypeLike | None = ...,
        adjust_orientation: bool | None = ...,
        fit: int | Sequence[int] | None = ...,
        jpeg_fancy_upsampling: bool | None = ...,
        hw_decoder_load: float | None = ...,
        crop: float | Sequence[float] | DataNode | None = ...,
        crop_d: float | DataNode | None = ...,
        crop_h: float | DataNode | None = ...,
        crop_w: float | DataNode | None = ...,
        crop_pos_x: float | DataNode | None = ...,
        crop_pos_y: float | DataNode | None = ...,
        crop_pos_z: float | DataNode | None = ...,
        rounding: str | None = ...,
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
        cache_size: int | None = ...,
        cache_threshold: int | None = ...,
        cache_debug: bool | None = ...,
        cache_batch_copy: bool | None = ...,
        cache_type: int | None = ...,
        split_stages: bool | None = ...,
        use_chunk_allocator: bool | None = ...,
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class ImageDecoderRandomCrop:
    """`fn.decoders.image_random_crop` as a class."""

    def __init__(
        self,
        *,
        output_type: DALIImageType | None = ...,
        dtype: DALIDataType | DTypeLike | None = ...,
        adjust_orientation: bool | None = ...,
        fit: int | Sequence[int] | None = ...,
        jpeg_fancy_upsampling: bool | None = ...,
        hw_decoder_load: float | None = ...,
        random_area: float | Sequence[float] | None = ...,
        random_aspect_ratio: float | Sequence[float] | None = ...,
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
        cache_size: int | None = ...,
        cache_threshold: int | None = ...,
        cache_debug: bool | None = ...,
        cache_batch_copy: bool | None = ...,
        cache_type: int | None = ...,
        split_stages: bool | None = ...,
        use_chunk_allocator: bool | None = ...,
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class ImageDecoderSlice:
    """`fn.decoders.image_slice` as a class."""

    def __init__(
        self,
        *,
        output_type: DALIImageType | None = ...,
        dtype: DALIDataType | DTypeLike | None = ...,
        adjust_orientation: bool | None = ...,
        fit: int | Sequence[int] | None = ...,
        jpeg_fancy_upsampling: bool | None = ...,
        hw_decoder_load: float | None = ...,
        axes: int | Sequence[int] | DataNode | None = ...,
        axis_names: str | None = ...,
        start: int | Sequence[int] | DataNode | None = ...,
        end: int | Sequence[int] | DataNode | None = ...,
        shape: int | Sequence[int] | DataNode | None = ...,
        rel_start: float | Sequence[float] | DataNode | None = ...,
        rel_end: float | Sequence[float] | DataNode | None = ...,
        rel_shape: float | Sequence[float] | DataNode | None = ...,
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
        cache_size: int | None = ...,
        cache_threshold: int | None = ...,
        cache_debug: bool | None = ...,
        cache_batch_copy: bool | None = ...,
        cache_type: int | None = ...,
        split_stages: bool | None = ...,
        use_chunk_allocator: bool | None = ...,
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class MXNetReader:
    """`fn.readers.mxnet` as a class."""

    def __init__(
        self,
        *,
        path: str | Sequence[str] = ...,
        index_path: str | Sequence[str] | None = ...,
        header_records: str | None = ...,
        random_shuffle: bool | None = ...,
        shuffle_after_epoch: bool | None = ...,
        shuffle_after_epoch_seed: int | None = ...,
        shuffle_seed: int | None = ...,
        shuffle_block: int | None = ...,
        shuffle_window: int | None = ...,
        shard_id: int | None = ...,
        num_shards: int | None = ...,
        stick_to_shard: bool | None = ...,
        pad_last_batch: bool | None = ...,
        prefetch_queue_depth: int | None = ...,
        storage_options: Mapping[str, Any] | None = ...,
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
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class NormalDistribution:
    """`fn.random.normal` as a class."""

    def __init__(
        self,
        *,
        shape: int | Sequence[int] | DataNode | None = ...,
        dtype: DALIDataType | DTypeLike | None = ...,
        mean: float | DataNode | None = ...,
        stddev: float | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Normalize:
    """`fn.normalize` as a class."""

    def __init__(
        self,
        *,
        batch: bool | None = ...,
        axes: int | Sequence[int] | None = ...,
        axis_names: str | None = ...,
        mean: ArrayLike | DataNode | None = ...,
        stddev: ArrayLike | DataNode | None = ...,
        scale: float | None = ...,
        shift: float | None = ...,
        ddof: int | None = ...,
        epsilon: float | None = ...,
        dtype: DALIDataType | DTypeLike | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class NumpyReader:
    """`fn.readers.numpy` as a class."""

    def __init__(
        self,
        *,
        files: str | Sequence[str] | None = ...,
        file_list: str | None = ...,
        file_root: str | None = ...,
        file_filter: str | None = ...,
        member_filter: str | None = ...,
        sample_axis: int | None = ...,
        roi: Any | None = ...,
        roi_start: int | Sequence[int] | DataNode | None = ...,
        roi_end: int | Sequence[int] | DataNode | None = ...,
        roi_shape: int | Sequence[int] | DataNode | None = ...,
        rel_roi_start: float | Sequence[float] | DataNode | None = ...,
        rel_roi_end: float | Sequence[float] | DataNode | None = ...,
        rel_roi_shape: float | Sequence[float] | DataNode | None = ...,
        roi_axes: int | Sequence[int] | None = ...,
        out_of_bounds_policy: str | None = ...,
        fill_value: float | None = ...,
        cache_header_information: bool | None = ...,
        random_shuffle: bool | None = ...,
        shuffle_after_epoch: bool | None = ...,
        shuffle_after_epoch_seed: int | None = ...,
        shuffle_seed: int | None = ...,
        shuffle_block: int | None = ...,
        shuffle_window: int | None = ...,
        shard_id: int | None = ...,
        num_shards: int | None = ...,
        stick_to_shard: bool | None = ...,
        pad_last_batch: bool | None = ...,
        prefetch_queue_depth: int | None = ...,
        storage_options: Mapping[str, Any] | None = ...,
        use_o_direct: bool | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        register_buffers: bool | None = ...,
        initial_fill: int | None = ...,
        read_ahead: bool | None = ...,
        skip_cached_images: bool | None = ...,
        lazy_init: bool | None = ...,
        dont_use_mmap: bool | None = ...,
        tensor_init_bytes: int | None = ...,
        bytes_per_sample: float | None = ...,
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Ones:
    """`fn.ones` as a class."""

    def __init__(
        self,
        *,
        shape: int | Sequence[int] | DataNode | None = ...,
        layout: str | None = ...,
        dtype: DALIDataType | DTypeLike | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class OnesLike:
    """`fn.ones_like` as a class."""

    def __init__(
        self,
        *,
        dtype: DALIDataType | DTypeLike | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Pad:
    """`fn.pad` as a class."""

    def __init__(
        self,
        *,
        fill_value: float | DataNode | None = ...,
        axes: int | Sequence[int] | DataNode | None = ...,
        axis_names: str | None = ...,
        align: int | Sequence[int] | DataNode | None = ...,
        shape: int | Sequence[int] | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class PeekImageShape:
    """`fn.peek_image_shape` as a class."""

    def __init__(
        self,
        *,
        dtype: DALIDataType | DTypeLike | None = ...,
        adjust_orientation: bool | None = ...,
        image_type: DALIImageType | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class PermuteBatch:
    """`fn.permute_batch` as a class."""

    def __init__(
        self,
        *,
        indices: int | Sequence[int] | DataNode = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class PythonFunction:
    """`fn.python_function` as a class."""

    def __init__(
        self,
        *,
        function: Callable[..., Any] = ...,
        batch_processing: bool | None = ...,
        num_outputs: int | None = ...,
        output_layouts: Any | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class RandomResizedCrop:
    """`fn.random_resized_crop` as a class."""

    def __init__(
        self,
        *,
        interp_type: DALIInterpType | DataNode | None = ...,
        min_filter: DALIInterpType | DataNode | None = ...,
        mag_filter: DALIInterpType | DataNode | None = ...,
        antialias: bool | None = ...,
        dtype: DALIDataType | DTypeLike | None = ...,
        size: int | Sequence[int] = ...,
        random_area: float | Sequence[float] | None = ...,
        random_aspect_ratio: float | Sequence[float] | None = ...,
        num_attempts: int | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        temp_buffer_hint: int | None = ...,
        minibatch_size: int | None = ...,
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Reinterpret:
    """`fn.reinterpret` as a class."""

    def __init__(
        self,
        *,
        shape: int | Sequence[int] | DataNode | None = ...,
        rel_shape: float | Sequence[float] | DataNode | None = ...,
        src_dims: int | Sequence[int] | DataNode | None = ...,
        layout: str | None = ...,
        dtype: DALIDataType | DTypeLike | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Reshape:
    """`fn.reshape` as a class."""

    def __init__(
        self,
        *,
        shape: int | Sequence[int] | DataNode | None = ...,
        rel_shape: float | Sequence[float] | DataNode | None = ...,
        src_dims: int | Sequence[int] | DataNode | None = ...,
        layout: str | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Resize:
    """`fn.resize` as a class."""

    def __init__(
        self,
        *,
        interp_type: DALIInterpType | DataNode | None = ...,
        min_filter: DALIInterpType | DataNode | None = ...,
        mag_filter: DALIInterpType | DataNode | None = ...,
        antialias: bool | None = ...,
        dtype: DALIDataType | DTypeLike | None = ...,
        size: float | Sequence[float] | DataNode | None = ...,
        resize_x: float | DataNode | None = ...,
        resize_y: float | DataNode | None = ...,
        resize_z: float | DataNode | None = ...,
        resize_shorter: float | DataNode | None = ...,
        resize_longer: float | DataNode | None = ...,
        mode: str | None = ...,
        max_size: float | Sequence[float] | None = ...,
        subpixel_scale: bool | None = ...,
        roi_start: float | Sequence[float] | DataNode | None = ...,
        roi_end: float | Sequence[float] | DataNode | None = ...,
        roi_relative: bool | None = ...,
        save_attrs: bool | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        temp_buffer_hint: int | None = ...,
        minibatch_size: int | None = ...,
        image_type: DALIImageType | None = ...,
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class ResizeCropMirror:
    """`fn.resize_crop_mirror` as a class."""

    def __init__(
        self,
        *,
        interp_type: DALIInterpType | DataNode | None = ...,
        min_filter: DALIInterpType | DataNode | None = ...,
        mag_filter: DALIInterpType | DataNode | None = ...,
        antialias: bool | None = ...,
        dtype: DALIDataType | DTypeLike | None = ...,
        size: float | Sequence[float] | DataNode | None = ...,
        resize_x: float | DataNode | None = ...,
        resize_y: float | DataNode | None = ...,
        resize_z: float | DataNode | None = ...,
        resize_shorter: float | DataNode | None = ...,
        resize_longer: float | DataNode | None = ...,
        mode: str | None = ...,
        max_size: float | Sequence[float] | None = ...,
        subpixel_scale: bool | None = ...,
        roi_start: float | Sequence[float] | DataNode | None = ...,
        roi_end: float | Sequence[float] | DataNode | None = ...,
        roi_relative: bool | None = ...,
        crop: float | Sequence[float] | DataNode | None = ...,
        crop_d: float | DataNode | None = ...,
        crop_h: float | DataNode | None = ...,
        crop_w: float | DataNode | None = ...,
        crop_pos_x: float | DataNode | None = ...,
        crop_pos_y: float | DataNode | None = ...,
        crop_pos_z: float | DataNode | None = ...,
        rounding: str | None = ...,
        mirror: int | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        temp_buffer_hint: int | None = ...,
        minibatch_size: int | None = ...,
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Rotate:
    """`fn.rotate` as a class."""

    def __init__(
        self,
        *,
        angle: float | Sequence[float] | DataNode = ...,
        fill_value: float | None = ...,
        interp_type: DALIInterpType | None = ...,
        keep_size: bool | None = ...,
        size: float | Sequence[float] | DataNode | None = ...,
        dtype: DALIDataType | DTypeLike | None = ...,
        output_dtype: DALIDataType | DTypeLike | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        axis: float | Sequence[float] | DataNode | None = ...,
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class SequenceReader:
    """`fn.readers.sequence` as a class."""

    def __init__(
        self,
        *,
        file_root: str = ...,
        sequence_length: int = ...,
        step: int | None = ...,
        stride: int | None = ...,
        image_type: DALIImageType | None = ...,
        random_shuffle: bool | None = ...,
        shuffle_after_epoch: bool | None = ...,
        shuffle_after_epoch_seed: int | None = ...,
        shuffle_seed: int | None = ...,
        shuffle_block: int | None = ...,
        shuffle_window: int | None = ...,
        shard_id: int | None = ...,
        num_shards: int | None = ...,
        stick_to_shard: bool | None = ...,
        pad_last_batch: bool | None = ...,
        prefetch_queue_depth: int | None = ...,
        storage_options: Mapping[str, Any] | None = ...,
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
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Shapes:
    """`fn.shapes` as a class."""

    def __init__(
        self,
        *,
        dtype: DALIDataType | DTypeLike | None = ...,
        type: DALIDataType | DTypeLike | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Slice:
    """`fn.slice` as a class."""

    def __init__(
        self,
        *,
        dtype: DALIDataType | DTypeLike | None = ...,
        output_dtype: DALIDataType | DTypeLike | None = ...,
        out_of_bounds_policy: str | None = ...,
        fill_values: float | Sequence[float] | None = ...,
        axes: int | Sequence[int] | DataNode | None = ...,
        axis_names: str | None = ...,
        start: int | Sequence[int] | DataNode | None = ...,
        end: int | Sequence[int] | DataNode | None = ...,
        shape: int | Sequence[int] | DataNode | None = ...,
        rel_start: float | Sequence[float] | DataNode | None = ...,
        rel_end: float | Sequence[float] | DataNode | None = ...,
        rel_shape: float | Sequence[float] | DataNode | None = ...,
        normalized_anchor: bool | None = ...,
        normalized_shape: bool | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        image_type: DALIImageType | None = ...,
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Squeeze:
    """`fn.squeeze` as a class."""

    def __init__(
        self,
        *,
        axes: int | Sequence[int] | DataNode | None = ...,
        axis_names: str | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Stack:
    """`fn.stack` as a class."""

    def __init__(
        self,
        *,
        axis: int | None = ...,
        axis_name: str | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class TFRecordReader:
    """`fn.readers.tfrecord` as a class."""

    def __init__(
        self,
        *,
        path: str | Sequence[str] = ...,
        index_path: str | Sequence[str] | None = ...,
        features: Any = ...,
        sequence_features: Any | None = ...,
        verify_crc: str | None = ...,
        random_shuffle: bool | None = ...,
        shuffle_after_epoch: bool | None = ...,
        shuffle_after_epoch_seed: int | None = ...,
        shuffle_seed: int | None = ...,
        shuffle_block: int | None = ...,
        shuffle_window: int | None = ...,
        shard_id: int | None = ...,
        num_shards: int | None = ...,
        stick_to_shard: bool | None = ...,
        pad_last_batch: bool | None = ...,
        prefetch_queue_depth: int | None = ...,
        storage_options: Mapping[str, Any] | None = ...,
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
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Transpose:
    """`fn.transpose` as a class."""

    def __init__(
        self,
        *,
        perm: int | Sequence[int] | None = ...,
        transpose_layout: bool | None = ...,
        output_layout: str | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Uniform:
    """`fn.random.uniform` as a class."""

    def __init__(
        self,
        *,
        shape: int | Sequence[int] | DataNode | None = ...,
        dtype: DALIDataType | DTypeLike | None = ...,
        range: float | Sequence[float] | DataNode | None = ...,
        values: float | Sequence[float] | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class WebdatasetReader:
    """`fn.readers.webdataset` as a class."""

    def __init__(
        self,
        *,
        paths: str | Sequence[str] = ...,
        ext: str | Sequence[str] = ...,
        index_paths: str | Sequence[str] | None = ...,
        missing_component_behavior: str | None = ...,
        dtypes: DALIDataType | DTypeLike | Sequence[DALIDataType | DTypeLike] | None = ...,
        case_sensitive_extensions: bool | None = ...,
        extension_dot: str | None = ...,
        random_shuffle: bool | None = ...,
        shuffle_after_epoch: bool | None = ...,
        shuffle_after_epoch_seed: int | None = ...,
        shuffle_seed: int | None = ...,
        shuffle_block: int | None = ...,
        shuffle_window: int | None = ...,
        shard_id: int | None = ...,
        num_shards: int | None = ...,
        stick_to_shard: bool | None = ...,
        pad_last_batch: bool | None = ...,
        prefetch_queue_depth: int | None = ...,
        storage_options: Mapping[str, Any] | None = ...,
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
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Zeros:
    """`fn.zeros` as a class."""

    def __init__(
        self,
        *,
        shape: int | Sequence[int] | DataNode | None = ...,
        layout: str | None = ...,
        dtype: DALIDataType | DTypeLike | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class ZerosLike:
    """`fn.zeros_like` as a class."""

    def __init__(
        self,
        *,
        dtype: DALIDataType | DTypeLike | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class decoders:
    class Image:
        """`fn.decoders.image` as a class."""

        def __init__(
            self,
            *,
            output_type: DALIImageType | None = ...,
            dtype: DALIDataType | DTypeLike | None = ...,
            adjust_orientation: bool | None = ...,
            fit: int | Sequence[int] | None = ...,
            jpeg_fancy_upsampling: bool | None = ...,
            hw_decoder_load: float | None = ...,
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
            cache_size: int | None = ...,
            cache_threshold: int | None = ...,
            cache_debug: bool | None = ...,
            cache_batch_copy: bool | None = ...,
            cache_type: int | None = ...,
            split_stages: bool | None = ...,
            use_chunk_allocator: bool | None = ...,
            bytes_per_sample_hint: int | None = ...,
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
            fit: int | Sequence[int] | None = ...,
            jpeg_fancy_upsampling: bool | None = ...,
            hw_decoder_load: float | None = ...,
            crop: float | Sequence[float] | DataNode | None = ...,
            crop_d: float | DataNode | None = ...,
            crop_h: float | DataNode | None = ...,
            crop_w: float | DataNode | None = ...,
            crop_pos_x: float | DataNode | None = ...,
            crop_pos_y: float | DataNode | None = ...,
            crop_pos_z: float | DataNode | None = ...,
            rounding: str | None = ...,
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
            cache_size: int | None = ...,
            cache_threshold: int | None = ...,
            cache_debug: bool | None = ...,
            cache_batch_copy: bool | None = ...,
            cache_type: int | None = ...,
            split_stages: bool | None = ...,
            use_chunk_allocator: bool | None = ...,
            bytes_per_sample_hint: int | None = ...,
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
            fit: int | Sequence[int] | None = ...,
            jpeg_fancy_upsampling: bool | None = ...,
            hw_decoder_load: float | None = ...,
            random_area: float | Sequence[float] | None = ...,
            random_aspect_ratio: float | Sequence[float] | None = ...,
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
            cache_size: int | None = ...,
            cache_threshold: int | None = ...,
            cache_debug: bool | None = ...,
            cache_batch_copy: bool | None = ...,
            cache_type: int | None = ...,
            split_stages: bool | None = ...,
            use_chunk_allocator: bool | None = ...,
            bytes_per_sample_hint: int | None = ...,
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
            fit: int | Sequence[int] | None = ...,
            jpeg_fancy_upsampling: bool | None = ...,
            hw_decoder_load: float | None = ...,
            axes: int | Sequence[int] | DataNode | None = ...,
            axis_names: str | None = ...,
            start: int | Sequence[int] | DataNode | None = ...,
            end: int | Sequence[int] | DataNode | None = ...,
            shape: int | Sequence[int] | DataNode | None = ...,
            rel_start: float | Sequence[float] | DataNode | None = ...,
            rel_end: float | Sequence[float] | DataNode | None = ...,
            rel_shape: float | Sequence[float] | DataNode | None = ...,
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
            cache_size: int | None = ...,
            cache_threshold: int | None = ...,
            cache_debug: bool | None = ...,
            cache_batch_copy: bool | None = ...,
            cache_type: int | None = ...,
            split_stages: bool | None = ...,
            use_chunk_allocator: bool | None = ...,
            bytes_per_sample_hint: int | None = ...,
            device: str | None = ...,
            name: str | None = ...,
        ) -> None: ...
        def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

    class Inflate:
        """`fn.decoders.inflate` as a class."""

        def __init__(
            self,
            *,
            shape: int | Sequence[int] | DataNode = ...,
            dtype: DALIDataType | DTypeLike | None = ...,
            layout: str | None = ...,
            chunk_offsets: int | Sequence[int] | DataNode | None = ...,
            chunk_sizes: int | Sequence[int] | DataNode | None = ...,
            sequence_axis_name: str | None = ...,
            algorithm: str | None = ...,
            seed: int | None = ...,
            preserve: bool | None = ...,
            check_output_size: bool | None = ...,
            bytes_per_sample_hint: int | None = ...,
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
            bytes_per_sample_hint: int | None = ...,
            device: str | None = ...,
            name: str | None = ...,
        ) -> None: ...
        def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class io:
    class file:
        class Read:
            """`fn.io.file.read` as a class."""

            def __init__(
                self,
                *,
                storage_options: Mapping[str, Any] | None = ...,
                seed: int | None = ...,
                preserve: bool | None = ...,
                dont_use_mmap: bool | None = ...,
                use_o_direct: bool | None = ...,
                bytes_per_sample_hint: int | None = ...,
                device: str | None = ...,
                name: str | None = ...,
            ) -> None: ...
            def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class random:
    class Beta:
        """`fn.random.beta` as a class."""

        def __init__(
            self,
            *,
            shape: int | Sequence[int] | DataNode | None = ...,
            dtype: DALIDataType | DTypeLike | None = ...,
            alpha: float | DataNode | None = ...,
            beta: float | DataNode | None = ...,
            seed: int | None = ...,
            preserve: bool | None = ...,
            bytes_per_sample_hint: int | None = ...,
            device: str | None = ...,
            name: str | None = ...,
        ) -> None: ...
        def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

    class Choice:
        """`fn.random.choice` as a class."""

        def __init__(
            self,
            *,
            p: float | Sequence[float] | DataNode | None = ...,
            shape: int | Sequence[int] | DataNode | None = ...,
            seed: int | None = ...,
            preserve: bool | None = ...,
            bytes_per_sample_hint: int | None = ...,
            device: str | None = ...,
            name: str | None = ...,
        ) -> None: ...
        def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

    class CoinFlip:
        """`fn.random.coin_flip` as a class."""

        def __init__(
            self,
            *,
            shape: int | Sequence[int] | DataNode | None = ...,
            dtype: DALIDataType | DTypeLike | None = ...,
            probability: float | DataNode | None = ...,
            seed: int | None = ...,
            preserve: bool | None = ...,
            bytes_per_sample_hint: int | None = ...,
            device: str | None = ...,
            name: str | None = ...,
        ) -> None: ...
        def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

    class Normal:
        """`fn.random.normal` as a class."""

        def __init__(
            self,
            *,
            shape: int | Sequence[int] | DataNode | None = ...,
            dtype: DALIDataType | DTypeLike | None = ...,
            mean: float | DataNode | None = ...,
            stddev: float | DataNode | None = ...,
            seed: int | None = ...,
            preserve: bool | None = ...,
            bytes_per_sample_hint: int | None = ...,
            device: str | None = ...,
            name: str | None = ...,
        ) -> None: ...
        def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

    class Uniform:
        """`fn.random.uniform` as a class."""

        def __init__(
            self,
            *,
            shape: int | Sequence[int] | DataNode | None = ...,
            dtype: DALIDataType | DTypeLike | None = ...,
            range: float | Sequence[float] | DataNode | None = ...,
            values: float | Sequence[float] | DataNode | None = ...,
            seed: int | None = ...,
            preserve: bool | None = ...,
            bytes_per_sample_hint: int | None = ...,
            device: str | None = ...,
            name: str | None = ...,
        ) -> None: ...
        def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class readers:
    class Caffe:
        """`fn.readers.caffe` as a class."""

        def __init__(
            self,
            *,
            image_available: bool | None = ...,
            label_available: bool | None = ...,
            random_shuffle: bool | None = ...,
            shuffle_after_epoch: bool | None = ...,
            shuffle_after_epoch_seed: int | None = ...,
            shuffle_seed: int | None = ...,
            shuffle_block: int | None = ...,
            shuffle_window: int | None = ...,
            shard_id: int | None = ...,
            num_shards: int | None = ...,
            stick_to_shard: bool | None = ...,
            pad_last_batch: bool | None = ...,
            prefetch_queue_depth: int | None = ...,
            storage_options: Mapping[str, Any] | None = ...,
            path: str | Sequence[str] = ...,
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
            bytes_per_sample_hint: int | None = ...,
            device: str | None = ...,
            name: str | None = ...,
        ) -> None: ...
        def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

    class Caffe2:
        """`fn.readers.caffe2` as a class."""

        def __init__(
            self,
            *,
            image_available: bool | None = ...,
            label_type: int | None = ...,
            num_labels: int | None = ...,
            additional_inputs: int | None = ...,
            bbox: bool | None = ...,
            random_shuffle: bool | None = ...,
            shuffle_after_epoch: bool | None = ...,
            shuffle_after_epoch_seed: int | None = ...,
            shuffle_seed: int | None = ...,
            shuffle_block: int | None = ...,
            shuffle_window: int | None = ...,
            shard_id: int | None = ...,
            num_shards: int | None = ...,
            stick_to_shard: bool | None = ...,
            pad_last_batch: bool | None = ...,
            prefetch_queue_depth: int | None = ...,
            storage_options: Mapping[str, Any] | None = ...,
            path: str | Sequence[str] = ...,
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
            bytes_per_sample_hint: int | None = ...,
            device: str | None = ...,
            name: str | None = ...,
        ) -> None: ...
        def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

    class File:
        """`fn.readers.file` as a class."""

        def __init__(
            self,
            *,
            file_root: str | None = ...,
            files: str | Sequence[str] | None = ...,
            labels: int | Sequence[int] | None = ...,
            file_list: str | None = ...,
            file_filters: str | Sequence[str] | None = ...,
            dir_filters: str | Sequence[str] | None = ...,
            case_sensitive_filter: bool | None = ...,
            random_shuffle: bool | None = ...,
            shuffle_after_epoch: bool | None = ...,
            shuffle_after_epoch_seed: int | None = ...,
            shuffle_seed: int | None = ...,
            shuffle_block: int | None = ...,
            shuffle_window: int | None = ...,
            shard_id: int | None = ...,
            num_shards: int | None = ...,
            stick_to_shard: bool | None = ...,
            pad_last_batch: bool | None = ...,
            prefetch_queue_depth: int | None = ...,
            storage_options: Mapping[str, Any] | None = ...,
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
            bytes_per_sample_hint: int | None = ...,
            device: str | None = ...,
            name: str | None = ...,
        ) -> None: ...
        def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

    class LMDB:
        """`fn.readers.lmdb` as a class."""

        def __init__(
            self,
            *,
            database: str | None = ...,
            values: str | None = ...,
            keys: bool | None = ...,
            random_shuffle: bool | None = ...,
            shuffle_after_epoch: bool | None = ...,
            shuffle_after_epoch_seed: int | None = ...,
            shuffle_seed: int | None = ...,
            shuffle_block: int | None = ...,
            shuffle_window: int | None = ...,
            shard_id: int | None = ...,
            num_shards: int | None = ...,
            stick_to_shard: bool | None = ...,
            pad_last_batch: bool | None = ...,
            prefetch_queue_depth: int | None = ...,
            storage_options: Mapping[str, Any] | None = ...,
            path: str | Sequence[str] = ...,
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
            bytes_per_sample_hint: int | None = ...,
            device: str | None = ...,
            name: str | None = ...,
        ) -> None: ...
        def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

    class MXNet:
        """`fn.readers.mxnet` as a class."""

        def __init__(
            self,
            *,
            path: str | Sequence[str] = ...,
            index_path: str | Sequence[str] | None = ...,
            header_records: str | None = ...,
            random_shuffle: bool | None = ...,
            shuffle_after_epoch: bool | None = ...,
            shuffle_after_epoch_seed: int | None = ...,
            shuffle_seed: int | None = ...,
            shuffle_block: int | None = ...,
            shuffle_window: int | None = ...,
            shard_id: int | None = ...,
            num_shards: int | None = ...,
            stick_to_shard: bool | None = ...,
            pad_last_batch: bool | None = ...,
            prefetch_queue_depth: int | None = ...,
            storage_options: Mapping[str, Any] | None = ...,
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
            bytes_per_sample_hint: int | None = ...,
            device: str | None = ...,
            name: str | None = ...,
        ) -> None: ...
        def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

    class Numpy:
        """`fn.readers.numpy` as a class."""

        def __init__(
            self,
            *,
            files: str | Sequence[str] | None = ...,
            file_list: str | None = ...,
            file_root: str | None = ...,
            file_filter: str | None = ...,
            member_filter: str | None = ...,
            sample_axis: int | None = ...,
            roi: Any | None = ...,
            roi_start: int | Sequence[int] | DataNode | None = ...,
            roi_end: int | Sequence[int] | DataNode | None = ...,
            roi_shape: int | Sequence[int] | DataNode | None = ...,
            rel_roi_start: float | Sequence[float] | DataNode | None = ...,
            rel_roi_end: float | Sequence[float] | DataNode | None = ...,
            rel_roi_shape: float | Sequence[float] | DataNode | None = ...,
            roi_axes: int | Sequence[int] | None = ...,
            out_of_bounds_policy: str | None = ...,
            fill_value: float | None = ...,
            cache_header_information: bool | None = ...,
            random_shuffle: bool | None = ...,
            shuffle_after_epoch: bool | None = ...,
            shuffle_after_epoch_seed: int | None = ...,
            shuffle_seed: int | None = ...,
            shuffle_block: int | None = ...,
            shuffle_window: int | None = ...,
            shard_id: int | None = ...,
            num_shards: int | None = ...,
            stick_to_shard: bool | None = ...,
            pad_last_batch: bool | None = ...,
            prefetch_queue_depth: int | None = ...,
            storage_options: Mapping[str, Any] | None = ...,
            use_o_direct: bool | None = ...,
            seed: int | None = ...,
            preserve: bool | None = ...,
            register_buffers: bool | None = ...,
            initial_fill: int | None = ...,
            read_ahead: bool | None = ...,
            skip_cached_images: bool | None = ...,
            lazy_init: bool | None = ...,
            dont_use_mmap: bool | None = ...,
            tensor_init_bytes: int | None = ...,
            bytes_per_sample: float | None = ...,
            bytes_per_sample_hint: int | None = ...,
            device: str | None = ...,
            name: str | None = ...,
        ) -> None: ...
        def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

    class Sequence:
        """`fn.readers.sequence` as a class."""

        def __init__(
            self,
            *,
            file_root: str = ...,
            sequence_length: int = ...,
            step: int | None = ...,
            stride: int | None = ...,
            image_type: DALIImageType | None = ...,
            random_shuffle: bool | None = ...,
            shuffle_after_epoch: bool | None = ...,
            shuffle_after_epoch_seed: int | None = ...,
            shuffle_seed: int | None = ...,
            shuffle_block: int | None = ...,
            shuffle_window: int | None = ...,
            shard_id: int | None = ...,
            num_shards: int | None = ...,
            stick_to_shard: bool | None = ...,
            pad_last_batch: bool | None = ...,
            prefetch_queue_depth: int | None = ...,
            storage_options: Mapping[str, Any] | None = ...,
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
            bytes_per_sample_hint: int | None = ...,
            device: str | None = ...,
            name: str | None = ...,
        ) -> None: ...
        def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

    class TFRecord:
        """`fn.readers.tfrecord` as a class."""

        def __init__(
            self,
            *,
            path: str | Sequence[str] = ...,
            index_path: str | Sequence[str] | None = ...,
            features: Any = ...,
            sequence_features: Any | None = ...,
            verify_crc: str | None = ...,
            random_shuffle: bool | None = ...,
            shuffle_after_epoch: bool | None = ...,
            shuffle_after_epoch_seed: int | None = ...,
            shuffle_seed: int | None = ...,
            shuffle_block: int | None = ...,
            shuffle_window: int | None = ...,
            shard_id: int | None = ...,
            num_shards: int | None = ...,
            stick_to_shard: bool | None = ...,
            pad_last_batch: bool | None = ...,
            prefetch_queue_depth: int | None = ...,
            storage_options: Mapping[str, Any] | None = ...,
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
            bytes_per_sample_hint: int | None = ...,
            device: str | None = ...,
            name: str | None = ...,
        ) -> None: ...
        def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

    class Webdataset:
        """`fn.readers.webdataset` as a class."""

        def __init__(
            self,
            *,
            paths: str | Sequence[str] = ...,
            ext: str | Sequence[str] = ...,
            index_paths: str | Sequence[str] | None = ...,
            missing_component_behavior: str | None = ...,
            dtypes: DALIDataType | DTypeLike | Sequence[DALIDataType | DTypeLike] | None = ...,
            case_sensitive_extensions: bool | None = ...,
            extension_dot: str | None = ...,
            random_shuffle: bool | None = ...,
            shuffle_after_epoch: bool | None = ...,
            shuffle_after_epoch_seed: int | None = ...,
            shuffle_seed: int | None = ...,
            shuffle_block: int | None = ...,
            shuffle_window: int | None = ...,
            shard_id: int | None = ...,
            num_shards: int | None = ...,
            stick_to_shard: bool | None = ...,
            pad_last_batch: bool | None = ...,
            prefetch_queue_depth: int | None = ...,
            storage_options: Mapping[str, Any] | None = ...,
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
            bytes_per_sample_hint: int | None = ...,
            device: str | None = ...,
            name: str | None = ...,
        ) -> None: ...
        def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...
