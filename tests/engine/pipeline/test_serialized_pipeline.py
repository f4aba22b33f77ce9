"""Pipelines that are stored, and made again."""

from __future__ import annotations

import copy
import json
import pickle
import random
import sys
import threading
import warnings

import numpy as np
import pytest

from penstock import (
    ArgumentError,
    MissingDependencyError,
    PenstockError,
    Pipeline,
    SerializationError,
    StreamPolicy,
    fn,
    pipeline_def,
    tfrecord,
    types,
)
from penstock.engine.pipeline import serialized_graph
from penstock.engine.pipeline.serialized_file import dump, load
from penstock.engine.run.pickling import pickle_by_value


def batches(pipe, count=3):
    values = []
    for _ in range(count):
        for output in pipe.run():
            rows = output.as_cpu()
            values.append((output.layout(), [rows.at(i).copy() for i in range(len(rows))]))
    return values


def assert_same_batches(one, other, count=3):
    pairs = zip(batches(one, count), batches(other, count), strict=True)
    for (layout, rows), (other_layout, other_rows) in pairs:
        assert layout == other_layout
        for row, other_row in zip(rows, other_rows, strict=True):
            np.testing.assert_array_equal(row, other_row, strict=True)
    one.close()
    other.close()


def training(root):
    encoded, labels = fn.readers.file(file_root=root, random_shuffle=True, name="Reader")
    images = fn.decoders.image_random_crop(encoded)
    images = fn.resize(images, size=[20, 24], interp_type=types.INTERP_LINEAR)
    mirrored = fn.crop_mirror_normalize(
        images,
        mirror=fn.random.coin_flip(),
        dtype=types.FLOAT,
        mean=np.array([1.0, 2.0, 3.0]),
        scale=float(np.float32(0.1)),
    )
    one, two = fn.random.uniform([images, images], range=(0.0, 1.0))
    edge = fn.readers.file(file_root=root)[1]
    return mirrored, labels, images[1:-1, ..., 0, None], images[edge[0] % 3], one, two


def arithmetic(root):
    constant = types.Constant(np.arange(6, dtype=np.uint16).reshape(2, 3), layout="AB")
    number = fn.random.normal(seed=7, shape=[2, 3])
    return (
        constant * number,
        fn.cat(number, constant + types.Constant(0.5), axis=1),
        ~(constant > 2),
    )


@pytest.mark.parametrize("definition", [training, arithmetic])
def test_the_stored_pipeline_returns_the_same_batches(definition, photo_tree, tmp_path):
    pipe = pipeline_def(definition, batch_size=4, num_threads=2)(str(photo_tree.root))
    data = pipe.serialize(filename=tmp_path / "pipeline")
    assert data == (tmp_path / "pipeline").read_bytes() == pipe.serialize()
    again = Pipeline.deserialize(filename=tmp_path / "pipeline")
    assert again.seed == pipe.seed
    assert again.serialize() == data
    assert_same_batches(pipe, again)


def test_the_stored_pipeline_on_each_device(device):
    def define():
        numbers = fn.random.uniform(shape=[4, 5, 3])
        numbers = numbers.gpu() if device == "gpu" else numbers
        return fn.flip(fn.reshape(numbers, layout="HWC"), horizontal=fn.random.coin_flip())

    options = {"device_id": 0} if device == "gpu" else {}
    pipe = pipeline_def(define, batch_size=2, num_threads=1, **options)()
    assert_same_batches(pipe, Pipeline.deserialize(pipe.serialize()), 2)


def test_tfrecords_with_features(tmp_path):
    def define():
        features = fn.readers.tfrecord(
            path=str(tmp_path / "a.tfrecord"),
            features={"x": tfrecord.FixedLenFeature([2], tfrecord.int64, 0)},
        )
        return features["x"]

    from ...readers.tfrecord_files import example, write_records

    write_records(tmp_path / "a.tfrecord", [example({"x": [1, 2]}), example({"x": [3, 4]})])
    pipe = pipeline_def(define, batch_size=2, num_threads=1)()
    assert_same_batches(pipe, Pipeline.deserialize(pipe.serialize()), 1)


