"""Signatures of dynamic mode; made by docs/generate.py from operators' declarations."""

# mypy: disable-error-code="overload-overlap"
import builtins as _builtins
import collections.abc as _abc
from os import PathLike
from typing import Any, Literal, overload

from numpy.typing import ArrayLike

from penstock.engine.tensors.dtypes import DALIDataType, DALIImageType, DALIInterpType
from penstock.experimental import dynamic as _dynamic
from penstock.experimental.dynamic.batch import Batch
from penstock.experimental.dynamic.generators import RNG
from penstock.experimental.dynamic.kinds import DeviceLike, DTypeLike, TensorLike
from penstock.experimental.dynamic.reading import Reader
from penstock.experimental.dynamic.tensor import Tensor


class Balance(Reader):
    """Reads the samples of one reader so that each label has its share of every batch.

    The parts of the data are the samples of one value of `by`, such as a label. By default all have
    equal shares. With `weights="sqrt"` the shares are as the square roots of the parts' sizes.
    Orders, checkpoints and promises are those of `fn.readers.mix`, whose sources the parts are.

    >>> from pathlib import Path
    >>> from penstock import Pipeline, fn
    >>> names = ["cat1", "cat2", "cat3", "cat4", "dog1"]
    >>> for name in names:
    ...     _ = Path(name).write_text(name)
    >>> with Pipeline(batch_size=4, num_threads=1) as pipe:
    ...     data, label, part = fn.readers.balance(
    ...         fn.readers.file(files=names, labels=[7, 7, 7, 7, 9])
    ...     )
    ...     pipe.set_outputs(data)
    ...     (data,) = pipe.run()
    >>> [bytes(row).decode() for row in data.rows()]
    ['cat1', 'dog1', 'cat2', 'dog1']

    Outputs:
        those of the reader.
        the number of the part, in the order of the values of `by`: int32, shape ().

    Raises:
        ArgumentError: `by` names nothing that is known of the samples, or is of another length;
            a weight is negative, not finite, or of no part; or the reader mixes or balances.

    Args:
        member (Any): The outputs of the reader.
        by (Any | None): What divides the samples: a column that is known without reading
            samples, such as "label" of files or one of their `table`; the number of an output
            that is a number in each sample, which is read once, when the pipeline starts; or an
            array with a value for each sample. Default: 'label'.
        weights (Any | None): Shares by value; None for equal shares, 'sqrt' for those of square
            roots.
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
        epoch_size (Any | None): With `weights` or `per_batch`: samples of an epoch. 'longest'
            has each source whole at least once, 'shortest' has no sample twice; or a number.
            Default: 'longest'.
        restart (str | Sequence[str] | None): Sources that begin anew, if a checkpoint has
            others of their names or sizes. Default: ().
        max_bad (Mapping[str, Any] | None): With the pipeline's `on_error`, "skip" or "replace":
            the share of a source's samples that may be bad, by the source's name: `{'web':
            0.01}`. One bad sample is always borne, and more end the run. Default: {}.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        Accepted for compatibility, without effect: initial_fill, read_ahead,
            skip_cached_images, lazy_init, dont_use_mmap, use_o_direct, tensor_init_bytes,
            bytes_per_sample.
    """

    def __init__(
        self,
        max_batch_size: int | None = ...,
        name: str | None = ...,
        device: object = ...,
        num_inputs: int | None = ...,
        *,
        enable_checkpointing: _builtins.bool = ...,
        member: Any = ...,
        by: Any | None = ...,
        weights: Any | None = ...,
        random_shuffle: _builtins.bool | None = ...,
        shuffle_after_epoch: _builtins.bool | None = ...,
        shuffle_after_epoch_seed: int | None = ...,
        shuffle_seed: int | None = ...,
        shuffle_block: int | None = ...,
        shuffle_window: int | None = ...,
        shard_id: int | None = ...,
        num_shards: int | None = ...,
        stick_to_shard: _builtins.bool | None = ...,
        indices: Any | None = ...,
        batch_cost: _abc.Mapping[str, Any] | None = ...,
        pad_last_batch: _builtins.bool | None = ...,
        prefetch_queue_depth: int | None = ...,
        storage_options: _abc.Mapping[str, Any] | None = ...,
        epoch_size: Any | None = ...,
        restart: str | _abc.Sequence[str] | None = ...,
        max_bad: _abc.Mapping[str, Any] | None = ...,
        seed: int | None = ...,
        initial_fill: int | None = ...,
        read_ahead: _builtins.bool | None = ...,
        skip_cached_images: _builtins.bool | None = ...,
        lazy_init: _builtins.bool | None = ...,
        dont_use_mmap: _builtins.bool | None = ...,
        use_o_direct: _builtins.bool | None = ...,
        tensor_init_bytes: int | None = ...,
        bytes_per_sample: float | None = ...,
    ) -> None: ...

class Caffe(Reader):
    """Reads images and labels from Caffe's LMDB data sets, in the order of their keys.

    Pixels that are not encoded keep the order in which they are stored. DALI gives them the
    shape (height, width, channels), and so do we; Caffe's own tools store one channel after
    the other, so that `reshape` to (channels, height, width) gives the picture.

    On four cores and more, processes of the reader's own read local files after a fifth of a second
    of reading, unless the pipeline has `exec_processes=False`.

    >>> from pathlib import Path
    >>> from penstock import Pipeline, datasets, fn
    >>> for name in ("cat", "dog"):
    ...     Path("photos", name).mkdir(parents=True)
    ...     _ = Path("photos", name, "0.jpg").write_text(name)
    >>> _ = datasets.convert("photos", "shards", to="caffe")
    >>> with Pipeline(batch_size=2, num_threads=1) as pipe:
    ...     encoded, labels = fn.readers.caffe(path="shards/shard-00000")
    ...     pipe.set_outputs(labels)
    ...     (labels,) = pipe.run()
    ...     print(labels.as_array().tolist())
    [[0], [1]]

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
        path (str | Sequence[str]): The databases, read one after the other: folders that hold
            data.mdb, or files. A folder of such folders (shards) and globs stand for all of
            them.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        Accepted for compatibility, without effect: initial_fill, read_ahead,
            skip_cached_images, lazy_init, dont_use_mmap, use_o_direct, tensor_init_bytes,
            bytes_per_sample.
    """

    def __init__(
        self,
        max_batch_size: int | None = ...,
        name: str | None = ...,
        device: object = ...,
        num_inputs: int | None = ...,
        *,
        enable_checkpointing: _builtins.bool = ...,
        image_available: _builtins.bool | None = ...,
        label_available: _builtins.bool | None = ...,
        random_shuffle: _builtins.bool | None = ...,
        shuffle_after_epoch: _builtins.bool | None = ...,
        shuffle_after_epoch_seed: int | None = ...,
        shuffle_seed: int | None = ...,
        shuffle_block: int | None = ...,
        shuffle_window: int | None = ...,
        shard_id: int | None = ...,
        num_shards: int | None = ...,
        stick_to_shard: _builtins.bool | None = ...,
        indices: Any | None = ...,
        batch_cost: _abc.Mapping[str, Any] | None = ...,
        pad_last_batch: _builtins.bool | None = ...,
        prefetch_queue_depth: int | None = ...,
        storage_options: _abc.Mapping[str, Any] | None = ...,
        path: str | _abc.Sequence[str] = ...,
        seed: int | None = ...,
        initial_fill: int | None = ...,
        read_ahead: _builtins.bool | None = ...,
        skip_cached_images: _builtins.bool | None = ...,
        lazy_init: _builtins.bool | None = ...,
        dont_use_mmap: _builtins.bool | None = ...,
        use_o_direct: _builtins.bool | None = ...,
        tensor_init_bytes: int | None = ...,
        bytes_per_sample: float | None = ...,
    ) -> None: ...

class Caffe2(Reader):
    """Reads images, labels and more from Caffe2's LMDB data sets, in the order of their keys.

    A record is a list of tensors: the image, the labels, with weighted labels their weights,
    the additional ones, and the bounding box, as far as the arguments say that they are there.
    Tensors that follow are left out.

    On four cores and more, processes of the reader's own read local files after a fifth of a second
    of reading, unless the pipeline has `exec_processes=False`.

    >>> from pathlib import Path
    >>> from penstock import Pipeline, datasets, fn
    >>> for name in ("cat", "dog"):
    ...     Path("photos", name).mkdir(parents=True)
    ...     _ = Path("photos", name, "0.jpg").write_text(name)
    >>> _ = datasets.convert("photos", "shards", to="caffe2")
    >>> with Pipeline(batch_size=2, num_threads=1) as pipe:
    ...     encoded, labels = fn.readers.caffe2(path="shards/shard-00000")
    ...     pipe.set_outputs(labels)
    ...     (labels,) = pipe.run()
    ...     print(labels.as_array().tolist())
    [[0], [1]]

    Outputs:
        the image: an encoded file, uint8, shape (size,), or pixels, uint8, shape (height,
            width, channels).
        its labels, float32 or int32 as stored: for `label_type` 0 shape (1,); for 1 ones at
            the indices of the labels, shape (num_labels,); for 2 the stored numbers, shape
            (count,); for 3 the weights at the indices of the labels, float32, (num_labels,).
        each additional tensor: float32, int32 or int64, shape (count,).
        with `bbox`, the box: int32, shape (4,), as stored.

    Raises:
        SourceError: a file is no LMDB file, is damaged, is written to while it is read, or
            holds no records.
        OSError: a file cannot be read.
        DecodeError: a value does not hold these tensors (see `on_error`).

    Args:
        image_available (bool | None): Whether records start with an image. Default: True.
        label_type (int | None): What labels there are: 0 one class; 1 several classes; 2 a
            vector of numbers; 3 several classes with weights; 4 none. Default: 0.
        num_labels (int | None): Number of classes, for `label_type` 1 and 3. Default: 1.
        additional_inputs (int | None): Number of tensors of numbers that follow the labels.
            Default: 0.
        bbox (bool | None): Whether a bounding box follows. Default: False.
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
        path (str | Sequence[str]): The databases, read one after the other: folders that hold
            data.mdb, or files. A folder of such folders (shards) and globs stand for all of
            them.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        Accepted for compatibility, without effect: initial_fill, read_ahead,
            skip_cached_images, lazy_init, dont_use_mmap, use_o_direct, tensor_init_bytes,
            bytes_per_sample.
    """

    def __init__(
        self,
        max_batch_size: int | None = ...,
        name: str | None = ...,
        device: object = ...,
        num_inputs: int | None = ...,
        *,
        enable_checkpointing: _builtins.bool = ...,
        image_available: _builtins.bool | None = ...,
        label_type: int | None = ...,
        num_labels: int | None = ...,
        additional_inputs: int | None = ...,
        bbox: _builtins.bool | None = ...,
        random_shuffle: _builtins.bool | None = ...,
        shuffle_after_epoch: _builtins.bool | None = ...,
        shuffle_after_epoch_seed: int | None = ...,
        shuffle_seed: int | None = ...,
        shuffle_block: int | None = ...,
        shuffle_window: int | None = ...,
        shard_id: int | None = ...,
        num_shards: int | None = ...,
        stick_to_shard: _builtins.bool | None = ...,
        indices: Any | None = ...,
        batch_cost: _abc.Mapping[str, Any] | None = ...,
        pad_last_batch: _builtins.bool | None = ...,
        prefetch_queue_depth: int | None = ...,
        storage_options: _abc.Mapping[str, Any] | None = ...,
        path: str | _abc.Sequence[str] = ...,
        seed: int | None = ...,
        initial_fill: int | None = ...,
        read_ahead: _builtins.bool | None = ...,
        skip_cached_images: _builtins.bool | None = ...,
        lazy_init: _builtins.bool | None = ...,
        dont_use_mmap: _builtins.bool | None = ...,
        use_o_direct: _builtins.bool | None = ...,
        tensor_init_bytes: int | None = ...,
        bytes_per_sample: float | None = ...,
    ) -> None: ...

