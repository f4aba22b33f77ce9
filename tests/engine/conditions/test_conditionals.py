"""Pipelines in which `if` depends on data: samples, random numbers, errors and checkpoints."""

# ruff: noqa: SIM108  (the statements are what is tested)

from __future__ import annotations

import linecache

import numpy as np
import pytest
from PIL import Image

from penstock import Pipeline, fn, pipeline_def, types
from penstock.engine.errors import ArgumentError
from penstock.pipeline import convert, do_not_convert

SIZE = 6


def numbers(size=SIZE, dtype=np.int32):
    return fn.external_source(lambda: [np.array(i, dtype) for i in range(size)])


def images(size=SIZE):
    return fn.external_source(
        lambda: [np.full((8 + i % 2 * 4, 9, 3), 20 * i + 1, np.uint8) for i in range(size)],
        layout="HWC",
    )


def run(definition, batches=1, **options):
    """Return the samples of each output, for each batch."""
    options = {"batch_size": SIZE, "num_threads": 2, "seed": 1} | options
    with pipeline_def(enable_conditionals=True, **options)(definition)() as pipe:
        results = [
            [[np.array(each.as_cpu().at(i)) for i in range(len(each))] for each in pipe.run()]
            for _ in range(batches)
        ]
    return results[0] if batches == 1 else results


def values(definition, **options):
    results = [np.array(each).tolist() for each in run(definition, **options)]
    return results[0] if len(results) == 1 else results


@pytest.fixture
def files(tmp_path):
    """24 photographs, of which one is broken."""
    random = np.random.default_rng(0)
    paths = [str(tmp_path / f"{i:02}.png") for i in range(24)]
    for i, path in enumerate(paths):
        Image.fromarray(random.integers(0, 255, (20 + i, 30, 3), np.uint8)).save(path)
    (tmp_path / "05.png").write_bytes(b"\x89PNG\r\n\x1a\nbroken")
    return paths


def training(files):
    """Return a definition of which each sample can be checked."""

    def define():
        encoded, label = fn.readers.file(
            files=files, labels=list(range(24)), random_shuffle=True, name="reader"
        )
        image = fn.resize(fn.decoders.image(encoded), size=(10, 12))
        if label[0] % 2 == 0:
            flipped = fn.flip(image)
            number = fn.random.uniform(range=(0, 1))
            blurred = fn.gaussian_blur(image, sigma=1.0)
        else:
            flipped = fn.brightness(image, brightness=fn.random.uniform(range=(0.5, 1.5)))
            number = label[0] * 1.0
            blurred = image
        return image, flipped, number, blurred, label, fn.random.uniform()

    return define


def check_training(outputs):
    image, flipped, number, blurred, label, _ = outputs
    for i in range(len(image)):
        if label.at(i)[0] % 2 == 0:
            assert (flipped.at(i) == image.at(i)[:, ::-1]).all()
            assert number.at(i) < 1
        else:
            assert (blurred.at(i) == image.at(i)).all()
            assert number.at(i) == label.at(i)[0]
    assert flipped.source_info() == blurred.source_info() == image.source_info()
    assert all(name.endswith(".png") for name in flipped.source_info())
    assert flipped.layout() == "HWC"


@pytest.mark.slow
@pytest.mark.parametrize("on_error", ["skip", "replace"])
@pytest.mark.parametrize("processes", [False, True])
def test_bad_samples_and_checkpoints(files, on_error, processes):
    make = pipeline_def(
        batch_size=SIZE,
        num_threads=2,
        seed=4,
        on_error=on_error,
        exec_processes=processes,
        enable_conditionals=True,
    )(training(files))
    with make() as pipe:
        seen = []
        for _ in range(6):
            outputs = pipe.run()
            check_training(outputs)
            seen.append([output.as_array() for output in outputs])
            if len(seen) == 2:
                saved = pipe.checkpoint()
        assert sum(pipe.stats().skipped.values()) > 0
    with make(checkpoint=saved) as pipe:
        for expected in seen[2:]:
            got = [each.as_array() for each in pipe.run()]
            assert all(np.array_equal(a, b) for a, b in zip(got, expected, strict=True))


