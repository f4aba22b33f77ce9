"""Every operator on samples works in worker processes, with the results of threads."""

from __future__ import annotations

import io
import pickle
import wave
import zlib
from types import MappingProxyType

import cv2
import numpy as np
import pytest

from penstock import ArgumentError, Pipeline, fn, types
from penstock.engine.graph.functions import apply
from penstock.engine.graph.nodes import add_node
from penstock.engine.graph.operator import OPERATORS, SampleOperator
from penstock.engine.work.chain import Chain
from penstock.engine.work.plan import Segment, SegmentType
from penstock.formats.bundle import bundled
from penstock.operators.augmenting.effects import WIDTH

SIZE = 2
RNG = np.random.default_rng(0)
IMAGE = RNG.integers(0, 255, (24, 32, 3), np.uint8)
GRAY = IMAGE[:, :, 0].copy()
VIDEO = RNG.integers(0, 255, (3, 12, 14, 3), np.uint8)
ENCODED = cv2.imencode(".png", IMAGE)[1].reshape(-1)
SOUND = RNG.standard_normal(4000).astype(np.float32)
SPECTRUM = np.abs(RNG.standard_normal((257, 9))).astype(np.float32) + 0.1
BOXES = np.array([[0.1, 0.1, 0.5, 0.6], [0.3, 0.2, 0.9, 0.9]], np.float32)
LABELS = np.array([1, 2], np.int32)
MASK = RNG.integers(0, 3, (12, 14), np.int32)
POINTS = RNG.random((6, 2), np.float32)
STEPS = np.zeros((1, 1 + WIDTH), np.float32)  # one that has no effect
MATRIX = [1.0, 0.1, 0.0, 0.0, 1.0, 2.0]


def array_file():
    file = io.BytesIO()
    np.save(file, MASK)
    return np.frombuffer(file.getvalue(), np.uint8)


def sound_file():
    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setparams((1, 2, 8000, 0, "NONE", ""))
        out.writeframes((SOUND * 3000).astype(np.int16).tobytes())
    return np.frombuffer(file.getvalue(), np.uint8)


def path_of(text):
    return np.frombuffer(text.encode(), np.uint8)


def hidden(name, *inputs, **arguments):
    """Call an operator that has no function in `fn`."""
    made = add_node(OPERATORS[name], inputs, arguments)
    return list(made)