class COCO(Reader):
    """Reads the images of a COCO data set, with boxes, labels, and masks or keypoints.

    The annotations are parsed once, into arrays: a file of 450 MB takes seconds and less than
    1 GB of memory. Images come in the order of their ids; ids that are texts come last, in the
    order of the file. Files may stand behind URLs. LVIS's files are read, too.

    `path` names a data set of YOLO, Pascal VOC or Open Images. Its classes are the categories, and
    its images come in the order of their names. The header of each image is read when the pipeline
    is built, because boxes are shares of the image. YOLO's rows that leave the image are clipped,
    and a warning counts their files.

    >>> import json
    >>> from pathlib import Path
    >>> from penstock import Pipeline, fn
    >>> _ = Path("a.jpg").write_bytes(b"the image")
    >>> box = {"id": 1, "image_id": 1, "category_id": 7, "bbox": [10, 20, 30, 40], "area": 1200}
    >>> image = {"id": 1, "file_name": "a.jpg", "width": 100, "height": 100}
    >>> content = {"images": [image], "annotations": [box | {"iscrowd": 0}]}
    >>> content["categories"] = [{"id": 7, "name": "cat"}]
    >>> _ = Path("boxes.json").write_text(json.dumps(content))
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(*fn.readers.coco(file_root=".", annotations_file="boxes.json"))
    ...     for output in pipe.run():
    ...         print(output.at(0).tolist())
    [116, 104, 101, 32, 105, 109, 97, 103, 101]
    [[10.0, 20.0, 30.0, 40.0]]
    [1]

    Outputs:
        images: the encoded files, uint8, shape (size,).
        boxes: float32, shape (boxes, 4).
        labels: int32, shape (boxes,): 1 for the first category in the file, 2 for the second.
        polygons: int32, shape (polygons, 3), with `polygon_masks`: the number of the box that the
            polygon belongs to, its first vertex, and its end, as numbers of `vertices`. Masks
            that are stored as run lengths have no polygons.
        vertices: float32, shape (vertices, 2), with `polygon_masks`: x and y.
        masks: int32, shape (height, width, 1), with `pixelwise_masks`: each pixel's label, and 0
            for the background. Of two labels the higher one counts.
        image ids: int32, shape (1,), with `image_ids`.
        keypoints: float32, shape (boxes, keypoints, 3), with `keypoints`: x, y and visibility.
        panoptic: int32, shape (height, width, 1), with `panoptic_root`: each pixel's segment id,
            and 0 for pixels without one.
        segment ids: int32, shape (boxes,), with `panoptic_root`.

    These annotations are dropped, and `Pipeline.stats` counts them: those without an image, with
    neither box nor segmentation, with a box that is not finite, below `size_threshold`, and crowds
    with `include_iscrowd=False`. Warnings tell of those that no argument leaves out, and if no
    image has a box; if no annotation has an image, that is an error. Without a box, the box of the
    segmentation's mask counts. Names in `images` that the annotations lack are dropped and counted,
    too.
    Boxes that leave the image stay as they are. Annotation ids may come twice. A polygon of fewer
    than three vertices has no pixels.

    Masks of pixels are those of pycocotools, from vertices that are rounded to float32 as DALI's.

    Differences from DALI: the data set is shuffled as a whole; `ratio` does not change
    `pixelwise_masks`; a category that is not in the file is an error rather than label 0, and so
    are two images of one id, and a polygon with an odd number of coordinates. DALI has neither
    `keypoints` nor `panoptic_root`. If an image has several run lengths, or an empty segmentation,
    DALI's masks of pixels are wrong.

    Raises:
        OSError: the annotations or an image cannot be read.
        DecodeError: the annotation file is cut off, or not as its format demands. The message
            names the annotation or the image, and its offset in the file.

    Args:
        file_root (str | None): Folder of the images.
        path (str | None): A data set of YOLO, Pascal VOC or Open Images, in place of
            `file_root` and `annotations_file`: its folder or URL, or what names a split of it,
            such as 'set/images/train', 'data.yaml', 'ImageSets/Main/train.txt' or 'train-
            annotations-bbox.csv'.
        split (str | None): With `path`: the name of a split; by default there must be one
            alone.
        annotations_file (str | None): JSON file with images, annotations and categories.
        preprocessed_annotations (str | None): Folder with annotations that
            `save_preprocessed_annotations` has written, here or in DALI. They stand for
            `annotations_file`, and are as that call has selected and changed them.
            `include_iscrowd` and `avoid_class_remapping` have no effect here, as in DALI. Older
            name: meta_files_path.
        save_preprocessed_annotations (bool | None): Write the selected annotations into a
            folder of files, in DALI's format. Older name: dump_meta_files. Default: False.
        save_preprocessed_annotations_dir (str | None): The folder to write into. Older name:
            dump_meta_files_path.
        images (str | Sequence[str] | None): Names of the images to read, as the annotation file
            has them, in reading order. A name may come several times. By default all images are
            read, in the order of their ids.
        skip_empty (bool | None): Leave out images without a box. Default: False.
        size_threshold (float | None): Boxes whose width or height is smaller are dropped; in
            pixels. Default: 0.1.
        include_iscrowd (bool | None): Whether annotations with iscrowd=1 are returned. Default:
            True.
        avoid_class_remapping (bool | None): Return the category ids of the file as labels,
            instead of 1, 2, 3, ... Default: False.
        ltrb (bool | None): Return boxes as left, top, right and bottom, instead of left, top,
            width and height. Default: False.
        ratio (bool | None): Divide coordinates of boxes, vertices and keypoints by the image's
            size. Default: False.
        polygon_masks (bool | None): Return polygons and vertices. Default: False.
        masks (bool | None): As `polygon_masks`, but start and end of a polygon are numbers of
            coordinates, of which a vertex has two. Deprecated: use `polygon_masks`, whose
            polygons start and end at numbers of vertices. Default: False.
        pixelwise_masks (bool | None): Return masks of pixels; not with `polygon_masks`.
            Default: False.
        image_ids (bool | None): Return the images' ids. Older name: save_img_ids. Default:
            False.
        keypoints (bool | None): Return the keypoints of each box; zeros where there are none.
            Default: False.
        panoptic_root (str | None): Folder of the PNG files of a panoptic `annotations_file`.
            Boxes and labels are those of the segments, and two more outputs are returned:
            `panoptic` and `segment ids`.
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
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        Accepted for compatibility, without effect: initial_fill, read_ahead,
            skip_cached_images, lazy_init, dont_use_mmap, use_o_direct, tensor_init_bytes,
            bytes_per_sample.
    """

    def __init__(
        self,
        max_batch_size: int | None = ...,
        name: str | None = ...,
        device: object = ...,
        num_inputs: int | None = ...,
        *,
        enable_checkpointing: _builtins.bool = ...,
        file_root: str | None = ...,
        path: str | None = ...,
        split: str | None = ...,
        annotations_file: str | None = ...,
        preprocessed_annotations: str | None = ...,
        save_preprocessed_annotations: _builtins.bool | None = ...,
        save_preprocessed_annotations_dir: str | None = ...,
        images: str | _abc.Sequence[str] | None = ...,
        skip_empty: _builtins.bool | None = ...,
        size_threshold: float | None = ...,
        include_iscrowd: _builtins.bool | None = ...,
        avoid_class_remapping: _builtins.bool | None = ...,
        ltrb: _builtins.bool | None = ...,
        ratio: _builtins.bool | None = ...,
        polygon_masks: _builtins.bool | None = ...,
        masks: _builtins.bool | None = ...,
        pixelwise_masks: _builtins.bool | None = ...,
        image_ids: _builtins.bool | None = ...,
        keypoints: _builtins.bool | None = ...,
        panoptic_root: str | None = ...,
        random_shuffle: _builtins.bool | None = ...,
        shuffle_after_epoch: _builtins.bool | None = ...,
        shuffle_after_epoch_seed: int | None = ...,
        shuffle_seed: int | None = ...,
        shuffle_block: int | None = ...,
        shuffle_window: int | None = ...,
        shard_id: int | None = ...,
        num_shards: int | None = ...,
        stick_to_shard: _builtins.bool | None = ...,
        indices: Any | None = ...,
        batch_cost: _abc.Mapping[str, Any] | None = ...,
        pad_last_batch: _builtins.bool | None = ...,
        prefetch_queue_depth: int | None = ...,
        storage_options: _abc.Mapping[str, Any] | None = ...,
        seed: int | None = ...,
        initial_fill: int | None = ...,
        read_ahead: _builtins.bool | None = ...,
        skip_cached_images: _builtins.bool | None = ...,
        lazy_init: _builtins.bool | None = ...,
        dont_use_mmap: _builtins.bool | None = ...,
        use_o_direct: _builtins.bool | None = ...,
        tensor_init_bytes: int | None = ...,
        bytes_per_sample: float | None = ...,
        meta_files_path: str | None = ...,
        dump_meta_files: _builtins.bool | None = ...,
        dump_meta_files_path: str | None = ...,
        save_img_ids: _builtins.bool | None = ...,
    ) -> None: ...

class File(Reader):
    """Reads whole files, such as encoded images, with a label each, or with targets of a table.

    The files come from folders of classes (`file_root`), from a list of paths (`files`), from a
    text file that lists them (`file_list`), or from a table (`table`, with or without the others).
    Each of these may be or hold URLs, such as "s3://bucket/train". Hidden folders, such as
    ".ipynb_checkpoints", are no classes, and hidden files are left out, unless a filter spells the
    dot. A warning tells what is left out of class folders.

    In pipelines that use the GPU or worker processes, one to four processes of the reader's own
    read local files, after a fifth of a second of reading: threads that read would wait for
    the GIL.

    >>> from pathlib import Path
    >>> from penstock import Pipeline, fn
    >>> for name in ("cat", "dog"):
    ...     Path("photos", name).mkdir(parents=True)
    ...     _ = Path("photos", name, "0.jpg").write_text(name)
    >>> with Pipeline(batch_size=2, num_threads=1) as pipe:
    ...     pipe.set_outputs(*fn.readers.file(file_root="photos"))
    ...     for output in pipe.run():
    ...         print([row.tolist() for row in output.rows()])
    [[99, 97, 116], [100, 111, 103]]
    [[0], [1]]

    A table has a row for each file: its name, and values that become outputs.

    >>> _ = Path("ages.csv").write_text("file,age,sex\ncat/0.jpg,3.5,f\ndog/0.jpg,8,m\n")
    >>> with Pipeline(batch_size=2, num_threads=1) as pipe:
    ...     pipe.set_outputs(
    ...         *fn.readers.file(file_root="photos", table="ages.csv", columns=["age", "sex"])
    ...     )
    ...     _, ages, sexes = pipe.run()
    >>> ages.as_array().tolist(), sexes.as_array().tolist()
    ([[3.5], [8.0]], [[0], [1]])

    Outputs:
        the file's bytes: uint8, shape (size,).
        its label: int32, shape (1,); with `labels` of other numbers, see there.
        With `table`, in the place of the label, an output for each of `columns`. A number or a
        text has the shape (1,), a list or several columns the shape (k,). Whole numbers are int64,
        in Parquet of the column's type, and real numbers float32. Texts are class numbers, int32,
        in the order of their bytes; `Pipeline.class_names` has the texts.

    Raises:
        ArgumentError: the arguments contradict each other, or a column is not there.
        SourceError: a folder, list or table cannot be read or holds nothing that matches; a file
            has no row, a row no file, or a name comes twice in the table.
        OSError: a file cannot be read (see `on_error` of the pipeline).

    Args:
        file_root (str | None): Folder whose subfolders are the classes, numbered in the order
            of their names; also what relative paths in `files` or `file_list` are relative to.
        files (str | Sequence[str] | None): Paths of the files.
        labels (ArrayLike | None): Their labels, of shape (files,) or (files, k); by default 0,
            1, 2, ... A whole number a file becomes int32. Other arrays keep their dtype. Real
            numbers of Python become float32. Texts become class numbers.
        file_list (str | None): Text file with a path and a label on each line; paths may hold
            spaces.
        table (str | None): Table of targets: a CSV file whose first line names the columns,
            separated by commas, semicolons or tabs (then without quotes); or a Parquet file.
            Without `files` and `file_list`, its rows name the files: paths below `file_root`
            (by default the table's folder), with or without their endings. With one of them,
            each listed file needs a row, and `file_list` has no labels.
        columns (str | Sequence[str | Sequence[str]] | None): Columns of `table`, one for each
            output. Names in an inner list become one output: [['x', 'y'], 'age'] gives (2,) and
            (1,).
        name_column (str | None): Column of `table` with the names of the files; by default the
            first.
        dtypes (DALIDataType | DTypeLike | Sequence[DALIDataType | DTypeLike] | None): Types of
            the outputs of `columns`, one each. Numbers are converted, and must fit. UINT8 gives
            texts as they are, in UTF-8, shape (size,).
        class_names (Any | None): Texts that become the class numbers 0, 1, 2, ..., in `labels`,
            in columns of `table`, or as names of class folders; or a dict of them by column.
            Other texts are errors. By default all texts that come.
        split (str | None): Read the files of this part alone: see `split_by`. Classes keep
            their numbers. "validation", "valid", "val" and "dev" are one word; so are "train"
            and "training", and "test", "testing" and "eval".
        split_by (float | Mapping[str, float] | None): How the files are parted: the share of
            "train", such as 0.9, with the rest in "val"; or a dict with the share of each part.
            A hash of the path below `file_root` decides, so all hosts and runs agree, and new
            files move no others. Or the column of `table` that names the parts.
        file_filters (str | Sequence[str] | None): Patterns such as '*.jpg'; for files that lie
            in folders. By default all that decoders read. As in DALI, `file_filters`,
            `dir_filters` and `case_sensitive_filter` have no effect on `files` and `file_list`.
            Default: ('*.jpg', '*.jpeg', '*.png', '*.bmp', '*.tif', '*.tiff', '*.pnm', '*.ppm',
            '*.pgm', '*.pbm', '*.pam', '*.jp2', '*.webp', '*.gif', '*.avif', '*.heic', '*.jpe',
            '*.jfif', '*.jxl', '*.heif', '*.hif', '*.j2k', '*.j2c', '*.jpc', '*.jpx', '*.jph',
            '*.pfm', '*.apng', '*.wav', '*.flac', '*.ogg', '*.opus', '*.mp3', '*.m4a', '*.aac',
            '*.aif', '*.aiff', '*.au', '*.wma', '*.oga', '*.aifc', '*.snd', '*.mp2', '*.mka',
            '*.caf', '*.w64', '*.sph', '*.ac3', '*.amr', '*.wv').
        dir_filters (str | Sequence[str] | None): Patterns of the class folders' names; by
            default all but hidden ones.
        case_sensitive_filter (bool | None): Whether the patterns distinguish case. Default:
            False.
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
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        Accepted for compatibility, without effect: initial_fill, read_ahead,
            skip_cached_images, lazy_init, dont_use_mmap, use_o_direct, tensor_init_bytes,
            bytes_per_sample.
    """

    def __init__(
        self,
        max_batch_size: int | None = ...,
        name: str | None = ...,
        device: object = ...,
        num_inputs: int | None = ...,
        *,
        enable_checkpointing: _builtins.bool = ...,
        file_root: str | None = ...,
        files: str | _abc.Sequence[str] | None = ...,
        labels: ArrayLike | None = ...,
        file_list: str | None = ...,
        table: str | None = ...,
        columns: str | _abc.Sequence[str | _abc.Sequence[str]] | None = ...,
        name_column: str | None = ...,
        dtypes: DTypeLike | _abc.Sequence[DTypeLike] | None = ...,
        class_names: Any | None = ...,
        split: str | None = ...,
        split_by: float | _abc.Mapping[str, float] | None = ...,
        file_filters: str | _abc.Sequence[str] | None = ...,
        dir_filters: str | _abc.Sequence[str] | None = ...,
        case_sensitive_filter: _builtins.bool | None = ...,
        random_shuffle: _builtins.bool | None = ...,
        shuffle_after_epoch: _builtins.bool | None = ...,
        shuffle_after_epoch_seed: int | None = ...,
        shuffle_seed: int | None = ...,
        shuffle_block: int | None = ...,
        shuffle_window: int | None = ...,
        shard_id: int | None = ...,
        num_shards: int | None = ...,
        stick_to_shard: _builtins.bool | None = ...,
        indices: Any | None = ...,
        batch_cost: _abc.Mapping[str, Any] | None = ...,
        pad_last_batch: _builtins.bool | None = ...,
        prefetch_queue_depth: int | None = ...,
        storage_options: _abc.Mapping[str, Any] | None = ...,
        seed: int | None = ...,
        initial_fill: int | None = ...,
        read_ahead: _builtins.bool | None = ...,
        skip_cached_images: _builtins.bool | None = ...,
        lazy_init: _builtins.bool | None = ...,
        dont_use_mmap: _builtins.bool | None = ...,
        use_o_direct: _builtins.bool | None = ...,
        tensor_init_bytes: int | None = ...,
        bytes_per_sample: float | None = ...,
    ) -> None: ...

