"""Every operator as a function: the values of pipelines, for tensors and for batches."""

from __future__ import annotations

import inspect
import types as python_types
from typing import Any

import numpy as np
import pytest

from penstock import ArgumentError, Pipeline, fn, types
from penstock.engine.graph.operator import OPERATORS
from penstock.engine.order import philox
from penstock.experimental import dynamic as ndd
from penstock.experimental.dynamic import kinds
from penstock.experimental.dynamic.functions import LEFT_OUT, function_of, is_here, is_reader
from penstock.tests.operators import test_processes as operators

CALLS = {
    name: call
    for name, call in operators.CALLS.items()
    if name == "_arithmetic" or not (name.startswith("_") or name == "ssd_random_crop")
}
RANDOM = {name for name, operator in OPERATORS.items() if operator.is_random}


def in_dynamic_mode(call: Any, data: Any) -> list[Any]:
    """Return the results of a call of the table, with the functions of dynamic mode."""
    changed = {**call.__globals__, "fn": ndd}
    result = python_types.FunctionType(call.__code__, changed, None, call.__defaults__)(data)
    return [*result] if isinstance(result, tuple) else [result]


def batches_of_pipelines(names: list[str]) -> dict[str, list[Any]]:
    with Pipeline(batch_size=operators.SIZE, num_threads=2, seed=1) as pipe:
        made = {}
        for name in names:
            outputs = CALLS[name](operators.data)
            made[name] = outputs if isinstance(outputs, list) else [outputs]
        pipe.set_outputs(*(output for outputs in made.values() for output in outputs))
        results = iter(pipe.run())
        return {name: [next(results) for _ in outputs] for name, outputs in made.items()}


@pytest.fixture(scope="module")
def expected() -> dict[str, list[Any]]:
    return batches_of_pipelines(list(CALLS))


@pytest.mark.parametrize("name", CALLS)
def test_a_batch_gives_what_a_pipeline_gives(name, expected):
    results = in_dynamic_mode(
        CALLS[name], lambda array, layout="": ndd.batch([array] * operators.SIZE, layout=layout)
    )
    assert len(results) == len(expected[name])
    for result, wanted in zip(results, expected[name], strict=True):
        assert isinstance(result, ndd.Batch)
        assert (result.layout or "") == wanted.layout()
        assert result.dtype.type_id == wanted.dtype
        if name not in RANDOM:
            for sample, row in zip(result, wanted.rows(), strict=True):
                np.testing.assert_array_equal(np.asarray(sample), row, strict=True)


@pytest.mark.parametrize("name", CALLS)
def test_a_tensor_gives_a_tensor(name, expected):
    results = in_dynamic_mode(
        CALLS[name], lambda array, layout="": ndd.tensor(array, layout=layout)
    )
    for result, wanted in zip(results, expected[name], strict=True):
        assert isinstance(result, ndd.Tensor)
        if name not in RANDOM:
            np.testing.assert_array_equal(np.asarray(result), wanted.row(0), strict=True)


@pytest.mark.parametrize("name", sorted(RANDOM & set(CALLS)))
def test_equal_generators_give_equal_numbers(name):
    def results(seed: int) -> list[Any]:
        ndd.random.set_seed(seed)
        batch = in_dynamic_mode(
            CALLS[name], lambda array, layout="": ndd.batch([array] * 2, layout=layout)
        )
        return [np.asarray(sample).tolist() for output in batch for sample in output]

    first = results(5)
    assert results(5) == first
    assert len({str(results(seed)) for seed in range(8)}) > 1


def test_every_operator_of_the_table_is_a_function_or_a_reader():
    for name, operator in OPERATORS.items():
        if name.split(".")[-1].startswith("_") or not is_here(operator, name):
            continue
        member: Any = ndd
        *groups, last = name.split(".")
        for group in groups:
            member = getattr(member, group)
        names = dir(member)
        assert last in names or last.replace("_", "").lower() in {name.lower() for name in names}


def test_older_names_warn():
    images = ndd.batch([np.zeros((4, 4, 3), np.uint8)], layout="HWC")
    with pytest.warns(
        DeprecationWarning, match=r"ndd\.experimental\.resize is deprecated; use ndd"
    ):
        assert ndd.experimental.resize(images, size=2).shape == [(2, 2, 3)]
    assert not hasattr(ndd, "uniform")


@pytest.mark.parametrize("name", sorted(LEFT_OUT))
def test_operators_of_pipelines_alone_are_no_functions(name):
    assert name in OPERATORS
    with pytest.raises(AttributeError, match="there is no operator"):
        getattr(ndd, name.split(".")[0]).inputs.video if "." in name else getattr(ndd, name)


