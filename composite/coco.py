"""COCO data sets: `fn.readers.coco`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from ..engine.errors import ArgumentError, SourceError
from ..engine.graph.operator import Array, register
from ..engine.graph.params import BOOL, FLOAT, STR, STRS, param
from ..readers.coco.columns import (
    OPTIONAL_OUTPUTS,
    IdColumn,
    MaskColumn,
    OptionalOutput,
    RaggedColumn,
    SampleColumn,
)
from ..readers.coco.panoptic import PanopticColumn
from ..readers.coco.preprocessed import load, save
from ..readers.coco.samples import CocoSamples, to_samples
from ..readers.coco.selection import Selected, select, warn_of_dropped
from ..readers.coco.source import CocoSource
from ..readers.files.reader import WholeFileReader
from ..readers.storage.opening import opened
from ..readers.storage.urls import is_local, is_url, place_of, shown

if TYPE_CHECKING:
    from ..formats.coco.instances import CocoInstances

_SAVED = (
    *("images", "skip_empty", "size_threshold", "ltrb", "ratio"),
    *("keypoints", "panoptic_root", "save_preprocessed_annotations"),
)
"""Arguments that preprocessed annotations cannot obey: DALI refuses them, too."""

_HIGHEST_ID = 100_000  # of categories whose names are told by their ids


@register
class Coco(WholeFileReader):
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
    """

    name = "readers.coco"
    aliases = ("coco_reader",)

    source: CocoSource

    file_root = param(STR, None, "Folder of the images.")
    path = param(
        STR,
        None,
        "A data set of YOLO, Pascal VOC or Open Images, in place of `file_root` and "
        "`annotations_file`: its folder or URL, or what names a split of it, such as "
        "'set/images/train', 'data.yaml', 'ImageSets/Main/train.txt' or "
        "'train-annotations-bbox.csv'.",
    )
    split = param(STR, "", "With `path`: the name of a split; by default there must be one alone.")
    annotations_file = param(STR, None, "JSON file with images, annotations and categories.")
    preprocessed_annotations = param(
        STR,
        None,
        "Folder with annotations that `save_preprocessed_annotations` has written, here or in "
        "DALI. They stand for `annotations_file`, and are as that call has selected and changed "
        "them. `include_iscrowd` and `avoid_class_remapping` have no effect here, as in DALI.",
        aliases=("meta_files_path",),
    )
    save_preprocessed_annotations = param(
        BOOL,
        False,
        "Write the selected annotations into a folder of files, in DALI's format.",
        aliases=("dump_meta_files",),
    )
    save_preprocessed_annotations_dir = param(
        STR, None, "The folder to write into.", aliases=("dump_meta_files_path",)
    )
    images = param(
        STRS,
        None,
        "Names of the images to read, as the annotation file has them, in reading order. A name "
        "may come several times. By default all images are read, in the order of their ids.",
    )
    skip_empty = param(BOOL, False, "Leave out images without a box.")
    size_threshold = param(
        FLOAT, 0.1, "Boxes whose width or height is smaller are dropped; in pixels."
    )
    include_iscrowd = param(BOOL, True, "Whether annotations with iscrowd=1 are returned.")
    avoid_class_remapping = param(
        BOOL, False, "Return the category ids of the file as labels, instead of 1, 2, 3, ..."
    )
    ltrb = param(
        BOOL,
        False,
        "Return boxes as left, top, right and bottom, instead of left, top, width and height.",
    )
    ratio = param(
        BOOL, False, "Divide coordinates of boxes, vertices and keypoints by the image's size."
    )
    polygon_masks = param(BOOL, False, "Return polygons and vertices.")
    masks = param(
        BOOL,
        False,
        "As `polygon_masks`, but start and end of a polygon are numbers of coordinates, of which a "
        "vertex has two.",
        deprecated="use `polygon_masks`, whose polygons start and end at numbers of vertices",
    )
    pixelwise_masks = param(BOOL, False, "Return masks of pixels; not with `polygon_masks`.")
    image_ids = param(BOOL, False, "Return the images' ids.", aliases=("save_img_ids",))
    keypoints = param(BOOL, False, "Return the keypoints of each box; zeros where there are none.")
    panoptic_root = param(
        STR,
        None,
        "Folder of the PNG files of a panoptic `annotations_file`. Boxes and labels are those of "
        "the segments, and two more outputs are returned: `panoptic` and `segment ids`.",
    )

    def prepare(self) -> None:
        super().prepare()
        self._dropped: dict[str, int] = {}
        self._root: str = self.file_root
        self._names: tuple[str, ...] = ()
        self.polygon_masks |= self.masks
        owners = (self.annotations_file, self.preprocessed_annotations, self.path)
        if sum(owner is not None for owner in owners) != 1:
            raise ArgumentError(
                "fn.readers.coco needs annotations_file, preprocessed_annotations or path, one of "
                "them"
            )
        if (self.file_root is None) == (self.path is None):
            self.refuse("needs file_root, or path, which has the images, too")
        if self.split and self.path is None:
            self.refuse("split is one of path")
        if self.path is not None and (self.keypoints or self.panoptic_root):
            self.refuse("a data set of path has neither keypoints nor panoptic masks")
        if self.polygon_masks and self.pixelwise_masks:
            raise ArgumentError(
                "fn.readers.coco returns polygon_masks or pixelwise_masks, not both; two readers "
                "return both"
            )
        given = [name for name in _SAVED if name in self.given and getattr(self, name) is not False]
        if self.preprocessed_annotations is not None and given:
            self.refuse(
                f"{given[0]} cannot be combined with preprocessed_annotations, which stay as the "
                "call with save_preprocessed_annotations has written them"
            )
        masks = self.polygon_masks or self.pixelwise_masks or self.keypoints
        if self.panoptic_root and masks:
            self.refuse(
                "panoptic annotations have no polygons and keypoints; leave out panoptic_root, or "
                "the arguments for these"
            )
        if self.save_preprocessed_annotations and not self.save_preprocessed_annotations_dir:
            self.refuse(
                "save_preprocessed_annotations needs a folder, in save_preprocessed_annotations_dir"
            )
        if self.save_preprocessed_annotations_dir and not self.save_preprocessed_annotations:
            self.refuse(
                "save_preprocessed_annotations_dir is where save_preprocessed_annotations=True "
                "writes, which is not given"
            )

    def _optional_outputs(self) -> list[OptionalOutput]:
        """Return the outputs behind the labels."""
        return [output for output in OPTIONAL_OUTPUTS if getattr(self, output.argument)]

    def num_outputs(self) -> int:
        return 3 + len(self._optional_outputs())

    def output_layouts(self) -> tuple[str, ...]:
        return "", "", "", *(output.layout for output in self._optional_outputs())

    def placeholder(self) -> tuple[Array, ...]:
        boxes, labels = np.empty((0, 4), np.float32), np.empty(0, np.int32)
        optional = [output.placeholder for output in self._optional_outputs()]
        return np.empty(0, np.uint8), boxes, labels, *optional

    def class_names(self) -> dict[str, tuple[str, ...]]:
        return {"label": self._names} if self._names else {}

    def class_outputs(self) -> dict[str, int]:
        return {"label": 2}

    def event_counts(self) -> dict[str, int]:
        return self._dropped

    def open_source(self) -> CocoSource:
        samples = self._samples()
        if not samples.file_names:
            where = self.annotations_file or self.preprocessed_annotations or self.path
            raise SourceError(f"fn.readers.coco: {where} has no image that the arguments select")
        if self.save_preprocessed_annotations:
            save(samples, self.save_preprocessed_annotations_dir)
        return CocoSource(samples, self._columns(samples), self._root, self.storage_options)

    def _samples(self) -> CocoSamples:
        if self.preprocessed_annotations is not None:
            return load(
                self.preprocessed_annotations,
                image_ids=self.image_ids,
                polygons=self.polygon_masks or self.pixelwise_masks,
                runs=self.pixelwise_masks,
            )
        name = shown(os.fsencode(self.annotations_file or self.path))
        selected = Selected(
            images=self.images,
            skip_empty=self.skip_empty,
            size_threshold=self.size_threshold,
            include_iscrowd=self.include_iscrowd,
            avoid_class_remapping=self.avoid_class_remapping,
            ltrb=self.ltrb,
            ratio=self.ratio,
        )
        parsed, corrected = self._parsed(name)
        self._names = self._names_by_label(parsed)
        coco, dropped = select(parsed, selected, name)
        self._dropped = dropped | corrected
        warn_of_dropped(coco, dropped, name)
        return to_samples(
            coco,
            selected,
            name,
            polygons=self.polygon_masks,
            runs=self.pixelwise_masks,
            image_ids=self.image_ids or self.save_preprocessed_annotations,
        )

    def _names_by_label(self, coco: CocoInstances) -> tuple[str, ...]:
        """Return the name of each label, "" for numbers without one."""
        if not self.avoid_class_remapping:
            return ("", *coco.category_names)
        named = dict(zip(coco.category_ids.tolist(), coco.category_names, strict=True))
        most = max(named, default=-1)
        if min(named, default=0) < 0 or most > _HIGHEST_ID:
            return ()
        return tuple(named.get(number, "") for number in range(most + 1))

    def _parsed(self, name: str) -> tuple[CocoInstances, dict[str, int]]:
        if self.path is not None:
            from ..readers.boxes.opening import open_box_set
            from .coco_folders import instances_of

            boxes = open_box_set(place_of(self.path), self.storage_options, self.split)
            self._root = boxes.root
            return instances_of(boxes, self.storage_options)
        from ..formats.coco.instances import parse_instances, parse_panoptic  # take 5 ms

        with opened(os.fsencode(self.annotations_file), self.storage_options) as file:
            if self.panoptic_root:
                coco = parse_panoptic(file, name)
            else:
                masks = self.polygon_masks or self.pixelwise_masks
                coco = parse_instances(file, name, segmentations=masks, keypoints=self.keypoints)
        if is_url(self.annotations_file):
            _check_names(coco.file_names + (coco.panoptic_names or []), name)
        return coco, {}

    def _columns(self, samples: CocoSamples) -> list[SampleColumn]:
        """Return the outputs behind the images."""
        columns: list[SampleColumn] = [
            RaggedColumn(samples.boxes, samples.bounds),
            RaggedColumn(samples.labels, samples.bounds),
        ]
        polygons, runs = samples.polygons, samples.runs
        if self.polygon_masks and polygons is not None:
            rows = polygons.polygons
            rows = rows * np.array([1, 2, 2], np.int32) if self.masks else rows
            columns.append(RaggedColumn(rows, polygons.bounds))
            columns.append(RaggedColumn(polygons.vertices, polygons.vertex_bounds))
        if polygons is not None and runs is not None:
            columns.append(MaskColumn(samples, polygons, runs))
        if self.image_ids and samples.image_ids is not None:
            columns.append(IdColumn(samples.image_ids))
        if samples.keypoints is not None:
            columns.append(RaggedColumn(samples.keypoints, samples.bounds))
        names, ids = samples.panoptic_names, samples.segment_ids
        if names is not None and ids is not None:
            columns.append(PanopticColumn(names, self.panoptic_root, self.storage_options))
            columns.append(RaggedColumn(ids, samples.bounds))
        return columns


def _check_names(file_names: list[str], name: str) -> None:
    """Raise SourceError if annotations behind a URL name a file outside of the images' folder.

    Otherwise a person who can change the annotations could have any file of this machine read.
    """
    for file_name in file_names:
        leaves = is_url(file_name) or is_local(os.fsencode(file_name))
        if leaves or ".." in file_name.split("/"):
            raise SourceError(
                f"{name}: annotations behind a URL may not name the file {file_name!r} outside of "
                "file_root; copy the annotations to this machine, if you trust them"
            )
