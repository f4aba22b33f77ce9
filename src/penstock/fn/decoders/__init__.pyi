"""Signatures of the operators; made by docs/generate.py from their declarations."""

import collections.abc as _abc
from os import PathLike
from typing import Any, Literal, overload

from numpy.typing import ArrayLike, DTypeLike

from penstock import fn as _fn
from penstock.engine.graph.nodes import DataNode
from penstock.engine.tensors.dtypes import DALIDataType, DALIImageType, DALIInterpType

def audio(
    data: DataNode,
    /,
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
) -> list[DataNode]:
    """Decodes audio: WAV, FLAC, Ogg, MP3, AIFF, AU, CAF, W64, SPHERE; with PyAV, AAC and its kind.

    Resampling and mixing down follow DALI. Integers are those of the file, at full range; floating
    point and lossy files are scaled to the range of the integers. A window (`offset`, `duration`)
    is decoded alone, and holds the samples that the whole file has there.

    With `device="mixed"` the signals are on the GPU. WAV files of plain samples and FLAC files go
    there as they are, and are decoded there to the same numbers, and resampled within 2e-6 of full
    scale. The CPU decodes all other files; `Pipeline.stats` counts them.

    >>> import numpy as np
    >>> import soundfile
    >>> from penstock import Pipeline, fn
    >>> soundfile.write("tone.wav", np.zeros((800, 2)), 16000)
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     output = fn.decoders.audio(np.fromfile("tone.wav", np.uint8), downmix=True)
    ...     pipe.set_outputs(*output)
    ...     for output in pipe.run():
    ...         print(output.shape(), output.at(0).max())
    [(800,)] 0.0
    [()] 16000.0

    Inputs:
        data: a whole file a sample; uint8, one dimension.

    Outputs:
        the signal: of type `dtype`, shape (samples, channels), or (samples,) with `downmix`. At
            another rate, a signal of n samples has ceil(n * sample_rate / rate) samples.
        its rate in Hz, after resampling: float32, a scalar.

    Raises:
        DecodeError: the data is damaged, cut off, or of an unknown format; a window starts behind
            the end.
        MissingDependencyError: soundfile is not installed, and the file is no plain WAV; or PyAV
            is not installed, and the file is AAC, M4A or of their kind.

    Args:
        dtype (DALIDataType | DTypeLike | None): FLOAT (-1 to 1), INT16 or INT32 (full range).
            Default: FLOAT.
        downmix (bool | None): Return the mean of all channels. Default: False.
        quality (float | None): Of resampling, from 0 (3 lobes of the sinc filter) over 50 (16
            lobes) to 100 (64 lobes). Default: 50.0.
        antialias (bool | None): Whether resampling to a lower rate removes the frequencies that
            this rate cannot hold. Without it they fold back, as in DALI. Default: False.
        sample_rate (float | DataNode | None): Rate to resample to, in Hz; 0 or less for the
            file's own. Default: 0.0.
        offset (float | DataNode | None): Where to start, in seconds. Default: 0.0.
        duration (float | DataNode | None): How long to decode, in seconds; to the end if the
            file ends earlier, or if negative. Default: -1.0.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, mixed. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def image(
    encoded: DataNode,
    /,
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
) -> DataNode:
    """Decodes images: JPEG, PNG, TIFF, BMP, WebP, JPEG 2000, PNM, AVIF and others, recognized by
    their content.

    >>> import cv2
    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> _, file = cv2.imencode(".png", np.zeros((60, 80, 3), np.uint8))
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.decoders.image(file))
    ...     (result,) = pipe.run()
    ...     print(result.shape())
    [(60, 80, 3)]

    Inputs:
        encoded: a whole encoded file a sample; uint8, one dimension. As in DALI, int8 and the
            shapes (1, size) and (size, 1) are taken, too.

    Args:
        output_type (DALIImageType | None): Color space: RGB, BGR, GRAY, YCbCr (ITU-R BT.601, Y
            from 16 to 235), or ANY_DATA for the file's own channels. All but ANY_DATA drop
            alpha. Palettes give colors. Of more than four channels they take the first three
            for RGB. Default: RGB.
        dtype (DALIDataType | DTypeLike | None): Dtype of the result: UINT8, UINT16, INT16,
            FLOAT16 or FLOAT; with device='cpu' INT32 or UINT32, too. Values are scaled to its
            range: 255 of an 8-bit file, and 4095 of a 12-bit file, is 65535 in UINT16 and 1.0
            in FLOAT. Integers of more than 16 bits, such as the labels in a TIFF, keep their
            values; a value that the dtype cannot hold is an error. Default: UINT8.
        adjust_orientation (bool | None): Turn the image upright as its EXIF data says. Default:
            True.
        fit (int | Sequence[int] | None): The size (height, width) that a later operator shrinks
            the image to. JPEG is then decoded at 1/2, 1/4 or 1/8 of its size where that still
            leaves as many pixels each way, and without smoothing chroma. The result is smaller,
            and the following resize gives slightly different pixels (1 to 2 gray levels on
            average) in less time. One number stands for both.
        shrink_shorter (int | None): Scale each decoded image down, before a window is cut out,
            so that its shorter side has this number of pixels. Each pixel is the mean of its
            area. Smaller images stay as they are. With `cache`, the cache keeps the smaller
            images, and more of them. Without, every image is decoded whole. Default: 0.
        jpeg_fancy_upsampling (bool | None): With device='mixed', interpolate the chroma of all
            JPEG files smoothly, as the CPU does. The hardware engine cannot do that, so CUDA
            cores decode in its place. Default: False.
        hw_decoder_load (float | None): With device='mixed', the part of each batch's plain JPEG
            files that the hardware engine decodes. CUDA cores decode the others, which differ
            by rounding. By default CUDA cores help as far as the engine limits the pipeline,
            and small batches may be computed together. A number makes pixels the same in every
            run; with 0 the engine stays unused.
        cache (Literal['ram', 'disk', 'gpu'] | None): Keep whole decoded images, so that later
            epochs copy them and decode nothing: 'ram' in memory, for as long as a pipeline uses
            the cache; 'disk' in `cache_folder`, for later runs, too; with device='mixed', 'gpu'
            in the GPU's memory. All processes of a user on a host share one cache of a size,
            but for 'gpu'.
        cache_size (int | None): The most MiB that the cache takes. A full cache keeps what it
            has, and other images are decoded. Without `cache`, the number asks for cache='gpu'
            with device='mixed', as in DALI, and has no effect on the CPU. Default: 0.
        cache_folder (str | None): With cache='disk', the folder of the cache's file.
        cache_threshold (int | None): With a cache, decoded images of fewer bytes are not
            stored. Default: 0.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, mixed. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: use_fast_idct, hybrid_huffman_threshold,
            device_memory_padding, host_memory_padding, device_memory_padding_jpeg2k,
            host_memory_padding_jpeg2k, preallocate_width_hint, preallocate_height_hint, affine,
            memory_stats, cache_debug, cache_batch_copy, cache_type, split_stages,
            use_chunk_allocator, bytes_per_sample_hint.
    """

def image_crop(
    encoded: DataNode,
    /,
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
) -> DataNode:
    """Decodes a window of given size and position out of each image.

    >>> import cv2
    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> _, file = cv2.imencode(".png", np.zeros((60, 80, 3), np.uint8))
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.decoders.image_crop(file, crop=(20, 30)))
    ...     (result,) = pipe.run()
    ...     print(result.shape())
    [(20, 30, 3)]

    Inputs:
        encoded: a whole encoded file a sample; uint8, one dimension.

    Raises:
        DecodeError: the bytes are no supported image, or pixels are damaged or missing.
        ArgumentError: the window reaches out of the image.

    Args:
        output_type (DALIImageType | None): Color space: RGB, BGR, GRAY, YCbCr (ITU-R BT.601, Y
            from 16 to 235), or ANY_DATA for the file's own channels. All but ANY_DATA drop
            alpha. Palettes give colors. Of more than four channels they take the first three
            for RGB. Default: RGB.
        dtype (DALIDataType | DTypeLike | None): Dtype of the result: UINT8, UINT16, INT16,
            FLOAT16 or FLOAT; with device='cpu' INT32 or UINT32, too. Values are scaled to its
            range: 255 of an 8-bit file, and 4095 of a 12-bit file, is 65535 in UINT16 and 1.0
            in FLOAT. Integers of more than 16 bits, such as the labels in a TIFF, keep their
            values; a value that the dtype cannot hold is an error. Default: UINT8.
        adjust_orientation (bool | None): Turn the image upright as its EXIF data says. Default:
            True.
        fit (int | Sequence[int] | None): The size (height, width) that a later operator shrinks
            the image to. JPEG is then decoded at 1/2, 1/4 or 1/8 of its size where that still
            leaves as many pixels each way, and without smoothing chroma. The result is smaller,
            and the following resize gives slightly different pixels (1 to 2 gray levels on
            average) in less time. One number stands for both.
        shrink_shorter (int | None): Scale each decoded image down, before a window is cut out,
            so that its shorter side has this number of pixels. Each pixel is the mean of its
            area. Smaller images stay as they are. With `cache`, the cache keeps the smaller
            images, and more of them. Without, every image is decoded whole. Default: 0.
        jpeg_fancy_upsampling (bool | None): With device='mixed', interpolate the chroma of all
            JPEG files smoothly, as the CPU does. The hardware engine cannot do that, so CUDA
            cores decode in its place. Default: False.
        hw_decoder_load (float | None): With device='mixed', the part of each batch's plain JPEG
            files that the hardware engine decodes. CUDA cores decode the others, which differ
            by rounding. By default CUDA cores help as far as the engine limits the pipeline,
            and small batches may be computed together. A number makes pixels the same in every
            run; with 0 the engine stays unused.
        cache (Literal['ram', 'disk', 'gpu'] | None): Keep whole decoded images, so that later
            epochs copy them and decode nothing: 'ram' in memory, for as long as a pipeline uses
            the cache; 'disk' in `cache_folder`, for later runs, too; with device='mixed', 'gpu'
            in the GPU's memory. All processes of a user on a host share one cache of a size,
            but for 'gpu'.
        cache_size (int | None): The most MiB that the cache takes. A full cache keeps what it
            has, and other images are decoded. Without `cache`, the number asks for cache='gpu'
            with device='mixed', as in DALI, and has no effect on the CPU. Default: 0.
        cache_folder (str | None): With cache='disk', the folder of the cache's file.
        cache_threshold (int | None): With a cache, decoded images of fewer bytes are not
            stored. Default: 0.
        crop (float | Sequence[float] | DataNode | None): Shape of the window in pixels,
            (height, width) or (depth, height, width). Fractions are cut off; 0 and negative
            numbers take the whole axis.
        crop_d (float | DataNode | None): Depth of the window, or number of frames; needs the
            others. Default: 0.0.
        crop_h (float | DataNode | None): Height of the window, with `crop_w`. Default: 0.0.
        crop_w (float | DataNode | None): Width of the window, with `crop_h`. Default: 0.0.
        crop_pos_x (float | DataNode | None): Position of the window: 0 at the left, 1 at the
            right. Default: 0.5.
        crop_pos_y (float | DataNode | None): Position of the window: 0 at the top, 1 at the
            bottom. Default: 0.5.
        crop_pos_z (float | DataNode | None): Position of the window: 0 in front, 1 at the back.
            Default: 0.5.
        rounding (Literal['round', 'truncate'] | None): How the position becomes whole pixels:
            "round" (halves away from zero) or "truncate". Default: 'round'.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, mixed. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: use_fast_idct, hybrid_huffman_threshold,
            device_memory_padding, host_memory_padding, device_memory_padding_jpeg2k,
            host_memory_padding_jpeg2k, preallocate_width_hint, preallocate_height_hint, affine,
            memory_stats, cache_debug, cache_batch_copy, cache_type, split_stages,
            use_chunk_allocator, bytes_per_sample_hint.
    """

def image_list(
    files: DataNode,
    /,
    *,
    size: int | _abc.Sequence[int],
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
) -> DataNode:
    """Decodes the images of a list, such as those of a conversation, to frames of one size.

    The lists come from `fn.readers.parquet`, whose columns may be lists of files. They may differ
    in length, and be empty. Each image is decoded as `fn.decoders.image` does, and resized as
    `fn.resize` does.

    >>> import cv2
    >>> import numpy as np
    >>> import pyarrow as pa, pyarrow.parquet as pq
    >>> from penstock import fn, pipeline_def
    >>> _, image = cv2.imencode(".png", np.zeros((48, 64, 3), np.uint8))
    >>> image = {"bytes": image.tobytes(), "path": "a.png"}
    >>> pq.write_table(pa.table({"images": [[image, image], [image]]}), "train.parquet")
    >>> @pipeline_def(batch_size=2, num_threads=1)
    ... def lists():
    ...     images = fn.readers.parquet(path="train.parquet", columns=["images"])
    ...     return fn.decoders.image_list(images, size=32, mode="not_larger")
    >>> with lists() as pipe:
    ...     (frames,) = pipe.run()
    >>> frames.shape(), frames.layout()
    ([(2, 32, 32, 3), (1, 32, 32, 3)], 'FHWC')

    Inputs:
        files: a list of encoded images a sample, as `fn.readers.parquet` gives them: uint8, one
            dimension.

    Outputs:
        frames: uint8, FHWC, one frame an image; (0, height, width, channels) for empty lists.

    Raises:
        DecodeError: the data are no list of files, or an image is damaged. The note says which
            image of the list.

    Args:
        size (int | Sequence[int]): (height, width) of the frames; one number stands for both.
        mode (Literal['stretch', 'not_larger', 'not_smaller'] | None): How an image of another
            aspect ratio fills its frame. 'stretch': the ratio changes. 'not_larger': the whole
            image is in the middle of the frame, and `fill_value` around it. 'not_smaller': the
            image's middle fills the frame, and its other borders are cut off. Default:
            'stretch'.
        fill_value (int | None): Brightness of the borders with mode='not_larger'. Default: 0.
        output_type (DALIImageType | None): Color space: RGB, BGR, GRAY or YCbCr. Default: RGB.
        adjust_orientation (bool | None): Turn images upright as their EXIF data say. Default:
            True.
        interp_type (DALIInterpType | None): Filter of the resize. Default: INTERP_LINEAR.
        antialias (bool | None): Widen the filter of a shrinking axis, as `fn.resize` does.
            Default: True.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def image_random_crop(
    encoded: DataNode,
    /,
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
) -> DataNode:
    """Decodes a window of each image, of random area, aspect ratio and position.

    This is the usual first step of training a classifier, before a resize to one size.

    >>> import cv2
    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> _, file = cv2.imencode(".png", np.zeros((60, 80, 3), np.uint8))
    >>> with Pipeline(batch_size=1, num_threads=1, seed=1) as pipe:
    ...     pipe.set_outputs(fn.decoders.image_random_crop(file))
    ...     (result,) = pipe.run()
    ...     print(result.shape())
    [(43, 38, 3)]

    Inputs:
        encoded: a whole encoded file a sample; uint8, one dimension.

    Args:
        output_type (DALIImageType | None): Color space: RGB, BGR, GRAY, YCbCr (ITU-R BT.601, Y
            from 16 to 235), or ANY_DATA for the file's own channels. All but ANY_DATA drop
            alpha. Palettes give colors. Of more than four channels they take the first three
            for RGB. Default: RGB.
        dtype (DALIDataType | DTypeLike | None): Dtype of the result: UINT8, UINT16, INT16,
            FLOAT16 or FLOAT; with device='cpu' INT32 or UINT32, too. Values are scaled to its
            range: 255 of an 8-bit file, and 4095 of a 12-bit file, is 65535 in UINT16 and 1.0
            in FLOAT. Integers of more than 16 bits, such as the labels in a TIFF, keep their
            values; a value that the dtype cannot hold is an error. Default: UINT8.
        adjust_orientation (bool | None): Turn the image upright as its EXIF data says. Default:
            True.
        fit (int | Sequence[int] | None): The size (height, width) that a later operator shrinks
            the image to. JPEG is then decoded at 1/2, 1/4 or 1/8 of its size where that still
            leaves as many pixels each way, and without smoothing chroma. The result is smaller,
            and the following resize gives slightly different pixels (1 to 2 gray levels on
            average) in less time. One number stands for both.
        shrink_shorter (int | None): Scale each decoded image down, before a window is cut out,
            so that its shorter side has this number of pixels. Each pixel is the mean of its
            area. Smaller images stay as they are. With `cache`, the cache keeps the smaller
            images, and more of them. Without, every image is decoded whole. Default: 0.
        jpeg_fancy_upsampling (bool | None): With device='mixed', interpolate the chroma of all
            JPEG files smoothly, as the CPU does. The hardware engine cannot do that, so CUDA
            cores decode in its place. Default: False.
        hw_decoder_load (float | None): With device='mixed', the part of each batch's plain JPEG
            files that the hardware engine decodes. CUDA cores decode the others, which differ
            by rounding. By default CUDA cores help as far as the engine limits the pipeline,
            and small batches may be computed together. A number makes pixels the same in every
            run; with 0 the engine stays unused.
        cache (Literal['ram', 'disk', 'gpu'] | None): Keep whole decoded images, so that later
            epochs copy them and decode nothing: 'ram' in memory, for as long as a pipeline uses
            the cache; 'disk' in `cache_folder`, for later runs, too; with device='mixed', 'gpu'
            in the GPU's memory. All processes of a user on a host share one cache of a size,
            but for 'gpu'.
        cache_size (int | None): The most MiB that the cache takes. A full cache keeps what it
            has, and other images are decoded. Without `cache`, the number asks for cache='gpu'
            with device='mixed', as in DALI, and has no effect on the CPU. Default: 0.
        cache_folder (str | None): With cache='disk', the folder of the cache's file.
        cache_threshold (int | None): With a cache, decoded images of fewer bytes are not
            stored. Default: 0.
        random_area (float | Sequence[float] | None): Range of the window's area, relative to
            the image's; uniform. Windows that do not fit, as all with areas above 1, are drawn
            again. Default: (0.08, 1.0).
        random_aspect_ratio (float | Sequence[float] | None): Range of the window's width /
            height; its logarithm is uniform. Default: (0.75, 1.3333333333333333).
        num_attempts (int | None): Number of windows that are drawn until one fits; then the
            largest is taken. Default: 10.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, mixed. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: use_fast_idct, hybrid_huffman_threshold,
            device_memory_padding, host_memory_padding, device_memory_padding_jpeg2k,
            host_memory_padding_jpeg2k, preallocate_width_hint, preallocate_height_hint, affine,
            memory_stats, cache_debug, cache_batch_copy, cache_type, split_stages,
            use_chunk_allocator, bytes_per_sample_hint.
    """

