"""Nodes: what can be done with them, and what is refused in a definition."""

from __future__ import annotations

import operator as python

import numpy as np
import pytest

from penstock import ArgumentError, fn
from penstock.engine.graph import Graph, current_graph, defining

from .toys import Add, Affine, Numbers, Split, call, make, run


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
    node = fn.apply(Numbers, (), {}, "mine")[0].node
    assert node.made_at.startswith(f"{__file__}:")
    assert str(node) == f"fn.toy.numbers ('mine', made at {node.made_at})"


@pytest.mark.parametrize("count", [0, 1, 3])
def test_the_number_of_inputs_is_checked(graph, count):
    data, _ = call(Numbers)
    with pytest.raises(ArgumentError, match=rf"takes the inputs \(x, y\), but was given {count}"):
        call(Add, *[data] * count)


def test_a_node_is_neither_true_nor_iterable(graph):
    data, _ = call(Numbers)
    with pytest.raises(TypeError, match="neither true nor false"):
        bool(data)
    with pytest.raises(TypeError, match="neither true nor false"):
        assert data == data
    with pytest.raises(TypeError, match="cannot be unpacked"):
        iter(data)
    assert len({data, data}) == 1


def test_devices_are_checked(graph):
    data, labels = call(Numbers)
    with pytest.raises(ArgumentError, match="is on the GPU"):
        call(Affine, data.gpu())
    with pytest.raises(ArgumentError, match="named arguments must be on the CPU"):
        call(Affine, data, a=labels.gpu())
    with pytest.raises(ArgumentError, match="not on 'gpu'"):
        call(Affine, data, device="gpu")
    assert data.cpu() is data
    assert data.gpu().gpu().device == "gpu"
    assert data.gpu().cpu().device == "cpu"


def test_definitions_nest_and_end():
    outer, inner = Graph(), Graph()
    with defining(outer):
        with defining(inner):
            assert current_graph("x") is inner
        assert current_graph("x") is outer
    with pytest.raises(ArgumentError, match="x was called outside"):
        current_graph("x")


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
    with pytest.raises(ArgumentError, match="outside"):
        call(Numbers)
