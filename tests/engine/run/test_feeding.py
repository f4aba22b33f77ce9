"""Which external source is fed, which one starves, and how their data enter a batch."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from penstock import ArgumentError
from penstock.engine.run.feeding import fed_source, fetch_sources, unfed_source
from penstock.engine.tensors.memory import SlabPool
from penstock.engine.work.batch import Batch

from ..toys import Feed, Numbers, call, make


def built():
    pipe = make(lambda: (call(Feed, name="x"), call(Feed, name="y"), call(Numbers, name="z")[0]))
    pipe.build()
    return pipe, pipe._as_built().plan


def test_a_source_is_found_by_name_and_by_node():
    pipe, plan = built()
    assert fed_source(plan, "y").node.name == "y"
    assert fed_source(plan, pipe._definition.outputs[0]).node.name == "x"
    with pytest.raises(ArgumentError, match=r"named 'z'; there are \['x', 'y'\]"):
        fed_source(plan, "z")


def test_the_first_source_with_too_few_batches_is_named():
    _, plan = built()
    assert unfed_source(plan, 0) == "x"
    fed_source(plan, "x").operator.feed(np.zeros((2, 1)), None, None)
    assert unfed_source(plan, 0) == "y"
    fed_source(plan, "y").operator.feed(np.zeros((2, 1)), None, None)
    assert unfed_source(plan, 0) == ""
    assert unfed_source(plan, 1) == "x"


def test_a_source_that_waits_for_data_never_starves():
    _, plan = built()
    for source in plan.sources:
        source.operator.waits_for_feed = True
    assert unfed_source(plan, 3) == ""


def sized(*sizes, reader=False):
    def define():
        nodes = [
            call(Feed, name=f"x{i}", source=lambda n, size=size: np.zeros((size, 1)))
            for i, size in enumerate(sizes)
        ]
        return (*nodes, *([call(Numbers, name="z")[1]] if reader else []))

    pipe = make(define)
    pipe.build()
    return pipe._as_built().plan, Batch(0, 4, SlabPool(shared=False), 1)


def test_sources_decide_the_size_and_leave_their_state():
    plan, batch = sized(3, 3)
    assert fetch_sources(plan, batch, Counter()) == 3
    assert batch.user_state == {"x0": 1, "x1": 1}


def test_inputs_that_differ_in_size_are_named():
    plan, batch = sized(3, reader=True)
    with pytest.raises(ArgumentError, match=r"\{'z': 4, 'x0': 3\}"):
        fetch_sources(plan, batch, Counter())


def test_an_error_of_a_source_names_it():
    plan, batch = sized(3)
    plan.sources[0].operator.source = lambda n: 1 / 0
    with pytest.raises(ZeroDivisionError) as caught:
        fetch_sources(plan, batch, Counter())
    assert "input of batch 0" in caught.value.__notes__[0]
