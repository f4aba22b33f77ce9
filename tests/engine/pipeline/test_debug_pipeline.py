"""Debug mode: the batches of a normal pipeline, and values in the definition."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
import time
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from penstock import ArgumentError, Pipeline, PipelineStopped, fn, pipeline_def, types
from penstock.engine.closing import finish_closing
from penstock.engine.graph.operator import OPERATORS
from penstock.pipeline.experimental import pipeline_def as experimental_pipeline_def
from penstock.plugin.arrays import GenericIterator
from penstock.tensors import TensorListCPU
from penstock.tests.checkout import SOURCES

from ..toys import Feed, Noise, Numbers, call


def assert_same(one, other):
    for a, b in zip(one, other, strict=True):
        assert type(a) is type(b)
        assert (len(a), a.layout()) == (len(b), b.layout())
        np.testing.assert_array_equal(a.valid, b.valid)
        for x, y in zip(a.as_cpu().rows(), b.as_cpu().rows(), strict=True):
            assert x.dtype == y.dtype
            np.testing.assert_array_equal(x, y)


def assert_equal_runs(define, *, batches=4, feed=None, **options):
    """Compare a pipeline in debug mode with the normal one, batch by batch and to their end."""
    made = pipeline_def(define)
    options = {"batch_size": 3, "num_threads": 2, "seed": 11} | options
    with made(**options) as normal, made(debug=True, **options) as debug:
        for number in range(batches):
            if feed is not None:
                feed(normal, number)
                feed(debug, number)
            try:
                wanted = normal.run()
            except StopIteration:
                with pytest.raises(StopIteration):
                    debug.run()
                normal.reset()
                debug.reset()
            else:
                assert_same(debug.run(), wanted)
        if feed is None:
            assert debug.checkpoint() == normal.checkpoint()


@pytest.fixture
def files(photo_tree):
    """Arguments of a file reader over few files, so that epochs end."""
    return {"files": photo_tree.files[:7], "labels": photo_tree.labels[:7]}


def on(device):
    return "mixed" if device == "gpu" else "cpu"


@pytest.mark.slow
def test_photographs(files, device):
    def define():
        encoded, labels = fn.readers.file(**files, random_shuffle=True)
        images = fn.decoders.image(encoded, device=on(device))
        images = fn.random_resized_crop(images, size=(20, 30))
        mirror = fn.random.coin_flip()
        dtype = types.FLOAT
        return fn.crop_mirror_normalize(images, mirror=mirror, dtype=dtype, mean=[9.0]), labels

    assert_equal_runs(define)


def test_numbers_before_the_reader_have_its_positions(files):
    def define():
        angle = fn.random.uniform(range=[-10, 10])
        encoded, labels = fn.readers.file(**files, shard_id=1, num_shards=2, name="files")
        images = fn.rotate(fn.decoders.image(encoded), angle=angle, keep_size=True)
        return images, labels, angle

    assert_equal_runs(define)


def test_operators_that_no_output_needs_change_nothing(files):
    def define():
        fn.random.uniform()
        encoded, labels = fn.readers.file(**files)
        fn.decoders.image(encoded)
        return labels, fn.random.uniform(), fn.random.normal(shape=[2])

    assert_equal_runs(define)


@pytest.mark.slow
def test_arithmetic_indices_shapes_and_constants(files, device):
    def define():
        images = fn.decoders.image(fn.readers.file(**files)[0], device=on(device))
        height = images.shape()[0]
        part = images[5:-5, 2, ...]
        scaled = (images * 2 + types.Constant(3) - 1.5) / 255.0
        flags = fn.random.coin_flip() & 1
        return height, part, fn.reductions.mean(scaled), -flags, flags == 1, images.shape()

    assert_equal_runs(define)


def test_copies_between_devices(files, device):
    def define():
        images = fn.resize(fn.decoders.image(fn.readers.file(**files)[0]), size=(8, 9))
        if device == "gpu":
            images = fn.flip(images.gpu()).cpu()
        return fn.copy(images), fn.cast(images, dtype=types.INT16)

    assert_equal_runs(define)


def test_a_source_that_is_called(device):
    def define():
        side = {"device": device}
        whole = fn.external_source(lambda number: np.full((2, 3), number), **side)
        samples = fn.external_source(lambda info: np.int32([info.idx_in_epoch]), batch=False)
        return call(Noise, samples), whole, fn.random.uniform()

    assert_equal_runs(define, batch_size=2)


def test_batches_of_other_sizes_and_layouts():
    def source():
        for layout, size in (("HWC", 3), ("CHW", 2), ("HWC", 1), ("", 3)):
            shape = (size, 3, 4, 5)
            data = np.arange(np.prod(shape), dtype=np.uint8).reshape(shape)
            yield TensorListCPU(data, layout)

    def define():
        numbers = fn.random.uniform()
        data = fn.external_source(source, cycle="raise")
        return fn.copy(data), numbers, call(Noise, data), data.property("layout")

    assert_equal_runs(define, batches=10)


def test_data_that_are_fed():
    def define():
        one, other = fn.external_source(name="x"), fn.external_source(name="y", layout="HW")
        return one + 1, fn.flip(other)

    def feed(pipe, number):
        pipe.feed_input("x", np.full((2, 2), number))
        pipe.feed_input("y", [np.full((2, 3), number)] * 2)

    assert_equal_runs(define, feed=feed)


def test_fed_arrays_may_be_changed_afterwards():
    pipe = pipeline_def(lambda: fn.external_source(name="x"))(
        batch_size=2, num_threads=1, debug=True
    )
    data = np.zeros((2, 1))
    assert pipe.input_feed_count("x") == 1
    for _ in range(2):
        pipe.feed_input("x", data)
        data += 1
    assert [pipe.run()[0].as_array()[0, 0] for _ in range(2)] == [0, 1]
    (result,) = pipe.run(x=np.ones((1, 1)))
    assert result.shape() == [(1,)]
    with pytest.raises(PipelineStopped, match=r"feed_input\('x', ...\) must be called"):
        pipe.run()
    (result,) = pipe.run(x=np.ones((2, 1)))
    assert result.shape() == [(1,), (1,)]


def test_user_functions_sets_of_inputs_and_composites(files):
    def define():
        encoded = [fn.readers.file(**files, random_shuffle=shuffle)[0] for shuffle in (0, 1)]
        images = fn.random_resized_crop(fn.decoders.image(encoded), size=(9, 9))
        doubled = fn.python_function(images[0], function=lambda image: image * 2)
        boxes = types.Constant(np.float32([[0.1, 0.1, 0.9, 0.9]]))
        labels = types.Constant(np.int32([1]))
        cropped = fn.ssd_random_crop(images[1], boxes, labels, num_attempts=1)
        return (*images, doubled, fn.batch_permutation(), *cropped)

    assert_equal_runs(define)


def test_sequences_with_arguments_for_each_frame():
    def define():
        data = np.arange(3 * 2 * 4 * 4 * 3, dtype=np.uint8).reshape(3, 2, 4, 4, 3)
        frames = fn.external_source(lambda: data, layout="FHWC")
        angles = fn.external_source(lambda: np.float32([[10, 20]] * 3))
        return fn.rotate(frames, angle=fn.per_frame(angles)), fn.resize(frames, size=(2, 2))

    assert_equal_runs(define)


@pytest.mark.parametrize("policy", ["skip", "replace"])
def test_bad_samples(policy, tmp_path, photo_tree):
    files = [str(tmp_path / f"{i}.jpg") for i in range(6)]
    for i, file in enumerate(files):
        with open(file, "wb") as stream, open(photo_tree.files[i], "rb") as photo:
            stream.write(photo.read() if i not in (1, 4) else b"broken" * 20)

    def define():
        encoded, labels = fn.readers.file(files=files)
        images = fn.resize(fn.decoders.image(encoded), size=(9, 9))
        noisy = call(Noise, images)
        other_labels = fn.readers.file(files=files, labels=range(6))[1] if policy != "skip" else 0
        return images, labels, fn.random.uniform(), noisy, other_labels

    assert_equal_runs(define, on_error=policy)


def test_toys_of_the_engine():
    def define():
        numbers, labels = call(Numbers, random_shuffle=True, ragged=True, name="numbers")
        fed = call(Feed, source=lambda number: np.full((3, 1), number), name="feed")
        return call(Noise, numbers), labels, fed

    assert_equal_runs(define, batches=9)


def test_the_definition_sees_values(capsys):
    seen = []

    @experimental_pipeline_def(batch_size=2, num_threads=1, seed=3, debug=True)
    def define():
        data = fn.external_source(lambda number: np.full((2, 1, 2), number), layout="XY")
        print(data)
        seen.append((data.get().as_array()[0, 0, 0], data.dtype, data.layout, data.shape()))
        return np.array(data).sum() + data

    with define() as pipe:
        assert [pipe.run()[0].as_array().ravel().tolist() for _ in range(3)] == [
            [0] * 4,
            [5] * 4,
            [10] * 4,
        ]
    assert [values[:3] for values in seen] == [(n, types.INT64, "XY") for n in range(3)]
    assert all(values[3] == [(1, 2), (1, 2)] for values in seen)
    assert seen[0][3] != [(1, 2)]
    assert "[[[2 2]]\n\n [[2 2]]]" in capsys.readouterr().out


def test_without_debug_there_are_no_values():
    def define():
        data = fn.random.uniform()
        assert not hasattr(data, "dtype")
        return data.get()

    with pytest.raises(TypeError, match="pass debug=True"):
        pipeline_def(define)(batch_size=2, num_threads=1)


def test_data_of_the_program_become_nodes(device):
    torch = pytest.importorskip("torch")

    @pipeline_def(batch_size=4, num_threads=1, debug=True)
    def define(source):
        fixed = fn.external_source(lambda: np.ones((2, 3), np.float32), device=device)
        given = fn.cast(source(fixed), dtype=types.INT32)
        scaled = fn.random.uniform(range=[0.0, 1.0])
        added = fixed.cpu() + np.zeros(3, np.float32)
        return given, scaled, added, np.float32(7)

    sources = [
        lambda node: [np.ones(3)] * 2,
        lambda node: [torch.ones(3)] * 2,
        lambda node: torch.ones((2, 3)),
        lambda node: np.array(node) if device == "cpu" else node.get().as_cpu(),
        lambda node: node.get().as_cpu().as_tensor(),
        lambda node: list(node.get().as_cpu()),
        lambda node: node.get(),
    ]
    for source in sources:
        with define(source) as pipe:
            for _ in range(2):
                given, scaled, other, constant = pipe.run()
                np.testing.assert_array_equal(np.array(given.as_cpu()), np.ones((2, 3), np.int32))
                np.testing.assert_array_equal(np.array(other.as_cpu()), np.ones((2, 3)))
                assert scaled.shape() == [(), ()]
                np.testing.assert_array_equal(constant.as_array(), [7, 7])


def test_arguments_may_be_batches_and_nodes_of_earlier_batches():
    earlier, given = [], []

    @pipeline_def(batch_size=2, num_threads=1, debug=True)
    def define():
        earlier.append(fn.external_source(lambda number: np.full((2, 1), number)))
        given.append(fn.copy([np.ones(1, np.int64)] * 2).node.inputs[0])
        angles = [np.float32(30), np.float32(60)]
        turned = fn.transforms.rotation(angle=[np.array(angle) for angle in angles])
        return earlier[0] + earlier[-1] + given[0], turned

    with define() as pipe:
        for number in range(3):
            total, turned = pipe.run()
            np.testing.assert_array_equal(total.as_array(), np.full((2, 1), number + 1))
            np.testing.assert_allclose(turned.as_array()[:, 0, 0], np.cos(np.deg2rad([30, 60])))


def changing(*variants):
    """Return a pipeline in debug mode whose batches are defined by these functions in turn."""
    turns = iter(variants)
    return pipeline_def(lambda: next(turns)())(batch_size=2, num_threads=1, debug=True)


def number(**options):
    return fn.random.uniform(**options)


def batch(*shape):
    return [np.ones(shape, np.float32)] * 2


CHANGES = {
    "order": (
        lambda: number(),
        lambda: fn.random.normal(),
        (
            r"Unexpected operator 'random.normal' \(at .*\.py:\d+\)\. Debug mode does not support "
            r"changing the order .* called 'random.uniform' \(at .*\.py:\d+\) here"
        ),
    ),
    "more": (
        lambda: number(),
        lambda: fn.copy(fn.cast(number(), dtype=types.INT32)),
        "Unexpected operator 'cast'.*did not call another operator here",
    ),
    "inputs": (
        lambda: fn.cat(batch(1)),
        lambda: fn.cat(batch(1), batch(1)),
        (
            "Trying to use operator 'cat' with different number of inputs than when it was built. "
            r"Expected: 1 inputs, got 2 \(at .*; created at "
        ),
    ),
    "number of arguments": (
        lambda: fn.cat(batch(1), axis=0),
        lambda: fn.cat(batch(1)),
        "'cat' with different number of keyword arguments than when it was built",
    ),
    "names of arguments": (
        lambda: fn.resize(batch(1, 1, 1), resize_x=1),
        lambda: fn.resize(batch(1, 1, 1), resize_y=1),
        "with other keyword arguments than when it was built. Expected: resize_x; got resize_y",
    ),
    "constant input": (
        lambda: fn.random.uniform(5),
        lambda: fn.random.uniform(batch(1)),
        "Input 0 for operator 'random.uniform' is a batch but was a constant when created",
    ),
    "array": (
        lambda: fn.random.uniform(np.zeros(2)),
        lambda: fn.random.uniform(batch(1)),
        "Input 0 for operator 'random.uniform' is a batch but was an array when created",
    ),
    "constant argument": (
        lambda: fn.random.coin_flip(probability=0.5),
        lambda: fn.random.coin_flip(probability=[np.array(0.5)] * 2),
        "Argument probability for operator 'random.coin_flip' is a batch but was a constant",
    ),
    "value": (
        lambda: fn.random.coin_flip(probability=0.25),
        lambda: fn.random.coin_flip(probability=0.5),
        (
            "Argument 'probability' for operator 'random.coin_flip' unexpectedly changed value "
            r"from '0\.25' to '0\.5'"
        ),
    ),
    "no number": (
        lambda: fn.constant(fdata=np.nan, shape=()),
        lambda: fn.constant(fdata=1.0, shape=()),
        "'fdata' for operator 'constant' unexpectedly changed value from 'nan' to '1.0'",
    ),
    "sizes": (
        lambda: fn.cat(batch(1), batch(1)),
        lambda: fn.cat(batch(1), [np.ones(1, np.float32)] * 3),
        (
            "Batch size must be uniform across an iteration. Input 1 for operator 'cat' has batch "
            "size = 3. Expected batch size = 2"
        ),
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_definitions_that_change(name):
    first, second, message = CHANGES[name]
    pipe = changing(first, first, second)
    pipe.run()
    pipe.run()
    with pytest.raises(RuntimeError, match=message):
        pipe.run()
    with pytest.raises(PipelineStopped, match="an earlier error"):
        pipe.run()


def test_names_of_outputs(files):
    def define():
        encoded, label = fn.readers.file(**files)
        return {"encoded": encoded, "label": label}

    assert_equal_runs(define)
    with pipeline_def(define)(batch_size=2, num_threads=1, debug=True) as pipe:
        assert pipe.output_names == ("encoded", "label")
        (batch,) = next(iter(GenericIterator(pipeline_def(define)(batch_size=1, debug=True))))
        assert list(batch) == ["encoded", "label"]
    pipe = changing(lambda: {"x": number()}, lambda: {"x": number()}, lambda: {"y": number()})
    pipe.run()
    pipe.run()
    with pytest.raises(ArgumentError, match=r"\('y',\), but in the first batch it ret.* \('x',\)"):
        pipe.run()


def test_another_device(device_stage):
    data = [np.ones((4, 4, 3), np.uint8)] * 2

    def define(move):
        images = fn.copy(data)
        return fn.flip(images.gpu() if move else images)

    pipe = changing(lambda: define(True), lambda: define(False))
    pipe.run()
    message = "Input 0 for operator 'flip' is on 'cpu' but was on 'gpu' when created"
    with pytest.raises(RuntimeError, match=message):
        pipe.run()


def test_a_definition_may_return_early_and_make_functions_anew():
    turns = iter(range(4))

    @pipeline_def(batch_size=2, num_threads=1, debug=True)
    def define():
        number = fn.constant(fdata=np.nan, shape=())
        if next(turns) == 2:
            return number
        return fn.python_function(number, function=lambda value: value)

    with define() as pipe:
        for _ in range(4):
            assert np.isnan(pipe.run()[0].as_array()).all()


def test_an_error_is_raised_in_the_user_s_line(bad_files):
    @pipeline_def(batch_size=1, num_threads=1, debug=True)
    def define():
        data = [np.frombuffer(b"no image at all", np.uint8)]
        return fn.decoders.image(data)  # here

    with pytest.raises(ValueError, match="unknown format") as caught:
        define().run()
    lines = [str(entry.statement) for entry in caught.traceback]
    assert any("# here" in line for line in lines)
    assert "sample 0 of batch 0" in " ".join(caught.value.__notes__)


@pytest.mark.parametrize("options", ["", ", enable_conditionals=True"])
def test_the_debugger_stops_in_the_definition(options, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        textwrap.dedent(
            f"""
            import numpy as np
            from penstock import fn, pipeline_def

            @pipeline_def(batch_size=2, num_threads=1, debug=True{options})
            def define():
                data = fn.external_source(lambda number: np.full((2, 1), number + 40))
                breakpoint()
                return data * 2

            with define() as pipe:
                for _ in range(2):
                    print("outputs", pipe.run()[0].as_array().tolist())
            """
        )
    )
    commands = "p data.get().as_array().tolist()\np data\nc\np data.get().as_array().tolist()\nc\n"
    done = subprocess.run(
        [sys.executable, str(program)],
        input=commands,
        capture_output=True,
        text=True,
        timeout=60,
        env={"PYTHONPATH": str(SOURCES), "PATH": ""},
        check=True,
    )
    for text in ("[[40], [40]]", "[[41], [41]]", "[[40]\n [40]]", "outputs [[82], [82]]"):
        assert text in done.stdout
    assert re.search(r"program\.py\(\d\)define\(\)\n-> (breakpoint|return data \* 2)", done.stdout)


@pytest.mark.filterwarnings("ignore:last_batch_policy=:RuntimeWarning")
@pytest.mark.parametrize("epochs", [2])
def test_iterators(files, epochs):
    def define():
        encoded, labels = fn.readers.file(**files, random_shuffle=True, name="files")
        return fn.resize(fn.decoders.image(encoded), size=(8, 8)), labels

    def collect(**options):
        pipe = pipeline_def(define)(batch_size=3, num_threads=1, seed=1, **options)
        assert pipe.epoch_size("files") == 7
        assert pipe.num_outputs == 2
        with GenericIterator(
            pipe, ["images", "labels"], reader_name="files", last_batch_policy="partial"
        ) as iterator:
            return [
                [batch[0]["labels"].ravel().tolist() for batch in iterator] for _ in range(epochs)
            ], iterator.checkpoints()

    assert collect(debug=True) == collect()


def test_checkpoints_continue_in_both_modes(files):
    def define():
        encoded, labels = fn.readers.file(**files, random_shuffle=True, name="files")
        return labels, fn.random.uniform(), encoded

    made = pipeline_def(define)
    options = {"batch_size": 3, "num_threads": 1}
    with made(seed=5, **options) as normal:
        normal.run()
        saved = normal.checkpoint()
        wanted = [normal.run() for _ in range(3)]
    with made(checkpoint=saved, debug=True, **options) as debug:
        for batch in wanted:
            assert_same(debug.run(), batch)
        debug.restore(saved)
        assert_same(debug.run(), wanted[0])
        assert debug.begin_epoch()
        between = debug.checkpoint()
        after = debug.run()
    with made(checkpoint=between, **options) as normal:
        assert_same(normal.run(), after)
    with pytest.raises(RuntimeError, match="but not of 'other'"):
        pipeline_def(lambda: fn.readers.file(**files, name="other")[1])(
            checkpoint=saved, debug=True, **options
        ).run()


def test_calls_that_make_no_sense():
    define = pipeline_def(lambda: fn.random.uniform())
    with pytest.raises(ArgumentError, match="that pipeline_def decorates"):
        Pipeline(batch_size=1, num_threads=1, debug=True)
    pipe = define(batch_size=1, num_threads=1, debug=True)
    pipe.build()
    with pytest.raises(ArgumentError, match="that pipeline_def decorates"):
        pipe.set_outputs(1)
    with pytest.raises(ArgumentError, match="has no statistics"):
        pipe.stats()
    pipe.schedule_run()
    assert pipe.share_outputs()[0].shape() == [()]
    pipe.release_outputs()
    pipe.close()
    with pytest.raises(PipelineStopped, match="the pipeline is closed"):
        pipe.run()


def test_the_picture_of_the_graph(tmp_path):
    pipe = pipeline_def(lambda: fn.random.uniform(name="u"))(
        batch_size=1, num_threads=1, debug=True
    )
    pipe.save_graph_to_dot_file(tmp_path / "graph.dot", show_tensors=True)
    text = (tmp_path / "graph.dot").read_text()
    assert "fn.random.uniform" in text
    assert "FLOAT" in text


def test_a_definition_cannot_ask_for_its_own_batches():
    made = []

    @pipeline_def(batch_size=1, num_threads=1, debug=True)
    def define():
        made[0].run()
        return fn.random.uniform()

    made.append(define())
    with pytest.raises(ArgumentError, match="the pipeline's own batches"):
        made[0].run()


def test_data_for_a_source_that_is_not_there():
    pipe = pipeline_def(lambda: fn.external_source(name="x"))(
        batch_size=1, num_threads=1, debug=True
    )
    pipe.feed_input("y", np.ones((1, 1)))
    pipe.feed_input("x", np.ones((1, 1)))
    with pytest.raises(ArgumentError, match="no external source named 'y'"):
        pipe.run()


def test_nodes_from_outside_of_the_definition():
    outside = fn.random.uniform(seed=4)
    other = fn.random.uniform(seed=4)
    with (
        pipeline_def(lambda: outside + 1)(batch_size=2, num_threads=1, debug=True) as debug,
        pipeline_def(lambda: other + 1)(batch_size=2, num_threads=1) as normal,
    ):
        for _ in range(3):
            assert_same(debug.run(), normal.run())


def test_declared_outputs_are_checked():
    pipe = pipeline_def(lambda: fn.random.uniform())(
        batch_size=2, num_threads=1, debug=True, output_ndim=3
    )
    with pytest.raises(ArgumentError, match="output_ndim declares 3"):
        pipe.run()


def test_a_pipeline_that_is_dropped_closes_its_reader():
    closed = []

    class Closing(Numbers):
        name = "toy.closing"
        __doc__ = "Numbers that say when they are closed."

        def close(self):
            closed.append(self)

    pipe = pipeline_def(lambda: tuple(call(Closing)))(batch_size=2, num_threads=1, debug=True)
    pipe.run()
    assert OPERATORS.get("toy.closing") is None
    del pipe
    finish_closing()
    assert len(closed) == 1


def test_another_thread_may_feed():
    pipe = pipeline_def(lambda: fn.external_source(name="x", blocking=True))(
        batch_size=2, num_threads=1, debug=True
    )
    with pipe, ThreadPoolExecutor(1) as pool:
        for number in range(2):
            batch = pool.submit(pipe.run)
            while number == 0 and not pipe._definition.graph.plan.sources:
                time.sleep(0.01)
            pipe.feed_input("x", np.full((2, 1), number))
            assert batch.result()[0].as_array()[0, 0] == number


def test_an_operator_may_not_end_the_data():
    def end(value):
        raise StopIteration

    pipe = pipeline_def(lambda: fn.python_function(fn.random.uniform(), function=end))(
        batch_size=1, num_threads=1, debug=True
    )
    with pytest.raises(RuntimeError, match="raised StopIteration, which only inputs may do"):
        pipe.run()


def test_constants_that_come_and_go_shift_no_reader(photo_tree):
    turns = iter(range(4))

    def readers():
        first = fn.readers.file(files=photo_tree.files[:5], labels=range(5))[1]
        between = fn.random.uniform()
        return first, between, fn.readers.file(files=photo_tree.files[:5], labels=range(10, 15))[1]

    @pipeline_def(batch_size=3, num_threads=1, seed=2, debug=True)
    def define():
        constants = [types.Constant(n) for n in range(next(turns))]
        first, between, second = readers()
        return first, between, second, *constants[:0]

    with define() as debug, pipeline_def(readers)(batch_size=3, num_threads=1, seed=2) as normal:
        for _ in range(4):
            assert_same(debug.run(), normal.run())


def test_batches_are_dropped():
    references = []

    @pipeline_def(batch_size=2, num_threads=1, debug=True)
    def define():
        data = fn.external_source(lambda: np.ones((2, 3)))
        doubled = call(Noise, data)
        references.append(weakref.ref(doubled.batch))
        return doubled * 2

    with define() as pipe:
        for _ in range(4):
            pipe.run()
        assert [reference() for reference in references[:-2]] == [None, None]
