"""Arguments that no operator can mean are refused when the graph is defined."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import ArgumentError, Pipeline, fn, types

NAN, INF = float("nan"), float("inf")


@pytest.fixture
def image():
    return types.Constant(np.zeros((4, 5, 3), np.uint8), layout="HWC")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: fn.random.normal(stddev=-1), "'stddev' must be float, at least 0"),
        (lambda x: fn.random.normal(stddev=NAN), "not finite"),
        (lambda x: fn.random.uniform(range=[0, INF]), "not finite"),
        (lambda x: fn.random.uniform(range=[5, 1]), "is empty"),
        (lambda x: fn.random.coin_flip(probability=2), "from 0 to 1"),
        (lambda x: fn.random.beta(alpha=0), "above 0"),
        (lambda x: fn.random.choice(5, shape=[-1]), "at least 0"),
        (lambda x: fn.crop_mirror_normalize(x, mean=NAN, std=NAN), "not finite"),
        (lambda x: fn.crop(x, crop=[NAN, NAN]), "not finite"),
        (lambda x: fn.random_resized_crop(x, size=4, random_area=[3, 2]), "random_area must"),
        (lambda x: fn.reshape(x, layout="HHC"), "a letter names two dimensions"),
        (lambda x: fn.external_source(layout="HH"), "a letter names two dimensions"),
        (lambda x: fn.flip(x, name=5), "name must be str, but is 5"),
        (lambda x: fn.zeros(shape=b"abc"), "'shape' must be"),
        (lambda x: fn.zeros(shape=[-1]), "at least 0"),
        (lambda x: fn.constant(idata=[1], shape=[-1, -2]), "at least 0"),
        (lambda x: types.Constant(1, shape=[-1, -2]), "must not be negative"),
        (lambda x: fn.resize(x, size=4, max_size=[1, 2, 3]), "max_size must have"),
        (lambda x: fn.resize(x, size=4, max_size=NAN), "not finite"),
        (lambda x: fn.resize(x, size=INF), "fn.resize: the argument 'size'"),
        (lambda x: fn.resize(x, size=4, antialias=object()), "'antialias' must be bool"),
        (lambda x: fn.rotate(x, angle=NAN), "fn.rotate: the argument 'angle'"),
        (lambda x: fn.reinterpret(x, rel_shape=NAN), "not finite"),
        (lambda x: fn.reshape(x, shape=[-1, -1]), "only one extent may be negative"),
        (lambda x: fn.decoders.image(x, hw_decoder_load=NAN), "not finite"),
        (lambda x: fn.readers.numpy(files=["a.npy"], roi_axes=300), "arrays have at most 64 axes"),
        (lambda x: fn.readers.file(files=["a"], labels=[2**70]), "64 bits"),
        (lambda x: fn.readers.file(files=["a"], seed=2**70), "64 bits"),
        (lambda x: fn.python_function(x, function=lambda: 0), "cannot be called with 1 inputs"),
    ],
)
def test_nonsense_is_refused_at_definition(image, call, message):
    with pytest.raises(ArgumentError, match=message):
        call(image)


def test_harmless_values_are_taken(image):
    with Pipeline(batch_size=1, num_threads=1) as pipe:
        pass
    kept = fn.flip(image, bytes_per_sample_hint=[0])
    cropped = fn.crop(image, crop=(0, 2), fill_values=[INF])
    counted = fn.python_function(image, function=np.sum)
    pipe.set_outputs(kept, cropped, counted)
    rows = [output.at(0) for output in pipe.run()]
    pipe.close()
    assert rows[0].shape == (4, 5, 3)
    assert rows[1].shape == (4, 2, 3)
    assert rows[2] == 0
    for value in ("", "threshold"):
        assert fn.decoders.image(image, cache_type=value).device == "cpu"


def test_types_of_pytorch_are_taken(image):
    torch = pytest.importorskip("torch")
    assert types.to_dali_type(torch.float32) is types.FLOAT
    assert types.to_numpy_type(torch.uint8) == np.uint8
    assert fn.cast(image, dtype=torch.int64).node.operator.dtype is types.INT64
    with pytest.raises(ArgumentError, match="no element type"):
        types.to_dali_type(torch.complex64)
