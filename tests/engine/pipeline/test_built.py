"""A pipeline that is built, and the run that is made of it, without a `Pipeline`."""

from __future__ import annotations

import pytest

from penstock import ArgumentError, PipelineConfig, PipelineStopped
from penstock.engine.graph.nodes import Graph
from penstock.engine.pipeline.built import build
from penstock.engine.pipeline.graph_definition import Definition
from penstock.engine.pipeline.progress import Progress
from penstock.engine.pipeline.rank_comparison import RankComparison
from penstock.engine.pipeline.run import Run
from penstock.engine.run.shutdown import Shutdown

from ..toys import Numbers, call


@pytest.fixture
def shutdown():
    steps = Shutdown()
    yield steps
    steps()


@pytest.fixture
def built(shutdown):
    definition = Definition(PipelineConfig(batch_size=4, num_threads=1), 7, Graph())
    definition.define(lambda: call(Numbers, size=20, name="numbers")[1])
    return build(definition, Progress(None), shutdown)


def test_a_definition_becomes_a_plan_with_open_inputs(built):
    assert built.readers().keys() == {"numbers"}
    assert built.reader("numbers").meta()["epoch_size"] == 20
    assert built.ahead == 2
    assert built.checks is built.python_workers is None


def test_a_reader_that_is_not_there_is_named(built):
    with pytest.raises(ArgumentError, match=r"no reader named 'x'; there are \['numbers'\]"):
        built.reader("x")


def test_memory_is_made_once(built, shutdown):
    assert built.memory(shutdown) is built.memory(shutdown)


def test_a_run_delivers_batches_and_counts_them(built, shutdown):
    progress = Progress(None)
    run = Run(built, progress, RankComparison(), shutdown)
    run.launch_ahead(None)
    assert [int(run.next_outputs()[0].as_array()[0]) for _ in range(2)] == [0, 4]
    assert (progress.delivered, progress.next_sample(4)) == (2, 8)
    assert run.in_flight == 0


def test_a_run_that_was_stopped_says_why(built, shutdown):
    run = Run(built, Progress(None), RankComparison(), shutdown)
    shutdown.stop("it is late")
    with pytest.raises(PipelineStopped, match="it is late"):
        run.check()


def test_without_other_ranks_the_comparison_is_done(built, shutdown):
    ranks = RankComparison()
    ranks.compare(built, None, shutdown)
    assert ranks.is_done
