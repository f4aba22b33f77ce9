"""Signatures of the operators; made by docs/generate.py from their declarations."""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, overload

from numpy.typing import ArrayLike, DTypeLike

from . import ops as _ops
from .engine.graph.nodes import DataNode
from .engine.tensors.dtypes import DALIDataType, DALIImageType, DALIInterpType

class Compose:
    """Operators applied one after the other: `Compose([a, b])(x)` is `b(a(x))`."""

    def __init__(self, op_list: Sequence[Callable[..., Any]]) -> None: ...
    def __call__(self, *inputs: Any) -> Any: ...

AudioDecoder = _ops.decoders.Audio

class AudioResample:
    """`fn.audio_resample` as a class."""

    def __init__(
        self,
        *,
        dtype: DALIDataType | DTypeLike | None = ...,
        in_rate: float | DataNode | None = ...,
        out_rate: float | DataNode | None = ...,
        out_length: int | DataNode | None = ...,
        scale: float | DataNode | None = ...,
        quality: float | None = ...,
        antialias: bool | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class BatchPermutation:
    """`fn.batch_permutation` as a class."""

    def __init__(
        self,
        *,
        allow_repetitions: bool | None = ...,
        no_fixed_points: bool | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class BbFlip:
    """`fn.bb_flip` as a class."""

    def __init__(
        self,
        *,
        ltrb: bool | None = ...,
        horizontal: int | DataNode | None = ...,
        vertical: int | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class BBoxPaste:
    """`fn.bbox_paste` as a class."""

    def __init__(
        self,
        *,
        ratio: float | DataNode = ...,
        ltrb: bool | None = ...,
        paste_x: float | DataNode | None = ...,
        paste_y: float | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class BBoxRotate:
    """`fn.bbox_rotate` as a class."""

    def __init__(
        self,
        *,
        angle: float | DataNode = ...,
        input_shape: int | Sequence[int] | DataNode = ...,
        shape_layout: str | None = ...,
        bbox_layout: Literal['xyXY', 'xyWH'] | None = ...,
        bbox_normalized: bool | None = ...,
        keep_size: bool | None = ...,
        size: float | Sequence[float] | DataNode | None = ...,
        mode: Literal['expand', 'fixed', 'halfway'] | None = ...,
        remove_threshold: float | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class BoxEncoder:
    """`fn.box_encoder` as a class."""

    def __init__(
        self,
        *,
        anchors: float | Sequence[float] = ...,
        criteria: float | None = ...,
        offset: bool | None = ...,
        scale: float | None = ...,
        means: float | Sequence[float] | None = ...,
        stds: float | Sequence[float] | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Brightness:
    """`fn.brightness` as a class."""

    def __init__(
        self,
        *,
        dtype: DALIDataType | DTypeLike | None = ...,
        brightness: float | DataNode | None = ...,
        brightness_shift: float | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class BrightnessContrast:
    """`fn.brightness_contrast` as a class."""

    def __init__(
        self,
        *,
        dtype: DALIDataType | DTypeLike | None = ...,
        brightness: float | DataNode | None = ...,
        brightness_shift: float | DataNode | None = ...,
        contrast: float | DataNode | None = ...,
        contrast_center: float | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

Caffe2Reader = _ops.readers.Caffe2

CaffeReader = _ops.readers.Caffe

class Cast:
    """`fn.cast` as a class."""

    def __init__(
        self,
        *,
        dtype: DALIDataType | DTypeLike = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Clahe:
    """`fn.clahe` as a class."""

    def __init__(
        self,
        *,
        clip_limit: float = ...,
        luma_only: bool | None = ...,
        tiles_x: int = ...,
        tiles_y: int = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bins: int | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

COCOReader = _ops.readers.COCO

CoinFlip = _ops.random.CoinFlip

class ColorSpaceConversion:
    """`fn.color_space_conversion` as a class."""

    def __init__(
        self,
        *,
        image_type: DALIImageType = ...,
        output_type: DALIImageType = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class ColorTwist:
    """`fn.color_twist` as a class."""

    def __init__(
        self,
        *,
        dtype: DALIDataType | DTypeLike | None = ...,
        brightness: float | DataNode | None = ...,
        contrast: float | DataNode | None = ...,
        hue: float | DataNode | None = ...,
        saturation: float | DataNode | None = ...,
        image_type: DALIImageType | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Contrast:
    """`fn.contrast` as a class."""

    def __init__(
        self,
        *,
        dtype: DALIDataType | DTypeLike | None = ...,
        contrast: float | DataNode | None = ...,
        contrast_center: float | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class CoordFlip:
    """`fn.coord_flip` as a class."""

    def __init__(
        self,
        *,
        layout: str | None = ...,
        flip_x: int | DataNode | None = ...,
        flip_y: int | DataNode | None = ...,
        flip_z: int | DataNode | None = ...,
        center_x: float | DataNode | None = ...,
        center_y: float | DataNode | None = ...,
        center_z: float | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class CoordTransform:
    """`fn.coord_transform` as a class."""

    def __init__(
        self,
        *,
        M: float | Sequence[float] | DataNode | None = ...,
        T: float | Sequence[float] | DataNode | None = ...,
        MT: float | Sequence[float] | DataNode | None = ...,
        dtype: DALIDataType | DTypeLike | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
        out_of_bounds_policy: Literal['error', 'constant', 'pad', 'trim_to_shape'] | None = ...,
        fill_values: float | Sequence[float] | None = ...,
        crop: float | Sequence[float] | DataNode | None = ...,
        crop_d: float | DataNode | None = ...,
        crop_h: float | DataNode | None = ...,
        crop_w: float | DataNode | None = ...,
        crop_pos_x: float | DataNode | None = ...,
        crop_pos_y: float | DataNode | None = ...,
        crop_pos_z: float | DataNode | None = ...,
        rounding: Literal['round', 'truncate'] | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        image_type: DALIImageType | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
        out_of_bounds_policy: Literal['error', 'constant', 'pad', 'trim_to_shape'] | None = ...,
        fill_values: float | Sequence[float] | None = ...,
        crop: float | Sequence[float] | DataNode | None = ...,
        crop_d: float | DataNode | None = ...,
        crop_h: float | DataNode | None = ...,
        crop_w: float | DataNode | None = ...,
        crop_pos_x: float | DataNode | None = ...,
        crop_pos_y: float | DataNode | None = ...,
        crop_pos_z: float | DataNode | None = ...,
        rounding: Literal['round', 'truncate'] | None = ...,
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
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Debayer:
    """`fn.debayer` as a class."""

    def __init__(
        self,
        *,
        algorithm: Literal['bilinear_ocv', 'default_npp', 'edgeaware_ocv', 'vng_ocv', 'gray_ocv'] | None = ...,
        blue_position: int | Sequence[int] | DataNode = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class DLTensorPythonFunction:
    """`fn.dl_tensor_python_function` as a class."""

    def __init__(
        self,
        *,
        function: Callable[..., Any] = ...,
        num_outputs: int | None = ...,
        output_layouts: Any | None = ...,
        batch_processing: bool | None = ...,
        synchronize_stream: bool | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class DumpImage:
    """`fn.dump_image` as a class."""

    def __init__(
        self,
        *,
        input_layout: str | None = ...,
        suffix: str | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class ElementExtract:
    """`fn.element_extract` as a class."""

    def __init__(
        self,
        *,
        element_map: int | Sequence[int] = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Equalize:
    """`fn.equalize` as a class."""

    def __init__(
        self,
        *,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Erase:
    """`fn.erase` as a class."""

    def __init__(
        self,
        *,
        anchor: float | Sequence[float] | DataNode | None = ...,
        axes: int | Sequence[int] | None = ...,
        axis_names: str | None = ...,
        centered_anchor: bool | None = ...,
        fill_value: float | Sequence[float] | DataNode | None = ...,
        normalized: bool | None = ...,
        normalized_anchor: bool | None = ...,
        normalized_shape: bool | None = ...,
        shape: float | Sequence[float] | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
        blocking: bool | None = ...,
        cuda_stream: Any | None = ...,
        batch: bool | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        use_copy_kernel: bool | None = ...,
        prefetch_queue_depth: int | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
        mode: Literal['default', 'stretch', 'not_larger', 'not_smaller'] | None = ...,
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
        rounding: Literal['round', 'truncate'] | None = ...,
        mirror: int | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        temp_buffer_hint: int | None = ...,
        minibatch_size: int | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

FileReader = _ops.readers.File

class Filter:
    """`fn.filter` as a class."""

    def __init__(
        self,
        *,
        anchor: int | Sequence[int] | DataNode | None = ...,
        border: Literal['reflect_101', 'reflect_1001', 'wrap', 'clamp', 'constant', 'reflect', 'edge', 'pad'] | None = ...,
        dtype: DALIDataType | DTypeLike | None = ...,
        mode: Literal['same', 'valid'] | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class GaussianBlur:
    """`fn.gaussian_blur` as a class."""

    def __init__(
        self,
        *,
        dtype: DALIDataType | DTypeLike | None = ...,
        sigma: float | Sequence[float] | DataNode | None = ...,
        window_size: int | Sequence[int] | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class GetProperty:
    """`fn.get_property` as a class."""

    def __init__(
        self,
        *,
        key: Literal['source_info', 'layout'] = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class GridMask:
    """`fn.grid_mask` as a class."""

    def __init__(
        self,
        *,
        angle: float | DataNode | None = ...,
        ratio: float | DataNode | None = ...,
        shift_x: float | DataNode | None = ...,
        shift_y: float | DataNode | None = ...,
        tile: int | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Hsv:
    """`fn.hsv` as a class."""

    def __init__(
        self,
        *,
        dtype: DALIDataType | DTypeLike | None = ...,
        hue: float | DataNode | None = ...,
        saturation: float | DataNode | None = ...,
        value: float | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Hue:
    """`fn.hue` as a class."""

    def __init__(
        self,
        *,
        dtype: DALIDataType | DTypeLike | None = ...,
        hue: float | DataNode | None = ...,
        image_type: DALIImageType | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

ImageDecoder = _ops.decoders.Image

ImageDecoderCrop = _ops.decoders.ImageCrop

ImageDecoderRandomCrop = _ops.decoders.ImageRandomCrop

ImageDecoderSlice = _ops.decoders.ImageSlice

class Jitter:
    """`fn.jitter` as a class."""

    def __init__(
        self,
        *,
        fill_value: float | None = ...,
        interp_type: DALIInterpType | None = ...,
        mask: int | DataNode | None = ...,
        nDegree: int | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class JpegCompressionDistortion:
    """`fn.jpeg_compression_distortion` as a class."""

    def __init__(
        self,
        *,
        quality: int | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Laplacian:
    """`fn.laplacian` as a class."""

    def __init__(
        self,
        *,
        dtype: DALIDataType | DTypeLike | None = ...,
        normalized_kernel: bool | None = ...,
        scale: float | Sequence[float] | DataNode | None = ...,
        smoothing_size: int | Sequence[int] | DataNode | None = ...,
        window_size: int | Sequence[int] | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class LookupTable:
    """`fn.lookup_table` as a class."""

    def __init__(
        self,
        *,
        default_value: float | None = ...,
        dtype: DALIDataType | DTypeLike | None = ...,
        output_dtype: DALIDataType | DTypeLike | None = ...,
        keys: int | Sequence[int] | None = ...,
        values: float | Sequence[float] | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class MelFilterBank:
    """`fn.mel_filter_bank` as a class."""

    def __init__(
        self,
        *,
        freq_high: float | None = ...,
        freq_low: float | None = ...,
        mel_formula: Literal['slaney', 'htk'] | None = ...,
        nfilter: int | None = ...,
        normalize: bool | None = ...,
        sample_rate: float | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class MFCC:
    """`fn.mfcc` as a class."""

    def __init__(
        self,
        *,
        axis: int | None = ...,
        dct_type: int | None = ...,
        lifter: float | None = ...,
        n_mfcc: int | None = ...,
        normalize: bool | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class MultiPaste:
    """`fn.multi_paste` as a class."""

    def __init__(
        self,
        *,
        in_ids: int | Sequence[int] | DataNode | None = ...,
        output_size: int | Sequence[int] | DataNode | None = ...,
        in_anchors: ArrayLike | DataNode | None = ...,
        in_anchors_rel: ArrayLike | DataNode | None = ...,
        out_anchors: ArrayLike | DataNode | None = ...,
        out_anchors_rel: ArrayLike | DataNode | None = ...,
        shapes: ArrayLike | DataNode | None = ...,
        shapes_rel: ArrayLike | DataNode | None = ...,
        dtype: DALIDataType | DTypeLike | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

MXNetReader = _ops.readers.MXNet

NemoAsrReader = _ops.readers.NemoAsr

class NonsilentRegion:
    """`fn.nonsilent_region` as a class."""

    def __init__(
        self,
        *,
        cutoff_db: float | None = ...,
        reference_power: float | None = ...,
        reset_interval: int | None = ...,
        window_length: int | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

NormalDistribution = _ops.random.Normal

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
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

NumpyReader = _ops.readers.Numpy

class OneHot:
    """`fn.one_hot` as a class."""

    def __init__(
        self,
        *,
        axis: int | None = ...,
        axis_name: str | None = ...,
        dtype: DALIDataType | DTypeLike | None = ...,
        num_classes: int | None = ...,
        off_value: float | None = ...,
        on_value: float | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class OpticalFlow:
    """`fn.optical_flow` as a class."""

    def __init__(
        self,
        *,
        enable_external_hints: bool | None = ...,
        enable_temporal_hints: bool | None = ...,
        hint_grid: int | None = ...,
        image_type: DALIImageType | None = ...,
        output_format: int | None = ...,
        output_grid: int | None = ...,
        preset: float | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Paste:
    """`fn.paste` as a class."""

    def __init__(
        self,
        *,
        fill_value: float | Sequence[float] = ...,
        ratio: float | DataNode = ...,
        n_channels: int | None = ...,
        min_canvas_size: float | DataNode | None = ...,
        paste_x: float | DataNode | None = ...,
        paste_y: float | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class PerFrame:
    """`fn.per_frame` as a class."""

    def __init__(
        self,
        *,
        replace: bool | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class PowerSpectrum:
    """`fn.power_spectrum` as a class."""

    def __init__(
        self,
        *,
        axis: int | None = ...,
        nfft: int | None = ...,
        power: int | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class PreemphasisFilter:
    """`fn.preemphasis_filter` as a class."""

    def __init__(
        self,
        *,
        border: Literal['zero', 'clamp', 'reflect'] | None = ...,
        dtype: DALIDataType | DTypeLike | None = ...,
        preemph_coeff: float | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
        num_outputs: int | None = ...,
        output_layouts: Any | None = ...,
        batch_processing: bool | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class RandomBBoxCrop:
    """`fn.random_bbox_crop` as a class."""

    def __init__(
        self,
        *,
        aspect_ratio: float | Sequence[float] | None = ...,
        scaling: float | Sequence[float] | None = ...,
        thresholds: float | Sequence[float] | None = ...,
        threshold_type: Literal['iou', 'overlap'] | None = ...,
        all_boxes_above_threshold: bool | None = ...,
        allow_no_crop: bool | None = ...,
        num_attempts: int | None = ...,
        total_num_attempts: int | None = ...,
        bbox_prune_threshold: float | None = ...,
        bbox_layout: str | None = ...,
        ltrb: bool | None = ...,
        crop_shape: int | Sequence[int] | DataNode | None = ...,
        input_shape: int | Sequence[int] | DataNode | None = ...,
        shape_layout: str | None = ...,
        output_bbox_indices: bool | None = ...,
        quiet: bool | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class RandomCropGenerator:
    """`fn.random_crop_generator` as a class."""

    def __init__(
        self,
        *,
        num_attempts: int | None = ...,
        random_area: float | Sequence[float] | None = ...,
        random_aspect_ratio: float | Sequence[float] | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
        mode: Literal['default', 'stretch', 'not_larger', 'not_smaller'] | None = ...,
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
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
        mode: Literal['default', 'stretch', 'not_larger', 'not_smaller'] | None = ...,
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
        rounding: Literal['round', 'truncate'] | None = ...,
        mirror: int | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        temp_buffer_hint: int | None = ...,
        minibatch_size: int | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class ROIRandomCrop:
    """`fn.roi_random_crop` as a class."""

    def __init__(
        self,
        *,
        crop_shape: int | Sequence[int] | DataNode = ...,
        roi_start: int | Sequence[int] | DataNode = ...,
        roi_end: int | Sequence[int] | DataNode | None = ...,
        roi_shape: int | Sequence[int] | DataNode | None = ...,
        in_shape: int | Sequence[int] | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Rotate:
    """`fn.rotate` as a class."""

    def __init__(
        self,
        *,
        fill_value: float | None = ...,
        interp_type: DALIInterpType | None = ...,
        size: float | Sequence[float] | DataNode | None = ...,
        dtype: DALIDataType | DTypeLike | None = ...,
        output_dtype: DALIDataType | DTypeLike | None = ...,
        angle: float | Sequence[float] | DataNode = ...,
        axis: float | Sequence[float] | DataNode | None = ...,
        keep_size: bool | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Saturation:
    """`fn.saturation` as a class."""

    def __init__(
        self,
        *,
        dtype: DALIDataType | DTypeLike | None = ...,
        saturation: float | DataNode | None = ...,
        image_type: DALIImageType | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

SequenceReader = _ops.readers.Sequence

class SequenceRearrange:
    """`fn.sequence_rearrange` as a class."""

    def __init__(
        self,
        *,
        new_order: int | Sequence[int] | DataNode = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
        out_of_bounds_policy: Literal['error', 'constant', 'pad', 'trim_to_shape', 'edge', 'clamp', 'reflect', 'reflect_1001', 'reflect_101', 'wrap'] | None = ...,
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
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Spectrogram:
    """`fn.spectrogram` as a class."""

    def __init__(
        self,
        *,
        center_windows: bool | None = ...,
        layout: Literal['ft', 'tf'] | None = ...,
        nfft: int | None = ...,
        power: int | None = ...,
        reflect_padding: bool | None = ...,
        window_fn: float | Sequence[float] | None = ...,
        window_length: int | None = ...,
        window_step: int | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Sphere:
    """`fn.sphere` as a class."""

    def __init__(
        self,
        *,
        fill_value: float | None = ...,
        interp_type: DALIInterpType | None = ...,
        mask: int | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class SSDRandomCrop:
    """`fn.ssd_random_crop` as a class."""

    def __init__(
        self,
        *,
        num_attempts: int | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class TensorResize:
    """`fn.tensor_resize` as a class."""

    def __init__(
        self,
        *,
        interp_type: DALIInterpType | DataNode | None = ...,
        min_filter: DALIInterpType | DataNode | None = ...,
        mag_filter: DALIInterpType | DataNode | None = ...,
        antialias: bool | None = ...,
        dtype: DALIDataType | DTypeLike | None = ...,
        alignment: float | Sequence[float] | DataNode | None = ...,
        axes: int | Sequence[int] | None = ...,
        axis_names: str | None = ...,
        max_size: float | Sequence[float] | None = ...,
        mode: Literal['default', 'stretch', 'not_larger', 'not_smaller'] | None = ...,
        roi_end: float | Sequence[float] | DataNode | None = ...,
        roi_relative: bool | None = ...,
        roi_start: float | Sequence[float] | DataNode | None = ...,
        scales: float | Sequence[float] | DataNode | None = ...,
        size_rounding: Literal['round', 'truncate', 'ceil'] | None = ...,
        sizes: float | Sequence[float] | DataNode | None = ...,
        subpixel_scale: bool | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        temp_buffer_hint: int | None = ...,
        minibatch_size: int | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

TFRecordReader = _ops.readers.TFRecord

class ToDecibels:
    """`fn.to_decibels` as a class."""

    def __init__(
        self,
        *,
        cutoff_db: float | None = ...,
        multiplier: float | None = ...,
        reference: float | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

TransformTranslation = _ops.transforms.Translation

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
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

Uniform = _ops.random.Uniform

VideoReader = _ops.readers.Video

VideoReaderResize = _ops.readers.VideoResize

class WarpAffine:
    """`fn.warp_affine` as a class."""

    def __init__(
        self,
        *,
        fill_value: float | None = ...,
        interp_type: DALIInterpType | None = ...,
        size: float | Sequence[float] | DataNode | None = ...,
        dtype: DALIDataType | DTypeLike | None = ...,
        output_dtype: DALIDataType | DTypeLike | None = ...,
        matrix: float | Sequence[float] | DataNode | None = ...,
        inverse_map: bool | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Water:
    """`fn.water` as a class."""

    def __init__(
        self,
        *,
        fill_value: float | None = ...,
        interp_type: DALIInterpType | None = ...,
        mask: int | DataNode | None = ...,
        ampl_x: float | None = ...,
        ampl_y: float | None = ...,
        freq_x: float | None = ...,
        freq_y: float | None = ...,
        phase_x: float | None = ...,
        phase_y: float | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

WebdatasetReader = _ops.readers.Webdataset

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
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class decoders:
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
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
            cache_type: str | None = ...,
            split_stages: bool | None = ...,
            use_chunk_allocator: bool | None = ...,
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
            cache_size: int | None = ...,
            cache_threshold: int | None = ...,
            cache_debug: bool | None = ...,
            cache_batch_copy: bool | None = ...,
            cache_type: str | None = ...,
            split_stages: bool | None = ...,
            use_chunk_allocator: bool | None = ...,
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
            cache_type: str | None = ...,
            split_stages: bool | None = ...,
            use_chunk_allocator: bool | None = ...,
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
            cache_type: str | None = ...,
            split_stages: bool | None = ...,
            use_chunk_allocator: bool | None = ...,
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
            frames: int | Sequence[int] | DataNode | None = ...,
            start_frame: int | DataNode | None = ...,
            end_frame: int | DataNode | None = ...,
            sequence_length: int | DataNode | None = ...,
            stride: int | DataNode | None = ...,
            pad_mode: Literal['none', 'constant', 'edge', 'repeat', 'reflect_1001', 'symmetric', 'reflect_101', 'reflect'] | None = ...,
            fill_value: int | Sequence[int] | None = ...,
            seed: int | None = ...,
            preserve: bool | None = ...,
            affine: bool | None = ...,
            build_index: bool | None = ...,
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
            device: str | None = ...,
            name: str | None = ...,
        ) -> None: ...
        def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class experimental:
    AudioResample = _ops.AudioResample

    Debayer = _ops.Debayer

    class Dilate:
        """`fn.experimental.dilate` as a class."""

        def __init__(
            self,
            *,
            anchor: int | Sequence[int] | DataNode | None = ...,
            border_mode: Literal['constant', 'replicate', 'reflect', 'reflect_101', 'wrap'] | None = ...,
            iterations: int | None = ...,
            mask_size: int | Sequence[int] | DataNode | None = ...,
            seed: int | None = ...,
            preserve: bool | None = ...,
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
            anchor: int | Sequence[int] | DataNode | None = ...,
            border_mode: Literal['constant', 'replicate', 'reflect', 'reflect_101', 'wrap'] | None = ...,
            iterations: int | None = ...,
            mask_size: int | Sequence[int] | DataNode | None = ...,
            seed: int | None = ...,
            preserve: bool | None = ...,
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
            window_size: int | Sequence[int] | DataNode | None = ...,
            seed: int | None = ...,
            preserve: bool | None = ...,
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
            matrix: float | Sequence[float] | DataNode | None = ...,
            size: float | Sequence[float] | DataNode | None = ...,
            inverse_map: bool | None = ...,
            pixel_origin: Literal['corner', 'center'] | None = ...,
            interp_type: DALIInterpType | None = ...,
            border_mode: Literal['constant', 'replicate', 'reflect', 'reflect_101', 'wrap'] | None = ...,
            fill_value: float | Sequence[float] | None = ...,
            seed: int | None = ...,
            preserve: bool | None = ...,
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
            device: str | None = ...,
            name: str | None = ...,
        ) -> None: ...
        def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

    class decoders:
        Image = _ops.decoders.Image

        ImageCrop = _ops.decoders.ImageCrop

        ImageRandomCrop = _ops.decoders.ImageRandomCrop

        ImageSlice = _ops.decoders.ImageSlice

        Video = _ops.decoders.Video

    class inputs:
        class Video:
            """`fn.experimental.inputs.video` as a class."""

            def __init__(
                self,
                *,
                sequence_length: int = ...,
                last_sequence_policy: Literal['partial', 'pad'] | None = ...,
                blocking: bool | None = ...,
                no_copy: bool | None = ...,
                seed: int | None = ...,
                preserve: bool | None = ...,
                affine: bool | None = ...,
                bytes_per_sample_hint: int | Sequence[int] | None = ...,
                device: str | None = ...,
                name: str | None = ...,
            ) -> None: ...
            def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

    class readers:
        class Fits:
            """`fn.experimental.readers.fits` as a class."""

            def __init__(
                self,
                *,
                files: str | Sequence[str] | None = ...,
                file_list: str | None = ...,
                file_root: str | None = ...,
                file_filter: str | None = ...,
                hdu_indices: int | Sequence[int] | None = ...,
                dtypes: DALIDataType | DTypeLike | Sequence[DALIDataType | DTypeLike] | None = ...,
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
                bytes_per_sample_hint: int | Sequence[int] | None = ...,
                device: str | None = ...,
                name: str | None = ...,
            ) -> None: ...
            def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

        class Video:
            """`fn.experimental.readers.video` as a class."""

            def __init__(
                self,
                *,
                labels: int | Sequence[int] | None = ...,
                file_list_format: Literal['timestamps', 'frames'] | None = ...,
                file_list_rounding: Literal['start_down_end_up', 'start_up_end_down', 'all_up', 'all_down'] | None = ...,
                file_list_include_end: bool | None = ...,
                pad_mode: Literal['none', 'constant', 'edge', 'repeat', 'reflect_1001', 'symmetric', 'reflect_101', 'reflect'] | None = ...,
                fill_value: int | Sequence[int] | None = ...,
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
                pad_last_batch: bool | None = ...,
                prefetch_queue_depth: int | None = ...,
                storage_options: Mapping[str, Any] | None = ...,
                audio: bool | None = ...,
                audio_rate: float | None = ...,
                audio_downmix: bool | None = ...,
                filenames: str | Sequence[str] | None = ...,
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
                bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
                bytes_per_sample_hint: int | Sequence[int] | None = ...,
                device: str | None = ...,
                name: str | None = ...,
            ) -> None: ...
            def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class noise:
    class Gaussian:
        """`fn.noise.gaussian` as a class."""

        def __init__(
            self,
            *,
            mean: float | DataNode | None = ...,
            stddev: float | DataNode | None = ...,
            seed: int | None = ...,
            preserve: bool | None = ...,
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
            device: str | None = ...,
            name: str | None = ...,
        ) -> None: ...
        def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

    class COCO:
        """`fn.readers.coco` as a class."""

        def __init__(
            self,
            *,
            file_root: str = ...,
            annotations_file: str | None = ...,
            preprocessed_annotations: str | None = ...,
            save_preprocessed_annotations: bool | None = ...,
            save_preprocessed_annotations_dir: str | None = ...,
            images: str | Sequence[str] | None = ...,
            skip_empty: bool | None = ...,
            size_threshold: float | None = ...,
            include_iscrowd: bool | None = ...,
            avoid_class_remapping: bool | None = ...,
            ltrb: bool | None = ...,
            ratio: bool | None = ...,
            polygon_masks: bool | None = ...,
            pixelwise_masks: bool | None = ...,
            image_ids: bool | None = ...,
            keypoints: bool | None = ...,
            panoptic_root: str | None = ...,
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
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
            ext: str | Sequence[str] | None = ...,
            dtypes: DALIDataType | DTypeLike | Sequence[DALIDataType | DTypeLike] | None = ...,
            missing_component_behavior: Literal['empty', 'skip', 'error'] | None = ...,
            values: Literal['bytes', 'npy', 'pickle'] | None = ...,
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
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
            header_records: Literal['skip', 'keep'] | None = ...,
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
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
            device: str | None = ...,
            name: str | None = ...,
        ) -> None: ...
        def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

    class NemoAsr:
        """`fn.readers.nemo_asr` as a class."""

        def __init__(
            self,
            *,
            manifest_filepaths: str | Sequence[str] = ...,
            tarred_audio_filepaths: str | Sequence[str] | None = ...,
            dtype: DALIDataType | DTypeLike | None = ...,
            downmix: bool | None = ...,
            sample_rate: float | None = ...,
            quality: float | None = ...,
            antialias: bool | None = ...,
            min_duration: float | None = ...,
            max_duration: float | None = ...,
            read_sample_rate: bool | None = ...,
            read_text: bool | None = ...,
            read_idxs: bool | None = ...,
            order: Literal['manifest', 'ascending', 'descending'] | None = ...,
            bucket_size: int | None = ...,
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
            normalize_text: bool | None = ...,
            initial_fill: int | None = ...,
            read_ahead: bool | None = ...,
            skip_cached_images: bool | None = ...,
            lazy_init: bool | None = ...,
            dont_use_mmap: bool | None = ...,
            use_o_direct: bool | None = ...,
            tensor_init_bytes: int | None = ...,
            bytes_per_sample: float | None = ...,
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
            out_of_bounds_policy: Literal['error', 'pad', 'trim_to_shape'] | None = ...,
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
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
            device: str | None = ...,
            name: str | None = ...,
        ) -> None: ...
        def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

    class Parquet:
        """`fn.readers.parquet` as a class."""

        def __init__(
            self,
            *,
            path: str | Sequence[str] = ...,
            columns: str | Sequence[str] = ...,
            dtypes: DALIDataType | DTypeLike | Sequence[DALIDataType | DTypeLike] | None = ...,
            cache_bytes: int | None = ...,
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
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
            verify_crc: Literal['always', 'index', 'never'] | None = ...,
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
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
            device: str | None = ...,
            name: str | None = ...,
        ) -> None: ...
        def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

    class Video:
        """`fn.readers.video` as a class."""

        def __init__(
            self,
            *,
            labels: int | Sequence[int] | None = ...,
            file_list_frame_num: bool | None = ...,
            file_list_include_preceding_frame: bool | None = ...,
            pad_sequences: bool | None = ...,
            dtype: DALIDataType | DTypeLike | None = ...,
            normalized: bool | None = ...,
            channels: int | None = ...,
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
            audio: bool | None = ...,
            audio_rate: float | None = ...,
            audio_downmix: bool | None = ...,
            filenames: str | Sequence[str] | None = ...,
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
            skip_vfr_check: bool | None = ...,
            additional_decode_surfaces: int | None = ...,
            initial_fill: int | None = ...,
            read_ahead: bool | None = ...,
            skip_cached_images: bool | None = ...,
            lazy_init: bool | None = ...,
            dont_use_mmap: bool | None = ...,
            use_o_direct: bool | None = ...,
            tensor_init_bytes: int | None = ...,
            bytes_per_sample: float | None = ...,
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
            device: str | None = ...,
            name: str | None = ...,
        ) -> None: ...
        def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

    class VideoResize:
        """`fn.readers.video_resize` as a class."""

        def __init__(
            self,
            *,
            antialias: bool | None = ...,
            interp_type: DALIInterpType | None = ...,
            mag_filter: DALIInterpType | None = ...,
            max_size: float | Sequence[float] | None = ...,
            min_filter: DALIInterpType | None = ...,
            mode: Literal['default', 'stretch', 'not_larger', 'not_smaller'] | None = ...,
            resize_longer: float | None = ...,
            resize_shorter: float | None = ...,
            resize_x: float | None = ...,
            resize_y: float | None = ...,
            resize_z: float | None = ...,
            roi_end: float | Sequence[float] | None = ...,
            roi_relative: bool | None = ...,
            roi_start: float | Sequence[float] | None = ...,
            size: float | Sequence[float] | None = ...,
            subpixel_scale: bool | None = ...,
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
            audio: bool | None = ...,
            audio_rate: float | None = ...,
            audio_downmix: bool | None = ...,
            filenames: str | Sequence[str] | None = ...,
            file_root: str | None = ...,
            file_list: str | None = ...,
            sequence_length: int = ...,
            stride: int | None = ...,
            step: int | None = ...,
            enable_frame_num: Literal['none', False, 'scalar', True, 'sequence'] | None = ...,
            enable_timestamps: bool | None = ...,
            image_type: DALIImageType | None = ...,
            labels: int | Sequence[int] | None = ...,
            file_list_frame_num: bool | None = ...,
            file_list_include_preceding_frame: bool | None = ...,
            pad_sequences: bool | None = ...,
            dtype: DALIDataType | DTypeLike | None = ...,
            normalized: bool | None = ...,
            channels: int | None = ...,
            seed: int | None = ...,
            preserve: bool | None = ...,
            minibatch_size: int | None = ...,
            temp_buffer_hint: int | None = ...,
            initial_fill: int | None = ...,
            read_ahead: bool | None = ...,
            skip_cached_images: bool | None = ...,
            lazy_init: bool | None = ...,
            dont_use_mmap: bool | None = ...,
            use_o_direct: bool | None = ...,
            tensor_init_bytes: int | None = ...,
            bytes_per_sample: float | None = ...,
            skip_vfr_check: bool | None = ...,
            additional_decode_surfaces: int | None = ...,
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
            extension_dot: Literal['first', 'last'] | None = ...,
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
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
            device: str | None = ...,
            name: str | None = ...,
        ) -> None: ...
        def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class reductions:
    class Max:
        """`fn.reductions.max` as a class."""

        def __init__(
            self,
            *,
            axes: int | Sequence[int] | None = ...,
            axis_names: str | None = ...,
            keep_dims: bool | None = ...,
            seed: int | None = ...,
            preserve: bool | None = ...,
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
            device: str | None = ...,
            name: str | None = ...,
        ) -> None: ...
        def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

    class Mean:
        """`fn.reductions.mean` as a class."""

        def __init__(
            self,
            *,
            axes: int | Sequence[int] | None = ...,
            axis_names: str | None = ...,
            keep_dims: bool | None = ...,
            dtype: DALIDataType | DTypeLike | None = ...,
            seed: int | None = ...,
            preserve: bool | None = ...,
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
            device: str | None = ...,
            name: str | None = ...,
        ) -> None: ...
        def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

    class MeanSquare:
        """`fn.reductions.mean_square` as a class."""

        def __init__(
            self,
            *,
            axes: int | Sequence[int] | None = ...,
            axis_names: str | None = ...,
            keep_dims: bool | None = ...,
            dtype: DALIDataType | DTypeLike | None = ...,
            seed: int | None = ...,
            preserve: bool | None = ...,
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
            device: str | None = ...,
            name: str | None = ...,
        ) -> None: ...
        def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

    class Min:
        """`fn.reductions.min` as a class."""

        def __init__(
            self,
            *,
            axes: int | Sequence[int] | None = ...,
            axis_names: str | None = ...,
            keep_dims: bool | None = ...,
            seed: int | None = ...,
            preserve: bool | None = ...,
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
            device: str | None = ...,
            name: str | None = ...,
        ) -> None: ...
        def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

    class RMS:
        """`fn.reductions.rms` as a class."""

        def __init__(
            self,
            *,
            axes: int | Sequence[int] | None = ...,
            axis_names: str | None = ...,
            keep_dims: bool | None = ...,
            dtype: DALIDataType | DTypeLike | None = ...,
            seed: int | None = ...,
            preserve: bool | None = ...,
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
            device: str | None = ...,
            name: str | None = ...,
        ) -> None: ...
        def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

    class StdDev:
        """`fn.reductions.std_dev` as a class."""

        def __init__(
            self,
            *,
            axes: int | Sequence[int] | None = ...,
            axis_names: str | None = ...,
            keep_dims: bool | None = ...,
            ddof: int | None = ...,
            seed: int | None = ...,
            preserve: bool | None = ...,
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
            device: str | None = ...,
            name: str | None = ...,
        ) -> None: ...
        def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

    class Sum:
        """`fn.reductions.sum` as a class."""

        def __init__(
            self,
            *,
            axes: int | Sequence[int] | None = ...,
            axis_names: str | None = ...,
            keep_dims: bool | None = ...,
            dtype: DALIDataType | DTypeLike | None = ...,
            seed: int | None = ...,
            preserve: bool | None = ...,
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
            device: str | None = ...,
            name: str | None = ...,
        ) -> None: ...
        def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

    class Variance:
        """`fn.reductions.variance` as a class."""

        def __init__(
            self,
            *,
            axes: int | Sequence[int] | None = ...,
            axis_names: str | None = ...,
            keep_dims: bool | None = ...,
            ddof: int | None = ...,
            seed: int | None = ...,
            preserve: bool | None = ...,
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
            device: str | None = ...,
            name: str | None = ...,
        ) -> None: ...
        def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class segmentation:
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
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
            classes: int | Sequence[int] | DataNode | None = ...,
            class_weights: float | Sequence[float] | DataNode | None = ...,
            ignore_class: bool | None = ...,
            output_class: bool | None = ...,
            threshold: int | Sequence[int] | DataNode | None = ...,
            k_largest: int | None = ...,
            format: Literal['anchor_shape', 'start_end', 'box'] | None = ...,
            cache_objects: bool | None = ...,
            seed: int | None = ...,
            preserve: bool | None = ...,
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
            device: str | None = ...,
            name: str | None = ...,
        ) -> None: ...
        def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class transforms:
    class Combine:
        """`fn.transforms.combine` as a class."""

        def __init__(
            self,
            *,
            reverse_order: bool | None = ...,
            seed: int | None = ...,
            preserve: bool | None = ...,
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
            from_start: float | Sequence[float] | DataNode | None = ...,
            from_end: float | Sequence[float] | DataNode | None = ...,
            to_start: float | Sequence[float] | DataNode | None = ...,
            to_end: float | Sequence[float] | DataNode | None = ...,
            absolute: bool | None = ...,
            seed: int | None = ...,
            preserve: bool | None = ...,
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
            axis: float | Sequence[float] | DataNode | None = ...,
            center: float | Sequence[float] | DataNode | None = ...,
            seed: int | None = ...,
            preserve: bool | None = ...,
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
            scale: float | Sequence[float] | DataNode = ...,
            center: float | Sequence[float] | DataNode | None = ...,
            ndim: int | None = ...,
            seed: int | None = ...,
            preserve: bool | None = ...,
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
            shear: float | Sequence[float] | DataNode | None = ...,
            angles: float | Sequence[float] | DataNode | None = ...,
            center: float | Sequence[float] | DataNode | None = ...,
            seed: int | None = ...,
            preserve: bool | None = ...,
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
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
            offset: float | Sequence[float] | DataNode = ...,
            seed: int | None = ...,
            preserve: bool | None = ...,
            bytes_per_sample_hint: int | Sequence[int] | None = ...,
            device: str | None = ...,
            name: str | None = ...,
        ) -> None: ...
        def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...
