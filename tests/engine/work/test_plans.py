"""Plans for the layouts with which data come: what they share, and what is made anew."""

from __future__ import annotations

from contextlib import ExitStack

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.engine.errors import LayoutError
from penstock.engine.graph.operator import SampleOperator
from penstock.engine.graph.params import FLOAT, param
from penstock.engine.work.plans import Plans

from ..toys import call


class Closed(SampleOperator):
    """Notes the layouts of the operators that are closed, and gives a random number."""

    name = "toy.closed"
    inputs = ("data",)
    random_count = 1
    factor = param(FLOAT, 1.0, "Factor of the number.")
    layouts_closed: list[str]

    def sample(self, workspace, data):
        return workspace.random * self.factor

    def close(self):
        self.layouts_closed.append(self.layouts[0])


@pytest.fixture
def closed(monkeypatch):
    layouts = []
    monkeypatch.setattr(Closed, "layouts_closed", layouts, raising=False)
    return layouts


@pytest.fixture
def planned():
    """Return a function that gives the plan of a pipeline, and the operator of its external source.

    The pipelines are closed after the test, not by the collector within another one.
    """
    with ExitStack() as pipes:

        def plan(define):
            pipe = Pipeline(2, 1, None, seed=5)
            pipes.callback(pipe.close)
            with pipe:
                data = fn.external_source(name="data")
                pipe.set_outputs(define(data))
            pipe.build()
            return pipe._as_built().plan, data.node.operator

        yield plan


def plan_of(plans, source, rows, layout=""):
    source.feed(rows, layout)
    source.fetch(0, 2)
    return plans.plan_for(0)


def operators(plan):
    return [node.operator for node in plan.nodes]


def test_operators_of_the_same_layouts_are_shared(planned):
    plan, source = planned(lambda data: fn.cast(data, dtype=np.float32))
    plans = Plans(plan)
    assert plan_of(plans, source, [np.zeros((2, 3))]) is plans.declared
    assert plan_of(plans, source, [np.zeros((2, 3, 4))]) is plans.declared


def test_each_layout_has_a_plan_which_is_kept(planned):
    plan, source = planned(lambda data: fn.flip(fn.cast(data, dtype=np.float32)))
    plans = Plans(plan)
    first = plan_of(plans, source, [np.zeros((2, 3))], "HW")
    second = plan_of(plans, source, [np.zeros((2, 3))], "WH")
    assert first is not second
    assert plan_of(plans, source, [np.zeros((5, 3))], "HW") is first
    assert [operator.layouts for operator in operators(first)] == [(), ("HW",), ("HW",)]
    assert [operator.layouts for operator in operators(second)] == [(), ("WH",), ("WH",)]
    assert operators(first)[0] is operators(second)[0] is source
    chains = [chain.number for chain in plans.chains()]
    assert len(set(chains)) == len(chains) == 3


def test_the_number_of_dimensions_decides_about_assumed_layouts(planned):
    plan, source = planned(lambda data: fn.cast(fn.flip(data), dtype=np.float32))
    plans = Plans(plan)
    for shape, layout in (((2, 3), "HW"), ((2, 3, 4), "HWC"), ((2, 3, 4, 5), "FHWC")):
        assert plan_of(plans, source, [np.zeros(shape)]).layouts == (layout,)
    assert plan_of(plans, source, []) is plans.declared


def test_an_operator_with_a_problem_has_no_chain(planned):
    plan, source = planned(lambda data: fn.cat(data, data, axis_name="W"))
    plans = Plans(plan)
    assert not list(plans.chains())
    with pytest.raises(LayoutError, match="no axis 'W'") as caught:
        plan_of(plans, source, [np.zeros((2, 3))])
    assert any(__file__ in note for note in caught.value.__notes__)
    assert plan_of(plans, source, [np.zeros((2, 3))], "HW").layouts == ("HW",)
    assert len(list(plans.chains())) == 1


def test_operators_are_closed_once(closed, planned):
    plan, source = planned(lambda data: call(Closed, data))
    plans = Plans(plan)
    for layout in ("HW", "WH", "HW"):
        plan_of(plans, source, [np.zeros((2, 3))], layout)
    plans.close()
    plans.close()
    assert sorted(filter(None, closed)) == ["HW", "WH"]


def test_random_numbers_are_the_same_for_all_layouts(closed):
    def numbers(layout):
        with Pipeline(2, 1, None, seed=5) as pipe:
            pipe.set_outputs(call(Closed, fn.external_source(name="data"), factor=3.0))
        with pipe:
            pipe.feed_input("data", np.zeros((2, 4, 3)), layout=layout)
            return pipe.run()[0].as_array().tolist()

    assert numbers("HW") == numbers("WH") == numbers(None)
