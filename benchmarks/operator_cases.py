"""What `operators_gpu.py` measures: each operator that has kernels, at work on samples of one kind.

Operators that the table leaves out run no kernel of their own, or are measured elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from penstock import types

PHOTO, SQUARE = (375, 500, 3), (224, 224, 3)
PLANES = (3, 224, 224)
SPEECH, BANDS = (192_000,), (80, 1201)  # 12 s at 16 kHz, and the mel bands


@dataclass(frozen=True)
class Case:
    """One operator at work.

    Attributes:
        name: as in `fn`, or of an operator that has no name there.
        shapes: of a sample of each input.
        dtype: of the first input.
        layout: of the inputs.
        arguments: of the operator.
        varying: arguments that differ from sample to sample, drawn from [low, high).
        ragged: whether the samples differ in height by up to a quarter.
        partial: whether the operator reads only the elements of its result, not the whole input.
        others: dtype of the other inputs; "" is that of the first.
        most: the samples' elements are random numbers below it.
    """

    name: str
    shapes: tuple[tuple[int, ...], ...] = (PHOTO,)
    dtype: str = "uint8"
    layout: str = "HWC"
    arguments: Mapping[str, Any] = field(default_factory=dict)
    varying: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    ragged: bool = False
    partial: bool = False
    others: str = ""
    most: float = 255.0


ANYWHERE = {"crop_pos_x": (0.0, 1.0), "crop_pos_y": (0.0, 1.0)}
MEAN_STD = {"mean": [124.0, 116.0, 104.0], "std": [58.0, 57.0, 57.0]}
WINDOWS = {"window_length": 400, "window_step": 160}

CASES = {
    "crop": Case("crop", arguments={"crop": (224, 224)}, partial=True),
    "crop, random, ragged": Case(
        "crop", arguments={"crop": (224, 224)}, varying=ANYWHERE, ragged=True, partial=True
    ),
    "crop to float32": Case(
        "crop", arguments={"crop": (224, 224), "dtype": types.FLOAT}, partial=True
    ),
    "slice": Case(
        "slice", arguments={"rel_start": (0.1, 0.2), "rel_shape": (0.5, 0.7)}, partial=True
    ),
    "slice, reflected": Case(
        "slice",
        arguments={"start": (-20, -20), "shape": (540, 415), "out_of_bounds_policy": "reflect_101"},
        partial=True,
    ),
    "pad": Case("pad", arguments={"axes": (0, 1), "align": 64}),
    "pad, ragged": Case("pad", arguments={"axes": (0, 1)}, ragged=True),
    "flip, horizontal": Case("flip"),
    "flip, horizontal, float32": Case("flip", (SQUARE,), "float32"),
    "flip, horizontal, planes": Case("flip", (PLANES,), layout="CHW"),
    "flip, vertical": Case("flip", arguments={"horizontal": 0, "vertical": 1}),
    "HWC to CHW": Case("transpose", arguments={"perm": (2, 0, 1)}),
    "HWC to CHW, odd sizes": Case("transpose", ((333, 501, 3),), arguments={"perm": (2, 0, 1)}),
    "HWC to CHW, float32": Case("transpose", (SQUARE,), "float32", arguments={"perm": (2, 0, 1)}),
    "CHW to HWC": Case("transpose", (PLANES,), layout="CHW", arguments={"perm": (1, 2, 0)}),
    "CHW to HWC, float32": Case(
        "transpose", (PLANES,), "float32", "CHW", arguments={"perm": (1, 2, 0)}
    ),
    "HWC to WHC": Case("transpose", arguments={"perm": (1, 0, 2)}),
    "HW to WH": Case("transpose", ((512, 512),), layout="HW", arguments={"perm": (1, 0)}),
    "HW to WH, float32": Case(
        "transpose", ((512, 512),), "float32", "HW", arguments={"perm": (1, 0)}
    ),
    "every second pixel": Case(  # memory is read in sectors of 32 bytes, each of which has some
        "_subscript", arguments={"key": (slice(None), slice(None, None, 2))}
    ),
    "cat": Case("cat", (SQUARE, SQUARE)),
    "cat of channels": Case("cat", (SQUARE, (224, 224, 1)), arguments={"axis": 2}),
    "stack": Case("stack", (SQUARE, SQUARE)),
    "permute_batch": Case("permute_batch", varying={"indices": (0, 256)}),
    "cast to float32": Case("cast", (SQUARE,), arguments={"dtype": types.FLOAT}),
    "cast to uint8": Case("cast", (SQUARE,), "float32", arguments={"dtype": types.UINT8}),
    "add": Case("_arithmetic", (SQUARE, SQUARE), "float32", arguments={"function": "add"}),
    "normalize": Case("normalize", (SQUARE,), "float32"),
    "normalize, per channel": Case("normalize", (SQUARE,), "float32", arguments={"axes": (0, 1)}),
    "crop_mirror_normalize": Case(
        "crop_mirror_normalize",
        arguments={"crop": (224, 224), **MEAN_STD},
        varying={"mirror": (0, 2)},
        partial=True,
    ),
    "resize": Case("resize", arguments={"resize_x": 224, "resize_y": 224}),
    "random_resized_crop": Case("random_resized_crop", arguments={"size": (224, 224)}),
    "rotate": Case("rotate", arguments={"angle": 30.0, "keep_size": True}),
    "rotate, volumes": Case(
        "rotate",
        ((64, 128, 128, 1),),
        layout="DHWC",
        arguments={"angle": 30.0, "axis": (1.0, 2.0, 3.0), "keep_size": True},
    ),
    "warp_affine": Case("warp_affine", arguments={"matrix": (0.9, -0.3, 60.0, 0.3, 0.9, -40.0)}),
    "sequence_rearrange": Case(
        "sequence_rearrange",
        ((8, 180, 240, 3),),
        layout="FHWC",
        arguments={"new_order": (7, 6, 5, 4, 3, 2, 1, 0)},
    ),
    "coord_transform": Case("coord_transform", arguments={"M": (0.3, 0.6, 0.1) * 3}),
    "spectrogram": Case("spectrogram", (SPEECH,), "float32", "t", {**WINDOWS, "nfft": 512}),
    "spectrogram, time first": Case(
        "spectrogram", (SPEECH,), "float32", "t", {**WINDOWS, "nfft": 512, "layout": "tf"}
    ),
    "spectrogram, no power of 2": Case("spectrogram", (SPEECH,), "float32", "t", WINDOWS),
    "mel_filter_bank": Case(
        "mel_filter_bank", ((257, 1201),), "float32", "ft", {"nfilter": 80, "sample_rate": 16e3}
    ),
    "mel_filter_bank, time first": Case(
        "mel_filter_bank", ((1201, 257),), "float32", "tf", {"nfilter": 80, "sample_rate": 16e3}
    ),
    "to_decibels": Case("to_decibels", (BANDS,), "float32", "ft"),
    "mfcc": Case("mfcc", (BANDS,), "float32", "ft"),
    "preemphasis_filter": Case("preemphasis_filter", (SPEECH,), "float32", "t"),
    "brightness": Case("brightness", varying={"brightness": (0.6, 1.4)}),
    "contrast": Case("contrast", varying={"contrast": (0.6, 1.4)}),
    "brightness_contrast": Case(
        "brightness_contrast", varying={"brightness": (0.6, 1.4), "contrast": (0.6, 1.4)}
    ),
    "hsv": Case("hsv", varying={"hue": (-20.0, 20.0), "saturation": (0.6, 1.4)}),
    "hue": Case("hue", varying={"hue": (-20.0, 20.0)}),
    "saturation": Case("saturation", varying={"saturation": (0.6, 1.4)}),
    "color_twist": Case(
        "color_twist",
        varying=dict.fromkeys(("brightness", "contrast", "saturation", "hue"), (0.6, 1.4)),
    ),
    "color_space_conversion": Case(
        "color_space_conversion", arguments={"image_type": types.RGB, "output_type": types.YCbCr}
    ),
    "equalize": Case("equalize"),
    "clahe": Case("clahe", arguments={"clip_limit": 2.0, "tiles_x": 8, "tiles_y": 8}),
    "debayer": Case("debayer", ((376, 500),), layout="HW", arguments={"blue_position": (0, 0)}),
    "erase": Case("erase", arguments={"anchor": (50.0, 60.0), "shape": (90.0, 90.0)}),
    "grid_mask": Case("grid_mask", varying={"angle": (0.0, 1.0)}, arguments={"tile": 50}),
    "gaussian_blur 0.8": Case("gaussian_blur", arguments={"sigma": 0.8}),
    "gaussian_blur 3": Case("gaussian_blur", arguments={"sigma": 3.0}),
    "laplacian": Case("laplacian", arguments={"window_size": 3}),
    "filter 5x5": Case("filter", (PHOTO, (5, 5)), others="float32", most=1.0),
    "dilate": Case("experimental.dilate"),
    "erode": Case("experimental.erode"),
    "median_blur": Case("experimental.median_blur", arguments={"window_size": 3}),
    "jpeg_compression_distortion": Case("jpeg_compression_distortion", arguments={"quality": 50}),
    "noise.gaussian": Case("noise.gaussian", arguments={"stddev": 20.0}),
    "noise.shot": Case("noise.shot", arguments={"factor": 10.0}),
    "noise.salt_and_pepper": Case("noise.salt_and_pepper"),
    "warp_perspective": Case(
        "experimental.warp_perspective",
        arguments={"matrix": (0.9, -0.3, 60.0, 0.3, 0.9, -40.0, 1e-4, 1e-4, 1.0)},
    ),
    "remap": Case("experimental.remap", (PHOTO, PHOTO[:2], PHOTO[:2]), others="float32"),
    "water": Case("water"),
    "sphere": Case("sphere"),
    "jitter": Case("jitter"),
    "paste": Case("paste", arguments={"ratio": 1.5, "fill_value": [124, 116, 104]}),
    "multi_paste": Case("multi_paste", arguments={"in_ids": [0, 0], "output_size": [375, 500]}),
    "resize_crop_mirror": Case(
        "resize_crop_mirror", arguments={"resize_shorter": 256, "crop": (224, 224)}
    ),
    "tensor_resize": Case("tensor_resize", arguments={"sizes": (224.0, 224.0), "axes": (0, 1)}),
    "lookup_table": Case(
        "lookup_table", arguments={"keys": (1, 2), "values": (3.0, 4.0), "dtype": types.FLOAT}
    ),
    "one_hot": Case("one_hot", ((1000,),), "int32", "", {"num_classes": 20}, most=20.0),
    "bb_flip": Case("bb_flip", ((1000, 4),), "float32", "", most=0.5),
    "coord_flip": Case("coord_flip", ((1000, 2),), "float32", "", most=1.0),
    "audio_resample": Case(
        "audio_resample", (SPEECH,), "float32", "t", {"in_rate": 44100.0, "out_rate": 16000.0}
    ),
    "nonsilent_region": Case("nonsilent_region", (SPEECH,), "float32", "t", most=1.0),
    **{
        f"reductions.{name}": Case(f"reductions.{name}", arguments={"axes": (0, 1)})
        for name in ("max", "mean", "mean_square", "min", "rms", "sum")
    },
    **{
        f"reductions.{name}": Case(
            f"reductions.{name}", (PHOTO, (1, 1, 3)), arguments={"axes": (0, 1)}, others="float32"
        )
        for name in ("std_dev", "variance")
    },
    "full_like": Case("full_like", (SQUARE, ()), "float32", ""),
}