def test_arguments_override_the_stored_ones(photo_tree):
    options = {"prefetch_queue_depth": 3, "stream_policy": StreamPolicy.SINGLE}
    make = pipeline_def(training, batch_size=4, num_threads=2, seed=5, **options)
    pipe = make(str(photo_tree.root))
    data = pipe.serialize()
    same = Pipeline.deserialize(data)
    assert (same.batch_size, same.num_threads, same.seed) == (4, 2, 5)
    assert same.prefetch_queue_depth == 3
    assert same.stream_policy is StreamPolicy.SINGLE
    other = Pipeline.deserialize(data, batch_size=6, num_threads=1, seed=9, exec_pipelined=False)
    assert (other.batch_size, other.num_threads, other.seed) == (6, 1, 9)
    wanted = make(str(photo_tree.root), batch_size=6, num_threads=1, seed=9)
    assert_same_batches(wanted, other)
    with pytest.raises(ArgumentError, match="no argument 'batchsize'"):
        Pipeline.deserialize(data, batchsize=3)
    for each in (pipe, same):
        each.close()


def test_a_drawn_seed_is_stored():
    pipe = pipeline_def(lambda: fn.random.uniform(), batch_size=3)()
    assert_same_batches(pipe, Pipeline.deserialize(pipe.serialize()))


def test_a_pipeline_takes_a_stored_graph(photo_tree):
    stored = pipeline_def(training, batch_size=4, num_threads=1, seed=5)(str(photo_tree.root))
    pipe = Pipeline(batch_size=2, num_threads=1)
    pipe.deserialize_and_build(stored.serialize())
    assert (pipe.batch_size, pipe.seed) == (2, 5)
    wanted = pipeline_def(training, batch_size=2, num_threads=1, seed=5)(str(photo_tree.root))
    assert_same_batches(wanted, pipe)
    with pytest.raises(ArgumentError, match="has a graph already"):
        stored.deserialize_and_build(stored.serialize())
    own = Pipeline(batch_size=2, seed=3)
    own.deserialize_and_build(stored.serialize())
    assert own.seed == 3


class Defined(Pipeline):
    def __init__(self, size):
        super().__init__(batch_size=size, num_threads=1, seed=1)

    def define_graph(self):
        return fn.random.uniform(shape=[2])


def test_graphs_of_subclasses_are_stored():
    again = Defined.deserialize(Defined(3).serialize())
    assert type(again) is Defined
    assert_same_batches(Defined(3), again)


def test_a_graph_may_be_defined_for_storing():
    pipe = Pipeline(batch_size=2, num_threads=1, seed=4)
    again = Pipeline.deserialize(pipe.serialize(lambda: fn.random.uniform()))
    assert_same_batches(pipe, again)
    with pytest.raises(ArgumentError, match="has a graph already"):
        pipe.serialize(lambda: fn.random.uniform())
    with pytest.raises(TypeError, match=r"serialize\(filename=\.\.\.\)"):
        pipe.serialize("file")


def test_sinks_and_what_no_output_needs():
    with Pipeline(batch_size=1, num_threads=1) as pipe:
        fn.random.uniform(name="unneeded")
        pipe.add_sink(fn.random.uniform(name="sink"))
        pipe.set_outputs(fn.random.uniform(name="output"))
    again = Pipeline.deserialize(pipe.serialize())
    assert [node.name for node in again._as_built().plan.nodes] == ["sink", "output"]
    twice = Pipeline.deserialize(again.serialize())
    assert twice.serialize() == again.serialize()
    assert_same_batches(pipe, again)
    twice.close()


def test_branches_of_conditions():
    def define():
        number = fn.random.uniform(range=(-1.0, 1.0))
        if number > 0:
            result = fn.random.uniform(range=(2.0, 3.0))
            if number > 0.5:
                result = result * 10
        else:
            result = -number + fn.random.uniform()
        return number, result

    pipe = pipeline_def(define, batch_size=8, num_threads=1, enable_conditionals=True)()
    data = pipe.serialize()
    again = Pipeline.deserialize(data)
    assert again.serialize() == data
    outer = [each["outer"] for each in load(data)["branches"]]
    assert None in outer
    assert 0 in outer
    assert_same_batches(pipe, again)