def image_slice(
    encoded: DataNode,
    anchor: DataNode | None = ...,
    shape_input: DataNode | None = ...,
    /,
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
) -> DataNode:
    """Decodes a region of each image, given by its start and its end.

    The region is given as for `fn.slice`: by named arguments, or by the inputs `anchor` and
    `shape`.

    >>> import cv2
    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> _, file = cv2.imencode(".png", np.zeros((60, 80, 3), np.uint8))
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     output = fn.decoders.image_slice(file, start=(10, 20), end=(50, 70), axes=(0, 1))
    ...     pipe.set_outputs(output)
    ...     (result,) = pipe.run()
    ...     print(result.shape())
    [(40, 50, 3)]

    Inputs:
        encoded: a whole encoded file a sample; uint8, one dimension.
        anchor, shape_input: one number for each of the axes, as for `fn.slice`.

    Raises:
        DecodeError: the bytes are no supported image, or pixels are damaged or missing.
        ArgumentError: the region reaches out of the image.

    Args:
        output_type (DALIImageType | None): Color space: RGB, BGR, GRAY, YCbCr (ITU-R BT.601, Y
            from 16 to 235), or ANY_DATA for the file's own channels. All but ANY_DATA drop
            alpha. Palettes give colors. Of more than four channels they take the first three
            for RGB. Default: RGB.
        dtype (DALIDataType | DTypeLike | None): Dtype of the result: UINT8, UINT16, INT16,
            FLOAT16 or FLOAT; with device='cpu' INT32 or UINT32, too. Values are scaled to its
            range: 255 of an 8-bit file, and 4095 of a 12-bit file, is 65535 in UINT16 and 1.0
            in FLOAT. Integers of more than 16 bits, such as the labels in a TIFF, keep their
            values; a value that the dtype cannot hold is an error. Default: UINT8.
        adjust_orientation (bool | None): Turn the image upright as its EXIF data says. Default:
            True.
        fit (int | Sequence[int] | None): The size (height, width) that a later operator shrinks
            the image to. JPEG is then decoded at 1/2, 1/4 or 1/8 of its size where that still
            leaves as many pixels each way, and without smoothing chroma. The result is smaller,
            and the following resize gives slightly different pixels (1 to 2 gray levels on
            average) in less time. One number stands for both.
        shrink_shorter (int | None): Scale each decoded image down, before a window is cut out,
            so that its shorter side has this number of pixels. Each pixel is the mean of its
            area. Smaller images stay as they are. With `cache`, the cache keeps the smaller
            images, and more of them. Without, every image is decoded whole. Default: 0.
        jpeg_fancy_upsampling (bool | None): With device='mixed', interpolate the chroma of all
            JPEG files smoothly, as the CPU does. The hardware engine cannot do that, so CUDA
            cores decode in its place. Default: False.
        hw_decoder_load (float | None): With device='mixed', the part of each batch's plain JPEG
            files that the hardware engine decodes. CUDA cores decode the others, which differ
            by rounding. By default CUDA cores help as far as the engine limits the pipeline,
            and small batches may be computed together. A number makes pixels the same in every
            run; with 0 the engine stays unused.
        cache (Literal['ram', 'disk', 'gpu'] | None): Keep whole decoded images, so that later
            epochs copy them and decode nothing: 'ram' in memory, for as long as a pipeline uses
            the cache; 'disk' in `cache_folder`, for later runs, too; with device='mixed', 'gpu'
            in the GPU's memory. All processes of a user on a host share one cache of a size,
            but for 'gpu'.
        cache_size (int | None): The most MiB that the cache takes. A full cache keeps what it
            has, and other images are decoded. Without `cache`, the number asks for cache='gpu'
            with device='mixed', as in DALI, and has no effect on the CPU. Default: 0.
        cache_folder (str | None): With cache='disk', the folder of the cache's file.
        cache_threshold (int | None): With a cache, decoded images of fewer bytes are not
            stored. Default: 0.
        axes (int | Sequence[int] | DataNode | None): The axes that the values are for, in their
            order; all axes if it is empty. Default: (1, 0).
        axis_names (str | None): The axes, as letters of the layout: "WH" by default, if `axes`
            is not given. Samples without a layout count as HW, HWC, FHWC or FDHWC.
        start (int | Sequence[int] | DataNode | None): First element.
        end (int | Sequence[int] | DataNode | None): The element after the last.
        shape (int | Sequence[int] | DataNode | None): Number of elements.
        rel_start (float | Sequence[float] | DataNode | None): Start, in fractions of the
            extent.
        rel_end (float | Sequence[float] | DataNode | None): End, in fractions of the extent.
        rel_shape (float | Sequence[float] | DataNode | None): Shape, in fractions of the
            extent.
        normalized_anchor (bool | None): Whether an input `anchor` of floats is in fractions of
            the extent. Default: True.
        normalized_shape (bool | None): Whether an input `shape_input` of floats is in fractions
            of the extent. Default: True.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, mixed. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: use_fast_idct, hybrid_huffman_threshold,
            device_memory_padding, host_memory_padding, device_memory_padding_jpeg2k,
            host_memory_padding_jpeg2k, preallocate_width_hint, preallocate_height_hint, affine,
            memory_stats, cache_debug, cache_batch_copy, cache_type, split_stages,
            use_chunk_allocator, bytes_per_sample_hint.
    """

