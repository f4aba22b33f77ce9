"""`fn.decoders.image_list`: each frame has the pixels of `fn.decoders.image` and `fn.resize`."""

import cv2
import numpy as np
import pytest

from penstock import ArgumentError, DecodeError, Pipeline, fn, types
from penstock.formats.bundle import bundled

SIZES = [(40, 60), (75, 31), (24, 24)]


def encoded(number):
    pixels = np.random.default_rng(number).integers(0, 256, (*SIZES[number], 3), np.uint8)
    smooth = cv2.GaussianBlur(pixels, (7, 7), 0)
    return cv2.imencode((".png", ".jpg")[number % 2], smooth)[1]


def lists():
    return [bundled([encoded(i) for i in some], np.empty) for some in ([0, 1, 2], [], [1])]


def outputs(graph, batch=3, **options):
    with Pipeline(batch_size=batch, num_threads=2, **options) as pipe:
        source = fn.external_source(lambda: lists(), dtype=types.UINT8, ndim=1)
        pipe.set_outputs(graph(source))
        return pipe.run()[0]


def alone(number, **arguments):
    with Pipeline(batch_size=1, num_threads=1) as pipe:
        image = fn.decoders.image(types.Constant(encoded(number)))
        pipe.set_outputs(fn.resize(image, **arguments))
        return pipe.run()[0].at(0)


def test_stretched_frames():
    frames = outputs(lambda files: fn.decoders.image_list(files, size=(32, 20)))
    assert frames.shape() == [(3, 32, 20, 3), (0, 32, 20, 3), (1, 32, 20, 3)]
    assert frames.layout() == "FHWC"
    for number in range(3):
        np.testing.assert_array_equal(frames.at(0)[number], alone(number, size=(32, 20)))
    np.testing.assert_array_equal(frames.at(2)[0], frames.at(0)[1])


def test_whole_images_with_borders():
    frames = outputs(
        lambda files: fn.decoders.image_list(files, size=30, mode="not_larger", fill_value=77)
    )
    for number in range(3):
        inner = alone(number, size=(30, 30), mode="not_larger", subpixel_scale=False)
        top, left = (30 - inner.shape[0]) // 2, (30 - inner.shape[1]) // 2
        frame = frames.at(0)[number].copy()
        place = frame[top : top + inner.shape[0], left : left + inner.shape[1]]
        np.testing.assert_array_equal(place, inner)
        place[...] = 77
        assert (frame == 77).all()


def test_the_middle_of_images():
    frames = outputs(lambda files: fn.decoders.image_list(files, size=24, mode="not_smaller"))
    # The second image of 75 x 31 pixels shows the rows 22 to 53 of all columns.
    wanted = alone(1, size=(24, 24), roi_start=(22, 0), roi_end=(53, 31))
    np.testing.assert_array_equal(frames.at(0)[1], wanted)


def test_gray_frames():
    frames = outputs(lambda f: fn.decoders.image_list(f, size=16, output_type=types.GRAY))
    assert frames.shape() == [(3, 16, 16, 1), (0, 16, 16, 1), (1, 16, 16, 1)]


@pytest.mark.parametrize("size", [(0, 3), (1, 2, 3), -4])
def test_sizes_that_are_none(size):
    with pytest.raises(ArgumentError, match=r"size=.* expected \(height, width\)"):
        outputs(lambda files: fn.decoders.image_list(files, size=size))


def test_channels_must_agree():
    with pytest.raises(ArgumentError, match="may differ in channels"):
        outputs(lambda f: fn.decoders.image_list(f, size=8, output_type=types.ANY_DATA))


def test_a_damaged_image_is_named():
    broken = encoded(1)[:-90]
    with Pipeline(batch_size=1, num_threads=1) as pipe:
        files = types.Constant(bundled([encoded(0), broken], np.empty))
        pipe.set_outputs(fn.decoders.image_list(files, size=8))
        with pytest.raises(DecodeError) as caught:
            pipe.run()
    assert "image 1 of a list of 2" in caught.value.__notes__


def test_other_data_are_no_list():
    with Pipeline(batch_size=1, num_threads=1) as pipe:
        pipe.set_outputs(fn.decoders.image_list(types.Constant(encoded(0)), size=8))
        with pytest.raises(DecodeError, match="no list of files"):
            pipe.run()


def test_the_image_decoder_names_the_right_one():
    with Pipeline(batch_size=1, num_threads=1) as pipe:
        pipe.set_outputs(fn.decoders.image(types.Constant(lists()[0])))
        with pytest.raises(DecodeError, match=r"a list of files, not one; .*image_list"):
            pipe.run()