@pytest.mark.parametrize("debug", [False, True])
def test_names_of_outputs(debug, tmp_path):
    def define():
        return {"b": fn.random.uniform(), "a": fn.random.coin_flip()}

    pipe = pipeline_def(define, batch_size=2, num_threads=1, debug=debug)()
    again = Pipeline.deserialize(pipe.serialize())
    assert again.output_names == pipe.output_names == ("b", "a")
    assert Pipeline.deserialize(again.serialize()).output_names == ("b", "a")
    assert_same_batches(pipe, again)
    filled = Pipeline(batch_size=2, num_threads=1)
    filled.deserialize_and_build(pipe_of(define).serialize())
    assert filled.output_names == ("b", "a")
    whole = document()
    assert whole.pop("output_names") is None  # which older releases do not store
    assert Pipeline.deserialize(dump(whole)).output_names is None


def pipe_of(define):
    return pipeline_def(define, batch_size=2, num_threads=1)()


def test_a_pipeline_in_debug_mode_is_stored_as_others():
    pipe = pipeline_def(lambda: fn.random.uniform(shape=[2]), batch_size=2, debug=True)()
    assert_same_batches(pipe, Pipeline.deserialize(pipe.serialize()))


def fed(source=None, **options):
    with Pipeline(batch_size=2, num_threads=1) as pipe:
        pipe.set_outputs(fn.external_source(source, name="data", layout="X", **options) * 2)
    return pipe


@pytest.mark.parametrize("debug", [False, True])
def test_random_numbers_stay_without_the_operators_that_no_output_needs(debug):
    @pipeline_def(batch_size=3, num_threads=1, seed=3, debug=debug)
    def define():
        fn.random.uniform()
        return fn.random.uniform() + fn.random.normal([fn.constant(fdata=1.0)])[0]

    with define() as pipe, Pipeline.deserialize(pipe.serialize()) as stored:
        for _ in range(2):
            wanted, found = pipe.run()[0], stored.run()[0]
            np.testing.assert_array_equal(wanted.as_array(), found.as_array())


def test_a_source_is_stored_without_its_function():
    pipe = fed(lambda i: np.zeros((2, 1)), cycle=None, batch=True)
    again = Pipeline.deserialize(pipe.serialize())
    again.feed_input("data", np.array([[1.0], [2.0]]))
    (output,) = again.run()
    assert (output.as_array().tolist(), output.layout()) == ([[2], [4]], "X")
    again.close()


def test_functions_are_stored_by_value_on_request():
    factor = 3

    def source(i):
        return np.full((2, 1), i + factor)

    with fed(source) as pipe:
        data = pipe.serialize(allow_pickle=True)
        wanted = batches(pipe)
    with pytest.raises(SerializationError, match=r"'external_source' \(named 'data'\).*runs code"):
        Pipeline.deserialize(data)
    with Pipeline.deserialize(data, allow_pickle=True) as again:
        assert [rows[0].tolist() for _, rows in batches(again)] == [
            rows[0].tolist() for _, rows in wanted
        ]