class LMDB(Reader):
    """Reads LMDB databases: samples of several values (`ext`), or value by value.

    With `ext`, keys are names of files, as `penstock convert --to lmdb` writes them: the text up to
    the first dot of the name is the sample's key, the rest is the extension. The values of a key,
    such as `cat/001.cls` and `cat/001.jpg`, are one sample:

    >>> import lmdb
    >>> from penstock import fn, pipeline_def, types
    >>> files = {b"a.cls": b"7", b"a.jpg": b"...", b"b.cls": b"12", b"b.jpg": b"..."}
    >>> with lmdb.open("photos") as database, database.begin(write=True) as transaction:
    ...     for key, content in files.items():
    ...         _ = transaction.put(key, content)
    >>> @pipeline_def(batch_size=2, num_threads=1)
    ... def samples():
    ...     return fn.readers.lmdb(
    ...         path="photos", ext=["jpg", "cls"], dtypes=[types.UINT8, types.INT32]
    ...     )
    >>> with samples() as pipe:
    ...     images, labels = pipe.run()
    >>> labels.as_array().tolist()
    [[7], [12]]

    Without `ext` each value is a sample. The order is that of the keys in both cases.

    Files of LMDB 0.9 and of LMDB 1.0 are read, on read-only file systems, too, and without the
    LMDB library. They must not be written to meanwhile; that is noticed and refused.

    On four cores and more, processes of the reader's own read local files after a fifth of a second
    of reading, unless the pipeline has `exec_processes=False`.

    Outputs:
        with `ext`, for each entry the value: of the type in `dtypes`, shape (size,). A number that
            is written as text: shape (1,).
        without `ext` the value: uint8, shape (size,) for "bytes"; for "npy" and "pickle" the
            array in it.
        with `keys`, the key: uint8, shape (length,).

    Raises:
        SourceError: a file is no LMDB file, is damaged, is written to while it is read, holds
            no such database, or no records.
        OSError: a file cannot be read.
        DecodeError: a value is not in the format that `values` says, or no number where one is
            wanted (see `on_error`).

    Args:
        database (str | None): Name of the database in each file; by default the unnamed one.
        ext (str | Sequence[str] | None): An entry for each output: extensions, separated by
            ';', as in `fn.readers.webdataset`.
        dtypes (DALIDataType | DTypeLike | Sequence[DALIDataType | DTypeLike] | None): With
            `ext`: types that the outputs' bytes are taken for, one each; by default UINT8.
            Decimal numbers in cls, txt and others are read as in `fn.readers.webdataset`.
        missing_component_behavior (Literal['empty', 'skip', 'error'] | None): With `ext`: what
            to do with a sample that has no component for an output: 'empty' gives an empty
            array, 'skip' leaves the sample out, 'error' raises. Without this argument a warning
            counts such samples. Default: 'empty'.
        values (Literal['bytes', 'npy', 'pickle'] | None): Without `ext`: what the values are:
            'bytes', 'npy' (arrays as numpy.save writes them) or 'pickle' (pickled arrays or
            numbers). Unpickling runs whatever code a value names: use it only for files that
            you have written yourself. Default: 'bytes'.
        keys (bool | None): Whether the key is one more output, the last one. Default: False.
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
        path (str | Sequence[str]): The databases, read one after the other: folders that hold
            data.mdb, or files. A folder of such folders (shards) and globs stand for all of
            them.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        Accepted for compatibility, without effect: initial_fill, read_ahead,
            skip_cached_images, lazy_init, dont_use_mmap, use_o_direct, tensor_init_bytes,
            bytes_per_sample.
    """

    def __init__(
        self,
        max_batch_size: int | None = ...,
        name: str | None = ...,
        device: object = ...,
        num_inputs: int | None = ...,
        *,
        enable_checkpointing: _builtins.bool = ...,
        database: str | None = ...,
        ext: str | _abc.Sequence[str] | None = ...,
        dtypes: DTypeLike | _abc.Sequence[DTypeLike] | None = ...,
        missing_component_behavior: Literal['empty', 'skip', 'error'] | None = ...,
        values: Literal['bytes', 'npy', 'pickle'] | None = ...,
        keys: _builtins.bool | None = ...,
        random_shuffle: _builtins.bool | None = ...,
        shuffle_after_epoch: _builtins.bool | None = ...,
        shuffle_after_epoch_seed: int | None = ...,
        shuffle_seed: int | None = ...,
        shuffle_block: int | None = ...,
        shuffle_window: int | None = ...,
        shard_id: int | None = ...,
        num_shards: int | None = ...,
        stick_to_shard: _builtins.bool | None = ...,
        indices: Any | None = ...,
        batch_cost: _abc.Mapping[str, Any] | None = ...,
        pad_last_batch: _builtins.bool | None = ...,
        prefetch_queue_depth: int | None = ...,
        storage_options: _abc.Mapping[str, Any] | None = ...,
        path: str | _abc.Sequence[str] = ...,
        seed: int | None = ...,
        initial_fill: int | None = ...,
        read_ahead: _builtins.bool | None = ...,
        skip_cached_images: _builtins.bool | None = ...,
        lazy_init: _builtins.bool | None = ...,
        dont_use_mmap: _builtins.bool | None = ...,
        use_o_direct: _builtins.bool | None = ...,
        tensor_init_bytes: int | None = ...,
        bytes_per_sample: float | None = ...,
    ) -> None: ...

class MapDataset(Reader):
    """Reads the samples of a Python object that has `__len__` and `__getitem__`.

    Such objects are the map-style data sets of PyTorch, and lists. They take part in shuffles,
    shards, checkpoints, mixtures, and batches of equal cost. Samples are NumPy arrays, what NumPy
    makes arrays of, numbers, or bytes; or tuples of these. All samples have outputs of the same
    types and numbers of dimensions as the first one. One thread asks for samples, or several with
    `prefetch_queue_depth`. Samples that are dicts, such as those of Hugging Face's `datasets`, need
    an object around them that returns their values; `fn.readers.parquet` reads the files.

    >>> import numpy as np
    >>> from penstock import fn, pipeline_def
    >>> squares = [(np.full(i, i, np.uint8), i * i) for i in range(1, 4)]
    >>> @pipeline_def(batch_size=3, num_threads=1)
    ... def numbers():
    ...     return tuple(fn.readers.map_dataset(squares, num_outputs=2))
    >>> with numbers() as pipe:
    ...     data, square = pipe.run()
    >>> [row.tolist() for row in data.rows()], square.as_array().tolist()
    ([[1], [2, 2], [3, 3, 3]], [1, 4, 9])

    Outputs:
        the values of the samples: with several, samples are tuples or lists of so many.

    Raises:
        ArgumentError: the object has no length or no samples.
        DecodeError: a sample is no array of numbers, or has another number of values, another type,
            or another number of dimensions than the first one.
        Exception: any error of the object is one of the sample (see `on_error` of the pipeline).

    Args:
        dataset (Any): The object: `len(dataset)` samples, of which i is `dataset[i]`.
        num_outputs (int | None): Number of outputs. Default: 1.
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
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        Accepted for compatibility, without effect: initial_fill, read_ahead,
            skip_cached_images, lazy_init, dont_use_mmap, use_o_direct, tensor_init_bytes,
            bytes_per_sample.
    """

    def __init__(
        self,
        max_batch_size: int | None = ...,
        name: str | None = ...,
        device: object = ...,
        num_inputs: int | None = ...,
        *,
        enable_checkpointing: _builtins.bool = ...,
        dataset: Any = ...,
        num_outputs: int | None = ...,
        random_shuffle: _builtins.bool | None = ...,
        shuffle_after_epoch: _builtins.bool | None = ...,
        shuffle_after_epoch_seed: int | None = ...,
        shuffle_seed: int | None = ...,
        shuffle_block: int | None = ...,
        shuffle_window: int | None = ...,
        shard_id: int | None = ...,
        num_shards: int | None = ...,
        stick_to_shard: _builtins.bool | None = ...,
        indices: Any | None = ...,
        batch_cost: _abc.Mapping[str, Any] | None = ...,
        pad_last_batch: _builtins.bool | None = ...,
        prefetch_queue_depth: int | None = ...,
        storage_options: _abc.Mapping[str, Any] | None = ...,
        seed: int | None = ...,
        initial_fill: int | None = ...,
        read_ahead: _builtins.bool | None = ...,
        skip_cached_images: _builtins.bool | None = ...,
        lazy_init: _builtins.bool | None = ...,
        dont_use_mmap: _builtins.bool | None = ...,
        use_o_direct: _builtins.bool | None = ...,
        tensor_init_bytes: int | None = ...,
        bytes_per_sample: float | None = ...,
    ) -> None: ...

