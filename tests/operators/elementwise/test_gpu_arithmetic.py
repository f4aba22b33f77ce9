"""Arithmetic on the GPU: every function, every kind of operand, every way of broadcasting."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from penstock import fn, pipeline_def, types
from penstock.engine.tensors import TensorListGPU
from penstock.operators.elementwise.functions import FUNCTIONS
from penstock.testing.agreement import agree

TYPES = ["bool", "u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f2", "f4", "f8"]
INTEGERS = TYPES[1:9]
ONE = list(FUNCTIONS)[: list(FUNCTIONS).index("add")]
OPERANDS = {"clamp": 3, "rsqrt": 1} | dict.fromkeys(ONE, 1)
FLOATING = [n for n in FUNCTIONS if n not in ("and", "or", "xor", "lshift", "rshift", "invert")]
BITWISE = ["and", "xor", "lshift", "rshift", "lt", "ge", "eq", "pow", "clamp", "abs"]


def numbers(name: str, seed: int = 0, zero: bool = True) -> Any:
    """Return 40 numbers of a type, among them its edges."""
    dtype, rng = np.dtype(name), np.random.default_rng(seed)
    if dtype.kind == "b":
        return rng.integers(0, 2, 40).astype(bool)
    if dtype.kind == "f":
        edges = np.array([0.0, -0.0, 1, -1, np.nan, np.inf, -np.inf, 0.5], dtype)
        drawn = rng.permutation(np.concatenate([edges, (rng.normal(size=32) * 3).astype(dtype)]))
    else:
        info = np.iinfo(dtype)
        edges = np.array([info.min, info.max, info.max - 1, 0, 1, 2, 3, 5], dtype)
        spread = rng.integers(info.min, info.max, 16, dtype, endpoint=True)
        small = rng.integers(max(info.min, -40), 40, 16).astype(dtype)
        drawn = rng.permutation(np.concatenate([edges, spread, small]))
    if not zero:
        drawn[drawn == 0] = 3
    return drawn


def check(function: str, *names: str) -> None:
    operands = [
        [numbers(name, seed, function not in ("floordiv", "mod"))]
        for seed, name in enumerate(names)
    ]
    half = "f2" in names
    agree(
        "_arithmetic",
        *operands,
        function=function,
        relative=2e-3 if half else 1e-5,
        largest=1e-3 if half else 1e-6,
    )


def on_devices_or(device_stage: bool, is_emulated: bool) -> None:
    if not device_stage and not is_emulated:
        pytest.skip("compiled on devices only, to keep the emulation quick")


@pytest.mark.parametrize("function", FLOATING)
@pytest.mark.parametrize("name", ["f2", "f4", "f8", "i4"])
def test_functions_of_floats(device_stage, function, name):
    chosen = {"f2": ("rsqrt", "mod", "max", "lt"), "f8": ("tanh", "le"), "i4": ("sqrt", "truediv")}
    chosen["f4"] = tuple(FLOATING[::5])
    on_devices_or(device_stage, function in chosen[name])
    check(function, *[name] * OPERANDS.get(function, 2))


@pytest.mark.parametrize("function", [*BITWISE, "or", "invert", "neg", "min", "floordiv", "mod"])
@pytest.mark.parametrize("name", INTEGERS)
def test_functions_of_integers(device_stage, function, name):
    place = [*BITWISE, "or", "invert", "neg", "min", "floordiv", "mod"].index(function)
    on_devices_or(device_stage, (place + INTEGERS.index(name)) % 10 == 0)
    check(function, *[name] * OPERANDS.get(function, 2))


@pytest.mark.parametrize("left", TYPES)
@pytest.mark.parametrize("right", TYPES)
def test_pairs_of_types(device_stage, left, right):
    places = TYPES.index(left), TYPES.index(right)
    on_devices_or(device_stage, (places[0] * 5 + places[1]) % 20 == 0)
    check("mul", left, right)
    check("lt", left, right)


@pytest.mark.parametrize("left", ["i8", "u8", "u4"])
def test_integers_are_compared_exactly(device_stage, left):
    for function in ("lt", "eq", "ge") if device_stage else ("le",):
        check(function, left, "u8" if left == "i8" else "i8")


def test_wrapping_division_and_shifts(device_stage):
    least = np.array([-(2**31), 7, -7, 8, -8], np.int32)
    for function in ("floordiv", "mod"):
        agree("_arithmetic", [least], [np.array([-1, 2, 2, -3, -3], np.int32)], function=function)
    for function in ("lshift", "rshift"):
        amounts = np.array([31, 32, -1, 3, 40], np.int32)
        agree("_arithmetic", [least], [amounts], function=function)


SHAPES = [
    [[(4, 5, 3)] * 3, [()] * 3],
    [[(4, 5, 3)] * 3, [(3,)] * 3],
    [[(4, 5, 3)] * 3, [(4, 5, 1)] * 3],
    [[(4, 1, 3)] * 3, [(5, 1)] * 3],
    [[(2, 1, 3, 1, 2)] * 2, [(1, 4, 1, 5, 1)] * 2],
    [[(1, 1), (3, 50), (17, 33)], [(1, 1), (1, 50), (17, 1)]],
    [[(7, 3), (2, 3), (1, 3)], [(3,)] * 3],
    [[(0, 3), (2, 3)], [(1, 3), (1, 3)]],
    [[(0,)] * 2, [()] * 2],
    [[(1,), (6,)], [(1, 1, 1), (2, 3, 1)]],
    [[(1000,)] * 2, [(1000,)] * 2],
    [[(333,)] * 3, [(333,)] * 3],
]


@pytest.mark.parametrize("shapes", SHAPES)
def test_broadcasting(device_stage, shapes):
    rng = np.random.default_rng(5)
    left, right = ([rng.integers(0, 200, shape).astype("u1") for shape in s] for s in shapes)
    agree("_arithmetic", left, right, function="add")
    agree("_arithmetic", right, [row.astype("f4") for row in left], function="sub")


@pipeline_def(num_threads=2, device_id=0)
def expressions(images: Any, factors: Any) -> Any:
    data = fn.external_source(source=lambda: images, layout="HWC")
    scale = fn.external_source(source=lambda: factors)
    mean = types.Constant(np.array([1, 2, 3], np.float32))

    def computed(node: Any) -> Any:
        return (node - mean) * scale, 255 - node, (node >> 1) + 1000, abs(1.5 - node), -node > 3

    return (*computed(data), *computed(data.gpu()))


@pytest.mark.parametrize("ragged", [False, True])
def test_operands_on_the_cpu(device_stage, ragged):
    rng = np.random.default_rng(1)
    images = [rng.integers(0, 256, (9 + ragged * i, 7, 3)).astype("u1") for i in range(5)]
    factors = [rng.normal(size=(1 + ragged * 6, 3)).astype("f4") for _ in range(5)]
    with expressions(images, factors, batch_size=5) as pipe:
        outputs = pipe.run()
        for cpu, gpu in zip(outputs[:5], outputs[5:], strict=True):
            assert isinstance(gpu, TensorListGPU)
            assert gpu.layout() == cpu.layout() == "HWC"
            for wanted, row in zip(cpu.rows(), gpu.as_cpu().rows(), strict=True):
                assert row.dtype == wanted.dtype
                np.testing.assert_allclose(row, wanted, 1e-6)


@pipeline_def(num_threads=2, device_id=0)
def quotients(divisors: Any, where: str, sign: str) -> Any:
    divisor = fn.external_source(source=lambda: divisors)
    dividend = fn.external_source(source=lambda: [np.int32(100)] * len(divisors)).gpu()
    divisor = divisor.gpu() if where == "gpu" else divisor
    return dividend // divisor if sign == "//" else dividend % divisor


@pytest.mark.parametrize("where", ["cpu", "gpu"])
@pytest.mark.parametrize("sign", ["//", "%"])
def test_division_by_zero(device_stage, where, sign):
    divisors = [np.array([7, 3], np.int32), np.array([5, 0], np.int32), np.array([9, 1], np.int32)]
    arguments = {"divisors": divisors, "where": where, "sign": sign, "batch_size": 3}
    with quotients(**arguments) as pipe, pytest.raises(ZeroDivisionError) as caught:
        pipe.run()
    assert "sample 1 of batch 0" in str(caught.value.__notes__)
    assert any("arithmetic" in note and "GPU stage" in note for note in caught.value.__notes__)
    with quotients(**arguments, on_error="replace") as pipe:
        (out,) = pipe.run()
        assert out.valid.tolist() == [True, False, True]
        wanted = [14, 33] if sign == "//" else [2, 1]
        assert out.as_cpu().row(0).tolist() == out.as_cpu().row(1).tolist() == wanted


def test_floats_may_be_divided_by_zero(device_stage):
    agree("_arithmetic", [np.float32([1, 0])], [np.int32([0, 0])], function="floordiv")
    agree("_arithmetic", [np.float32([1, 0])], [np.int32([0, 0])], function="mod")


@pipeline_def(num_threads=2, device_id=0, on_error="skip")
def sums(left: Any, right: Any) -> Any:
    return fn.external_source(source=lambda: left).gpu() + fn.external_source(source=lambda: right)


def test_a_row_that_cannot_be_broadcast(device_stage):
    left = [np.ones(3, np.float32), np.ones(2, np.float32), np.ones(4, np.float32)]
    right = [np.ones(3, np.float32), np.ones(3, np.float32), np.ones(1, np.float32)]
    with sums(left, right, batch_size=3) as pipe:
        (out,) = pipe.run()
        assert out.valid.tolist() == [True, False, True]
        assert [row.tolist() for row in out.as_cpu().rows()] == [[2] * 3, [2] * 3, [2] * 4]
    message = r"operands of the shapes \(2,\) and \(3,\) cannot be broadcast"
    with (
        sums(left, right, batch_size=3, on_error="raise") as pipe,
        pytest.raises(ValueError, match=message),
    ):
        pipe.run()
