"""An elementwise operator with a CPU and a GPU side, as a user of the library writes it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.engine.graph.context import BatchContext, Workspace
from penstock.engine.graph.operator import OPERATORS, SampleOperator, register
from penstock.engine.graph.params import DTYPE, FLOAT, param
from penstock.engine.graph.rules import Input
from penstock.engine.tensors import TensorListGPU
from penstock.engine.tensors.dtypes import to_numpy_type
from penstock.operators.elementwise.pointwise import pointwise
from penstock.operators.elementwise.saturation import saturated
from penstock.testing.agreement import agree, on_device


class Inverted(SampleOperator):
    """Returns 255 - x for each element.

    Inputs:
        data: any samples of uint8.
    """

    name = "_inverted"
    devices = ("cpu", "gpu")
    inputs = ("data",)

    def sample(self, workspace: Workspace, data: Any) -> Any:
        return np.subtract(255, data, out=workspace.empty(data.shape, data.dtype))

    def batch_gpu(self, batch: BatchContext, data: TensorListGPU) -> TensorListGPU:
        return pointwise(batch, "255 - x", data)


class Brightened(SampleOperator):
    """Returns x * brightness + shift for each element.

    Inputs:
        data: any samples.
    """

    name = "_brightened"
    devices = ("cpu", "gpu")
    inputs = ("data",)
    brightness = param(FLOAT, 1.0, "Factor of the elements.", per_sample=True)
    shift = param(FLOAT, 0.0, "Number that is added.", per_sample=True)
    dtype = param(DTYPE, None, "Element type of the output; by default that of the input.")

    def sample(self, workspace: Workspace, data: Any, *, brightness: float, shift: float) -> Any:
        exact = data.astype(np.float32) * np.float32(brightness) + np.float32(shift)
        return saturated(exact, self._target(data.dtype))

    def batch_gpu(
        self, batch: BatchContext, data: TensorListGPU, *, brightness: Any, shift: Any
    ) -> TensorListGPU:
        target = self._target(to_numpy_type(data.dtype))
        expression = "__fadd_rn(__fmul_rn((float)x, brightness), shift)"
        return pointwise(batch, expression, data, dtype=target, brightness=brightness, shift=shift)

    def _target(self, source: Any) -> Any:
        return source if self.dtype is None else to_numpy_type(self.dtype)


class Blended(SampleOperator):
    """Returns (x + y + z) / count, rounded; without a third input z is left out.

    Inputs:
        data: samples of one shape.
    """

    name = "_blended"
    devices = ("cpu", "gpu")
    inputs = (Input("data", many=True),)

    def sample(self, workspace: Workspace, *data: Any) -> Any:
        if len({array.shape for array in data}) > 1:
            raise ArgumentError("the inputs differ in their shapes")
        mean = sum(array.astype(np.float32) for array in data) / np.float32(len(data))
        return saturated(np.asarray(mean), data[0].dtype)

    def batch_gpu(self, batch: BatchContext, *data: TensorListGPU) -> TensorListGPU:
        total = " + ".join(f"(float){name}" for name in "xyz"[: len(data)])
        return pointwise(batch, f"({total}) / {len(data)}", *data)


@pytest.fixture(scope="module", autouse=True)
def registered():
    """The operators, which a user's module would decorate with `@register`."""
    operators = [register(operator_class) for operator_class in (Inverted, Brightened, Blended)]
    yield
    for operator in operators:
        del OPERATORS[operator.name]


def samples(dtype: str, *shapes: tuple[int, ...]) -> list[Any]:
    rng = np.random.default_rng(len(shapes))
    return [(rng.random(shape) * 300).astype(dtype) for shape in shapes]


DENSE = [(5, 7, 3)] * 3
RAGGED = [(5, 7, 3), (1, 1, 3), (0, 4, 3), (40, 61, 3)]


@pytest.mark.parametrize("shapes", [DENSE, RAGGED])
def test_both_devices_invert(device_stage, shapes):
    (rows,) = agree("_inverted", samples("u1", *shapes), layout="HWC")
    assert rows[0].tolist() == (255 - samples("u1", *shapes)[0]).tolist()


@pytest.mark.parametrize("dtype", ["u1", "f2", "i4", "f8"])
def test_arguments_may_vary_by_sample(device_stage, dtype):
    shapes = [(9, 5), (31, 3), (2, 2)]
    per_sample = {"brightness": np.float32([0.5, 1.5, -1]), "shift": np.float32([0, 100, 1])}
    agree("_brightened", samples(dtype, *shapes), layout="HW", per_sample=per_sample)


def test_one_argument_for_all_samples(device_stage):
    (rows,) = agree("_brightened", samples("u1", (4,), (4,)), brightness=2, shift=-3.0)
    assert rows[0].max() == 255
    assert rows[0].min() == 0 or rows[0].min() > 0


@pytest.mark.parametrize("count", [2, 3])
def test_several_inputs(device_stage, count):
    shapes = [(3, 7), (2, 50)]
    inputs = [samples(dtype, *shapes) for dtype in ("u1", "i2", "f4")[:count]]
    agree("_blended", *inputs)


def test_a_sample_with_two_numbers_is_refused(device_stage):
    for device in ("cpu", "gpu"):
        with pytest.raises(ArgumentError):
            on_device(
                device,
                "_brightened",
                samples("u1", (4,), (4,)),
                per_sample={"shift": [np.float32([1, 2]), np.float32([1])]},
            )


def test_inputs_of_other_shapes_are_refused(device_stage):
    for device in ("cpu", "gpu"):
        with pytest.raises(ArgumentError, match="shapes"):
            on_device(device, "_blended", samples("u1", (4,), (5,)), samples("u1", (4,), (4,)))