class MDS(Reader):
    """Reads columns of MDS data sets, which `MDSWriter` of MosaicML's streaming writes.

    A data set is a folder with `index.json`. Samples are read where they lie: a sample of a shard
    without compression is one range of bytes. Shards that are compressed as a whole, by zstd, gz or
    bz2, are decompressed as a whole. Those that were used last stay in memory, at most
    `cache_bytes` of them. So a global shuffle needs a cache of all shards, or `shuffle_block` of as
    many samples as a shard has; a warning says so.

    >>> import json, struct
    >>> from pathlib import Path
    >>> from penstock import fn, pipeline_def
    >>> values = [struct.pack("<Iq5s", 5, n, text) for n, text in ((3, b"hello"), (5, b"world"))]
    >>> table = struct.pack("<IIII", 2, 16, 33, 50)
    >>> columns = {"column_names": ["label", "text"], "column_encodings": ["int", "str"]}
    >>> shard = {"version": 2, "format": "mds", "samples": 2, "compression": None, **columns}
    >>> shard |= {"column_sizes": [8, None], "hashes": [], "zip_data": None}
    >>> shard["raw_data"] = {"basename": "shard.00000.mds", "bytes": 50, "hashes": {}}
    >>> Path("set").mkdir()
    >>> _ = Path("set/index.json").write_text(json.dumps({"version": 2, "shards": [shard]}))
    >>> _ = Path("set/shard.00000.mds").write_bytes(table + b"".join(values))
    >>> @pipeline_def(batch_size=2, num_threads=1)
    ... def samples():
    ...     return fn.readers.mds(path="set", columns=["text", "label"])
    >>> with samples() as pipe:
    ...     texts, labels = pipe.run()
    >>> bytes(texts.at(1)).decode(), labels.as_array().tolist()
    ('world', [3, 5])

    If the index has digests, a compressed shard is compared with one of them each time that it is
    decompressed; `penstock verify` compares all files. Digests of the package xxhash are passed
    over.

    Outputs:
        for each of `columns`, by its encoding:
            bytes, str, json, jpeg, png: uint8, shape (size,). Texts are UTF-8.
            pil: the image in PAM, which `fn.decoders.image` takes; uint8, shape (size,). Modes
                are L, LA, RGB and RGBA.
            list[jpeg], list[png], list[pil], jpeg_array: one image, as above. The column
                "images[0]" is the first image of the list "images". A list that has fewer
                images gives no bytes: shape (0,).
            int: int64, shape (); int8 to int64, uint8 to uint64, float16 to float64: of this type.
            str_int, str_float: int64, float64, shape (); str_decimal: the text.
            ndarray: of its type and shape. Arrays of a column have one type and number of
                dimensions, which the first sample tells if the encoding does not.

    Raises:
        ArgumentError: a column is not there, or its encoding is refused, as pickles (pkl) are; a
            folder holds several splits.
        SourceError: the index or a shard is damaged, a shard has another format or compression, or
            there is no sample.
        DecodeError: a value is damaged, is an array of another type or number of dimensions, or
            does not fit into `dtypes` (see `on_error` of the pipeline).
        MissingDependencyError: shards are compressed by zstd, and its library is not installed.
        OSError: a file cannot be read.

    Args:
        path (str | Sequence[str]): Paths or URLs of folders that hold an index.json. Their
            samples follow one another.
        columns (str | Sequence[str]): Names of the columns, one for each output; 'images[2]' is
            the third image of a list.
        split (str | None): Folder inside of each of `path`, such as 'train'.
        dtypes (DALIDataType | DTypeLike | Sequence[DALIDataType | DTypeLike] | None): Types of
            the outputs, one each; by default those of the columns. Numbers are converted, and
            must fit. Bytes are taken for elements of the type, such as tokens. Texts are read
            as decimal numbers if the type has several bytes.
        cache_bytes (int | None): Memory for decompressed shards. At least one stays. Default:
            268435456.
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
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        Accepted for compatibility, without effect: initial_fill, read_ahead,
            skip_cached_images, lazy_init, dont_use_mmap, use_o_direct, tensor_init_bytes,
            bytes_per_sample.
    """

    def __init__(
        self,
        max_batch_size: int | None = ...,
        name: str | None = ...,
        device: object = ...,
        num_inputs: int | None = ...,
        *,
        enable_checkpointing: _builtins.bool = ...,
        path: str | _abc.Sequence[str] = ...,
        columns: str | _abc.Sequence[str] = ...,
        split: str | None = ...,
        dtypes: DTypeLike | _abc.Sequence[DTypeLike] | None = ...,
        cache_bytes: int | None = ...,
        random_shuffle: _builtins.bool | None = ...,
        shuffle_after_epoch: _builtins.bool | None = ...,
        shuffle_after_epoch_seed: int | None = ...,
        shuffle_seed: int | None = ...,
        shuffle_block: int | None = ...,
        shuffle_window: int | None = ...,
        shard_id: int | None = ...,
        num_shards: int | None = ...,
        stick_to_shard: _builtins.bool | None = ...,
        indices: Any | None = ...,
        batch_cost: _abc.Mapping[str, Any] | None = ...,
        pad_last_batch: _builtins.bool | None = ...,
        prefetch_queue_depth: int | None = ...,
        storage_options: _abc.Mapping[str, Any] | None = ...,
        seed: int | None = ...,
        initial_fill: int | None = ...,
        read_ahead: _builtins.bool | None = ...,
        skip_cached_images: _builtins.bool | None = ...,
        lazy_init: _builtins.bool | None = ...,
        dont_use_mmap: _builtins.bool | None = ...,
        use_o_direct: _builtins.bool | None = ...,
        tensor_init_bytes: int | None = ...,
        bytes_per_sample: float | None = ...,
    ) -> None: ...

class Mix(Reader):
    """Reads several sources as one: each batch has its share of each.

    A source is what one reader returns, unchanged. Shares are `weights`, `repeats`, `choose` or
    `per_batch`; without any, each sample comes once an epoch. Any batch of any rank has each source
    within 2 samples of its share. Each source gives all of its samples before one comes again, and
    is shuffled by itself. What is left of each source goes on after a checkpoint, with any number
    of ranks, other weights, or other sources. See docs/batches.md.

    >>> from pathlib import Path
    >>> from penstock import Pipeline, fn
    >>> for name in ("a1", "a2", "b1", "b2", "b3", "b4"):
    ...     _ = Path(name).write_text(name)
    >>> with Pipeline(batch_size=6, num_threads=1) as pipe:
    ...     data, label, source = fn.readers.mix(
    ...         {
    ...             "a": fn.readers.file(files=["a1", "a2"]),
    ...             "b": fn.readers.file(files=["b1", "b2", "b3", "b4"]),
    ...         },
    ...         weights={"a": 0.5, "b": 0.5},
    ...     )
    ...     pipe.set_outputs(data, source)
    ...     data, source = pipe.run()
    >>> [bytes(row).decode() for row in data.rows()]
    ['a1', 'b1', 'a2', 'b2', 'a1', 'b3']
    >>> source.as_array().tolist()
    [0, 1, 0, 1, 0, 1]

    Sources must have as many outputs, of equal dtypes and numbers of dimensions. A dict of outputs
    is matched by its keys. Sources that decode, such as `fn.readers.video`, must be of one reader.
    Shuffle, shards and padding are arguments of the mixture. A source may be a mixture or
    `fn.readers.balance` itself: its parts are named "outer/inner", and their weights multiply.

    Outputs:
        those of the sources.
        the number of the source, in the order of `members`: int32, shape ().

    Raises:
        ArgumentError: a source is none, has arguments that the mixture decides, or has other
            outputs; a number is negative, not finite, or of no source.
        SourceError: a source has no samples, or more bad ones than `max_bad`.

    Args:
        members (Mapping[str, Any] | str): The sources: the outputs of a reader by the source's
            name; or the path of a file that lists sources and shares: a metadataset of Energon,
            an `input_cfg` of NeMo, `streams` of MosaicML, or a training of LLM Foundry.
        split (str | None): Split of the file that `members` names: of a metadataset, by default
            'train'.
        source_arguments (Mapping[str, Any] | None): Arguments of the readers of a file's
            sources, which are `fn.readers.webdataset` for a metadataset, `fn.readers.nemo_asr`
            for an `input_cfg`, and `fn.readers.mds` for `streams`: `{'ext': ['jpg', 'cls']}`.
            Default: {}.
        weights (Any | None): Share of each source: numbers by name, or a list. Their sum counts
            as 1.
        repeats (Any | None): How often each sample of a source comes in an epoch, by default
            once. With 0.5, one half of the source comes in one epoch, and the other half in the
            next.
        choose (Any | None): Samples of a source in an epoch, by default all. Later epochs go on
            from there.
        per_batch (Any | None): Samples of each source in every batch; they sum to the batch
            size.
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
        epoch_size (Any | None): With `weights` or `per_batch`: samples of an epoch. 'longest'
            has each source whole at least once, 'shortest' has no sample twice; or a number.
            Default: 'longest'.
        restart (str | Sequence[str] | None): Sources that begin anew, if a checkpoint has
            others of their names or sizes. Default: ().
        max_bad (Mapping[str, Any] | None): With the pipeline's `on_error`, "skip" or "replace":
            the share of a source's samples that may be bad, by the source's name: `{'web':
            0.01}`. One bad sample is always borne, and more end the run. Default: {}.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        Accepted for compatibility, without effect: initial_fill, read_ahead,
            skip_cached_images, lazy_init, dont_use_mmap, use_o_direct, tensor_init_bytes,
            bytes_per_sample.
    """

    def __init__(
        self,
        max_batch_size: int | None = ...,
        name: str | None = ...,
        device: object = ...,
        num_inputs: int | None = ...,
        *,
        enable_checkpointing: _builtins.bool = ...,
        members: _abc.Mapping[str, Any] | str = ...,
        split: str | None = ...,
        source_arguments: _abc.Mapping[str, Any] | None = ...,
        weights: Any | None = ...,
        repeats: Any | None = ...,
        choose: Any | None = ...,
        per_batch: Any | None = ...,
        random_shuffle: _builtins.bool | None = ...,
        shuffle_after_epoch: _builtins.bool | None = ...,
        shuffle_after_epoch_seed: int | None = ...,
        shuffle_seed: int | None = ...,
        shuffle_block: int | None = ...,
        shuffle_window: int | None = ...,
        shard_id: int | None = ...,
        num_shards: int | None = ...,
        stick_to_shard: _builtins.bool | None = ...,
        indices: Any | None = ...,
        batch_cost: _abc.Mapping[str, Any] | None = ...,
        pad_last_batch: _builtins.bool | None = ...,
        prefetch_queue_depth: int | None = ...,
        storage_options: _abc.Mapping[str, Any] | None = ...,
        epoch_size: Any | None = ...,
        restart: str | _abc.Sequence[str] | None = ...,
        max_bad: _abc.Mapping[str, Any] | None = ...,
        seed: int | None = ...,
        initial_fill: int | None = ...,
        read_ahead: _builtins.bool | None = ...,
        skip_cached_images: _builtins.bool | None = ...,
        lazy_init: _builtins.bool | None = ...,
        dont_use_mmap: _builtins.bool | None = ...,
        use_o_direct: _builtins.bool | None = ...,
        tensor_init_bytes: int | None = ...,
        bytes_per_sample: float | None = ...,
    ) -> None: ...

