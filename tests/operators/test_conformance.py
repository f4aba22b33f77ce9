"""Operators under the suite that every operator must pass: those whose own files do not do it."""

from __future__ import annotations

import inspect
import io
import json
import zlib
from types import MappingProxyType

import cv2
import numpy as np
import pytest
import soundfile

from penstock import types
from penstock.formats.bundle import bundled
from penstock.testing.agreement import assert_rows
from penstock.testing.operators import OperatorConformance, RandomConformance, operator_suite

from .running import pixels

IMAGES = [pixels(6 + i, 9 - i, 3, seed=i) for i in range(4)]
ALIKE = [pixels(5, 4, 3, seed=i) for i in range(4)]
FLOATS = [image.astype(np.float32) * 3 - 90.5 for image in IMAGES]
FLAT = {"layout": ""}
BY_ORDER = {"layouts": ()}  # for operators that take the axes as they follow one another
REFUSED_CROPS = (
    ({"crop": (40, 5)}, "reaches out of the sample"),
    ({"crop": (np.nan, 5)}, "not finite"),
)
REFUSED_SIZES = (
    ({"size": (np.inf, 5)}, "not finite"),
    ({"size": (1.0, 2.0, 3.0)}, "each of the 2 axes"),
)


class WholeBatch(OperatorConformance):
    """The suite for operators whose results depend on all samples of the batch."""

    def test_results_depend_on_neither_threads_nor_batch_size(self):
        wanted, _ = self.run(self.inputs, threads=1)
        assert_rows(self.run(self.inputs, threads=4)[0], wanted)


# Windows and axes.
TestCrop = operator_suite(
    "crop",
    IMAGES,
    arguments={"crop": (4, 5)},
    per_sample={"crop_pos_x": [0.0, 0.25, 0.5, 1.0], "crop_pos_y": [1.0, 0.5, 0.2, 0.0]},
    bad=REFUSED_CROPS,
)
TestCropByExtents = operator_suite("crop", IMAGES, arguments={"crop_h": 4, "crop_w": 5})
TestSlice = operator_suite(
    "slice",
    IMAGES,
    arguments={"start": (1, 2), "shape": (3, 2)},
    per_sample={"start": [(0, 0), (1, 2), (2, 0), (1, 1)], "shape": [(1, 2)] * 3 + [(4, 4)]},
    bad=(({"start": (40, 2)}, "reaches out|outside|out of"),),
)
TestSliceByInputs = operator_suite(
    "slice",
    IMAGES,
    [np.float32([0.1 * i, 0.5]) for i in range(4)],
    [np.float32([0.5, 0.1 * i]) for i in range(4)],
)
TestFlip = operator_suite(
    "flip",
    IMAGES,
    per_sample={"horizontal": [0, 1, 0, 1], "vertical": [0, 0, 1, 1]},
    bad=(({"vertical": "up"}, "'vertical' must be int"),),
)
TestPad = operator_suite(
    "pad",
    IMAGES,
    arguments={"fill_value": 7, "axes": (0, 1), "shape": (10, 12)},
    per_sample={"fill_value": [0.0, 1.0, 2.0, 255.0]},
    bad=(({"axes": (0, 9)}, "axes|axis"),),
)
TestCat = operator_suite(
    "cat",
    ALIKE,
    [image[::-1] for image in ALIKE],
    arguments={"axis": 1},
    bad=(({"axis": 5}, "axis 5 is not from -3 to 2"),),
    bad_inputs=(([ALIKE[:2], [ALIKE[0], ALIKE[1][:2]]], "differ in their extent along axis 1"),),
)
TestStack = operator_suite(
    "stack",
    IMAGES,
    [255 - image for image in IMAGES],
    arguments={"axis": 1, "axis_name": "F"},
    bad=(({"axis": 5}, "axis 5 is not from -3 to 3"),),
    bad_inputs=(([ALIKE[:2], [ALIKE[0], ALIKE[1][:2]]], "must have one shape"),),
)
TestTranspose = operator_suite(
    "transpose",
    IMAGES,
    arguments={"perm": (2, 0, 1)},
    bad=(({"perm": (0, 0, 1)}, "perm"),),
)
TestReshape = operator_suite(
    "reshape",
    IMAGES,
    **BY_ORDER,
    arguments={"shape": (-1, 3), "layout": "XC"},
    per_sample={"shape": [(image.shape[1], -1) for image in IMAGES]},
    bad=(({"shape": (-1, 7)}, "7"),),
    bad_inputs=(([[IMAGES[0], np.zeros((2, 2, 1), np.uint8)]], "do not fill the shape"),),
)
TestReinterpret = operator_suite(
    "reinterpret",
    [np.repeat(image, 4, axis=2) for image in IMAGES],
    **BY_ORDER,
    arguments={"dtype": types.FLOAT16, "rel_shape": (1.0, 1.0, -1.0)},
    bad_inputs=(([[np.zeros((1, 2, 2), np.uint8), np.zeros((1, 1, 3), np.uint8)]], "whole|fill"),),
)
TestExpandDims = operator_suite(
    "expand_dims",
    IMAGES,
    arguments={"axes": (0, 3), "new_axis_names": "FD"},
    bad=(({"axes": (7, 8)}, "none can stand at 8"),),
)
TestSqueeze = operator_suite(
    "squeeze",
    [image[:, :1] for image in IMAGES],
    arguments={"axes": (1,)},
    bad=(({"axes": (2,)}, "not of extent 1"),),
    bad_inputs=(([[IMAGES[0][:, :1], IMAGES[1][:, :2]]], "not of extent 1"),),
)
TestSubscript = operator_suite(
    "_subscript",
    IMAGES,
    **BY_ORDER,
    arguments={"key": (slice(1, None, 2), slice(None), 2)},
    bad_inputs=(([[IMAGES[0], IMAGES[1][..., :1]]], "index 2 is out of bounds"),),
)

