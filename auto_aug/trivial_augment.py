"""TrivialAugment Wide: one random augmentation of a random magnitude (arXiv:2103.10158)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..engine.errors import ArgumentError
from ..engine.graph.nodes import DataNode
from .core import Augmentation
from .core.policies import Step, check_bins
from .core.sequences import Labels, StepSequences, apply_sequences
from .suites import fitting, increasing, options_of, without
from .translations import get_translations

__all__ = ["apply_trivial_augment", "get_trivial_augment_wide_suite", "trivial_augment_wide"]

_MOST_PIXELS, _MOST_RELATIVE = 32, 1.0


def trivial_augment_wide(
    data: DataNode,
    num_magnitude_bins: int = 31,
    shape: DataNode | Sequence[int] | None = None,
    fill_value: float | None = 128,
    interp_type: object = None,
    max_translate_abs: object = None,
    max_translate_rel: object = None,
    seed: int | None = None,
    excluded: list[str] | None = None,
    *,
    pillow: bool = False,
    boxes: DataNode | None = None,
    masks: DataNode | None = None,
) -> Any:
    """Augment each sample by one random augmentation of a random magnitude.

    Args:
        data: uint8 images (HWC) or videos (FHWC), whose frames share the augmentation.
        num_magnitude_bins: number of bins into which ranges of magnitudes are divided.
        shape: height and width of the samples; with it, translations are relative to them.
        fill_value, interp_type, seed: see `auto_augment.auto_augment`.
        max_translate_abs: the largest translation in pixels, 32 by default.
        max_translate_rel: the same relative to `shape`, 1 by default.
        excluded: names of augmentations to leave out.
        pillow, boxes, masks: see `auto_augment.auto_augment`.

    Returns:
        the samples: uint8, of the layout and the shape of `data`. With `boxes` or `masks` a list:
        the samples, and those of boxes and masks that were given.

    Raises:
        ArgumentError: a number is out of its range, or there is no augmentation to exclude.

    >>> import numpy as np
    >>> from penstock import fn, pipeline_def
    >>> @pipeline_def(batch_size=2, num_threads=1, seed=3)
    ... def training():
    ...     images = fn.external_source(lambda: [np.eye(8, dtype=np.uint8)[..., None]] * 2)
    ...     return trivial_augment_wide(images)
    >>> with training() as pipe:
    ...     [row.shape for row in pipe.run()[0].rows()]
    [(8, 8, 1), (8, 8, 1)]
    """
    suite = get_trivial_augment_wide_suite(shape is not None, max_translate_abs, max_translate_rel)
    options = options_of(fill_value, interp_type, shape, pillow=pillow)
    labels = {"boxes": boxes, "masks": masks}
    suite = without(suite, excluded)
    options = fitting(suite, options)
    return apply_trivial_augment(suite, data, num_magnitude_bins, seed, **labels, **options)


def apply_trivial_augment(
    augmentations: Sequence[Augmentation],
    data: DataNode,
    num_magnitude_bins: int = 31,
    seed: int | None = None,
    *,
    boxes: DataNode | None = None,
    masks: DataNode | None = None,
    **kwargs: object,
) -> Any:
    """Augment each sample by a random one of the augmentations, of a random magnitude.

    Augmentations of `penstock.auto_aug.augmentations` run in one operator. Others need a pipeline
    with `enable_conditionals=True`.

    Args:
        augmentations: all of them are equally likely.
        data: the samples.
        num_magnitude_bins, seed: see `trivial_augment_wide`.
        boxes, masks: see `auto_augment.auto_augment`.
        kwargs: arguments of the augmentations. Each gets those that its function names.

    Raises:
        ArgumentError: a number is out of its range, there are no augmentations, or an argument is
            missing or is not used.
    """
    check_bins(num_magnitude_bins)
    if not augmentations:
        raise ArgumentError("The `augmentations` list cannot be empty.")
    sequences: list[list[Step]] = [
        [(augmentation, 1.0, number)]
        for augmentation in augmentations
        for number in range(num_magnitude_bins)
    ]
    drawn = StepSequences(
        sequences, num_magnitude_bins, 1, "apply_trivial_augment", "get_trivial_augment_wide_suite"
    )
    return apply_sequences(drawn, data, seed, Labels(boxes, masks), kwargs)


def get_trivial_augment_wide_suite(
    use_shape: bool = False, max_translate_abs: object = None, max_translate_rel: object = None
) -> list[Augmentation]:
    """Return the augmentations of TrivialAugment Wide.

    Args:
        use_shape: whether translations are relative to an argument `shape`.
        max_translate_abs, max_translate_rel: see `trivial_augment_wide`.
    """
    translations = get_translations(
        use_shape, _MOST_PIXELS, _MOST_RELATIVE, max_translate_abs, max_translate_rel
    )
    return increasing(translations, shear=0.99, degrees=135, enhanced=(0.01, 0.99), least_bits=2)