def test_a_marked_function_of_a_module_needs_no_module(tmp_path, monkeypatch):
    (tmp_path / "only_here.py").write_text(
        "from penstock.pickling import pickle_by_value\n"
        "def helper(x):\n    return x + 1\n"
        "@pickle_by_value\ndef marked(x):\n    return helper(x)\n"
        "def plain(x):\n    return helper(x)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    import only_here

    stored = {}
    for function in (only_here.marked, only_here.plain):
        with Pipeline(batch_size=1, num_threads=1) as pipe:
            ones = fn.ones(shape=[1])
            pipe.set_outputs(fn.python_function(ones, function=function))
        stored[function.__name__] = pipe.serialize(allow_pickle=True)
    del sys.modules["only_here"]
    monkeypatch.undo()
    with Pipeline.deserialize(stored["marked"], allow_pickle=True) as again:
        assert again.run()[0].as_array().tolist() == [[2]]
    with pytest.raises(SerializationError, match=r"a pickle that cannot be loaded: .*only_here"):
        Pipeline.deserialize(stored["plain"], allow_pickle=True)
    assert pickle_by_value is not None


def test_the_message_says_for_each_operator_why_it_cannot_be_stored():
    lock = threading.Lock()

    def locked(x):
        with lock:
            return x

    with Pipeline(batch_size=1, num_threads=1) as pipe:
        first = fn.python_function(fn.ones(shape=[1]), function=lambda x: x, name="first")
        second = fn.python_function(first, function=locked, name="second")
        pipe.set_outputs(second)
    with pytest.raises(SerializationError, match="2 of 3 operators cannot be stored") as caught:
        pipe.serialize()
    lines = str(caught.value).splitlines()
    assert "serialize(allow_pickle=True)" in lines[0]
    assert "'first', made at" in lines[1]
    assert "test_serialized_pipeline.py" in lines[1]
    assert "the argument function is the function" in lines[2]
    with pytest.raises(SerializationError, match=r"'second'.*pickle '_thread\.lock'") as caught:
        pipe.serialize(allow_pickle=True)
    assert "1 of 3" in str(caught.value)


@pytest.mark.slow
def test_too_many_operators_are_refused_before_any_is_made(tuned):
    @pipeline_def(batch_size=1, num_threads=1)
    def small():
        return types.Constant(1.0) + types.Constant(2.0)

    document = load(small().serialize())
    document["nodes"] *= 1000
    tuned(serialized_graph, MAX_NODES=1000)
    with pytest.raises(SerializationError, match=r"has [0-9],000 operators; one of 1,000"):
        Pipeline.deserialize(dump(document))
    tuned(serialized_graph, MAX_NODES=1)
    with pytest.raises(SerializationError, match="operators; one of 1 at most can be stored"):
        small().serialize()


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_pipeline_cannot_be_copied(way):
    pipe = Pipeline(1, num_threads=1)
    with pytest.raises(TypeError, match=r"cannot be copied or pickled\. Call its definition again"):
        way(pipe)


def test_pickles_need_cloudpickle(monkeypatch):
    monkeypatch.setitem(sys.modules, "cloudpickle", None)
    with pytest.raises(MissingDependencyError, match=r"cloudpickle.*pip install '.*\[pickle\]'"):
        fed(lambda: 1).serialize(allow_pickle=True)


@pytest.mark.parametrize("given", [(), (b"", "file")])
def test_bytes_or_a_file_are_given(given):
    with pytest.raises(ValueError, match=r"mutually exclusive\. Precisely one of them"):
        Pipeline.deserialize(*given)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError):
        Pipeline.deserialize(filename=tmp_path / "absent")


def document():
    pipe = pipeline_def(arithmetic, batch_size=2, num_threads=1, seed=1)("")
    return load(pipe.serialize())


def add_branch(whole, **fields):
    branch = {"condition": [0, 0], "wanted": True, "outer": None, "statement": "x"} | fields
    whole["branches"].append(branch)
    return 0