def inflate(
    data: DataNode,
    /,
    *,
    shape: int | _abc.Sequence[int] | DataNode,
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
) -> DataNode:
    """Decompresses bytes to arrays whose shape and type are known.

    A sample is one compressed chunk, or several chunks of one shape. Several chunks become one
    array with one more, outermost dimension; `chunk_offsets` or `chunk_sizes` (or both) locate the
    chunks in the sample. A shape that the compressed bytes cannot fill is an error before memory
    is allocated.

    DALI has LZ4 alone (blocks without a header), on the GPU. Here are also zlib, gzip, raw Deflate
    and Zstandard (below Python 3.14 with backports.zstd).

    >>> import zlib
    >>> import numpy as np
    >>> from penstock import Pipeline, fn, types
    >>> data = np.frombuffer(zlib.compress(np.int16([1, 2, 3]).tobytes()), np.uint8)
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     output = fn.decoders.inflate(data, shape=[3], dtype=types.INT16, algorithm="zlib")
    ...     pipe.set_outputs(output)
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [1 2 3]

    Inputs:
        data: compressed bytes; uint8, one dimension.

    Outputs:
        the decompressed array: of type `dtype` and shape `shape`, or (chunks, *shape).

    Raises:
        DecodeError: the data is damaged, does not fill the shape exactly, or a chunk lies
            outside of the sample.
        MissingDependencyError: `algorithm` needs a library that is not installed.

    Args:
        shape (int | Sequence[int] | DataNode): Shape of a decompressed chunk.
        dtype (DALIDataType | DTypeLike | None): Type of the elements, in this machine's byte
            order. Default: UINT8.
        layout (str | None): Layout of a decompressed chunk, one letter a dimension.
        chunk_offsets (int | Sequence[int] | DataNode | None): Offsets of the chunks in the
            sample, in bytes. Without `chunk_sizes`, each chunk ends where the next one starts.
        chunk_sizes (int | Sequence[int] | DataNode | None): Sizes of the compressed chunks in
            bytes. Without `chunk_offsets`, they lie end to end.
        sequence_axis_name (str | None): Letter of the outermost dimension where a sample has
            chunks and a layout. Default: 'F'.
        algorithm (str | None): LZ4, ZLIB, GZIP, DEFLATE or ZSTD. Default: 'LZ4'.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: check_output_size, bytes_per_sample_hint.
    """

