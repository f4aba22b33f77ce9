"""Which layouts operators take, and which layouts their results have, against NVIDIA DALI.

Data without H and W, or of a layout that DALI refuses, are refused with a ValueError here, too.
Some layouts that DALI refuses are taken here on purpose: see `ALSO_TAKEN`.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import penstock

dali = pytest.importorskip("nvidia.dali")

EXTENTS = {"F": 2, "D": 4, "H": 6, "W": 8, "C": 3, "A": 6, "B": 8, "*": 5}
LAYOUTS = ["HWC", "CHW", "FHWC", "FCHW", "DHWC", "CDHW", "HW", "FHW", "ABC", "AB", "FAB", "F**"]
SHAPES = [(6, 8), (6, 8, 3), (2, 6, 8, 3)]  # of data without a layout

ALSO_TAKEN = {"HW", "FHW", (6, 8)}
"""Images without channels, which most of DALI's operators refuse."""

MORE_TAKEN = {
    "brightness": {"CHW", "FCHW", "CDHW"},  # each number is treated alike
    "contrast": {"CHW", "FCHW", "CDHW"},
    "brightness_contrast": {"CHW", "FCHW", "CDHW"},
    "sphere": {"FHWC", "F**"},  # frame by frame
    "water": {"FHWC", "F**"},
    "erase HW": set(SHAPES),  # which count as images
}

WINDOW = {"start": (1, 2), "shape": (2, 3)}

