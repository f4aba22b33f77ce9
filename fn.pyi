"""Signatures of the operators; made by docs/generate.py from their declarations."""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any

from numpy.typing import ArrayLike, DTypeLike

from .engine.graph import DataNode
from .engine.types import DALIDataType, DALIImageType, DALIInterpType

def batch_permutation(
    *,
    allow_repetitions: bool | None = ...,
    no_fixed_points: bool | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Draws, for each sample, the index of a sample: what `permute_batch` takes as `indices`.

    Args:
        allow_repetitions (bool | None): Draw every index alone, so that some may come twice and
            others never. Default: False.
        no_fixed_points (bool | None): Give no sample its own index. Without effect on a batch
            of one sample. Default: False.
        seed (int | None): Seed of the operator's randomness; by default derived from the
            pipeline's. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu; by default where the inputs are.
        name (str | None): name in the graph, for statistics, checkpoints, errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def caffe2_reader(
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
    path: str | Sequence[str],
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
) -> Any:
    """Reads images, labels and more from Caffe2's LMDB data sets, in the order of their keys.

    A record is a list of tensors: the image, the labels, with weighted labels their weights,
    the additional ones, and the bounding box, as far as the arguments say that they are there.
    Tensors that follow are left out.

    Outputs:
        the image: an encoded file, uint8, shape (size,), or pixels, uint8, shape (height,
            width, channels).
        its labels, float32 or int32 as stored: for `label_type` 0 shape (1,); for 1 ones at
            the places of the labels, shape (num_labels,); for 2 the stored numbers, shape
            (count,); for 3 the weights at the places of the labels, float32, (num_labels,).
        each additional tensor: float32, int32 or int64, shape (count,).
        with `bbox`, the box: int32, shape (4,), as stored.

    Raises:
        SourceError: a file is no LMDB file, is damaged, is written to while it is read, or
            holds no records.
        OSError: a file cannot be read.
        DecodeError: a value does not hold these tensors (see `on_error`).

    Args:
        image_available (bool | None): Whether records begin with an image. Default: True.
        label_type (int | None): What labels there are: 0 one class; 1 several classes; 2 a
            vector of numbers; 3 several classes with weights; 4 none. Default: 0.
        num_labels (int | None): Number of classes, for `label_type` 1 and 3. Default: 1.
        additional_inputs (int | None): Number of tensors of numbers that follow the labels.
            Default: 0.
        bbox (bool | None): Whether a bounding box follows. Default: False.
        random_shuffle (bool | None): Read every epoch in another order: a permutation of the
            whole data set, the same for all shards, drawn from `shuffle_seed` and the epoch's
            number. Default: False.
        shuffle_after_epoch (bool | None): The same as `random_shuffle`. Default: False.
        shuffle_after_epoch_seed (int | None): The same as `shuffle_seed`.
        shuffle_seed (int | None): Seed of the order. It is not derived from the pipeline's
            seed, which users often set differently for each rank: the ranks' shards would
            overlap then. Default: 0.
        shuffle_block (int | None): For storage that reads neighbours best (spinning disks,
            remote shards): shuffle blocks of so many consecutive samples instead of single
            samples, and mix the samples of `shuffle_window` blocks. Whole blocks are read, and
            those of up to two windows kept in memory. See docs/shuffling.md for what randomness
            that gives.
        shuffle_window (int | None): Number of blocks that are mixed, if `shuffle_block` is set.
            Default: 16.
        shard_id (int | None): Which of `num_shards` parts of the data this reader reads.
            Default: 0.
        num_shards (int | None): Number of parts that the data set is divided into. Default: 1.
        stick_to_shard (bool | None): Read the same part in every epoch, instead of the next one
            in turn. Default: False.
        pad_last_batch (bool | None): Fill up every part with copies of its last sample, to the
            same number of whole batches. Default: False.
        prefetch_queue_depth (int | None): Batches that are read before they are asked for, as
            far as the pipeline's `prefetch_bytes` allows: by default 4 for URLs, whose every
            request takes a round trip. Local files, which the kernel reads ahead, are by
            default read in groups of batches, if these are small and come fast.
        storage_options (Mapping[str, Any] | None): For URLs: what fsspec's file system for the
            protocol takes, such as {'anon': True} or {'endpoint_url': ...} for s3://.
            Credentials are otherwise found where the service's own tools find them. The key
            'limits' bounds our requests: a dict with any of attempts (6), stall_seconds (20),
            total_seconds (120) and at_once (64). Default: {}.
        path (str | Sequence[str]): The databases, read one after the other: folders that hold
            data.mdb, or files.
        seed (int | None): Seed of the operator's randomness; by default derived from the
            pipeline's. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu; by default where the inputs are.
        name (str | None): name in the graph, for statistics, checkpoints, errors.
        Accepted for compatibility, without effect: initial_fill, read_ahead,
            skip_cached_images, lazy_init, dont_use_mmap, use_o_direct, tensor_init_bytes,
            bytes_per_sample, bytes_per_sample_hint.
    """

def caffe_reader(
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
    path: str | Sequence[str],
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
) -> Any:
    """Reads images and labels from Caffe's LMDB data sets, in the order of their keys.

    Pixels that are not encoded keep the order in which they are stored. DALI gives them the
    shape (height, width, channels), and so do we; Caffe's own tools store one channel after
    the other, so that `reshape` to (channels, height, width) gives the picture.

    Outputs:
        the image: an encoded file, uint8, shape (size,); pixels, uint8, or numbers
            (`float_data`), float32, shape (height, width, channels). A Datum that does not say
            whether it is encoded counts as encoded.
        its label: int32, shape (1,).

    Raises:
        SourceError: a file is no LMDB file, is damaged, is written to while it is read, or
            holds no records.
        OSError: a file cannot be read.
        DecodeError: a value is no Datum, or lacks the image or the label (see `on_error`).

    Args:
        image_available (bool | None): Whether the image is an output. Default: True.
        label_available (bool | None): Whether the label is an output. Default: True.
        random_shuffle (bool | None): Read every epoch in another order: a permutation of the
            whole data set, the same for all shards, drawn from `shuffle_seed` and the epoch's
            number. Default: False.
        shuffle_after_epoch (bool | None): The same as `random_shuffle`. Default: False.
        shuffle_after_epoch_seed (int | None): The same as `shuffle_seed`.
        shuffle_seed (int | None): Seed of the order. It is not derived from the pipeline's
            seed, which users often set differently for each rank: the ranks' shards would
            overlap then. Default: 0.
        shuffle_block (int | None): For storage that reads neighbours best (spinning disks,
            remote shards): shuffle blocks of so many consecutive samples instead of single
            samples, and mix the samples of `shuffle_window` blocks. Whole blocks are read, and
            those of up to two windows kept in memory. See docs/shuffling.md for what randomness
            that gives.
        shuffle_window (int | None): Number of blocks that are mixed, if `shuffle_block` is set.
            Default: 16.
        shard_id (int | None): Which of `num_shards` parts of the data this reader reads.
            Default: 0.
        num_shards (int | None): Number of parts that the data set is divided into. Default: 1.
        stick_to_shard (bool | None): Read the same part in every epoch, instead of the next one
            in turn. Default: False.
        pad_last_batch (bool | None): Fill up every part with copies of its last sample, to the
            same number of whole batches. Default: False.
        prefetch_queue_depth (int | None): Batches that are read before they are asked for, as
            far as the pipeline's `prefetch_bytes` allows: by default 4 for URLs, whose every
            request takes a round trip. Local files, which the kernel reads ahead, are by
            default read in groups of batches, if these are small and come fast.
        storage_options (Mapping[str, Any] | None): For URLs: what fsspec's file system for the
            protocol takes, such as {'anon': True} or {'endpoint_url': ...} for s3://.
            Credentials are otherwise found where the service's own tools find them. The key
            'limits' bounds our requests: a dict with any of attempts (6), stall_seconds (20),
            total_seconds (120) and at_once (64). Default: {}.
        path (str | Sequence[str]): The databases, read one after the other: folders that hold
            data.mdb, or files.
        seed (int | None): Seed of the operator's randomness; by default derived from the
            pipeline's. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu; by default where the inputs are.
        name (str | None): name in the graph, for statistics, checkpoints, errors.
        Accepted for compatibility, without effect: initial_fill, read_ahead,
            skip_cached_images, lazy_init, dont_use_mmap, use_o_direct, tensor_init_bytes,
            bytes_per_sample, bytes_per_sample_hint.
    """

def cast(
    data: DataNode,
    /,
    *,
    dtype: DALIDataType | DTypeLike,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Converts numbers to another type.

    What the type cannot hold becomes the nearest that it can; fractions are rounded, halves away
    from zero. What is not a number becomes the smallest integer of the type. bool is False for
    what rounds to 0, else True.

    Inputs:
        data: any samples.

    Outputs:
        the numbers as `dtype`: of the input's shape and layout.

    Args:
        dtype (DALIDataType | DTypeLike): Type of the output.
        seed (int | None): Seed of the operator's randomness; by default derived from the
            pipeline's. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu; by default where the inputs are.
        name (str | None): name in the graph, for statistics, checkpoints, errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def cast_like(
    data: DataNode,
    like: DataNode,
    /,
    *,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Converts numbers to the type of the second input, as `cast` does.

    Inputs:
        data: any samples.
        like: samples of which only the type matters.

    Outputs:
        the numbers as the type of `like`: of the first input's shape and layout.

    Args:
        seed (int | None): Seed of the operator's randomness; by default derived from the
            pipeline's. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu; by default where the inputs are.
        name (str | None): name in the graph, for statistics, checkpoints, errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def cat(
    data: DataNode,
    *others: DataNode,
    axis: int | None = ...,
    axis_name: str | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Joins inputs along an axis that they have; the other extents must agree.

    Inputs:
        data, others: samples of one type and number of dimensions.

    Outputs:
        the joined samples: of the inputs' type, and their layout if they have one in common.

    Raises:
        ArgumentError: the inputs differ in type or in another extent, or the axis does not exist.

    Args:
        axis (int | None): The axis; a negative one counts from the end. Default: 0.
        axis_name (str | None): The axis's letter in the layout, in place of `axis`.
        seed (int | None): Seed of the operator's randomness; by default derived from the
            pipeline's. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu; by default where the inputs are.
        name (str | None): name in the graph, for statistics, checkpoints, errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def coin_flip(
    shape_like: DataNode | None = ...,
    /,
    *,
    shape: int | Sequence[int] | DataNode | None = ...,
    dtype: DALIDataType | DTypeLike | None = ...,
    probability: float | DataNode | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Draws 1 with the given probability, else 0.

    Inputs:
        shape_like: samples whose shape the output has, in place of `shape`.

    Outputs:
        the numbers: of type `dtype` (by default int32), without a layout.

    Raises:
        ArgumentError: a probability is not from 0 to 1.

    Args:
        shape (int | Sequence[int] | DataNode | None): Shape of a sample's output; by default
            one number, of shape ().
        dtype (DALIDataType | DTypeLike | None): Type of the output. Numbers are rounded to
            integers, halves away from zero, and clamped to what the type holds.
        probability (float | DataNode | None): Probability of 1, from 0 to 1. Default: 0.5.
        seed (int | None): Seed of the operator's randomness; by default derived from the
            pipeline's. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu; by default where the inputs are.
        name (str | None): name in the graph, for statistics, checkpoints, errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def constant(
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
) -> DataNode:
    """Returns the same numbers for every sample.

    A single number fills the whole shape. Without a shape the output is one-dimensional.

    Outputs:
        the numbers: of the type, shape and layout that the arguments say.

    Raises:
        ArgumentError: the numbers do not fill the shape, or the layout does not describe it.

    Args:
        idata (int | Sequence[int] | None): Integers; excludes `fdata`.
        fdata (float | Sequence[float] | None): Floating point numbers; excludes `idata`.
        shape (int | Sequence[int] | None): Shape of the output.
        dtype (DALIDataType | DTypeLike | None): Type of the output: by default int32 or
            float32.
        layout (str | None): Layout of the output.
        seed (int | None): Seed of the operator's randomness; by default derived from the
            pipeline's. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu; by default where the inputs are.
        name (str | None): name in the graph, for statistics, checkpoints, errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def copy(
    data: DataNode,
    /,
    *,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Returns the data, on the other device if `device` asks for it.

    Data never change once they are computed, so on one device nothing needs to be copied.

    Args:
        seed (int | None): Seed of the operator's randomness; by default derived from the
            pipeline's. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu; by default where the inputs are.
        name (str | None): name in the graph, for statistics, checkpoints, errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def crop(
    data: DataNode,
    /,
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
) -> DataNode:
    """Takes a window of given size out of each image, video or volume.

    The window's first pixel is at `position * (extent - crop extent)`, rounded, on each axis.
    Without a size the whole sample is taken. Where 'F' is in the layout and 'D' is not, the
    depth is the number of frames.

    Inputs:
        data: HWC, CHW, HW, DHWC, CDHW, FHWC, FCHW, CFHW or with F before a volume; any type.
            Without a layout HW, HWC, DHWC or FDHWC is assumed.

    The result has the layout and, if `dtype` is not given, the type of the input.

    Args:
        dtype (DALIDataType | DTypeLike | None): Element type of the result, by default the
            input's. Values out of its range become the nearest that it has, fractions are cut
            off in integers.
        output_dtype (DALIDataType | DTypeLike | None): Older name of `dtype`.
        out_of_bounds_policy (str | None): What to do if the window reaches out of the sample:
            "error" raises; "constant" or "pad" fill with `fill_values`; "trim_to_shape" takes
            what there is. Default: 'error'.
        fill_values (float | Sequence[float] | None): What is outside of the sample if it is
            padded: one value, or one a channel. Default: (0.0,).
        crop (float | Sequence[float] | DataNode | None): Shape of the window in pixels,
            (height, width) or (depth, height, width). Fractions are cut off; what is not
            positive takes the whole axis.
        crop_d (float | DataNode | None): Depth of the window, or number of frames; needs the
            others. Default: 0.0.
        crop_h (float | DataNode | None): Height of the window, with `crop_w`. Default: 0.0.
        crop_w (float | DataNode | None): Width of the window, with `crop_h`. Default: 0.0.
        crop_pos_x (float | DataNode | None): Where the window lies: 0 at the left, 1 at the
            right. Default: 0.5.
        crop_pos_y (float | DataNode | None): Where the window lies: 0 at the top, 1 at the
            bottom. Default: 0.5.
        crop_pos_z (float | DataNode | None): Where the window lies: 0 in front, 1 at the back.
            Default: 0.5.
        rounding (str | None): How the position becomes whole pixels: "round" (halves away from
            zero) or "truncate". Default: 'round'.
        seed (int | None): Seed of the operator's randomness; by default derived from the
            pipeline's. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu; by default where the inputs are.
        name (str | None): name in the graph, for statistics, checkpoints, errors.
        Accepted for compatibility, without effect: image_type, bytes_per_sample_hint.
    """

def crop_mirror_normalize(
    data: DataNode,
    /,
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
) -> DataNode:
    """Crops, mirrors, normalises and reorders the dimensions of each sample.

    The result is `scale * (input - mean) / std + shift`, computed in float32. Without a size
    the whole sample is taken. What is outside of the sample, and channels that `pad_output`
    adds, are `fill_values`: those are not normalised.

    Inputs:
        data: HWC, CHW, DHWC, CDHW, FHWC, FCHW, CFHW or with F before a volume; any numeric
            type. Without a layout HWC, DHWC or FDHWC is assumed.

    The result is of type `dtype` and has the layout `output_layout`. On the GPU, float32 results
    may differ from those of the CPU by 1e-6 of the largest term; those of other types are the same.

    Args:
        dtype (DALIDataType | DTypeLike | None): Element type of the result: FLOAT, FLOAT16,
            UINT8 or INT8. Integers are rounded, halves away from zero, and clamped to the range
            of the type. Default: FLOAT.
        output_dtype (DALIDataType | DTypeLike | None): Older name of `dtype`.
        out_of_bounds_policy (str | None): What to do if the window reaches out of the sample:
            "error" raises; "constant" or "pad" fill with `fill_values`; "trim_to_shape" takes
            what there is. Default: 'error'.
        fill_values (float | Sequence[float] | None): What is outside of the sample if it is
            padded: one value, or one a channel. Default: (0.0,).
        crop (float | Sequence[float] | DataNode | None): Shape of the window in pixels,
            (height, width) or (depth, height, width). Fractions are cut off; what is not
            positive takes the whole axis.
        crop_d (float | DataNode | None): Depth of the window, or number of frames; needs the
            others. Default: 0.0.
        crop_h (float | DataNode | None): Height of the window, with `crop_w`. Default: 0.0.
        crop_w (float | DataNode | None): Width of the window, with `crop_h`. Default: 0.0.
        crop_pos_x (float | DataNode | None): Where the window lies: 0 at the left, 1 at the
            right. Default: 0.5.
        crop_pos_y (float | DataNode | None): Where the window lies: 0 at the top, 1 at the
            bottom. Default: 0.5.
        crop_pos_z (float | DataNode | None): Where the window lies: 0 in front, 1 at the back.
            Default: 0.5.
        rounding (str | None): How the position becomes whole pixels: "round" (halves away from
            zero) or "truncate". Default: 'round'.
        output_layout (str | None): Layout of the result: the letters of the input's layout in
            any order. Default: 'CHW'.
        pad_output (bool | None): Whether channels are added until their number is a power of
            two. Default: False.
        mirror (int | DataNode | None): Mirror left to right unless 0. Default: 0.
        mean (float | Sequence[float] | DataNode | None): What is subtracted: one value, or one
            a channel. Default: (0.0,).
        std (float | Sequence[float] | DataNode | None): What is divided by: one value, or one a
            channel. Default: (1.0,).
        scale (float | None): What the normalised value is multiplied by. Default: 1.0.
        shift (float | None): What is added last. Default: 0.0.
        seed (int | None): Seed of the operator's randomness; by default derived from the
            pipeline's. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu; by default where the inputs are.
        name (str | None): name in the graph, for statistics, checkpoints, errors.
        Accepted for compatibility, without effect: image_type, bytes_per_sample_hint.
    """

def expand_dims(
    data: DataNode,
    /,
    *,
    axes: int | Sequence[int],
    new_axis_names: str | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Inserts dimensions of extent 1.

    Inputs:
        data: any samples.

    Outputs:
        the same numbers: of the input's type, with more dimensions; without a layout unless
            `new_axis_names` is given.

    Raises:
        ArgumentError: an axis is named twice, or lies beyond the output's dimensions.

    Args:
        axes (int | Sequence[int]): Where the new dimensions stand in the output.
        new_axis_names (str | None): Their letters in the layout, in the order of `axes`;
            without it there is none.
        seed (int | None): Seed of the operator's randomness; by default derived from the
            pipeline's. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu; by default where the inputs are.
        name (str | None): name in the graph, for statistics, checkpoints, errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def external_source(
    source: Any | None = ...,
    num_outputs: int | None = ...,
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
) -> Any:
    """Takes data from a Python function, iterable or generator function, or from `feed_input`.

    The source gives whole batches (an array whose axis 0 runs over the samples, or a list of
    samples), which may be smaller than the pipeline's, or with `batch=False` one sample after the
    other. Samples are NumPy arrays, whatever has `__dlpack__` or `__array__` (PyTorch tensors),
    numbers or lists of them. The samples of a batch agree in type and number of dimensions.

    With `device="gpu"` samples may also lie on the GPU: CuPy arrays, PyTorch tensors, whatever has
    `__dlpack__` or `__cuda_array_interface__`. They are copied on the stream that their library
    works on (see `cuda_stream`), so the source may go on there at once, and overwrite them. What
    lies in host memory is copied to the GPU.

    Functions may take one argument: the number of the batch in its epoch (or a `BatchInfo`), or
    a `SampleInfo`. They end the epoch by raising StopIteration; samples of a batch that is
    not complete then are dropped. The source is used by one thread only, which runs ahead of
    the consumer. What it raises reaches the caller of `run` as it is.

    Without a source the data comes from `Pipeline.feed_input` under this operator's name.

    A checkpoint holds where the source stands. Functions are told it by their argument; an object
    with `state_dict()` and `load_state_dict()` (of what JSON can hold) is asked and told; other
    iterables are gone through up to there.

    With `num_outputs` the source gives a tuple of that many batches (or, by sample, of arrays),
    and a list of nodes is returned.

    Args:
        source (Any | None): Function, iterable or generator function.
        cycle (Any | None): What happens at an iterable's end: "no", False or None:
            StopIteration; "quiet" or True: it starts again; "raise": StopIteration, and it
            starts again after `reset`.
        layout (Any | None): Layout of the samples, or a list with one for each output.
        dtype (Any | None): Type that the data must have, or a list.
        ndim (Any | None): Number of dimensions that samples must have, or a list.
        no_copy (bool | None): Use the arrays as they are: they must not be changed while they
            are in use. On the GPU arrays that are not contiguous are copied all the same.
            Default: False.
        batch_info (bool | None): Pass a `BatchInfo` rather than the batch's number. Default:
            False.
        repeat_last (bool | None): Where nothing new was fed, use what was fed last. Not with a
            source. Default: False.
        parallel (bool | None): Only sets the default of `batch` to False: one thread of this
            process calls the source. Default: False.
        cuda_stream (Any | None): Stream on which data on the GPU is complete and is copied: a
            handle, or a stream of CuPy or PyTorch. By default PyTorch's current one for its
            tensors, and what the CUDA array interface names for others; where nothing names
            one, the default stream, and the copy is waited for. 0 and 1 are the default stream,
            too.
        batch (bool | None): Whether the source gives whole batches; True by default.
        num_outputs (int | None): How many outputs the source gives, as a tuple.
        seed (int | None): Seed of the operator's randomness; by default derived from the
            pipeline's. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu; by default where the inputs are.
        name (str | None): name in the graph, for statistics, checkpoints, errors.
        Accepted for compatibility, without effect: blocking, use_copy_kernel,
            prefetch_queue_depth, bytes_per_sample_hint.
    """

def fast_resize_crop_mirror(
    images: DataNode,
    /,
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
) -> DataNode:
    """Like `fn.resize_crop_mirror`, without antialiasing unless that is asked for.

    Deprecated: use `fn.resize_crop_mirror(..., antialias=False)`.

    Args:
        interp_type (DALIInterpType | DataNode | None): Filter, where `min_filter` or
            `mag_filter` do not say otherwise. Default: INTERP_LINEAR.
        min_filter (DALIInterpType | DataNode | None): Filter for an axis that shrinks. Default:
            interp_type.
        mag_filter (DALIInterpType | DataNode | None): Filter for an axis that keeps its extent
            or grows. Default: interp_type.
        antialias (bool | None): Widen the filter of a shrinking axis. Default: False.
        dtype (DALIDataType | DTypeLike | None): Type of the result: FLOAT, or that of the input
            (the default).
        size (float | Sequence[float] | DataNode | None): Wanted (height, width) in pixels, or
            (depth, height, width) for volumes; one number stands for all. 0 leaves an extent to
            `mode`; a negative one mirrors the axis.
        resize_x (float | DataNode | None): Wanted width in pixels; 0 and negative as in `size`.
            Default: 0.0.
        resize_y (float | DataNode | None): Wanted height in pixels; 0 and negative as in
            `size`. Default: 0.0.
        resize_z (float | DataNode | None): Wanted depth of a volume; 0 and negative as in
            `size`. Default: 0.0.
        resize_shorter (float | DataNode | None): Wanted length of the shorter side; the aspect
            ratio is kept. `max_size` may limit the longer one. Default: 0.0.
        resize_longer (float | DataNode | None): Wanted length of the longer side; the aspect
            ratio is kept. Default: 0.0.
        mode (str | None): What becomes of extents that are not given, and of the aspect ratio.
            'default': as given; missing ones scale by the (geometric) mean of the others.
            'stretch': as given; missing ones stay. 'not_larger': aspect ratio kept, no extent
            above the given ones. 'not_smaller': aspect ratio kept, no extent below the given
            ones. Default: 'default'.
        max_size (float | Sequence[float] | None): Upper limit of the result's extents, one for
            all or one an axis. Modes that keep the aspect ratio keep it under the limit too.
        subpixel_scale (bool | None): Where an extent was rounded, show a little more or less of
            the input, so that the scale is the one asked for. Otherwise the scale changes.
            Default: True.
        roi_start (float | Sequence[float] | DataNode | None): First edge of the region that
            counts as the image, (y, x) or (z, y, x), in pixels; may be fractional and outside
            of the image, whose border is repeated. A start beyond the end mirrors the axis.
        roi_end (float | Sequence[float] | DataNode | None): Last edge of the region; see
            roi_start, which it needs.
        roi_relative (bool | None): Count the region in parts of the image: 1 is its extent.
            Default: False.
        crop (float | Sequence[float] | DataNode | None): Shape of the window in pixels,
            (height, width) or (depth, height, width). Fractions are cut off; what is not
            positive takes the whole axis.
        crop_d (float | DataNode | None): Depth of the window, or number of frames; needs the
            others. Default: 0.0.
        crop_h (float | DataNode | None): Height of the window, with `crop_w`. Default: 0.0.
        crop_w (float | DataNode | None): Width of the window, with `crop_h`. Default: 0.0.
        crop_pos_x (float | DataNode | None): Where the window lies: 0 at the left, 1 at the
            right. Default: 0.5.
        crop_pos_y (float | DataNode | None): Where the window lies: 0 at the top, 1 at the
            bottom. Default: 0.5.
        crop_pos_z (float | DataNode | None): Where the window lies: 0 in front, 1 at the back.
            Default: 0.5.
        rounding (str | None): How the position becomes whole pixels: "round" (halves away from
            zero) or "truncate". Default: 'round'.
        mirror (int | DataNode | None): Axes to mirror, added up: 1 left to right, 2 top to
            bottom, 4 front to back. Default: 0.
        seed (int | None): Seed of the operator's randomness; by default derived from the
            pipeline's. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu; by default where the inputs are.
        name (str | None): name in the graph, for statistics, checkpoints, errors.
        Accepted for compatibility, without effect: temp_buffer_hint, minibatch_size,
            bytes_per_sample_hint.
    """

def file_reader(
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
) -> tuple[DataNode, DataNode]:
    """Reads whole files, such as encoded images, with an integer label each.

    The files come from folders of classes (`file_root`), from a list of paths (`files`), or
    from a text file that lists them (`file_list`). Each of these may be or hold URLs, such as
    "s3://bucket/train".

    In pipelines that use the GPU or worker processes, a process of the reader's own reads local
    files, after a second of reading: threads that read would wait for Python's lock.

    Outputs:
        the file's bytes: uint8, shape (size,).
        its label: int32, shape (1,).

    Raises:
        SourceError: a folder or list cannot be read or holds nothing that matches.
        OSError: a file cannot be read (see `on_error` of the pipeline).

    Args:
        file_root (str | None): Folder whose subfolders are the classes, numbered in the order
            of their names; also what relative paths in `files` or `file_list` are relative to.
        files (str | Sequence[str] | None): Paths of the files.
        labels (int | Sequence[int] | None): Their labels; by default 0, 1, 2, ...
        file_list (str | None): Text file with a path and a label on each line; paths may hold
            spaces.
        file_filters (str | Sequence[str] | None): Patterns such as '*.jpg'; with `file_root`
            alone. Default: ('*.jpg', '*.jpeg', '*.png', '*.bmp', '*.tif', '*.tiff', '*.pnm',
            '*.ppm', '*.pgm', '*.pbm', '*.jp2', '*.webp', '*.flac', '*.ogg', '*.wav').
        dir_filters (str | Sequence[str] | None): Patterns of the class folders' names; by
            default all.
        case_sensitive_filter (bool | None): Whether the patterns distinguish case. Default:
            False.
        random_shuffle (bool | None): Read every epoch in another order: a permutation of the
            whole data set, the same for all shards, drawn from `shuffle_seed` and the epoch's
            number. Default: False.
        shuffle_after_epoch (bool | None): The same as `random_shuffle`. Default: False.
        shuffle_after_epoch_seed (int | None): The same as `shuffle_seed`.
        shuffle_seed (int | None): Seed of the order. It is not derived from the pipeline's
            seed, which users often set differently for each rank: the ranks' shards would
            overlap then. Default: 0.
        shuffle_block (int | None): For storage that reads neighbours best (spinning disks,
            remote shards): shuffle blocks of so many consecutive samples instead of single
            samples, and mix the samples of `shuffle_window` blocks. Whole blocks are read, and
            those of up to two windows kept in memory. See docs/shuffling.md for what randomness
            that gives.
        shuffle_window (int | None): Number of blocks that are mixed, if `shuffle_block` is set.
            Default: 16.
        shard_id (int | None): Which of `num_shards` parts of the data this reader reads.
            Default: 0.
        num_shards (int | None): Number of parts that the data set is divided into. Default: 1.
        stick_to_shard (bool | None): Read the same part in every epoch, instead of the next one
            in turn. Default: False.
        pad_last_batch (bool | None): Fill up every part with copies of its last sample, to the
            same number of whole batches. Default: False.
        prefetch_queue_depth (int | None): Batches that are read before they are asked for, as
            far as the pipeline's `prefetch_bytes` allows: by default 4 for URLs, whose every
            request takes a round trip. Local files, which the kernel reads ahead, are by
            default read in groups of batches, if these are small and come fast.
        storage_options (Mapping[str, Any] | None): For URLs: what fsspec's file system for the
            protocol takes, such as {'anon': True} or {'endpoint_url': ...} for s3://.
            Credentials are otherwise found where the service's own tools find them. The key
            'limits' bounds our requests: a dict with any of attempts (6), stall_seconds (20),
            total_seconds (120) and at_once (64). Default: {}.
        seed (int | None): Seed of the operator's randomness; by default derived from the
            pipeline's. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu; by default where the inputs are.
        name (str | None): name in the graph, for statistics, checkpoints, errors.
        Accepted for compatibility, without effect: initial_fill, read_ahead,
            skip_cached_images, lazy_init, dont_use_mmap, use_o_direct, tensor_init_bytes,
            bytes_per_sample, bytes_per_sample_hint.
    """

def flip(
    data: DataNode,
    /,
    *,
    horizontal: int | DataNode | None = ...,
    vertical: int | DataNode | None = ...,
    depthwise: int | DataNode | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Mirrors each sample along the axes that are chosen.

    Inputs:
        data: HWC, CHW, HW, DHWC, CDHW, or with F before them; any type. Without a layout HW,
            HWC, FHWC or FDHWC is assumed.

    The result has the shape, layout and type of the input.

    Args:
        horizontal (int | DataNode | None): Mirror left to right unless 0. Default: 1.
        vertical (int | DataNode | None): Mirror top to bottom unless 0. Default: 0.
        depthwise (int | DataNode | None): Mirror front to back unless 0; without effect where
            there is no depth. Default: 0.
        seed (int | None): Seed of the operator's randomness; by default derived from the
            pipeline's. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu; by default where the inputs are.
        name (str | None): name in the graph, for statistics, checkpoints, errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def full(
    fill_value: DataNode,
    /,
    *,
    shape: int | Sequence[int] | DataNode | None = ...,
    layout: str | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Returns the input, broadcast to a shape as NumPy does it; its type is the input's.

    Args:
        shape (int | Sequence[int] | DataNode | None): Shape of a sample's output; by default
            one number.
        layout (str | None): Layout of the output.
        seed (int | None): Seed of the operator's randomness; by default derived from the
            pipeline's. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu; by default where the inputs are.
        name (str | None): name in the graph, for statistics, checkpoints, errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def full_like(
    data_like: DataNode,
    fill_value: DataNode,
    /,
    *,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Returns the second input, broadcast to the shape of the first, in its type and layout.

    Args:
        seed (int | None): Seed of the operator's randomness; by default derived from the
            pipeline's. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu; by default where the inputs are.
        name (str | None): name in the graph, for statistics, checkpoints, errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def get_property(
    data: DataNode,
    /,
    *,
    key: str,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Returns, for each sample, the bytes (uint8) of a text: where it was read from, or its layout.

    Where several readers feed a pipeline, the origin is that of the first one's sample.

    Args:
        key (str): "source_info" or "layout".
        seed (int | None): Seed of the operator's randomness; by default derived from the
            pipeline's. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu; by default where the inputs are.
        name (str | None): name in the graph, for statistics, checkpoints, errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def image_decoder(
    encoded: DataNode,
    /,
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
) -> DataNode:
    """Decodes images: JPEG, PNG, TIFF, BMP, WebP, JPEG 2000 and PNM, told by their content.

    Inputs:
        encoded: a whole encoded file a sample; uint8, one dimension.

    Args:
        output_type (DALIImageType | None): Colour space: RGB, BGR, GRAY, YCbCr (ITU-R BT.601, Y
            from 16 to 235), or ANY_DATA for the file's own channels. All but ANY_DATA drop
            alpha and expand palettes. Default: RGB.
        dtype (DALIDataType | DTypeLike | None): Type of the result, UINT8, UINT16, INT16,
            FLOAT16 or FLOAT. Values are scaled to its range: 255 of an 8-bit file is 65535 in
            UINT16 and 1.0 in FLOAT. Default: UINT8.
        adjust_orientation (bool | None): Turn the image upright as its EXIF data says. Default:
            True.
        fit (int | Sequence[int] | None): The size (height, width) that the image is going to be
            shrunk to. Given it, JPEG is decoded at 1/2, 1/4 or 1/8 of its size where that still
            leaves as many pixels each way, and without smoothing colours. The result is smaller
            then, so the following resize gives slightly different pixels (1 to 2 grey levels on
            average), in less time. One number stands for both.
        jpeg_fancy_upsampling (bool | None): With device='mixed', enlarge the colours of all
            JPEG files smoothly, as the CPU does. The hardware engine cannot, so it is left
            alone. Default: False.
        hw_decoder_load (float | None): With device='mixed', 0 leaves the hardware JPEG engine
            alone; else it decodes all that it can, which is faster than any share.
        seed (int | None): Seed of the operator's randomness; by default derived from the
            pipeline's. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, mixed; by default where the inputs are.
        name (str | None): name in the graph, for statistics, checkpoints, errors.
        Accepted for compatibility, without effect: use_fast_idct, hybrid_huffman_threshold,
            device_memory_padding, host_memory_padding, device_memory_padding_jpeg2k,
            host_memory_padding_jpeg2k, preallocate_width_hint, preallocate_height_hint, affine,
            memory_stats, cache_size, cache_threshold, cache_debug, cache_batch_copy,
            cache_type, split_stages, use_chunk_allocator, bytes_per_sample_hint.
    """

def image_decoder_crop(
    encoded: DataNode,
    /,
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
) -> DataNode:
    """Decodes a window of given size and position out of each image.

    Inputs:
        encoded: a whole encoded file a sample; uint8, one dimension.

    Raises:
        DecodeError: see above.
        ArgumentError: the window reaches out of the image.

    Args:
        output_type (DALIImageType | None): Colour space: RGB, BGR, GRAY, YCbCr (ITU-R BT.601, Y
            from 16 to 235), or ANY_DATA for the file's own channels. All but ANY_DATA drop
            alpha and expand palettes. Default: RGB.
        dtype (DALIDataType | DTypeLike | None): Type of the result, UINT8, UINT16, INT16,
            FLOAT16 or FLOAT. Values are scaled to its range: 255 of an 8-bit file is 65535 in
            UINT16 and 1.0 in FLOAT. Default: UINT8.
        adjust_orientation (bool | None): Turn the image upright as its EXIF data says. Default:
            True.
        fit (int | Sequence[int] | None): The size (height, width) that the image is going to be
            shrunk to. Given it, JPEG is decoded at 1/2, 1/4 or 1/8 of its size where that still
            leaves as many pixels each way, and without smoothing colours. The result is smaller
            then, so the following resize gives slightly different pixels (1 to 2 grey levels on
            average), in less time. One number stands for both.
        jpeg_fancy_upsampling (bool | None): With device='mixed', enlarge the colours of all
            JPEG files smoothly, as the CPU does. The hardware engine cannot, so it is left
            alone. Default: False.
        hw_decoder_load (float | None): With device='mixed', 0 leaves the hardware JPEG engine
            alone; else it decodes all that it can, which is faster than any share.
        crop (float | Sequence[float] | DataNode | None): Shape of the window in pixels,
            (height, width) or (depth, height, width). Fractions are cut off; what is not
            positive takes the whole axis.
        crop_d (float | DataNode | None): Depth of the window, or number of frames; needs the
            others. Default: 0.0.
        crop_h (float | DataNode | None): Height of the window, with `crop_w`. Default: 0.0.
        crop_w (float | DataNode | None): Width of the window, with `crop_h`. Default: 0.0.
        crop_pos_x (float | DataNode | None): Where the window lies: 0 at the left, 1 at the
            right. Default: 0.5.
        crop_pos_y (float | DataNode | None): Where the window lies: 0 at the top, 1 at the
            bottom. Default: 0.5.
        crop_pos_z (float | DataNode | None): Where the window lies: 0 in front, 1 at the back.
            Default: 0.5.
        rounding (str | None): How the position becomes whole pixels: "round" (halves away from
            zero) or "truncate". Default: 'round'.
        seed (int | None): Seed of the operator's randomness; by default derived from the
            pipeline's. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, mixed; by default where the inputs are.
        name (str | None): name in the graph, for statistics, checkpoints, errors.
        Accepted for compatibility, without effect: use_fast_idct, hybrid_huffman_threshold,
            device_memory_padding, host_memory_padding, device_memory_padding_jpeg2k,
            host_memory_padding_jpeg2k, preallocate_width_hint, preallocate_height_hint, affine,
            memory_stats, cache_size, cache_threshold, cache_debug, cache_batch_copy,
            cache_type, split_stages, use_chunk_allocator, bytes_per_sample_hint.
    """

def image_decoder_random_crop(
    encoded: DataNode,
    /,
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
) -> DataNode:
    """Decodes a part of each image, of random area, aspect ratio and place.

    The usual first step of training a classifier, before a resize to one size.

    Inputs:
        encoded: a whole encoded file a sample; uint8, one dimension.

    Args:
        output_type (DALIImageType | None): Colour space: RGB, BGR, GRAY, YCbCr (ITU-R BT.601, Y
            from 16 to 235), or ANY_DATA for the file's own channels. All but ANY_DATA drop
            alpha and expand palettes. Default: RGB.
        dtype (DALIDataType | DTypeLike | None): Type of the result, UINT8, UINT16, INT16,
            FLOAT16 or FLOAT. Values are scaled to its range: 255 of an 8-bit file is 65535 in
            UINT16 and 1.0 in FLOAT. Default: UINT8.
        adjust_orientation (bool | None): Turn the image upright as its EXIF data says. Default:
            True.
        fit (int | Sequence[int] | None): The size (height, width) that the image is going to be
            shrunk to. Given it, JPEG is decoded at 1/2, 1/4 or 1/8 of its size where that still
            leaves as many pixels each way, and without smoothing colours. The result is smaller
            then, so the following resize gives slightly different pixels (1 to 2 grey levels on
            average), in less time. One number stands for both.
        jpeg_fancy_upsampling (bool | None): With device='mixed', enlarge the colours of all
            JPEG files smoothly, as the CPU does. The hardware engine cannot, so it is left
            alone. Default: False.
        hw_decoder_load (float | None): With device='mixed', 0 leaves the hardware JPEG engine
            alone; else it decodes all that it can, which is faster than any share.
        random_area (float | Sequence[float] | None): Range of the part's area, relative to the
            image's; uniform. Default: (0.08, 1.0).
        random_aspect_ratio (float | Sequence[float] | None): Range of the part's width /
            height; its logarithm is uniform. Default: (0.75, 1.3333333333333333).
        num_attempts (int | None): How often a part that does not fit is drawn anew. Default:
            10.
        seed (int | None): Seed of the operator's randomness; by default derived from the
            pipeline's. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, mixed; by default where the inputs are.
        name (str | None): name in the graph, for statistics, checkpoints, errors.
        Accepted for compatibility, without effect: use_fast_idct, hybrid_huffman_threshold,
            device_memory_padding, host_memory_padding, device_memory_padding_jpeg2k,
            host_memory_padding_jpeg2k, preallocate_width_hint, preallocate_height_hint, affine,
            memory_stats, cache_size, cache_threshold, cache_debug, cache_batch_copy,
            cache_type, split_stages, use_chunk_allocator, bytes_per_sample_hint.
    """

def image_decoder_slice(
    encoded: DataNode,
    anchor: DataNode | None = ...,
    shape_input: DataNode | None = ...,
    /,
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
) -> DataNode:
    """Decodes a part of each image, given by where it starts and ends.

    The part is given as for `fn.slice`: by named arguments, or by the inputs `anchor` and `shape`.

    Inputs:
        encoded: a whole encoded file a sample; uint8, one dimension.
        anchor, shape_input: one number for each of the axes, as for `fn.slice`.

    Raises:
        DecodeError: see above.
        ArgumentError: the part reaches out of the image.

    Args:
        output_type (DALIImageType | None): Colour space: RGB, BGR, GRAY, YCbCr (ITU-R BT.601, Y
            from 16 to 235), or ANY_DATA for the file's own channels. All but ANY_DATA drop
            alpha and expand palettes. Default: RGB.
        dtype (DALIDataType | DTypeLike | None): Type of the result, UINT8, UINT16, INT16,
            FLOAT16 or FLOAT. Values are scaled to its range: 255 of an 8-bit file is 65535 in
            UINT16 and 1.0 in FLOAT. Default: UINT8.
        adjust_orientation (bool | None): Turn the image upright as its EXIF data says. Default:
            True.
        fit (int | Sequence[int] | None): The size (height, width) that the image is going to be
            shrunk to. Given it, JPEG is decoded at 1/2, 1/4 or 1/8 of its size where that still
            leaves as many pixels each way, and without smoothing colours. The result is smaller
            then, so the following resize gives slightly different pixels (1 to 2 grey levels on
            average), in less time. One number stands for both.
        jpeg_fancy_upsampling (bool | None): With device='mixed', enlarge the colours of all
            JPEG files smoothly, as the CPU does. The hardware engine cannot, so it is left
            alone. Default: False.
        hw_decoder_load (float | None): With device='mixed', 0 leaves the hardware JPEG engine
            alone; else it decodes all that it can, which is faster than any share.
        axes (int | Sequence[int] | DataNode | None): The axes that the values are for, in their
            order. Default: (1, 0).
        axis_names (str | None): The axes, as letters of the layout: "WH" by default, if `axes`
            is not given.
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
        seed (int | None): Seed of the operator's randomness; by default derived from the
            pipeline's. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, mixed; by default where the inputs are.
        name (str | None): name in the graph, for statistics, checkpoints, errors.
        Accepted for compatibility, without effect: use_fast_idct, hybrid_huffman_threshold,
            device_memory_padding, host_memory_padding, device_memory_padding_jpeg2k,
            host_memory_padding_jpeg2k, preallocate_width_hint, preallocate_height_hint, affine,
            memory_stats, cache_size, cache_threshold, cache_debug, cache_batch_copy,
            cache_type, split_stages, use_chunk_allocator, bytes_per_sample_hint.
    """

def mxnet_reader(
    *,
    path: str | Sequence[str],
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
) -> tuple[DataNode, DataNode]:
    """Reads image records from RecordIO files, as MXNet's `im2rec` makes them.

    Outputs:
        the encoded image: uint8, shape (size,).
        its labels: float32, shape (labels,); (1,) for ordinary classification.

    Raises:
        SourceError: a file is damaged, or an index belongs to another file.
        OSError: a file cannot be read (see `on_error` of the pipeline).

    Args:
        path (str | Sequence[str]): Paths of the .rec files.
        index_path (str | Sequence[str] | None): Paths of their .idx files, one each, or a
            single one that counts through all files. It may list some of the records only.
            Without it the records are found by a scan, whose result is kept beside the file, or
            in the user's cache folder, for the next time.
        header_records (str | None): What to do with records of at most 1 KB that hold labels
            but no image, such as the first one of packs for face recognition: 'skip', or 'keep'
            to have them as samples with an empty image, as DALI does. Default: 'skip'.
        random_shuffle (bool | None): Read every epoch in another order: a permutation of the
            whole data set, the same for all shards, drawn from `shuffle_seed` and the epoch's
            number. Default: False.
        shuffle_after_epoch (bool | None): The same as `random_shuffle`. Default: False.
        shuffle_after_epoch_seed (int | None): The same as `shuffle_seed`.
        shuffle_seed (int | None): Seed of the order. It is not derived from the pipeline's
            seed, which users often set differently for each rank: the ranks' shards would
            overlap then. Default: 0.
        shuffle_block (int | None): For storage that reads neighbours best (spinning disks,
            remote shards): shuffle blocks of so many consecutive samples instead of single
            samples, and mix the samples of `shuffle_window` blocks. Whole blocks are read, and
            those of up to two windows kept in memory. See docs/shuffling.md for what randomness
            that gives.
        shuffle_window (int | None): Number of blocks that are mixed, if `shuffle_block` is set.
            Default: 16.
        shard_id (int | None): Which of `num_shards` parts of the data this reader reads.
            Default: 0.
        num_shards (int | None): Number of parts that the data set is divided into. Default: 1.
        stick_to_shard (bool | None): Read the same part in every epoch, instead of the next one
            in turn. Default: False.
        pad_last_batch (bool | None): Fill up every part with copies of its last sample, to the
            same number of whole batches. Default: False.
        prefetch_queue_depth (int | None): Batches that are read before they are asked for, as
            far as the pipeline's `prefetch_bytes` allows: by default 4 for URLs, whose every
            request takes a round trip. Local files, which the kernel reads ahead, are by
            default read in groups of batches, if these are small and come fast.
        storage_options (Mapping[str, Any] | None): For URLs: what fsspec's file system for the
            protocol takes, such as {'anon': True} or {'endpoint_url': ...} for s3://.
            Credentials are otherwise found where the service's own tools find them. The key
            'limits' bounds our requests: a dict with any of attempts (6), stall_seconds (20),
            total_seconds (120) and at_once (64). Default: {}.
        seed (int | None): Seed of the operator's randomness; by default derived from the
            pipeline's. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu; by default where the inputs are.
        name (str | None): name in the graph, for statistics, checkpoints, errors.
        Accepted for compatibility, without effect: initial_fill, read_ahead,
            skip_cached_images, lazy_init, dont_use_mmap, use_o_direct, tensor_init_bytes,
            bytes_per_sample, bytes_per_sample_hint.
    """

def normal_distribution(
    shape_like: DataNode | None = ...,
    /,
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
) -> DataNode:
    """Draws from a normal distribution.

    Inputs:
        shape_like: samples whose shape the output has, in place of `shape`.

    Outputs:
        the numbers: of type `dtype` (by default float32), without a layout.

    Args:
        shape (int | Sequence[int] | DataNode | None): Shape of a sample's output; by default
            one number, of shape ().
        dtype (DALIDataType | DTypeLike | None): Type of the output. Numbers are rounded to
            integers, halves away from zero, and clamped to what the type holds.
        mean (float | DataNode | None): Mean. Default: 0.0.
        stddev (float | DataNode | None): Standard deviation. Default: 1.0.
        seed (int | None): Seed of the operator's randomness; by default derived from the
            pipeline's. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu; by default where the inputs are.
        name (str | None): name in the graph, for statistics, checkpoints, errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def normalize(
    data: DataNode,
    /,
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
) -> DataNode:
    """Computes `scale * (data - mean) / stddev + shift`.

    What is not given of mean and standard deviation is computed along `axes`, for each sample
    or for the batch. A computed deviation of 0 (and `epsilon` 0) makes the result `shift`.

    Inputs:
        data: any numeric samples.

    The result is of type `dtype` and has the layout of the input. The computation is in float32,
    for FLOAT64 results in float64. On the GPU, statistics are summed in another order: results
    agree with those of the CPU to 1e-5 of the largest term, integers to 1.

    Args:
        batch (bool | None): Whether mean and standard deviation are those of the whole batch;
            the extents of the axes that are not reduced must be the same then. Default: False.
        axes (int | Sequence[int] | None): Axes that are reduced. By default those where `mean`
            or `stddev` have the extent 1 if one is an array, else all.
        axis_names (str | None): The axes, as letters of the layout, instead of `axes`.
        mean (ArrayLike | DataNode | None): What is subtracted: a number, or an array with the
            sample's number of dimensions and the extent 1 on axes that are reduced.
        stddev (ArrayLike | DataNode | None): What is divided by; a number or array as `mean`.
        scale (float | None): Factor of the normalised value. Default: 1.0.
        shift (float | None): What is added last. Default: 0.0.
        ddof (int | None): The variance is the sum of squares divided by N - ddof, if computed.
            Default: 0.
        epsilon (float | None): What is added to the variance. Default: 0.0.
        dtype (DALIDataType | DTypeLike | None): Element type of the result. Integers are
            rounded, and clamped to the type's range. Default: FLOAT.
        seed (int | None): Seed of the operator's randomness; by default derived from the
            pipeline's. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu; by default where the inputs are.
        name (str | None): name in the graph, for statistics, checkpoints, errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def numpy_reader(
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
) -> DataNode:
    """Reads arrays from `.npy` files, whole or a region of interest of each.

    Only the bytes that a region needs are read. Its arguments mean what those of `fn.slice`
    mean, along `roi_axes`; `roi` is written as an index of NumPy. Versions 1 to 3 of the format,
    both orders of dimensions and both byte orders are read. Files may be of different shapes; all
    samples of a batch must have one type and number of dimensions.

    Archives (`.npz`, `.zip`, `.tar`) hold several arrays; each member that matches
    `member_filter` is one. Stored members are read in place, deflated ones are inflated whole,
    whatever the region. With `sample_axis` an array holds several samples.

    Regions of local files that lie in memory are copied out of maps of them, where that is faster:
    by a process of the reader's own, because a mapped file that is cut short ends the process. It
    is started after a second of such work; `Pipeline.stats` says how much it copied.

    With `device="gpu"` the batch is read into pinned memory, by as many threads as the pipeline has
    where that pays, and copied to the GPU while the next one is read. Where KvikIO is installed and
    GPUDirect Storage serves the file system, samples of 1 MiB and more whose bytes lie side by side
    in the file are read straight into the GPU's memory. `Pipeline.stats` says which way was taken,
    and why.

    >>> import numpy as np
    >>> from penstock import fn, pipeline_def
    >>> np.save("volume.npy", np.arange(60.0).reshape(5, 3, 4))
    >>> @pipeline_def(batch_size=2, num_threads=1)
    ... def crops():
    ...     return fn.readers.numpy(files="volume.npy", sample_axis=0, roi="[1:, ::2]")
    >>> with crops() as pipe:
    ...     (found,) = pipe.run()
    >>> found.as_array()[1].tolist()
    [[16.0, 18.0], [20.0, 22.0]]

    Outputs:
        the array: of the file's type, and of the shape of the region. Complex numbers come as
            floats with a last axis of two more, real and imaginary part; dates and differences
            of dates as int64, in the file's unit.

    Differences from DALI: the samples' origins are absolute paths; lines of `file_list` may end
    in CR LF; a link to a folder is a folder.

    Raises:
        SourceError: a folder, list or archive cannot be read or holds no array; a file is cut
            off.
        DecodeError: a file is no `.npy` file, or of objects (which would have to be unpickled),
            strings or records; or it differs in type from the others of its batch.
        ArgumentError: a region does not fit its array.
        OSError: a file cannot be read (see `on_error` of the pipeline).

    Args:
        files (str | Sequence[str] | None): Paths of the files, relative to `file_root` if that
            is given.
        file_list (str | None): Text file with a path on each line, relative to `file_root` or,
            without it, to the list.
        file_root (str | None): Folder whose files, and those of the folders right inside it,
            are read.
        file_filter (str | None): Pattern of their names, with `file_root` alone. Default:
            '*.npy'.
        member_filter (str | None): Pattern of the names (without folders) of members in
            archives. `numpy.savez` stores the array `image` as 'image.npy'. Default: '*.npy'.
        sample_axis (int | None): Axis of the arrays whose indices are the samples. A sample's
            shape, and its region, are without that axis. All headers are read when the pipeline
            starts.
        roi (Any | None): Region as an index: a slice, an integer (which drops the axis), a
            tuple of them with at most one Ellipsis, or such an index as a text, '[8:24, :,
            128:384]'. Steps must be positive. Excludes the other arguments of a region;
            `out_of_bounds_policy` decides about slices that reach out of the array, where
            'trim_to_shape' does what NumPy does.
        roi_start (int | Sequence[int] | DataNode | None): First element of the region.
        roi_end (int | Sequence[int] | DataNode | None): The element after its last.
        roi_shape (int | Sequence[int] | DataNode | None): Its number of elements.
        rel_roi_start (float | Sequence[float] | DataNode | None): Start, in fractions of the
            extent.
        rel_roi_end (float | Sequence[float] | DataNode | None): End, in fractions of the
            extent.
        rel_roi_shape (float | Sequence[float] | DataNode | None): Shape, in fractions of the
            extent.
        roi_axes (int | Sequence[int] | None): The axes that these values are for, in their
            order; by default all axes. Default: ().
        out_of_bounds_policy (str | None): What to do if the region reaches out of the array:
            "error" raises; "pad" fills with `fill_value`; "trim_to_shape" takes what there is.
            Default: 'error'.
        fill_value (float | None): Number that "pad" fills with. Default: 0.0.
        cache_header_information (bool | None): Remember each file's header, for as long as size
            and time of the file stay. Default: False.
        random_shuffle (bool | None): Read every epoch in another order: a permutation of the
            whole data set, the same for all shards, drawn from `shuffle_seed` and the epoch's
            number. Default: False.
        shuffle_after_epoch (bool | None): The same as `random_shuffle`. Default: False.
        shuffle_after_epoch_seed (int | None): The same as `shuffle_seed`.
        shuffle_seed (int | None): Seed of the order. It is not derived from the pipeline's
            seed, which users often set differently for each rank: the ranks' shards would
            overlap then. Default: 0.
        shuffle_block (int | None): For storage that reads neighbours best (spinning disks,
            remote shards): shuffle blocks of so many consecutive samples instead of single
            samples, and mix the samples of `shuffle_window` blocks. Whole blocks are read, and
            those of up to two windows kept in memory. See docs/shuffling.md for what randomness
            that gives.
        shuffle_window (int | None): Number of blocks that are mixed, if `shuffle_block` is set.
            Default: 16.
        shard_id (int | None): Which of `num_shards` parts of the data this reader reads.
            Default: 0.
        num_shards (int | None): Number of parts that the data set is divided into. Default: 1.
        stick_to_shard (bool | None): Read the same part in every epoch, instead of the next one
            in turn. Default: False.
        pad_last_batch (bool | None): Fill up every part with copies of its last sample, to the
            same number of whole batches. Default: False.
        prefetch_queue_depth (int | None): Batches that are read before they are asked for, as
            far as the pipeline's `prefetch_bytes` allows: by default 4 for URLs, whose every
            request takes a round trip. Local files, which the kernel reads ahead, are by
            default read in groups of batches, if these are small and come fast.
        storage_options (Mapping[str, Any] | None): For URLs: what fsspec's file system for the
            protocol takes, such as {'anon': True} or {'endpoint_url': ...} for s3://.
            Credentials are otherwise found where the service's own tools find them. The key
            'limits' bounds our requests: a dict with any of attempts (6), stall_seconds (20),
            total_seconds (120) and at_once (64). Default: {}.
        use_o_direct (bool | None): Read local files past the system's cache, where their file
            system allows it: for data that do not fit into memory and are read once. Default:
            False.
        seed (int | None): Seed of the operator's randomness; by default derived from the
            pipeline's. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu; by default where the inputs are.
        name (str | None): name in the graph, for statistics, checkpoints, errors.
        Accepted for compatibility, without effect: register_buffers, initial_fill, read_ahead,
            skip_cached_images, lazy_init, dont_use_mmap, tensor_init_bytes, bytes_per_sample,
            bytes_per_sample_hint.
    """

def ones(
    *,
    shape: int | Sequence[int] | DataNode | None = ...,
    layout: str | None = ...,
    dtype: DALIDataType | DTypeLike | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Returns ones.

    Args:
        shape (int | Sequence[int] | DataNode | None): Shape of a sample's output; by default
            one number.
        layout (str | None): Layout of the output.
        dtype (DALIDataType | DTypeLike | None): Type of the output. Default: INT32.
        seed (int | None): Seed of the operator's randomness; by default derived from the
            pipeline's. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu; by default where the inputs are.
        name (str | None): name in the graph, for statistics, checkpoints, errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def ones_like(
    data_like: DataNode,
    /,
    *,
    dtype: DALIDataType | DTypeLike | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Returns ones in the shape, type and layout of the input.

    Args:
        dtype (DALIDataType | DTypeLike | None): Type of the output; by default that of the
            input.
        seed (int | None): Seed of the operator's randomness; by default derived from the
            pipeline's. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu; by default where the inputs are.
        name (str | None): name in the graph, for statistics, checkpoints, errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def pad(
    data: DataNode,
    /,
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
) -> DataNode:
    """Adds `fill_value` at the end of axes, until each has the extent that is wanted.

    That is, on each of the axes, the largest extent in the batch, or `shape` if it is given and
    the sample is not larger; rounded up to a multiple of `align`. With `shape=1` a sample is
    padded for the alignment alone.

    Inputs:
        data: any samples, of the same number of dimensions.

    The result has the type and layout of the input.

    Args:
        fill_value (float | DataNode | None): What is added. Out of the range of the element
            type, the nearest value that it has. Default: 0.0.
        axes (int | Sequence[int] | DataNode | None): The axes that are padded, by default all;
            from the back if negative.
        axis_names (str | None): The axes, as letters of the layout, instead of `axes`.
        align (int | Sequence[int] | DataNode | None): The extents become multiples of it; one
            value, or one an axis.
        shape (int | Sequence[int] | DataNode | None): Least extent; one value, or one an axis.
            What is not positive means the largest extent in the batch.
        seed (int | None): Seed of the operator's randomness; by default derived from the
            pipeline's. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu; by default where the inputs are.
        name (str | None): name in the graph, for statistics, checkpoints, errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def peek_image_shape(
    encoded: DataNode,
    /,
    *,
    dtype: DALIDataType | DTypeLike | None = ...,
    adjust_orientation: bool | None = ...,
    image_type: DALIImageType | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Reads the shape that an image will have when decoded, without decoding it.

    Inputs:
        encoded: a whole encoded file a sample; uint8, one dimension.

    Outputs:
        shapes: (height, width, channels), one dimension.

    Args:
        dtype (DALIDataType | DTypeLike | None): Integer or float type of the result. Default:
            INT64.
        adjust_orientation (bool | None): Give the shape after turning the image upright.
            Default: True.
        image_type (DALIImageType | None): Colour space that the image will be decoded to.
            Default: RGB.
        seed (int | None): Seed of the operator's randomness; by default derived from the
            pipeline's. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu; by default where the inputs are.
        name (str | None): name in the graph, for statistics, checkpoints, errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def permute_batch(
    data: DataNode,
    /,
    *,
    indices: int | Sequence[int] | DataNode,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Returns a batch in which sample i is the input's sample `indices[i]`.

    Samples may be repeated and left out.

    Inputs:
        data: any samples.

    Outputs:
        the chosen samples: of the input's type and layout.

    Raises:
        ArgumentError: there are not as many indices as samples, or one lies outside of the batch.

    Args:
        indices (int | Sequence[int] | DataNode): One index a sample: a sequence as long as the
            batch, or a node of scalars.
        seed (int | None): Seed of the operator's randomness; by default derived from the
            pipeline's. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu; by default where the inputs are.
        name (str | None): name in the graph, for statistics, checkpoints, errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def python_function(
    *inputs: DataNode,
    function: Callable[..., Any],
    batch_processing: bool | None = ...,
    num_outputs: int | None = ...,
    output_layouts: Any | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> Any:
    """Calls a Python function with the data, and goes on with what it returns.

    The function gets one NumPy array an input, and is called for the samples of a batch one after
    the other, never by two threads at once. With `batch_processing` it is called once a batch, with
    a list of arrays an input. It must not change its arguments.

    It returns an array (or whatever `external_source` takes for a sample), with several outputs
    a tuple of them, with `num_outputs=0` nothing. With `batch_processing` each output is a list
    with one array a sample, or an array whose axis 0 runs over them. What it returns is copied.

    With `device="gpu"` it gets CuPy arrays, and returns CuPy arrays, PyTorch tensors or whatever
    else has `__dlpack__` or `__cuda_array_interface__` on the GPU. It is called when the batch's
    work is launched, with the pipeline's stream as CuPy's current one, and need not wait for
    anything: its launches run after those that make its inputs. Batches come in order.

    While the function runs it holds the interpreter, and no other Python code runs: prefer
    operators where there are any. The operator runs even if its output is not used. What the
    function raises reaches the caller of `run` as it is.

    Args:
        function (Callable[..., Any]): The function.
        batch_processing (bool | None): Call the function once a batch. Default: False.
        num_outputs (int | None): Number of outputs. Default: 1.
        output_layouts (Any | None): Layout of the outputs, or a list with one for each of the
            first.
        seed (int | None): Seed of the operator's randomness; by default derived from the
            pipeline's. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu; by default where the inputs are.
        name (str | None): name in the graph, for statistics, checkpoints, errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def random_resized_crop(
    images: DataNode,
    /,
    *,
    interp_type: DALIInterpType | DataNode | None = ...,
    min_filter: DALIInterpType | DataNode | None = ...,
    mag_filter: DALIInterpType | DataNode | None = ...,
    antialias: bool | None = ...,
    dtype: DALIDataType | DTypeLike | None = ...,
    size: int | Sequence[int],
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
) -> DataNode:
    """Takes a window of random area, aspect ratio and place out of each image, and resizes it.

    Szegedy et al., "Going Deeper with Convolutions" (2014), section 6. A video's frames all
    show the same window. The windows are those of `fn.decoders.image_random_crop` with the
    same random numbers, but pixels just outside of one count at its edges here.

    Inputs:
        images: HWC, CHW, HW, FHWC, FCHW or CFHW; uint8, int8, uint16, int16, uint32, int32 or a
            float type. Without a layout, by the number of dimensions: HW, HWC, FHWC.

    The result is as the input, of the height and width `size`.

    Args:
        interp_type (DALIInterpType | DataNode | None): Filter, where `min_filter` or
            `mag_filter` do not say otherwise. Default: INTERP_LINEAR.
        min_filter (DALIInterpType | DataNode | None): Filter for an axis that shrinks. Default:
            interp_type.
        mag_filter (DALIInterpType | DataNode | None): Filter for an axis that keeps its extent
            or grows. Default: interp_type.
        antialias (bool | None): Widen the filter of a shrinking axis by the reduction factor,
            so that all pixels count. Nearest neighbour is never widened. Default: True.
        dtype (DALIDataType | DTypeLike | None): Type of the result: FLOAT, or that of the input
            (the default).
        size (int | Sequence[int]): (height, width) of the result in pixels; one number stands
            for both.
        random_area (float | Sequence[float] | None): Range of the window's area, relative to
            the image's; uniform. Default: (0.08, 1.0).
        random_aspect_ratio (float | Sequence[float] | None): Range of the window's width /
            height; its logarithm is uniform. Default: (0.75, 1.3333333333333333).
        num_attempts (int | None): How often a window that does not fit is drawn anew. Default:
            10.
        seed (int | None): Seed of the operator's randomness; by default derived from the
            pipeline's. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu; by default where the inputs are.
        name (str | None): name in the graph, for statistics, checkpoints, errors.
        Accepted for compatibility, without effect: temp_buffer_hint, minibatch_size,
            bytes_per_sample_hint.
    """

def reinterpret(
    data: DataNode,
    shape_input: DataNode | None = ...,
    /,
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
) -> DataNode:
    """Takes the bytes of samples for numbers of another type, and may give them another shape.

    Without a shape the last dimension grows or shrinks, so that the number of bytes stays.

    Inputs:
        data: any samples.
        shape_input: the shape of the output, one number a dimension.

    Outputs:
        the same bytes: of type `dtype`, in the new shape.

    Raises:
        ArgumentError: the bytes are no whole number of elements, or do not fill the shape.

    Args:
        shape (int | Sequence[int] | DataNode | None): Shape of the output. One extent may be
            negative: it is what the others leave.
        rel_shape (float | Sequence[float] | DataNode | None): Extents of the output relative to
            those of the input (or, with `src_dims`, of the dimensions named there), rounded to
            whole numbers. One may be negative.
        src_dims (int | Sequence[int] | DataNode | None): Dimensions of the input whose extents
            the output has, in its order; -1 inserts an extent of 1.
        layout (str | None): Layout of the output; by default the input's, if the number of
            dimensions stays.
        dtype (DALIDataType | DTypeLike | None): Type of the output; by default the input's.
        seed (int | None): Seed of the operator's randomness; by default derived from the
            pipeline's. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu; by default where the inputs are.
        name (str | None): name in the graph, for statistics, checkpoints, errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def reshape(
    data: DataNode,
    shape_input: DataNode | None = ...,
    /,
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
) -> DataNode:
    """Gives samples another shape, another layout, or both; the numbers stay in their order.

    `shape`, `rel_shape` and the input `shape_input` exclude each other. Where the number of
    dimensions is found sample by sample, the layout is empty unless it is given.

    Inputs:
        data: any samples.
        shape_input: the shape of the output, one number a dimension.

    Outputs:
        the same numbers: of the input's type, in the new shape.

    Raises:
        ArgumentError: the elements do not fill the shape, or the layout does not describe it.

    Args:
        shape (int | Sequence[int] | DataNode | None): Shape of the output. One extent may be
            negative: it is what the others leave.
        rel_shape (float | Sequence[float] | DataNode | None): Extents of the output relative to
            those of the input (or, with `src_dims`, of the dimensions named there), rounded to
            whole numbers. One may be negative.
        src_dims (int | Sequence[int] | DataNode | None): Dimensions of the input whose extents
            the output has, in its order; -1 inserts an extent of 1.
        layout (str | None): Layout of the output; by default the input's, if the number of
            dimensions stays.
        seed (int | None): Seed of the operator's randomness; by default derived from the
            pipeline's. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu; by default where the inputs are.
        name (str | None): name in the graph, for statistics, checkpoints, errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def resize(
    images: DataNode,
    /,
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
) -> Any:
    """Resizes images.

    The wanted size is given in one of four ways: `size`, the separate `resize_x`, `resize_y`,
    `resize_z`, `resize_shorter`, or `resize_longer`. Sizes may be fractional: the result's
    extents are rounded, halves up. The kernels, their positions and the sizes are those of
    DALI; integer results round halves to even. CPU and GPU agree exactly for nearest neighbour,
    in integers else within 1, in floats within 1e-5 of the range (float16: 1e-3).

    Inputs:
        images: HWC, CHW, HW, DHWC, CDHW, each with F (frames, resized one by one) in front if
            wanted, or CFHW; uint8, int8, uint16, int16, uint32, int32 or a float type.
            Without a layout, by the number of dimensions: HW, HWC, FHWC, FDHWC.

    Outputs:
        resized: as the input, of another height and width (and depth).
        attributes: with `save_attrs`, the extents before: int32, (height, width) or (depth,
            height, width).

    Raises:
        ArgumentError: arguments contradict one another, or do not fit the sample.

    Args:
        interp_type (DALIInterpType | DataNode | None): Filter, where `min_filter` or
            `mag_filter` do not say otherwise. Default: INTERP_LINEAR.
        min_filter (DALIInterpType | DataNode | None): Filter for an axis that shrinks. Default:
            interp_type.
        mag_filter (DALIInterpType | DataNode | None): Filter for an axis that keeps its extent
            or grows. Default: interp_type.
        antialias (bool | None): Widen the filter of a shrinking axis by the reduction factor,
            so that all pixels count. Nearest neighbour is never widened. Default: True.
        dtype (DALIDataType | DTypeLike | None): Type of the result: FLOAT, or that of the input
            (the default).
        size (float | Sequence[float] | DataNode | None): Wanted (height, width) in pixels, or
            (depth, height, width) for volumes; one number stands for all. 0 leaves an extent to
            `mode`; a negative one mirrors the axis.
        resize_x (float | DataNode | None): Wanted width in pixels; 0 and negative as in `size`.
            Default: 0.0.
        resize_y (float | DataNode | None): Wanted height in pixels; 0 and negative as in
            `size`. Default: 0.0.
        resize_z (float | DataNode | None): Wanted depth of a volume; 0 and negative as in
            `size`. Default: 0.0.
        resize_shorter (float | DataNode | None): Wanted length of the shorter side; the aspect
            ratio is kept. `max_size` may limit the longer one. Default: 0.0.
        resize_longer (float | DataNode | None): Wanted length of the longer side; the aspect
            ratio is kept. Default: 0.0.
        mode (str | None): What becomes of extents that are not given, and of the aspect ratio.
            'default': as given; missing ones scale by the (geometric) mean of the others.
            'stretch': as given; missing ones stay. 'not_larger': aspect ratio kept, no extent
            above the given ones. 'not_smaller': aspect ratio kept, no extent below the given
            ones. Default: 'default'.
        max_size (float | Sequence[float] | None): Upper limit of the result's extents, one for
            all or one an axis. Modes that keep the aspect ratio keep it under the limit too.
        subpixel_scale (bool | None): Where an extent was rounded, show a little more or less of
            the input, so that the scale is the one asked for. Otherwise the scale changes.
            Default: True.
        roi_start (float | Sequence[float] | DataNode | None): First edge of the region that
            counts as the image, (y, x) or (z, y, x), in pixels; may be fractional and outside
            of the image, whose border is repeated. A start beyond the end mirrors the axis.
        roi_end (float | Sequence[float] | DataNode | None): Last edge of the region; see
            roi_start, which it needs.
        roi_relative (bool | None): Count the region in parts of the image: 1 is its extent.
            Default: False.
        save_attrs (bool | None): Also output the extents before. Default: False.
        seed (int | None): Seed of the operator's randomness; by default derived from the
            pipeline's. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu; by default where the inputs are.
        name (str | None): name in the graph, for statistics, checkpoints, errors.
        Accepted for compatibility, without effect: temp_buffer_hint, minibatch_size,
            image_type, bytes_per_sample_hint.
    """

def resize_crop_mirror(
    images: DataNode,
    /,
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
) -> DataNode:
    """Resizes images, crops a window out of the result, and mirrors it.

    The same as `fn.resize`, `fn.crop` and `fn.flip` one after the other, but only the window is
    computed; where a sample lies just between two pixels, nearest neighbour may choose the other
    one. A window that reaches out of the resized image repeats its border. Of a video all frames
    are taken.

    Inputs:
        images: as for `fn.resize`.

    The result is as the input, of another height and width (and depth).

    Raises:
        ArgumentError: arguments contradict one another, or do not fit the sample.

    Args:
        interp_type (DALIInterpType | DataNode | None): Filter, where `min_filter` or
            `mag_filter` do not say otherwise. Default: INTERP_LINEAR.
        min_filter (DALIInterpType | DataNode | None): Filter for an axis that shrinks. Default:
            interp_type.
        mag_filter (DALIInterpType | DataNode | None): Filter for an axis that keeps its extent
            or grows. Default: interp_type.
        antialias (bool | None): Widen the filter of a shrinking axis by the reduction factor,
            so that all pixels count. Nearest neighbour is never widened. Default: True.
        dtype (DALIDataType | DTypeLike | None): Type of the result: FLOAT, or that of the input
            (the default).
        size (float | Sequence[float] | DataNode | None): Wanted (height, width) in pixels, or
            (depth, height, width) for volumes; one number stands for all. 0 leaves an extent to
            `mode`; a negative one mirrors the axis.
        resize_x (float | DataNode | None): Wanted width in pixels; 0 and negative as in `size`.
            Default: 0.0.
        resize_y (float | DataNode | None): Wanted height in pixels; 0 and negative as in
            `size`. Default: 0.0.
        resize_z (float | DataNode | None): Wanted depth of a volume; 0 and negative as in
            `size`. Default: 0.0.
        resize_shorter (float | DataNode | None): Wanted length of the shorter side; the aspect
            ratio is kept. `max_size` may limit the longer one. Default: 0.0.
        resize_longer (float | DataNode | None): Wanted length of the longer side; the aspect
            ratio is kept. Default: 0.0.
        mode (str | None): What becomes of extents that are not given, and of the aspect ratio.
            'default': as given; missing ones scale by the (geometric) mean of the others.
            'stretch': as given; missing ones stay. 'not_larger': aspect ratio kept, no extent
            above the given ones. 'not_smaller': aspect ratio kept, no extent below the given
            ones. Default: 'default'.
        max_size (float | Sequence[float] | None): Upper limit of the result's extents, one for
            all or one an axis. Modes that keep the aspect ratio keep it under the limit too.
        subpixel_scale (bool | None): Where an extent was rounded, show a little more or less of
            the input, so that the scale is the one asked for. Otherwise the scale changes.
            Default: True.
        roi_start (float | Sequence[float] | DataNode | None): First edge of the region that
            counts as the image, (y, x) or (z, y, x), in pixels; may be fractional and outside
            of the image, whose border is repeated. A start beyond the end mirrors the axis.
        roi_end (float | Sequence[float] | DataNode | None): Last edge of the region; see
            roi_start, which it needs.
        roi_relative (bool | None): Count the region in parts of the image: 1 is its extent.
            Default: False.
        crop (float | Sequence[float] | DataNode | None): Shape of the window in pixels,
            (height, width) or (depth, height, width). Fractions are cut off; what is not
            positive takes the whole axis.
        crop_d (float | DataNode | None): Depth of the window, or number of frames; needs the
            others. Default: 0.0.
        crop_h (float | DataNode | None): Height of the window, with `crop_w`. Default: 0.0.
        crop_w (float | DataNode | None): Width of the window, with `crop_h`. Default: 0.0.
        crop_pos_x (float | DataNode | None): Where the window lies: 0 at the left, 1 at the
            right. Default: 0.5.
        crop_pos_y (float | DataNode | None): Where the window lies: 0 at the top, 1 at the
            bottom. Default: 0.5.
        crop_pos_z (float | DataNode | None): Where the window lies: 0 in front, 1 at the back.
            Default: 0.5.
        rounding (str | None): How the position becomes whole pixels: "round" (halves away from
            zero) or "truncate". Default: 'round'.
        mirror (int | DataNode | None): Axes to mirror, added up: 1 left to right, 2 top to
            bottom, 4 front to back. Default: 0.
        seed (int | None): Seed of the operator's randomness; by default derived from the
            pipeline's. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu; by default where the inputs are.
        name (str | None): name in the graph, for statistics, checkpoints, errors.
        Accepted for compatibility, without effect: temp_buffer_hint, minibatch_size,
            bytes_per_sample_hint.
    """

def rotate(
    data: DataNode,
    /,
    *,
    angle: float | Sequence[float] | DataNode,
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
) -> DataNode:
    """Rotates each image, counter-clockwise as it is seen, about its centre.

    The canvas grows to hold the whole image, if neither `size` nor `keep_size` is given: to the
    rotated extent, plus one where the image's and the canvas's extent would not both be even or
    odd; so a rotation by a multiple of 90 degrees moves pixels onto pixels.

    CPU and GPU agree within 1 in integers and 1e-4 of the range in floats, and exactly for nearest
    neighbour, except where a position lies in the middle between two pixels.

    Inputs:
        data: HW, HWC or FHWC; any type. Volumes (with a D) are not rotated.

    The result has the layout and, if `dtype` is not given, the type of the input.

    Args:
        angle (float | Sequence[float] | DataNode): Degrees; for a video one, or one a frame.
        fill_value (float | None): What lies around the image; by default its border is
            repeated.
        interp_type (DALIInterpType | None): Interpolation: INTERP_NN or INTERP_LINEAR. Default:
            INTERP_LINEAR.
        keep_size (bool | None): Whether the canvas stays as large as the image. Default: False.
        size (float | Sequence[float] | DataNode | None): Height and width of the canvas in
            pixels, rounded to integers. Default: ().
        dtype (DALIDataType | DTypeLike | None): Element type of the result, by default the
            input's.
        output_dtype (DALIDataType | DTypeLike | None): Older name of `dtype`.
        seed (int | None): Seed of the operator's randomness; by default derived from the
            pipeline's. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu; by default where the inputs are.
        name (str | None): name in the graph, for statistics, checkpoints, errors.
        Accepted for compatibility, without effect: axis, bytes_per_sample_hint.
    """

def sequence_reader(
    *,
    file_root: str,
    sequence_length: int,
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
) -> Any:
    """Reads sequences of frames from folders of images, one folder a stream.

    The frames of a folder are its images in the order of their names. Sequences do not cross
    folders, and only whole ones are read. Names that begin with a dot are left out.

    Outputs:
        the decoded frames: uint8, FHWC.

    Raises:
        SourceError: a folder cannot be read, or there is no sequence in any.
        OSError: a file cannot be read. DecodeError: a frame is damaged, or of another size
            than the first one (see `on_error` of the pipeline).

    Args:
        file_root (str): Folder that holds a folder of images for each stream.
        sequence_length (int): Number of frames of a sequence.
        step (int | None): From the first frame of a sequence to that of the next one. Default:
            1.
        stride (int | None): From one frame of a sequence to the next one. Default: 1.
        image_type (DALIImageType | None): Colour space of the output, as for `decoders.image`.
            Default: RGB.
        random_shuffle (bool | None): Read every epoch in another order: a permutation of the
            whole data set, the same for all shards, drawn from `shuffle_seed` and the epoch's
            number. Default: False.
        shuffle_after_epoch (bool | None): The same as `random_shuffle`. Default: False.
        shuffle_after_epoch_seed (int | None): The same as `shuffle_seed`.
        shuffle_seed (int | None): Seed of the order. It is not derived from the pipeline's
            seed, which users often set differently for each rank: the ranks' shards would
            overlap then. Default: 0.
        shuffle_block (int | None): For storage that reads neighbours best (spinning disks,
            remote shards): shuffle blocks of so many consecutive samples instead of single
            samples, and mix the samples of `shuffle_window` blocks. Whole blocks are read, and
            those of up to two windows kept in memory. See docs/shuffling.md for what randomness
            that gives.
        shuffle_window (int | None): Number of blocks that are mixed, if `shuffle_block` is set.
            Default: 16.
        shard_id (int | None): Which of `num_shards` parts of the data this reader reads.
            Default: 0.
        num_shards (int | None): Number of parts that the data set is divided into. Default: 1.
        stick_to_shard (bool | None): Read the same part in every epoch, instead of the next one
            in turn. Default: False.
        pad_last_batch (bool | None): Fill up every part with copies of its last sample, to the
            same number of whole batches. Default: False.
        prefetch_queue_depth (int | None): Batches that are read before they are asked for, as
            far as the pipeline's `prefetch_bytes` allows: by default 4 for URLs, whose every
            request takes a round trip. Local files, which the kernel reads ahead, are by
            default read in groups of batches, if these are small and come fast.
        storage_options (Mapping[str, Any] | None): For URLs: what fsspec's file system for the
            protocol takes, such as {'anon': True} or {'endpoint_url': ...} for s3://.
            Credentials are otherwise found where the service's own tools find them. The key
            'limits' bounds our requests: a dict with any of attempts (6), stall_seconds (20),
            total_seconds (120) and at_once (64). Default: {}.
        seed (int | None): Seed of the operator's randomness; by default derived from the
            pipeline's. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu; by default where the inputs are.
        name (str | None): name in the graph, for statistics, checkpoints, errors.
        Accepted for compatibility, without effect: initial_fill, read_ahead,
            skip_cached_images, lazy_init, dont_use_mmap, use_o_direct, tensor_init_bytes,
            bytes_per_sample, bytes_per_sample_hint.
    """

def shapes(
    data: DataNode,
    /,
    *,
    dtype: DALIDataType | DTypeLike | None = ...,
    type: DALIDataType | DTypeLike | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Returns each sample's shape as a vector with one number a dimension.

    Inputs:
        data: any samples.

    Outputs:
        the shapes: of type `dtype`, shape (dimensions,).

    Args:
        dtype (DALIDataType | DTypeLike | None): Type of the numbers. Default: INT64.
        type (DALIDataType | DTypeLike | None): Older name of `dtype`.
        seed (int | None): Seed of the operator's randomness; by default derived from the
            pipeline's. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu; by default where the inputs are.
        name (str | None): name in the graph, for statistics, checkpoints, errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def slice(
    data: DataNode,
    anchor: DataNode | None = ...,
    shape_input: DataNode | None = ...,
    /,
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
) -> DataNode:
    """Takes a part out of each sample.

    The part is given by named arguments, a start (`start` or `rel_start`) with an end (`end`,
    `rel_end`) or a shape (`shape`, `rel_shape`), or by the inputs `anchor` and `shape`. What
    starts with "rel" is in fractions of the extent of its axis. Without a start the part begins
    at 0, without end and shape it reaches to the sample's end. Fractions of an element are
    rounded, halves away from zero: the start, and the end (start plus shape) before rounding.

    Inputs:
        data: any sample.
        anchor, shape_input: one number for each of the axes, on the CPU. Integers are elements,
            floats fractions of the extent, if `normalized_anchor` and `normalized_shape` do not
            say otherwise. Both are of the same type.

    The result has the layout and, if `dtype` is not given, the type of the data.

    Args:
        dtype (DALIDataType | DTypeLike | None): Element type of the result, by default the
            input's. Values out of its range become the nearest that it has, fractions are cut
            off in integers.
        output_dtype (DALIDataType | DTypeLike | None): Older name of `dtype`.
        out_of_bounds_policy (str | None): What to do if the part reaches out of the sample:
            "error" raises; "constant" or "pad" fill with `fill_values`; "edge" or "clamp"
            repeat the edge; "reflect" or "reflect_1001" mirror, with the edge twice;
            "reflect_101" mirror, with the edge once; "wrap" repeats the sample; "trim_to_shape"
            takes what there is. Default: 'error'.
        fill_values (float | Sequence[float] | None): What is outside of the sample if it is
            padded: one value, or one a channel. Default: (0.0,).
        axes (int | Sequence[int] | DataNode | None): The axes that the values are for, in their
            order. Default: (1, 0).
        axis_names (str | None): The axes, as letters of the layout: "WH" by default, if `axes`
            is not given.
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
        seed (int | None): Seed of the operator's randomness; by default derived from the
            pipeline's. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu; by default where the inputs are.
        name (str | None): name in the graph, for statistics, checkpoints, errors.
        Accepted for compatibility, without effect: image_type, bytes_per_sample_hint.
    """

def squeeze(
    data: DataNode,
    /,
    *,
    axes: int | Sequence[int] | DataNode | None = ...,
    axis_names: str | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Removes dimensions, all of extent 1 (or any, if the sample is empty before and after).

    Axes count from the end where they are negative.

    Inputs:
        data: any samples.

    Outputs:
        the same numbers: of the input's type, without these dimensions and their letters.

    Raises:
        ArgumentError: an axis does not exist, is named twice, or is not of extent 1.

    Args:
        axes (int | Sequence[int] | DataNode | None): The dimensions to remove.
        axis_names (str | None): Their letters in the layout, in place of `axes`.
        seed (int | None): Seed of the operator's randomness; by default derived from the
            pipeline's. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu; by default where the inputs are.
        name (str | None): name in the graph, for statistics, checkpoints, errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def stack(
    data: DataNode,
    *others: DataNode,
    axis: int | None = ...,
    axis_name: str | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Joins inputs of one shape along a new axis.

    Inputs:
        data, others: samples of one type and shape.

    Outputs:
        the joined samples: of the inputs' type, with one dimension more.

    Raises:
        ArgumentError: the inputs differ in type, shape or layout, or the axis does not exist.

    Args:
        axis (int | None): Place of the new axis in the output; a negative one counts from the
            end, so that -1 interleaves the inputs' numbers. Default: 0.
        axis_name (str | None): The new axis's letter in the layout; without it there is none.
        seed (int | None): Seed of the operator's randomness; by default derived from the
            pipeline's. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu; by default where the inputs are.
        name (str | None): name in the graph, for statistics, checkpoints, errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def tfrecord_reader(
    *,
    path: str | Sequence[str],
    index_path: str | Sequence[str] | None = ...,
    features: Any,
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
) -> Any:
    """Reads features from TFRecord files, the records of TensorFlow.

    Returns a dict from names to outputs: one for each of `features`, and for each of
    `sequence_features`. See `penstock.tfrecord` for how to declare them. Features that hold
    several strings, and feature lists that form no tensor, have a second output named
    `<name>.lengths`.

    Files compressed with gzip or zlib are recognised, and unpacked once into the cache
    folder (`$XDG_CACHE_HOME/penstock`). Where `index_path` is not given, each file is walked
    through once, and its index kept beside it (or, where that cannot be written, in the
    cache folder) until the file changes.

    Outputs:
        `string` features: uint8, shape (size,).
        `int64` and `float32` features: int64 and float32, of the declared shape.

    Differences from DALI: defaults are used; what is missing and has none is an error, as is
    a number of values that does not fit the shape; checksums are verified.

    Raises:
        SourceError: a file cannot be read, is cut off, or is no TFRecord file; an index
            belongs to another file.
        DecodeError: a record is damaged or has not the form that was declared (see `on_error`
            of the pipeline).

    Args:
        path (str | Sequence[str]): Paths of the files; their records are numbered through.
        index_path (str | Sequence[str] | None): Paths of index files as DALI's `tfrecord2idx`
            writes them, one a file. Not needed.
        features (Any): Dict from names to `tfrecord.FixedLenFeature` or
            `tfrecord.VarLenFeature`.
        sequence_features (Any | None): The same for the feature lists of records that are
            SequenceExamples; `features` are then those of the context. Numbers of a
            `FixedLenFeature` give the shape (steps, *shape).
        verify_crc (str | None): When the records' checksums are verified: 'always' (whenever a
            record is read), 'index' (once, when the index is made), 'never'. By default
            'always', if google-crc32c is installed (`pip install penstock[tfrecord]`). Headers
            are always checked.
        random_shuffle (bool | None): Read every epoch in another order: a permutation of the
            whole data set, the same for all shards, drawn from `shuffle_seed` and the epoch's
            number. Default: False.
        shuffle_after_epoch (bool | None): The same as `random_shuffle`. Default: False.
        shuffle_after_epoch_seed (int | None): The same as `shuffle_seed`.
        shuffle_seed (int | None): Seed of the order. It is not derived from the pipeline's
            seed, which users often set differently for each rank: the ranks' shards would
            overlap then. Default: 0.
        shuffle_block (int | None): For storage that reads neighbours best (spinning disks,
            remote shards): shuffle blocks of so many consecutive samples instead of single
            samples, and mix the samples of `shuffle_window` blocks. Whole blocks are read, and
            those of up to two windows kept in memory. See docs/shuffling.md for what randomness
            that gives.
        shuffle_window (int | None): Number of blocks that are mixed, if `shuffle_block` is set.
            Default: 16.
        shard_id (int | None): Which of `num_shards` parts of the data this reader reads.
            Default: 0.
        num_shards (int | None): Number of parts that the data set is divided into. Default: 1.
        stick_to_shard (bool | None): Read the same part in every epoch, instead of the next one
            in turn. Default: False.
        pad_last_batch (bool | None): Fill up every part with copies of its last sample, to the
            same number of whole batches. Default: False.
        prefetch_queue_depth (int | None): Batches that are read before they are asked for, as
            far as the pipeline's `prefetch_bytes` allows: by default 4 for URLs, whose every
            request takes a round trip. Local files, which the kernel reads ahead, are by
            default read in groups of batches, if these are small and come fast.
        storage_options (Mapping[str, Any] | None): For URLs: what fsspec's file system for the
            protocol takes, such as {'anon': True} or {'endpoint_url': ...} for s3://.
            Credentials are otherwise found where the service's own tools find them. The key
            'limits' bounds our requests: a dict with any of attempts (6), stall_seconds (20),
            total_seconds (120) and at_once (64). Default: {}.
        seed (int | None): Seed of the operator's randomness; by default derived from the
            pipeline's. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu; by default where the inputs are.
        name (str | None): name in the graph, for statistics, checkpoints, errors.
        Accepted for compatibility, without effect: initial_fill, read_ahead,
            skip_cached_images, lazy_init, dont_use_mmap, use_o_direct, tensor_init_bytes,
            bytes_per_sample, bytes_per_sample_hint.
    """

def transpose(
    data: DataNode,
    /,
    *,
    perm: int | Sequence[int] | None = ...,
    transpose_layout: bool | None = ...,
    output_layout: str | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Reorders the dimensions: dimension i of the result is dimension `perm[i]` of the input.

    Inputs:
        data: any sample.

    The result has the type of the input; see `transpose_layout` for its layout.

    Args:
        perm (int | Sequence[int] | None): The new order, as in (2, 0, 1); reversed by default.
        transpose_layout (bool | None): Whether the letters of the layout move with their
            dimensions. Default: True.
        output_layout (str | None): Layout of the result; `transpose_layout` is not looked at.
        seed (int | None): Seed of the operator's randomness; by default derived from the
            pipeline's. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu; by default where the inputs are.
        name (str | None): name in the graph, for statistics, checkpoints, errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def uniform(
    shape_like: DataNode | None = ...,
    /,
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
) -> DataNode:
    """Draws from a continuous uniform distribution, or evenly from given values.

    The end of the range is never drawn, except that rounding to an integer type can reach it.

    Inputs:
        shape_like: samples whose shape the output has, in place of `shape`.

    Outputs:
        the numbers: of type `dtype` (by default float32), without a layout.

    Raises:
        ArgumentError: the range is empty, or there are no values.

    Args:
        shape (int | Sequence[int] | DataNode | None): Shape of a sample's output; by default
            one number, of shape ().
        dtype (DALIDataType | DTypeLike | None): Type of the output. Numbers are rounded to
            integers, halves away from zero, and clamped to what the type holds.
        range (float | Sequence[float] | DataNode | None): Numbers are drawn from [range[0],
            range[1]). Excludes `values`. Default: (-1.0, 1.0).
        values (float | Sequence[float] | DataNode | None): The numbers to draw from, all
            equally likely. Excludes `range`.
        seed (int | None): Seed of the operator's randomness; by default derived from the
            pipeline's. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu; by default where the inputs are.
        name (str | None): name in the graph, for statistics, checkpoints, errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def webdataset_reader(
    *,
    paths: str | Sequence[str],
    ext: str | Sequence[str],
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
) -> Any:
    """Reads samples from tar archives of the WebDataset format.

    Files that follow one another and agree in folder and name up to the first dot are the
    components of a sample; the rest of the name is the extension. Where several components of
    a sample match an output, the first one counts. Files whose names begin with a dot are left
    out. v7, ustar, PAX and GNU archives are read, sparse files and compressed archives are not.

    Outputs:
        for each entry of `ext`, the component's bytes: of the type in `dtypes`, shape (size,).

    Raises:
        SourceError: an archive is damaged, or its index belongs to another one.
        OSError: an archive cannot be read (see `on_error` of the pipeline).

    Args:
        paths (str | Sequence[str]): Paths of the archives.
        ext (str | Sequence[str]): An entry for each output: extensions, separated by ';', such
            as 'jpg;jpeg;png'. They may hold dots.
        index_paths (str | Sequence[str] | None): Index files of DALI (v1.1 or v1.2), one for
            each archive. Without them the archives are scanned, and the result is kept beside
            the file, or in the user's cache folder, for the next time.
        missing_component_behavior (str | None): What to do with a sample that has no component
            for an output: 'empty' gives an empty array, 'skip' leaves the sample out, 'error'
            raises. Default: 'empty'.
        dtypes (DALIDataType | DTypeLike | Sequence[DALIDataType | DTypeLike] | None): Types
            that the outputs' bytes are taken for, one each; by default UINT8.
        case_sensitive_extensions (bool | None): Whether `ext` distinguishes case (of ASCII).
            Default: True.
        extension_dot (str | None): Which dot of a file's name the extension begins behind: the
            'first' or the 'last'. Index files of DALI always mean the first. Default: 'first'.
        random_shuffle (bool | None): Read every epoch in another order: a permutation of the
            whole data set, the same for all shards, drawn from `shuffle_seed` and the epoch's
            number. Default: False.
        shuffle_after_epoch (bool | None): The same as `random_shuffle`. Default: False.
        shuffle_after_epoch_seed (int | None): The same as `shuffle_seed`.
        shuffle_seed (int | None): Seed of the order. It is not derived from the pipeline's
            seed, which users often set differently for each rank: the ranks' shards would
            overlap then. Default: 0.
        shuffle_block (int | None): For storage that reads neighbours best (spinning disks,
            remote shards): shuffle blocks of so many consecutive samples instead of single
            samples, and mix the samples of `shuffle_window` blocks. Whole blocks are read, and
            those of up to two windows kept in memory. See docs/shuffling.md for what randomness
            that gives.
        shuffle_window (int | None): Number of blocks that are mixed, if `shuffle_block` is set.
            Default: 16.
        shard_id (int | None): Which of `num_shards` parts of the data this reader reads.
            Default: 0.
        num_shards (int | None): Number of parts that the data set is divided into. Default: 1.
        stick_to_shard (bool | None): Read the same part in every epoch, instead of the next one
            in turn. Default: False.
        pad_last_batch (bool | None): Fill up every part with copies of its last sample, to the
            same number of whole batches. Default: False.
        prefetch_queue_depth (int | None): Batches that are read before they are asked for, as
            far as the pipeline's `prefetch_bytes` allows: by default 4 for URLs, whose every
            request takes a round trip. Local files, which the kernel reads ahead, are by
            default read in groups of batches, if these are small and come fast.
        storage_options (Mapping[str, Any] | None): For URLs: what fsspec's file system for the
            protocol takes, such as {'anon': True} or {'endpoint_url': ...} for s3://.
            Credentials are otherwise found where the service's own tools find them. The key
            'limits' bounds our requests: a dict with any of attempts (6), stall_seconds (20),
            total_seconds (120) and at_once (64). Default: {}.
        seed (int | None): Seed of the operator's randomness; by default derived from the
            pipeline's. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu; by default where the inputs are.
        name (str | None): name in the graph, for statistics, checkpoints, errors.
        Accepted for compatibility, without effect: initial_fill, read_ahead,
            skip_cached_images, lazy_init, dont_use_mmap, use_o_direct, tensor_init_bytes,
            bytes_per_sample, bytes_per_sample_hint.
    """

def zeros(
    *,
    shape: int | Sequence[int] | DataNode | None = ...,
    layout: str | None = ...,
    dtype: DALIDataType | DTypeLike | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Returns zeros.

    Args:
        shape (int | Sequence[int] | DataNode | None): Shape of a sample's output; by default
            one number.
        layout (str | None): Layout of the output.
        dtype (DALIDataType | DTypeLike | None): Type of the output. Default: INT32.
        seed (int | None): Seed of the operator's randomness; by default derived from the
            pipeline's. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu; by default where the inputs are.
        name (str | None): name in the graph, for statistics, checkpoints, errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def zeros_like(
    data_like: DataNode,
    /,
    *,
    dtype: DALIDataType | DTypeLike | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Returns zeros in the shape, type and layout of the input.

    Args:
        dtype (DALIDataType | DTypeLike | None): Type of the output; by default that of the
            input.
        seed (int | None): Seed of the operator's randomness; by default derived from the
            pipeline's. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu; by default where the inputs are.
        name (str | None): name in the graph, for statistics, checkpoints, errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

class decoders:
    @staticmethod
    def image(
        encoded: DataNode,
        /,
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
    ) -> DataNode:
        """Decodes images: JPEG, PNG, TIFF, BMP, WebP, JPEG 2000 and PNM, told by their content.

        Inputs:
            encoded: a whole encoded file a sample; uint8, one dimension.

        Args:
            output_type (DALIImageType | None): Colour space: RGB, BGR, GRAY, YCbCr (ITU-R BT.601, Y
                from 16 to 235), or ANY_DATA for the file's own channels. All but ANY_DATA drop
                alpha and expand palettes. Default: RGB.
            dtype (DALIDataType | DTypeLike | None): Type of the result, UINT8, UINT16, INT16,
                FLOAT16 or FLOAT. Values are scaled to its range: 255 of an 8-bit file is 65535 in
                UINT16 and 1.0 in FLOAT. Default: UINT8.
            adjust_orientation (bool | None): Turn the image upright as its EXIF data says. Default:
                True.
            fit (int | Sequence[int] | None): The size (height, width) that the image is going to be
                shrunk to. Given it, JPEG is decoded at 1/2, 1/4 or 1/8 of its size where that still
                leaves as many pixels each way, and without smoothing colours. The result is smaller
                then, so the following resize gives slightly different pixels (1 to 2 grey levels on
                average), in less time. One number stands for both.
            jpeg_fancy_upsampling (bool | None): With device='mixed', enlarge the colours of all
                JPEG files smoothly, as the CPU does. The hardware engine cannot, so it is left
                alone. Default: False.
            hw_decoder_load (float | None): With device='mixed', 0 leaves the hardware JPEG engine
                alone; else it decodes all that it can, which is faster than any share.
            seed (int | None): Seed of the operator's randomness; by default derived from the
                pipeline's. Default: -1.
            preserve (bool | None): Keep the operator even if its output is not used. Default:
                False.
            device (str | None): cpu, mixed; by default where the inputs are.
            name (str | None): name in the graph, for statistics, checkpoints, errors.
            Accepted for compatibility, without effect: use_fast_idct, hybrid_huffman_threshold,
                device_memory_padding, host_memory_padding, device_memory_padding_jpeg2k,
                host_memory_padding_jpeg2k, preallocate_width_hint, preallocate_height_hint, affine,
                memory_stats, cache_size, cache_threshold, cache_debug, cache_batch_copy,
                cache_type, split_stages, use_chunk_allocator, bytes_per_sample_hint.
        """

    @staticmethod
    def image_crop(
        encoded: DataNode,
        /,
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
    ) -> DataNode:
        """Decodes a window of given size and position out of each image.

        Inputs:
            encoded: a whole encoded file a sample; uint8, one dimension.

        Raises:
            DecodeError: see above.
            ArgumentError: the window reaches out of the image.

        Args:
            output_type (DALIImageType | None): Colour space: RGB, BGR, GRAY, YCbCr (ITU-R BT.601, Y
                from 16 to 235), or ANY_DATA for the file's own channels. All but ANY_DATA drop
                alpha and expand palettes. Default: RGB.
            dtype (DALIDataType | DTypeLike | None): Type of the result, UINT8, UINT16, INT16,
                FLOAT16 or FLOAT. Values are scaled to its range: 255 of an 8-bit file is 65535 in
                UINT16 and 1.0 in FLOAT. Default: UINT8.
            adjust_orientation (bool | None): Turn the image upright as its EXIF data says. Default:
                True.
            fit (int | Sequence[int] | None): The size (height, width) that the image is going to be
                shrunk to. Given it, JPEG is decoded at 1/2, 1/4 or 1/8 of its size where that still
                leaves as many pixels each way, and without smoothing colours. The result is smaller
                then, so the following resize gives slightly different pixels (1 to 2 grey levels on
                average), in less time. One number stands for both.
            jpeg_fancy_upsampling (bool | None): With device='mixed', enlarge the colours of all
                JPEG files smoothly, as the CPU does. The hardware engine cannot, so it is left
                alone. Default: False.
            hw_decoder_load (float | None): With device='mixed', 0 leaves the hardware JPEG engine
                alone; else it decodes all that it can, which is faster than any share.
            crop (float | Sequence[float] | DataNode | None): Shape of the window in pixels,
                (height, width) or (depth, height, width). Fractions are cut off; what is not
                positive takes the whole axis.
            crop_d (float | DataNode | None): Depth of the window, or number of frames; needs the
                others. Default: 0.0.
            crop_h (float | DataNode | None): Height of the window, with `crop_w`. Default: 0.0.
            crop_w (float | DataNode | None): Width of the window, with `crop_h`. Default: 0.0.
            crop_pos_x (float | DataNode | None): Where the window lies: 0 at the left, 1 at the
                right. Default: 0.5.
            crop_pos_y (float | DataNode | None): Where the window lies: 0 at the top, 1 at the
                bottom. Default: 0.5.
            crop_pos_z (float | DataNode | None): Where the window lies: 0 in front, 1 at the back.
                Default: 0.5.
            rounding (str | None): How the position becomes whole pixels: "round" (halves away from
                zero) or "truncate". Default: 'round'.
            seed (int | None): Seed of the operator's randomness; by default derived from the
                pipeline's. Default: -1.
            preserve (bool | None): Keep the operator even if its output is not used. Default:
                False.
            device (str | None): cpu, mixed; by default where the inputs are.
            name (str | None): name in the graph, for statistics, checkpoints, errors.
            Accepted for compatibility, without effect: use_fast_idct, hybrid_huffman_threshold,
                device_memory_padding, host_memory_padding, device_memory_padding_jpeg2k,
                host_memory_padding_jpeg2k, preallocate_width_hint, preallocate_height_hint, affine,
                memory_stats, cache_size, cache_threshold, cache_debug, cache_batch_copy,
                cache_type, split_stages, use_chunk_allocator, bytes_per_sample_hint.
        """

    @staticmethod
    def image_random_crop(
        encoded: DataNode,
        /,
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
    ) -> DataNode:
        """Decodes a part of each image, of random area, aspect ratio and place.

        The usual first step of training a classifier, before a resize to one size.

        Inputs:
            encoded: a whole encoded file a sample; uint8, one dimension.

        Args:
            output_type (DALIImageType | None): Colour space: RGB, BGR, GRAY, YCbCr (ITU-R BT.601, Y
                from 16 to 235), or ANY_DATA for the file's own channels. All but ANY_DATA drop
                alpha and expand palettes. Default: RGB.
            dtype (DALIDataType | DTypeLike | None): Type of the result, UINT8, UINT16, INT16,
                FLOAT16 or FLOAT. Values are scaled to its range: 255 of an 8-bit file is 65535 in
                UINT16 and 1.0 in FLOAT. Default: UINT8.
            adjust_orientation (bool | None): Turn the image upright as its EXIF data says. Default:
                True.
            fit (int | Sequence[int] | None): The size (height, width) that the image is going to be
                shrunk to. Given it, JPEG is decoded at 1/2, 1/4 or 1/8 of its size where that still
                leaves as many pixels each way, and without smoothing colours. The result is smaller
                then, so the following resize gives slightly different pixels (1 to 2 grey levels on
                average), in less time. One number stands for both.
            jpeg_fancy_upsampling (bool | None): With device='mixed', enlarge the colours of all
                JPEG files smoothly, as the CPU does. The hardware engine cannot, so it is left
                alone. Default: False.
            hw_decoder_load (float | None): With device='mixed', 0 leaves the hardware JPEG engine
                alone; else it decodes all that it can, which is faster than any share.
            random_area (float | Sequence[float] | None): Range of the part's area, relative to the
                image's; uniform. Default: (0.08, 1.0).
            random_aspect_ratio (float | Sequence[float] | None): Range of the part's width /
                height; its logarithm is uniform. Default: (0.75, 1.3333333333333333).
            num_attempts (int | None): How often a part that does not fit is drawn anew. Default:
                10.
            seed (int | None): Seed of the operator's randomness; by default derived from the
                pipeline's. Default: -1.
            preserve (bool | None): Keep the operator even if its output is not used. Default:
                False.
            device (str | None): cpu, mixed; by default where the inputs are.
            name (str | None): name in the graph, for statistics, checkpoints, errors.
            Accepted for compatibility, without effect: use_fast_idct, hybrid_huffman_threshold,
                device_memory_padding, host_memory_padding, device_memory_padding_jpeg2k,
                host_memory_padding_jpeg2k, preallocate_width_hint, preallocate_height_hint, affine,
                memory_stats, cache_size, cache_threshold, cache_debug, cache_batch_copy,
                cache_type, split_stages, use_chunk_allocator, bytes_per_sample_hint.
        """

    @staticmethod
    def image_slice(
        encoded: DataNode,
        anchor: DataNode | None = ...,
        shape_input: DataNode | None = ...,
        /,
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
    ) -> DataNode:
        """Decodes a part of each image, given by where it starts and ends.

        The part is given as for `fn.slice`: by named arguments, or by the inputs `anchor` and `shape`.

        Inputs:
            encoded: a whole encoded file a sample; uint8, one dimension.
            anchor, shape_input: one number for each of the axes, as for `fn.slice`.

        Raises:
            DecodeError: see above.
            ArgumentError: the part reaches out of the image.

        Args:
            output_type (DALIImageType | None): Colour space: RGB, BGR, GRAY, YCbCr (ITU-R BT.601, Y
                from 16 to 235), or ANY_DATA for the file's own channels. All but ANY_DATA drop
                alpha and expand palettes. Default: RGB.
            dtype (DALIDataType | DTypeLike | None): Type of the result, UINT8, UINT16, INT16,
                FLOAT16 or FLOAT. Values are scaled to its range: 255 of an 8-bit file is 65535 in
                UINT16 and 1.0 in FLOAT. Default: UINT8.
            adjust_orientation (bool | None): Turn the image upright as its EXIF data says. Default:
                True.
            fit (int | Sequence[int] | None): The size (height, width) that the image is going to be
                shrunk to. Given it, JPEG is decoded at 1/2, 1/4 or 1/8 of its size where that still
                leaves as many pixels each way, and without smoothing colours. The result is smaller
                then, so the following resize gives slightly different pixels (1 to 2 grey levels on
                average), in less time. One number stands for both.
            jpeg_fancy_upsampling (bool | None): With device='mixed', enlarge the colours of all
                JPEG files smoothly, as the CPU does. The hardware engine cannot, so it is left
                alone. Default: False.
            hw_decoder_load (float | None): With device='mixed', 0 leaves the hardware JPEG engine
                alone; else it decodes all that it can, which is faster than any share.
            axes (int | Sequence[int] | DataNode | None): The axes that the values are for, in their
                order. Default: (1, 0).
            axis_names (str | None): The axes, as letters of the layout: "WH" by default, if `axes`
                is not given.
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
            seed (int | None): Seed of the operator's randomness; by default derived from the
                pipeline's. Default: -1.
            preserve (bool | None): Keep the operator even if its output is not used. Default:
                False.
            device (str | None): cpu, mixed; by default where the inputs are.
            name (str | None): name in the graph, for statistics, checkpoints, errors.
            Accepted for compatibility, without effect: use_fast_idct, hybrid_huffman_threshold,
                device_memory_padding, host_memory_padding, device_memory_padding_jpeg2k,
                host_memory_padding_jpeg2k, preallocate_width_hint, preallocate_height_hint, affine,
                memory_stats, cache_size, cache_threshold, cache_debug, cache_batch_copy,
                cache_type, split_stages, use_chunk_allocator, bytes_per_sample_hint.
        """

    @staticmethod
    def inflate(
        data: DataNode,
        /,
        *,
        shape: int | Sequence[int] | DataNode,
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
    ) -> DataNode:
        """Decompresses bytes to arrays whose shape and type are known.

        A sample is one compressed chunk, or several of one shape that become one array with an
        outermost dimension more: then `chunk_offsets` or `chunk_sizes` (or both) say where they lie.
        Memory is taken for the shape, and only if the compressed bytes could fill it.

        DALI has LZ4 (blocks without a header), on the GPU. zlib, gzip and raw Deflate are there, too,
        and Zstandard from Python 3.14 on.

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
            chunk_offsets (int | Sequence[int] | DataNode | None): Where the chunks begin in the
                sample, in bytes. Without `chunk_sizes`, each chunk ends where the next one begins.
            chunk_sizes (int | Sequence[int] | DataNode | None): Sizes of the compressed chunks in
                bytes. Without `chunk_offsets`, they lie end to end.
            sequence_axis_name (str | None): Letter of the outermost dimension where a sample has
                chunks and a layout. Default: 'F'.
            algorithm (str | None): LZ4, ZLIB, GZIP, DEFLATE or ZSTD. Default: 'LZ4'.
            seed (int | None): Seed of the operator's randomness; by default derived from the
                pipeline's. Default: -1.
            preserve (bool | None): Keep the operator even if its output is not used. Default:
                False.
            device (str | None): cpu; by default where the inputs are.
            name (str | None): name in the graph, for statistics, checkpoints, errors.
            Accepted for compatibility, without effect: check_output_size, bytes_per_sample_hint.
        """

    @staticmethod
    def numpy(
        data: DataNode,
        /,
        *,
        dtype: DALIDataType | DTypeLike | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> Any:
        """Decodes the bytes of `.npy` files, such as components of tar archives hold.

        Versions 1 to 3 of the format, both orders of dimensions and both byte orders are read.
        Objects, which would have to be unpickled, structured types and strings are not.

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
            seed (int | None): Seed of the operator's randomness; by default derived from the
                pipeline's. Default: -1.
            preserve (bool | None): Keep the operator even if its output is not used. Default:
                False.
            device (str | None): cpu; by default where the inputs are.
            name (str | None): name in the graph, for statistics, checkpoints, errors.
            Accepted for compatibility, without effect: bytes_per_sample_hint.
        """

class io:
    class file:
        @staticmethod
        def read(
            filepaths: DataNode,
            /,
            *,
            storage_options: Mapping[str, Any] | None = ...,
            seed: int | None = ...,
            preserve: bool | None = ...,
            dont_use_mmap: bool | None = ...,
            use_o_direct: bool | None = ...,
            bytes_per_sample_hint: int | None = ...,
            device: str | None = ...,
            name: str | None = ...,
        ) -> DataNode:
            """Reads the file that each sample names.

            Inputs:
                filepaths: a path or URL a sample, encoded in UTF-8 (or as the file system has it): uint8,
                    one dimension, as `np.frombuffer(path.encode(), np.uint8)` gives it. Relative paths
                    begin at the current folder.

            Outputs:
                the file's bytes: uint8, shape (size,).

            Raises:
                ArgumentError: the input is no path.
                OSError: a file cannot be read; the subclass says why and the message which one.

            Args:
                storage_options (Mapping[str, Any] | None): For URLs: see `fn.readers.file`. Default:
                    {}.
                seed (int | None): Seed of the operator's randomness; by default derived from the
                    pipeline's. Default: -1.
                preserve (bool | None): Keep the operator even if its output is not used. Default:
                    False.
                device (str | None): cpu; by default where the inputs are.
                name (str | None): name in the graph, for statistics, checkpoints, errors.
                Accepted for compatibility, without effect: dont_use_mmap, use_o_direct,
                    bytes_per_sample_hint.
            """

class random:
    @staticmethod
    def beta(
        shape_like: DataNode | None = ...,
        /,
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
    ) -> DataNode:
        """Draws from the beta distribution, whose density goes as x^(alpha - 1) (1 - x)^(beta - 1).

        Numbers lie in [0, 1]. With X and Y from gamma distributions, X / (X + Y) has this
        distribution; those are drawn by Marsaglia and Tsang, "A simple method for generating gamma
        variables" (2000).

        Args:
            shape (int | Sequence[int] | DataNode | None): Shape of a sample's output; by default
                one number, of shape ().
            dtype (DALIDataType | DTypeLike | None): Type of the output. Numbers are rounded to
                integers, halves away from zero, and clamped to what the type holds.
            alpha (float | DataNode | None): Above 0; the larger, the nearer to 1. Default: 1.0.
            beta (float | DataNode | None): Above 0; the larger, the nearer to 0. Default: 1.0.
            seed (int | None): Seed of the operator's randomness; by default derived from the
                pipeline's. Default: -1.
            preserve (bool | None): Keep the operator even if its output is not used. Default:
                False.
            device (str | None): cpu, gpu; by default where the inputs are.
            name (str | None): name in the graph, for statistics, checkpoints, errors.
            Accepted for compatibility, without effect: bytes_per_sample_hint.
        """

    @staticmethod
    def choice(
        a: DataNode,
        shape_like: DataNode | None = ...,
        /,
        *,
        p: float | Sequence[float] | DataNode | None = ...,
        shape: int | Sequence[int] | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> DataNode:
        """Draws elements of the first input, with replacement.

        A scalar n, which must be an integer, stands for the numbers from 0 to n - 1. Otherwise
        elements along the input's first dimension are drawn. The type is that of the input.

        Inputs:
            a: what is drawn from.
            shape_like: samples whose shape is that of the draw, in place of `shape`.

        Outputs:
            the elements: of the input's type, shape (*shape, *element).

        Raises:
            ArgumentError: there is nothing to choose from, or the probabilities do not fit.

        Args:
            p (float | Sequence[float] | DataNode | None): Probability of each element; they must
                add up to 1. All equal by default.
            shape (int | Sequence[int] | DataNode | None): How many elements are drawn, as a shape;
                by default one, and the output lacks the first dimension.
            seed (int | None): Seed of the operator's randomness; by default derived from the
                pipeline's. Default: -1.
            preserve (bool | None): Keep the operator even if its output is not used. Default:
                False.
            device (str | None): cpu, gpu; by default where the inputs are.
            name (str | None): name in the graph, for statistics, checkpoints, errors.
            Accepted for compatibility, without effect: bytes_per_sample_hint.
        """

    @staticmethod
    def coin_flip(
        shape_like: DataNode | None = ...,
        /,
        *,
        shape: int | Sequence[int] | DataNode | None = ...,
        dtype: DALIDataType | DTypeLike | None = ...,
        probability: float | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = ...,
        bytes_per_sample_hint: int | None = ...,
        device: str | None = ...,
        name: str | None = ...,
    ) -> DataNode:
        """Draws 1 with the given probability, else 0.

        Inputs:
            shape_like: samples whose shape the output has, in place of `shape`.

        Outputs:
            the numbers: of type `dtype` (by default int32), without a layout.

        Raises:
            ArgumentError: a probability is not from 0 to 1.

        Args:
            shape (int | Sequence[int] | DataNode | None): Shape of a sample's output; by default
                one number, of shape ().
            dtype (DALIDataType | DTypeLike | None): Type of the output. Numbers are rounded to
                integers, halves away from zero, and clamped to what the type holds.
            probability (float | DataNode | None): Probability of 1, from 0 to 1. Default: 0.5.
            seed (int | None): Seed of the operator's randomness; by default derived from the
                pipeline's. Default: -1.
            preserve (bool | None): Keep the operator even if its output is not used. Default:
                False.
            device (str | None): cpu, gpu; by default where the inputs are.
            name (str | None): name in the graph, for statistics, checkpoints, errors.
            Accepted for compatibility, without effect: bytes_per_sample_hint.
        """

    @staticmethod
    def normal(
        shape_like: DataNode | None = ...,
        /,
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
    ) -> DataNode:
        """Draws from a normal distribution.

        Inputs:
            shape_like: samples whose shape the output has, in place of `shape`.

        Outputs:
            the numbers: of type `dtype` (by default float32), without a layout.

        Args:
            shape (int | Sequence[int] | DataNode | None): Shape of a sample's output; by default
                one number, of shape ().
            dtype (DALIDataType | DTypeLike | None): Type of the output. Numbers are rounded to
                integers, halves away from zero, and clamped to what the type holds.
            mean (float | DataNode | None): Mean. Default: 0.0.
            stddev (float | DataNode | None): Standard deviation. Default: 1.0.
            seed (int | None): Seed of the operator's randomness; by default derived from the
                pipeline's. Default: -1.
            preserve (bool | None): Keep the operator even if its output is not used. Default:
                False.
            device (str | None): cpu, gpu; by default where the inputs are.
            name (str | None): name in the graph, for statistics, checkpoints, errors.
            Accepted for compatibility, without effect: bytes_per_sample_hint.
        """

    @staticmethod
    def uniform(
        shape_like: DataNode | None = ...,
        /,
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
    ) -> DataNode:
        """Draws from a continuous uniform distribution, or evenly from given values.

        The end of the range is never drawn, except that rounding to an integer type can reach it.

        Inputs:
            shape_like: samples whose shape the output has, in place of `shape`.

        Outputs:
            the numbers: of type `dtype` (by default float32), without a layout.

        Raises:
            ArgumentError: the range is empty, or there are no values.

        Args:
            shape (int | Sequence[int] | DataNode | None): Shape of a sample's output; by default
                one number, of shape ().
            dtype (DALIDataType | DTypeLike | None): Type of the output. Numbers are rounded to
                integers, halves away from zero, and clamped to what the type holds.
            range (float | Sequence[float] | DataNode | None): Numbers are drawn from [range[0],
                range[1]). Excludes `values`. Default: (-1.0, 1.0).
            values (float | Sequence[float] | DataNode | None): The numbers to draw from, all
                equally likely. Excludes `range`.
            seed (int | None): Seed of the operator's randomness; by default derived from the
                pipeline's. Default: -1.
            preserve (bool | None): Keep the operator even if its output is not used. Default:
                False.
            device (str | None): cpu, gpu; by default where the inputs are.
            name (str | None): name in the graph, for statistics, checkpoints, errors.
            Accepted for compatibility, without effect: bytes_per_sample_hint.
        """

class readers:
    @staticmethod
    def caffe(
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
        path: str | Sequence[str],
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
    ) -> Any:
        """Reads images and labels from Caffe's LMDB data sets, in the order of their keys.

        Pixels that are not encoded keep the order in which they are stored. DALI gives them the
        shape (height, width, channels), and so do we; Caffe's own tools store one channel after
        the other, so that `reshape` to (channels, height, width) gives the picture.

        Outputs:
            the image: an encoded file, uint8, shape (size,); pixels, uint8, or numbers
                (`float_data`), float32, shape (height, width, channels). A Datum that does not say
                whether it is encoded counts as encoded.
            its label: int32, shape (1,).

        Raises:
            SourceError: a file is no LMDB file, is damaged, is written to while it is read, or
                holds no records.
            OSError: a file cannot be read.
            DecodeError: a value is no Datum, or lacks the image or the label (see `on_error`).

        Args:
            image_available (bool | None): Whether the image is an output. Default: True.
            label_available (bool | None): Whether the label is an output. Default: True.
            random_shuffle (bool | None): Read every epoch in another order: a permutation of the
                whole data set, the same for all shards, drawn from `shuffle_seed` and the epoch's
                number. Default: False.
            shuffle_after_epoch (bool | None): The same as `random_shuffle`. Default: False.
            shuffle_after_epoch_seed (int | None): The same as `shuffle_seed`.
            shuffle_seed (int | None): Seed of the order. It is not derived from the pipeline's
                seed, which users often set differently for each rank: the ranks' shards would
                overlap then. Default: 0.
            shuffle_block (int | None): For storage that reads neighbours best (spinning disks,
                remote shards): shuffle blocks of so many consecutive samples instead of single
                samples, and mix the samples of `shuffle_window` blocks. Whole blocks are read, and
                those of up to two windows kept in memory. See docs/shuffling.md for what randomness
                that gives.
            shuffle_window (int | None): Number of blocks that are mixed, if `shuffle_block` is set.
                Default: 16.
            shard_id (int | None): Which of `num_shards` parts of the data this reader reads.
                Default: 0.
            num_shards (int | None): Number of parts that the data set is divided into. Default: 1.
            stick_to_shard (bool | None): Read the same part in every epoch, instead of the next one
                in turn. Default: False.
            pad_last_batch (bool | None): Fill up every part with copies of its last sample, to the
                same number of whole batches. Default: False.
            prefetch_queue_depth (int | None): Batches that are read before they are asked for, as
                far as the pipeline's `prefetch_bytes` allows: by default 4 for URLs, whose every
                request takes a round trip. Local files, which the kernel reads ahead, are by
                default read in groups of batches, if these are small and come fast.
            storage_options (Mapping[str, Any] | None): For URLs: what fsspec's file system for the
                protocol takes, such as {'anon': True} or {'endpoint_url': ...} for s3://.
                Credentials are otherwise found where the service's own tools find them. The key
                'limits' bounds our requests: a dict with any of attempts (6), stall_seconds (20),
                total_seconds (120) and at_once (64). Default: {}.
            path (str | Sequence[str]): The databases, read one after the other: folders that hold
                data.mdb, or files.
            seed (int | None): Seed of the operator's randomness; by default derived from the
                pipeline's. Default: -1.
            preserve (bool | None): Keep the operator even if its output is not used. Default:
                False.
            device (str | None): cpu; by default where the inputs are.
            name (str | None): name in the graph, for statistics, checkpoints, errors.
            Accepted for compatibility, without effect: initial_fill, read_ahead,
                skip_cached_images, lazy_init, dont_use_mmap, use_o_direct, tensor_init_bytes,
                bytes_per_sample, bytes_per_sample_hint.
        """

    @staticmethod
    def caffe2(
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
        path: str | Sequence[str],
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
    ) -> Any:
        """Reads images, labels and more from Caffe2's LMDB data sets, in the order of their keys.

        A record is a list of tensors: the image, the labels, with weighted labels their weights,
        the additional ones, and the bounding box, as far as the arguments say that they are there.
        Tensors that follow are left out.

        Outputs:
            the image: an encoded file, uint8, shape (size,), or pixels, uint8, shape (height,
                width, channels).
            its labels, float32 or int32 as stored: for `label_type` 0 shape (1,); for 1 ones at
                the places of the labels, shape (num_labels,); for 2 the stored numbers, shape
                (count,); for 3 the weights at the places of the labels, float32, (num_labels,).
            each additional tensor: float32, int32 or int64, shape (count,).
            with `bbox`, the box: int32, shape (4,), as stored.

        Raises:
            SourceError: a file is no LMDB file, is damaged, is written to while it is read, or
                holds no records.
            OSError: a file cannot be read.
            DecodeError: a value does not hold these tensors (see `on_error`).

        Args:
            image_available (bool | None): Whether records begin with an image. Default: True.
            label_type (int | None): What labels there are: 0 one class; 1 several classes; 2 a
                vector of numbers; 3 several classes with weights; 4 none. Default: 0.
            num_labels (int | None): Number of classes, for `label_type` 1 and 3. Default: 1.
            additional_inputs (int | None): Number of tensors of numbers that follow the labels.
                Default: 0.
            bbox (bool | None): Whether a bounding box follows. Default: False.
            random_shuffle (bool | None): Read every epoch in another order: a permutation of the
                whole data set, the same for all shards, drawn from `shuffle_seed` and the epoch's
                number. Default: False.
            shuffle_after_epoch (bool | None): The same as `random_shuffle`. Default: False.
            shuffle_after_epoch_seed (int | None): The same as `shuffle_seed`.
            shuffle_seed (int | None): Seed of the order. It is not derived from the pipeline's
                seed, which users often set differently for each rank: the ranks' shards would
                overlap then. Default: 0.
            shuffle_block (int | None): For storage that reads neighbours best (spinning disks,
                remote shards): shuffle blocks of so many consecutive samples instead of single
                samples, and mix the samples of `shuffle_window` blocks. Whole blocks are read, and
                those of up to two windows kept in memory. See docs/shuffling.md for what randomness
                that gives.
            shuffle_window (int | None): Number of blocks that are mixed, if `shuffle_block` is set.
                Default: 16.
            shard_id (int | None): Which of `num_shards` parts of the data this reader reads.
                Default: 0.
            num_shards (int | None): Number of parts that the data set is divided into. Default: 1.
            stick_to_shard (bool | None): Read the same part in every epoch, instead of the next one
                in turn. Default: False.
            pad_last_batch (bool | None): Fill up every part with copies of its last sample, to the
                same number of whole batches. Default: False.
            prefetch_queue_depth (int | None): Batches that are read before they are asked for, as
                far as the pipeline's `prefetch_bytes` allows: by default 4 for URLs, whose every
                request takes a round trip. Local files, which the kernel reads ahead, are by
                default read in groups of batches, if these are small and come fast.
            storage_options (Mapping[str, Any] | None): For URLs: what fsspec's file system for the
                protocol takes, such as {'anon': True} or {'endpoint_url': ...} for s3://.
                Credentials are otherwise found where the service's own tools find them. The key
                'limits' bounds our requests: a dict with any of attempts (6), stall_seconds (20),
                total_seconds (120) and at_once (64). Default: {}.
            path (str | Sequence[str]): The databases, read one after the other: folders that hold
                data.mdb, or files.
            seed (int | None): Seed of the operator's randomness; by default derived from the
                pipeline's. Default: -1.
            preserve (bool | None): Keep the operator even if its output is not used. Default:
                False.
            device (str | None): cpu; by default where the inputs are.
            name (str | None): name in the graph, for statistics, checkpoints, errors.
            Accepted for compatibility, without effect: initial_fill, read_ahead,
                skip_cached_images, lazy_init, dont_use_mmap, use_o_direct, tensor_init_bytes,
                bytes_per_sample, bytes_per_sample_hint.
        """

    @staticmethod
    def file(
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
    ) -> tuple[DataNode, DataNode]:
        """Reads whole files, such as encoded images, with an integer label each.

        The files come from folders of classes (`file_root`), from a list of paths (`files`), or
        from a text file that lists them (`file_list`). Each of these may be or hold URLs, such as
        "s3://bucket/train".

        In pipelines that use the GPU or worker processes, a process of the reader's own reads local
        files, after a second of reading: threads that read would wait for Python's lock.

        Outputs:
            the file's bytes: uint8, shape (size,).
            its label: int32, shape (1,).

        Raises:
            SourceError: a folder or list cannot be read or holds nothing that matches.
            OSError: a file cannot be read (see `on_error` of the pipeline).

        Args:
            file_root (str | None): Folder whose subfolders are the classes, numbered in the order
                of their names; also what relative paths in `files` or `file_list` are relative to.
            files (str | Sequence[str] | None): Paths of the files.
            labels (int | Sequence[int] | None): Their labels; by default 0, 1, 2, ...
            file_list (str | None): Text file with a path and a label on each line; paths may hold
                spaces.
            file_filters (str | Sequence[str] | None): Patterns such as '*.jpg'; with `file_root`
                alone. Default: ('*.jpg', '*.jpeg', '*.png', '*.bmp', '*.tif', '*.tiff', '*.pnm',
                '*.ppm', '*.pgm', '*.pbm', '*.jp2', '*.webp', '*.flac', '*.ogg', '*.wav').
            dir_filters (str | Sequence[str] | None): Patterns of the class folders' names; by
                default all.
            case_sensitive_filter (bool | None): Whether the patterns distinguish case. Default:
                False.
            random_shuffle (bool | None): Read every epoch in another order: a permutation of the
                whole data set, the same for all shards, drawn from `shuffle_seed` and the epoch's
                number. Default: False.
            shuffle_after_epoch (bool | None): The same as `random_shuffle`. Default: False.
            shuffle_after_epoch_seed (int | None): The same as `shuffle_seed`.
            shuffle_seed (int | None): Seed of the order. It is not derived from the pipeline's
                seed, which users often set differently for each rank: the ranks' shards would
                overlap then. Default: 0.
            shuffle_block (int | None): For storage that reads neighbours best (spinning disks,
                remote shards): shuffle blocks of so many consecutive samples instead of single
                samples, and mix the samples of `shuffle_window` blocks. Whole blocks are read, and
                those of up to two windows kept in memory. See docs/shuffling.md for what randomness
                that gives.
            shuffle_window (int | None): Number of blocks that are mixed, if `shuffle_block` is set.
                Default: 16.
            shard_id (int | None): Which of `num_shards` parts of the data this reader reads.
                Default: 0.
            num_shards (int | None): Number of parts that the data set is divided into. Default: 1.
            stick_to_shard (bool | None): Read the same part in every epoch, instead of the next one
                in turn. Default: False.
            pad_last_batch (bool | None): Fill up every part with copies of its last sample, to the
                same number of whole batches. Default: False.
            prefetch_queue_depth (int | None): Batches that are read before they are asked for, as
                far as the pipeline's `prefetch_bytes` allows: by default 4 for URLs, whose every
                request takes a round trip. Local files, which the kernel reads ahead, are by
                default read in groups of batches, if these are small and come fast.
            storage_options (Mapping[str, Any] | None): For URLs: what fsspec's file system for the
                protocol takes, such as {'anon': True} or {'endpoint_url': ...} for s3://.
                Credentials are otherwise found where the service's own tools find them. The key
                'limits' bounds our requests: a dict with any of attempts (6), stall_seconds (20),
                total_seconds (120) and at_once (64). Default: {}.
            seed (int | None): Seed of the operator's randomness; by default derived from the
                pipeline's. Default: -1.
            preserve (bool | None): Keep the operator even if its output is not used. Default:
                False.
            device (str | None): cpu; by default where the inputs are.
            name (str | None): name in the graph, for statistics, checkpoints, errors.
            Accepted for compatibility, without effect: initial_fill, read_ahead,
                skip_cached_images, lazy_init, dont_use_mmap, use_o_direct, tensor_init_bytes,
                bytes_per_sample, bytes_per_sample_hint.
        """

    @staticmethod
    def lmdb(
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
        path: str | Sequence[str],
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
    ) -> Any:
        """Reads the values of LMDB databases, in the order of their keys.

        Files of LMDB 0.9 and of LMDB 1.0 are read, on read-only file systems, too, and without the
        LMDB library. They must not be written to meanwhile; that is noticed and refused.

        Outputs:
            the value: uint8, shape (size,) for "bytes"; for "npy" and "pickle" the array in it.
            with `keys`, its key: uint8, shape (length,).

        Raises:
            SourceError: a file is no LMDB file, is damaged, is written to while it is read, holds
                no such database, or no records.
            OSError: a file cannot be read.
            DecodeError: a value is not in the format that `values` says (see `on_error`).

        Args:
            database (str | None): Name of the database in each file; by default the unnamed one.
            values (str | None): What the values are: 'bytes', 'npy' (arrays as numpy.save writes
                them) or 'pickle' (pickled arrays or numbers). Unpickling runs whatever code a value
                names: use it only for files that you have written yourself. Default: 'bytes'.
            keys (bool | None): Whether the key is a second output. Default: False.
            random_shuffle (bool | None): Read every epoch in another order: a permutation of the
                whole data set, the same for all shards, drawn from `shuffle_seed` and the epoch's
                number. Default: False.
            shuffle_after_epoch (bool | None): The same as `random_shuffle`. Default: False.
            shuffle_after_epoch_seed (int | None): The same as `shuffle_seed`.
            shuffle_seed (int | None): Seed of the order. It is not derived from the pipeline's
                seed, which users often set differently for each rank: the ranks' shards would
                overlap then. Default: 0.
            shuffle_block (int | None): For storage that reads neighbours best (spinning disks,
                remote shards): shuffle blocks of so many consecutive samples instead of single
                samples, and mix the samples of `shuffle_window` blocks. Whole blocks are read, and
                those of up to two windows kept in memory. See docs/shuffling.md for what randomness
                that gives.
            shuffle_window (int | None): Number of blocks that are mixed, if `shuffle_block` is set.
                Default: 16.
            shard_id (int | None): Which of `num_shards` parts of the data this reader reads.
                Default: 0.
            num_shards (int | None): Number of parts that the data set is divided into. Default: 1.
            stick_to_shard (bool | None): Read the same part in every epoch, instead of the next one
                in turn. Default: False.
            pad_last_batch (bool | None): Fill up every part with copies of its last sample, to the
                same number of whole batches. Default: False.
            prefetch_queue_depth (int | None): Batches that are read before they are asked for, as
                far as the pipeline's `prefetch_bytes` allows: by default 4 for URLs, whose every
                request takes a round trip. Local files, which the kernel reads ahead, are by
                default read in groups of batches, if these are small and come fast.
            storage_options (Mapping[str, Any] | None): For URLs: what fsspec's file system for the
                protocol takes, such as {'anon': True} or {'endpoint_url': ...} for s3://.
                Credentials are otherwise found where the service's own tools find them. The key
                'limits' bounds our requests: a dict with any of attempts (6), stall_seconds (20),
                total_seconds (120) and at_once (64). Default: {}.
            path (str | Sequence[str]): The databases, read one after the other: folders that hold
                data.mdb, or files.
            seed (int | None): Seed of the operator's randomness; by default derived from the
                pipeline's. Default: -1.
            preserve (bool | None): Keep the operator even if its output is not used. Default:
                False.
            device (str | None): cpu; by default where the inputs are.
            name (str | None): name in the graph, for statistics, checkpoints, errors.
            Accepted for compatibility, without effect: initial_fill, read_ahead,
                skip_cached_images, lazy_init, dont_use_mmap, use_o_direct, tensor_init_bytes,
                bytes_per_sample, bytes_per_sample_hint.
        """

    @staticmethod
    def mxnet(
        *,
        path: str | Sequence[str],
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
    ) -> tuple[DataNode, DataNode]:
        """Reads image records from RecordIO files, as MXNet's `im2rec` makes them.

        Outputs:
            the encoded image: uint8, shape (size,).
            its labels: float32, shape (labels,); (1,) for ordinary classification.

        Raises:
            SourceError: a file is damaged, or an index belongs to another file.
            OSError: a file cannot be read (see `on_error` of the pipeline).

        Args:
            path (str | Sequence[str]): Paths of the .rec files.
            index_path (str | Sequence[str] | None): Paths of their .idx files, one each, or a
                single one that counts through all files. It may list some of the records only.
                Without it the records are found by a scan, whose result is kept beside the file, or
                in the user's cache folder, for the next time.
            header_records (str | None): What to do with records of at most 1 KB that hold labels
                but no image, such as the first one of packs for face recognition: 'skip', or 'keep'
                to have them as samples with an empty image, as DALI does. Default: 'skip'.
            random_shuffle (bool | None): Read every epoch in another order: a permutation of the
                whole data set, the same for all shards, drawn from `shuffle_seed` and the epoch's
                number. Default: False.
            shuffle_after_epoch (bool | None): The same as `random_shuffle`. Default: False.
            shuffle_after_epoch_seed (int | None): The same as `shuffle_seed`.
            shuffle_seed (int | None): Seed of the order. It is not derived from the pipeline's
                seed, which users often set differently for each rank: the ranks' shards would
                overlap then. Default: 0.
            shuffle_block (int | None): For storage that reads neighbours best (spinning disks,
                remote shards): shuffle blocks of so many consecutive samples instead of single
                samples, and mix the samples of `shuffle_window` blocks. Whole blocks are read, and
                those of up to two windows kept in memory. See docs/shuffling.md for what randomness
                that gives.
            shuffle_window (int | None): Number of blocks that are mixed, if `shuffle_block` is set.
                Default: 16.
            shard_id (int | None): Which of `num_shards` parts of the data this reader reads.
                Default: 0.
            num_shards (int | None): Number of parts that the data set is divided into. Default: 1.
            stick_to_shard (bool | None): Read the same part in every epoch, instead of the next one
                in turn. Default: False.
            pad_last_batch (bool | None): Fill up every part with copies of its last sample, to the
                same number of whole batches. Default: False.
            prefetch_queue_depth (int | None): Batches that are read before they are asked for, as
                far as the pipeline's `prefetch_bytes` allows: by default 4 for URLs, whose every
                request takes a round trip. Local files, which the kernel reads ahead, are by
                default read in groups of batches, if these are small and come fast.
            storage_options (Mapping[str, Any] | None): For URLs: what fsspec's file system for the
                protocol takes, such as {'anon': True} or {'endpoint_url': ...} for s3://.
                Credentials are otherwise found where the service's own tools find them. The key
                'limits' bounds our requests: a dict with any of attempts (6), stall_seconds (20),
                total_seconds (120) and at_once (64). Default: {}.
            seed (int | None): Seed of the operator's randomness; by default derived from the
                pipeline's. Default: -1.
            preserve (bool | None): Keep the operator even if its output is not used. Default:
                False.
            device (str | None): cpu; by default where the inputs are.
            name (str | None): name in the graph, for statistics, checkpoints, errors.
            Accepted for compatibility, without effect: initial_fill, read_ahead,
                skip_cached_images, lazy_init, dont_use_mmap, use_o_direct, tensor_init_bytes,
                bytes_per_sample, bytes_per_sample_hint.
        """

    @staticmethod
    def numpy(
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
    ) -> DataNode:
        """Reads arrays from `.npy` files, whole or a region of interest of each.

        Only the bytes that a region needs are read. Its arguments mean what those of `fn.slice`
        mean, along `roi_axes`; `roi` is written as an index of NumPy. Versions 1 to 3 of the format,
        both orders of dimensions and both byte orders are read. Files may be of different shapes; all
        samples of a batch must have one type and number of dimensions.

        Archives (`.npz`, `.zip`, `.tar`) hold several arrays; each member that matches
        `member_filter` is one. Stored members are read in place, deflated ones are inflated whole,
        whatever the region. With `sample_axis` an array holds several samples.

        Regions of local files that lie in memory are copied out of maps of them, where that is faster:
        by a process of the reader's own, because a mapped file that is cut short ends the process. It
        is started after a second of such work; `Pipeline.stats` says how much it copied.

        With `device="gpu"` the batch is read into pinned memory, by as many threads as the pipeline has
        where that pays, and copied to the GPU while the next one is read. Where KvikIO is installed and
        GPUDirect Storage serves the file system, samples of 1 MiB and more whose bytes lie side by side
        in the file are read straight into the GPU's memory. `Pipeline.stats` says which way was taken,
        and why.

        >>> import numpy as np
        >>> from penstock import fn, pipeline_def
        >>> np.save("volume.npy", np.arange(60.0).reshape(5, 3, 4))
        >>> @pipeline_def(batch_size=2, num_threads=1)
        ... def crops():
        ...     return fn.readers.numpy(files="volume.npy", sample_axis=0, roi="[1:, ::2]")
        >>> with crops() as pipe:
        ...     (found,) = pipe.run()
        >>> found.as_array()[1].tolist()
        [[16.0, 18.0], [20.0, 22.0]]

        Outputs:
            the array: of the file's type, and of the shape of the region. Complex numbers come as
                floats with a last axis of two more, real and imaginary part; dates and differences
                of dates as int64, in the file's unit.

        Differences from DALI: the samples' origins are absolute paths; lines of `file_list` may end
        in CR LF; a link to a folder is a folder.

        Raises:
            SourceError: a folder, list or archive cannot be read or holds no array; a file is cut
                off.
            DecodeError: a file is no `.npy` file, or of objects (which would have to be unpickled),
                strings or records; or it differs in type from the others of its batch.
            ArgumentError: a region does not fit its array.
            OSError: a file cannot be read (see `on_error` of the pipeline).

        Args:
            files (str | Sequence[str] | None): Paths of the files, relative to `file_root` if that
                is given.
            file_list (str | None): Text file with a path on each line, relative to `file_root` or,
                without it, to the list.
            file_root (str | None): Folder whose files, and those of the folders right inside it,
                are read.
            file_filter (str | None): Pattern of their names, with `file_root` alone. Default:
                '*.npy'.
            member_filter (str | None): Pattern of the names (without folders) of members in
                archives. `numpy.savez` stores the array `image` as 'image.npy'. Default: '*.npy'.
            sample_axis (int | None): Axis of the arrays whose indices are the samples. A sample's
                shape, and its region, are without that axis. All headers are read when the pipeline
                starts.
            roi (Any | None): Region as an index: a slice, an integer (which drops the axis), a
                tuple of them with at most one Ellipsis, or such an index as a text, '[8:24, :,
                128:384]'. Steps must be positive. Excludes the other arguments of a region;
                `out_of_bounds_policy` decides about slices that reach out of the array, where
                'trim_to_shape' does what NumPy does.
            roi_start (int | Sequence[int] | DataNode | None): First element of the region.
            roi_end (int | Sequence[int] | DataNode | None): The element after its last.
            roi_shape (int | Sequence[int] | DataNode | None): Its number of elements.
            rel_roi_start (float | Sequence[float] | DataNode | None): Start, in fractions of the
                extent.
            rel_roi_end (float | Sequence[float] | DataNode | None): End, in fractions of the
                extent.
            rel_roi_shape (float | Sequence[float] | DataNode | None): Shape, in fractions of the
                extent.
            roi_axes (int | Sequence[int] | None): The axes that these values are for, in their
                order; by default all axes. Default: ().
            out_of_bounds_policy (str | None): What to do if the region reaches out of the array:
                "error" raises; "pad" fills with `fill_value`; "trim_to_shape" takes what there is.
                Default: 'error'.
            fill_value (float | None): Number that "pad" fills with. Default: 0.0.
            cache_header_information (bool | None): Remember each file's header, for as long as size
                and time of the file stay. Default: False.
            random_shuffle (bool | None): Read every epoch in another order: a permutation of the
                whole data set, the same for all shards, drawn from `shuffle_seed` and the epoch's
                number. Default: False.
            shuffle_after_epoch (bool | None): The same as `random_shuffle`. Default: False.
            shuffle_after_epoch_seed (int | None): The same as `shuffle_seed`.
            shuffle_seed (int | None): Seed of the order. It is not derived from the pipeline's
                seed, which users often set differently for each rank: the ranks' shards would
                overlap then. Default: 0.
            shuffle_block (int | None): For storage that reads neighbours best (spinning disks,
                remote shards): shuffle blocks of so many consecutive samples instead of single
                samples, and mix the samples of `shuffle_window` blocks. Whole blocks are read, and
                those of up to two windows kept in memory. See docs/shuffling.md for what randomness
                that gives.
            shuffle_window (int | None): Number of blocks that are mixed, if `shuffle_block` is set.
                Default: 16.
            shard_id (int | None): Which of `num_shards` parts of the data this reader reads.
                Default: 0.
            num_shards (int | None): Number of parts that the data set is divided into. Default: 1.
            stick_to_shard (bool | None): Read the same part in every epoch, instead of the next one
                in turn. Default: False.
            pad_last_batch (bool | None): Fill up every part with copies of its last sample, to the
                same number of whole batches. Default: False.
            prefetch_queue_depth (int | None): Batches that are read before they are asked for, as
                far as the pipeline's `prefetch_bytes` allows: by default 4 for URLs, whose every
                request takes a round trip. Local files, which the kernel reads ahead, are by
                default read in groups of batches, if these are small and come fast.
            storage_options (Mapping[str, Any] | None): For URLs: what fsspec's file system for the
                protocol takes, such as {'anon': True} or {'endpoint_url': ...} for s3://.
                Credentials are otherwise found where the service's own tools find them. The key
                'limits' bounds our requests: a dict with any of attempts (6), stall_seconds (20),
                total_seconds (120) and at_once (64). Default: {}.
            use_o_direct (bool | None): Read local files past the system's cache, where their file
                system allows it: for data that do not fit into memory and are read once. Default:
                False.
            seed (int | None): Seed of the operator's randomness; by default derived from the
                pipeline's. Default: -1.
            preserve (bool | None): Keep the operator even if its output is not used. Default:
                False.
            device (str | None): cpu, gpu; by default where the inputs are.
            name (str | None): name in the graph, for statistics, checkpoints, errors.
            Accepted for compatibility, without effect: register_buffers, initial_fill, read_ahead,
                skip_cached_images, lazy_init, dont_use_mmap, tensor_init_bytes, bytes_per_sample,
                bytes_per_sample_hint.
        """

    @staticmethod
    def sequence(
        *,
        file_root: str,
        sequence_length: int,
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
    ) -> Any:
        """Reads sequences of frames from folders of images, one folder a stream.

        The frames of a folder are its images in the order of their names. Sequences do not cross
        folders, and only whole ones are read. Names that begin with a dot are left out.

        Outputs:
            the decoded frames: uint8, FHWC.

        Raises:
            SourceError: a folder cannot be read, or there is no sequence in any.
            OSError: a file cannot be read. DecodeError: a frame is damaged, or of another size
                than the first one (see `on_error` of the pipeline).

        Args:
            file_root (str): Folder that holds a folder of images for each stream.
            sequence_length (int): Number of frames of a sequence.
            step (int | None): From the first frame of a sequence to that of the next one. Default:
                1.
            stride (int | None): From one frame of a sequence to the next one. Default: 1.
            image_type (DALIImageType | None): Colour space of the output, as for `decoders.image`.
                Default: RGB.
            random_shuffle (bool | None): Read every epoch in another order: a permutation of the
                whole data set, the same for all shards, drawn from `shuffle_seed` and the epoch's
                number. Default: False.
            shuffle_after_epoch (bool | None): The same as `random_shuffle`. Default: False.
            shuffle_after_epoch_seed (int | None): The same as `shuffle_seed`.
            shuffle_seed (int | None): Seed of the order. It is not derived from the pipeline's
                seed, which users often set differently for each rank: the ranks' shards would
                overlap then. Default: 0.
            shuffle_block (int | None): For storage that reads neighbours best (spinning disks,
                remote shards): shuffle blocks of so many consecutive samples instead of single
                samples, and mix the samples of `shuffle_window` blocks. Whole blocks are read, and
                those of up to two windows kept in memory. See docs/shuffling.md for what randomness
                that gives.
            shuffle_window (int | None): Number of blocks that are mixed, if `shuffle_block` is set.
                Default: 16.
            shard_id (int | None): Which of `num_shards` parts of the data this reader reads.
                Default: 0.
            num_shards (int | None): Number of parts that the data set is divided into. Default: 1.
            stick_to_shard (bool | None): Read the same part in every epoch, instead of the next one
                in turn. Default: False.
            pad_last_batch (bool | None): Fill up every part with copies of its last sample, to the
                same number of whole batches. Default: False.
            prefetch_queue_depth (int | None): Batches that are read before they are asked for, as
                far as the pipeline's `prefetch_bytes` allows: by default 4 for URLs, whose every
                request takes a round trip. Local files, which the kernel reads ahead, are by
                default read in groups of batches, if these are small and come fast.
            storage_options (Mapping[str, Any] | None): For URLs: what fsspec's file system for the
                protocol takes, such as {'anon': True} or {'endpoint_url': ...} for s3://.
                Credentials are otherwise found where the service's own tools find them. The key
                'limits' bounds our requests: a dict with any of attempts (6), stall_seconds (20),
                total_seconds (120) and at_once (64). Default: {}.
            seed (int | None): Seed of the operator's randomness; by default derived from the
                pipeline's. Default: -1.
            preserve (bool | None): Keep the operator even if its output is not used. Default:
                False.
            device (str | None): cpu; by default where the inputs are.
            name (str | None): name in the graph, for statistics, checkpoints, errors.
            Accepted for compatibility, without effect: initial_fill, read_ahead,
                skip_cached_images, lazy_init, dont_use_mmap, use_o_direct, tensor_init_bytes,
                bytes_per_sample, bytes_per_sample_hint.
        """

    @staticmethod
    def tfrecord(
        *,
        path: str | Sequence[str],
        index_path: str | Sequence[str] | None = ...,
        features: Any,
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
    ) -> Any:
        """Reads features from TFRecord files, the records of TensorFlow.

        Returns a dict from names to outputs: one for each of `features`, and for each of
        `sequence_features`. See `penstock.tfrecord` for how to declare them. Features that hold
        several strings, and feature lists that form no tensor, have a second output named
        `<name>.lengths`.

        Files compressed with gzip or zlib are recognised, and unpacked once into the cache
        folder (`$XDG_CACHE_HOME/penstock`). Where `index_path` is not given, each file is walked
        through once, and its index kept beside it (or, where that cannot be written, in the
        cache folder) until the file changes.

        Outputs:
            `string` features: uint8, shape (size,).
            `int64` and `float32` features: int64 and float32, of the declared shape.

        Differences from DALI: defaults are used; what is missing and has none is an error, as is
        a number of values that does not fit the shape; checksums are verified.

        Raises:
            SourceError: a file cannot be read, is cut off, or is no TFRecord file; an index
                belongs to another file.
            DecodeError: a record is damaged or has not the form that was declared (see `on_error`
                of the pipeline).

        Args:
            path (str | Sequence[str]): Paths of the files; their records are numbered through.
            index_path (str | Sequence[str] | None): Paths of index files as DALI's `tfrecord2idx`
                writes them, one a file. Not needed.
            features (Any): Dict from names to `tfrecord.FixedLenFeature` or
                `tfrecord.VarLenFeature`.
            sequence_features (Any | None): The same for the feature lists of records that are
                SequenceExamples; `features` are then those of the context. Numbers of a
                `FixedLenFeature` give the shape (steps, *shape).
            verify_crc (str | None): When the records' checksums are verified: 'always' (whenever a
                record is read), 'index' (once, when the index is made), 'never'. By default
                'always', if google-crc32c is installed (`pip install penstock[tfrecord]`). Headers
                are always checked.
            random_shuffle (bool | None): Read every epoch in another order: a permutation of the
                whole data set, the same for all shards, drawn from `shuffle_seed` and the epoch's
                number. Default: False.
            shuffle_after_epoch (bool | None): The same as `random_shuffle`. Default: False.
            shuffle_after_epoch_seed (int | None): The same as `shuffle_seed`.
            shuffle_seed (int | None): Seed of the order. It is not derived from the pipeline's
                seed, which users often set differently for each rank: the ranks' shards would
                overlap then. Default: 0.
            shuffle_block (int | None): For storage that reads neighbours best (spinning disks,
                remote shards): shuffle blocks of so many consecutive samples instead of single
                samples, and mix the samples of `shuffle_window` blocks. Whole blocks are read, and
                those of up to two windows kept in memory. See docs/shuffling.md for what randomness
                that gives.
            shuffle_window (int | None): Number of blocks that are mixed, if `shuffle_block` is set.
                Default: 16.
            shard_id (int | None): Which of `num_shards` parts of the data this reader reads.
                Default: 0.
            num_shards (int | None): Number of parts that the data set is divided into. Default: 1.
            stick_to_shard (bool | None): Read the same part in every epoch, instead of the next one
                in turn. Default: False.
            pad_last_batch (bool | None): Fill up every part with copies of its last sample, to the
                same number of whole batches. Default: False.
            prefetch_queue_depth (int | None): Batches that are read before they are asked for, as
                far as the pipeline's `prefetch_bytes` allows: by default 4 for URLs, whose every
                request takes a round trip. Local files, which the kernel reads ahead, are by
                default read in groups of batches, if these are small and come fast.
            storage_options (Mapping[str, Any] | None): For URLs: what fsspec's file system for the
                protocol takes, such as {'anon': True} or {'endpoint_url': ...} for s3://.
                Credentials are otherwise found where the service's own tools find them. The key
                'limits' bounds our requests: a dict with any of attempts (6), stall_seconds (20),
                total_seconds (120) and at_once (64). Default: {}.
            seed (int | None): Seed of the operator's randomness; by default derived from the
                pipeline's. Default: -1.
            preserve (bool | None): Keep the operator even if its output is not used. Default:
                False.
            device (str | None): cpu; by default where the inputs are.
            name (str | None): name in the graph, for statistics, checkpoints, errors.
            Accepted for compatibility, without effect: initial_fill, read_ahead,
                skip_cached_images, lazy_init, dont_use_mmap, use_o_direct, tensor_init_bytes,
                bytes_per_sample, bytes_per_sample_hint.
        """

    @staticmethod
    def webdataset(
        *,
        paths: str | Sequence[str],
        ext: str | Sequence[str],
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
    ) -> Any:
        """Reads samples from tar archives of the WebDataset format.

        Files that follow one another and agree in folder and name up to the first dot are the
        components of a sample; the rest of the name is the extension. Where several components of
        a sample match an output, the first one counts. Files whose names begin with a dot are left
        out. v7, ustar, PAX and GNU archives are read, sparse files and compressed archives are not.

        Outputs:
            for each entry of `ext`, the component's bytes: of the type in `dtypes`, shape (size,).

        Raises:
            SourceError: an archive is damaged, or its index belongs to another one.
            OSError: an archive cannot be read (see `on_error` of the pipeline).

        Args:
            paths (str | Sequence[str]): Paths of the archives.
            ext (str | Sequence[str]): An entry for each output: extensions, separated by ';', such
                as 'jpg;jpeg;png'. They may hold dots.
            index_paths (str | Sequence[str] | None): Index files of DALI (v1.1 or v1.2), one for
                each archive. Without them the archives are scanned, and the result is kept beside
                the file, or in the user's cache folder, for the next time.
            missing_component_behavior (str | None): What to do with a sample that has no component
                for an output: 'empty' gives an empty array, 'skip' leaves the sample out, 'error'
                raises. Default: 'empty'.
            dtypes (DALIDataType | DTypeLike | Sequence[DALIDataType | DTypeLike] | None): Types
                that the outputs' bytes are taken for, one each; by default UINT8.
            case_sensitive_extensions (bool | None): Whether `ext` distinguishes case (of ASCII).
                Default: True.
            extension_dot (str | None): Which dot of a file's name the extension begins behind: the
                'first' or the 'last'. Index files of DALI always mean the first. Default: 'first'.
            random_shuffle (bool | None): Read every epoch in another order: a permutation of the
                whole data set, the same for all shards, drawn from `shuffle_seed` and the epoch's
                number. Default: False.
            shuffle_after_epoch (bool | None): The same as `random_shuffle`. Default: False.
            shuffle_after_epoch_seed (int | None): The same as `shuffle_seed`.
            shuffle_seed (int | None): Seed of the order. It is not derived from the pipeline's
                seed, which users often set differently for each rank: the ranks' shards would
                overlap then. Default: 0.
            shuffle_block (int | None): For storage that reads neighbours best (spinning disks,
                remote shards): shuffle blocks of so many consecutive samples instead of single
                samples, and mix the samples of `shuffle_window` blocks. Whole blocks are read, and
                those of up to two windows kept in memory. See docs/shuffling.md for what randomness
                that gives.
            shuffle_window (int | None): Number of blocks that are mixed, if `shuffle_block` is set.
                Default: 16.
            shard_id (int | None): Which of `num_shards` parts of the data this reader reads.
                Default: 0.
            num_shards (int | None): Number of parts that the data set is divided into. Default: 1.
            stick_to_shard (bool | None): Read the same part in every epoch, instead of the next one
                in turn. Default: False.
            pad_last_batch (bool | None): Fill up every part with copies of its last sample, to the
                same number of whole batches. Default: False.
            prefetch_queue_depth (int | None): Batches that are read before they are asked for, as
                far as the pipeline's `prefetch_bytes` allows: by default 4 for URLs, whose every
                request takes a round trip. Local files, which the kernel reads ahead, are by
                default read in groups of batches, if these are small and come fast.
            storage_options (Mapping[str, Any] | None): For URLs: what fsspec's file system for the
                protocol takes, such as {'anon': True} or {'endpoint_url': ...} for s3://.
                Credentials are otherwise found where the service's own tools find them. The key
                'limits' bounds our requests: a dict with any of attempts (6), stall_seconds (20),
                total_seconds (120) and at_once (64). Default: {}.
            seed (int | None): Seed of the operator's randomness; by default derived from the
                pipeline's. Default: -1.
            preserve (bool | None): Keep the operator even if its output is not used. Default:
                False.
            device (str | None): cpu; by default where the inputs are.
            name (str | None): name in the graph, for statistics, checkpoints, errors.
            Accepted for compatibility, without effect: initial_fill, read_ahead,
                skip_cached_images, lazy_init, dont_use_mmap, use_o_direct, tensor_init_bytes,
                bytes_per_sample, bytes_per_sample_hint.
        """
