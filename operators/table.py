"""The operators of arrays. Importing this enters all of them into the table of operators."""

# ruff: noqa: F401 (an import is all that an operator needs)

from .audio import (
    audio_resample,
    mel_filter_bank,
    mfcc,
    nonsilent_region,
    power_spectrum,
    preemphasis,
    spectrogram,
    to_decibels,
)
from .augmenting import augment, draw_steps, move_labels
from .batches import dump_image, permute
from .boxes import (
    bb_flip,
    bbox_paste,
    bbox_rotate,
    box_encoder,
    coord_flip,
    random_bbox_crop,
    random_crop_generator,
    ssd_random_crop,
)
from .color import (
    brightness_contrast,
    clahe,
    color_space_conversion,
    color_twist,
    debayer,
    equalize,
)
from .cutouts import erase, grid_mask
from .elementwise import arithmetic, cast, lookup_table, one_hot
from .filters import filter, gaussian_blur, jpeg_distortion, laplacian, median_blur, morphology
from .generators import constant, filled
from .indexing import (
    crop,
    dimensions,
    element_extract,
    flip,
    join,
    pad,
    reshape,
    slice,
    subscript,
    transpose,
)
from .masks import random_mask_pixel, random_object_bbox, roi_random_crop, select_masks
from .metadata import properties, shapes
from .mixing import cutmix, mixup
from .noise import noise
from .normalizing import crop_mirror_normalize, normalize
from .optical_flow import optical_flow
from .pasting import multi_paste, paste
from .random import beta, choice, random_numbers
from .reductions import reductions
from .resize import random_resized_crop, resize, resize_crop_mirror, tensor_resize
from .sequences import per_frame, sequence_rearrange
from .transforms import (
    combining,
    coord_transform,
    cropping,
    rotating,
    scaling,
    shearing,
    translation,
)
from .user_code import (
    dl_tensor_function,
    external_source,
    jax_function,
    numba_function,
    python_function,
    torch_function,
)
from .vision import color as vision_color
from .vision import maps as vision_maps
from .vision import resize as vision_resize
from .vision import sizes as vision_sizes
from .vision import windows as vision_windows
from .warp import jitter, remap, rotate, sphere, warp_affine, warp_perspective, water
