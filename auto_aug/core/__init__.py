"""What policies consist of.

functions    `augmentation` and `Augmentation`: functions of images and magnitudes
signed_bins  `signed_bin`: magnitudes with their signs
policies     `Policy`: the sequences of augmentations of AutoAugment
arguments    which arguments augmentations take
sequences    draws a sequence of augmentations for each sample, and applies it
selection    `select`: one of several operations for each sample
"""

from .functions import Augmentation, augmentation
from .policies import Policy
from .selection import select
from .signed_bins import signed_bin

_Augmentation = Augmentation  # DALI's name

__all__ = ["Augmentation", "Policy", "augmentation", "select", "signed_bin"]
