"""The image decoder in pipelines."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import tifffile

from penstock import ArgumentError, DecodeError, Pipeline, fn, ops, types
from penstock.decoders.image.image_decoder import flat_batch
from penstock.tensors import TensorListCPU

from .pipelines import run


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


def test_shapes_come_from_the_headers(files):
    shapes, images = run(
        files, lambda encoded: (fn.peek_image_shape(encoded), fn.decoders.image(encoded))
    )
    assert [tuple(shape) for shape in shapes] == [image.shape for image in images]


@pytest.mark.filterwarnings("ignore:ops.ImageDecoder is deprecated")
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
        ({"dtype": types.INT64}, "dtype must be one of.*uint32 with device='cpu'"),
        ({"fit": (1, 2, 3)}, "fit must be"),
        ({"output_type": 77}, "output_type"),
    ],
)
def test_arguments_are_checked(files, arguments, message):
    with pytest.raises(ArgumentError, match=message):
        run(files, lambda encoded: fn.decoders.image(encoded, **arguments))


@pytest.mark.parametrize("dtype", [types.UINT16, types.INT32, types.UINT32, types.FLOAT])
def test_label_maps_keep_their_labels(tmp_path, dtype):
    labels = np.arange(300, dtype=np.int32).reshape(15, 20)
    tifffile.imwrite(tmp_path / "labels.tif", labels)

    def decoded(encoded):
        whole = fn.decoders.image(encoded, output_type=types.ANY_DATA, dtype=dtype)
        window = fn.decoders.image_slice(
            encoded, start=(3, 2), shape=(7, 5), output_type=types.GRAY, dtype=dtype
        )
        return whole, window

    (whole,), (window,) = run([str(tmp_path / "labels.tif")], decoded)
    np.testing.assert_array_equal(whole[..., 0], labels)
    np.testing.assert_array_equal(window[..., 0], labels[2:7, 3:10])


def test_labels_that_do_not_fit_are_an_error_and_no_picture(tmp_path):
    tifffile.imwrite(tmp_path / "labels.tif", np.arange(300, dtype=np.int32).reshape(15, 20))
    with pytest.raises(DecodeError, match=r"values from 0 to 299 do not fit into uint8"):
        run([str(tmp_path / "labels.tif")], fn.decoders.image)


def test_bands_come_whole_and_as_rgb(tmp_path):
    bands = np.random.default_rng(0).integers(0, 256, (20, 30, 6)).astype(np.uint8)
    tifffile.imwrite(tmp_path / "bands.tif", bands, photometric="minisblack", planarconfig="contig")
    shape, whole, rgb, cropped = run(
        [str(tmp_path / "bands.tif")],
        lambda encoded: (
            fn.peek_image_shape(encoded, image_type=types.ANY_DATA),
            fn.decoders.image(encoded, output_type=types.ANY_DATA),
            fn.decoders.image(encoded),
            fn.decoders.image_crop(encoded, crop=(8, 10), output_type=types.ANY_DATA),
        ),
    )
    assert shape[0].tolist() == [20, 30, 6]
    np.testing.assert_array_equal(whole[0], bands)
    np.testing.assert_array_equal(rgb[0], bands[..., :3])
    np.testing.assert_array_equal(cropped[0], bands[6:14, 10:20])


FORMS = [lambda row: row[None], lambda row: row[:, None], lambda row: row.view(np.int8)]


def decoded(rows, decoder):
    with Pipeline(batch_size=len(rows), num_threads=1) as pipe:
        pipe.set_outputs(decoder(fn.external_source(lambda: rows)))
        return [np.array(image) for image in pipe.run()[0].rows()]


@pytest.fixture
def encoded(files):
    return [np.fromfile(file, np.uint8) for file in files]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("crop", [None, (4, 5)])
def test_files_in_other_forms_of_bytes(encoded, form, crop):
    decoder = partial(fn.decoders.image_crop, crop=crop) if crop else fn.decoders.image
    expected, found = decoded(encoded, decoder), decoded(list(map(form, encoded)), decoder)
    for image, other in zip(expected, found, strict=True):
        np.testing.assert_array_equal(image, other)


@pytest.mark.parametrize("form", FORMS)
def test_batches_of_files_in_other_forms_of_bytes(encoded, form):
    flat = flat_batch(TensorListCPU(list(map(form, encoded))))
    assert (flat.dtype, flat.ndim()) == (types.UINT8, 1)
    for row, file in zip(flat.rows(), encoded, strict=True):
        np.testing.assert_array_equal(row, file)


def test_an_image_is_no_encoded_file():
    with pytest.raises(TypeError, match="not 3 dimensions of type 'B'; pass the reader's output"):
        decoded([np.zeros((4, 5, 3), np.uint8)], fn.decoders.image)
