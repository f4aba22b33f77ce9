"""torchvision's transforms as pipelines, and torchvision's own transforms in pipelines.

    from penstock.experimental.torchvision import Compose, Resize, from_torchvision

The names and arguments are those of DALI's module, and the pixels are torchvision's. PyTorch is
needed for tensors alone, Pillow for its images, and torchvision not at all.

images         the images between transforms, with boxes and masks
transform      the base of transforms; geometry, warps, color, conversion, choices,
               auto_augment: the transforms
compose        transforms as a function of images
exchange       images as samples, and results as images
translation    torchvision's transforms in pipelines; translations, which is which
v2             the same transforms as functions
"""

from .auto_augment import AutoAugment, RandAugment, TrivialAugmentWide
from .choices import RandomApply, RandomChoice, RandomOrder
from .color import (
    ColorJitter,
    GaussianBlur,
    Grayscale,
    RandomAdjustSharpness,
    RandomAutocontrast,
    RandomEqualize,
    RandomGrayscale,
    RandomInvert,
    RandomPosterize,
    RandomSolarize,
)
from .compose import Compose
from .conversion import (
    ConvertImageDtype,
    Normalize,
    PILToTensor,
    RandomErasing,
    ToDtype,
    ToImage,
    ToPILImage,
    ToPureTensor,
    ToTensor,
)
from .geometry import (
    CenterCrop,
    Pad,
    RandomCrop,
    RandomHorizontalFlip,
    RandomResizedCrop,
    RandomVerticalFlip,
    Resize,
)
from .transform import InterpolationMode, Transform
from .translation import Translation, from_torchvision
from .warps import RandomAffine, RandomPerspective, RandomRotation

__all__ = [
    "AutoAugment",
    "CenterCrop",
    "ColorJitter",
    "Compose",
    "ConvertImageDtype",
    "GaussianBlur",
    "Grayscale",
    "InterpolationMode",
    "Normalize",
    "PILToTensor",
    "Pad",
    "RandAugment",
    "RandomAdjustSharpness",
    "RandomAffine",
    "RandomApply",
    "RandomAutocontrast",
    "RandomChoice",
    "RandomCrop",
    "RandomEqualize",
    "RandomErasing",
    "RandomGrayscale",
    "RandomHorizontalFlip",
    "RandomInvert",
    "RandomOrder",
    "RandomPerspective",
    "RandomPosterize",
    "RandomResizedCrop",
    "RandomRotation",
    "RandomSolarize",
    "RandomVerticalFlip",
    "Resize",
    "ToDtype",
    "ToImage",
    "ToPILImage",
    "ToPureTensor",
    "ToTensor",
    "Transform",
    "Translation",
    "TrivialAugmentWide",
    "from_torchvision",
]
