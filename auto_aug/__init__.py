"""Automatic augmentation: AutoAugment, RandAugment, TrivialAugment, and policies of your own.

auto_augment     policies of AutoAugment, for ImageNet, CIFAR-10 and SVHN, and `apply_auto_augment`
rand_augment     RandAugment
trivial_augment  TrivialAugment Wide
augmentations    the single augmentations
core             `augmentation` makes augmentations of functions; `Policy`, `select`, `signed_bin`
policy_tables    the policies of AutoAugment
suites           lists of augmentations by their names
translations     ranges of translations
suites           lists of augmentations, by their names

    from penstock.auto_aug import auto_augment

    images = auto_augment.auto_augment(images, "image_net")
"""

from . import augmentations, auto_augment, core, rand_augment, trivial_augment

__all__ = ["augmentations", "auto_augment", "core", "rand_augment", "trivial_augment"]
