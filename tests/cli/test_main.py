"""The command line itself."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from importlib import import_module

import pytest

import penstock
from penstock.cli.main import COMMANDS, main

ROOT = os.path.dirname(penstock.__file__)


def test_help_names_every_command(run):
    result = run("--help")
    assert result.returncode == 0
    assert all(name in result.stdout for name in COMMANDS)


def test_version(run):
    assert run("--version").stdout == f"penstock {penstock.__version__}\n"


def test_as_a_module(environment):
    result = subprocess.run(
        [sys.executable, "-m", "penstock", "--version"],
        capture_output=True,
        text=True,
        env=environment,
        check=True,
    )
    assert result.stdout == f"penstock {penstock.__version__}\n"


def test_the_installed_command_is_main():
    with open(os.path.join(ROOT, "pyproject.toml"), "rb") as file:
        project = tomllib.load(file)
    module, _, function = project["project"]["scripts"]["penstock"].partition(":")
    assert getattr(import_module(module), function) is main
    assert {"penstock.cli", "penstock.cli.probes"} <= set(project["tool"]["setuptools"]["packages"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "COMMAND"),
        (["repair"], "invalid choice: 'repair'"),
        (["doctor", "--device", "tpu"], "invalid choice: 'tpu'"),
        (["doctor", "--limit", "0"], "invalid seconds value: '0'"),
        (["doctor", "--limit", "soon"], "invalid seconds value: 'soon'"),
        (["doctor", "one", "two"], "unrecognized arguments: two"),
    ],
)
def test_wrong_usage(run, arguments, message):
    result = run(*arguments)
    assert result.returncode == 2
    assert message in result.stderr
    assert result.stdout == ""


def test_help_loads_no_more_than_the_library(environment):
    script = (
        "import sys, penstock; before = set(sys.modules); from penstock.cli.main import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "print([name for name in set(sys.modules) - before if 'probes' in name])"
    )
    result = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=True
    )
    assert result.stdout.endswith("\n[]\n")


def test_a_reader_that_goes_away(command, environment, tmp_path):
    """As in `penstock doctor | head -0`: no traceback."""
    (tmp_path / "file").write_bytes(b"small")
    reading, writing = os.pipe()
    os.close(reading)
    try:
        result = subprocess.run(
            [*command, "doctor", str(tmp_path / "file")],
            stdout=writing,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
    finally:
        os.close(writing)
    assert result.stderr == ""
    assert result.returncode == 141