class MXNet(Reader):
    """Reads image records from RecordIO files, as MXNet's `im2rec` writes them.

    On four cores and more, processes of the reader's own read local files after a fifth of a second
    of reading, unless the pipeline has `exec_processes=False`.

    >>> from pathlib import Path
    >>> from penstock import Pipeline, datasets, fn
    >>> for name in ("cat", "dog"):
    ...     Path("photos", name).mkdir(parents=True)
    ...     _ = Path("photos", name, "0.jpg").write_text(name)
    >>> _ = datasets.convert("photos", "shards", to="recordio")
    >>> with Pipeline(batch_size=2, num_threads=1) as pipe:
    ...     encoded, labels = fn.readers.mxnet(path="shards/shard-00000.rec")
    ...     pipe.set_outputs(labels)
    ...     (labels,) = pipe.run()
    ...     print(labels.as_array().tolist())
    [[0.0], [1.0]]

    Outputs:
        the encoded image: uint8, shape (size,).
        its labels: float32, shape (labels,); (1,) for ordinary classification.

    Raises:
        SourceError: a file is damaged, or an index belongs to another file.
        OSError: a file cannot be read (see `on_error` of the pipeline).

    Args:
        path (str | Sequence[str]): Paths of the .rec files. Braces ('part-{000..127}.rec'),
            globs and folders stand for the files that they name.
        index_path (str | Sequence[str] | None): Paths of the .idx files: one for each .rec
            file, or one that counts through all files. An index may list some of the records
            only. Without an index, a scan finds the records. Its result is stored beside the
            file, or in the user's cache folder.
        header_records (Literal['skip', 'keep'] | None): Treatment of records of at most 1 KB
            that hold labels but no image, such as the first record of packs for face
            recognition. 'skip' leaves these records out. 'keep' makes them samples with an
            empty image, as DALI does. Default: 'skip'.
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
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        Accepted for compatibility, without effect: initial_fill, read_ahead,
            skip_cached_images, lazy_init, dont_use_mmap, use_o_direct, tensor_init_bytes,
            bytes_per_sample.
    """

    def __init__(
        self,
        max_batch_size: int | None = ...,
        name: str | None = ...,
        device: object = ...,
        num_inputs: int | None = ...,
        *,
        enable_checkpointing: _builtins.bool = ...,
        path: str | _abc.Sequence[str] = ...,
        index_path: str | _abc.Sequence[str] | None = ...,
        header_records: Literal['skip', 'keep'] | None = ...,
        random_shuffle: _builtins.bool | None = ...,
        shuffle_after_epoch: _builtins.bool | None = ...,
        shuffle_after_epoch_seed: int | None = ...,
        shuffle_seed: int | None = ...,
        shuffle_block: int | None = ...,
        shuffle_window: int | None = ...,
        shard_id: int | None = ...,
        num_shards: int | None = ...,
        stick_to_shard: _builtins.bool | None = ...,
        indices: Any | None = ...,
        batch_cost: _abc.Mapping[str, Any] | None = ...,
        pad_last_batch: _builtins.bool | None = ...,
        prefetch_queue_depth: int | None = ...,
        storage_options: _abc.Mapping[str, Any] | None = ...,
        seed: int | None = ...,
        initial_fill: int | None = ...,
        read_ahead: _builtins.bool | None = ...,
        skip_cached_images: _builtins.bool | None = ...,
        lazy_init: _builtins.bool | None = ...,
        dont_use_mmap: _builtins.bool | None = ...,
        use_o_direct: _builtins.bool | None = ...,
        tensor_init_bytes: int | None = ...,
        bytes_per_sample: float | None = ...,
    ) -> None: ...

class NemoAsr(Reader):
    """Reads and decodes the utterances that manifests of NVIDIA NeMo list.

    A manifest holds a JSON object a line, with "audio_filepath", and if known "offset" and
    "duration" in seconds, and "text". Paths are relative to the manifest; URLs are read, too. The
    window that offset and duration name is decoded alone. A duration that reaches beyond the file
    ends with the file. "channel_selector" selects channels: a number from 0 on, a list, or
    "average". A list of local files as "audio_filepath" holds the channels of one recording.

    All formats of `fn.decoders.audio` are read. An error names the file, the manifest and the line.

    >>> import json
    >>> from pathlib import Path
    >>> import numpy as np
    >>> import soundfile
    >>> from penstock import Pipeline, fn
    >>> soundfile.write("a.wav", np.zeros(800), 16000)
    >>> entry = {"audio_filepath": "a.wav", "duration": 0.05, "text": "hello"}
    >>> _ = Path("speech.json").write_text(json.dumps(entry))
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     output = fn.readers.nemo_asr(manifest_filepaths=["speech.json"], read_text=True)
    ...     pipe.set_outputs(*output)
    ...     for output in pipe.run():
    ...         print(output.shape())
    [(800,)]
    [()]
    [(5,)]

    Outputs:
        the signal: of type `dtype`, shape (samples,), or (samples, channels) without `downmix`.
        with `read_sample_rate`, the rate of the file in Hz, before resampling: float32, a scalar.
        with `read_text`, the transcript in UTF-8, without a closing zero: uint8, shape (size,).
        with `read_idxs`, the number of the entry: int64, shape (1,). Entries are counted over all
            manifests in their order; those that `min_duration` and `max_duration` leave out do not
            count.

    Raises:
        SourceError: a manifest cannot be read or has a bad line, or an archive lacks an entry.
        OSError: an audio file cannot be read. DecodeError: it is damaged, or the offset lies behind
            its end (see `on_error` of the pipeline).

    Args:
        manifest_filepaths (str | Sequence[str]): Paths or URLs of the manifests. Braces, NeMo's
            '_OP_0..7_CL_', globs and folders stand for the files that they name. Or the folders
            of Shar data sets of lhotse: their cuts are the entries, and their recordings the
            audio; a URL of such a folder ends with a slash.
        tarred_audio_filepaths (str | Sequence[str] | None): Tar archives that hold the audio,
            as NeMo's tarred data sets do; patterns as for `manifest_filepaths`. An entry names
            a member; its "shard_id" is the number at the end of the archive's name, such as 7
            for 'audio_7.tar'. If the names have no such numbers, it counts the archives from 0
            on.
        dtype (DALIDataType | DTypeLike | None): FLOAT (-1 to 1), INT16 or INT32 (full range).
            Default: FLOAT.
        downmix (bool | None): Return the mean of all channels. Default: True.
        sample_rate (float | None): Rate to resample to, in Hz; 0 or less for the file's own.
            Default: -1.0.
        quality (float | None): Of resampling, from 0 (3 lobes of the sinc filter) over 50 (16
            lobes) to 100 (64 lobes). Default: 50.0.
        antialias (bool | None): Whether resampling to a lower rate removes the frequencies that
            this rate cannot hold. Without it they fold back, as in DALI. Default: False.
        min_duration (float | None): Leave out entries that are shorter, in seconds, or of
            unknown duration. Default: 0.0.
        max_duration (float | None): Leave out entries that are longer, in seconds; 0 for none.
            Default: 0.0.
        read_sample_rate (bool | None): Whether to return the rates. Default: True.
        read_text (bool | None): Whether to return the transcripts. Default: True.
        read_idxs (bool | None): Whether to return the numbers of the entries. Default: False.
        order (Literal['manifest', 'ascending', 'descending'] | None): Order of the data set:
            that of the 'manifest', or by duration, 'ascending' or 'descending'.
            `random_shuffle` permutes it. Default: 'manifest'.
        bucket_size (int | None): With `random_shuffle`: sort by duration, and shuffle buckets
            of so many consecutive entries and the entries of each bucket. A batch then holds
            utterances of similar length. Take a multiple of the batch size.
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
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        Accepted for compatibility, without effect: normalize_text, initial_fill, read_ahead,
            skip_cached_images, lazy_init, dont_use_mmap, use_o_direct, tensor_init_bytes,
            bytes_per_sample.
    """

    def __init__(
        self,
        max_batch_size: int | None = ...,
        name: str | None = ...,
        device: object = ...,
        num_inputs: int | None = ...,
        *,
        enable_checkpointing: _builtins.bool = ...,
        manifest_filepaths: str | _abc.Sequence[str] = ...,
        tarred_audio_filepaths: str | _abc.Sequence[str] | None = ...,
        dtype: DTypeLike | None = ...,
        downmix: _builtins.bool | None = ...,
        sample_rate: float | None = ...,
        quality: float | None = ...,
        antialias: _builtins.bool | None = ...,
        min_duration: float | None = ...,
        max_duration: float | None = ...,
        read_sample_rate: _builtins.bool | None = ...,
        read_text: _builtins.bool | None = ...,
        read_idxs: _builtins.bool | None = ...,
        order: Literal['manifest', 'ascending', 'descending'] | None = ...,
        bucket_size: int | None = ...,
        random_shuffle: _builtins.bool | None = ...,
        shuffle_after_epoch: _builtins.bool | None = ...,
        shuffle_after_epoch_seed: int | None = ...,
        shuffle_seed: int | None = ...,
        shuffle_block: int | None = ...,
        shuffle_window: int | None = ...,
        shard_id: int | None = ...,
        num_shards: int | None = ...,
        stick_to_shard: _builtins.bool | None = ...,
        indices: Any | None = ...,
        batch_cost: _abc.Mapping[str, Any] | None = ...,
        pad_last_batch: _builtins.bool | None = ...,
        prefetch_queue_depth: int | None = ...,
        storage_options: _abc.Mapping[str, Any] | None = ...,
        seed: int | None = ...,
        normalize_text: _builtins.bool | None = ...,
        initial_fill: int | None = ...,
        read_ahead: _builtins.bool | None = ...,
        skip_cached_images: _builtins.bool | None = ...,
        lazy_init: _builtins.bool | None = ...,
        dont_use_mmap: _builtins.bool | None = ...,
        use_o_direct: _builtins.bool | None = ...,
        tensor_init_bytes: int | None = ...,
        bytes_per_sample: float | None = ...,
    ) -> None: ...

class Numpy(Reader):
    """Reads arrays from `.npy` files, whole or a region of interest of each.

    Only the bytes that a region needs are read. Its arguments mean what those of `fn.slice`
    mean, along `roi_axes`; `roi` is written as an index of NumPy. Versions 1 to 3 of the format,
    both orders of dimensions and both byte orders are read. Files may be of different shapes; all
    samples of a batch must have one type and number of dimensions.

    Archives (`.npz`, `.zip`, `.tar`) hold several arrays; each member that matches
    `member_filter` is one. Stored members are read in place; deflated members are inflated from
    their beginning to their end, whatever the region. With `sample_axis` an array holds several
    samples.

    Folders are no classes: the reader knows no labels. For class folders of `.npy` files,
    `fn.readers.file(file_root=..., file_filters="*.npy")` gives files with labels, and
    `fn.decoders.numpy` their arrays.

    Regions of local files that lie in memory are copied out of maps of them, where that is faster:
    by a process of the reader's own, because a mapped file that is cut short ends the process. It
    is started after a fifth of a second of such work; `Pipeline.stats` says how much it copied.

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

    Differences from DALI: lines of `file_list` may end in CR LF; a link to a folder is a folder.

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
        roi_start (int | Sequence[int] | TensorLike | Batch | None): First element of the
            region.
        roi_end (int | Sequence[int] | TensorLike | Batch | None): The element after its last.
        roi_shape (int | Sequence[int] | TensorLike | Batch | None): Its number of elements.
        rel_roi_start (float | Sequence[float] | TensorLike | Batch | None): Start, in fractions
            of the extent.
        rel_roi_end (float | Sequence[float] | TensorLike | Batch | None): End, in fractions of
            the extent.
        rel_roi_shape (float | Sequence[float] | TensorLike | Batch | None): Shape, in fractions
            of the extent.
        roi_axes (int | Sequence[int] | None): The axes that these values are for, in their
            order; by default all axes. Default: ().
        out_of_bounds_policy (Literal['error', 'pad', 'trim_to_shape'] | None): What to do if
            the region reaches out of the array: "error" raises; "pad" fills with `fill_value`;
            "trim_to_shape" takes what there is. Default: 'error'.
        fill_value (float | None): Number that "pad" fills with. Default: 0.0.
        cache_header_information (bool | None): Remember each file's header, for as long as size
            and time of the file stay. Default: False.
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
        use_o_direct (bool | None): Read local files past the system's cache, where their file
            system allows it: for data that do not fit into memory and are read once. Default:
            False.
        split (str | None): Read the files of this part alone: see `split_by`. Classes keep
            their numbers. "validation", "valid", "val" and "dev" are one word; so are "train"
            and "training", and "test", "testing" and "eval".
        split_by (float | Mapping[str, float] | None): How the files are parted: the share of
            "train", such as 0.9, with the rest in "val"; or a dict with the share of each part.
            A hash of the path below `file_root` decides, so all hosts and runs agree, and new
            files move no others.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        Accepted for compatibility, without effect: register_buffers, initial_fill, read_ahead,
            skip_cached_images, lazy_init, dont_use_mmap, tensor_init_bytes, bytes_per_sample, .
    """

    def __init__(
        self,
        max_batch_size: int | None = ...,
        name: str | None = ...,
        device: object = ...,
        num_inputs: int | None = ...,
        *,
        enable_checkpointing: _builtins.bool = ...,
        files: str | _abc.Sequence[str] | None = ...,
        file_list: str | None = ...,
        file_root: str | None = ...,
        file_filter: str | None = ...,
        member_filter: str | None = ...,
        sample_axis: int | None = ...,
        roi: Any | None = ...,
        roi_start: int | _abc.Sequence[int] | TensorLike | None = ...,
        roi_end: int | _abc.Sequence[int] | TensorLike | None = ...,
        roi_shape: int | _abc.Sequence[int] | TensorLike | None = ...,
        rel_roi_start: float | _abc.Sequence[float] | TensorLike | None = ...,
        rel_roi_end: float | _abc.Sequence[float] | TensorLike | None = ...,
        rel_roi_shape: float | _abc.Sequence[float] | TensorLike | None = ...,
        roi_axes: int | _abc.Sequence[int] | None = ...,
        out_of_bounds_policy: Literal['error', 'pad', 'trim_to_shape'] | None = ...,
        fill_value: float | None = ...,
        cache_header_information: _builtins.bool | None = ...,
        random_shuffle: _builtins.bool | None = ...,
        shuffle_after_epoch: _builtins.bool | None = ...,
        shuffle_after_epoch_seed: int | None = ...,
        shuffle_seed: int | None = ...,
        shuffle_block: int | None = ...,
        shuffle_window: int | None = ...,
        shard_id: int | None = ...,
        num_shards: int | None = ...,
        stick_to_shard: _builtins.bool | None = ...,
        indices: Any | None = ...,
        batch_cost: _abc.Mapping[str, Any] | None = ...,
        pad_last_batch: _builtins.bool | None = ...,
        prefetch_queue_depth: int | None = ...,
        storage_options: _abc.Mapping[str, Any] | None = ...,
        use_o_direct: _builtins.bool | None = ...,
        split: str | None = ...,
        split_by: float | _abc.Mapping[str, float] | None = ...,
        seed: int | None = ...,
        register_buffers: _builtins.bool | None = ...,
        initial_fill: int | None = ...,
        read_ahead: _builtins.bool | None = ...,
        skip_cached_images: _builtins.bool | None = ...,
        lazy_init: _builtins.bool | None = ...,
        dont_use_mmap: _builtins.bool | None = ...,
        tensor_init_bytes: int | None = ...,
        bytes_per_sample: float | None = ...,
    ) -> None: ...