def changed(change):
    whole = document()
    change(whole)
    return dump(whole)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.pop("nodes"), "'nodes' must be a JSON array, but is None"),
        (lambda d: d.update(outputs=[]), "has no outputs"),
        (lambda d: d.update(output_names="image"), "outputs, but their names are 'image'"),
        (lambda d: d.update(output_names=["a"] * 9), r"outputs, but their names are \['a'"),
        (lambda d: d.update(output_names=[1] * len(d["outputs"])), "outputs of one name|the key 1"),
        (lambda d: d.update(output_names=["", *"ab"[: len(d["outputs"]) - 1]]), "has the key ''"),
        (lambda d: d.update(outputs=[[99, 0]]), r"takes \[99, 0\], which is no data"),
        (lambda d: d.update(outputs=[[0, 7]]), "takes output 7 of node 0, which has 1 outputs"),
        (lambda d: d.update(outputs=[[0, -1]]), "takes output -1 of node 0"),
        (lambda d: d.update(outputs=[[True, 0]]), "no data of an earlier node"),
        (lambda d: d.pop("options"), "has no arguments"),
        (lambda d: d["options"].update(speed=3), "the argument 'speed', which this release"),
        (lambda d: d["options"].update(seed={"type": "pickle"}), "an argument .* a pickled object"),
        (lambda d: d["options"].update(batch_size=-1), "batch_size must be a positive int"),
        (lambda d: d["nodes"].insert(0, 5), "node 0 of the stored pipeline is no JSON object"),
        (lambda d: d["nodes"][0].pop("name"), "node 0 .*'name' must be a JSON string"),
        (lambda d: d["nodes"][0].update(operator="my.own"), "import the module that registers"),
        (lambda d: d["nodes"][0].update(operator="ssd_random_crop"), "consists of others"),
        (lambda d: d["nodes"][1].update(name=d["nodes"][0]["name"]), "two operators are named"),
        (lambda d: d["nodes"][2].update(inputs=[[2, 0]]), "no data of an earlier node"),
        (lambda d: d["nodes"][0].update(device="tpu"), "runs on cpu"),
        (lambda d: d["nodes"][0].update(branch=0), "in the branch 0, which is not stored"),
        (lambda d: d["nodes"][1].update(branch=add_branch(d, outer=0)), "in the branch 0, which"),
        (lambda d: d["nodes"][1].update(branch=add_branch(d, condition=[1, 0])), "no data of an"),
        (lambda d: d["nodes"][1].update(branch=add_branch(d, wanted=1)), "must be a JSON true or"),
        (lambda d: d["nodes"][1]["constants"].update(shape="big"), "'shape' must be"),
        (lambda d: d["nodes"][1]["constants"].update(shape={"type": "?"}), "'shape' is the type"),
        (lambda d: d["nodes"][1]["constants"].update(colour=1), "no argument 'colour'"),
    ],
)
def test_a_changed_file_is_refused(change, message):
    with pytest.raises(PenstockError, match=message):
        Pipeline.deserialize(changed(change))


def mutated(value, choose, depth=0):
    """Return JSON with one part replaced, dropped or repeated."""
    odd = [
        None,
        -1,
        1 << 65,
        0.5,
        "",
        "x",
        [],
        {},
        {"type": "tuple"},
        {"type": "pickle", "data": ""},
    ]
    if depth > choose.randrange(1, 7) or not isinstance(value, list | dict) or not value:
        return choose.choice(odd)
    value = copy.copy(value)
    key = choose.choice(sorted(value) if isinstance(value, dict) else range(len(value)))
    if choose.random() < 0.1:
        del value[key]
    else:
        value[key] = mutated(value[key], choose, depth + 1)
    return value


def test_files_that_were_changed_at_random_raise_errors_of_penstock():
    choose = random.Random(3)
    whole = document()
    refused = 0
    for _ in range(300):
        data = dump(json.loads(json.dumps(mutated(whole, choose))))
        try:
            Pipeline.deserialize(data).close()
        except (PenstockError, TypeError) as error:
            refused += isinstance(error, PenstockError)
    assert refused > 200


def test_a_pickle_runs_only_when_it_is_allowed():
    class Trap:
        def __reduce__(self):
            return warnings.warn, ("the pickle runs", UserWarning)

        def __call__(self):
            raise StopIteration

    data = fed(Trap()).serialize(allow_pickle=True)
    with pytest.raises(SerializationError, match="allow_pickle=True"):
        Pipeline.deserialize(data)
    whole = load(data)
    whole["nodes"][0]["constants"]["source"] = [
        {"type": "dict", "items": [["a", {"type": "pickle"}]]}
    ]
    with pytest.raises(SerializationError, match="allow_pickle=True"):
        Pipeline.deserialize(dump(whole))
    with pytest.warns(UserWarning, match="the pickle runs"):
        Pipeline.deserialize(data, allow_pickle=True).close()