OPERATORS = {
    "crop": lambda lib, x: lib.fn.crop(x, crop=(4, 5)),
    "flip": lambda lib, x: lib.fn.flip(x, horizontal=1, vertical=1),
    "resize": lambda lib, x: lib.fn.resize(x, size=(4, 4), interp_type=0),
    "rotate": lambda lib, x: lib.fn.rotate(x, angle=90.0, axis=(0.0, 0.0, 1.0)),
    "erase HW": lambda lib, x: lib.fn.erase(x, anchor=(1, 1), shape=(2, 2), axis_names="HW"),
    "erase axes": lambda lib, x: lib.fn.erase(x, anchor=(1, 1), shape=(2, 2), axes=(0, 1)),
    "color_twist": lambda lib, x: lib.fn.color_twist(x, hue=20.0),
    "hsv": lambda lib, x: lib.fn.hsv(x, hue=20.0),
    "hue": lambda lib, x: lib.fn.hue(x, hue=20.0),
    "saturation": lambda lib, x: lib.fn.saturation(x, saturation=0.5),
    "brightness": lambda lib, x: lib.fn.brightness(x, brightness=0.5),
    "contrast": lambda lib, x: lib.fn.contrast(x, contrast=0.5),
    "brightness_contrast": lambda lib, x: lib.fn.brightness_contrast(x, brightness=0.5),
    "color_space_conversion": lambda lib, x: lib.fn.color_space_conversion(
        x, image_type=0, output_type=1
    ),
    "paste": lambda lib, x: lib.fn.paste(x, ratio=2.0, fill_value=(1, 2, 3)),
    "jpeg_compression_distortion": lambda lib, x: lib.fn.jpeg_compression_distortion(x, quality=50),
    "water": lambda lib, x: lib.fn.water(x),
    "sphere": lambda lib, x: lib.fn.sphere(x),
    "gaussian_blur": lambda lib, x: lib.fn.gaussian_blur(x, window_size=3),
    "laplacian": lambda lib, x: lib.fn.laplacian(x, window_size=3),
    "crop_mirror_normalize": lambda lib, x: lib.fn.crop_mirror_normalize(
        x, crop=(4, 5), mirror=1, std=[2.0], output_layout=""
    ),
    "random_resized_crop": lambda lib, x: lib.fn.random_resized_crop(
        x, size=(4, 4), random_area=(0.99999, 1.0), random_aspect_ratio=(1.0, 1.00001)
    ),
    "resize_crop_mirror": lambda lib, x: lib.fn.resize_crop_mirror(
        x, resize_x=8, resize_y=6, crop=(4, 4)
    ),
    "slice": lambda lib, x: lib.fn.slice(x, **WINDOW),
    "slice HW": lambda lib, x: lib.fn.slice(x, **WINDOW, axis_names="HW"),
    "slice W": lambda lib, x: lib.fn.slice(x, start=(1,), shape=(2,), axis_names="W"),
    "slice all axes": lambda lib, x: lib.fn.slice(x, rel_start=(0.1,), rel_shape=(0.5,), axes=[]),
    "pad": lambda lib, x: lib.fn.pad(x, align=4),
    "pad HW": lambda lib, x: lib.fn.pad(x, axis_names="HW", align=4),
    "normalize": lambda lib, x: lib.fn.normalize(x),
    "normalize HW": lambda lib, x: lib.fn.normalize(x, axis_names="HW"),
    "mean": lambda lib, x: lib.fn.reductions.mean(x),
    "mean W": lambda lib, x: lib.fn.reductions.mean(x, axis_names="W"),
    "mean W kept": lambda lib, x: lib.fn.reductions.mean(x, axis_names="W", keep_dims=True),
    "sum of axes": lambda lib, x: lib.fn.reductions.sum(x, axes=(0, 1)),
    "transpose": lambda lib, x: lib.fn.transpose(x),
    "transpose kept": lambda lib, x: lib.fn.transpose(x, perm=[2, 0, 1], transpose_layout=False),
    "cast": lambda lib, x: lib.fn.cast(x, dtype=lib.types.FLOAT),
    "lookup_table": lambda lib, x: lib.fn.lookup_table(x, keys=[1, 2], values=[5.0, 6.0]),
    "stack": lambda lib, x: lib.fn.stack(x, x),
    "stack named": lambda lib, x: lib.fn.stack(x, x, axis=1, axis_name="Q"),
    "cat": lambda lib, x: lib.fn.cat(x, x, axis=1),
    "cat W": lambda lib, x: lib.fn.cat(x, x, axis_name="W"),
    "expand_dims": lambda lib, x: lib.fn.expand_dims(x, axes=[0]),
    "expand_dims none": lambda lib, x: lib.fn.expand_dims(x, axes=[]),
    "expand_dims named": lambda lib, x: lib.fn.expand_dims(x, axes=[1], new_axis_names="Q"),
    "squeeze none": lambda lib, x: lib.fn.squeeze(x, axes=[]),
    "reshape": lambda lib, x: lib.fn.reshape(x, shape=[-1]),
    "reshape of a node": lambda lib, x: lib.fn.reshape(x, shape=x.shape(dtype=lib.types.INT32)),
    "reshape by an input": lambda lib, x: lib.fn.reshape(x, x.shape(dtype=lib.types.INT32)),
    "reinterpret": lambda lib, x: lib.fn.reinterpret(x, shape=x.shape(dtype=lib.types.INT32)),
    "one_hot": lambda lib, x: lib.fn.one_hot(x, num_classes=3),
    "one_hot named": lambda lib, x: lib.fn.one_hot(x, num_classes=3, axis_name="O"),
    "arithmetic": lambda lib, x: x * 2,
    "subscript": lambda lib, x: x[0],
    "per_frame": lambda lib, x: lib.fn.per_frame(x, replace=True),
    "sequence_rearrange": lambda lib, x: lib.fn.sequence_rearrange(x, new_order=[1, 0]),
    "element_extract": lambda lib, x: lib.fn.element_extract(x, element_map=[0]),
    "salt_and_pepper": lambda lib, x: lib.fn.noise.salt_and_pepper(x, prob=0.0, per_channel=True),
    "zeros_like": lambda lib, x: lib.fn.zeros_like(x),
    "get_property": lambda lib, x: lib.fn.get_property(x, key="layout"),
    "flip and crop": lambda lib, x: lib.fn.crop(lib.fn.flip(x), crop=(4, 5)),
    "crop and flip": lambda lib, x: lib.fn.flip(lib.fn.crop(x, crop=(4, 5))),
    "flip and slice": lambda lib, x: lib.fn.slice(lib.fn.flip(x), **WINDOW, axis_names="HW"),
    "flip, cast and pad": lambda lib, x: lib.fn.pad(
        lib.fn.cast(lib.fn.flip(x), dtype=lib.types.FLOAT), axis_names="HW", align=4
    ),
    "cast and resize": lambda lib, x: lib.fn.resize(
        lib.fn.cast(x, dtype=lib.types.FLOAT), size=(4, 4), interp_type=0
    ),
}


