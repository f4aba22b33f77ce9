"""The decoders in pipelines: crops and slices equal the part of the whole, random ones are pure."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import ArgumentError, fn, ops, pipeline_def, types


@pytest.fixture(scope="module")
def files(photo_tree):
    return [str(photo_tree.root / name) for name in photo_tree.files[:6]]


def run(files, graph, **options):
    @pipeline_def(batch_size=len(files), **{"num_threads": 2, "seed": 11, **options})
    def pipeline():
        encoded, _ = fn.readers.file(files=files)
        return graph(encoded)

    with pipeline() as pipe:
        return [[np.array(output.at(i)) for i in range(len(files))] for output in pipe.run()]


def test_crop_and_slice_equal_the_part_of_the_whole(files):
    whole, cropped, sliced, named = run(
        files,
        lambda encoded: (
            fn.decoders.image(encoded),
            fn.decoders.image_crop(encoded, crop=(50, 60), crop_pos_x=0.2, crop_pos_y=1.0),
            fn.decoders.image_slice(encoded, np.float32([0.25, 0.5]), np.float32([0.5, 0.25])),
            fn.decoders.image_slice(encoded, start=[5, 7], end=[40, 30], axis_names="WH"),
        ),
    )
    for i, image in enumerate(whole):
        height, width = image.shape[:2]
        left = int(np.floor(0.2 * (width - 60) + 0.5))
        np.testing.assert_array_equal(cropped[i], image[height - 50 :, left : left + 60])
        x0, x1 = np.floor(np.array([0.25, 0.75]) * width + 0.5).astype(int)
        y0, y1 = np.floor(np.array([0.5, 0.75]) * height + 0.5).astype(int)
        np.testing.assert_array_equal(sliced[i], image[y0:y1, x0:x1])
        np.testing.assert_array_equal(named[i], image[7:30, 5:40])


def test_a_window_outside_of_the_image_is_refused(files):
    with pytest.raises(ArgumentError, match="reaches out") as caught:
        run(files, lambda encoded: fn.decoders.image_crop(encoded, crop=(50000, 10)))
    notes = " ".join(caught.value.__notes__)
    assert "decoders.image_crop" in notes
    assert "test_operators.py" in notes
    assert files[0] in notes


def test_random_crops_are_parts_of_the_image_and_differ(files):
    images, crops = run(
        files,
        lambda encoded: (
            fn.decoders.image(encoded),
            fn.decoders.image_random_crop(encoded, random_area=(0.2, 0.5)),
        ),
    )
    for image, crop in zip(images, crops, strict=True):
        assert 0.15 < crop.size / image.size < 0.55
        windows = np.lib.stride_tricks.sliding_window_view(image, crop.shape)[:, :, 0]
        assert (windows[..., 0, 0, :] == crop[0, 0]).all(-1).any()
    assert len({crop.shape for crop in crops}) > 1


def test_a_random_crop_depends_on_seed_and_position_alone(files):
    def crops(threads):
        return run(files, fn.decoders.image_random_crop, num_threads=threads)[0]

    for one, other in zip(crops(1), crops(3), strict=True):
        np.testing.assert_array_equal(one, other)


def test_fit_gives_smaller_images_that_resize_alike(files):
    full, small = run(
        files,
        lambda encoded: (
            fn.resize(fn.decoders.image(encoded), size=(48, 64)),
            fn.resize(fn.decoders.image(encoded, fit=(48, 64)), size=(48, 64)),
        ),
    )
    difference = np.abs(np.stack(full).astype(int) - np.stack(small)).mean()
    assert 0 < difference < 3


def test_shapes_are_told_without_decoding(files):
    shapes, images = run(
        files, lambda encoded: (fn.peek_image_shape(encoded), fn.decoders.image(encoded))
    )
    assert [tuple(shape) for shape in shapes] == [image.shape for image in images]


def test_class_form_and_old_names_make_the_same_operators(files):
    new, old = run(
        files,
        lambda encoded: (
            ops.decoders.Image(device="cpu", output_type=types.GRAY)(encoded),
            ops.ImageDecoder(output_type=types.GRAY)(encoded),
        ),
    )
    for one, other in zip(new, old, strict=True):
        assert one.shape[2] == 1
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"dtype": types.INT64}, "dtype must be one of"),
        ({"fit": (1, 2, 3)}, "fit must be"),
        ({"output_type": 77}, "output_type"),
    ],
)
def test_arguments_are_checked(files, arguments, message):
    with pytest.raises(ArgumentError, match=message):
        run(files, lambda encoded: fn.decoders.image(encoded, **arguments))
