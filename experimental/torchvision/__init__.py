"""torchvision's transforms as pipelines, and torchvision's own transforms in pipelines.

    from penstock.experimental.torchvision import Compose, Resize, from_torchvision

The names and arguments are those of DALI's module, and the pixels are torchvision's. PyTorch is
needed for tensors alone, Pillow for its images, and torchvision not at all.

images         the images between transforms, with boxes and masks
transform      the base of transforms; geometry, color, conversion: the transforms
compose        transforms as a function of images
exchange       images as samples, and results as images
translation    torchvision's transforms
v2             the same transforms as functions
"""

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

__all__ = [
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
    "RandomAdjustSharpness",
    "RandomAutocontrast",
    "RandomCrop",
    "RandomEqualize",
    "RandomErasing",
    "RandomGrayscale",
    "RandomHorizontalFlip",
    "RandomInvert",
    "RandomPosterize",
    "RandomResizedCrop",
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
    "from_torchvision",
]