def json(
    data: DataNode,
    /,
    *,
    field: str | None = ...,
    dtype: DALIDataType | DTypeLike | None = ...,
    default: float | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Picks a field of JSON documents, such as the components `.json` of tar archives.

    >>> import numpy as np
    >>> from penstock import fn, pipeline_def, types
    >>> text = b'{"caption": "a cat", "objects": [{"box": [1, 2, 30, 40]}]}'
    >>> @pipeline_def(batch_size=1, num_threads=1)
    ... def boxes():
    ...     data = types.Constant(np.frombuffer(text, np.uint8))
    ...     box = fn.decoders.json(data, field="objects.0.box", dtype=types.INT32)
    ...     return box, fn.decoders.json(data, field="caption")
    >>> with boxes() as pipe:
    ...     box, caption = pipe.run()
    >>> box.at(0).tolist(), bytes(caption.at(0)).decode()
    ([1, 2, 30, 40], 'a cat')

    Python's `json` reads the documents. It holds the GIL: a large document takes time from other
    threads.

    Inputs:
        data: a document a sample: uint8, one dimension.

    Outputs:
        a number or true or false: of type `dtype`, shape ().
        lists of numbers, also nested: of type `dtype`, with an axis for each level.
        a text: its UTF-8, uint8, shape (size,).

    Raises:
        DecodeError: the data are no JSON, have no such field, or the field is no number of the
            type, no text, and no array of numbers. An object with two fields of one name, and NaN,
            Infinity and halves of surrogate pairs, are no JSON that others read alike.

    Args:
        field (str | None): Path of the field: names and indices of lists, with dots between
            them: 'objects.0.box'. By default the whole document.
        dtype (DALIDataType | DTypeLike | None): Type of the numbers. A number that does not fit
            is an error. Default: FLOAT.
        default (float | None): Number where the field is missing or null, in place of an error.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def numpy(
    data: DataNode,
    /,
    *,
    dtype: DALIDataType | DTypeLike | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Decodes the bytes of `.npy` files, such as components of tar archives.

    Versions 1 to 3 of the format, both orders of dimensions and both byte orders are read.
    Objects, which would have to be unpickled, structured types and strings are not.

    >>> import io
    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> file = io.BytesIO()
    >>> np.save(file, np.float32([[1, 2], [3, 4]]))
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.decoders.numpy(np.frombuffer(file.getvalue(), np.uint8)))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [[1. 2.]
     [3. 4.]]

    Inputs:
        data: a whole file a sample; uint8, one dimension.

    Outputs:
        the array: of the file's shape, and its type unless `dtype` is given. Complex numbers come
            as floats with a last axis of two more, real and imaginary part; dates and differences
            of dates as int64, in the file's unit.

    Raises:
        DecodeError: the bytes are no such file, or it is damaged or cut off.

    Args:
        dtype (DALIDataType | DTypeLike | None): Type to convert to, as `fn.cast` does: to the
            nearest number that it can hold. All samples must have one type: give it where the
            files differ.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

@overload
def video(
    encoded: DataNode,
    /,
    *,
    audio: Literal[False] | None = ...,
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
) -> DataNode:
    """Decodes frames of videos: all codecs and containers that FFmpeg reads, such as H.264, HEVC,
    VP9 and AV1 in MP4, Matroska, AVI or MPEG-TS.

    Frames are counted in the order of their presentation, whatever their rate. Without arguments,
    the result holds all frames. `frames` lists frames; or `start_frame`, `stride` and either
    `end_frame` or `sequence_length` give a range. Colors follow the matrix and the range that the
    video states; without a statement, the matrix is ITU-R BT.601. Videos that are marked as turned
    are turned upright.

    With device="mixed" the GPU's video decoder decodes what it can, as a rule H.264 and HEVC of
    4:2:0, VP8, VP9, AV1, MPEG-2 and MPEG-4. Threads of the CPU decode the rest, of which the GPU
    converts the planes (docs/video.md).

    With `audio` the result has the sound, too: from the beginning of the first of the frames, in
    the order of presentation, to the end of the last one, by the file's time stamps. The sound is
    zero where the audio stream has no samples.

    >>> import cv2
    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> writer = cv2.VideoWriter("clip.avi", cv2.VideoWriter.fourcc(*"MJPG"), 25, (64, 48))
    >>> for brightness in range(0, 250, 25):
    ...     _ = writer.write(np.full((48, 64, 3), brightness, np.uint8))
    >>> writer.release()
    >>> clip = np.fromfile("clip.avi", np.uint8)
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.decoders.video(clip, start_frame=2, sequence_length=4))
    ...     (result,) = pipe.run()
    ...     print(result.shape())
    [(4, 48, 64, 3)]

    Inputs:
        encoded: a whole video file a sample; uint8, one dimension.

    Outputs:
        frames: uint8, FHWC, RGB.
        sound: float32 from -1 to 1, shape (samples, channels), or (samples,) with `audio_downmix`.
        rate of the sound: float32, a scalar, in Hz.

    Raises:
        DecodeError: the bytes are no video; a frame that is asked for is damaged, missing, or of
            another size than the clip's first frame. With `audio`: there is no audio stream, or it
            is damaged.
        ArgumentError: the range starts behind the last frame.

    Args:
        audio (bool | None): Adds the clip's sound and the sound's rate as outputs. DALI has no
            such argument. Default: False.
        audio_rate (float | None): Rate to resample the sound to, in Hz; 0 or less for the
            file's own. Default: 0.0.
        audio_downmix (bool | None): Return the mean of all channels of the sound. Default:
            False.
        frames (int | Sequence[int] | DataNode | None): Numbers of the frames, in any order.
        start_frame (int | DataNode | None): First frame, by default 0.
        end_frame (int | DataNode | None): Frame behind the last one, by default the video's
            end.
        sequence_length (int | DataNode | None): Number of frames.
        stride (int | DataNode | None): Distance between two frames of the clip, by default 1.
        pad_mode (Literal['none', 'constant', 'edge', 'repeat', 'reflect_1001', 'symmetric',
            'reflect_101', 'reflect'] | None): What replaces frames behind the video's end:
            'constant' is a frame of `fill_value`, 'edge' or 'repeat' the last frame;
            'reflect_1001' or 'symmetric' goes back through the video from its last frame on,
            'reflect_101' or 'reflect' from the last frame but one; 'none' leaves the frames
            out, and refuses such numbers in `frames`. Default: 'constant'.
        fill_value (int | Sequence[int] | None): One value from 0 to 255, or one a channel.
            Default: (0,).
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, mixed. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: affine, build_index, bytes_per_sample_hint.
    """
@overload
def video(
    encoded: DataNode,
    /,
    *,
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
    audio: Literal[True],
) -> list[DataNode]: ...
@overload
def video(
    encoded: DataNode,
    /,
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
) -> Any: ...
