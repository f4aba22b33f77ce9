"""Random graphs, run by the engine and one operator and sample after the other by the test."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock import fn, types
from penstock.engine.graph.nodes import Graph, defining
from penstock.engine.order import philox
from penstock.engine.order.sampler import Sampler
from penstock.engine.work.plan import make_plan

from ..toys import (
    Add,
    Affine,
    BatchAffine,
    BatchCall,
    BatchNoise,
    Call,
    Noise,
    Numbers,
    Reverse,
    Split,
    Total,
    assert_same,
    call,
    make,
    rows_of,
)

BATCH, BATCHES, SEED, SIZE = 3, 4, 5, 7


# What each kind of operator does, as the engine's operator and as plain arithmetic on a sample.
# Sums are of whole numbers, so results are the same whatever the order.
SAMPLE_KINDS = ["affine", "add", "split", "reverse", "total", "noise", "ragged"]
BATCH_KINDS = ["batch_affine", "batch_sum", "batch_noise", "batch_pair"]


def ragged(row, x):
    return np.repeat(x.reshape(-1), 1 + int(abs(x.reshape(-1)[0])) % 2)


def pair(batch, x):
    return x, [x.row(i) + 1.0 for i in range(len(x))]


def add_operator(kind, inputs, scalars, factor):
    x, y = inputs
    s, t = scalars
    made = {
        "affine": lambda: call(Affine, x, a=s, b=t),
        "add": lambda: call(Add, s, y),
        "split": lambda: call(Split, x),
        "reverse": lambda: call(Reverse, x),
        "total": lambda: call(Total, x),
        "noise": lambda: call(Noise, x),
        "ragged": lambda: call(Call, x, function=ragged),
        "batch_affine": lambda: call(BatchAffine, x, a=s, b=factor),
        "batch_sum": lambda: call(
            BatchCall,
            x,
            function=lambda batch, v: np.array([v.row(i).sum() for i in range(len(v))]),
        ),
        "batch_noise": lambda: call(BatchNoise),
        "batch_pair": lambda: call(BatchCall, x, function=pair, count=2),
    }[kind]()
    return made if isinstance(made, list) else [made]


def evaluate(kind, inputs, scalars, factor, draw):
    """Compute one sample. `draw(count)` gives the operator's random numbers."""
    x, y = inputs
    s, t = scalars
    return {
        "affine": lambda: (x.astype(np.float64) * s.item() + t.item(),),
        "add": lambda: (s.astype(np.float64) + y,),
        "split": lambda: (x, x * np.float64(2)),
        "reverse": lambda: (x[::-1],),
        "total": lambda: (np.asarray(x.sum(), np.float64),),
        "noise": lambda: (x.astype(np.float64) + draw(3).sum(),),
        "ragged": lambda: (ragged(None, x),),
        "batch_affine": lambda: (np.asarray(s.item() * x + factor, np.float64),),
        "batch_sum": lambda: (np.asarray(x.sum()),),
        "batch_noise": lambda: (draw(1),),
        "batch_pair": lambda: (x, x + 1.0),
    }[kind]()


IS_SCALAR = {"total", "batch_sum", "batch_noise"}
OUTPUTS = {"split": 2, "batch_pair": 2}


@st.composite
def recipes(draw):
    """A list of (kind, inputs, scalar inputs, factor, used), and the outputs.

    Data are numbered as they are made: 0 and 1 are the reader's. Operators that need one
    dimension or a single number are given such data only.
    """
    shapes = ["vector", "scalar"]
    steps = []
    for _ in range(draw(st.integers(1, 9))):
        kind = draw(st.sampled_from(SAMPLE_KINDS + BATCH_KINDS))
        vectors = [i for i, shape in enumerate(shapes) if shape == "vector"]
        scalars = [i for i, shape in enumerate(shapes) if shape == "scalar"]
        inputs = draw(st.tuples(st.sampled_from(vectors), st.sampled_from(vectors)))
        small = draw(st.tuples(st.sampled_from(scalars), st.sampled_from(scalars)))
        steps.append((kind, inputs, small, float(draw(st.integers(-2, 2)))))
        shapes += ["scalar" if kind in IS_SCALAR else "vector"] * OUTPUTS.get(kind, 1)
    outputs = draw(st.lists(st.integers(0, len(shapes) - 1), min_size=1, max_size=4))
    return steps, outputs


def build(recipe):
    steps, outputs = recipe
    data = [*call(Numbers, size=SIZE, ragged=True, random_shuffle=True, preserve=True)]
    nodes = []
    for kind, inputs, scalars, factor in steps:
        made = add_operator(kind, [data[i] for i in inputs], [data[i] for i in scalars], factor)
        nodes.append(made[0].node)
        data += made
    return tuple(data[i] for i in outputs), nodes


