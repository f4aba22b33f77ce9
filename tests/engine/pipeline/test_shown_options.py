import inspect
from dataclasses import fields

import pytest

from penstock import Pipeline, PipelineConfig, pipeline_def
from penstock.engine.pipeline.shown_options import described_options


@pytest.mark.parametrize("shown", [Pipeline, pipeline_def])
def test_help_shows_every_argument(shown):
    parameters = inspect.signature(shown).parameters
    text = inspect.getdoc(shown)
    for field in fields(PipelineConfig):
        assert field.name in parameters
        assert field.name in text
    assert "{options}" not in text
    assert "\n    prefetch_bytes: limit for" in text


def test_arguments_of_their_own_come_first():
    assert next(iter(inspect.signature(Pipeline).parameters)) == "batch_size"
    assert next(iter(inspect.signature(pipeline_def).parameters)) == "fn"


def test_every_argument_has_its_meaning():
    described = described_options()
    assert set(described) <= {field.name for field in fields(PipelineConfig)}
    assert described["exec_async"] == described["exec_pipelined"]
    assert all(text.endswith(".") for text in described.values())
