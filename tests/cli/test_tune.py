"""`penstock tune`, with a short time."""

from __future__ import annotations

import ast
import itertools
import json
import re

import pytest

from penstock.cli.benchmark import search as search_module
from penstock.cli.benchmark.others import OtherPrograms
from penstock.engine.machine import usable_cores

from .terminals import on_terminal

SHORT = ("--minutes", "0.02")

PIPELINES = """
import time
import numpy as np
from penstock import fn, pipeline_def

@pipeline_def(batch_size=2, num_threads=1, exec_processes=False, prefetch_queue_depth=1)
def waiting(seconds=0.02):
    def wait(number):
        time.sleep(seconds if seconds > 0 else 1 // 0)
        return number
    return fn.python_function(fn.random.coin_flip(), function=wait)

def source(info):
    return np.zeros(3)

@pipeline_def(batch_size=4, num_threads=1)
def parallel():
    return fn.external_source(source=source, batch=False, parallel=True)
"""


@pytest.fixture
def in_turns(monkeypatch):
    """Let the search see a clock that its turns advance, on a machine at rest."""
    ticks = itertools.count(0, 0.04)
    monkeypatch.setattr(search_module, "perf_counter", lambda: next(ticks))
    monkeypatch.setattr(OtherPrograms, "cores", lambda self: 0.0)


@pytest.fixture
def waiting(pipelines):
    pipelines.write_text(PIPELINES)
    return f"{pipelines}:waiting"


@pytest.mark.slow
def test_the_faster_argument_is_found(penstock_in_process, waiting, in_turns):
    given = ("--try", "seconds=[0.02,0.0005]", "--try", "num_threads=[1]")
    arguments = ("tune", waiting, *SHORT, *given, "--try", "exec_processes=[False]")
    result = penstock_in_process(*arguments, "--try", "prefetch_queue_depth=[1]", "--json")
    assert result.status == 0, result.errors
    content = json.loads(result.output)
    assert content["setting"] == {"seconds": 0.0005}
    compared = content["comparison"]
    assert compared["ratio"] > 1.5
    assert compared["lowest"] <= compared["ratio"] <= compared["highest"]
    assert compared["samples_per_s"] > compared["samples_per_s_as_it_is"] > 0
    fastest = max(content["trials"], key=lambda trial: trial["samples_per_s"])
    assert fastest["setting"] == {"seconds": 0.0005}
    assert all(trial["error"] is None for trial in content["trials"])
    assert content["noise"] >= 0
    assert content["enough_minutes"] > content["seconds"] / 60  # there were less than 50 turns


@pytest.mark.slow
def test_a_setting_that_fails_is_reported_and_skipped(penstock_in_process, waiting, in_turns):
    result = penstock_in_process(
        *("tune", waiting, *SHORT, "--try", "seconds=[0.0005,-1]", "--try", "num_threads=[1,2]"),
        *("--try", "exec_processes=[False]", "--try", "prefetch_queue_depth=[1]"),
    )
    assert result.status == 0, result.errors
    assert "failed  " in result.output
    assert "seconds=-1: " in result.output
    assert "ZeroDivisionError" in result.output
    assert re.search(r"may miss a setting that is 5% faster: give --minutes \d+", result.output)
    copied = result.output.rpartition("setting ")[2].splitlines()[0]
    call = ast.parse(f"f({copied})", mode="eval").body
    assert {keyword.arg: keyword.value.value for keyword in call.keywords}["seconds"] == 0.0005


@pytest.mark.slow
def test_beside_other_programs_nothing_is_advised(
    penstock_in_process, waiting, in_turns, monkeypatch
):
    monkeypatch.setattr(OtherPrograms, "cores", lambda self: usable_cores())
    given = ("--try", "seconds=[0.0005]", "--try", "num_threads=[1]")
    fixed = ("--try", "exec_processes=[False]", "--try", "prefetch_queue_depth=[1]")
    result = penstock_in_process("tune", waiting, *SHORT, *given, *fixed)
    assert result.status == 0, result.errors
    assert "figures will mean nothing until they rest" in result.errors
    assert "\nbusy    other programs used" in result.output
    assert "\nbeside  seconds=0.0005\n" in result.output
    assert "\nsetting " not in result.output.partition("\nbusy")[2]


@pytest.mark.slow
def test_python_workers_are_tried_where_there_are_any(penstock_in_process, pipelines, in_turns):
    pipelines.write_text(PIPELINES)
    for name, tried in (("parallel", True), ("waiting", False)):
        result = penstock_in_process(
            *("tune", f"{pipelines}:{name}", "--minutes", 0.01, "--json"),
            *("--try", "exec_processes=[False]", "--try", "num_threads=[1]"),
        )
        assert result.status == 0, result.errors
        settings = [trial["setting"] for trial in json.loads(result.output)["trials"]]
        assert any("py_num_workers" in setting for setting in settings) == tried


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--try", "seconds=0.1"), "--try seconds: expected a list of values, as in seconds=[1,2]"),
        (("--try", "seconds"), "--try seconds: expected NAME=VALUE"),
        (("--try", "num_thread=[1]"), "did you mean 'num_threads'?"),
        (("--minutes", 0), "'0' is not a number from 0.01"),
    ],
)
def test_wrong_usage(penstock_in_process, waiting, arguments, message):
    result = penstock_in_process("tune", waiting, *arguments)
    assert (result.status, result.output) == (2, "")
    assert message in result.errors


@pytest.mark.slow
def test_what_cannot_be_tuned(penstock_in_process, pipelines, class_folders):
    result = penstock_in_process("tune", class_folders)
    assert (result.status, "tune takes a pipeline" in result.errors) == (2, True)
    result = penstock_in_process("tune", f"{pipelines}:ready", *SHORT)
    assert (result.status, "has its arguments already" in result.errors) == (2, True)
    result = penstock_in_process("tune", f"{pipelines}:failing", *SHORT)
    assert result.status == 1
    assert "ZeroDivisionError" in result.errors


@pytest.mark.slow
def test_a_terminal_sees_how_far_the_search_is(command, environment, waiting):
    fixed = [f"--try={name}=[1]" for name in ("num_threads", "exec_processes")]
    shown, status = on_terminal([*command, "tune", waiting, *SHORT, *fixed], environment)
    assert status == 0, shown
    assert "as it is \x1b" in shown
