"""`fn.noise.gaussian`, `fn.noise.shot` and `fn.noise.salt_and_pepper`."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ...engine.arrays import DType
from ...engine.errors import ArgumentError
from ...engine.gpu.kernels import c_type
from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import BOOL, FLOAT, param
from ...engine.tensors import TensorListGPU
from ...engine.tensors.dtypes import to_numpy_type
from ..common.number_arguments import check_numbers, numbers_of_batch
from ..common.opencv_images import spread
from ..elementwise.pointwise import pointwise
from ..elementwise.promotion import exact_type
from ..elementwise.saturation import saturate
from ..elementwise.target_dtype import cut_off
from .events import EVENTS_AT_ONCE, events
from .random_bits import KEY_NUMBERS, bits_in_chunks, high_and_low, keys_of, normal

_LARGEST_MEAN = 1e18
_HALF = 2.0**-32


class _Noise(SampleOperator):
    """Base of operators that change the elements at random.

    The numbers of a sample are a function of seed, epoch, position and operator alone.
    """

    inputs = ("data",)
    random_count = KEY_NUMBERS

    def _check(self, dtype: DType, arguments: dict[str, Any]) -> None:
        if dtype.kind == "b":
            raise ArgumentError(f"{self.called} takes numbers, not bool; use fn.cast before")
        check_numbers(self, {k: v for k, v in arguments.items() if v is not None})

    def _gpu_numbers(
        self, batch: BatchContext, data: TensorListGPU, arguments: dict[str, Any]
    ) -> dict[str, Any]:
        """Return the arguments and the keys of all samples; enter errors in the batch."""
        is_number = to_numpy_type(data.dtype).kind != "b"
        numbers = numbers_of_batch(self, batch, data, arguments, is_number)
        keys = keys_of(batch.random(self, KEY_NUMBERS))
        return numbers | {"key0": keys[:, 0].copy(), "key1": keys[:, 1].copy()}


@register
class GaussianNoise(_Noise):
    """Adds numbers of a normal distribution to the elements.

    Results are rounded and clamped as `cast` does. CPU and GPU agree within 1 in integers, and
    1e-5 of `stddev` in floats.

    Inputs:
        data: any samples of numbers.

    Outputs:
        the samples: of the input's shape, type and layout.
    """

    name = "noise.gaussian"
    devices = ("cpu", "gpu")
    mean = param(FLOAT, 0.0, "Mean of the numbers.", per_sample=True)
    stddev = param(FLOAT, 1.0, "Standard deviation of the numbers.", per_sample=True, minimum=0)

    def sample(self, workspace: Workspace, data: Array, *, mean: float, stddev: float) -> Array:
        self._check(data.dtype, {"mean": mean, "stddev": stddev})
        out = workspace.empty(data.shape, data.dtype)
        source, results = np.ascontiguousarray(data).reshape(-1), out.reshape(-1)
        for chunk, bits in bits_in_chunks(keys_of(workspace.random), data.size):
            noise = normal(bits)
            noise *= np.float32(stddev)
            noise += np.float32(mean)
            saturate(noise + source[chunk], results[chunk])
        return out

    def batch_gpu(
        self, batch: BatchContext, data: TensorListGPU, **arguments: Any
    ) -> TensorListGPU:
        numbers = self._gpu_numbers(batch, data, arguments)
        exact = {k: numbers[k].astype(np.float32) for k in arguments}
        work = c_type(exact_type(to_numpy_type(data.dtype)))
        noise = "__fadd_rn(__fmul_rn(normal(random_bits(i, key0, key1)), stddev), mean)"
        return pointwise(batch, f"({work}){noise} + ({work})x", data, **numbers | exact)


@register
class ShotNoise(_Noise):
    """Replaces each element by a number of events, times `factor`.

    The number of events has a Poisson distribution with the mean `max(0, x) / factor`. A factor of
    0 leaves the sample as it is. Results are rounded and clamped as `cast` does. CPU and GPU draw
    the same numbers. Their last bits of float64 differ, which changes fewer than one of 10^9
    numbers, by one event.

    Inputs:
        data: any samples of numbers.

    Outputs:
        the samples: of the input's shape, type and layout.
    """

    name = "noise.shot"
    devices = ("cpu", "gpu")
    factor = param(FLOAT, 20.0, "What an event adds.", per_sample=True, minimum=0)

    def sample(self, workspace: Workspace, data: Array, *, factor: float) -> Array:
        self._check(data.dtype, {"factor": factor})
        if factor == 0:
            return data
        out = workspace.empty(data.shape, data.dtype)
        source, results = np.ascontiguousarray(data).reshape(-1), out.reshape(-1)
        for chunk, bits in bits_in_chunks(keys_of(workspace.random), data.size, EVENTS_AT_ONCE):
            means = np.clip(source[chunk] / np.float64(factor), 0, _LARGEST_MEAN)
            unknown = np.isnan(means)
            numbers = events(bits, np.where(unknown, 0, means))
            numbers *= factor
            numbers[unknown] = np.nan
            saturate(numbers, results[chunk])
        return out

    def batch_gpu(
        self, batch: BatchContext, data: TensorListGPU, **arguments: Any
    ) -> TensorListGPU:
        numbers = self._gpu_numbers(batch, data, arguments)
        return pointwise(batch, " ".join(_SHOT.split()), data, **numbers)


@register
class SaltAndPepperNoise(_Noise):
    """Sets elements to the value of salt or of pepper.

    All channels of a pixel get the same value, unless `per_channel` is set. CPU and GPU agree
    exactly.

    Inputs:
        data: any samples of numbers; without a layout the last axis is that of channels.

    Outputs:
        the samples: of the input's shape, type and layout.
    """

    name = "noise.salt_and_pepper"
    devices = ("cpu", "gpu")
    pepper_val = param(
        FLOAT,
        None,
        "Value of pepper; by default the smallest integer of the type, -1 for floats.",
        per_sample=True,
    )
    per_channel = param(BOOL, False, "Whether each channel of a pixel is drawn alone.")
    prob = param(
        FLOAT, 0.05, "Probability of salt or pepper.", per_sample=True, minimum=0, maximum=1
    )
    salt_val = param(
        FLOAT,
        None,
        "Value of salt; by default the largest integer of the type, 1 for floats.",
        per_sample=True,
    )
    salt_vs_pepper = param(
        FLOAT,
        0.5,
        "Probability of salt where there is salt or pepper.",
        per_sample=True,
        minimum=0,
        maximum=1,
    )

    def _channels(self, ndim: int) -> int:
        """Return the axis of channels that are drawn together, or `ndim` if there is none."""
        layout = self.layouts[0]
        if self.per_channel or not ndim:
            return ndim
        channel = layout.find("C") if layout else ndim - 1
        return ndim if channel < 0 else channel

    def sample(self, workspace: Workspace, data: Array, **arguments: Any) -> Array:
        self._check(data.dtype, arguments)
        axis = self._channels(data.ndim)
        drawn = (*data.shape[:axis], *data.shape[axis + 1 :])
        salt, pepper = (workspace.scratch((prod(drawn),), bool) for _ in range(2))
        for chunk, bits in bits_in_chunks(keys_of(workspace.random), len(salt)):
            high, low = high_and_low(bits)
            hit = high * _HALF < arguments["prob"]
            is_salt = low * _HALF < arguments["salt_vs_pepper"]
            np.logical_and(hit, is_salt, out=salt[chunk])
            np.greater(hit, is_salt, out=pepper[chunk])
        out = workspace.empty(data.shape, data.dtype)
        np.copyto(out, data)
        values = _salt_and_pepper(data.dtype, arguments["salt_val"], arguments["pepper_val"])
        inner = prod(data.shape[axis + 1 :])
        channels = data.shape[axis] if axis < data.ndim else 1
        for mask, value in zip((salt, pepper), values, strict=True):
            _sprinkle(out.reshape(-1), value, mask, channels, inner)
        return out

    def batch_gpu(
        self, batch: BatchContext, data: TensorListGPU, **arguments: Any
    ) -> TensorListGPU:
        numbers = self._gpu_numbers(batch, data, arguments)
        dtype, shapes = to_numpy_type(data.dtype), data.extents()
        axis = self._channels(data.ndim)
        values = numbers.get("salt_val"), numbers.get("pepper_val")
        salt, pepper = _salt_and_pepper(dtype, *values, shape=(batch.size,))
        inner = shapes[:, axis + 1 :].prod(axis=1)
        return pointwise(
            batch,
            " ".join(_SPRINKLED.split()),
            data,
            inner=inner,
            span=inner * (shapes[:, axis] if axis < data.ndim else 1),
            prob=numbers["prob"],
            salt_vs_pepper=numbers["salt_vs_pepper"],
            salt=salt,
            pepper=pepper,
            key0=numbers["key0"],
            key1=numbers["key1"],
        )


_SHOT = """[&]() -> In0 {
    if (factor == 0) return x_stored;
    const double mean = (double)x / factor;
    if (mean != mean) return saturated<In0>(mean);
    const double limited = mean > 0 ? (mean < 1e18 ? mean : 1e18) : 0;
    return saturated<In0>(events(random_bits(i, key0, key1), limited) * factor);
}()"""
_SPRINKLED = """[&]() -> In0 {
    const i64 outer = quotient(i, span);
    const u64 bits = random_bits(outer * inner + (i - outer * span) % inner, key0, key1);
    if ((double)(unsigned)(bits >> 32) * 2.3283064365386963e-10 >= prob) return x_stored;
    return (double)(unsigned)bits * 2.3283064365386963e-10 < salt_vs_pepper ? salt : pepper;
}()"""


def _sprinkle(out: Array, value: Any, mask: Array, channels: int, inner: int) -> None:
    """Write a value where the mask is set.

    Args:
        out: (outer * channels * inner,).
        value: to write.
        mask: (outer * inner,).
        channels, inner: extents of the axis of channels, and of what follows the axis.
    """
    if not out.size:
        return
    if inner == 1:
        np.copyto(out, value, where=spread(mask[np.newaxis], channels)[0].view(bool))
    else:
        planes = out.reshape(-1, channels, inner)
        np.copyto(planes, value, where=mask.reshape(-1, 1, inner))


def _salt_and_pepper(dtype: DType, salt: Any, pepper: Any, shape: tuple[int, ...] = ()) -> Array:
    """Return the values of salt and pepper in a type: (2, *shape).

    Args:
        dtype: the type.
        salt, pepper: numbers of this shape; None for the default.
        shape: (), or (batch,).
    """
    if dtype.kind == "f":
        low, high = -1.0, 1.0
    else:
        low, high = float(np.iinfo(dtype).min), float(np.iinfo(dtype).max)
    exact = np.empty((2, *shape))
    exact[0] = high if salt is None else salt
    exact[1] = low if pepper is None else pepper
    values = np.empty(exact.shape, dtype)
    cut_off(exact, values)
    return values