CALLS = {
    "_arithmetic": lambda d: d(IMAGE) + d(GRAY[:, :, None]),
    "_assert": lambda d: hidden("_assert", d(np.bool_(True)), preserve=True),
    "_augment": lambda d: hidden(
        "_augment", d(IMAGE, "HWC"), d(np.float32([0.1, 0])), effect="shear"
    ),
    "_augment_boxes": lambda d: hidden(
        "_augment_boxes", d(BOXES), d(STEPS), image_shape=[24, 32, 3]
    ),
    "_augment_masks": lambda d: hidden("_augment_masks", d(GRAY, "HW"), d(STEPS)),
    "_blend": lambda d: hidden("_blend", d(IMAGE), d(IMAGE), weight=d(np.float32(0.3))),
    "_cutmix_window": lambda d: hidden(
        "_cutmix_window", d(IMAGE, "HWC"), weight=0.5, center=[0.5, 0.5]
    ),
    "_merge": lambda d: hidden("_merge", d(np.bool_(True)), d(IMAGE), d(IMAGE)),
    "_mix_labels": lambda d: hidden("_mix_labels", d(POINTS[0]), d(POINTS[1]), weight=0.5),
    "_paste_window": lambda d: hidden(
        "_paste_window", d(IMAGE, "HWC"), d(IMAGE, "HWC"), window=[2, 3, 4, 5]
    ),
    "_truth": lambda d: hidden("_truth", d(np.int32(3)), word="if", line="x.py:1"),
    "_vision_boxes": lambda d: hidden("_vision_boxes", d(BOXES), d(np.int32([24, 32, 3]))),
    "_vision_color": lambda d: hidden("_vision_color", d(IMAGE, "HWC"), hue=0.1),
    "_vision_map": lambda d: hidden("_vision_map", d(np.int32([24, 32, 3])), kind="affine"),
    "_vision_resize": lambda d: hidden("_vision_resize", d(IMAGE, "HWC"), size=[9, 9]),
    "_vision_size": lambda d: hidden(
        "_vision_size", d(np.int32([24, 32, 3])), kind="between", size=[9, 12]
    ),
    "_vision_window": lambda d: hidden(
        "_vision_window", d(np.int32([24, 32, 3])), kind="crop", size=[9, 9]
    ),
    "_subscript": lambda d: d(IMAGE)[2:-2, d(np.int32(3)), ::2],
    "audio_resample": lambda d: fn.audio_resample(d(SOUND), scale=0.5),
    "bb_flip": lambda d: fn.bb_flip(d(BOXES), ltrb=True),
    "bbox_paste": lambda d: fn.bbox_paste(d(BOXES), ratio=2.0, paste_x=0.1, paste_y=0.2),
    "bbox_rotate": lambda d: fn.bbox_rotate(
        d(BOXES), d(LABELS), angle=9.0, input_shape=[9, 9], bbox_layout="xyXY"
    ),
    "box_encoder": lambda d: fn.box_encoder(d(BOXES), d(LABELS), anchors=[0.0, 0.0, 1.0, 1.0]),
    "brightness": lambda d: fn.brightness(d(IMAGE, "HWC"), brightness=1.5),
    "brightness_contrast": lambda d: fn.brightness_contrast(d(IMAGE, "HWC"), contrast=1.5),
    "cast": lambda d: fn.cast(d(IMAGE), dtype=types.FLOAT),
    "cast_like": lambda d: fn.cast_like(d(IMAGE), d(SOUND)),
    "cat": lambda d: fn.cat(d(IMAGE), d(IMAGE)),
    "clahe": lambda d: fn.clahe(d(IMAGE, "HWC"), tiles_x=2, tiles_y=2, clip_limit=2.0),
    "color_space_conversion": lambda d: fn.color_space_conversion(
        d(IMAGE, "HWC"), image_type=types.RGB, output_type=types.YCbCr
    ),
    "color_twist": lambda d: fn.color_twist(d(IMAGE, "HWC"), hue=9.0),
    "contrast": lambda d: fn.contrast(d(IMAGE, "HWC"), contrast=1.5),
    "coord_flip": lambda d: fn.coord_flip(d(POINTS)),
    "coord_transform": lambda d: fn.coord_transform(d(POINTS), MT=MATRIX),
    "crop": lambda d: fn.crop(d(IMAGE, "HWC"), crop=(4, 4)),
    "crop_mirror_normalize": lambda d: fn.crop_mirror_normalize(d(IMAGE, "HWC"), crop=(4, 4)),
    "debayer": lambda d: fn.debayer(d(GRAY), blue_position=[0, 0]),
    "decoders.audio": lambda d: fn.decoders.audio(d(sound_file())),
    "decoders.image": lambda d: fn.decoders.image(d(ENCODED)),
    "decoders.image_crop": lambda d: fn.decoders.image_crop(d(ENCODED), crop=(4, 4)),
    "decoders.image_random_crop": lambda d: fn.decoders.image_random_crop(d(ENCODED)),
    "decoders.image_slice": lambda d: fn.decoders.image_slice(
        d(ENCODED), start=[1, 1], shape=[5, 5], axes=(0, 1)
    ),
    "decoders.image_list": lambda d: fn.decoders.image_list(
        d(bundled([ENCODED, ENCODED], np.empty)), size=6
    ),
    "decoders.json": lambda d: fn.decoders.json(
        d(np.frombuffer(b'{"a": [1, 2]}', np.uint8)), field="a", dtype=types.INT32
    ),
    "decoders.inflate": lambda d: fn.decoders.inflate(
        d(np.frombuffer(zlib.compress(bytes(9)), np.uint8)), shape=9, algorithm="ZLIB"
    ),
    "decoders.numpy": lambda d: fn.decoders.numpy(d(array_file())),
    "element_extract": lambda d: fn.element_extract(d(VIDEO, "FHWC"), element_map=[0, 2]),
    "equalize": lambda d: fn.equalize(d(IMAGE, "HWC")),
    "erase": lambda d: fn.erase(d(IMAGE, "HWC"), anchor=[1.0, 1.0], shape=[3.0, 3.0]),
    "expand_dims": lambda d: fn.expand_dims(d(IMAGE), axes=[0]),
    "experimental.dilate": lambda d: fn.experimental.dilate(d(IMAGE, "HWC")),
    "experimental.erode": lambda d: fn.experimental.erode(d(IMAGE, "HWC")),
    "experimental.median_blur": lambda d: fn.experimental.median_blur(d(IMAGE, "HWC")),
    "experimental.remap": lambda d: fn.experimental.remap(
        d(IMAGE, "HWC"), *(d(np.ones((4, 4), np.float32)) for _ in range(2))
    ),
    "experimental.warp_perspective": lambda d: fn.experimental.warp_perspective(
        d(IMAGE, "HWC"), matrix=[*MATRIX, 0.0, 0.0, 1.0]
    ),
    "fast_resize_crop_mirror": lambda d: fn.fast_resize_crop_mirror(
        d(IMAGE, "HWC"), size=9, crop=(4, 4)
    ),
    "filter": lambda d: fn.filter(d(IMAGE, "HWC"), d(np.ones((3, 3), np.float32))),
    "flip": lambda d: fn.flip(d(IMAGE, "HWC")),
    "full": lambda d: fn.full(d(np.float32([1, 2])), shape=[3, 2]),
    "full_like": lambda d: fn.full_like(d(POINTS), d(np.float32(7))),
    "gaussian_blur": lambda d: fn.gaussian_blur(d(IMAGE, "HWC"), sigma=1.0),
    "grid_mask": lambda d: fn.grid_mask(d(IMAGE, "HWC"), tile=4),
    "hsv": lambda d: fn.hsv(d(IMAGE, "HWC"), hue=9.0),
    "hue": lambda d: fn.hue(d(IMAGE, "HWC"), hue=9.0),
    "io.file.read": lambda d: fn.io.file.read(d(path_of(__file__))),
    "jitter": lambda d: fn.jitter(d(IMAGE, "HWC")),
    "jpeg_compression_distortion": lambda d: fn.jpeg_compression_distortion(d(IMAGE, "HWC")),
    "laplacian": lambda d: fn.laplacian(d(IMAGE, "HWC")),
    "lookup_table": lambda d: fn.lookup_table(d(IMAGE), keys=[1], values=[2]),
    "mel_filter_bank": lambda d: fn.mel_filter_bank(d(SPECTRUM), nfilter=20),
    "mfcc": lambda d: fn.mfcc(d(SPECTRUM)),
    "noise.gaussian": lambda d: fn.noise.gaussian(d(IMAGE)),
    "noise.salt_and_pepper": lambda d: fn.noise.salt_and_pepper(d(IMAGE)),
    "noise.shot": lambda d: fn.noise.shot(d(IMAGE)),
    "nonsilent_region": lambda d: fn.nonsilent_region(d(SOUND)),
    "one_hot": lambda d: fn.one_hot(d(LABELS), num_classes=4),
    "ones_like": lambda d: fn.ones_like(d(POINTS)),
    "paste": lambda d: fn.paste(d(IMAGE, "HWC"), ratio=1.5, fill_value=0),
    "peek_image_shape": lambda d: fn.peek_image_shape(d(ENCODED)),
    "per_frame": lambda d: fn.per_frame(d(POINTS)),
    "power_spectrum": lambda d: fn.power_spectrum(d(SOUND)),
    "preemphasis_filter": lambda d: fn.preemphasis_filter(d(SOUND)),
    "random_crop_generator": lambda d: fn.random_crop_generator(d(np.array([40, 50, 3]))),
    "random_resized_crop": lambda d: fn.random_resized_crop(d(IMAGE, "HWC"), size=8),
    "reinterpret": lambda d: fn.reinterpret(d(IMAGE), dtype=types.INT8),
    "reshape": lambda d: fn.reshape(d(IMAGE), shape=[-1]),
    "resize": lambda d: fn.resize(d(IMAGE, "HWC"), size=9),
    "resize_crop_mirror": lambda d: fn.resize_crop_mirror(d(IMAGE, "HWC"), size=9, crop=(4, 4)),
    "roi_random_crop": lambda d: fn.roi_random_crop(
        crop_shape=[2, 2], roi_start=d(np.array([0, 0])), roi_shape=[9, 9], in_shape=[20, 20]
    ),
    "rotate": lambda d: fn.rotate(d(IMAGE, "HWC"), angle=9.0),
    "saturation": lambda d: fn.saturation(d(IMAGE, "HWC"), saturation=2.0),
    "segmentation.random_mask_pixel": lambda d: fn.segmentation.random_mask_pixel(d(MASK)),
    "segmentation.random_object_bbox": lambda d: fn.segmentation.random_object_bbox(d(MASK)),
    "segmentation.select_masks": lambda d: fn.segmentation.select_masks(
        d(np.int32([0])), d(np.int32([[0, 0, 3], [1, 3, 6]])), d(POINTS)
    ),
    "sequence_rearrange": lambda d: fn.sequence_rearrange(d(VIDEO, "FHWC"), new_order=[1, 0]),
    "shapes": lambda d: fn.shapes(d(IMAGE)),
    "slice": lambda d: fn.slice(d(IMAGE), start=[1], shape=[2], axes=[0]),
    "spectrogram": lambda d: fn.spectrogram(d(SOUND)),
    "sphere": lambda d: fn.sphere(d(IMAGE, "HWC")),
    "squeeze": lambda d: fn.squeeze(d(GRAY[:, :, None]), axes=[2]),
    "ssd_random_crop": lambda d: fn.ssd_random_crop(d(IMAGE, "HWC"), d(BOXES), d(LABELS)),
    "stack": lambda d: fn.stack(d(IMAGE), d(IMAGE)),
    "tensor_resize": lambda d: fn.tensor_resize(d(IMAGE), sizes=[9, 9, 3]),
    "to_decibels": lambda d: fn.to_decibels(d(SPECTRUM)),
    "transforms.combine": lambda d: fn.transforms.combine(
        *(d(np.eye(2, 3, dtype=np.float32)),) * 2
    ),
    "transforms.crop": lambda d: fn.transforms.crop(from_end=d(np.float32([2, 2]))),
    "transforms.rotation": lambda d: fn.transforms.rotation(angle=d(np.float32(9))),
    "transforms.scale": lambda d: fn.transforms.scale(scale=d(np.float32([2, 2]))),
    "transforms.shear": lambda d: fn.transforms.shear(shear=d(np.float32([2, 2]))),
    "transforms.translation": lambda d: fn.transforms.translation(offset=d(np.float32([2, 2]))),
    "transpose": lambda d: fn.transpose(d(IMAGE), perm=[2, 0, 1]),
    "warp_affine": lambda d: fn.warp_affine(d(IMAGE, "HWC"), matrix=MATRIX),
    "water": lambda d: fn.water(d(IMAGE, "HWC")),
    "zeros_like": lambda d: fn.zeros_like(d(POINTS)),
    **{
        f"reductions.{name}": lambda d, name=name: getattr(fn.reductions, name)(d(IMAGE))
        for name in ("max", "mean", "mean_square", "min", "rms", "sum")
    },
    **{
        f"reductions.{name}": lambda d, name=name: getattr(fn.reductions, name)(d(IMAGE), 9.0)
        for name in ("std_dev", "variance")
    },
}
"""By the operator's name: a call on data that `d(array, layout)` gives."""

