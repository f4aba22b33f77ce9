"""Arrays to arrays: one concept, one file. Importing this enters all operators in the table."""

from . import batches, copy, filled, properties, shapes
from .moving import (
    crop,
    dimensions,
    flip,
    join,
    pad,
    reshape,
    slice,
    subscript,
    transpose,
)
from .normalizing import crop_mirror_normalize, normalize
from .numeric import arithmetic, cast
from .random import beta, choice, random_numbers
from .resizing import random_resized_crop, resize, resize_crop_mirror
from .rotating import rotate
from .user import external_source, python_function

__all__ = [
    "arithmetic",
    "batches",
    "beta",
    "cast",
    "choice",
    "copy",
    "crop",
    "crop_mirror_normalize",
    "dimensions",
    "external_source",
    "filled",
    "flip",
    "join",
    "normalize",
    "pad",
    "properties",
    "python_function",
    "random_numbers",
    "random_resized_crop",
    "reshape",
    "resize",
    "resize_crop_mirror",
    "rotate",
    "shapes",
    "slice",
    "subscript",
    "transpose",
]
