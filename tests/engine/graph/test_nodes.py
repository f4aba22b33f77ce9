"""Nodes: what can be done with them, and what is refused in a definition."""

from __future__ import annotations

import operator as python
from collections.abc import Iterable

import numpy as np
import pytest

from penstock import ArgumentError, Pipeline, fn, types
from penstock.engine.graph.functions import apply
from penstock.engine.graph.nodes import Graph, add_node, current_graph, defining
from penstock.engine.graph.operator import CompositeOperator, param
from penstock.engine.graph.params import FLOAT

from ..toys import (
    Add,
    Affine,
    Noise,
    Numbers,
    Reverse,
    Split,
    assert_same,
    call,
    make,
    rows_of,
    run,
)


@pytest.fixture
def graph():
    graph = Graph()
    with defining(graph):
        yield graph


def test_nodes_have_names_of_their_own(graph):
    data, labels = call(Numbers)
    assert (data.name, labels.name) == ("toy_numbers_0[0]", "toy_numbers_0[1]")
    assert call(Affine, data).name == "toy_affine_1"
    assert call(Affine, data, name="toy_affine_3").name == "toy_affine_3"
    assert call(Affine, data).name == "toy_affine_4"  # 3 is taken
    with pytest.raises(ArgumentError, match="two operators are named 'toy_affine_3'"):
        call(Affine, data, name="toy_affine_3")
    assert repr(data) == "DataNode('toy_numbers_0[0]', device='cpu')"


def test_the_definition_s_line_is_the_user_s(graph):
    node = apply(Numbers, (), {}, "mine")[0].node
    assert node.made_at.startswith(f"{__file__}:")
    assert str(node) == f"fn.toy.numbers ('mine', made at {node.made_at})"


class Twice(CompositeOperator):
    """x * factor + x, of two parts."""

    name = "toy.twice"
    inputs = ("x",)
    factor = param(FLOAT, 2.0, "Factor.")

    def compose(self, name, x):
        (product,) = add_node(Affine, (x,), {"a": self.factor})
        return add_node(Add, (product, x), {}, name=name)


def test_an_operator_of_several_parts_is_their_nodes():
    def define():
        data, _ = call(Numbers)
        return data, call(Twice, data, factor=3, name="mine")

    ((data, result),) = run(define, 1)
    assert_same(result, [3.0 * row + row for row in data])


def test_parts_are_made_where_the_user_made_the_operator(graph):
    result = call(Twice, call(Numbers)[0], name="mine")
    assert [node.name for node in graph.nodes] == ["toy_numbers_0", "toy_affine_1", "mine"]
    assert result.node is graph.nodes[-1]
    with pytest.raises(ArgumentError, match=r"fn\.toy\.twice has no argument"):
        call(Twice, result, factors=3)
    with pytest.raises(ArgumentError, match="the same for all samples"):
        call(Twice, result, factor=result)
    with pytest.raises(ArgumentError, match=r"expects the inputs \(x\), but got 2"):
        call(Twice, result, result)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_the_number_of_inputs_is_checked(graph, count):
    data, _ = call(Numbers)
    with pytest.raises(ArgumentError, match=rf"expects the inputs \(x, y\), but got {count}"):
        call(Add, *[data] * count)


def test_a_node_is_neither_true_nor_iterable(graph):
    data, _ = call(Numbers)
    with pytest.raises(TypeError, match="neither true nor false"):
        bool(data)
    with pytest.raises(TypeError, match="neither true nor false"):
        assert data == data
    assert not isinstance(data, Iterable)
    with pytest.raises(TypeError, match="not iterable") as raised, defining(graph):
        _, _ = data
    assert "cannot be unpacked" in raised.value.__notes__[0]
    with pytest.raises(TypeError, match=r"no array.*fn\.python_function"):
        np.asarray(data)
    assert len({data, data}) == 1


def test_definitions_nest_and_end():
    outer, inner = Graph(), Graph()
    with defining(outer):
        with defining(inner):
            assert current_graph() is inner
        assert current_graph() is outer
    assert current_graph() is None


BINARY = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lt", "le", "gt", "ge", "eq"]
WHOLE = ["and_", "or_", "xor", "lshift", "rshift"]


@pytest.mark.parametrize("name", [*BINARY, "ne", *WHOLE])
def test_binary_operators_from_both_sides(name):
    function = getattr(python, name)

    def define():
        _, labels = call(Numbers)
        labels = labels + 1
        return function(labels, 2), function(2, labels), function(labels, labels)

    for i, (left, right, both) in enumerate(zip(*run(define, 1)[0], strict=True)):
        n = i + 1
        for got, (a, b) in ((left, (n, 2)), (right, (2, n)), (both, (n, n))):
            np.testing.assert_allclose(got, function(a, b), rtol=1e-6)


