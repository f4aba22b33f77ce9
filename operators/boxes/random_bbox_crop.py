"""`fn.random_bbox_crop`: a random window that keeps boxes, and the boxes in the window."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ...engine.errors import ArgumentError
from ...engine.graph.context import BatchContext
from ...engine.graph.operator import Array, BatchOperator, register
from ...engine.graph.params import BOOL, FLOAT, FLOATS, INT, INTS, LAYOUT, STR, param
from ...engine.graph.rules import BatchRules, Input
from ...engine.tensors import TensorList
from ...engine.tensors.rows import packed_between
from ...formats.ragged import bounds_of, rows_between
from ..common.batch_arguments import numbers_of
from .boxes_of_batch import joined, read_corners
from .crop_rules import CropRules
from .crop_search import DrawnWindows
from .window_shapes import FixedExtents, Proposals, RandomExtents
from .windows_of_samples import boxes_in_windows, draw_windows, no_window


@register
class RandomBboxCrop(BatchOperator):
    """Draws a random window that overlaps with boxes as wanted, and moves the boxes into it.

    Each round of `num_attempts` attempts draws one of the `thresholds`, or, if `allow_no_crop`, the
    whole image. The first window that meets its round's threshold and keeps a box wins. Without
    boxes, the first window of an allowed aspect ratio wins. If `total_num_attempts` attempts fail,
    which are counted in whole rounds, the window with the best overlap is taken, and a warning says
    so. Then the image stays whole if no window had an allowed aspect ratio. Without
    `total_num_attempts`, a search fails after 65536 attempts.

    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> boxes = np.float32([[0.25, 0.25, 0.75, 0.75]])
    >>> with Pipeline(batch_size=1, num_threads=1, seed=1) as pipe:
    ...     output = fn.random_bbox_crop(boxes, [7], scaling=[0.6, 0.8], allow_no_crop=False)
    ...     pipe.set_outputs(*output)
    ...     for output in pipe.run():
    ...         print(output.at(0).round(2))
    [0.15 0.06]
    [0.67 0.67]
    [[0.15 0.28 0.9  1.  ]]
    [7]

    Inputs:
        boxes: float32, shape (boxes, 4) or (boxes, 6), in the order of `bbox_layout`, relative to
            the image's size.
        labels: integers, shape (boxes,) or (boxes, k).

    Outputs:
        anchor: float32, (x, y) or (x, y, z) of the window's corner, for `fn.slice`.
        shape: float32, (width, height) or (width, height, depth).
        boxes: those that the window keeps, clipped to the window and relative to it.
        labels: of these boxes, if labels were given.
        indices: int32 numbers of these boxes, if `output_bbox_indices`.

    Anchor and shape are relative to the image; with `crop_shape` they are pixels. A box that ends
    before it starts is empty.

    Raises:
        ArgumentError: a box lies outside of the image, labels do not match the boxes, or an
            unlimited search fails.
    """

    name = "random_bbox_crop"
    is_random = True
    inputs = ("boxes", Input("labels", optional=True))
    batches = BatchRules(sample_independent=True)

    aspect_ratio = param(
        FLOATS,
        (1.0, 1.0),
        "Range of width / height, in pixels if `input_shape` is given, else relative to the "
        "image's. Boxes with three dimensions have three ranges, of x / y, x / z and y / z, or one "
        "for all.",
        minimum=0,
    )
    scaling = param(FLOATS, (1.0, 1.0), "Range of each extent, relative to the image's.", minimum=0)
    thresholds = param(
        FLOATS, (0.0,), "Least overlaps, of which each round draws one.", minimum=0, maximum=1
    )
    threshold_type = param(
        STR,
        "iou",
        'What overlap means: "iou", intersection over union, or "overlap", the share of the box '
        "that is in the window.",
        choices=("iou", "overlap"),
    )
    all_boxes_above_threshold = param(
        BOOL, True, "Whether all boxes must overlap so much, or only one."
    )
    allow_no_crop = param(
        BOOL, None, "Whether the whole image is an option; by default it is without `crop_shape`."
    )
    num_attempts = param(INT, 1, "Attempts in a round.", minimum=1)
    total_num_attempts = param(
        INT, -1, "Attempts before the best window is taken; -1 for no limit.", minimum=-1
    )
    bbox_prune_threshold = param(
        FLOAT,
        None,
        "Least share of a box in the window to keep the box, which must be above 0; by default "
        "boxes are kept whose center is in the window.",
        minimum=0,
        maximum=1,
    )
    bbox_layout = param(
        LAYOUT,
        "",
        'Order of the columns of boxes: an order of "xyXY", "xyWH", "xyzXYZ" or "xyzWHD".',
    )
    ltrb = param(BOOL, None, 'Older form of `bbox_layout`: True for "xyXY", False for "xyWH".')
    crop_shape = param(
        INTS,
        None,
        "Size of the window in pixels, instead of a random one; one number for all axes.",
        per_sample=True,
    )
    input_shape = param(
        INTS, None, "Size of the image in pixels, as `crop_shape`.", per_sample=True
    )
    shape_layout = param(LAYOUT, "", 'Order of these sizes: "WH" or "WHD" by default.')
    output_bbox_indices = param(BOOL, False, "Whether to return the numbers of the boxes.")
    quiet = param(BOOL, False, "Whether no warning says that no window met its threshold.")

    def prepare(self) -> None:
        self._check_arguments()
        self.rules = CropRules(
            self.thresholds,
            allow_no_crop="crop_shape" not in self.given
            if self.allow_no_crop is None
            else self.allow_no_crop,
            all_boxes=self.all_boxes_above_threshold,
            by_coverage=self.threshold_type == "overlap",
            least_coverage=self.bbox_prune_threshold,
            round_attempts=self.num_attempts,
            most_attempts=self.total_num_attempts,
        )
        self._ratios: tuple[tuple[float, float], ...] = tuple(
            zip(self.aspect_ratio[::2], self.aspect_ratio[1::2], strict=True)
        )

    def num_outputs(self) -> int:
        return 3 + (len(self.layouts) > 1) + bool(self.output_bbox_indices)

    def output_layouts(self) -> tuple[str, ...]:
        return ("",) * self.num_outputs()

    def batch(
        self,
        batch: BatchContext,
        boxes: TensorList,
        labels: TensorList | None = None,
        *,
        crop_shape: Any,
        input_shape: Any,
    ) -> tuple[Any, ...]:
        ltrb = self.ltrb is not False
        read = read_corners(batch, self.called, boxes, labels, self.bbox_layout, ltrb=ltrb)
        corners, counts, layout, of_labels = read
        size = self._extents(batch, "input_shape", input_shape, layout.dimensions)
        crop = self._extents(batch, "crop_shape", crop_shape, layout.dimensions)
        numbers = batch.random(self, 1)[:, 0]
        proposals = self._proposals(size, crop, layout.dimensions)
        drawn = draw_windows(self, self.rules, corners, counts, proposals, numbers)
        self._report(batch, drawn, counts)
        moved, bounds = boxes_in_windows(corners, counts, drawn, layout)
        windows = drawn.corners.T
        if size is not None and crop is not None:
            windows = np.rint(windows * np.tile(size, 2)).astype(np.float32)
        anchors = np.ascontiguousarray(windows[:, : layout.dimensions])
        results: list[Any] = [anchors, windows[:, layout.dimensions :] - anchors]
        results.append(packed_between(moved, bounds))
        if labels is not None:
            results.append(_chosen(of_labels, counts, drawn.kept, bounds))
        if self.output_bbox_indices:
            first = np.repeat(np.cumsum(counts) - counts, np.diff(bounds))
            indices = drawn.kept.nonzero()[0] - first
            results.append(packed_between(indices.astype(np.int32), bounds))
        return tuple(results)

    def _report(self, batch: BatchContext, drawn: DrawnWindows, counts: Array) -> None:
        """Enter errors of searches that failed, or warn of them if a window is taken anyway."""
        failed = np.flatnonzero(~drawn.met).tolist()
        if self.total_num_attempts < 0:
            for row in failed:
                batch.fail_row(row, no_window(self, self.rules, int(counts[row])))
        elif failed and not self.quiet:
            message = _FAILED.format(self.called, len(failed))
            warnings.warn(message, RuntimeWarning, stacklevel=2)

    def _proposals(self, size: Array | None, crop: Array | None, dimensions: int) -> Proposals:
        if crop is not None and size is not None:
            return FixedExtents(crop, size)
        ratios = self._ratios[: 1 if dimensions == 2 else 3]
        shape = None if size is None else size.astype(np.float32)
        return RandomExtents(self.scaling, ratios, shape)

    def _extents(
        self, batch: BatchContext, name: str, values: object, dimensions: int
    ) -> Array | None:
        """Return a size in the order W, H, D for each sample, or None."""
        if values is None:
            return None
        letters = "WHD"[:dimensions]
        layout = self.shape_layout or letters
        table = numbers_of(values, batch.size, dimensions)
        if sorted(layout) != sorted(letters):
            self.refuse(f"shape_layout is {layout!r}, but must be an order of {letters!r}")
        wrong = np.logical_not((table >= 1).all(axis=1))
        for row in np.flatnonzero(wrong).tolist():
            given = values.row(row).tolist() if isinstance(values, TensorList) else values
            error = ArgumentError(
                f"{self.called}: {name} is {given}, but must have {dimensions} numbers, each at "
                f"least 1, in the order {layout!r}"
            )
            batch.fail_row(row, error)
        extents: Array = np.where(wrong[:, None], 1, table)
        return extents[:, [layout.index(letter) for letter in letters]]

    def _check_arguments(self) -> None:
        if "ltrb" in self.given and self.bbox_layout:
            self.refuse("give either bbox_layout or ltrb")
        if not self.thresholds:
            self.refuse("thresholds is empty; give at least one")
        if self.total_num_attempts == 0:
            self.refuse("total_num_attempts is 0; leave it out for no limit")
        if len(self.scaling) != 2 or self.scaling[0] > self.scaling[1]:
            self.refuse(f"scaling is {self.scaling}, but must be (least, largest)")
        ratios = self.aspect_ratio
        if len(ratios) not in (2, 6) or any(
            not least <= largest for least, largest in zip(ratios[::2], ratios[1::2], strict=True)
        ):
            self.refuse(f"aspect_ratio is {ratios}, but must be (least, largest), once or 3 times")
        if "crop_shape" in self.given:
            if "input_shape" not in self.given:
                self.refuse("crop_shape needs the argument input_shape, the size of the image")
            unfit = {"scaling", "aspect_ratio"} & self.given or (
                {"allow_no_crop"} if self.allow_no_crop else set()
            )
            if unfit:
                self.refuse(f"crop_shape does not go with {' and '.join(sorted(unfit))}")


def _chosen(labels: Array | list[Array], counts: Array, kept: Array, bounds: Array) -> object:
    """Return the labels of the kept boxes, by sample.

    Args:
        labels: of all boxes, or a list with those of each sample.
        counts: number of boxes of each sample.
        kept: which boxes are kept, of all samples.
        bounds: of the kept boxes of each sample.
    """
    together = joined(labels) if isinstance(labels, list) else labels
    if together is not None:
        return packed_between(together[kept], bounds)
    of_rows = rows_between(kept, bounds_of(counts))
    return [row[chosen] for row, chosen in zip(labels, of_rows, strict=True)]


_FAILED = (
    "{}: no window met its threshold within total_num_attempts for {} samples of the batch; the "
    "best window is used (quiet=True silences this warning)"
)
