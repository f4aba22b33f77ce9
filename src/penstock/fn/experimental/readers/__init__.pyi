"""Signatures of the operators; made by docs/generate.py from their declarations."""

import collections.abc as _abc
from os import PathLike
from typing import Any, Literal, overload

from numpy.typing import ArrayLike, DTypeLike

from penstock import fn as _fn
from penstock.engine.graph.nodes import DataNode
from penstock.engine.tensors.dtypes import DALIDataType, DALIImageType, DALIInterpType

def fits(
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
) -> Any:
    """Reads images of FITS files: arrays of numbers, as telescopes and satellites record them.

    Each output is the image of one HDU (header and data unit) of the file. The last axis of an
    output is the file's NAXIS1. BSCALE and BZERO are applied. The numbers have the type that
    CFITSIO gives them, the smallest one that holds all possible values. For example, 16 bits
    with BZERO 32768 are uint16. An image of integers with BLANK is float32, or float64 from 32 bits
    on, and NaN where the number is not known, as in Astropy.

    Images that are compressed tile by tile need Astropy (`pip install '.[fits]'`). A process of the
    reader's own decodes them, because some damaged images end it. All other images need no library.
    With `device="gpu"` images are read by the CPU and copied.

    >>> import numpy as np
    >>> from penstock import fn, pipeline_def
    >>> cards = ["SIMPLE  = T", "BITPIX  = 16", "NAXIS   = 2", "NAXIS1  = 3", "NAXIS2  = 2", "END"]
    >>> header = "".join(card.ljust(80) for card in cards).ljust(2880).encode()
    >>> with open("sky.fits", "wb") as file:
    ...     _ = file.write(header + np.arange(6, dtype=">i2").tobytes().ljust(2880, bytes(1)))
    >>> @pipeline_def(batch_size=1, num_threads=1)
    ... def images():
    ...     return fn.experimental.readers.fits(files="sky.fits", hdu_indices=1)
    >>> with images() as pipe:
    ...     (found,) = pipe.run()
    >>> found.as_array()[0].tolist()
    [[0, 1, 2], [3, 4, 5]]

    Outputs:
        an image for each of `hdu_indices`: of the type above and of the image's shape.

    Differences from DALI: the reader resumes from checkpoints, and reads URLs. Integers of 64 bits
    with BZERO 2^63 are uint64, and float64 with another BSCALE or BZERO; DALI refuses or truncates
    them.

    Raises:
        SourceError: a folder or list cannot be read or holds no file; a file is cut off while it is
            read.
        DecodeError: a file is no FITS file, is cut off, or an HDU is missing or holds no image; or
            an image differs in type or dimensions from the others of its batch.
        MissingDependencyError: an image is compressed, and Astropy is not installed.
        OSError: a file cannot be read (see `on_error` of the pipeline).

    Args:
        files (str | Sequence[str] | None): Paths of the files, relative to `file_root` if that
            is given.
        file_list (str | None): Text file with a path on each line, relative to `file_root` or,
            without it, to the list.
        file_root (str | None): Folder whose files, and those of the folders right inside it,
            are read.
        file_filter (str | None): Pattern of their names, with `file_root` alone. Default:
            '*.fits'.
        hdu_indices (int | Sequence[int] | None): HDUs that are read, one for each output. The
            first HDU is 1; often it holds no image. Default: (2,).
        dtypes (DALIDataType | DTypeLike | Sequence[DALIDataType | DTypeLike] | None): Types,
            one for each output. As in DALI, the outputs have the types of the files all the
            same.
        random_shuffle (bool | None): Read every epoch in another order: a permutation of the
            whole data set, the same for all shards, drawn from `shuffle_seed` and the epoch's
            number. Default: False.
        shuffle_after_epoch (bool | None): The same as `random_shuffle`, and a rank reads the
            part of the same number in every epoch. The parts have other samples every time.
            Default: False.
        shuffle_after_epoch_seed (int | None): The same as `shuffle_seed`.
        shuffle_seed (int | None): Seed of the order; without it, the reader's own `seed`
            counts. It is not derived from the pipeline's seed, which users often set
            differently for each rank: the ranks' shards would overlap then. All ranks must give
            the same seed. Default: 0.
        shuffle_block (int | None): For storage that reads neighbours best (spinning disks,
            remote shards): shuffle blocks of so many consecutive samples instead of single
            samples, and mix the samples of `shuffle_window` blocks. Whole blocks are read, and
            those of up to two windows kept in memory. See docs/shuffling.md for what randomness
            that gives.
        shuffle_window (int | None): Number of blocks that are mixed, if `shuffle_block` is set.
            Default: 16.
        shard_id (int | None): Which of `num_shards` parts of the data this reader reads. If
            neither is given, these are the rank of this process and the number of ranks, as
            torch.distributed, torchrun, JAX, MPI or SLURM say. In a program of one process they
            are 0 and 1. See docs/distributed.md.
        num_shards (int | None): Number of parts that the data set is divided into. With 1, each
            process reads all of it.
        stick_to_shard (bool | None): Read the same part in every epoch, instead of the next one
            in turn. With `random_shuffle`, each part is shuffled by itself, so a rank needs no
            samples of others. Default: False.
        indices (Any | None): The samples that are read, by their numbers in the data set: a
            subset, or an order of one's own. An array of whole numbers, the path of an `.npy`
            file, or a function that returns such an array for the number of an epoch. Equal on
            all ranks.
        batch_cost (Mapping[str, Any] | None): Batches of about equal cost, whose sizes differ:
            a dict with `by`, what the length of a sample is, and `budget`, the cost of a batch;
            see docs/batches.md. The pipeline's batch_size is the most that a batch may have.
        pad_last_batch (bool | None): Fill up every part with copies of its last sample, to the
            same number of whole batches. Default: False.
        prefetch_queue_depth (int | None): Batches that are read before they are asked for, as
            far as the pipeline's `prefetch_bytes` allows: by default 4 for URLs, whose every
            request takes a round trip. Local files, which the kernel reads ahead, are by
            default read in groups of batches, if these are small and come fast.
        storage_options (Mapping[str, Any] | None): For URLs, such as {'anon': True} or
            {'endpoint_url': ...} for s3://: fsspec's names, or those of obstore. http:// takes
            'headers'. Credentials are otherwise found where the service's own tools find them.
            The key 'limits' bounds our requests: a dict with any of attempts (6), stall_seconds
            (20), total_seconds (120) and at_once (64). Default: {}.
        split (str | None): Read the files of this part alone: see `split_by`. Classes keep
            their numbers. "validation", "valid", "val" and "dev" are one word; so are "train"
            and "training", and "test", "testing" and "eval".
        split_by (float | Mapping[str, float] | None): How the files are parted: the share of
            "train", such as 0.9, with the rest in "val"; or a dict with the share of each part.
            A hash of the path below `file_root` decides, so all hosts and runs agree, and new
            files move no others.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: initial_fill, read_ahead,
            skip_cached_images, lazy_init, dont_use_mmap, use_o_direct, tensor_init_bytes,
            bytes_per_sample, bytes_per_sample_hint.
    """

