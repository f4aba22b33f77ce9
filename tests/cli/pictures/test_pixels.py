"""Arrays as pictures."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.cli.pictures import pixels


def test_uint8_stays_and_gray_becomes_rgb():
    image = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)
    assert np.array_equal(pixels.image(image, "HWC"), image)
    assert np.array_equal(pixels.image(image.transpose(2, 0, 1), "CHW"), image)
    gray = pixels.image(image[..., 0], "HW")
    assert gray.shape == (2, 4, 3)
    assert (gray == image[..., :1]).all()


def test_floats_of_the_unit_range_are_scaled_and_others_stretched():
    unit = np.array([[[0.0], [0.5]]], np.float32)
    assert pixels.image(unit, "HWC")[0, :, 0].tolist() == [0, 128]
    normalized = np.array([[[-2.0], [0.0], [2.0]]], np.float32)
    assert pixels.image(normalized, "HWC")[0, :, 0].tolist() == [0, 128, 255]
    deep = np.array([[[0], [65535]]], np.uint16)
    assert pixels.image(deep, "HWC")[0, :, 0].tolist() == [0, 255]


@pytest.mark.parametrize("draw", [lambda a: pixels.image(a, "HW"), pixels.heat_map])
def test_nothing_finite_and_nothing_varied_is_drawn_all_the_same(draw):
    for value in (np.nan, np.inf, 7.0):
        assert draw(np.full((3, 4), value, np.float32)).shape == (3, 4, 3)


def test_transparent_pixels_show_a_checkerboard():
    image = np.zeros((16, 16, 4), np.uint8)
    image[:8, :, 3] = 255
    drawn = pixels.image(image, "HWC")
    assert (drawn[:8] == 0).all()
    assert {150, 200} == set(np.unique(drawn[8:]))


def test_a_heat_map_gets_lighter_with_the_values():
    drawn = pixels.heat_map(np.linspace(0, 1, 50, dtype=np.float32)[np.newaxis])
    brightness = drawn[0].sum(axis=1).astype(int)
    assert brightness[0] < brightness[25] < brightness[-1]


def test_low_frequencies_are_below_and_time_runs_right():
    samples = np.sin(2 * np.pi * 0.25 * np.arange(8000)).astype(np.float32)
    powers = pixels.short_time_powers(np.concatenate([samples, np.zeros(8000, np.float32)]))
    drawn = pixels.spectrogram(powers, "ft").sum(axis=2)
    height, width = drawn.shape
    row, column = np.unravel_index(drawn.argmax(), drawn.shape)
    assert row == pytest.approx(height / 2, abs=2)  # 0.25 of the rate is half of Nyquist's
    assert column < width / 2
    assert np.array_equal(pixels.spectrogram(powers.T, "tf"), pixels.spectrogram(powers, "ft"))


def test_short_sound_has_a_spectrogram():
    assert pixels.short_time_powers(np.zeros(3, np.float32)).shape == (257, 1)


def test_a_wave_covers_its_extent_in_each_channel():
    samples = np.stack([np.tile([-1, 1], 500), np.linspace(-1, 1, 1000)], axis=1)
    drawn = pixels.wave(samples, 100, 80)
    lit = drawn[..., 2] > 100
    assert lit[:40].all()
    assert lit[40:, 0].nonzero()[0].mean() > 35  # the ramp starts at the bottom
    assert lit[40:, -1].nonzero()[0].mean() < 5
    assert pixels.wave(np.arange(3.0), 100, 80).shape == (80, 100, 3)


def test_the_middle_slice_of_a_volume():
    volume = np.zeros((5, 4, 6), np.uint8)
    volume[2] = 200
    assert (pixels.volume_slice(volume, "DHW") == 200).all()
    assert pixels.volume_slice(np.zeros((3, 5, 4, 6)), "CDHW").shape == (4, 6, 3)
