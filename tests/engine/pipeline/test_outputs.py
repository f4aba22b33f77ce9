"""What a definition may return, and what its author declares of it."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import ArgumentError, Pipeline, types

from ..toys import Call, Numbers, call, make


def images():
    data, labels = call(Numbers)
    picture = call(Call, data, function=lambda row, x: np.zeros((2, 2, 3), np.uint8), layout="HWC")
    return picture, labels


def test_what_is_as_declared_passes():
    options = {"output_dtype": [types.UINT8, np.int32], "output_ndim": [3, 0]}
    with make(images, **options, output_layout=["HWC", ""]) as pipe:
        assert pipe.run()[0].layout() == "HWC"
    with make(lambda: images()[1], output_dtype=types.INT32, output_ndim=0) as pipe:
        pipe.run()
    with make(images, output_ndim=[None, 0]) as pipe:
        pipe.run()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"output_dtype": types.FLOAT}, "output 0 .* has dtype .*UINT8.*declares .*FLOAT"),
        ({"output_ndim": [3, 1]}, "output 1 .* has ndim 0"),
        ({"output_layout": ["CHW", None]}, "output 0 .* has layout 'HWC'.*'CHW'"),
        ({"output_ndim": [3]}, "output_ndim lists 1 values for 2 outputs"),
        ({"output_dtype": ["x", None]}, "no element type"),
    ],
)
def test_what_is_not_as_declared_is_named(options, message):
    pipe = make(images, **options)
    with pytest.raises(ArgumentError, match=message):
        pipe.run()
    pipe.close()


def test_a_definition_returns_something():
    with pytest.raises(ArgumentError, match="no output"):
        make(lambda: ())


def test_nested_outputs_are_explained():
    with pytest.raises(ArgumentError, match="output 0 of the pipeline is a list of nodes"):
        make(lambda: (call(Numbers), 5))


def test_a_dict_gives_names_to_the_outputs():
    with make(lambda: dict(zip(("label", "image"), images(), strict=True))) as pipe:
        assert pipe.output_names == ("label", "image")
        assert [output.layout() for output in pipe.run()] == ["HWC", ""]
    with make(lambda: images()) as pipe:
        assert pipe.output_names is None


@pytest.mark.parametrize("way", ["dict", "by name", "class"])
def test_all_ways_to_define_a_pipeline_take_names(way):
    def outputs():
        return {"first": call(Numbers)[0], "constant": 3}

    class Defined(Pipeline):
        def define_graph(self):
            return outputs()

    pipe = (Defined if way == "class" else Pipeline)(batch_size=2, num_threads=1)
    with pipe:
        if way == "dict":
            pipe.set_outputs(outputs())
        elif way == "by name":
            pipe.set_outputs(**outputs())
        assert pipe.output_names == ("first", "constant")
        assert pipe.run()[1].as_array().tolist() == [3, 3]
    pipe.close()


def test_names_of_outputs_are_all_or_none():
    pipe = Pipeline(batch_size=2, num_threads=1)
    with pipe, pytest.raises(ArgumentError, match=r"1 output.* without a name, and others named b"):
        pipe.set_outputs(1, b=2)


@pytest.mark.parametrize(
    ("outputs", "error", "message"),
    [
        ({}, ArgumentError, "no output"),
        ({1: 2}, ArgumentError, "has the key 1, but the keys of a dict of outputs must be names"),
        ({"": 2}, ArgumentError, "has the key ''"),
        ({"image": None}, ArgumentError, "output 'image' of the pipeline is None"),
        ({"image": {"x": 1}}, ArgumentError, "output 'image' of the pipeline is a dict of x; "),
        (({"x": 1}, 2), ArgumentError, "output 0 of the pipeline is a dict of x; return one dict"),
        ({"image": object()}, ArgumentError, "output 'image' of the pipeline is neither data nor"),
        ({"image": "text"}, ArgumentError, "output 'image' of the pipeline is neither data nor"),
    ],
)
def test_what_is_no_data_is_refused(outputs, error, message):
    with pytest.raises(error) as caught:
        make(lambda: outputs)
    caught.match(message)


def test_nodes_in_a_named_output_are_explained():
    with pytest.raises(ArgumentError, match=r"output 'x' .* list of nodes; give each node a name"):
        make(lambda: {"x": call(Numbers)})


def test_numbers_and_arrays_become_outputs():
    pipe = Pipeline(batch_size=2, num_threads=1)
    with pipe:
        pipe.set_outputs(3, np.arange(2), [1.5])
    with pipe:
        assert [output.as_array().tolist() for output in pipe.run()] == [
            [3, 3],
            [[0, 1]] * 2,
            [[1.5]] * 2,
        ]