def video(
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
    sequence_length: int,
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
) -> Any:
    """Reads clips of video files, decoded.

    Frames are counted in the order of their presentation, whatever their rate. All codecs and
    containers are read that FFmpeg reads.

    A clip takes `sequence_length` times `stride` frames of its range. If the range has fewer frames
    left, `pad_mode` says whether one more clip is padded, or left out.

    With `audio` a clip has the sound from the beginning of its first frame to the end of its last
    one, by the file's time stamps. The sound is zero where the audio stream has no samples. Clips
    that follow one another have each sample once.

    With device="gpu" the GPU's video decoder decodes the videos that it can, and threads of the
    CPU decode the others: see `decoders.video`.

    >>> import cv2
    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> writer = cv2.VideoWriter("clip.avi", cv2.VideoWriter.fourcc(*"MJPG"), 25, (64, 48))
    >>> for brightness in range(0, 250, 25):
    ...     _ = writer.write(np.full((48, 64, 3), brightness, np.uint8))
    >>> writer.release()
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     output = fn.experimental.readers.video(filenames=["clip.avi"], sequence_length=4)
    ...     pipe.set_outputs(output)
    ...     (result,) = pipe.run()
    ...     print(result.shape())
    [(4, 48, 64, 3)]

    Outputs:
        clips: uint8, FHWC.
        labels: int32, shape (1,); with `labels`, `file_root` or `file_list`.
        frame numbers: int32, see `enable_frame_num`; -1 for a filled frame.
        times: float64, shape (F,), in seconds; -1 for a filled frame.
        sound: float32 from -1 to 1, shape (samples, channels), or (samples,) with `audio_downmix`.
        rate of the sound: float32, a scalar, in Hz.

    Raises:
        SourceError: the list cannot be read.
        OSError: a file cannot be read.
        DecodeError: a file is no video, or a frame is damaged. If the pipeline's `on_error` is
            "skip" or "replace", files that are no videos are left out with a warning. With
            `audio`: a video has no audio stream, or its stream is damaged.

    Args:
        labels (int | Sequence[int] | None): Labels of `filenames`.
        file_list_format (Literal['timestamps', 'frames'] | None): Whether start and end of a
            range are 'timestamps', in seconds, or 'frames'. Default: 'timestamps'.
        file_list_rounding (Literal['start_down_end_up', 'start_up_end_down', 'all_up',
            'all_down'] | None): How start and end between two frames are rounded:
            'start_down_end_up', 'start_up_end_down', 'all_up' or 'all_down'. Default:
            'start_down_end_up'.
        file_list_include_end (bool | None): Whether the frame at the end of a range belongs to
            the range. DALI's documentation says that the default is True; DALI 2.4 leaves the
            frame out all the same. Default: False.
        pad_mode (Literal['none', 'constant', 'edge', 'repeat', 'reflect_1001', 'symmetric',
            'reflect_101', 'reflect'] | None): What replaces frames behind the end of the range:
            'none' leaves the incomplete clip out; see `decoders.video` for the others. Default:
            'none'.
        fill_value (int | Sequence[int] | None): One value from 0 to 255, or one a channel.
            Default: (0,).
        uniform_sample (bool | None): Take one clip of each video: frames at equal distances,
            from its first to its last one. `stride`, `step` and `pad_mode` have no effect then,
            as in DALI, and give a warning. Default: False.
        random_shuffle (bool | None): Read every epoch in another order: a permutation of the
            whole data set, the same for all shards, drawn from `shuffle_seed` and the epoch's
            number. Default: False.
        shuffle_after_epoch (bool | None): The same as `random_shuffle`, and a rank reads the
            part of the same number in every epoch. The parts have other samples every time.
            Default: False.
        shuffle_after_epoch_seed (int | None): The same as `shuffle_seed`.
        shuffle_seed (int | None): Seed of the order; without it, the reader's own `seed`
            counts. It is not derived from the pipeline's seed, which users often set
            differently for each rank: the ranks' shards would overlap then. All ranks must give
            the same seed. Default: 0.
        shuffle_block (int | None): For storage that reads neighbours best (spinning disks,
            remote shards): shuffle blocks of so many consecutive samples instead of single
            samples, and mix the samples of `shuffle_window` blocks. Whole blocks are read, and
            those of up to two windows kept in memory. See docs/shuffling.md for what randomness
            that gives.
        shuffle_window (int | None): Number of blocks that are mixed, if `shuffle_block` is set.
            Default: 16.
        shard_id (int | None): Which of `num_shards` parts of the data this reader reads. If
            neither is given, these are the rank of this process and the number of ranks, as
            torch.distributed, torchrun, JAX, MPI or SLURM say. In a program of one process they
            are 0 and 1. See docs/distributed.md.
        num_shards (int | None): Number of parts that the data set is divided into. With 1, each
            process reads all of it.
        stick_to_shard (bool | None): Read the same part in every epoch, instead of the next one
            in turn. With `random_shuffle`, each part is shuffled by itself, so a rank needs no
            samples of others. Default: False.
        indices (Any | None): The samples that are read, by their numbers in the data set: a
            subset, or an order of one's own. An array of whole numbers, the path of an `.npy`
            file, or a function that returns such an array for the number of an epoch. Equal on
            all ranks.
        batch_cost (Mapping[str, Any] | None): Batches of about equal cost, whose sizes differ:
            a dict with `by`, what the length of a sample is, and `budget`, the cost of a batch;
            see docs/batches.md. The pipeline's batch_size is the most that a batch may have.
        pad_last_batch (bool | None): Fill up every part with copies of its last sample, to the
            same number of whole batches. Default: False.
        prefetch_queue_depth (int | None): Batches that are read before they are asked for, as
            far as the pipeline's `prefetch_bytes` allows: by default 4 for URLs, whose every
            request takes a round trip. Local files, which the kernel reads ahead, are by
            default read in groups of batches, if these are small and come fast.
        storage_options (Mapping[str, Any] | None): For URLs, such as {'anon': True} or
            {'endpoint_url': ...} for s3://: fsspec's names, or those of obstore. http:// takes
            'headers'. Credentials are otherwise found where the service's own tools find them.
            The key 'limits' bounds our requests: a dict with any of attempts (6), stall_seconds
            (20), total_seconds (120) and at_once (64). Default: {}.
        audio (bool | None): Adds the clip's sound and the sound's rate as outputs. DALI has no
            such argument. Default: False.
        audio_rate (float | None): Rate to resample the sound to, in Hz; 0 or less for the
            file's own. Default: 0.0.
        audio_downmix (bool | None): Return the mean of all channels of the sound. Default:
            False.
        filenames (str | Sequence[str] | None): Paths or URLs of the videos.
        file_root (str | None): Folder or URL whose subfolders are the classes, numbered in the
            order of their names.
        file_list (str | None): Text file with a path and a label on each line and, if wanted,
            start and end of the range that clips are taken from. Relative paths start at the
            folder of the list. The list and its lines may be URLs.
        sequence_length (int): Frames of a clip.
        stride (int | None): Distance from a frame of the clip to the next one. Default: 1.
        step (int | None): Distance from a clip's first frame to the first frame of the next
            clip; by default, and if negative, `sequence_length` times `stride`, so that clips
            do not overlap. Default: -1.
        enable_frame_num (Literal['none', False, 'scalar', True, 'sequence'] | None): 'scalar'
            or True adds the number of the clip's first frame as an output, 'sequence' the
            numbers of all frames. Default: 'none'.
        enable_timestamps (bool | None): Adds the presentation times of all frames, in seconds,
            as an output. Default: False.
        image_type (DALIImageType | None): Color space: RGB or YCbCr (ITU-R BT.601). Default:
            RGB.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: initial_fill, read_ahead,
            skip_cached_images, lazy_init, dont_use_mmap, use_o_direct, tensor_init_bytes,
            bytes_per_sample, bytes_per_sample_hint.
    """
