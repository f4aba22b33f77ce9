"""`_augment`: the augmentations of `penstock.auto_aug` in one operator."""

from __future__ import annotations

from types import MappingProxyType

import cv2
import numpy as np
import pytest
from PIL import Image, ImageEnhance, ImageOps

from penstock import types
from penstock.engine.errors import ArgumentError
from penstock.operators.augmenting.effects import EFFECTS, WIDTH, number_of, parameter_row
from penstock.testing.agreement import agree, on_device
from penstock.testing.operators import OperatorConformance

from ..pictures import picture, pictures
from ..running import pixels

PICTURES = pictures(19, 26)
WINDOW = np.float32([[1, 1, 1], [1, -14, 1], [1, 1, 1]]) / -6
PARAMETERS = {
    "identity": (),
    "shear": (0.2, -0.1),
    "translate": (3.4, -2.0),
    "translate_relative": (0.1, 0.25),
    "rotate": (33.0,),
    "brightness": (1.4,),
    "contrast": (0.6,),
    "color": (1.7,),
    "sharpness": WINDOW,
    "posterize": (0xE0,),
    "solarize": (100.5,),
    "solarize_add": (60,),
    "invert": (),
    "equalize": (),
    "auto_contrast": (),
    "sharpen": (0.3,),
}


def step(effect, parameter=()):
    return parameter_row(effect, np.float32(parameter))


def steps(*names):
    return np.float32([step(name, PARAMETERS[name]) for name in names])


EVERY = [steps(name) for name in EFFECTS]
CHAINS = [  # whose last steps do not enlarge the differences of the first ones
    steps("equalize", "rotate", "identity"),
    steps("identity", "identity", "identity"),
    steps("contrast", "solarize", "shear"),
    steps("identity", "posterize", "color"),
]


class TestAugment(OperatorConformance):
    operator = "_augment"
    inputs = (PICTURES, CHAINS)
    arguments = MappingProxyType({"fill_value": 128})
    per_sample = MappingProxyType({"shape": [(20.0, 30.0), (9.5, 30.0), (5.0, 5.0), (1.0, 2.0)]})
    bad = (
        ({"shape": (3,)}, r"give \(height, width\)"),
        ({"effect": "blur"}, "'effect' must be"),
    )
    bad_inputs = (
        ([np.zeros((3, 4, 4, 3), np.float32), CHAINS[:3]], "augments uint8 .* is float32"),
    )
    largest = 1


class TestOneEffect(OperatorConformance):
    operator = "_augment"
    inputs = (PICTURES, [np.float32([10 * i]) for i in range(4)])
    arguments = MappingProxyType({"effect": "rotate"})
    bad = (({"effect": "shear"}, "has a parameter of 2 numbers, but got 1"),)
    largest = 1


