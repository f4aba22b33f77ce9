"""What every operator must do, as a test class that operators' tests inherit.

Each run also checks that the operator leaves its inputs as they are. The plugin
`penstock.testing.fixtures` gives the fixtures `device` and `device_stage`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import pytest

from ..engine.arrays import Array
from ..engine.errors import ArgumentError, LayoutError
from ..engine.graph.operator import OPERATORS
from ..engine.graph.params import REQUIRED
from .agreement import Rows, agree, assert_rows, on_device, turning
from .beside import CuPyConsumer, check
from .moved_axes import IMAGE, frames_of, in_layout, takes_all_axes, with_letters
from .odd_numbers import OddArgument

__all__ = [
    "OperatorConformance",
    "RandomConformance",
    "operator_suite",
]

NONE: Mapping[str, Any] = MappingProxyType({})
BATCH = 3  # samples of an operator without inputs


class OperatorConformance:
    """Inherit it, and say which operator is tested on which samples.

    Attributes:
        operator: its name in `fn`.
        layout: of the first input.
        layouts: in which an operator whose `layout` is "HWC" must give the same results, or raise
            LayoutError or ArgumentError. Leave out a layout whose results are rightly others: where
            each element has a random number, or an argument has a number for each axis.
        inputs: samples of each input; at least three that differ. Empty if it has no inputs.
        arguments: of the operator, the same for all samples.
        per_sample: arguments that may vary by sample: a value for each sample.
        bad: arguments that are refused, with the message, a regular expression as in `match=` of
            pytest. On all devices the error must have the same class and text, and name the same
            sample. Here a list holds a value for each sample; give one value of several numbers as
            a tuple.
        bad_inputs: samples of each input that are refused with `arguments`, with the message: for
            the errors that the operator's docstring names under `Raises`. Give a good sample before
            a bad one, so that an error of all samples does not pass for its error.
        largest: largest difference between the results of CPU and GPU.
    """

    operator: ClassVar[str]
    layout: ClassVar[str] = "HWC"
    layouts: ClassVar[Sequence[str]] = ("CHW", "FHWC", "FCHW")
    inputs: ClassVar[Sequence[Sequence[Any]]]
    arguments: ClassVar[Mapping[str, Any]] = NONE
    per_sample: ClassVar[Mapping[str, Sequence[Any]]] = NONE
    bad: ClassVar[Sequence[tuple[Mapping[str, Any], str]]] = ()
    bad_inputs: ClassVar[Sequence[tuple[Sequence[Sequence[Any]], str]]] = ()
    largest: ClassVar[float] = 0

    def run(
        self,
        inputs: Sequence[Sequence[object]],
        device: str = "cpu",
        *,
        threads: int = 2,
        views: bool = False,
        **changed: object,
    ) -> tuple[Rows, str]:
        """Return the first output and its layout; a list in `changed` holds a value a sample."""
        size = len(inputs[0]) if inputs else BATCH
        varying = {name: value for name, value in changed.items() if isinstance(value, list)}
        for name, values in varying.items():
            if len(values) != size:
                raise ValueError(
                    f"{name} is a list of {len(values)}, and a list holds a value for each of the "
                    f"{size} samples; give one value of several numbers as a tuple"
                )
        constant = {k: v for k, v in {**self.arguments, **changed}.items() if k not in varying}
        outputs, layouts = on_device(
            device,
            self.operator,
            *inputs,
            layout=self._layouts,
            per_sample=varying,
            arguments=constant,
            batch_size=size,
            threads=threads,
            views=views,
        )
        return outputs[0], layouts[0]

    @property
    def _layouts(self) -> list[str]:
        return [self.layout, *[""] * len(self.inputs)][: len(self.inputs)]

    @property
    def _size(self) -> int:
        return len(self.inputs[0]) if self.inputs else BATCH

    def _stage(self, device: str) -> str:
        """Return the operator's own word for the device: "mixed" operators run on the GPU, too."""
        stages = [
            stage
            for stage in OPERATORS[self.operator].devices
            if (stage == "cpu") == (device == "cpu")
        ]
        return (
            stages[0]
            if stages
            else pytest.skip(f"fn.{self.operator} does not run on the {device.upper()}")
        )

    def test_rows_agree_in_dtype_dimensions_and_layout(self) -> None:
        rows, layout = self.run(self.inputs)
        assert len(rows) == self._size
        assert len({(row.dtype, row.ndim) for row in rows}) == 1
        assert len(layout) in (0, rows[0].ndim)
        assert len(set(layout)) == len(layout)

    def test_results_depend_on_neither_threads_nor_batch_size(self) -> None:
        wanted, _ = self.run(self.inputs)
        assert_rows(self.run(self.inputs, threads=1)[0], wanted)
        assert_rows(self.run(self.inputs, threads=4)[0], wanted)
        for i, row in enumerate(wanted if self.inputs else ()):
            assert_rows(self.run([rows[i : i + 1] for rows in self.inputs])[0], [row])

    def test_an_empty_sample_list_gives_no_results(self, device: str) -> None:
        if not self.inputs:
            pytest.skip(f"fn.{self.operator} has no inputs")
        empty: list[Any] = [
            np.empty((0, *np.shape(rows[0])), np.asarray(rows[0]).dtype) for rows in self.inputs
        ]
        assert self.run(empty, self._stage(device))[0] == []

    def test_arguments_by_sample_give_what_constants_give(self) -> None:
        for name, values in self.per_sample.items():
            varying: dict[str, Any] = {name: _arrays(values)}
            rows, _ = self.run(self.inputs, **varying)
            for i, value in enumerate(values):
                constant = _constant(name, value)
                alone, _ = self.run([rows[i : i + 1] for rows in self.inputs], **constant)
                assert_rows([rows[i]], alone[:1])

    def test_views_give_what_contiguous_samples_give(self) -> None:
        wanted, _ = self.run(self.inputs)
        assert_rows(self.run(self.inputs, views=True)[0], wanted)

    def test_other_layouts_give_the_same_or_are_refused(self, device: str) -> None:
        arguments = with_letters(self.operator, self.arguments)
        if not self.inputs or self.layout != IMAGE or arguments is None:
            pytest.skip(f"fn.{self.operator} has no suite of HWC, or takes axes by their numbers")
        named = type("WithLetters", (type(self),), {"arguments": arguments})()
        for layout in self.layouts:
            if "F" in layout and takes_all_axes(self.operator, arguments):
                continue  # F is one of them, so no frame is alone
            named._holds_in(layout, self._stage(device), {})
            for name, values in self.per_sample.items():
                named._holds_in(layout, self._stage(device), {name: _arrays(values)})

    def _holds_in(self, layout: str, stage: str, varying: Mapping[str, Any]) -> None:
        frames = frames_of(self.inputs, layout)
        results = [self.run(inputs, stage, **varying) for inputs in frames]
        moved = [
            in_layout(rows, IMAGE, layout) if rows[0][0].ndim == len(IMAGE) else rows[0]
            for rows in zip(*frames, strict=True)
        ]
        suite = type("InOtherLayout", (type(self),), {"layout": layout})()
        try:
            rows, after = suite.run(moved, stage, **varying)
        except (LayoutError, ArgumentError):
            return
        before = results[0][1]
        if "F" in layout and not after:
            return  # nothing says which numbers belong to which frame
        because = (
            f"fn.{self.operator} gives other results for {layout} than for {IMAGE}: ask "
            "`self.layouts` which axis is which, or raise LayoutError"
        )
        assert {*after} == {*before} | ({*layout} & {"F"}), because
        wanted = in_layout([rows for rows, _ in results], before, after) if after else results[0][0]
        for row, expected in zip(rows, wanted, strict=True):
            np.testing.assert_allclose(row, expected, 1e-5, self.largest, err_msg=because)

    def test_the_gpu_agrees(self, device_stage: bool) -> None:
        stage = self._stage("gpu")
        self._agrees(stage, self.arguments)
        for name, values in self.per_sample.items():
            constant = {k: v for k, v in self.arguments.items() if k != name}
            self._agrees(stage, constant, {name: _arrays(values)})

    def _agrees(self, device: str, arguments: Mapping[str, object], varying: object = None) -> None:
        agree(
            self.operator,
            *self.inputs,
            other=device,
            layout=self._layouts,
            largest=self.largest,
            arguments=arguments,
            per_sample=varying,
            batch_size=self._size,
        )

    def test_batches_are_right_beside_queued_work(self, device_stage: bool) -> None:
        stage = self._stage("gpu")
        if not device_stage:
            pytest.skip("an emulated device has no work in a queue")
        varying = {name: _arrays(values) for name, values in self.per_sample.items()}
        constant = {k: v for k, v in self.arguments.items() if k not in varying}
        define = partial(
            turning,
            stage,
            self.operator,
            *self.inputs,
            layout=self._layouts,
            per_sample=varying,
            arguments=constant,
            batch_size=self._size,
        )
        check(define, CuPyConsumer())

    def test_errors_are_the_same_on_both_devices(self, device_stage: bool) -> None:
        for changed, message in self.bad:
            self._refuses(self.inputs, changed, message)
        for inputs, message in self.bad_inputs:
            self._refuses(inputs, NONE, message)

    def test_limits_hold_for_numbers_by_sample(self, device_stage: bool) -> None:
        for name, values in self.per_sample.items():
            limits = OPERATORS[self.operator].params[name].limits
            for number in () if limits is None else limits.beyond():
                self._refuses(self.inputs, {name: _with_second(values, number)}, name)

    def test_odd_numbers_by_sample_are_taken_or_refused_alike(self, device_stage: bool) -> None:
        params, differing = OPERATORS[self.operator].params, []
        needed = {
            name: value
            for name, value in self.arguments.items()
            if name in params and params[name].default is REQUIRED
        }
        for name, declared in params.items():
            if not declared.per_sample:
                continue
            values = self.per_sample.get(name, [self._usual_value(name)] * self._size)
            settings = [self.arguments, needed]  # some arguments exclude one another
            for arguments in settings if needed != self.arguments else settings[:1]:
                constant = {k: v for k, v in arguments.items() if k != name}
                options = {"layout": self._layouts, "arguments": constant}
                odd = OddArgument(self.operator, name, _arrays(values), self.inputs, options)
                if (differences := odd.differences(self.largest)) is not None:
                    differing += differences
                    break
        assert not differing, (
            f"fn.{self.operator}: devices differ in what they take, in results or in words, or an "
            "error is none of the package's:\n" + "\n".join(differing)
        )

    def _usual_value(self, name: str) -> object:
        """Return a value of an argument: that of the suite, the default, or 1."""
        for value in (self.arguments.get(name), OPERATORS[self.operator].params[name].default):
            if value is not None and value is not REQUIRED and np.size(value):
                return value
        return 1

    def _refuses(
        self, inputs: Sequence[Sequence[Any]], changed: Mapping[str, Any], message: str
    ) -> None:
        errors = set()
        for device in OPERATORS[self.operator].devices:
            with pytest.raises(Exception, match=message) as caught:
                self.run(inputs, device, **changed)
            errors.add(_described(caught.value))
        assert len(errors) == 1, errors


