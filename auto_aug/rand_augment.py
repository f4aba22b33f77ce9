"""RandAugment: some random augmentations of one magnitude (arXiv:1909.13719)."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from ..engine.errors import ArgumentError
from ..engine.graph.nodes import DataNode
from . import augmentations as a
from .core import Augmentation
from .core.policies import Step, check_bins, is_int
from .core.sequences import Labels, StepSequences, apply_sequences
from .suites import by_factor, fitting, increasing, options_of, without
from .translations import get_translations

__all__ = [
    "apply_rand_augment",
    "get_rand_augment_non_monotonic_suite",
    "get_rand_augment_suite",
    "rand_augment",
]

_MOST_PIXELS, _MOST_RELATIVE = 100, 100 / 224


def rand_augment(
    data: DataNode,
    n: int,
    m: int,
    num_magnitude_bins: int = 31,
    shape: DataNode | Sequence[int] | None = None,
    fill_value: float | None = 128,
    interp_type: object = None,
    max_translate_abs: object = None,
    max_translate_rel: object = None,
    seed: int | None = None,
    monotonic_mag: bool = True,
    excluded: list[str] | None = None,
    *,
    pillow: bool = False,
    boxes: DataNode | None = None,
    masks: DataNode | None = None,
) -> Any:
    """Augment each sample by `n` random augmentations, all with the magnitude `m`.

    Args:
        data: uint8 images (HWC) or videos (FHWC), whose frames share the augmentations.
        n: how many augmentations a sample gets. One may come several times.
        m: bin of the magnitude, below `num_magnitude_bins`.
        num_magnitude_bins: number of bins into which ranges of magnitudes are divided.
        shape: height and width of the samples; with it, translations are relative to them.
        fill_value, interp_type, seed: see `auto_augment.auto_augment`.
        max_translate_abs: the largest translation in pixels, 100 by default.
        max_translate_rel: the same relative to `shape`, 100/224 by default.
        monotonic_mag: whether larger bins change images more. If not, the ranges of posterize,
            solarize, brightness, contrast, color and sharpness are those of AutoAugment.
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
    ...     return rand_augment(images, n=2, m=9, excluded=["equalize"])
    >>> with training() as pipe:
    ...     [row.shape for row in pipe.run()[0].rows()]
    [(8, 8, 1), (8, 8, 1)]
    """
    get_suite = get_rand_augment_suite if monotonic_mag else get_rand_augment_non_monotonic_suite
    suite = get_suite(shape is not None, max_translate_abs, max_translate_rel)
    options = options_of(fill_value, interp_type, shape, pillow=pillow)
    labels = {"boxes": boxes, "masks": masks}
    suite = without(suite, excluded)
    options = fitting(suite, options)
    return apply_rand_augment(suite, data, n, m, num_magnitude_bins, seed, **labels, **options)


def apply_rand_augment(
    augmentations: Sequence[Augmentation],
    data: DataNode,
    n: int,
    m: int,
    num_magnitude_bins: int = 31,
    seed: int | None = None,
    *,
    boxes: DataNode | None = None,
    masks: DataNode | None = None,
    **kwargs: object,
) -> Any:
    """Augment each sample by `n` random ones of the augmentations, with the magnitude `m`.

    Augmentations of `penstock.auto_aug.augmentations` run in one operator. Others need a pipeline
    with `enable_conditionals=True`.

    Args:
        augmentations: all of them are equally likely.
        data: the samples.
        n, m, num_magnitude_bins, seed: see `rand_augment`.
        boxes, masks: see `auto_augment.auto_augment`.
        kwargs: arguments of the augmentations. Each gets those that its function names.

    Raises:
        ArgumentError: a number is out of its range, there are no augmentations, or an argument is
            missing or is not used.
    """
    if not is_int(n) or n < 0:
        raise ArgumentError(
            f"The number of operations to apply `n` must be a non-negative integer, got {n}."
        )
    check_bins(num_magnitude_bins)
    if not is_int(m) or not 0 <= m < num_magnitude_bins:
        raise ArgumentError(
            f"The magnitude bin `m` must be an integer from `[0, {num_magnitude_bins - 1}]` range. "
            f"Got {m}."
        )
    if n == 0:
        warnings.warn("RandAugment with `n=0` changes no sample.", stacklevel=2)
        kept = [samples for samples in (data, boxes, masks) if samples is not None]
        return kept if len(kept) > 1 else data
    if not augmentations:
        raise ArgumentError("The `augmentations` list cannot be empty, unless `n` is 0.")
    sequences: list[list[Step]] = [[(augmentation, 1.0, m)] for augmentation in augmentations]
    drawn = StepSequences(
        sequences, num_magnitude_bins, n, "apply_rand_augment", "get_rand_augment_suite"
    )
    return apply_sequences(drawn, data, seed, Labels(boxes, masks), kwargs)


def get_rand_augment_suite(
    use_shape: bool = False, max_translate_abs: object = None, max_translate_rel: object = None
) -> list[Augmentation]:
    """Return the augmentations of RandAugment; larger bins change images more.

    Args:
        use_shape: whether translations are relative to an argument `shape`.
        max_translate_abs, max_translate_rel: see `rand_augment`.
    """
    translations = get_translations(
        use_shape, _MOST_PIXELS, _MOST_RELATIVE, max_translate_abs, max_translate_rel
    )
    return increasing(translations, shear=0.3, degrees=30, enhanced=(0, 0.9), least_bits=4)


def get_rand_augment_non_monotonic_suite(
    use_shape: bool = False, max_translate_abs: object = None, max_translate_rel: object = None
) -> list[Augmentation]:
    """Return the augmentations of RandAugment, for colors with the ranges of AutoAugment.

    See `get_rand_augment_suite`.
    """
    translations = get_translations(
        use_shape, _MOST_PIXELS, _MOST_RELATIVE, max_translate_abs, max_translate_rel
    )
    return [*by_factor(translations), a.identity]