OF_FILES = {"_decode_clip", "_decode_clip_sound", "_decode_sequence", "_decode_utterance"}
OF_VIDEOS = {"decoders.video"}


def data(array, layout=""):
    return fn.external_source(source=lambda: [array] * SIZE, layout=layout or None)


def defined(**options):
    pipe = Pipeline(batch_size=SIZE, num_threads=2, seed=1, **options)
    with pipe:
        outputs = []
        for call in CALLS.values():
            made = call(data)
            outputs += made if isinstance(made, list) else [made]
        pipe.set_outputs(*outputs)
    return pipe


def operators_of(pipe):
    pipe.build()
    steps = [step for segment in pipe._as_built().plan.segments for step in segment.steps]
    return [step for step in steps if isinstance(step.node.operator, SampleOperator)]


def test_every_operator_is_tried():
    with defined() as pipe:
        tried = {step.node.operator.name for step in operators_of(pipe)}
    ours = {
        operator.name
        for operator in OPERATORS.values()
        if issubclass(operator, SampleOperator)
        and operator.__module__.startswith("penstock.")
        and ".tests." not in operator.__module__
    }
    assert ours - OF_FILES - OF_VIDEOS <= tried


def test_every_operator_can_be_passed_to_a_process():
    with defined() as pipe:
        for step in operators_of(pipe):
            chain = Chain(Segment(SegmentType.SAMPLE, (step,), repeatable=True))
            assert pickle.loads(pickle.dumps(chain)).steps[0].operator.name


