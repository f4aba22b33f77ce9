"""AutoAugment: policies that were found by search, and policies of your own (arXiv:1805.09501)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..engine.errors import ArgumentError
from ..engine.graph.nodes import DataNode
from . import augmentations as a
from .core import Augmentation, Policy
from .core.sequences import Labels, StepSequences, apply_sequences
from .policy_tables import TABLES
from .suites import by_factor, options_of
from .translations import get_translations

__all__ = [
    "apply_auto_augment",
    "auto_augment",
    "auto_augment_image_net",
    "get_image_net_policy",
    "get_reduced_cifar10_policy",
    "get_reduced_image_net_policy",
    "get_svhn_policy",
]

Shape = DataNode | Sequence[int] | None
_BINS = 11
_MOST_PIXELS, _MOST_RELATIVE = 250, 1.0

_WITHOUT_TRANSLATION = "reduced_image_net"


def auto_augment(
    data: DataNode,
    policy_name: str = "image_net",
    shape: Shape = None,
    fill_value: float | None = 128,
    interp_type: object = None,
    max_translate_abs: object = None,
    max_translate_rel: object = None,
    seed: int | None = None,
    *,
    pillow: bool = False,
    boxes: DataNode | None = None,
    masks: DataNode | None = None,
) -> Any:
    """Augment each sample by a random sub-policy of a policy of AutoAugment.

    Args:
        data: uint8 images (HWC) or videos (FHWC), whose frames share the augmentations.
        policy_name: "image_net", "reduced_image_net", "svhn" or "reduced_cifar10".
        shape: height and width of the samples: for all, or a node such as
            `fn.peek_image_shape(encoded)`. With it, translations are relative to the shape.
        fill_value: what lies around moved images; None repeats their border.
        interp_type: `types.INTERP_LINEAR`, the default, or `types.INTERP_NN`.
        max_translate_abs: the largest translation in pixels, 250 by default: one number, or those
            of y and x. Only without `shape`.
        max_translate_rel: the same relative to `shape`, 1 by default. Only with `shape`.
        seed: of the draws; by default they follow from the pipeline's seed.
        pillow: whether brightness, contrast, color, sharpness, equalize and auto_contrast give
            Pillow's results, as torchvision does for Pillow's images, to the last digit.
        boxes: boxes that move with the images: float32, (boxes, 4): left, top, right and bottom,
            relative to the image. Each becomes the box around its moved corners.
        masks: masks that move with the images: of their height and width, of any type. Pixels from
            outside are 0.

    Returns:
        the samples: uint8, of the layout and the shape of `data`. With `boxes` or `masks` a list:
        the samples, and those of boxes and masks that were given.

    Raises:
        ArgumentError: there is no such policy, or it moves no images and an argument says how.

    >>> import numpy as np
    >>> from penstock import fn, pipeline_def
    >>> @pipeline_def(batch_size=2, num_threads=1, seed=3)
    ... def training():
    ...     images = fn.external_source(lambda: [np.eye(8, dtype=np.uint8)[..., None]] * 2)
    ...     return auto_augment(images)
    >>> with training() as pipe:
    ...     [row.shape for row in pipe.run()[0].rows()]
    [(8, 8, 1), (8, 8, 1)]
    """
    if policy_name not in TABLES:
        raise ArgumentError(
            f"The `policy_name` must be one of {', '.join(TABLES)}, but is {policy_name!r}."
        )
    options = options_of(fill_value, interp_type, shape, pillow=pillow)
    labels = {"boxes": boxes, "masks": masks}
    moves = {"max_translate_abs": max_translate_abs, "max_translate_rel": max_translate_rel}
    if policy_name == _WITHOUT_TRANSLATION:
        given = [name for name, value in {"shape": shape, **moves}.items() if value is not None]
        if given:
            raise ArgumentError(
                f"The policy `{policy_name}` does not translate images, so it takes no "
                f"`{given[0]}`."
            )
    policy = _policy(policy_name, shape is not None, **moves)
    return apply_auto_augment(policy, data, seed, **labels, **options)


def auto_augment_image_net(
    data: DataNode,
    shape: Shape = None,
    fill_value: float | None = 128,
    interp_type: object = None,
    max_translate_abs: object = None,
    max_translate_rel: object = None,
    seed: int | None = None,
    *,
    pillow: bool = False,
    boxes: DataNode | None = None,
    masks: DataNode | None = None,
) -> Any:
    """Augment each sample by the policy for ImageNet: `auto_augment` with "image_net"."""
    return auto_augment(
        data,
        "image_net",
        shape,
        fill_value,
        interp_type,
        max_translate_abs,
        max_translate_rel,
        seed,
        pillow=pillow,
        boxes=boxes,
        masks=masks,
    )


def apply_auto_augment(
    policy: Policy,
    data: DataNode,
    seed: int | None = None,
    *,
    boxes: DataNode | None = None,
    masks: DataNode | None = None,
    **kwargs: object,
) -> Any:
    """Augment each sample by a random sub-policy of a policy.

    Augmentations of `penstock.auto_aug.augmentations` run in one operator. Others need a pipeline
    with `enable_conditionals=True`.

    Args:
        policy: the policy.
        data: the samples.
        seed: of the draws.
        boxes, masks: see `auto_augment`.
        kwargs: arguments of the augmentations. Each gets those that its function names.

    Raises:
        ArgumentError: the policy is empty, an augmentation lacks an argument, or none of them
            takes an argument.
    """
    if not policy.sub_policies:
        raise ArgumentError(f"Cannot run empty policy. Got {policy} in `apply_auto_augment` call.")
    drawn = StepSequences(
        policy.sub_policies,
        policy.num_magnitude_bins,
        1,
        "apply_auto_augment",
        "get_image_net_policy",
    )
    return apply_sequences(drawn, data, seed, Labels(boxes, masks), kwargs)


def get_image_net_policy(
    use_shape: bool = False, max_translate_abs: object = None, max_translate_rel: object = None
) -> Policy:
    """Return the policy that was found for ImageNet.

    Args:
        use_shape: whether translations are relative to an argument `shape`.
        max_translate_abs, max_translate_rel: see `auto_augment`.
    """
    return _policy("image_net", use_shape, max_translate_abs, max_translate_rel)


def get_reduced_cifar10_policy(
    use_shape: bool = False, max_translate_abs: object = None, max_translate_rel: object = None
) -> Policy:
    """Return the policy that was found for a part of CIFAR-10; see `get_image_net_policy`."""
    return _policy("reduced_cifar10", use_shape, max_translate_abs, max_translate_rel)


def get_svhn_policy(
    use_shape: bool = False, max_translate_abs: object = None, max_translate_rel: object = None
) -> Policy:
    """Return the policy that was found for SVHN; see `get_image_net_policy`."""
    return _policy("svhn", use_shape, max_translate_abs, max_translate_rel)


def get_reduced_image_net_policy() -> Policy:
    """Return the policy that was found for a part of ImageNet. It has no translations."""
    return _policy("reduced_image_net", False)


def _policy(
    name: str, use_shape: bool, max_translate_abs: object = None, max_translate_rel: object = None
) -> Policy:
    known = _suite(use_shape, max_translate_abs, max_translate_rel)
    sub_policies = []
    for line in TABLES[name].strip().splitlines():
        steps = []
        for text in line.split("|"):
            which, probability, *number = text.split()
            steps.append((known[which], float(probability), int(number[0]) if number else None))
        sub_policies.append(steps)
    title = "".join(word.capitalize() for word in name.split("_"))
    return Policy(f"{title}Policy", _BINS, sub_policies)


def _suite(
    use_shape: bool, max_translate_abs: object, max_translate_rel: object
) -> dict[str, Augmentation]:
    """Return the augmentations of the paper by their names."""
    translations = get_translations(
        use_shape, _MOST_PIXELS, _MOST_RELATIVE, max_translate_abs, max_translate_rel
    )
    more = a.solarize_add.augmentation((0, 110), False), a.invert
    suite = [*by_factor(translations), *more]
    return {augmentation.name: augmentation for augmentation in suite}