def test_unary_operators_and_arrays_from_the_left():
    def define():
        _, labels = call(Numbers)
        return -labels, +labels, ~labels, abs(labels - 2), np.array([1, 2]) * labels

    negative, same, inverted, distance, scaled = run(define, 1)[0]
    assert [int(row) for row in negative] == [0, -1, -2, -3]
    assert [int(row) for row in same] == [0, 1, 2, 3]
    assert [int(row) for row in inverted] == [-1, -2, -3, -4]
    assert [int(row) for row in distance] == [2, 1, 0, 1]
    assert [row.tolist() for row in scaled] == [[0, 0], [1, 2], [2, 4], [3, 6]]


def test_a_definition_that_fails_raises_what_it_raised():
    def define():
        first, _ = call(Split, call(Numbers)[0])
        raise ZeroDivisionError(first.name)

    with pytest.raises(ZeroDivisionError, match=r"toy_split_1\[0\]"):
        make(define)
    assert current_graph() is None


def test_nodes_made_outside_of_a_definition_are_those_of_one():
    def define():
        data, labels = call(Numbers)
        noisy = call(Noise, data)
        return call(Affine, noisy, a=labels, name="mine"), types.Constant([1, 2]), noisy + 1

    with make(define) as inside:
        wanted = rows_of(inside.run())
        names = [node.name for node in inside._as_defined().graph.nodes]

    outputs = define()
    assert outputs[0].name == "mine"
    assert outputs[2].node.ordinal == -1
    with Pipeline(batch_size=4, num_threads=2, seed=11) as outside:
        pass
    outside.set_outputs(*outputs)
    assert [node.name for node in outside._as_defined().graph.nodes] == names
    assert_same(rows_of(outside.run()), wanted)
    outside.close()


def test_nodes_made_outside_may_be_used_inside():
    factor = fn.random.uniform(range=(2, 3))

    def define():
        return call(Affine, call(Numbers)[0], a=factor), factor

    with make(define) as pipe:
        scaled, factors = pipe.run()
    for i, (row, number) in enumerate(zip(scaled.rows(), factors.rows(), strict=True)):
        np.testing.assert_allclose(row, np.float32(number) * i)
    with pytest.raises(ArgumentError, match="belongs to another pipeline"):
        make(lambda: factor)


def test_outputs_are_adopted_in_the_order_in_which_nodes_were_made():
    def define():
        first, second = fn.random.uniform(), fn.random.uniform()
        return second, first

    with make(define) as inside:
        wanted = rows_of(inside.run())
    outputs = define()
    pipe = Pipeline(batch_size=4, num_threads=2, seed=11)
    pipe.set_outputs(*outputs)
    with pipe:
        assert_same(rows_of(pipe.run()), wanted)
    assert [output.name for output in outputs] == ["random_uniform_1", "random_uniform_0"]


def test_constants_made_outside_serve_several_pipelines():
    three, on_gpu = types.Constant(3), types.Constant(4, device="gpu")
    for _ in range(2):
        with make(lambda: (call(Numbers)[1] * three, three)) as pipe:
            scaled, constant = pipe.run()
        assert [int(row) for row in scaled.rows()] == [0, 3, 6, 9]
        assert constant.as_array().tolist() == [3] * 4
        node = make(lambda: on_gpu + 1)._as_defined().graph.nodes[-1]
        assert [data.device for data in node.inputs] == ["gpu", "cpu"]


def test_a_node_may_be_extended_after_the_definition():
    pipe = Pipeline(batch_size=4, num_threads=1)
    with pipe:
        data, _ = call(Numbers)
    pipe.set_outputs(call(Reverse, data))
    assert len(pipe.run()[0]) == 4
    pipe.close()


def test_two_of_one_name_are_refused_when_they_are_adopted():
    nodes = [call(Numbers, name="one")[0], call(Numbers, name="one")[0]]
    with pytest.raises(ArgumentError, match="two operators are named 'one'"):
        Pipeline(batch_size=1).set_outputs(*nodes)
    with pytest.raises(ArgumentError, match="name must be str, but is 5"):
        call(Numbers, name=5)


def test_an_operator_without_outputs_needs_a_definition():
    with pytest.raises(ArgumentError, match="has no output"):
        fn.python_function(types.Constant(1), function=len, num_outputs=0)


def test_an_external_source_made_outside_is_fed():
    fed = fn.external_source(name="fed")
    constants = [types.Constant(2, device="cpu"), fn.full(7, shape=(2,))]
    with Pipeline(batch_size=2, num_threads=1) as pipe:
        pass
    pipe.set_outputs(fed * constants[0], constants[1])
    pipe.feed_input(fed, np.array([1, 2]))
    doubled, sevens = pipe.run()
    assert doubled.as_array().tolist() == [2, 4]
    assert sevens.as_array().tolist() == [[7, 7]] * 2
    pipe.close()


def test_lists_of_nodes_are_no_operands(graph):
    pair = call(Numbers)
    for pairs in ([*pair], pair):
        with pytest.raises(TypeError, match=f"a {type(pairs).__name__} of nodes"):
            pair[0] + pairs