@pytest.mark.parametrize(
    "name",
    sorted(
        {
            operator.name
            for operator in OPERATORS.values()
            if not is_reader(operator) and not operator.name.startswith("_")
        }
        - LEFT_OUT
    ),
)
def test_signature_and_docstring_name_the_same_arguments(name):
    function = function_of(OPERATORS[name])
    parameters = inspect.signature(function).parameters
    assert {"batch_size", "device"} <= set(parameters)
    assert ("rng" in parameters) == OPERATORS[name].is_random
    assert "DataNode" not in str(inspect.signature(function))
    keywords = [p.name for p in parameters.values() if p.kind is p.KEYWORD_ONLY]
    assert all(f"{keyword}" in function.__doc__ for keyword in keywords)
    assert "DataNode" not in function.__doc__


def test_signatures_have_the_older_names_of_arguments():
    for kind in (ndd.crop, ndd.rotate, ndd.lookup_table):
        parameter = inspect.signature(kind).parameters["output_dtype"]
        assert (parameter.annotation, parameter.default) == ("DTypeLike | None", None)
    assert "save_img_ids" in inspect.signature(ndd.readers.COCO).parameters
    image = ndd.tensor(np.zeros((4, 4, 3), np.uint8), layout="HWC")
    with pytest.warns(DeprecationWarning, match="output_dtype"):
        assert ndd.crop(image, crop=(2, 2), output_dtype=ndd.float32).dtype == ndd.float32


def test_types_in_signatures_have_a_meaning():
    text = str(inspect.signature(ndd.random.uniform))
    for name in ("TensorLike", "DTypeLike", "DeviceLike"):
        assert name in text
        assert hasattr(kinds, name)


def test_an_argument_may_be_a_tensor_or_a_batch():
    images = ndd.batch([np.zeros((8, 6, 3), np.uint8), np.zeros((4, 6, 3), np.uint8)], layout="HWC")
    one = images.tensors[0]
    by_sample = ndd.resize(images, size=ndd.batch([[2.0, 3.0], [4.0, 5.0]]))
    assert by_sample.shape == [(2, 3, 3), (4, 5, 3)]
    assert ndd.resize(images, size=ndd.tensor([2, 3])).shape == [(2, 3, 3)] * 2
    assert ndd.resize(one, size=ndd.tensor([2, 3])).shape == (2, 3, 3)
    assert ndd.resize(one, size=[ndd.tensor(2), 3]).shape == (2, 3, 3)
    assert ndd.resize(one, size=ndd.batch([[2.0, 3.0]] * 4)).shape == [(2, 3, 3)] * 4
    assert ndd.reshape(one, shape=ndd.tensor([8, 18])).shape == (8, 18)


def test_an_argument_of_the_batch_takes_a_tensor_but_no_batch():
    one = ndd.tensor(np.ones((2, 3), np.float32))
    assert ndd.reductions.sum(one, axes=ndd.tensor([1])).shape == (2,)
    assert ndd.expand_dims(one, axes=ndd.tensor(0)).shape == (1, 2, 3)
    with pytest.raises(ArgumentError, match="'axes' is the same for all samples"):
        ndd.reductions.sum(one, axes=ndd.batch([[0], [1]]))


def test_types_are_named_in_every_way():
    one = ndd.tensor([1, 2])
    for dtype in (ndd.float32, "f32", types.FLOAT, np.float32, float):
        wanted = ndd.dtype(dtype) if isinstance(dtype, str) else dtype
        assert ndd.cast(one, dtype=wanted).dtype == ndd.float32


def test_wrong_calls_say_what_is_wrong():
    one = ndd.tensor(np.zeros((4, 4, 3), np.uint8), layout="HWC")
    with pytest.raises(ArgumentError, match=r"fn.resize has no argument 'siez'; did you mean"):
        ndd.resize(one, siez=3)
    with pytest.raises(ArgumentError, match="expects the inputs"):
        ndd.resize()
    with pytest.raises(ValueError, match=r"Inconsistent batch size: fn.resize .* 2 and 3"):
        ndd.resize(ndd.batch([one] * 2), size=ndd.batch([[1.0, 1.0]] * 3))
    with pytest.raises(TypeError, match=r"give rng=ndd.random.RNG"):
        ndd.random.uniform(range=[0, 1], seed=3)
    with pytest.raises(ValueError, match="rng must be"):
        ndd.random.uniform(range=[0, 1], rng=3)
    with pytest.raises(ArgumentError, match=r"batch_permutation.* needs batch_size"):
        ndd.batch_permutation()
    for name in ("rng", "seed", "name", "preserve"):
        with pytest.raises(TypeError, match=f"has no argument '{name}' in dynamic mode"):
            ndd.flip(one, **{name: 1})


