"""Pipelines by file or module and name, and what is said when there is none."""

from __future__ import annotations

import pytest

from penstock.cli.commands import CommandFailed
from penstock.cli.target import (
    PipelineTarget,
    open_pipeline,
    parse_arguments,
    parse_target,
    require_path,
)


def opened(text, arguments=None, **options):
    return open_pipeline(parse_target(str(text)), arguments or {}, options, 3)


def test_a_path_that_exists_is_a_path(tmp_path):
    strange = tmp_path / "data.py:name"
    strange.touch()
    assert parse_target(str(strange)) == str(strange)
    for text in ("s3://bucket/train", "train-{000..127}.tar", "*.tfrecord"):
        assert parse_target(text) == require_path(text) == text


def test_a_file_or_module_and_a_name_is_a_pipeline():
    assert parse_target("train.py:training") == PipelineTarget("train.py", "training")
    assert str(parse_target("my.package:training")) == "my.package:training"


def test_a_path_that_is_not_there(tmp_path):
    with pytest.raises(CommandFailed, match="nothing: there is no such file") as raised:
        parse_target(str(tmp_path / "nothing"))
    assert raised.value.status == 2
    assert "MODULE:NAME" in str(raised.value)


def test_a_function_s_pipeline_gets_options_and_arguments(pipelines, class_folders):
    text = f"{pipelines}:photos"
    with opened(text, {"folder": str(class_folders)}, batch_size=5, num_threads=None) as pipeline:
        images, _ = pipeline.run()
    assert images.shape() == [(32, 32, 3)] * 5


def test_the_size_of_batches_without_one_in_the_definition(pipelines, class_folders):
    with opened(f"{pipelines}:photos", {"folder": str(class_folders)}) as pipeline:
        assert pipeline.batch_size == 3
    with opened(f"{pipelines}:scenes") as pipeline:
        assert pipeline.batch_size == 4


def test_a_module_is_found_in_the_current_folder(pipelines, monkeypatch):
    monkeypatch.chdir(pipelines.parent)
    with opened("my_pipelines:scenes") as pipeline:
        assert len(pipeline.run()) == 6


def test_a_pipeline_is_taken_as_it_is(pipelines):
    with opened(f"{pipelines}:ready") as pipeline:
        assert len(pipeline.run()[0]) == 3
    with pytest.raises(CommandFailed, match="has its arguments already; batch_size can"):
        opened(f"{pipelines}:ready", batch_size=4)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("photo", "has no 'photo'; did you mean 'photos'? Pipelines there: failing, photos,"),
        ("helper", "is a function, not a Pipeline"),
        ("np", "is a module, not a Pipeline"),
        ("photos", "missing 1 required positional argument: 'folder'; give arguments as --arg"),
    ],
)
def test_names_that_are_no_pipeline(pipelines, name, message):
    with pytest.raises(CommandFailed) as raised:
        opened(f"{pipelines}:{name}")
    assert message in str(raised.value)
    assert raised.value.status == 2


@pytest.mark.parametrize("text", ["folder", "1x=3", "=3"])
def test_arguments_without_a_name(text):
    with pytest.raises(CommandFailed, match="expected NAME=VALUE"):
        parse_arguments([text])