def test_a_bad_sample_in_a_branch():
    def failing():
        x = numbers()
        if x > 2:
            y = fn.reshape(fn.stack(x, x), shape=x - 2)
        else:
            y = fn.stack(x, x)
        return y

    with pytest.raises(ArgumentError) as caught:
        values(failing)
    assert any("sample 3 of batch 0" in note for note in caught.value.__notes__)
    (y,) = run(failing, on_error="replace")
    assert [each.tolist() for each in y] == [[0, 0], [1, 1], [2, 2], [2, 2], [4, 4], [4, 4]]


def test_a_branch_changes_no_other_random_numbers():
    def one(part):
        def define():
            x = numbers()
            if x < part:
                y = fn.random.uniform()
            else:
                y = fn.random.uniform() + 10
            return y, fn.random.uniform()

        return define

    everything, other = values(one(SIZE))
    some, also = values(one(3))
    assert some[:3] == everything[:3]
    assert other == also
    assert min(some[3:]) > 5


@pytest.mark.parametrize("condition", [lambda x: x % 2 == 0, lambda x: x > 9, lambda x: x < 9])
def test_operators_of_whole_batches(condition):
    def define():
        x = fn.random.uniform(range=(0, 5), seed=3)
        whole = fn.cast(numbers(), dtype=types.INT64)
        seen = []
        if condition(whole):
            y = fn.python_function(
                whole, x, function=lambda a, b: [seen.append(len(a)), a][1], batch_processing=True
            )
            z = fn.permute_batch(whole, indices=fn.batch_permutation())
        else:
            y = whole * 100
            z = whole
        return y, z, whole

    y, z, x = values(define)
    takes = [bool(condition(each)) for each in x]
    assert y == [each if take else each * 100 for each, take in zip(x, takes, strict=True)]
    assert [a for a, take in zip(z, takes, strict=True) if not take] == [
        a for a, take in zip(x, takes, strict=True) if not take
    ]
    assert sorted(z) == x


def test_a_branch_that_nobody_takes():
    calls = []

    def define():
        x = numbers()
        if x > 100:
            y = fn.python_function(x, function=lambda a: calls.append(a) or a)
            z = fn.flip(images())
        else:
            y = x
            z = images()
        return y, fn.shapes(z)

    assert values(define)[0] == list(range(SIZE))
    assert calls == []


def test_operators_that_no_output_needs_are_dropped():
    def define():
        x = numbers()
        if x > 1:
            y = x
            unused = fn.reshape(x, shape=[7])  # which would fail
        else:
            y = unused = -x  # noqa: F841
        return y

    assert values(define) == [0, -1, 2, 3, 4, 5]


@pytest.mark.parametrize("debug", [False, True])
def test_branches_that_return_dicts(debug):
    def define():
        x = numbers()
        if x > 2:
            return {"large": x * 10, "x": x, "one": 1}
        return {"x": x, "one": 1, "large": x * 0}

    def other():
        if numbers() > 2:
            return {"x": 1}
        return {"y": 1}

    made = pipeline_def(enable_conditionals=True, batch_size=SIZE, num_threads=1, debug=debug)
    with made(define)() as pipe:
        large, x, one = (output.as_array().tolist() for output in pipe.run())
        assert pipe.output_names == ("large", "x", "one")
    assert (large, x, one) == ([0, 0, 0, 30, 40, 50], [0, 1, 2, 3, 4, 5], [1] * SIZE)
    with pytest.raises(ValueError, match="a dictionary with the same keys"):
        made(other)().run()