def test_processes_compute_what_threads_compute():
    results = []
    for processes in (False, True):
        with defined(exec_processes=processes) as pipe:
            results.append([[np.array(row) for row in output.rows()] for output in pipe.run()])
    for threads, process in zip(*results, strict=True):
        for one, other in zip(threads, process, strict=True):
            np.testing.assert_array_equal(one, other)


class WithMapping(SampleOperator):
    """An operator of a user whose layouts cannot be pickled."""

    name = "toy.with_mapping"
    inputs = ("data",)
    assumed_layouts = MappingProxyType({3: "HWC"})

    def sample(self, workspace, data):
        return data


class WithLock(SampleOperator):
    """An operator of a user that cannot be pickled."""

    name = "toy.with_lock"
    inputs = ("data",)

    def __reduce__(self):
        raise TypeError("cannot pickle this")

    def sample(self, workspace, data):
        return data


def test_layouts_in_any_mapping_can_be_passed_on():
    with Pipeline(batch_size=SIZE, num_threads=2) as pipe:
        pipe.set_outputs(apply(WithMapping, (data(IMAGE),), {}, None))
        (step,) = operators_of(pipe)
        chain = Chain(Segment(SegmentType.SAMPLE, (step,), repeatable=True))
        assert [*pickle.loads(pickle.dumps(chain)).assumed_layouts.values()] == [{3: "HWC"}]


def test_processes_that_are_demanded_need_what_can_be_pickled():
    with Pipeline(batch_size=SIZE, num_threads=2, exec_processes=True) as pipe:
        pipe.set_outputs(apply(WithLock, (data(IMAGE),), {}, None))
        with pytest.raises(ArgumentError, match=r"with_lock.*cannot be pickled: cannot pickle"):
            pipe.run()