# Elements.
TestCast = operator_suite(
    "cast",
    FLOATS,
    arguments={"dtype": types.UINT8},
    bad=(({"dtype": "no type"}, "'dtype' must be"),),
)
TestCastLike = operator_suite("cast_like", FLOATS, [np.uint8([i]) for i in range(4)])
TestArithmetic = operator_suite(
    "_arithmetic",
    IMAGES,
    [np.int16([[-i, 1, 300]]) for i in range(4)],
    arguments={"function": "mul"},
    bad_inputs=(([IMAGES[:2], np.int16([[[1, 2, 3, 4]]] * 2)], "cannot be broadcast"),),
)
TestCopy = operator_suite("copy", IMAGES)

# Normalization.
TestNormalize = operator_suite(
    "normalize",
    IMAGES,
    arguments={"axes": (0, 1), "scale": 2.0, "shift": 1.0, "ddof": 1},
    largest=1e-4,
)
TestNormalizeOfABatch = operator_suite(
    "normalize", ALIKE, suite=WholeBatch, arguments={"batch": True}, largest=1e-4
)
TestCropMirrorNormalize = operator_suite(
    "crop_mirror_normalize",
    IMAGES,
    arguments={"crop": (4, 4), "mean": (100.0, 110.0, 120.0), "std": (50.0, 60.0, 70.0)},
    per_sample={"mirror": [0, 1, 1, 0]},
    bad=(({"mean": (np.nan, 0, 0)}, "not finite"), ({"crop": (40, 4)}, "reaches out")),
    largest=1e-5,
)

# Resampling.
TestResize = operator_suite(
    "resize",
    IMAGES,
    arguments={"size": (8, 5)},
    per_sample={"size": [(4.0, 5.0), (8.0, 8.0), (3.0, 11.0), (6.0, 6.0)]},
    bad=REFUSED_SIZES,
    largest=1,
)
TestResizeOfRegion = operator_suite(
    "resize",
    IMAGES,
    arguments={"size": (8, 5), "roi_start": (1, 1), "roi_end": (4, 3)},
    largest=1,
)
TestResizeCropMirror = operator_suite(
    "resize_crop_mirror",
    IMAGES,
    arguments={"size": (8, 5), "crop": (4, 5)},
    per_sample={"mirror": [0, 1, 2, 3], "size": [(4.0, 5.0), (8.0, 8.0), (5.0, 9.0), (6.0, 6.0)]},
    bad=REFUSED_SIZES,
    largest=1,
)
TestFastResizeCropMirror = operator_suite(
    "fast_resize_crop_mirror",
    IMAGES,
    arguments={"size": (8, 5), "crop": (4, 5)},
    per_sample={"mirror": [0, 1, 2, 3]},
    bad=REFUSED_SIZES,
    largest=1,
)
TestRandomResizedCrop = operator_suite(
    "random_resized_crop",
    IMAGES,
    suite=RandomConformance,
    arguments={"size": (4, 5)},
    bad=(({"random_area": (0.5, 0.1)}, "random_area"),),
    largest=1,
)
TestRotate = operator_suite(
    "rotate",
    IMAGES,
    arguments={"angle": 30.0, "fill_value": 7},
    per_sample={"angle": [0.0, 90.0, -45.0, 10.0]},
    bad=(({"angle": np.nan}, "angle"),),
    largest=1,
)