def test_assertions():
    def define():
        x = numbers()
        if x > 1:
            assert x < 5, "is too large"
        return x

    with pytest.raises(AssertionError, match="is too large") as caught:
        run(define)
    first = define.__code__.co_firstlineno
    assert any(f"{__file__}:{first + 3}" in note for note in caught.value.__notes__)
    assert any("sample 5 of batch 0" in note for note in caught.value.__notes__)
    assert values(define, on_error="replace") == [0, 1, 2, 3, 4, 4]


def test_layouts_that_data_bring_along():
    def define():
        image = fn.external_source(
            lambda: [np.full((4, 6, 3), i, np.uint8) for i in range(SIZE)], layout=None
        )
        if numbers() > 2:
            image = fn.flip(image)
        else:
            image = fn.reshape(image, layout="HWC")
        return image

    with pipeline_def(batch_size=SIZE, num_threads=1, enable_conditionals=True)(define)() as pipe:
        (out,) = pipe.run()
    assert out.layout() == "HWC"


def test_sequences_in_a_branch():
    def define():
        video = fn.external_source(
            lambda: [np.full((2, 4, 6, 3), i, np.uint8) for i in range(SIZE)], layout="FHWC"
        )
        if numbers() > 2:
            video = fn.flip(video, horizontal=fn.per_frame(fn.constant(idata=[1, 0])))
        return video

    (out,) = run(define)
    assert [int(each[0, 0, 0, 0]) for each in out] == list(range(SIZE))


def test_names_of_merged_samples(files):
    good = [file for file in files if not file.endswith("05.png")]

    def define():
        first, _ = fn.readers.file(files=good[:6])
        second, _ = fn.readers.file(files=good[6:12])
        if numbers() > 2:
            data = fn.decoders.image(first)
        else:
            data = fn.decoders.image(second)
        return fn.resize(data, size=(4, 4)), fn.get_property(data, key="source_info")

    with pipeline_def(batch_size=SIZE, num_threads=1, enable_conditionals=True)(define)() as pipe:
        out, infos = pipe.run()
    expected = good[6:9] + good[3:6]
    assert out.source_info() == expected
    assert [bytes(infos.at(i)).decode() for i in range(SIZE)] == expected


# How pipelines are defined


def scaled(x):
    return x * 10 if x > 2 else x


SCALED = [0, 1, 2, 30, 40, 50]


def test_a_class():
    class Defined(Pipeline):
        def define_graph(self):
            x = numbers()
            if x > 2:
                return self.scale(x)
            return x

        def scale(self, x):
            return x * 10 if x > 0 else x

    with Defined(batch_size=SIZE, num_threads=1, enable_conditionals=True) as pipe:
        assert pipe.run()[0].as_array().tolist() == SCALED


def test_a_block():
    pipe = Pipeline(batch_size=SIZE, num_threads=1, enable_conditionals=True)
    with pipe:
        pipe.set_outputs(convert(scaled)(numbers()))
    with pipe:
        assert pipe.run()[0].as_array().tolist() == SCALED


def test_nodes_outside_of_a_definition():
    pipe = Pipeline(batch_size=SIZE, num_threads=1)
    pipe.set_outputs(convert(scaled)(numbers()))
    with pipe:
        assert pipe.run()[0].as_array().tolist() == SCALED


def test_an_option_of_the_call():
    make = pipeline_def(batch_size=SIZE, num_threads=1)(lambda: scaled(numbers()))
    with make(enable_conditionals=True) as pipe:
        assert pipe.run()[0].as_array().tolist() == SCALED
    with pytest.raises(TypeError, match="`enable_conditionals=True`"):
        make()


def test_debug_mode():
    assert values(lambda: scaled(numbers()), debug=True) == SCALED


def test_branches_as_outputs():
    def define():
        x, found = numbers(), []
        if x > 2:
            found.append(x + 1)
        return x, found[0]

    assert [len(each) for each in run(define)] == [6, 3]


# Errors