class Pack(Reader):
    """Packs samples of one reader into rows of a fixed length, several in a row, for attention.

    Rows are filled by the lengths of the samples, so that hardly any room is left. Each sample
    comes once an epoch. `cu_seqlens` is the argument of that name of flash-attention. For shares of
    several sources, pack each, and give the packs to `fn.readers.mix`.

    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> for i, length in enumerate((3, 2, 5)):
    ...     np.save(f"{i}.npy", np.full(length, i, np.int32))
    >>> with Pipeline(batch_size=2, num_threads=1) as pipe:
    ...     tokens, cu_seqlens, positions, samples = fn.readers.pack(
    ...         fn.readers.numpy(files=["0.npy", "1.npy", "2.npy"]), length=5
    ...     )
    ...     pipe.set_outputs(tokens, cu_seqlens, positions, samples)
    ...     tokens, cu_seqlens, positions, samples = pipe.run()
    >>> tokens.as_array().tolist()
    [[0, 0, 0, 1, 1], [2, 2, 2, 2, 2]]
    >>> [row.tolist() for row in cu_seqlens.rows()]
    [[0, 3, 5], [0, 5]]
    >>> positions.as_array().tolist()
    [[0, 1, 2, 0, 1], [0, 1, 2, 3, 4]]

    Outputs:
        each output of the reader, packed: of its type, shape (length,). What is left of a row has
            `fill_value`.
        cu_seqlens: where samples begin in the row, and where the last one ends: int32, shape
            (samples + 1,).
        positions: of each element in its sample, or in its part of one, 0 in what is left of the
            row: int32, (length,).
        samples: the numbers of the samples in the data set: int64, shape (samples,).

    Raises:
        ArgumentError: a sample is empty or longer than a row, or `lengths` are not those of the
            data set; or the reader gives samples other turns than one an epoch.
        DecodeError: a sample is no array of one dimension, or of another length than `lengths`
            says.

    Args:
        member (Any): The outputs of the reader: arrays of one dimension.
        length (int): Elements of a row.
        lengths (Any | None): The length of each sample of the reader, as an array of whole
            numbers. Without it all samples are read once, when the pipeline starts.
        long (str | None): What becomes of a sample that is longer than a row: an 'error', its
            beginning alone ('truncate'), or parts, each packed as a sample of its own
            ('split'). Default: 'error'.
        align (int | None): Samples begin at multiples of so many elements. Default: 1.
        fill_value (float | None): The value of elements that belong to no sample. Default: 0.0.
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
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        Accepted for compatibility, without effect: initial_fill, read_ahead,
            skip_cached_images, lazy_init, dont_use_mmap, use_o_direct, tensor_init_bytes,
            bytes_per_sample.
    """

    def __init__(
        self,
        max_batch_size: int | None = ...,
        name: str | None = ...,
        device: object = ...,
        num_inputs: int | None = ...,
        *,
        enable_checkpointing: _builtins.bool = ...,
        member: Any = ...,
        length: int = ...,
        lengths: Any | None = ...,
        long: str | None = ...,
        align: int | None = ...,
        fill_value: float | None = ...,
        random_shuffle: _builtins.bool | None = ...,
        shuffle_after_epoch: _builtins.bool | None = ...,
        shuffle_after_epoch_seed: int | None = ...,
        shuffle_seed: int | None = ...,
        shuffle_block: int | None = ...,
        shuffle_window: int | None = ...,
        shard_id: int | None = ...,
        num_shards: int | None = ...,
        stick_to_shard: _builtins.bool | None = ...,
        indices: Any | None = ...,
        batch_cost: _abc.Mapping[str, Any] | None = ...,
        pad_last_batch: _builtins.bool | None = ...,
        prefetch_queue_depth: int | None = ...,
        storage_options: _abc.Mapping[str, Any] | None = ...,
        seed: int | None = ...,
        initial_fill: int | None = ...,
        read_ahead: _builtins.bool | None = ...,
        skip_cached_images: _builtins.bool | None = ...,
        lazy_init: _builtins.bool | None = ...,
        dont_use_mmap: _builtins.bool | None = ...,
        use_o_direct: _builtins.bool | None = ...,
        tensor_init_bytes: int | None = ...,
        bytes_per_sample: float | None = ...,
    ) -> None: ...

class Parquet(Reader):
    """Reads columns of Parquet files, and of the Arrow files that `save_to_disk` writes.

    The files are those of the Hugging Face hub, of pandas, Spark, Polars and others. A feature that
    is an image, sound or video is a struct of `bytes` and `path`: the output is `bytes`, which
    `fn.decoders` take. Where `bytes` is null, the file at `path` is read, which is absolute or
    begins at the folder of the table.

    >>> import pyarrow as pa, pyarrow.parquet as pq
    >>> from penstock import fn, pipeline_def
    >>> images = pa.array([{"bytes": b"...", "path": "a.jpg"}, {"bytes": b"..", "path": "b.jpg"}])
    >>> pq.write_table(pa.table({"image": images, "label": [3, 5]}), "train.parquet")
    >>> @pipeline_def(batch_size=2, num_threads=1)
    ... def samples():
    ...     return fn.readers.parquet(path="train.parquet", columns=["image", "label"])
    >>> with samples() as pipe:
    ...     images, labels = pipe.run()
    >>> labels.as_array().tolist()
    [3, 5]

    A row group is decoded as a whole. The groups that were used last stay in memory, at most
    `cache_bytes` of them, and at least one. Without a shuffle each group is decoded once an epoch.
    A global shuffle (`random_shuffle`) takes each sample from another group. Where the data do not
    fit into the cache, it decodes a group for nearly each sample. A warning says so. With
    `shuffle_block` of as many rows as a group has, each group is decoded once an epoch.

    Outputs:
        for each of `columns`, by the type of the column:
            struct of bytes and path, binary, text: uint8, shape (size,). Texts are UTF-8.
            integers, real numbers, bool: of the column's type, shape ().
            lists of numbers: of their type, shape (length,); lists of lists have an axis a level.
            lists of files (structs of bytes and path, or binary): a bundle of encoded files,
                uint8, shape (size,), which `fn.decoders.image_list` takes. Python code gets the
                files by `penstock.extend.files_of`.
            other lists and structs, such as conversations: their JSON in UTF-8, uint8, shape
                (size,), which `fn.decoders.json` takes.
            dictionaries of numbers, bytes and texts: as without the dictionary.

    Decimals, times, maps and other types are refused. A missing value (null) is an error of its
    sample, unless `fill` has a value for its column. Nulls inside of JSON are JSON's.

    Raises:
        ArgumentError: a column is not there, or its type is refused; a folder holds several
            splits, or not `split`.
        SourceError: a file is damaged, is neither Parquet nor Arrow, or there is no row.
        DecodeError: a value is missing, a list is no array, JSON would need NaN, or a number does
            not fit into `dtypes` (see `on_error` of the pipeline).
        MissingDependencyError: PyArrow is not installed.
        OSError: a file, or one that a column names, cannot be read.

    Args:
        path (str | Sequence[str]): Paths or URLs of the files. Braces
            ('train-{00000..00009}.parquet'), globs and folders stand for the files that they
            name; the URL of a folder ends with a slash.
        columns (str | Sequence[str]): Names of the columns, one for each output. A dot leads to
            a field: 'objects.bbox'.
        split (str | None): Split of the folders that `path` names, such as 'train', as
            README.md, or the names of files and folders tell it. Needed where there are
            several.
        config (str | None): Configuration of the folders that `path` names: one that README.md
            lists, or a folder. Needed where there are several and none is the default.
        dtypes (DALIDataType | DTypeLike | Sequence[DALIDataType | DTypeLike] | None): Types of
            the outputs, one each; by default those of the columns. Numbers are converted, and
            must fit. Bytes are taken for elements of the type. Texts are read as decimal
            numbers if the type has several bytes.
        fill (Mapping[str, Any] | None): Values for missing ones (null), by column: {'caption':
            '', 'images': []}. A file takes bytes. Nulls of other columns are bad samples.
            Default: {}.
        cache_bytes (int | None): Memory for row groups that stay decoded. Reading takes the
            memory of four more. Default: 268435456.
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
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        Accepted for compatibility, without effect: initial_fill, read_ahead,
            skip_cached_images, lazy_init, dont_use_mmap, use_o_direct, tensor_init_bytes,
            bytes_per_sample.
    """

    def __init__(
        self,
        max_batch_size: int | None = ...,
        name: str | None = ...,
        device: object = ...,
        num_inputs: int | None = ...,
        *,
        enable_checkpointing: _builtins.bool = ...,
        path: str | _abc.Sequence[str] = ...,
        columns: str | _abc.Sequence[str] = ...,
        split: str | None = ...,
        config: str | None = ...,
        dtypes: DTypeLike | _abc.Sequence[DTypeLike] | None = ...,
        fill: _abc.Mapping[str, Any] | None = ...,
        cache_bytes: int | None = ...,
        random_shuffle: _builtins.bool | None = ...,
        shuffle_after_epoch: _builtins.bool | None = ...,
        shuffle_after_epoch_seed: int | None = ...,
        shuffle_seed: int | None = ...,
        shuffle_block: int | None = ...,
        shuffle_window: int | None = ...,
        shard_id: int | None = ...,
        num_shards: int | None = ...,
        stick_to_shard: _builtins.bool | None = ...,
        indices: Any | None = ...,
        batch_cost: _abc.Mapping[str, Any] | None = ...,
        pad_last_batch: _builtins.bool | None = ...,
        prefetch_queue_depth: int | None = ...,
        storage_options: _abc.Mapping[str, Any] | None = ...,
        seed: int | None = ...,
        initial_fill: int | None = ...,
        read_ahead: _builtins.bool | None = ...,
        skip_cached_images: _builtins.bool | None = ...,
        lazy_init: _builtins.bool | None = ...,
        dont_use_mmap: _builtins.bool | None = ...,
        use_o_direct: _builtins.bool | None = ...,
        tensor_init_bytes: int | None = ...,
        bytes_per_sample: float | None = ...,
    ) -> None: ...