# Made from shapes and numbers.
NUMBERS = [np.int16(5 * i) for i in range(4)]
TestFull = operator_suite(
    "full", NUMBERS, **FLAT, arguments={"shape": (2, 3)}, bad=(({"shape": (-1, 2)}, "shape"),)
)
TestFullLike = operator_suite("full_like", IMAGES, NUMBERS)
TestZeros = operator_suite(
    "zeros", arguments={"shape": (2, 3), "dtype": types.UINT8}, bad=(({"shape": (-1,)}, "shape"),)
)
TestOnes = operator_suite("ones", arguments={"shape": (2, 3), "layout": "HW"})
TestZerosLike = operator_suite("zeros_like", IMAGES)
TestOnesLike = operator_suite("ones_like", IMAGES, arguments={"dtype": types.FLOAT})
TestConstant = operator_suite(
    "constant",
    arguments={"fdata": (1.5, 2.5, 3.5), "shape": (3,)},
    bad=(({"shape": (4,)}, "4"),),
)
TestShapes = operator_suite("shapes", IMAGES, **BY_ORDER, arguments={"dtype": types.INT32})
TestGetProperty = operator_suite("get_property", IMAGES, **BY_ORDER, arguments={"key": "layout"})

# Random numbers.
RANDOM = {"suite": RandomConformance}
TestUniform = operator_suite(
    "random.uniform",
    **RANDOM,
    arguments={"shape": (40,)},
    per_sample={"range": [(0.0, 1.0), (-5.0, 5.0), (3.0, 4.0)]},
    bad=(({"range": (2.0, 1.0)}, "range"),),
)
TestUniformLike = operator_suite(
    "random.uniform", IMAGES, **RANDOM, **BY_ORDER, arguments={"values": (3, 5)}
)
TestNormal = operator_suite(
    "random.normal",
    **RANDOM,
    arguments={"shape": (40,)},
    per_sample={"mean": [0.0, -5.0, 5.0], "stddev": [0.0, 1.0, 10.0]},
    bad=(({"stddev": -1.0}, "stddev"),),
)
TestCoinFlip = operator_suite(
    "random.coin_flip",
    **RANDOM,
    arguments={"shape": (40,)},
    per_sample={"probability": [0.0, 0.3, 1.0]},
    bad=(({"probability": 2.0}, "probability"),),
)
TestBeta = operator_suite(
    "random.beta",
    **RANDOM,
    arguments={"shape": (40,)},
    per_sample={"alpha": [0.5, 1.0, 2.0], "beta": [2.0, 1.0, 0.5]},
    bad=(({"alpha": -1.0}, "alpha"),),
)
TestChoice = operator_suite(
    "random.choice",
    [np.arange(10, dtype=np.int16) * i for i in range(1, 4)],
    **RANDOM,
    **FLAT,
    arguments={"shape": (6,)},
    bad_inputs=(([[np.int16([4]), np.int16([])]], "0 elements to choose from"),),
)
TestBatchPermutation = operator_suite("batch_permutation", **RANDOM)


class TestPermuteBatch(WholeBatch):
    operator = "permute_batch"
    inputs = (IMAGES,)
    arguments = MappingProxyType({"indices": (1, 0, 1, 3)})
    bad = (({"indices": (0, 1, 2, 9)}, "9"),)

    def test_an_empty_sample_list_gives_no_results(self, device):
        empty = np.empty((0, 4, 4, 3), np.uint8)
        assert self.run([empty], device, indices=())[0] == []


# Masks.
MASKS = [(pixels(6 + i, 9 - i, 1, seed=i) > 200).astype(np.int32) for i in range(4)]
POLYGONS = [np.int32([[2, 7, 10], [0, 0, 3], [1, 3, 7], [0, 10, 14]])] * 3
TestRandomMaskPixel = operator_suite(
    "segmentation.random_mask_pixel",
    MASKS,
    **RANDOM,
    **FLAT,
    per_sample={"foreground": [0, 1, 1, 0]},
)
TestRandomObjectBbox = operator_suite(
    "segmentation.random_object_bbox",
    [mask[..., 0] for mask in MASKS],
    **RANDOM,
    **FLAT,
    per_sample={"foreground_prob": [0.0, 1.0, 1.0, 0.5]},
)
TestSelectMasks = operator_suite(
    "segmentation.select_masks",
    [np.int32([0, 2]), np.int32([1]), np.int32([2, 0])],
    POLYGONS,
    [np.arange(42).reshape(14, 3) + i for i in range(3)],
    **FLAT,
)
TestRoiRandomCrop = operator_suite(
    "roi_random_crop",
    IMAGES,
    **RANDOM,
    **BY_ORDER,
    arguments={"crop_shape": (3, 3, 3), "roi_start": (1, 1, 0), "roi_shape": (2, 2, 3)},
    per_sample={"roi_start": [(0, 0, 0), (1, 1, 0), (2, 2, 0), (3, 0, 0)]},
)


