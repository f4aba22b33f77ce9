"""Declarations of operators, their arguments, and the table in which they stand."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import ArgumentError
from penstock.engine.graph.operator import (
    OPERATORS,
    BatchOperator,
    CompositeOperator,
    SampleOperator,
    check_declaration,
    param,
    register,
)
from penstock.engine.graph.operator_base import COMMON
from penstock.engine.graph.params import FLOAT, INT, REQUIRED
from penstock.engine.graph.rules import BatchRules, Input

from ..toys import Affine, Numbers, call, make, run


class Base(SampleOperator):
    """A base with arguments."""

    name = "toy.base"
    devices = ("cpu",)
    size = param(INT, REQUIRED, "Size.")
    scale = param(FLOAT, 1.0, "Scale.", per_sample=True)


class Derived(Base):
    """A subclass that changes one and adds one."""

    name = "toy.derived"
    size = param(INT, 4, "Size.")
    more = param(INT, 1, "More.")

    def prepare(self):
        if self.size < self.more:
            raise ArgumentError("size must not be below more")


def test_arguments_are_inherited_and_overridden():
    assert list(Base.params) == ["size", "scale"]
    assert list(Derived.params) == ["size", "scale", "more"]
    operator = Derived(more=2)
    assert (operator.size, operator.scale, operator.more, operator.seed) == (4, 1.0, 2, -1)
    assert operator.given == {"more"}
    assert not hasattr(Derived, "size")


def test_arguments_are_checked():
    with pytest.raises(ArgumentError, match="'size' must be given"):
        Base()
    with pytest.raises(ArgumentError, match=r"no argument 'colour'; there are .*more.*scale"):
        Derived(colour=1)
    with pytest.raises(ArgumentError, match="not on 'gpu'"):
        Derived("gpu")
    with pytest.raises(ArgumentError, match="size must not be below"):
        Derived(more=9)
    with pytest.raises(ArgumentError, match="'more' is the same for all samples"):
        Derived(per_sample=["more"])


def test_an_argument_per_sample_is_no_attribute():
    operator = Derived(per_sample=["scale"])
    assert not hasattr(operator, "scale")
    assert operator.given == {"scale"}


def test_a_name_is_taken_once():
    name = next(iter(OPERATORS))

    class Twin(BatchOperator):
        """A second one."""

        def batch(self, batch):
            return np.zeros(batch.size)

    Twin.name = name
    with pytest.raises(ArgumentError, match=r"Twin \(.*test_operator.py:\d+\): .* already"):
        register(Twin)


def declared(**content):
    """Return an operator class with a name, a docstring and this content."""
    return type("Toy", (SampleOperator,), {"name": "toy.declared", "__doc__": "Does.", **content})


def twice(self, workspace, x, *, factor=2):
    return factor * x


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"name": None}, "needs a `name`"),
        ({"__doc__": " "}, "needs a docstring"),
        ({"devices": ()}, "`devices` must name some of cpu, mixed and gpu"),
        ({"devices": ("cuda",)}, "`devices` must name some of cpu, mixed and gpu"),
        ({}, "its devices are cpu, so it needs a method `sample`"),
        ({"__abstractmethods__": {"b", "a"}}, "needs the methods a, b of its abstract base"),
        ({"sample": twice}, r"`sample` is called with .* the inputs \(none\)"),
        ({"sample": twice, "inputs": ("x", "y")}, "too many positional arguments"),
        (
            {"sample": twice, "inputs": ("x", Input("y", many=True))},
            "too many positional arguments",
        ),
        (
            {"sample": twice, "inputs": (Input("x", optional=True),)},
            "missing a required argument: 'x'",
        ),
        ({"sample": twice, "inputs": ("x",), "devices": ("cpu", "gpu")}, "method `batch_gpu`"),
        (
            {"sample": twice, "inputs": ("x",), "cpu_inputs": ("x",)},
            r"`cpu_inputs` is no longer .* `inputs = \(\.\.\., Input\(name, device=\"cpu\"\)\)`",
        ),
        (
            {"sample": twice, "inputs": ("x",), "a": param(INT, 1, "A.", per_sample=True)},
            r"may vary by sample \(a\) as keywords.*unexpected keyword argument 'a'",
        ),
    ],
)
def test_a_declaration_that_lacks_something_is_refused(content, message):
    with pytest.raises(ArgumentError, match=message) as caught:
        register(declared(**content))
    assert str(caught.value).startswith("operator class ")
    assert "toy.declared" not in OPERATORS


def test_an_operator_of_several_parts_needs_to_compose_them():
    content = {"name": "toy.composite", "__doc__": "Does.", "inputs": ("x",)}
    with pytest.raises(ArgumentError, match="needs a method `compose`"):
        check_declaration(type("Toy", (CompositeOperator,), content))
    with pytest.raises(ArgumentError, match=r"`compose` is called with .* too many positional"):
        check_declaration(
            type("Toy", (CompositeOperator,), {**content, "compose": lambda self, x: ()})
        )
    check_declaration(
        type("Toy", (CompositeOperator,), {**content, "compose": lambda self, name, x: ()})
    )


def test_a_complete_declaration_is_accepted():
    factor = param(INT, 2, "Factor.", per_sample=True)
    check_declaration(declared(sample=twice, inputs=("x",), factor=factor))
    check_declaration(Numbers)
    check_declaration(Affine)
    assert "toy.numbers" not in OPERATORS


def test_an_argument_may_have_the_name_of_a_method():
    class Whole(BatchOperator):
        """Has an argument that is named like its work function."""

        name = "toy.whole_batch"
        whole = param(INT, 1, "Number.", name="batch")

        def batch(self, batch):
            return np.full(batch.size, self.whole)

    assert list(Whole.params) == ["batch"]
    operator = Whole(batch=3)
    assert operator.whole == 3
    assert callable(operator.batch)


@pytest.mark.parametrize("name", sorted(OPERATORS))
def test_every_operator_is_declared_properly(name):
    kind = OPERATORS[name]
    assert kind.__doc__
    assert set(kind.devices) <= {"cpu", "mixed", "gpu"}
    assert name in (kind.name, *kind.aliases)
    assert not set(kind.params) & (set(COMMON) | {"device", "name"})
    for argument, declared in kind.params.items():
        assert declared.doc.endswith("."), argument
    assert not any(each.many for each in kind.declared_inputs[:-1])
    on_gpu = {"gpu", "mixed"} & set(kind.devices)
    if on_gpu and not kind.on_gpu.copies_results and not issubclass(kind, CompositeOperator):
        assert callable(getattr(kind, "batch_gpu", None))


def test_layouts_are_those_of_the_first_input():
    def define():
        with_layout = call(Affine, call(Numbers)[0])
        with_layout.layout = "X"
        return call(Affine, with_layout), call(Affine, call(Numbers)[0])

    with make(define) as pipe:
        assert [output.layout() for output in pipe.run()] == ["X", ""]


def test_arguments_from_data_that_do_not_fit_name_the_sample():
    def define():
        data, _ = call(Numbers)
        return call(Affine, data, a=data)  # three numbers, where one is wanted

    with pytest.raises(ArgumentError, match=r"'a' must be float, but is array") as caught:
        run(define, 1)
    assert "sample 0 of batch 0" in "\n".join(caught.value.__notes__)


def test_arguments_from_data_that_overflow_name_the_sample():
    class Whole(Affine):
        """Takes a whole number."""

        name = "toy.whole"
        a = param(INT, 1, "Factor.", per_sample=True)

    def define():
        data, labels = call(Numbers)
        return call(Whole, data, a=call(Affine, labels, b=1e300))

    with pytest.raises(ArgumentError, match="'a' must be int"):
        run(define, 1)


def test_operators_of_samples_treat_each_sample_alone_unless_they_say_otherwise():
    class Together(Base):
        batches = BatchRules(sample_independent=False)

    assert Base.batches.sample_independent
    assert Derived.batches.sample_independent
    assert not Together.batches.sample_independent
    assert not type("Deeper", (Together,), {}).batches.sample_independent
    assert not BatchOperator.batches.sample_independent
    assert Numbers.batches.sample_independent  # as all inputs do


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("x?", r"Input\('x', optional=True\)"),
        ("*x", r"Input\('x', many=True\)"),
        ("", r"Input\(''\)"),
    ],
)
def test_a_mark_in_the_name_of_an_input_is_refused_with_what_it_meant(name, meant):
    with pytest.raises(ArgumentError, match=f"no identifier; declare it as {meant}$"):
        type("Marked", (SampleOperator,), {"inputs": (name,)})


def test_the_last_declaration_stands_for_the_inputs_from_there_on():
    class Many(SampleOperator):
        inputs = ("first", Input("others", many=True, device="any"))

    assert [Many.input_at(i).device for i in range(4)] == ["same", "any", "any", "any"]
    assert [*map(str, Many.declared_inputs)] == ["first", "*others"]