class Sequence(Reader):
    """Reads sequences of frames from folders of images, one folder a stream.

    The frames of a folder are its images in the order of their names, in which numbers count as
    numbers: `frame_2.png` comes before `frame_10.png`, which DALI has first. Sequences do not
    cross folders. Incomplete sequences are left out. Names that begin with a dot are left out.

    >>> from pathlib import Path
    >>> import cv2
    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> Path("frames/first").mkdir(parents=True)
    >>> for number in range(5):
    ...     _ = cv2.imwrite(f"frames/first/{number}.png", np.zeros((48, 64, 3), np.uint8))
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.readers.sequence(file_root="frames", sequence_length=3))
    ...     (result,) = pipe.run()
    ...     print(result.shape())
    [(3, 48, 64, 3)]

    Outputs:
        the decoded frames: uint8, FHWC.

    Raises:
        SourceError: a folder cannot be read, or no folder holds a sequence.
        OSError: a file cannot be read. DecodeError: a frame is damaged, or of another size
            than the first one (see `on_error` of the pipeline).

    Args:
        file_root (str): Folder that holds a folder of images for each stream.
        sequence_length (int): Number of frames of a sequence.
        step (int | None): Distance, in frames, from the first frame of a sequence to the first
            frame of the next sequence. Default: 1.
        stride (int | None): Distance, in frames of the folder, between two frames of a
            sequence. Default: 1.
        image_type (DALIImageType | None): Color space of the output, as for `decoders.image`.
            Default: RGB.
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
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        Accepted for compatibility, without effect: initial_fill, read_ahead,
            skip_cached_images, lazy_init, dont_use_mmap, use_o_direct, tensor_init_bytes,
            bytes_per_sample.
    """

    def __init__(
        self,
        max_batch_size: int | None = ...,
        name: str | None = ...,
        device: object = ...,
        num_inputs: int | None = ...,
        *,
        enable_checkpointing: _builtins.bool = ...,
        file_root: str = ...,
        sequence_length: int = ...,
        step: int | None = ...,
        stride: int | None = ...,
        image_type: DALIImageType | None = ...,
        random_shuffle: _builtins.bool | None = ...,
        shuffle_after_epoch: _builtins.bool | None = ...,
        shuffle_after_epoch_seed: int | None = ...,
        shuffle_seed: int | None = ...,
        shuffle_block: int | None = ...,
        shuffle_window: int | None = ...,
        shard_id: int | None = ...,
        num_shards: int | None = ...,
        stick_to_shard: _builtins.bool | None = ...,
        indices: Any | None = ...,
        batch_cost: _abc.Mapping[str, Any] | None = ...,
        pad_last_batch: _builtins.bool | None = ...,
        prefetch_queue_depth: int | None = ...,
        storage_options: _abc.Mapping[str, Any] | None = ...,
        seed: int | None = ...,
        initial_fill: int | None = ...,
        read_ahead: _builtins.bool | None = ...,
        skip_cached_images: _builtins.bool | None = ...,
        lazy_init: _builtins.bool | None = ...,
        dont_use_mmap: _builtins.bool | None = ...,
        use_o_direct: _builtins.bool | None = ...,
        tensor_init_bytes: int | None = ...,
        bytes_per_sample: float | None = ...,
    ) -> None: ...

class TFRecord(Reader):
    """Reads features from TFRecord files, the records of TensorFlow.

    Returns a dict from names to outputs: one for each of `features`, and for each of
    `sequence_features`. See `penstock.tfrecord` for how to declare them. Features that hold
    several strings, and feature lists that form no tensor, have a second output named
    `<name>.lengths`.

    Files compressed with gzip or zlib are recognized, and unpacked once into the cache folder
    (`$XDG_CACHE_HOME/penstock`). Between runs the cache keeps at most 32 GiB of unpacked files, or
    a quarter of its file system; the environment variable PENSTOCK_CACHE_BYTES sets another limit.
    Where `index_path` is not given, each file is walked
    through once, and its index kept beside it (or, where that cannot be written, in the
    cache folder) until the file changes.

    On four cores and more, processes of the reader's own read local files after a fifth of a second
    of reading, unless the pipeline has `exec_processes=False`.

    >>> from pathlib import Path
    >>> from penstock import Pipeline, datasets, fn
    >>> from penstock.tfrecord import FixedLenFeature, int64
    >>> for name in ("cat", "dog"):
    ...     Path("photos", name).mkdir(parents=True)
    ...     _ = Path("photos", name, "0.jpg").write_text(name)
    >>> _ = datasets.convert("photos", "shards", to="tfrecord")
    >>> features = {"label": FixedLenFeature([1], int64, 0)}
    >>> with Pipeline(batch_size=2, num_threads=1) as pipe:
    ...     output = fn.readers.tfrecord(path="shards/shard-00000.tfrecord", features=features)
    ...     pipe.set_outputs(output["label"])
    ...     (labels,) = pipe.run()
    ...     print(labels.as_array().tolist())
    [[0], [1]]

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
            Braces ('part-{000..127}'), globs and folders stand for the files that they name,
            without indexes and descriptions (*.idx, *.json, *.pbtxt, *.txt ...).
        index_path (str | Sequence[str] | None): Paths of index files as DALI's `tfrecord2idx`
            writes them, one a file. Not needed.
        features (Any): Dict from names to `tfrecord.FixedLenFeature` or
            `tfrecord.VarLenFeature`.
        sequence_features (Any | None): The same for the feature lists of records that are
            SequenceExamples; `features` are then those of the context. Numbers of a
            `FixedLenFeature` give the shape (steps, *shape).
        verify_crc (Literal['always', 'index', 'never'] | None): When the records' checksums are
            verified: 'always' (whenever a record is read), 'index' (once, when the index is
            made), 'never'. By default 'always', if the package crc32c is installed, which the
            extra `tfrecord` brings. Headers are always checked.
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
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        Accepted for compatibility, without effect: initial_fill, read_ahead,
            skip_cached_images, lazy_init, dont_use_mmap, use_o_direct, tensor_init_bytes,
            bytes_per_sample.
    """

    def __init__(
        self,
        max_batch_size: int | None = ...,
        name: str | None = ...,
        device: object = ...,
        num_inputs: int | None = ...,
        *,
        enable_checkpointing: _builtins.bool = ...,
        path: str | _abc.Sequence[str] = ...,
        index_path: str | _abc.Sequence[str] | None = ...,
        features: Any = ...,
        sequence_features: Any | None = ...,
        verify_crc: Literal['always', 'index', 'never'] | None = ...,
        random_shuffle: _builtins.bool | None = ...,
        shuffle_after_epoch: _builtins.bool | None = ...,
        shuffle_after_epoch_seed: int | None = ...,
        shuffle_seed: int | None = ...,
        shuffle_block: int | None = ...,
        shuffle_window: int | None = ...,
        shard_id: int | None = ...,
        num_shards: int | None = ...,
        stick_to_shard: _builtins.bool | None = ...,
        indices: Any | None = ...,
        batch_cost: _abc.Mapping[str, Any] | None = ...,
        pad_last_batch: _builtins.bool | None = ...,
        prefetch_queue_depth: int | None = ...,
        storage_options: _abc.Mapping[str, Any] | None = ...,
        seed: int | None = ...,
        initial_fill: int | None = ...,
        read_ahead: _builtins.bool | None = ...,
        skip_cached_images: _builtins.bool | None = ...,
        lazy_init: _builtins.bool | None = ...,
        dont_use_mmap: _builtins.bool | None = ...,
        use_o_direct: _builtins.bool | None = ...,
        tensor_init_bytes: int | None = ...,
        bytes_per_sample: float | None = ...,
    ) -> None: ...

class Video(Reader):
    """Reads clips of video files, decoded: the older interface of `experimental.readers.video`.

    With device="gpu" the GPU's video decoder decodes what it can: see `decoders.video`.

    >>> import cv2
    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> writer = cv2.VideoWriter("clip.avi", cv2.VideoWriter.fourcc(*"MJPG"), 25, (64, 48))
    >>> for brightness in range(0, 250, 25):
    ...     _ = writer.write(np.full((48, 64, 3), brightness, np.uint8))
    >>> writer.release()
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.readers.video(filenames=["clip.avi"], sequence_length=4))
    ...     (result,) = pipe.run()
    ...     print(result.shape())
    [(4, 48, 64, 3)]

    Outputs:
        clips: uint8 or float, FHWC; the other outputs are those of `experimental.readers.video`.

    Raises:
        SourceError, OSError, DecodeError: as `experimental.readers.video`.

    Args:
        labels (int | Sequence[int] | None): Labels of `filenames`; an empty list stands for 0,
            1, 2, ...
        file_list_frame_num (bool | None): Whether start and end of a range are frames; else
            they are seconds. Default: False.
        file_list_include_preceding_frame (bool | None): Round the start of a range down and its
            end up, in place of the start up, the end down. Default: False.
        pad_sequences (bool | None): Whether incomplete clips are filled with black frames, not
            left out. Default: False.
        dtype (DALIDataType | DTypeLike | None): Element type of the clips: UINT8 or FLOAT.
            Default: UINT8.
        normalized (bool | None): Whether floats span 0 to 1 in place of 0 to 255. Default:
            False.
        channels (int | None): Number of channels: 3. Default: 3.
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
        Accepted for compatibility, without effect: skip_vfr_check, additional_decode_surfaces,
            initial_fill, read_ahead, skip_cached_images, lazy_init, dont_use_mmap,
            use_o_direct, tensor_init_bytes, bytes_per_sample.
    """

    def __init__(
        self,
        max_batch_size: int | None = ...,
        name: str | None = ...,
        device: object = ...,
        num_inputs: int | None = ...,
        *,
        enable_checkpointing: _builtins.bool = ...,
        labels: int | _abc.Sequence[int] | None = ...,
        file_list_frame_num: _builtins.bool | None = ...,
        file_list_include_preceding_frame: _builtins.bool | None = ...,
        pad_sequences: _builtins.bool | None = ...,
        dtype: DTypeLike | None = ...,
        normalized: _builtins.bool | None = ...,
        channels: int | None = ...,
        random_shuffle: _builtins.bool | None = ...,
        shuffle_after_epoch: _builtins.bool | None = ...,
        shuffle_after_epoch_seed: int | None = ...,
        shuffle_seed: int | None = ...,
        shuffle_block: int | None = ...,
        shuffle_window: int | None = ...,
        shard_id: int | None = ...,
        num_shards: int | None = ...,
        stick_to_shard: _builtins.bool | None = ...,
        indices: Any | None = ...,
        batch_cost: _abc.Mapping[str, Any] | None = ...,
        pad_last_batch: _builtins.bool | None = ...,
        prefetch_queue_depth: int | None = ...,
        storage_options: _abc.Mapping[str, Any] | None = ...,
        audio: _builtins.bool | None = ...,
        audio_rate: float | None = ...,
        audio_downmix: _builtins.bool | None = ...,
        filenames: str | _abc.Sequence[str] | None = ...,
        file_root: str | None = ...,
        file_list: str | None = ...,
        sequence_length: int = ...,
        stride: int | None = ...,
        step: int | None = ...,
        enable_frame_num: Literal['none', False, 'scalar', True, 'sequence'] | None = ...,
        enable_timestamps: _builtins.bool | None = ...,
        image_type: DALIImageType | None = ...,
        seed: int | None = ...,
        skip_vfr_check: _builtins.bool | None = ...,
        additional_decode_surfaces: int | None = ...,
        initial_fill: int | None = ...,
        read_ahead: _builtins.bool | None = ...,
        skip_cached_images: _builtins.bool | None = ...,
        lazy_init: _builtins.bool | None = ...,
        dont_use_mmap: _builtins.bool | None = ...,
        use_o_direct: _builtins.bool | None = ...,
        tensor_init_bytes: int | None = ...,
        bytes_per_sample: float | None = ...,
    ) -> None: ...

