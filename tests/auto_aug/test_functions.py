"""`auto_aug.core.augmentation`: functions of samples and a magnitude."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import ArgumentError, Pipeline, fn, types
from penstock.auto_aug import augmentations as a
from penstock.auto_aug.core import Augmentation, augmentation, signed_bin
from penstock.testing.agreement import source

COUNT = 8


@augmentation(mag_range=(100, 110), randomly_negate=True)
def parameter_of(data, parameter):
    return parameter


plain = parameter_of.augmentation(randomly_negate=None)
BINS = [np.int32(i) for i in range(COUNT)]


def run(define, count=COUNT):
    """Return the samples of the output that `define` returns."""
    with Pipeline(batch_size=count, num_threads=1, seed=4) as pipe:
        pipe.set_outputs(define())
        (output,) = pipe.run()
        return [np.array(row) for row in output.as_cpu().rows()]


def test_bins_divide_the_range_evenly():
    data = types.Constant(1)
    rows = run(lambda: plain(data, magnitude_bin=source(BINS), num_magnitude_bins=11))
    assert [row.item() for row in rows] == [100 + i for i in range(COUNT)]
    rows = run(lambda: plain(data, magnitude_bin=2, num_magnitude_bins=3))
    assert [row.item() for row in rows] == [110] * COUNT
    assert rows[0].dtype == np.float32


def test_an_array_holds_the_magnitudes_of_all_bins():
    table = np.array([1, 1, 2, 3, 5, 8, 13, 21])
    fibonacci = plain.augmentation(mag_range=table)
    rows = run(lambda: fibonacci(types.Constant(1), magnitude_bin=source(BINS)))
    assert [row.item() for row in rows] == table.tolist()
    with pytest.raises(ArgumentError, match="has 8 magnitudes, but `num_magnitude_bins` is 9"):
        fibonacci.magnitudes(9)


def test_without_a_range_there_is_no_parameter():
    data = types.Constant(1)
    assert parameter_of.augmentation(mag_range=None)(data, magnitude_bin=3) is None
    assert a.identity(data) is data


@pytest.mark.parametrize("number", [3, None])
def test_a_sign_negates_the_magnitude(number):
    signs = [np.int32(i % 2) for i in range(COUNT)]

    def define():
        chosen = signed_bin(source(BINS) if number is None else number, source(signs))
        return parameter_of(types.Constant(1), magnitude_bin=chosen, num_magnitude_bins=11)

    wanted = [(100 + (i if number is None else number)) * (-1) ** i for i in range(COUNT)]
    assert [row.item() for row in run(define)] == wanted


def test_signs_are_drawn_for_each_sample():
    def define():
        chosen = signed_bin(2, seed=3, shape=(2,))[1]
        return parameter_of(types.Constant(1), magnitude_bin=chosen, num_magnitude_bins=11)

    numbers = [row.item() for row in run(define, 64)]
    assert set(numbers) == {-102, 102}
    assert 16 < numbers.count(102) < 48


def test_a_bin_without_a_sign_gets_one_with_a_warning():
    def define():
        return parameter_of(types.Constant(1), magnitude_bin=2, num_magnitude_bins=11)

    with pytest.warns(UserWarning, match="unsigned `magnitude_bin`"):
        assert {row.item() for row in run(define, 64)} == {-102, 102}


def test_a_bin_with_a_sign_serves_augmentations_without_signs():
    def define():
        return plain(types.Constant(1), magnitude_bin=signed_bin(2), num_magnitude_bins=11)

    assert {row.item() for row in run(define)} == {102}


def test_parameters_are_made_of_magnitudes(device):
    @augmentation(mag_range=(0, 10), mag_to_param=lambda m: np.array([m, 2 * m], np.int16))
    def pair(data, parameter):
        return parameter

    there = pair.augmentation(param_device=device)

    def define():
        node = there(types.Constant(1), magnitude_bin=source(BINS), num_magnitude_bins=11)
        assert node.device == device
        return node

    rows = run(define)
    assert rows[0].dtype == np.int16
    assert [row.tolist() for row in rows] == [[i, 2 * i] for i in range(COUNT)]


def test_the_parameter_follows_the_samples(device):
    automatic = plain.augmentation(param_device="auto")

    def define():
        data = types.Constant(1, device=device)
        node = automatic(data, magnitude_bin=3, num_magnitude_bins=11)
        assert node.device == device
        return node

    assert run(define)[0].item() == 103


def test_a_copy_has_what_is_given_and_keeps_the_rest():
    changed = parameter_of.augmentation(mag_range=(1, 2), name="other")
    assert (changed.mag_range, changed.name, changed.randomly_negate) == ((1, 2), "other", True)
    assert changed.op is parameter_of.op
    reset = changed.augmentation(name=None, randomly_negate=None)
    assert (reset.name, reset.randomly_negate, reset.mag_range) == ("parameter_of", False, (1, 2))
    assert "name='other'" in repr(changed)

    class Own(Augmentation):
        pass

    assert type(parameter_of.augmentation(augmentation_cls=Own)) is Own
    assert type(augmentation(parameter_of.op, augmentation_cls=Own)) is Own


def test_functions_get_the_arguments_that_they_name():
    @augmentation
    def needs(data, _, extra, another, more=5):
        return data + extra + another + more

    assert run(lambda: needs(types.Constant(1), extra=2, another=3, unknown=9))[0].item() == 11
    with pytest.raises(ArgumentError, match="not provided to the call: extra, another"):
        run(lambda: needs(types.Constant(1)))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: augmentation(a.shear_x), "already decorated"),
        (lambda: augmentation(5), "decorates functions, not 5"),
        (lambda: augmentation(lambda data: data), r"accepts 1 positional argument\(s\)"),
        (lambda: plain(1, num_magnitude_bins=3), "needs `magnitude_bin`"),
        (lambda: plain(1, magnitude_bin=3), "needs `num_magnitude_bins`"),
        (
            lambda: plain(1, magnitude_bin=3, num_magnitude_bins=3),
            "no magnitude bin 3; there are 3",
        ),
        (lambda: plain.augmentation(mag_range=5).magnitudes(3), r"must be a pair \(low, high\)"),
        (lambda: signed_bin(1.5), "must be an int or a DataNode"),
        (lambda: signed_bin(1, types.Constant(1), seed=3), "Give either `random_sign`"),
        (lambda: a.solarize_add_shift(128), "takes shifts below 128"),
    ],
)
def test_errors_say_what_is_wrong(call, message):
    with pytest.raises(ArgumentError, match=message):
        call()


def test_mag_to_param_must_return_arrays_of_one_form():
    growing = plain.augmentation(mag_to_param=lambda m: np.zeros(int(m) - 99))
    with pytest.raises(ArgumentError, match=r"has shape \(1,\) .* it has shape \(2,\)"):
        growing.parameters([100, 101])
    nodes = plain.augmentation(mag_to_param=lambda m: fn.transforms.shear(shear=(m, 0)))
    with pytest.raises(ArgumentError, match="returned a DataNode"):
        run(lambda: nodes(types.Constant(1), magnitude_bin=1, num_magnitude_bins=3))


@pytest.mark.parametrize(
    ("magnitude", "mask"),
    [(-1, 0x80), (0, 0x80), (0.6, 0x80), (2.5, 0xC0), (3.5, 0xF0), (8, 0xFF), (9, 0xFF)],
)
def test_masks_of_posterize_keep_at_least_one_bit(magnitude, mask):
    assert a.poster_mask_uint8(magnitude) == mask


def test_an_augmentation_takes_its_parameter_too(device):
    image = np.arange(48, dtype=np.uint8).reshape(4, 4, 3)
    images = [image] * COUNT

    def define(parameter):
        data = source(images, "HWC")
        data = data.gpu() if device == "gpu" else data
        return a.translate_x_no_shape.op(data, parameter, fill_value=7)

    constant = run(lambda: define([2, 0]))
    varying = run(lambda: define(source([np.float32([2, 0])] * COUNT)))
    for row in (*constant, *varying):
        np.testing.assert_array_equal(row[:, 2:], image[:, :2])
        assert (row[:, :2] == 7).all()
    with pytest.raises(ArgumentError, match="parameter of 2 numbers, but got 3"):
        run(lambda: define([1, 2, 3]))


def test_a_rotation_may_change_the_size():
    image = np.zeros((10, 20, 3), np.uint8)

    def define(keep):
        return a.rotate.op(source([image] * COUNT, "HWC"), 90.0, rotate_keep_size=keep)

    assert run(lambda: define(True))[0].shape == (10, 20, 3)
    assert run(lambda: define(False))[0].shape == (20, 10, 3)