def outcome(library, operator, data, layout, *, fed):
    """Return layout and values of the result, or the error."""
    pipe = library.Pipeline(1, 1, None, seed=5, prefetch_queue_depth=1)
    try:
        with pipe, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of operators that DALI calls deprecated
            if fed:
                source = library.fn.external_source(name="data")
            else:
                source = library.fn.external_source(lambda: [data], layout=layout)
            pipe.set_outputs(operator(library, source))
        pipe.build()
        if fed:
            pipe.feed_input("data", [data], layout=layout)
        (result,) = pipe.run()
        return result.layout(), np.array(result.at(0))
    except (RuntimeError, ValueError, TypeError) as error:
        return error


def cases():
    rng = np.random.default_rng(1)
    for given in [*LAYOUTS, *SHAPES]:
        shape = tuple(EXTENTS[letter] for letter in given) if isinstance(given, str) else given
        data = rng.integers(0, 255, shape, np.uint8)
        yield given, data, given if isinstance(given, str) else None


@pytest.mark.parametrize("name", OPERATORS)
def test_layouts(name):
    also_taken = ALSO_TAKEN | MORE_TAKEN.get(name, set())
    for given, data, layout in cases():
        declared, fed = (
            outcome(penstock, OPERATORS[name], data, layout, fed=fed) for fed in (False, True)
        )
        theirs = outcome(dali, OPERATORS[name], data, layout, fed=False)
        if isinstance(declared, Exception):
            assert isinstance(declared, ValueError), given
            assert isinstance(fed, ValueError), given
            assert isinstance(theirs, Exception), (given, declared)
            continue
        np.testing.assert_array_equal(fed[1], declared[1])
        assert fed[0] == declared[0], given
        if isinstance(theirs, Exception):
            assert given in also_taken, (given, declared, theirs)
            continue
        assert declared[0] == theirs[0], given
        np.testing.assert_allclose(declared[1].astype(float), theirs[1].astype(float), atol=3)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (((13,), "C"), ((11, 13), None)),
        (((11, 13), None), ((11, 13), "BC")),
        (((3, 4, 5), "BCD"), ((2, 3, 4, 5), None)),
        (((2, 3, 4, 5), "ABCD"), ((5,), "D")),
        (((1,), "X"), ((2, 3, 4, 5), "ABCD")),
        (((5,), None), ((2, 5), "AB")),
    ],
)
def test_arithmetic_of_operands_with_different_numbers_of_dimensions(one, other):
    def added(library):
        def expression(lib, _):
            operands = (
                library.types.Constant(np.full(shape, 1, np.float32), layout=layout)
                for shape, layout in (one, other)
            )
            return sum(operands, start=next(operands))

        return outcome(library, expression, np.zeros(1), None, fed=False)

    ours, theirs = added(penstock), added(dali)
    if isinstance(theirs, Exception):
        assert isinstance(ours, ValueError)
    else:
        assert ours[0] == theirs[0]
        np.testing.assert_array_equal(ours[1], theirs[1])


@pytest.mark.parametrize("axis_name", [None, "O"])
def test_one_hot_of_scalars(axis_name):
    def expression(lib, x):
        return lib.fn.one_hot(x, num_classes=3, axis_name=axis_name)

    ours, theirs = (
        outcome(library, expression, np.int32(1), None, fed=False) for library in (penstock, dali)
    )
    assert ours[0] == theirs[0]
    np.testing.assert_array_equal(ours[1], theirs[1])


@pytest.mark.parametrize(("layout", "count"), [("FHWC", 3), ("DHWC", 3), ("FHWC", 6), ("HWC", 2)])
def test_regions_to_erase_are_of_all_axes_but_channels(layout, count):
    (data,) = (data for given, data, _ in cases() if given == layout)

    def expression(lib, x):
        return lib.fn.erase(
            x, anchor=(1.0,) * count, shape=(1.0, 2.0, 3.0)[:count] * (1 + count // 6)
        )

    ours, theirs = (
        outcome(library, expression, data, layout, fed=False) for library in (penstock, dali)
    )
    np.testing.assert_array_equal(ours[1], theirs[1])