class VideoResize(Reader):
    """Reads clips of video files, decoded and resized: `readers.video`, then `resize`.

    With device="gpu" the GPU decodes and resizes: see `decoders.video`.

    >>> import cv2
    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> writer = cv2.VideoWriter("clip.avi", cv2.VideoWriter.fourcc(*"MJPG"), 25, (64, 48))
    >>> for brightness in range(0, 250, 25):
    ...     _ = writer.write(np.full((48, 64, 3), brightness, np.uint8))
    >>> writer.release()
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     output = fn.readers.video_resize(filenames=["clip.avi"], sequence_length=4, size=24)
    ...     pipe.set_outputs(output)
    ...     (result,) = pipe.run()
    ...     print(result.shape())
    [(4, 24, 24, 3)]

    Outputs:
        clips: uint8 or float, FHWC; the other outputs are those of `experimental.readers.video`.

    Raises:
        SourceError, OSError, DecodeError: as `experimental.readers.video`.

    Args:
        antialias (bool | None): Widen the filter of a shrinking axis by the reduction factor,
            so that all pixels count. Nearest neighbor is never widened. Default: True.
        interp_type (DALIInterpType | None): Filter, where `min_filter` or `mag_filter` do not
            say otherwise. Default: INTERP_LINEAR.
        mag_filter (DALIInterpType | None): Filter for an axis that keeps its extent or grows.
            Default: interp_type.
        max_size (float | Sequence[float] | None): Upper limit of the result's extents, one for
            all or one an axis; 0 and less are no limit. Modes that keep the aspect ratio keep
            it under the limit too.
        min_filter (DALIInterpType | None): Filter for an axis that shrinks. Default:
            interp_type.
        mode (Literal['default', 'stretch', 'not_larger', 'not_smaller'] | None): How missing
            extents are chosen, and the aspect ratio. 'default': as given; missing ones scale by
            the (geometric) mean of the others. 'stretch': as given; missing ones stay.
            'not_larger': aspect ratio kept, no extent above the given ones. 'not_smaller':
            aspect ratio kept, no extent below the given ones. Default: 'default'.
        resize_longer (float | None): Wanted length of the longer side; the aspect ratio is
            kept. Default: 0.0.
        resize_shorter (float | None): Wanted length of the shorter side; the aspect ratio is
            kept. `max_size` may limit the longer one. Default: 0.0.
        resize_x (float | None): Wanted width in pixels; 0 and negative as in `size`. Default:
            0.0.
        resize_y (float | None): Wanted height in pixels; 0 and negative as in `size`. Default:
            0.0.
        resize_z (float | None): Wanted depth of a volume; 0 and negative as in `size`. Default:
            0.0.
        roi_end (float | Sequence[float] | None): Last edge of the region; needs `roi_start`.
        roi_relative (bool | None): Edges of the region are fractions of the image's extents.
            Default: False.
        roi_start (float | Sequence[float] | None): First edge of the region to resize, (y, x)
            or (z, y, x), in pixels. The edge may be fractional. Outside of the image, the
            border is repeated. A start beyond the end mirrors the axis.
        size (float | Sequence[float] | None): Wanted (height, width) in pixels, or (depth,
            height, width) for volumes; one number stands for all. 0 leaves an extent to `mode`;
            a negative one mirrors the axis.
        subpixel_scale (bool | None): Where an extent was rounded, show a little more or less of
            the input, so that the scale is the one asked for. Otherwise the scale changes.
            Default: True.
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
        labels (int | Sequence[int] | None): Labels of `filenames`; an empty list stands for 0,
            1, 2, ...
        file_list_frame_num (bool | None): Whether start and end of a range are frames; else
            they are seconds. Default: False.
        file_list_include_preceding_frame (bool | None): Round the start of a range down and its
            end up, in place of the start up, the end down. Default: False.
        pad_sequences (bool | None): Whether incomplete clips are filled with black frames, not
            left out. Default: False.
        dtype (DALIDataType | DTypeLike | None): Element type of the clips: UINT8 or FLOAT.
            Default: UINT8.
        normalized (bool | None): Whether floats span 0 to 1 in place of 0 to 255. Default:
            False.
        channels (int | None): Number of channels: 3. Default: 3.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        Accepted for compatibility, without effect: minibatch_size, temp_buffer_hint,
            initial_fill, read_ahead, skip_cached_images, lazy_init, dont_use_mmap,
            use_o_direct, tensor_init_bytes, bytes_per_sample, skip_vfr_check,
            additional_decode_surfaces.
    """

    def __init__(
        self,
        max_batch_size: int | None = ...,
        name: str | None = ...,
        device: object = ...,
        num_inputs: int | None = ...,
        *,
        enable_checkpointing: _builtins.bool = ...,
        antialias: _builtins.bool | None = ...,
        interp_type: DALIInterpType | None = ...,
        mag_filter: DALIInterpType | None = ...,
        max_size: float | _abc.Sequence[float] | None = ...,
        min_filter: DALIInterpType | None = ...,
        mode: Literal['default', 'stretch', 'not_larger', 'not_smaller'] | None = ...,
        resize_longer: float | None = ...,
        resize_shorter: float | None = ...,
        resize_x: float | None = ...,
        resize_y: float | None = ...,
        resize_z: float | None = ...,
        roi_end: float | _abc.Sequence[float] | None = ...,
        roi_relative: _builtins.bool | None = ...,
        roi_start: float | _abc.Sequence[float] | None = ...,
        size: float | _abc.Sequence[float] | None = ...,
        subpixel_scale: _builtins.bool | None = ...,
        random_shuffle: _builtins.bool | None = ...,
        shuffle_after_epoch: _builtins.bool | None = ...,
        shuffle_after_epoch_seed: int | None = ...,
        shuffle_seed: int | None = ...,
        shuffle_block: int | None = ...,
        shuffle_window: int | None = ...,
        shard_id: int | None = ...,
        num_shards: int | None = ...,
        stick_to_shard: _builtins.bool | None = ...,
        indices: Any | None = ...,
        batch_cost: _abc.Mapping[str, Any] | None = ...,
        pad_last_batch: _builtins.bool | None = ...,
        prefetch_queue_depth: int | None = ...,
        storage_options: _abc.Mapping[str, Any] | None = ...,
        audio: _builtins.bool | None = ...,
        audio_rate: float | None = ...,
        audio_downmix: _builtins.bool | None = ...,
        filenames: str | _abc.Sequence[str] | None = ...,
        file_root: str | None = ...,
        file_list: str | None = ...,
        sequence_length: int = ...,
        stride: int | None = ...,
        step: int | None = ...,
        enable_frame_num: Literal['none', False, 'scalar', True, 'sequence'] | None = ...,
        enable_timestamps: _builtins.bool | None = ...,
        image_type: DALIImageType | None = ...,
        labels: int | _abc.Sequence[int] | None = ...,
        file_list_frame_num: _builtins.bool | None = ...,
        file_list_include_preceding_frame: _builtins.bool | None = ...,
        pad_sequences: _builtins.bool | None = ...,
        dtype: DTypeLike | None = ...,
        normalized: _builtins.bool | None = ...,
        channels: int | None = ...,
        seed: int | None = ...,
        minibatch_size: int | None = ...,
        temp_buffer_hint: int | None = ...,
        initial_fill: int | None = ...,
        read_ahead: _builtins.bool | None = ...,
        skip_cached_images: _builtins.bool | None = ...,
        lazy_init: _builtins.bool | None = ...,
        dont_use_mmap: _builtins.bool | None = ...,
        use_o_direct: _builtins.bool | None = ...,
        tensor_init_bytes: int | None = ...,
        bytes_per_sample: float | None = ...,
        skip_vfr_check: _builtins.bool | None = ...,
        additional_decode_surfaces: int | None = ...,
    ) -> None: ...

class Webdataset(Reader):
    """Reads samples from tar archives of the WebDataset format.

    Files that follow one another and agree in folder and name up to the first dot are the
    components of a sample; the rest of the name is the extension. Where several components of
    a sample match an output, the first one counts; a warning tells of files of one name. Files
    whose names start with a dot are left out. v7, ustar, PAX and GNU archives are read, sparse
    files and compressed archives are not.

    On four cores and more, processes of the reader's own read local files after a fifth of a second
    of reading, unless the pipeline has `exec_processes=False`.

    Labels such as `cat.cls` are text. With a type of several bytes they become numbers:

    >>> import io, tarfile
    >>> from penstock import fn, pipeline_def, types
    >>> with tarfile.open("train.tar", "w") as archive:
    ...     for name, content in {"cat.jpg": b"...", "cat.cls": b"12"}.items():
    ...         member = tarfile.TarInfo(name)
    ...         member.size = len(content)
    ...         archive.addfile(member, io.BytesIO(content))
    >>> @pipeline_def(batch_size=1, num_threads=1)
    ... def samples():
    ...     return fn.readers.webdataset(
    ...         paths="train.tar", ext=["jpg", "cls"], dtypes=[types.UINT8, types.INT32]
    ...     )
    >>> with samples() as pipe:
    ...     images, labels = pipe.run()
    >>> labels.as_array().tolist()
    [[12]]

    Outputs:
        for each entry of `ext`, the component's bytes: of the type in `dtypes`, shape (size,). A
            number that is written as text: shape (1,).

    Differences from DALI: components cls, cls2, class, count, id, index, inx and txt become numbers
    if their `dtypes` entry has several bytes and they are printable text; DALI takes the text for
    elements. Without `dtypes` the bytes are DALI's; then a warning tells of components of labels.
    Without `case_sensitive_extensions`, `a.JPEG` is found by "jpeg"; DALI gives an empty array.

    Raises:
        SourceError: an archive is damaged, or its index belongs to another one.
        DecodeError: a component is text where a number is wanted (see `on_error` of the pipeline).
        OSError: an archive cannot be read (see `on_error` of the pipeline).

    Args:
        paths (str | Sequence[str]): Paths of the archives. Braces ('shard-{000..127}.tar'),
            globs and folders stand for the files that they name. Of a folder with Energon's
            metadata (.nv-meta), the shards of a split are read. The URL of a folder ends with a
            slash.
        ext (str | Sequence[str]): An entry for each output: extensions, separated by ';', such
            as 'jpg;jpeg;png'. They may hold dots. Names of fields are those that the field map
            of Energon's metadata has.
        index_paths (str | Sequence[str] | None): Index files of DALI (v1.1 or v1.2), one for
            each archive. Without them the archives are scanned, and the result is kept beside
            the file, or in the user's cache folder, for the next time.
        missing_component_behavior (str | None): What to do with a sample that has no component
            for an output: 'empty' gives an empty array, 'skip' leaves the sample out, 'error'
            raises. Without this argument a warning counts such samples. Default: 'empty'.
        dtypes (DALIDataType | DTypeLike | Sequence[DALIDataType | DTypeLike] | None): Types
            that the outputs' bytes are taken for, one each; by default UINT8. Integers and real
            numbers in decimal digits are read for cls, cls2, class, count, id, index, inx and
            txt, if the type has several bytes.
        split (str | None): Split of the folders that `paths` names, such as 'train', as
            Energon's metadata, README.md, or the names of files and folders tell it. Needed for
            data sets of Energon and of the Hub if several splits have shards.
        config (str | None): Configuration of the folders that `paths` names: one that README.md
            lists, or a folder.
        case_sensitive_extensions (bool | None): Whether `ext` distinguishes case (of ASCII). If
            this is not given, a component whose name differs in case alone counts for samples
            without the exact one. Two such components of a sample are an error. Default: True.
        samples_per_shard (int | Sequence[int] | None): Numbers of samples of the archives, in
            the order of `paths`; or one number, of which the last archive may have fewer.
            Archives behind URLs are then opened when their turn comes. An archive with another
            number is an error.
        extension_dot (Literal['first', 'last'] | None): Which dot of a file's name the
            extension starts behind: the 'first' or the 'last'. Index files of DALI always mean
            the first. Default: 'first'.
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
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        Accepted for compatibility, without effect: initial_fill, read_ahead,
            skip_cached_images, lazy_init, dont_use_mmap, use_o_direct, tensor_init_bytes,
            bytes_per_sample.
    """

    def __init__(
        self,
        max_batch_size: int | None = ...,
        name: str | None = ...,
        device: object = ...,
        num_inputs: int | None = ...,
        *,
        enable_checkpointing: _builtins.bool = ...,
        paths: str | _abc.Sequence[str] = ...,
        ext: str | _abc.Sequence[str] = ...,
        index_paths: str | _abc.Sequence[str] | None = ...,
        missing_component_behavior: str | None = ...,
        dtypes: DTypeLike | _abc.Sequence[DTypeLike] | None = ...,
        split: str | None = ...,
        config: str | None = ...,
        case_sensitive_extensions: _builtins.bool | None = ...,
        samples_per_shard: int | _abc.Sequence[int] | None = ...,
        extension_dot: Literal['first', 'last'] | None = ...,
        random_shuffle: _builtins.bool | None = ...,
        shuffle_after_epoch: _builtins.bool | None = ...,
        shuffle_after_epoch_seed: int | None = ...,
        shuffle_seed: int | None = ...,
        shuffle_block: int | None = ...,
        shuffle_window: int | None = ...,
        shard_id: int | None = ...,
        num_shards: int | None = ...,
        stick_to_shard: _builtins.bool | None = ...,
        indices: Any | None = ...,
        batch_cost: _abc.Mapping[str, Any] | None = ...,
        pad_last_batch: _builtins.bool | None = ...,
        prefetch_queue_depth: int | None = ...,
        storage_options: _abc.Mapping[str, Any] | None = ...,
        seed: int | None = ...,
        initial_fill: int | None = ...,
        read_ahead: _builtins.bool | None = ...,
        skip_cached_images: _builtins.bool | None = ...,
        lazy_init: _builtins.bool | None = ...,
        dont_use_mmap: _builtins.bool | None = ...,
        use_o_direct: _builtins.bool | None = ...,
        tensor_init_bytes: int | None = ...,
        bytes_per_sample: float | None = ...,
    ) -> None: ...