class TestVideos(OperatorConformance):
    operator = "_augment"
    layout = "FHWC"
    inputs = ([np.stack([image, 255 - image // 2]) for image in PICTURES], CHAINS)
    largest = 1


class TestGray(OperatorConformance):
    operator = "_augment"
    layout = "HW"
    inputs = ([image[..., 0] for image in PICTURES], CHAINS)
    largest = 1


def augmented(images, effect, parameter=(), device="cpu", layout="HWC", **arguments):
    """Return images after one effect with one parameter for all."""
    given = [] if np.size(parameter) == 0 else [[np.float32(parameter)] * len(images)]
    return on_device(
        device,
        "_augment",
        images,
        *given,
        layout=[layout, *[""] * len(given)],
        effect=effect,
        **arguments,
    ).outputs[0]


@pytest.mark.parametrize("arguments", [{}, {"fill_value": 7}, {"interp_type": types.INTERP_NN}])
@pytest.mark.parametrize("pillow", [False, True])
@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_every_effect_agrees_on_both_devices(device_stage, arguments, pillow, channels):
    names = [n for n, effect in EFFECTS.items() if channels in (1, 3) or not effect.colors]
    images = [picture(15 + i, 22 - i, channels, seed=i) for i in range(len(names))]
    chosen = [steps(name) for name in names]
    exact = pillow and not arguments
    layouts = ["HWC", ""]
    agree("_augment", images, chosen, layout=layouts, largest=1, pillow=pillow, **arguments)
    if exact:
        still = [i for i, name in enumerate(names) if name not in ("shear", "rotate", "sharpness")]
        some = [
            [rows[i] for i in still if "translate" not in names[i]] for rows in (images, chosen)
        ]
        agree("_augment", *some, layout=layouts, pillow=True)


@pytest.mark.parametrize("pillow", [False, True])
def test_gray_and_colored_images_share_a_batch(device_stage, pillow):
    chosen = [steps(name) for name in EFFECTS for _ in range(2)]
    images = [picture(15, 22, (1, 3)[i % 2], seed=i) for i in range(len(chosen))]
    agree("_augment", images, chosen, layout=["HWC", ""], largest=1, pillow=pillow)


def enhanced(kind):
    return lambda image, factor: kind(image).enhance(factor)


PILLOW = {
    "brightness": (enhanced(ImageEnhance.Brightness), (0.0, 0.1, 0.5, 1.0, 1.37, 1.9)),
    "contrast": (enhanced(ImageEnhance.Contrast), (0.0, 0.1, 0.5, 1.0, 1.37, 1.9)),
    "color": (enhanced(ImageEnhance.Color), (0.0, 0.1, 0.5, 1.0, 1.37, 1.9)),
    "sharpen": (enhanced(ImageEnhance.Sharpness), (0.0, 0.1, 0.5, 0.75, 1.0, 1.37, 1.9)),
    "solarize": (ImageOps.solarize, (0, 1, 100, 255, 256)),
    "invert": (lambda image, _: ImageOps.invert(image), (None,)),
    "equalize": (lambda image, _: ImageOps.equalize(image), (None,)),
    "auto_contrast": (lambda image, _: ImageOps.autocontrast(image), (None,)),
}
HARD = (
    [*PICTURES, picture(40, 50) // 4 + 90]
    + [np.full((6, 7, 3), level, np.uint8) for level in (0, 9, 255)]
    + [pixels(2, 2, 3), pixels(1, 9, 3), pixels(300, 3, 3, seed=5)]
)


@pytest.mark.parametrize("effect", PILLOW)
def test_pillow_s_results_are_met_exactly(effect, device):
    function, parameters = PILLOW[effect]
    for parameter in parameters:
        given = () if parameter is None else (parameter,)
        rows = augmented(HARD, effect, given, device, pillow=True)
        for image, row in zip(HARD, rows, strict=True):
            wanted = np.asarray(function(Image.fromarray(image), parameter))
            np.testing.assert_array_equal(row, wanted)


def test_equalize_is_opencv_s(device):
    for image, row in zip(HARD, augmented(HARD, "equalize", device=device), strict=True):
        wanted = [cv2.equalizeHist(np.ascontiguousarray(image[..., c])) for c in range(3)]
        np.testing.assert_array_equal(row, np.stack(wanted, axis=2))


def test_the_frames_of_a_video_share_the_step_but_not_the_levels(device):
    video = np.stack([PICTURES[0] // 3, 255 - PICTURES[0] // 2])
    for effect in ("equalize", "contrast", "auto_contrast", "rotate"):
        (row,) = augmented([video], effect, PARAMETERS[effect], device, layout="FHWC")
        frames = augmented(list(video), effect, PARAMETERS[effect], device)
        np.testing.assert_array_equal(row, np.stack(frames))


def test_steps_follow_one_another(device):
    names = "rotate", "posterize", "equalize", "translate"
    (row,) = on_device(
        device, "_augment", PICTURES[:1], [steps(*names)], layout=["HWC", ""]
    ).outputs[0]
    wanted = PICTURES[:1]
    for name in names:
        wanted = augmented(wanted, name, PARAMETERS[name], device)
    np.testing.assert_array_equal(row, wanted[0])


def test_a_relative_translation_refers_to_the_shape_that_is_given(device):
    image = pixels(10, 20, 3)
    own, other = (
        augmented([image], "translate_relative", (0.1, 0.2), device, fill_value=3, **more)[0]
        for more in ({}, {"shape": (20, 40, 3)})
    )
    np.testing.assert_array_equal(own[2:, 2:], image[:-2, :-2])
    np.testing.assert_array_equal(other[4:, 4:], image[:-4, :-4])
    assert (own[:2] == 3).all()
    assert (other[:, :4] == 3).all()


def test_gray_images_have_no_color(device):
    gray = picture(9, 8, 1)
    np.testing.assert_array_equal(augmented([gray], "color", (0.3,), device)[0], gray)
    (row,) = augmented([gray], "contrast", (0.5,), device)
    wanted = gray.mean() + 0.5 * (gray - gray.mean())
    np.testing.assert_allclose(row, wanted, atol=0.51)


@pytest.mark.parametrize("shape", [(0, 4, 3), (1, 1, 3), (0, 3, 4, 3), (4, 0, 3)])
@pytest.mark.parametrize("effect", ["equalize", "rotate", "color", "sharpness", "invert"])
def test_small_and_empty_images(device, shape, effect):
    layout = {3: "HWC", 4: "FHWC"}[len(shape)]
    (row,) = augmented([np.full(shape, 9, np.uint8)], effect, PARAMETERS[effect], device, layout)
    assert row.shape == shape


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ([step("color", (1.5,))], "color needs images with 1 or 3 channels, but the sample has 2"),
        ([step("shear", (2.0, 0.5))], "shear .* has no inverse"),
        ([[number_of("rotate"), np.nan, *[0] * (WIDTH - 1)]], "rotate is .* must be finite"),
        ([[99, *[0] * WIDTH]], "no effects with the numbers"),
        ([[1, 2]], r"the shape \(1, 2\); expected \(n, 10\)"),
    ],
)
def test_steps_that_do_not_fit_are_refused(device, chosen, message):
    with pytest.raises(ArgumentError, match=message):
        on_device(
            device,
            "_augment",
            [pixels(5, 6, 2)],
            [np.float32(chosen)],
            layout=["HWC", ""],
        )


def test_steps_must_be_given(device):
    with pytest.raises(ArgumentError, match="needs the input steps, or the argument effect"):
        on_device(device, "_augment", [pixels(5, 6, 3)], layout="HWC")


def test_large_images_are_counted_in_strips(tuned):
    from penstock.operators.augmenting import byte_tables

    image = picture(50, 40)
    whole = byte_tables.counted_levels(image)
    tuned(byte_tables, _STRIP=100)
    np.testing.assert_array_equal(byte_tables.counted_levels(image), whole)
    assert whole.sum() == image.size