def test_errors_name_the_line_of_the_call():
    with pytest.raises(Exception, match="unknown format") as raised:
        ndd.decoders.image(ndd.tensor(np.zeros(9, np.uint8)))
    notes = "\n".join(raised.value.__notes__)
    assert "fn.decoders.image" in notes
    assert f"{__file__}:" in notes


def test_a_batch_without_samples_stays_without_samples():
    empty = ndd.batch([], dtype=ndd.uint8)
    assert ndd.cast(empty, dtype=ndd.float32).batch_size == 0
    assert ndd.resize(empty, size=3).shape == []


def test_numbers_of_samples():
    empty = ndd.random.uniform(batch_size=0)
    assert empty.batch_size == 0
    assert "num_samples=0" in repr(empty)
    for wrong in (-1, 2.5, "3"):
        with pytest.raises(ArgumentError, match="batch_size must be an int of 0 or more"):
            ndd.random.uniform(batch_size=wrong)


def test_functions_take_batches_of_pipelines():
    with Pipeline(batch_size=2, num_threads=1) as pipe:
        pipe.set_outputs(fn.constant(idata=[1, 2, 3]))
        (batch,) = pipe.run()
    assert (ndd.cast(batch, dtype=ndd.float32) + 1).shape == [(3,), (3,)]


def test_on_both_devices(device):
    image = ndd.tensor(operators.IMAGE, layout="HWC").to_device(device)
    images = ndd.batch([operators.IMAGE, operators.IMAGE[:9]], layout="HWC", device=device)
    for result in (
        ndd.resize(images, size=[5, 6]),
        ndd.flip(image, horizontal=ndd.tensor(1)),
        ndd.rotate(images, angle=ndd.batch([10.0, 20.0])),
        ndd.crop_mirror_normalize(images, crop=(4, 4)),
        images + image[0, :1],
        image[3:5, ::2],
        ndd.reductions.mean(images, axes=[0, 1]),
        ndd.random.normal(images, rng=ndd.random.RNG(3)) if device == "cpu" else image,
    ):
        assert result.device.device_type == device
    on_cpu = ndd.resize(images.cpu(), size=[5, 6])
    for one, other in zip(ndd.resize(images, size=[5, 6]).cpu(), on_cpu, strict=True):
        np.testing.assert_allclose(np.asarray(one), np.asarray(other), atol=1)


def test_inputs_go_to_the_device_of_the_call(device_stage):
    image = ndd.tensor(operators.IMAGE, layout="HWC")
    moved = ndd.flip(image, device="gpu")
    assert moved.device.device_type == "gpu"
    assert ndd.flip(moved, device="cpu").device.device_type == "cpu"
    np.testing.assert_array_equal(np.asarray(moved.cpu()), operators.IMAGE[:, ::-1])
    decoded = ndd.decoders.image(ndd.tensor(operators.ENCODED), device="gpu")
    np.testing.assert_array_equal(np.asarray(decoded.cpu()), operators.IMAGE[..., ::-1])
    angle = ndd.tensor(np.float32(0)).gpu()  # arguments are read on the CPU
    np.testing.assert_array_equal(np.asarray(ndd.rotate(image, angle=angle)), operators.IMAGE)


def test_operators_that_are_not_random_draw_no_numbers(monkeypatch):
    def refuse(*words):
        raise AssertionError("a random number was drawn")

    monkeypatch.setattr(philox, "philox4x32", refuse)
    for name in set(CALLS) - RANDOM:
        in_dynamic_mode(CALLS[name], lambda array, layout="": ndd.batch([array] * 2, layout=layout))
    with pytest.raises(AssertionError, match="was drawn"):
        ndd.noise.gaussian(ndd.tensor(operators.IMAGE), rng=FixedGenerator(1))


class FixedGenerator(ndd.random.RNG):
    def __call__(self):
        return 1


@pytest.mark.parametrize("name", ["mixup", "cutmix"])
def test_pairs_of_samples(name):
    images = ndd.batch([np.full((4, 4, 3), 50 * i, np.uint8) for i in range(4)], layout="HWC")
    labels = ndd.batch([np.int32([i]) for i in range(4)])

    def mixed(seed):
        result = getattr(ndd, name)(images, labels, num_classes=4, rng=ndd.random.RNG(seed))
        return [np.asarray(ndd.as_tensor(output)).tolist() for output in result]

    assert mixed(1) == mixed(1)
    assert len({str(mixed(seed)) for seed in range(6)}) > 2