def test_data_of_a_branch_outside_of_it():
    def define():
        x, found = numbers(), []
        if x > 2:
            found.append(x + 1)
        return found[0] + 1

    with pytest.raises(ArgumentError, match="only some samples have its input") as caught:
        run(define)
    first = define.__code__.co_firstlineno
    assert f"{__file__}:{first + 3} in the branch" in str(caught.value)
    assert f"`if` at {__file__}:{first + 2}" in str(caught.value)


def test_a_variable_that_is_not_used_may_be_missing():
    def define():
        x = numbers()
        if x > 2:
            part = x * 2
            y = part
        else:
            y = x
        return y

    assert values(define) == [0, 1, 2, 6, 8, 10]


def test_divergent_types_name_both_lines():
    def define():
        x = numbers()
        if x > 2:
            y = x * 2.5
        else:
            y = x
        return y

    with pytest.raises(ArgumentError, match="Divergent data") as caught:
        run(define)
    first, text = define.__code__.co_firstlineno, str(caught.value)
    assert f"{__file__}:{first + 3}" in text
    assert "float32 with 0 dimensions in the `if` branch" in text
    assert "int32 with 0 dimensions in the `else` branch" in text
    assert "variable 'y'" in text


def test_values_that_cannot_be_merged():
    def define(a, b):
        def inner():
            x = numbers()
            if x > 2:
                y = a
            else:
                y = b
            return x + y

        return inner

    with pytest.raises(TypeError, match="is of type None in the `if` branch"):
        run(define(None, 1))
    with pytest.raises(TypeError, match="str in the `if` branch, and int in the `else` branch"):
        run(define("one", 1))
    assert values(define(1, 2)) == [2, 3, 4, 4, 5, 6]
    assert values(define(3, 3)) == [3, 4, 5, 6, 7, 8]


@pytest.mark.parametrize("word", ["break", "continue"])
def test_leaving_a_loop(word):
    lines = ["def define():", "    x = numbers()", "    for i in range(3):", "        if x > i:"]
    source = "\n".join([*lines, f"            {word}", "    return x", ""])
    linecache.cache["<loop>"] = len(source), None, source.splitlines(keepends=True), "<loop>"
    names = {"numbers": numbers, "__name__": "program"}
    exec(compile(source, "<loop>", "exec"), names)
    with pytest.raises(ArgumentError, match=f"`{word}` in the `if` at <loop>:4"):
        run(names["define"])


def test_a_function_that_is_left_alone():
    @do_not_convert
    def helper(x):
        return x if x > 2 else -x

    with pytest.raises(TypeError, match="do_not_convert"):
        run(lambda: helper(numbers()))
    assert do_not_convert()(len) is not None
    assert do_not_convert(len)([1]) == 1


def test_an_exception_in_a_branch_that_the_definition_catches():
    def define():
        x = numbers()
        try:
            if x > 1:
                raise KeyError(1)
        except KeyError:
            y = x + 1
        return y

    assert values(define) == [1, 2, 3, 4, 5, 6]


# On the GPU


def graph_for(device, condition):
    def define():
        x, data = numbers(), images()
        if device == "gpu":
            data = data.gpu()
        same = fn.resize(data, size=[10, 12])
        if condition(x):
            a, b, c = fn.flip(same), data, fn.random.uniform(range=(0, 1))
            if x > 3:
                d = fn.brightness(same, brightness=2.0)
            else:
                d = fn.rotate(same, angle=fn.random.uniform(range=(-30.0, 30.0)))
        else:
            a, c, d = same, 3.0, fn.cast(same * 2, dtype=types.UINT8)
            b = fn.brightness(data, brightness=fn.random.uniform(range=(0.5, 1.5)))
        normalized = fn.crop_mirror_normalize(a, mean=[1, 2, 3.0], std=[2, 2, 2.0])
        return a, b, c, d, normalized, d.cpu(), b.shape(), fn.reshape(d, shape=[-1])

    return define


