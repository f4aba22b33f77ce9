"""`noise`."""

# ruff: noqa: RUF012  (attributes of test classes, which nothing changes)

from __future__ import annotations

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.engine.errors import ArgumentError
from penstock.testing.operators import RandomConformance

from ..running import pixels

SEED = {"seed": 17}
IMAGES = [pixels(6 + i, 9 - i, 3, seed=i) for i in range(4)]
GRAY_LEVELS = np.linspace(0, 255, 200, dtype=np.float32)


class TestGaussian(RandomConformance):
    operator = "noise.gaussian"
    layouts = ()  # each element has its own number
    inputs = (IMAGES,)
    arguments = SEED | {"mean": 3.0, "stddev": 20.0}
    per_sample = {"stddev": [0.0, 1.0, 50.0, 3.0], "mean": [-300.0, 0.0, 7.0, 300.0]}
    bad = (
        ({"stddev": -1.0}, "at least 0"),
        ({"stddev": [np.float32(-1)] * 4}, "stddev is -1.0; it must be at least 0"),
        ({"mean": [np.float32(np.nan)] * 4}, "'mean' .*not finite"),
    )
    largest = 1


class TestGaussianOfFloats(RandomConformance):
    operator = "noise.gaussian"
    layouts = ()  # each element has its own number
    inputs = ([image.astype(np.float32) / 255 for image in IMAGES],)
    arguments = SEED
    largest = 1e-5


class TestSaltAndPepper(RandomConformance):
    operator = "noise.salt_and_pepper"
    layouts = ("CHW",)  # each pixel of a video has its own number
    inputs = (IMAGES,)
    arguments = SEED | {"prob": 0.3}
    per_sample = {
        "prob": [0.0, 0.5, 1.0, 0.1],
        "salt_vs_pepper": [0.0, 0.5, 1.0, 0.1],
        "salt_val": [300.0, -5.0, 7.9, 0.0],
    }
    bad = (
        ({"prob": 1.5}, "from 0 to 1"),
        ({"prob": [np.float32(1.5)] * 4}, "prob is 1.5; it must be from 0 to 1"),
    )


class TestSaltAndPepperOfPlanes(RandomConformance):
    operator = "noise.salt_and_pepper"
    layout = "FCHW"
    inputs = ([pixels(2, 3, 5, 6 + i, seed=i).astype(np.float16) for i in range(3)],)
    arguments = SEED | {"prob": 0.3, "pepper_val": -7.5}


class TestShot(RandomConformance):
    operator = "noise.shot"
    layouts = ()  # each element has its own number
    inputs = (IMAGES,)
    arguments = SEED
    per_sample = {"factor": [0.0, 0.5, 20.0, 300.0]}
    bad = (
        ({"factor": -1.0}, "at least 0"),
        ({"factor": [np.float32(np.nan)] * 4}, "'factor' .*not finite"),
    )


class TestShotOfFloats(RandomConformance):
    operator = "noise.shot"
    inputs = ([np.append(np.float32([np.nan, np.inf, -3]), i * GRAY_LEVELS) for i in range(1, 4)],)
    layout = ""
    arguments = SEED
    per_sample = {"factor": [1e-3, 0.7, 9.0]}


class TestShotOfLargeIntegers(RandomConformance):
    operator = "noise.shot"
    inputs = ([np.int64([-(2**62), 2**62 + 1, 5000, 2**40]) for i in range(3)],)
    layout = ""
    arguments = SEED | {"factor": 3.0}
    per_sample = {"factor": [0.0, 1.0, 1000.0]}


def noisy(name, sample, layout="HWC", **arguments):
    """Return the operator's result in a pipeline."""
    with Pipeline(batch_size=1, num_threads=1, seed=3) as pipe:
        data = fn.external_source(source=lambda: [sample], layout=layout)
        pipe.set_outputs(getattr(fn.noise, name)(data, **arguments))
        return np.array(pipe.run()[0].at(0))


GRAY = np.full((200, 300, 3), 100, np.uint8)


@pytest.mark.parametrize("dtype", ["u1", "i2", "i8", "f2", "f4", "f8"])
def test_gaussian_noise_has_its_mean_and_deviation(dtype):
    result = noisy("gaussian", GRAY.astype(dtype), mean=5.0, stddev=20.0).astype(float)
    assert result.mean() == pytest.approx(105, abs=0.3)
    assert result.std() == pytest.approx(20, abs=0.2)
    centered = (result - result.mean()) / result.std()
    assert (centered**3).mean() == pytest.approx(0, abs=0.03)
    assert (centered**4).mean() == pytest.approx(3, abs=0.1)
    neighbors = np.corrcoef(result[..., 0].ravel()[:-1], result[..., 0].ravel()[1:])[0, 1]
    assert abs(neighbors) < 0.02


def test_shot_noise_has_the_variance_of_its_events():
    result = noisy("shot", GRAY.astype(np.float32), factor=5.0)
    assert result.mean() == pytest.approx(100, abs=0.5)
    assert result.var() == pytest.approx(500, rel=0.03)
    assert set(np.unique(result % 5)) == {0}
    negative = noisy("shot", np.float32([-3, np.nan, 1e30]), "X", factor=1e-20)
    assert negative[0] == 0
    assert np.isnan(negative[1])


@pytest.mark.parametrize("per_channel", [False, True])
def test_salt_and_pepper_have_their_shares(per_channel):
    result = noisy("salt_and_pepper", GRAY, prob=0.2, salt_vs_pepper=0.25, per_channel=per_channel)
    assert (result == 255).mean() == pytest.approx(0.05, abs=0.005)
    assert (result == 0).mean() == pytest.approx(0.15, abs=0.005)
    same = (np.ptp(result, axis=-1) == 0).mean()
    assert same == 1 if not per_channel else same < 0.7


@pytest.mark.parametrize(("dtype", "low", "high"), [("i2", -32768, 32767), ("f4", -1, 1)])
def test_values_of_salt_and_pepper(dtype, low, high):
    result = noisy("salt_and_pepper", GRAY.astype(dtype), prob=0.5)
    assert np.unique(result).tolist() == sorted([low, high, 100])


@pytest.mark.parametrize("name", ["gaussian", "shot", "salt_and_pepper"])
@pytest.mark.parametrize("shape", [(0, 4, 3), (1, 1, 1)])
def test_small_and_empty_images(name, shape):
    assert noisy(name, np.full(shape, 9, np.uint8)).shape == shape
    with pytest.raises(ArgumentError, match="takes numbers, not bool"):
        noisy(name, np.ones(shape, bool))
