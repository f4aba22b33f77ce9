"""The command line itself."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib

import pytest

import penstock
from penstock.cli.formats import listed
from penstock.cli.main import COMMANDS, GROUP, run
from penstock.datasets import FORMATS
from penstock.tests.checkout import ROOT, SOURCES

from .terminals import on_terminal


@pytest.fixture
def helped(penstock_in_process, monkeypatch):
    """Return the help of a command."""
    monkeypatch.setenv("COLUMNS", "100")

    def helped(name):
        result = penstock_in_process(name, "--help")
        assert result.status == 0
        return result.output

    return helped


@pytest.mark.parametrize("name", COMMANDS)
def test_summaries_are_those_of_the_commands(name):
    command = GROUP.commands[name]
    assert command.name == name
    assert COMMANDS[name] == command.help.partition("\n")[0]


def test_help_names_every_command(penstock_in_process):
    result = penstock_in_process("--help")
    assert result.status == 0
    assert all(name in result.output for name in COMMANDS)
    assert "Exit status: 0" in result.output
    assert "\x1b" not in result.output
    assert "..." not in result.output.partition("Commands:")[2]  # summaries are whole


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command_has_examples_and_exit_statuses(helped, name):
    text = helped(name)
    assert f"penstock {name} " in text.partition("Examples")[2]
    assert "Exit status: 0" in text


@pytest.mark.parametrize("name", ["inspect", "show", "convert", "verify", "bench"])
def test_help_of_a_command_names_all_formats(helped, name):
    assert listed(FORMATS) in " ".join(helped(name).split())


@pytest.mark.parametrize("command", [[], ["verify"]])
def test_help_as_a_word(penstock_in_process, command):
    by_word, by_option = penstock_in_process("help", *command), penstock_in_process(*command, "-h")
    assert (by_word.status, by_word.output) == (0, by_option.output)


def test_version(penstock_in_process):
    result = penstock_in_process("--version")
    assert (result.status, result.output) == (0, f"penstock {penstock.__version__}\n")


def test_version_for_programs(penstock_in_process):
    for arguments in (["--version", "--json"], ["--json", "--version"]):
        result = penstock_in_process(*arguments)
        assert result.status == 0
        assert json.loads(result.output) == {"penstock": penstock.__version__}


def test_as_a_module(environment):
    result = subprocess.run(
        [sys.executable, "-m", "penstock", "--version"],
        capture_output=True,
        text=True,
        env=environment,
        check=True,
    )
    assert result.stdout == f"penstock {penstock.__version__}\n"


SCRIPT = "import sys; from penstock_script import main; status = main()"


def test_the_script_prints_the_version_without_numpy(environment):
    code = f"{SCRIPT}; sys.exit(f'{{status}} {{\"numpy\" in sys.modules}}')"
    result = run_script(environment, code, "--version")
    assert (result.stdout, result.stderr) == (f"penstock {penstock.__version__}\n", "0 False\n")


@pytest.mark.slow
def test_the_script_runs_commands(environment):
    result = run_script(environment, f"{SCRIPT}; sys.exit(status)", "show", "nowhere")
    assert result.returncode == 2
    assert "nowhere" in result.stderr


INTERRUPTED = """
import os, signal, sys
class Interrupting:
    def find_spec(self, name, *_):
        if name == "typer":
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupting())
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "start",
    [
        f"{SCRIPT}; sys.exit(status)",
        "import runpy; runpy.run_module('penstock', run_name='__main__')",
    ],
)
def test_an_interrupt_while_modules_are_imported_is_an_exit_status(environment, start):
    result = run_script(environment, INTERRUPTED + start, "convert", "a", "b")
    assert (result.returncode, result.stdout, result.stderr) == (130, "", "")


def run_script(environment, code, *arguments):
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )


def test_the_script_is_installed():
    with open(os.path.join(ROOT, "pyproject.toml"), "rb") as file:
        project = tomllib.load(file)
    module, _, function = project["project"]["scripts"]["penstock"].partition(":")
    setup = project["tool"]["setuptools"]
    assert setup["py-modules"] == [module]
    assert (SOURCES / f"{module}.py").exists()
    assert function == "main"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Missing command"),
        (["--json"], "behind a command"),
        (["--json", "doctor"], "behind a command"),
        (["doctr"], "No such command 'doctr'. Did you mean 'doctor'?"),
        (["doctor", "--jsn"], "No such option: --jsn (Possible options: --json)"),
        (["doctor", "--device", "tpu"], "'cpu', 'mixed', 'gpu'"),
        (["doctor", "--limit", "0"], "0.01"),
        (["doctor", "--limit", "soon"], "--limit"),
        (["doctor", "one", "two"], "two"),
    ],
)
def test_wrong_usage(penstock_in_process, arguments, message):
    result = penstock_in_process(*arguments)
    assert result.status == 2
    first, second = result.errors.splitlines()
    assert first.startswith("penstock: error: ")
    assert message in first
    assert second == f"Try 'penstock{' doctor' if arguments[:1] == ['doctor'] else ''} --help'."
    assert result.output == ""


def test_help_loads_no_more_than_the_library(environment):
    script = (
        "import sys, penstock; before = set(sys.modules); from penstock.cli.main import main\n"
        "main(['--help'])\n"
        "names = set(sys.modules) - before\n"
        "print([n for n in names if n.startswith('penstock') and n.count('.') > 2])\n"
        "print(names & {'penstock.datasets', 'rich', 'soundfile', 'av', 'pyarrow', 'ray'})"
    )
    result = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=True
    )
    assert result.stdout.endswith("\n[]\nset()\n")


@pytest.mark.slow
def test_a_terminal_gets_colored_errors(command, environment):
    shown, status = on_terminal([*command, "doctr"], environment)
    assert status == 2
    assert "\x1b[1;31merror: \x1b[0mNo such command" in shown


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("penstock doc", ["doctor"]),
        ("penstock doctor --device m", ["mixed"]),
        ("penstock convert a b --to web", ["webdataset"]),
    ],
)
def test_shells_complete_commands_and_values(monkeypatch, capsys, words, expected):
    monkeypatch.setenv("_PENSTOCK_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))
    with pytest.raises(SystemExit, match="0"):
        run([])
    assert capsys.readouterr().out.split() == expected


@pytest.mark.parametrize("page", ["docs/command_line.md", "README.md"])
def test_the_documented_commands_exist(page):
    with open(os.path.join(ROOT, page), encoding="utf-8") as file:
        lines = re.findall(r"^penstock (\w+)(.*?)(?:  #.*)?$", file.read(), re.MULTILINE)
    assert lines
    options = {
        command.name: {option for parameter in command.params for option in parameter.opts}
        for command in GROUP.commands.values()
    }
    for name, arguments in lines:
        assert set(re.findall(r"(?<= )--[\w-]+", arguments)) <= options[name]


def test_an_unknown_command_lists_all(penstock_in_process):
    for given in ("bogus", "shwo"):
        result = penstock_in_process(given)
        assert result.status == 2
        assert all(name in result.errors for name in COMMANDS)
    assert "Did you mean 'show'?" in result.errors


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_no_names_of_types(helped, name):
    text = helped(name)
    for leftover in ("<int", "<float", "range>", "x>=", "<=x"):
        assert leftover not in text


@pytest.mark.parametrize(
    "arguments",
    [
        ("show", "x", "--count", "0"),
        ("show", "x", "--count", "1e3"),
        ("show", "x", "--side", "31"),
        ("bench", "x", "--seconds", "nan"),
        ("bench", "x", "--threads", "-1"),
        ("convert", "x", "y", "--to", "npz", "--jpeg-quality", "101"),
        ("convert", "x", "y", "--to", "npz", "--workers", "0"),
        ("doctor", "--limit", "0"),
    ],
)
def test_numbers_that_are_out_of_range_are_named(penstock_in_process, arguments):
    result = penstock_in_process(*arguments)
    assert result.status == 2
    assert f"{arguments[-1]!r} is not a" in result.errors
    assert " from " in result.errors
