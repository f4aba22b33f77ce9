"""torchvision's transforms as pipelines, and torchvision's own transforms in pipelines.

    from penstock.experimental.torchvision import Compose, Resize, from_torchvision

The names and arguments are those of DALI's module, and the pixels are torchvision's. PyTorch is
needed for tensors alone, Pillow for its images, and torchvision not at all.

images         the images between transforms, with boxes and masks
transform      the base of transforms; geometry, random_sizes, warps, color, distortion,
               conversion, choices, auto_augment, mixing: the transforms
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
from .distortion import RandomChannelPermutation, RandomPhotometricDistort
from .geometry import (
    CenterCrop,
    ClampBoundingBoxes,
    Pad,
    RandomCrop,
    RandomHorizontalFlip,
    RandomResizedCrop,
    RandomVerticalFlip,
    RandomZoomOut,
    Resize,
)
from .mixing import AugMix
from .random_sizes import RandomResize, RandomShortestSize, ScaleJitter
from .transform import InterpolationMode, Transform
from .translation import Translation, from_torchvision
from .warps import RandomAffine, RandomPerspective, RandomRotation

__all__ = [
    "AugMix",
    "AutoAugment",
    "CenterCrop",
    "ClampBoundingBoxes",
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
    "RandomChannelPermutation",
    "RandomChoice",
    "RandomCrop",
    "RandomEqualize",
    "RandomErasing",
    "RandomGrayscale",
    "RandomHorizontalFlip",
    "RandomInvert",
    "RandomOrder",
    "RandomPerspective",
    "RandomPhotometricDistort",
    "RandomPosterize",
    "RandomResize",
    "RandomResizedCrop",
    "RandomRotation",
    "RandomShortestSize",
    "RandomSolarize",
    "RandomVerticalFlip",
    "RandomZoomOut",
    "Resize",
    "ScaleJitter",
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
