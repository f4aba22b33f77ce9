"""Python's operators on nodes, as names of functions."""

from __future__ import annotations

import operator as python

import pytest

from penstock.engine.graph.node_arithmetic import NodeArithmetic


class Recorded(NodeArithmetic):
    """Says which function is asked for."""

    def _binary(self, function, other, *, swapped=False):
        return function, other, swapped

    def _unary(self, function):
        return function


BINARY = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift"]


@pytest.mark.parametrize("name", BINARY)
def test_operators_from_both_sides(name):
    function = getattr(python, name)
    assert function(Recorded(), 2) == (name, 2, False)
    assert function(2, Recorded()) == (name, 2, True)


@pytest.mark.parametrize("name", ["and", "or", "xor"])
def test_bitwise_operators(name):
    function = getattr(python, f"__{name}__")
    assert function(Recorded(), 2) == (name, 2, False)
    assert function(2, Recorded()) == (name, 2, True)


@pytest.mark.parametrize("name", ["lt", "le", "gt", "ge", "eq", "ne"])
def test_comparisons(name):
    assert getattr(python, name)(Recorded(), 2) == (name, 2, False)


def test_unary_operators():
    assert (-Recorded(), ~Recorded(), abs(Recorded())) == ("neg", "invert", "abs")
    assert len({Recorded(), Recorded()}) == 2