def expected(recipe, keys):
    """Evaluate the recipe sample by sample."""
    steps, outputs = recipe
    sampler = Sampler(SIZE, BATCH, shuffle=True)
    batches = []
    for number in range(BATCHES):
        drawn = sampler.select(number)
        rows = []
        for i in range(BATCH):
            index, place = int(drawn.index[i]), slice(i, i + 1)
            values = [np.full(1 + index % 3, index, np.int64), np.asarray(index, np.int32)]
            for (kind, inputs, scalars, factor), key in zip(steps, keys, strict=True):

                def numbers(count, key=key, place=place, drawn=drawn):
                    return philox.uniform(key, drawn.epoch[place], drawn.position[place], count)[0]

                values += evaluate(
                    kind, [values[k] for k in inputs], [values[k] for k in scalars], factor, numbers
                )
            rows.append([values[k] for k in outputs])
        batches.append([list(column) for column in zip(*rows, strict=True)])
    return batches


@given(recipes(), st.sampled_from([1, 2, 5]), st.sampled_from([1, 2, 4]))
@settings(max_examples=settings().max_examples // 4)  # pipelines start
def test_random_graphs_compute_what_they_say(recipe, threads, depth):
    # With the reader's data among the outputs, it is the reader that keys the randomness.
    recipe = recipe[0], [*recipe[1], 0]
    nodes = []

    def define():
        outputs, made = build(recipe)
        nodes.extend(made)
        return outputs

    with make(
        define, batch_size=BATCH, seed=SEED, num_threads=threads, prefetch_queue_depth=depth
    ) as pipe:
        kept = [pipe.run() for _ in range(BATCHES)]
    keys = [node.operator.placement.random_key for node in nodes]
    with np.errstate(over="ignore"):
        wanted = expected(recipe, keys)
    assert_same([rows_of(batch) for batch in kept], wanted)


@given(recipes())
def test_every_step_comes_after_what_it_needs_in_segments_of_one_type(recipe):
    graph = Graph()
    with defining(graph):
        outputs, _ = build(recipe)
    plan = make_plan(graph, outputs)
    done = set()
    for segment in plan.segments:
        gone = set()
        for step in segment.steps:
            read = {key[0] for key in (*step.inputs, *(key for _, key, _ in step.arguments))}
            assert not gone & read
            gone |= {*step.done_with}
        assert gone == {step.node.ordinal for step in segment.steps if not any(step.kept)}
        for step in segment.steps:
            is_sample = hasattr(step.node.operator, "sample")
            assert segment.type == ("sample" if is_sample else "batch")
            assert {key[0] for key in step.inputs} <= done
            assert {key[0] for _, key, _ in step.arguments} <= done
            done.add(step.node.ordinal)
    assert done == {node.ordinal for node in plan.nodes}
    assert {key[0] for key in plan.outputs} <= done
    kinds = [segment.type for segment in plan.segments]
    assert all(one != other for one, other in pairwise(kinds))
    assert [data.node.name for data in plan.inputs] == ["toy_numbers_0"]


def plan_of(define):
    graph = Graph()
    with defining(graph):
        outputs = define()
    return make_plan(graph, outputs if isinstance(outputs, list | tuple) else (outputs,))


def test_operators_of_one_kind_share_a_segment():
    def define():
        data, labels = call(Numbers)
        first = call(Affine, data)
        return call(Noise, call(Affine, first, b=labels)), call(Affine, labels)

    plan = plan_of(define)
    assert [(s.type, len(s.steps)) for s in plan.segments] == [("batch", 1), ("sample", 4)]
    assert [segment.repeatable for segment in plan.segments] == [True, True]


def test_what_only_the_next_operator_needs_is_not_kept():
    def define():
        data, _ = call(Numbers)
        first = call(Affine, data)
        return call(Affine, first), call(Split, first)[1]

    sample = plan_of(define).segments[1]
    assert [step.kept for step in sample.steps] == [(False,), (True,), (False, True)]


def test_whole_batch_work_on_read_data_cannot_be_repeated_for_a_row():
    def define():
        data, _ = call(Numbers)
        return call(Affine, call(BatchAffine, call(Affine, data)), b=call(BatchNoise))

    plan = plan_of(define)
    assert [s.type for s in plan.segments] == ["batch", "sample", "batch", "sample"]
    assert [s.repeatable for s in plan.segments] == [True, True, False, False]


def test_constants_of_per_sample_arguments_are_passed_along():
    (_, sample) = plan_of(lambda: call(Affine, call(Numbers)[0], a=3, b=call(BatchNoise))).segments
    (step,) = sample.steps
    assert step.constants == {"a": 3.0}
    assert [name for name, _, _ in step.arguments] == ["b"]


def test_what_the_device_stage_brings_to_the_host_is_awaited_before_it_is_used():
    graph = Graph()
    with defining(graph):
        there = fn.random.uniform(range=(0, 1), shape=[4, 4, 1]).gpu()
        back = there[0, 0, 0].cpu()
        result = fn.flip(there, horizontal=fn.cast(back, dtype=types.INT32))
        again = fn.crop(there, crop=(2, 2), crop_pos_x=back)
    plan = make_plan(graph, (result, again))
    steps = [[step.node.operator.name for step in segment.steps] for segment in plan.segments]
    place = {name: i for i, names in enumerate(steps) for name in names}
    assert place["copy"] < place["crop"]
    assert place["copy"] < place["flip"]
