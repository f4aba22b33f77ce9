"""Modules of the user's, and what is said when their code fails."""

from __future__ import annotations

import sys

import pytest

from penstock.cli.commands import CommandFailed
from penstock.cli.target import open_pipeline, parse_target, running

from .test_target import opened


def test_the_file_is_importable_for_worker_processes(pipelines):
    opened(f"{pipelines}:ready").close()
    assert sys.modules["my_pipelines"].__file__ == str(pipelines)


def test_an_error_of_the_user_s_code_names_its_line(pipelines):
    line = pipelines.read_text().splitlines().index("    return fn.resize(undefined_name)") + 1
    with pytest.raises(CommandFailed, match=f"my_pipelines.py, line {line}: NameError") as raised:
        opened(f"{pipelines}:wrong")
    assert raised.value.status == 1


def test_an_error_of_a_running_pipeline_keeps_its_notes(pipelines):
    target = parse_target(f"{pipelines}:failing")
    pipeline = open_pipeline(target, {}, {}, 1)
    with (
        pytest.raises(CommandFailed, match="ZeroDivisionError") as raised,
        running(target),
        pipeline,
    ):
        pipeline.run()
    assert "my_pipelines.py, line" in str(raised.value)
    assert any("external_source" in note for note in raised.value.__notes__)


def test_modules_that_cannot_be_imported(pipelines, monkeypatch):
    with pytest.raises(CommandFailed, match=r"nothing\.py: there is no such file"):
        opened("nothing.py:training")
    with pytest.raises(CommandFailed, match="there is no module 'no_such_module': neither in"):
        opened("no_such_module:training")
    monkeypatch.chdir(pipelines.parent)
    pipelines.write_text("import no_such_library\n")
    with pytest.raises(CommandFailed, match=r"my_pipelines\.py, line 1: ModuleNotFoundError"):
        opened(f"{pipelines}:training")
    pipelines.write_text("def broken(:\n")
    with pytest.raises(CommandFailed, match="line 1: SyntaxError"):
        opened(f"{pipelines}:training")


def test_lines_of_modules_in_packages_are_named(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "my_own_package").mkdir()
    (tmp_path / "my_own_package" / "__init__.py").touch()
    (tmp_path / "my_own_package" / "data.py").write_text("x = 1\nraise ValueError('broken')\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CommandFailed, match=r"data\.py, line 2: ValueError: broken"):
        opened("my_own_package.data:training")