def _described(error: Exception) -> tuple[object, ...]:
    """Return class, text and sample of an error."""
    notes = getattr(error, "__notes__", ())
    # An error of all samples may come without a sample: it is the first one's, too.
    rows = [note.split()[1] for note in notes if note.startswith("sample ")]
    return type(error), str(error), *(rows or "0")


def _constant(name: str, value: object) -> dict[str, Any]:
    """Return an argument that is the same for all samples."""
    return {name: tuple(value) if isinstance(value, list) else value}


def _arrays(values: Sequence[Any]) -> list[Array]:
    """Return values a sample as arrays of one dtype."""
    arrays = [np.asarray(value) for value in values]
    return [array.astype(np.result_type(*arrays)) for array in arrays]


def _with_second(values: Sequence[Any], number: float) -> list[Array]:
    """Return values a sample, of which the second has this number in all places."""
    arrays = _arrays(values)
    arrays[1] = np.full_like(arrays[1], number)
    return arrays


class RandomConformance(OperatorConformance):
    """The suite for operators with random numbers, which follow the position in the epoch."""

    def test_results_depend_on_neither_threads_nor_batch_size(self) -> None:
        wanted, _ = self.run(self.inputs, threads=1)
        assert_rows(self.run(self.inputs, threads=4)[0], wanted)
        if self.inputs:
            assert_rows(self.run([rows[:2] for rows in self.inputs])[0], wanted[:2])

    def test_arguments_by_sample_give_what_constants_give(self) -> None:
        for name, values in self.per_sample.items():
            varying: dict[str, Any] = {name: _arrays(values)}
            rows, _ = self.run(self.inputs, seed=7, **varying)
            for i, value in enumerate(values):
                constant = _constant(name, value)
                assert_rows([rows[i]], [self.run(self.inputs, seed=7, **constant)[0][i]])

    def test_views_give_what_contiguous_samples_give(self) -> None:
        # Views are further nodes, which change the seed that an operator takes by default.
        wanted, _ = self.run(self.inputs, seed=7)
        assert_rows(self.run(self.inputs, views=True, seed=7)[0], wanted)


def operator_suite(
    operator: str,
    *inputs: Sequence[object],
    suite: type[OperatorConformance] = OperatorConformance,
    **attributes: object,
) -> type[OperatorConformance]:
    """Return a suite as a class: `TestFlip = operator_suite("flip", images, layout="HWC")`.

    Args:
        operator: its name in `fn`.
        inputs: samples of each input.
        suite: the class to derive from.
        attributes: the other attributes of `OperatorConformance`.

    >>> images = [np.full((4, 5 + i, 3), 50 * i, np.uint8) for i in range(3)]
    >>> TestCrop = operator_suite("crop", images, arguments={"crop": (2, 2)})
    >>> TestCrop().test_views_give_what_contiguous_samples_give()
    """
    unknown = attributes.keys() - OperatorConformance.__annotations__.keys()
    if unknown:
        raise TypeError(f"OperatorConformance has no attributes {sorted(unknown)}")
    return type(f"Test{operator}", (suite,), {"operator": operator, "inputs": inputs, **attributes})
