"""Signatures of the operators; made by docs/generate.py from their declarations."""

import collections.abc as _abc
from os import PathLike
from typing import Any, Literal, overload

from numpy.typing import ArrayLike, DTypeLike

from penstock import ops as _ops
from penstock.engine.graph.nodes import DataNode
from penstock.engine.tensors.dtypes import DALIDataType, DALIImageType, DALIInterpType

from . import decoders as decoders

from . import experimental as experimental

from . import io as io

from . import noise as noise

from . import random as random

from . import readers as readers

from . import reductions as reductions

from . import segmentation as segmentation

from . import transforms as transforms

class Compose:
    """Operators applied one after the other: `Compose([a, b])(x)` is `b(a(x))`."""

    def __init__(self, op_list: _abc.Sequence[_abc.Callable[..., Any]]) -> None: ...
    def __call__(self, *inputs: Any) -> Any: ...

def Reload() -> None: ...
def cpu_ops() -> set[str]: ...
def gpu_ops() -> set[str]: ...
def mixed_ops() -> set[str]: ...

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
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        input_shape: int | _abc.Sequence[int] | DataNode = ...,
        shape_layout: str | None = ...,
        bbox_layout: Literal['xyXY', 'xyWH'] | None = ...,
        bbox_normalized: bool | None = ...,
        keep_size: bool | None = ...,
        size: float | _abc.Sequence[float] | DataNode | None = ...,
        mode: Literal['expand', 'fixed', 'halfway'] | None = ...,
        remove_threshold: float | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class BoxEncoder:
    """`fn.box_encoder` as a class."""

    def __init__(
        self,
        *,
        anchors: float | _abc.Sequence[float] = ...,
        criteria: float | None = ...,
        offset: bool | None = ...,
        scale: float | None = ...,
        means: float | _abc.Sequence[float] | None = ...,
        stds: float | _abc.Sequence[float] | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Constant:
    """`fn.constant` as a class."""

    def __init__(
        self,
        *,
        idata: int | _abc.Sequence[int] | None = ...,
        fdata: float | _abc.Sequence[float] | None = ...,
        shape: int | _abc.Sequence[int] | None = ...,
        dtype: DALIDataType | DTypeLike | None = ...,
        layout: str | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class CoordTransform:
    """`fn.coord_transform` as a class."""

    def __init__(
        self,
        *,
        M: float | _abc.Sequence[float] | DataNode | None = ...,
        T: float | _abc.Sequence[float] | DataNode | None = ...,
        MT: float | _abc.Sequence[float] | DataNode | None = ...,
        dtype: DALIDataType | DTypeLike | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        out_of_bounds_policy: Literal['error', 'constant', 'pad', 'trim_to_shape'] | None = ...,
        fill_values: float | _abc.Sequence[float] | None = ...,
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
        image_type: DALIImageType | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        out_of_bounds_policy: Literal['error', 'constant', 'pad', 'trim_to_shape'] | None = ...,
        fill_values: float | _abc.Sequence[float] | None = ...,
        crop: float | _abc.Sequence[float] | DataNode | None = ...,
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
        mean: float | _abc.Sequence[float] | DataNode | None = ...,
        std: float | _abc.Sequence[float] | DataNode | None = ...,
        scale: float | None = ...,
        shift: float | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        image_type: DALIImageType | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Cutmix:
    """`fn.cutmix` as a class."""

    def __init__(
        self,
        *,
        alpha: float | None = ...,
        num_classes: int | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        blue_position: int | _abc.Sequence[int] | DataNode = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class DLTensorPythonFunction:
    """`fn.dl_tensor_python_function` as a class."""

    def __init__(
        self,
        *,
        function: _abc.Callable[..., Any] = ...,
        num_outputs: int | None = ...,
        output_layouts: Any | None = ...,
        batch_processing: bool | None = ...,
        parallel: bool | None = ...,
        synchronize_stream: bool | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class ElementExtract:
    """`fn.element_extract` as a class."""

    def __init__(
        self,
        *,
        element_map: int | _abc.Sequence[int] = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Erase:
    """`fn.erase` as a class."""

    def __init__(
        self,
        *,
        anchor: float | _abc.Sequence[float] | DataNode | None = ...,
        axes: int | _abc.Sequence[int] | None = ...,
        axis_names: str | None = ...,
        centered_anchor: bool | None = ...,
        fill_value: float | _abc.Sequence[float] | DataNode | None = ...,
        normalized: bool | None = ...,
        normalized_anchor: bool | None = ...,
        normalized_shape: bool | None = ...,
        shape: float | _abc.Sequence[float] | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class ExpandDims:
    """`fn.expand_dims` as a class."""

    def __init__(
        self,
        *,
        axes: int | _abc.Sequence[int] = ...,
        new_axis_names: str | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        prefetch_queue_depth: int | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        use_copy_kernel: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        size: float | _abc.Sequence[float] | DataNode | None = ...,
        resize_x: float | DataNode | None = ...,
        resize_y: float | DataNode | None = ...,
        resize_z: float | DataNode | None = ...,
        resize_shorter: float | DataNode | None = ...,
        resize_longer: float | DataNode | None = ...,
        mode: Literal['default', 'stretch', 'not_larger', 'not_smaller'] | None = ...,
        max_size: float | _abc.Sequence[float] | None = ...,
        subpixel_scale: bool | None = ...,
        roi_start: float | _abc.Sequence[float] | DataNode | None = ...,
        roi_end: float | _abc.Sequence[float] | DataNode | None = ...,
        roi_relative: bool | None = ...,
        crop: float | _abc.Sequence[float] | DataNode | None = ...,
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
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        anchor: int | _abc.Sequence[int] | DataNode | None = ...,
        border: Literal['reflect_101', 'reflect_1001', 'wrap', 'clamp', 'constant', 'reflect', 'edge', 'pad', '101', '1001'] | None = ...,
        dtype: DALIDataType | DTypeLike | None = ...,
        mode: Literal['same', 'valid'] | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Full:
    """`fn.full` as a class."""

    def __init__(
        self,
        *,
        shape: int | _abc.Sequence[int] | DataNode | None = ...,
        layout: str | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        sigma: float | _abc.Sequence[float] | DataNode | None = ...,
        window_size: int | _abc.Sequence[int] | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        scale: float | _abc.Sequence[float] | DataNode | None = ...,
        smoothing_size: int | _abc.Sequence[int] | DataNode | None = ...,
        window_size: int | _abc.Sequence[int] | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        keys: int | _abc.Sequence[int] | None = ...,
        values: float | _abc.Sequence[float] | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Mixup:
    """`fn.mixup` as a class."""

    def __init__(
        self,
        *,
        alpha: float | None = ...,
        num_classes: int | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class MultiPaste:
    """`fn.multi_paste` as a class."""

    def __init__(
        self,
        *,
        in_ids: int | _abc.Sequence[int] | DataNode | None = ...,
        output_size: int | _abc.Sequence[int] | DataNode | None = ...,
        in_anchors: ArrayLike | DataNode | None = ...,
        in_anchors_rel: ArrayLike | DataNode | None = ...,
        out_anchors: ArrayLike | DataNode | None = ...,
        out_anchors_rel: ArrayLike | DataNode | None = ...,
        shapes: ArrayLike | DataNode | None = ...,
        shapes_rel: ArrayLike | DataNode | None = ...,
        dtype: DALIDataType | DTypeLike | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        axes: int | _abc.Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Ones:
    """`fn.ones` as a class."""

    def __init__(
        self,
        *,
        shape: int | _abc.Sequence[int] | DataNode | None = ...,
        layout: str | None = ...,
        dtype: DALIDataType | DTypeLike | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        output_grid: int | None = ...,
        preset: float | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        axes: int | _abc.Sequence[int] | DataNode | None = ...,
        axis_names: str | None = ...,
        align: int | _abc.Sequence[int] | DataNode | None = ...,
        shape: int | _abc.Sequence[int] | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Paste:
    """`fn.paste` as a class."""

    def __init__(
        self,
        *,
        fill_value: float | _abc.Sequence[float] = ...,
        ratio: float | DataNode = ...,
        n_channels: int | None = ...,
        min_canvas_size: float | DataNode | None = ...,
        paste_x: float | DataNode | None = ...,
        paste_y: float | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class PermuteBatch:
    """`fn.permute_batch` as a class."""

    def __init__(
        self,
        *,
        indices: int | _abc.Sequence[int] | DataNode = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class PythonFunction:
    """`fn.python_function` as a class."""

    def __init__(
        self,
        *,
        function: _abc.Callable[..., Any] = ...,
        num_outputs: int | None = ...,
        output_layouts: Any | None = ...,
        batch_processing: bool | None = ...,
        parallel: bool | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class RandomBBoxCrop:
    """`fn.random_bbox_crop` as a class."""

    def __init__(
        self,
        *,
        aspect_ratio: float | _abc.Sequence[float] | None = ...,
        scaling: float | _abc.Sequence[float] | None = ...,
        thresholds: float | _abc.Sequence[float] | None = ...,
        threshold_type: Literal['iou', 'overlap'] | None = ...,
        all_boxes_above_threshold: bool | None = ...,
        allow_no_crop: bool | None = ...,
        num_attempts: int | None = ...,
        total_num_attempts: int | None = ...,
        bbox_prune_threshold: float | None = ...,
        bbox_layout: str | None = ...,
        ltrb: bool | None = ...,
        crop_shape: int | _abc.Sequence[int] | DataNode | None = ...,
        input_shape: int | _abc.Sequence[int] | DataNode | None = ...,
        shape_layout: str | None = ...,
        output_bbox_indices: bool | None = ...,
        quiet: bool | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class RandomCropGenerator:
    """`fn.random_crop_generator` as a class."""

    def __init__(
        self,
        *,
        random_area: float | _abc.Sequence[float] | None = ...,
        random_aspect_ratio: float | _abc.Sequence[float] | None = ...,
        num_attempts: int | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        random_area: float | _abc.Sequence[float] | None = ...,
        random_aspect_ratio: float | _abc.Sequence[float] | None = ...,
        num_attempts: int | None = ...,
        size: int | _abc.Sequence[int] = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        temp_buffer_hint: int | None = ...,
        minibatch_size: int | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Reinterpret:
    """`fn.reinterpret` as a class."""

    def __init__(
        self,
        *,
        shape: int | _abc.Sequence[int] | DataNode | None = ...,
        rel_shape: float | _abc.Sequence[float] | DataNode | None = ...,
        src_dims: int | _abc.Sequence[int] | DataNode | None = ...,
        layout: str | None = ...,
        dtype: DALIDataType | DTypeLike | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Reshape:
    """`fn.reshape` as a class."""

    def __init__(
        self,
        *,
        shape: int | _abc.Sequence[int] | DataNode | None = ...,
        rel_shape: float | _abc.Sequence[float] | DataNode | None = ...,
        src_dims: int | _abc.Sequence[int] | DataNode | None = ...,
        layout: str | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        size: float | _abc.Sequence[float] | DataNode | None = ...,
        resize_x: float | DataNode | None = ...,
        resize_y: float | DataNode | None = ...,
        resize_z: float | DataNode | None = ...,
        resize_shorter: float | DataNode | None = ...,
        resize_longer: float | DataNode | None = ...,
        mode: Literal['default', 'stretch', 'not_larger', 'not_smaller'] | None = ...,
        max_size: float | _abc.Sequence[float] | None = ...,
        subpixel_scale: bool | None = ...,
        roi_start: float | _abc.Sequence[float] | DataNode | None = ...,
        roi_end: float | _abc.Sequence[float] | DataNode | None = ...,
        roi_relative: bool | None = ...,
        save_attrs: bool | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        temp_buffer_hint: int | None = ...,
        minibatch_size: int | None = ...,
        image_type: DALIImageType | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        size: float | _abc.Sequence[float] | DataNode | None = ...,
        resize_x: float | DataNode | None = ...,
        resize_y: float | DataNode | None = ...,
        resize_z: float | DataNode | None = ...,
        resize_shorter: float | DataNode | None = ...,
        resize_longer: float | DataNode | None = ...,
        mode: Literal['default', 'stretch', 'not_larger', 'not_smaller'] | None = ...,
        max_size: float | _abc.Sequence[float] | None = ...,
        subpixel_scale: bool | None = ...,
        roi_start: float | _abc.Sequence[float] | DataNode | None = ...,
        roi_end: float | _abc.Sequence[float] | DataNode | None = ...,
        roi_relative: bool | None = ...,
        crop: float | _abc.Sequence[float] | DataNode | None = ...,
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
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class ROIRandomCrop:
    """`fn.roi_random_crop` as a class."""

    def __init__(
        self,
        *,
        crop_shape: int | _abc.Sequence[int] | DataNode = ...,
        roi_start: int | _abc.Sequence[int] | DataNode = ...,
        roi_end: int | _abc.Sequence[int] | DataNode | None = ...,
        roi_shape: int | _abc.Sequence[int] | DataNode | None = ...,
        in_shape: int | _abc.Sequence[int] | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        size: float | _abc.Sequence[float] | DataNode | None = ...,
        dtype: DALIDataType | DTypeLike | None = ...,
        angle: float | _abc.Sequence[float] | DataNode = ...,
        axis: float | _abc.Sequence[float] | DataNode | None = ...,
        keep_size: bool | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        new_order: int | _abc.Sequence[int] | DataNode = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        out_of_bounds_policy: Literal['error', 'constant', 'pad', 'trim_to_shape', 'edge', 'clamp', 'reflect', 'reflect_1001', 'reflect_101', 'wrap'] | None = ...,
        fill_values: float | _abc.Sequence[float] | None = ...,
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
        image_type: DALIImageType | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        window_fn: float | _abc.Sequence[float] | None = ...,
        window_length: int | None = ...,
        window_step: int | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...

class Squeeze:
    """`fn.squeeze` as a class."""

    def __init__(
        self,
        *,
        axes: int | _abc.Sequence[int] | DataNode | None = ...,
        axis_names: str | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        alignment: float | _abc.Sequence[float] | DataNode | None = ...,
        axes: int | _abc.Sequence[int] | None = ...,
        axis_names: str | None = ...,
        max_size: float | _abc.Sequence[float] | None = ...,
        mode: Literal['default', 'stretch', 'not_larger', 'not_smaller'] | None = ...,
        roi_end: float | _abc.Sequence[float] | DataNode | None = ...,
        roi_relative: bool | None = ...,
        roi_start: float | _abc.Sequence[float] | DataNode | None = ...,
        scales: float | _abc.Sequence[float] | DataNode | None = ...,
        size_rounding: Literal['round', 'truncate', 'ceil'] | None = ...,
        sizes: float | _abc.Sequence[float] | DataNode | None = ...,
        subpixel_scale: bool | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        temp_buffer_hint: int | None = ...,
        minibatch_size: int | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        perm: int | _abc.Sequence[int] | None = ...,
        transpose_layout: bool | None = ...,
        output_layout: str | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        size: float | _abc.Sequence[float] | DataNode | None = ...,
        dtype: DALIDataType | DTypeLike | None = ...,
        matrix: float | _abc.Sequence[float] | DataNode | None = ...,
        inverse_map: bool | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        shape: int | _abc.Sequence[int] | DataNode | None = ...,
        layout: str | None = ...,
        dtype: DALIDataType | DTypeLike | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
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
        bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def __call__(self, *inputs: Any, **arguments: Any) -> Any: ...