# Files.
class ImageFiles(RandomConformance):
    """The suite for decoders of images, which refuse files that do not lie in one piece."""

    layout = ""

    def test_views_give_what_contiguous_samples_give(self):
        with pytest.raises(TypeError, match="must be a contiguous one-dimensional array"):
            super().test_views_give_what_contiguous_samples_give()


IMAGE_FILES = {"suite": ImageFiles}


def encoded(extension, image, *options):
    return cv2.imencode(extension, image, options)[1].ravel()


def npy(array):
    file = io.BytesIO()
    np.save(file, array)
    return np.frombuffer(file.getvalue(), np.uint8)


def wav(rows, rate=8000):
    file = io.BytesIO()
    soundfile.write(file, rows, rate, "PCM_16", format="WAV")
    return np.frombuffer(file.getvalue(), np.uint8)


OWN_FILES = [__file__, inspect.getfile(operator_suite), inspect.getfile(np)]
LARGE = [cv2.blur(pixels(40 + 9 * i, 52 - 5 * i, 3, seed=i), (9, 9)) for i in range(4)]
PNG = [encoded(".png", image) for image in LARGE]
JPEG = [encoded(".jpg", image, cv2.IMWRITE_JPEG_QUALITY, 95) for image in LARGE]
GRAYS = {"output_type": types.GRAY}
DAMAGED = (({"output_type": "no type"}, "'output_type' must be"),)
WINDOW = {"start": (3, 4), "shape": (17, 9), "axes": (0, 1)}
TestImageDecoder = operator_suite("decoders.image", PNG, **IMAGE_FILES, bad=DAMAGED)
TestImageDecoderOfJpeg = operator_suite(
    "decoders.image", JPEG, **IMAGE_FILES, arguments=GRAYS, largest=2
)
TestImageCrop = operator_suite(
    "decoders.image_crop",
    PNG,
    **IMAGE_FILES,
    arguments={"crop": (20, 16)},
    per_sample={"crop_pos_x": [0.0, 0.25, 0.5, 1.0]},
    bad=(({"crop": (400, 5)}, "reaches out"),),
)
TestImageSlice = operator_suite(
    "decoders.image_slice",
    PNG,
    **IMAGE_FILES,
    arguments=WINDOW,
    per_sample={"start": [(0, 0), (1, 2), (2, 0), (1, 1)]},
)
TestImageRandomCrop = operator_suite("decoders.image_random_crop", PNG, **IMAGE_FILES)
TestImageList = operator_suite(
    "decoders.image_list",
    [bundled(some, np.empty) for some in (PNG[:2], [], PNG[:1])],
    **FLAT,
    arguments={"size": (20, 16), "mode": "not_larger"},
    bad=(({"size": (0, 5)}, "each 1 or more"),),
)
TestPeekImageShape = operator_suite("peek_image_shape", PNG, **IMAGE_FILES)
TestNumpyDecoder = operator_suite("decoders.numpy", [npy(image) for image in IMAGES], **FLAT)
TestJsonDecoder = operator_suite(
    "decoders.json",
    [np.frombuffer(json.dumps({"x": [i, 2.5]}).encode(), np.uint8) for i in range(3)],
    **FLAT,
    arguments={"field": "x"},
)
TestAudioDecoder = operator_suite(
    "decoders.audio",
    [wav(np.sin(np.arange(900 + 50 * i) / (9 + i))) for i in range(4)],
    **FLAT,
    per_sample={"offset": [0.0, 0.01, 0.02, 0.05], "sample_rate": [0.0, 4000.0, 0.0, 12000.0]},
    bad=(({"quality": 300.0}, "quality"),),
    largest=1e-6,
)
TestInflate = operator_suite(
    "decoders.inflate",
    [np.frombuffer(zlib.compress(image.tobytes()), np.uint8) for image in ALIKE],
    **FLAT,
    arguments={"algorithm": "ZLIB", "shape": (5, 4, 3), "layout": "HWC"},
    bad=(({"shape": (5, 5, 3)}, "60|75"),),
)
TestReadFile = operator_suite(
    "io.file.read", [np.frombuffer(path.encode(), np.uint8) for path in OWN_FILES], **FLAT
)
