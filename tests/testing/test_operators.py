"""The suite of operators finds what is wrong with an operator."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np
import pytest

from penstock.engine.graph.operator import OPERATORS
from penstock.extend import (
    FLOAT,
    INT,
    INTS,
    STR,
    SampleOperator,
    check_numbers,
    enter_errors,
    numbers_of_batch,
    padded_numbers,
    param,
    pointwise,
    register,
)
from penstock.testing.operators import OperatorConformance, operator_suite

from ..operators.running import pixels

IMAGES = [pixels(4, 5 + i, 3, seed=i) // 2 for i in range(3)]


class Adds(SampleOperator):
    """Adds a number, correctly."""

    name = "_adds"
    devices = ("cpu", "gpu")
    inputs = ("images",)
    amount = param(FLOAT, 1, "The number.", per_sample=True, minimum=0, maximum=255)

    def sample(self, workspace, image, *, amount):
        return np.add(image, np.uint8(amount), out=workspace.empty(image.shape, image.dtype))

    def batch_gpu(self, batch, images, *, amount):
        return pointwise(batch, "x + int(amount)", images, amount=amount)


class WritesToItsInput(Adds):
    """Changes the data of the source."""

    def sample(self, workspace, image, *, amount):
        image += np.uint8(amount)
        return image


class Remembers(Adds):
    """Adds more with each sample."""

    def sample(self, workspace, image, *, amount):
        self.calls = getattr(self, "calls", 0) + 1
        return super().sample(workspace, image, amount=self.calls)


class TakesSamplesForDense(Adds):
    """Reads a view as if its elements lay side by side."""

    def sample(self, workspace, image, *, amount):
        dense = np.lib.stride_tricks.as_strided(image, strides=np.empty(image.shape, "u1").strides)
        return super().sample(workspace, dense, amount=amount)


class DiffersOnTheGpu(Adds):
    """Adds one more on the GPU."""

    def batch_gpu(self, batch, images, *, amount):
        return pointwise(batch, "x + int(amount) + 1", images, amount=amount)


class TakesTheFirstArgument(Adds):
    """Takes the first sample's argument for all samples, on the GPU."""

    def batch_gpu(self, batch, images, *, amount):
        same = amount if isinstance(amount, float) else float(amount.as_cpu().at(0))
        return pointwise(batch, "x + int(amount)", images, amount=same)


@pytest.fixture
def suite(monkeypatch):
    """Return a suite of an operator that is registered for the test."""
    before = dict(OPERATORS)

    def make(kind) -> OperatorConformance:
        OPERATORS.pop(kind.name, None)
        register(kind)
        amounts = {"arguments": {"amount": 2.0}, "per_sample": {"amount": [0.0, 3.0, 9.0]}}
        mirrors = {"per_sample": {"on": [0, 1, 1]}}
        return operator_suite(
            kind.name, IMAGES, **(amounts if "amount" in kind.params else mirrors)
        )()

    yield make
    OPERATORS.clear()
    OPERATORS.update(before)


def test_a_right_operator_passes(suite, device_stage):
    right = suite(Adds)
    right.test_rows_agree_in_dtype_dimensions_and_layout()
    right.test_results_depend_on_neither_threads_nor_batch_size()
    right.test_arguments_by_sample_give_what_constants_give()
    right.test_views_give_what_contiguous_samples_give()
    right.test_the_gpu_agrees(device_stage)


@pytest.mark.parametrize(
    ("kind", "test"),
    [
        (WritesToItsInput, "rows_agree_in_dtype_dimensions_and_layout"),
        (Remembers, "results_depend_on_neither_threads_nor_batch_size"),
        (TakesSamplesForDense, "views_give_what_contiguous_samples_give"),
    ],
)
def test_defects_on_the_cpu_are_found(suite, kind, test):
    with pytest.raises((AssertionError, ValueError)):
        getattr(suite(kind), f"test_{test}")()


@pytest.mark.parametrize("kind", [DiffersOnTheGpu, TakesTheFirstArgument])
def test_defects_on_the_gpu_are_found(suite, device_stage, kind):
    with pytest.raises(AssertionError):
        suite(kind).test_the_gpu_agrees(device_stage)


