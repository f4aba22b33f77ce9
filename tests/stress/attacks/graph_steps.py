"""Operators for random graphs, by the data on which they work.

A step takes a node and random numbers, and returns a node of the same sort of data. What it draws
while a pipeline runs belongs to the sample, so no step depends on the batch.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from penstock import fn, types

Step = Callable[[Any, Random], Any]


def drawn(low: float, high: float) -> Any:
    """Return a node of one random number for each sample."""
    return fn.random.uniform(range=[low, high])


def pair(low: float, high: float) -> Any:
    """Return a node of two random numbers for each sample."""
    return fn.random.uniform(range=[low, high], shape=[2])


def corners(boxes: Any) -> Any:
    """Return the two corners of each box as points."""
    return fn.reshape(boxes, shape=[-1, 2])


def spectrum(signal: Any) -> Any:
    """Return a small spectrogram."""
    return fn.spectrogram(signal, nfft=256, window_length=200)


_PADDED = {"out_of_bounds_policy": "pad"}
_TYPES = (types.FLOAT, types.UINT8, types.INT16, types.INT32)

SHAPES: tuple[Step, ...] = (
    lambda x, r: fn.resize(x, size=[r.randint(1, 40), r.randint(1, 40)]),
    lambda x, r: fn.resize(x, resize_shorter=drawn(5, 60), antialias=r.random() < 0.5),
    lambda x, r: fn.crop(x, crop=(r.randint(1, 8), 7), crop_pos_x=drawn(0, 1), **_PADDED),
    lambda x, r: fn.random_resized_crop(x, size=[r.randint(2, 30), r.randint(2, 30)]),
    lambda x, r: fn.flip(x, horizontal=fn.random.coin_flip(), vertical=r.randint(0, 1)),
    lambda x, r: fn.rotate(x, angle=drawn(-180, 180), fill_value=r.randint(0, 255)),
    lambda x, r: fn.pad(x, fill_value=r.randint(0, 9), axes=[0, 1], shape=[64, 70]),
    lambda x, r: fn.slice(x, drawn(0, 1), 0.5, axes=[r.randint(0, 1)], **_PADDED),
    lambda x, r: fn.cat(x, x, axis=r.randint(0, 1)),
    lambda x, r: fn.warp_affine(x, matrix=fn.transforms.rotation(angle=drawn(0, 90))),
    lambda x, r: fn.warp_affine(x, fn.transforms.shear(angles=pair(0, 9)), size=[20, 30]),
    lambda x, r: fn.experimental.warp_perspective(x, matrix=[1, 0.1, 2, 0, 1, 1, 0.001, 0, 1]),
    lambda x, r: fn.paste(x, fill_value=r.randint(0, 255), ratio=drawn(1, 2), paste_x=drawn(0, 1)),
)

VALUES: tuple[Step, ...] = (
    lambda x, r: fn.cast(x, dtype=r.choice(_TYPES)),
    lambda x, r: x + r.randint(0, 9),
    lambda x, r: fn.cast(x * drawn(0, 2), dtype=types.UINT8),
    lambda x, r: fn.normalize(x, axes=[0, 1], epsilon=1.0),
    lambda x, r: fn.gaussian_blur(x, sigma=drawn(0.1, 3)),
    lambda x, r: fn.noise.gaussian(x, stddev=drawn(0, 40)),
    lambda x, r: fn.noise.salt_and_pepper(x, prob=drawn(0, 0.5), per_channel=r.random() < 0.5),
    lambda x, r: fn.noise.shot(x, factor=drawn(0.5, 20)),
    lambda x, r: fn.erase(x, anchor=pair(0, 10), shape=[r.randint(0, 9), 5], axes=[0, 1]),
    lambda x, r: fn.grid_mask(x, angle=drawn(0, 3), ratio=drawn(0, 1), tile=r.randint(1, 20)),
    lambda x, r: fn.brightness_contrast(x, brightness=drawn(0, 2), contrast=drawn(0, 2)),
)

COLORS: tuple[Step, ...] = (
    lambda x, r: fn.hsv(x, hue=drawn(-180, 180), saturation=drawn(0, 2), value=drawn(0, 2)),
    lambda x, r: fn.hue(x, hue=drawn(-180, 180)),
    lambda x, r: fn.saturation(x, saturation=drawn(0, 2), dtype=r.choice(_TYPES)),
    lambda x, r: fn.color_twist(x, brightness=drawn(0, 2), hue=drawn(0, 90)),
    lambda x, r: fn.color_space_conversion(x, image_type=types.RGB, output_type=types.YCbCr),
    lambda x, r: fn.equalize(x),
    lambda x, r: fn.clahe(x, tiles_x=r.randint(1, 4), tiles_y=2, clip_limit=2.0),
    lambda x, r: fn.jpeg_compression_distortion(x, quality=fn.random.choice(list(range(1, 100)))),
    lambda x, r: fn.lookup_table(x, keys=[3, 4, 250], values=[9, 8, 7], dtype=types.UINT8),
)

SIGNALS: tuple[Step, ...] = (
    lambda x, r: fn.audio_resample(x, scale=drawn(0.5, 2), quality=r.choice((0, 50, 100))),
    lambda x, r: fn.audio_resample(x, in_rate=16000, out_rate=r.choice((8000, 11025, 22050))),
    lambda x, r: fn.preemphasis_filter(x, preemph_coeff=drawn(0, 1)),
    lambda x, r: fn.noise.gaussian(x, stddev=drawn(0, 0.1)),
    lambda x, r: fn.slice(x, drawn(0, 1), 0.5, axes=[0], **_PADDED),
    lambda x, r: fn.slice(x, *fn.nonsilent_region(x), axes=[0], normalized_anchor=False),
    lambda x, r: fn.pad(x, axes=[0], shape=[r.randint(1, 4000)]),
    lambda x, r: fn.cat(x, x, axis=0),
    lambda x, r: x * drawn(0, 2),
)

FEATURES: tuple[Step, ...] = (
    lambda x, r: fn.spectrogram(x, nfft=r.choice((64, 100, 512)), window_length=64),
    lambda x, r: fn.mel_filter_bank(spectrum(x), nfilter=r.randint(1, 40)),
    lambda x, r: fn.mfcc(fn.to_decibels(spectrum(x)), n_mfcc=r.randint(1, 13)),
    lambda x, r: fn.power_spectrum(x),
    lambda x, r: fn.reductions.rms(x, axes=[0], keep_dims=True),
)

BOXES: tuple[Step, ...] = (
    lambda x, r: fn.bb_flip(x, ltrb=True, horizontal=fn.random.coin_flip(), vertical=1),
    lambda x, r: fn.bbox_paste(x, ltrb=True, ratio=drawn(1, 3), paste_x=drawn(0, 1)),
    lambda x, r: fn.bbox_rotate(x, angle=drawn(-90, 90), input_shape=[40, 50], shape_layout="HW"),
    lambda x, r: fn.random_bbox_crop(x, thresholds=[0.0, 0.5], total_num_attempts=99)[2],
    lambda x, r: fn.reshape(fn.coord_flip(corners(x), layout="xy"), shape=[-1, 4]),
    lambda x, r: fn.reshape(fn.coord_transform(corners(x), M=[1, 0.1, 0, 1]), shape=[-1, 4]),
    lambda x, r: fn.pad(x, axes=[0], shape=[r.randint(1, 20)]),
    lambda x, r: fn.cat(x, x, axis=0),
)