CONDITIONS = [
    lambda x: x % 2 == 0,
    lambda x: x > 10,
    lambda x: x < 10,
    lambda x: x == 5,
]


@pytest.mark.parametrize("condition", CONDITIONS)
def test_the_gpu_agrees(device_stage, condition):
    check_devices(condition, condition)


def test_a_condition_on_the_gpu(device_stage):
    check_devices(lambda x: x.gpu() > 1, lambda x: x > 1)


def check_devices(on_gpu, on_cpu):
    got = run(graph_for("gpu", on_gpu), batches=2, device_id=0)
    expected = run(graph_for("cpu", on_cpu), batches=2)
    for batch, wanted in zip(got, expected, strict=True):
        for rows, others in zip(batch, wanted, strict=True):
            for row, other in zip(rows, others, strict=True):
                assert (row.shape, row.dtype) == (other.shape, other.dtype)
                np.testing.assert_allclose(row.astype(float), other.astype(float), atol=2)


def test_bad_samples_on_the_gpu(device_stage, files):
    def define():
        encoded, label = fn.readers.file(files=files, labels=list(range(24)))
        if label[0] % 2 == 1:
            image = fn.decoders.image(encoded, device="mixed")
        else:
            image = fn.resize(fn.decoders.image(encoded, device="mixed"), size=(30, 30))
        return fn.resize(image, size=(8, 8)), label

    with pytest.raises(Exception, match=r"PNG|decode|broken|header") as caught:
        run(define, device_id=0)
    assert any("sample 5 of batch 0" in note for note in caught.value.__notes__)
    images, labels = run(define, device_id=0, on_error="replace")
    assert [int(label[0]) for label in labels] == [0, 1, 2, 3, 4, 4]
    assert (images[5] == images[4]).all()


def test_divergent_types_on_the_gpu(device_stage):
    def define():
        data = images().gpu()
        if numbers() > 2:
            data = fn.cast(data, dtype=types.FLOAT)
        return data

    with pytest.raises(ArgumentError, match="float32 with 3 dimensions in the `if` branch"):
        run(define, device_id=0)


def test_figures_of_memory():
    make = pipeline_def(
        batch_size=SIZE, num_threads=1, enable_conditionals=True, enable_memory_stats=True
    )

    @make
    def define():
        x = numbers()
        if x > 2:
            y = fn.python_function(x, function=lambda a: np.zeros((a, 2), np.float32))
            y = fn.pad(y, axes=0, shape=[7])
        else:
            y = fn.zeros(shape=[3, 2], dtype=types.FLOAT)
        return y

    with define() as pipe:
        (out,) = pipe.run()
        assert out.shape() == [(3, 2)] * 3 + [(7, 2)] * 3
        assert pipe.executor_statistics()


def test_a_generator_does_not_change_the_branch():
    def pairs(x):
        for i in range(3):
            if i < 5:
                yield x + i

    def define():
        x = numbers()
        each = pairs(x)
        first = next(each)
        if x > 2:
            y = next(each) + first
            each.close()
            z = fn.batch_permutation() + y
        else:
            y = first
            z = y
        return y, z > y

    y, z = values(define)
    assert y == [0, 1, 2, 7, 9, 11]
    assert z[:3] == [False] * 3
    assert sum(z[3:]) == 2


def test_one_result_in_two_variables():
    def define():
        image = fn.resize(images(), size=[4, 4])
        if numbers() > 2:
            first = fn.brightness(image, brightness=2.0)
            second, third = first, fn.brightness(first, brightness=0.5)
        else:
            first = third = image
            second = fn.crop(image, crop=(4, 4))
        return first, second, third

    first, second, third = run(define)
    for a, b, c, i in zip(first, second, third, range(SIZE), strict=True):
        assert (a == b).all()
        assert (c == 20 * i + 1).all()
        assert (a == (20 * i + 1) * (2 if i > 2 else 1)).all()