class Mirrors(SampleOperator):
    """Mirrors images left to right in any layout with W, or those that a subclass takes."""

    name = "_mirrors"
    inputs = ("images",)
    assumed_layouts = MappingProxyType({3: "HWC"})
    on = param(INT, 1, "0 leaves the image alone.", per_sample=True)

    def columns(self):
        return self.layouts[0].index("W")

    def sample(self, workspace, image, *, on):
        return np.flip(image, self.columns()) if on else image


class TakesAxis1ForW(Mirrors):
    """Takes all images for HWC."""

    def columns(self):
        return 1


class TakesTheAxisBeforeTheLastForW(Mirrors):
    """Takes all images for HWC, and all videos for FHWC: right without planes."""

    def columns(self):
        return -2


class TakesFramesForLines(Mirrors):
    """Mirrors planes rightly, and videos as if the frames were lines."""

    def columns(self):
        return 1 if self.layouts[0] == "FHWC" else super().columns()


class LosesTheLayout(Mirrors):
    """Says that all results are HWC."""

    def output_layouts(self):
        return ("HWC",)


class RefusesOtherLayouts(Mirrors):
    """Takes HWC alone, and says so."""

    def prepare(self):
        if self.layouts[0] != "HWC":
            self.refuse("the images must be HWC")


class MirrorsAnAxis(Mirrors):
    """Mirrors along an axis with a number, which is another one in each layout."""

    axis = param(INT, 1, "The axis.")

    def columns(self):
        return self.axis


class MirrorsAnAxisByItsLetter(MirrorsAnAxis):
    """Takes a letter, too."""

    axis_name = param(STR, None, "The letter.")

    def columns(self):
        return self.layouts[0].index(self.axis_name) if self.axis_name else self.axis


@pytest.mark.parametrize("kind", [Adds, Mirrors, RefusesOtherLayouts, MirrorsAnAxisByItsLetter])
def test_operators_that_are_right_in_other_layouts_pass(suite, kind):
    suite(kind).test_other_layouts_give_the_same_or_are_refused("cpu")


@pytest.mark.parametrize(
    ("kind", "layout"),
    [
        (TakesAxis1ForW, "CHW"),
        (TakesTheAxisBeforeTheLastForW, "CHW"),
        (TakesFramesForLines, "FHWC"),
        (LosesTheLayout, "CHW"),
    ],
)
def test_operators_that_take_an_axis_for_another_are_found(suite, kind, layout):
    with pytest.raises(AssertionError, match=f"fn._mirrors gives other results for {layout} than"):
        suite(kind).test_other_layouts_give_the_same_or_are_refused("cpu")


def test_numbers_of_axes_that_have_no_letters_are_not_moved(suite):
    with pytest.raises(pytest.skip.Exception, match="takes axes by their numbers"):
        suite(MirrorsAnAxis).test_other_layouts_give_the_same_or_are_refused("cpu")


def test_a_suite_leaves_out_layouts(suite):
    made = suite(TakesFramesForLines)
    type(made).layouts = ("CHW",)
    made.test_other_layouts_give_the_same_or_are_refused("cpu")


class Refuses(Adds):
    """Refuses images of one line, which the GPU computes in a subclass."""

    def sample(self, workspace, image, *, amount):
        if len(image) == 1:
            self.refuse("the image has one line")
        return super().sample(workspace, image, amount=amount)

    def batch_gpu(self, batch, images, *, amount):
        enter_errors(self, batch, images, images.extents()[:, 0] > 1, {"amount": amount})
        return pointwise(batch, "x + int(amount)", images, amount=amount)


class RefusesAll(Refuses):
    """Refuses the batch of such an image on the GPU."""

    def batch_gpu(self, batch, images, *, amount):
        self.refuse("the image has one line")


class ComputesAll(Refuses):
    """Computes such an image on the GPU."""

    def batch_gpu(self, batch, images, *, amount):
        return pointwise(batch, "x + int(amount)", images, amount=amount)


def test_errors_on_data_are_compared(suite, device_stage):
    refused = (([[IMAGES[0], IMAGES[1][:1]]], "the image has one line"),)
    for kind in (Refuses, RefusesAll, ComputesAll):
        made = suite(kind)
        type(made).bad_inputs = refused
        if kind is Refuses:
            made.test_errors_are_the_same_on_both_devices(device_stage)
            continue
        with pytest.raises((AssertionError, pytest.fail.Exception)):
            made.test_errors_are_the_same_on_both_devices(device_stage)


class HasLimits(Adds):
    """Refuses a negative number of a sample, on both devices."""

    def sample(self, workspace, image, *, amount):
        check_numbers(self, {"amount": amount})
        return super().sample(workspace, image, amount=amount)

    def batch_gpu(self, batch, images, *, amount):
        numbers = numbers_of_batch(self, batch, images, {"amount": amount})
        return pointwise(batch, "x + int(amount)", images, **numbers)


class HasLimitsOnTheCpu(HasLimits):
    """Computes such a sample on the GPU."""

    def batch_gpu(self, batch, images, *, amount):
        return pointwise(batch, "x + int(amount)", images, amount=amount)


class WarnsOnBoth(HasLimits):
    """Has NumPy's warning for a large number, on both devices."""

    amount = param(FLOAT, 1, "The number.", per_sample=True, minimum=0)

    def sample(self, workspace, image, *, amount):
        return super().sample(workspace, image, amount=np.float32(amount).astype(np.uint8))

    def batch_gpu(self, batch, images, *, amount):
        numbers = padded_numbers(amount, batch.size)[0][:, 0]
        enter_errors(self, batch, images, (numbers >= 0) & (numbers < 256), {"amount": amount})
        return pointwise(batch, "x + int(amount)", images, amount=amount)


def test_limits_that_do_not_hold_by_sample_are_found(suite, device_stage):
    suite(HasLimits).test_limits_hold_for_numbers_by_sample(device_stage)
    for kind in (Adds, HasLimitsOnTheCpu):
        with pytest.raises((AssertionError, pytest.fail.Exception)):
            suite(kind).test_limits_hold_for_numbers_by_sample(device_stage)


def test_odd_numbers_that_one_device_refuses_are_found(suite, device_stage):
    suite(HasLimits).test_odd_numbers_by_sample_are_taken_or_refused_alike(device_stage)
    for kind, found in (
        (HasLimitsOnTheCpu, r"amount=1\.\d+e\+30: .*must be from 0 to 255.*'gpu': \[array"),
        (DiffersOnTheGpu, r"(?s)amount=a usual value: .*'gpu': \[array"),
        (WarnsOnBoth, r"amount=1\.\d+e\+30: .*'RuntimeWarning'"),
    ):
        with pytest.raises(AssertionError, match=found):
            suite(kind).test_odd_numbers_by_sample_are_taken_or_refused_alike(device_stage)


class AddsToChannels(Adds):
    """Adds a number to each channel."""

    name = "_adds_to_channels"
    devices = ("cpu",)
    numbers = param(INTS, (1, 2, 3), "A number for each channel.", per_sample=True)

    def sample(self, workspace, image, *, numbers, amount):
        if len(numbers) != 3:
            self.refuse(f"there are {len(numbers)} numbers")
        return image + np.uint8(numbers)


def test_several_numbers_of_a_sample_may_be_a_list(suite, device_stage):
    made = suite(AddsToChannels)
    type(made).arguments = {"numbers": [4, 5, 6]}
    type(made).per_sample = {"numbers": [[1, 2, 3], [4, 5, 6], [7, 8, 9]]}
    made.test_results_depend_on_neither_threads_nor_batch_size()
    made.test_arguments_by_sample_give_what_constants_give()
    type(made).bad = (({"numbers": (1, 2)}, "there are 2 numbers"),)
    made.test_errors_are_the_same_on_both_devices(device_stage)
    type(made).bad = (({"numbers": [1, 2]}, "there are 2 numbers"),)
    with pytest.raises(
        AssertionError, match="numbers is a list of 2, and a list holds a value for"
    ):
        made.test_errors_are_the_same_on_both_devices(device_stage)


def test_unknown_attributes_are_refused():
    with pytest.raises(TypeError, match=r"no attributes \['tolerance'\]"):
        operator_suite("flip", IMAGES, tolerance=1)
