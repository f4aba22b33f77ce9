"""CONTRIBUTING.md: its steps work in a copy of the tree, and its commands and files exist."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import textwrap

import pytest

from penstock.tests.checkout import ROOT

from .test_extending_operators import blocks

PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
LEFT_OUT = shutil.ignore_patterns(".*", "__pycache__", "data", "results")


def test_targets_of_make_exist():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)[1].split()
    code = re.findall(r"`([^`\n]+)`", PAGE) + re.findall(r"```sh\n(.*?)```", PAGE, re.S)
    named = {name for text in code for name in re.findall(r"\bmake ([a-z-]+)", text)}
    assert {"demo", "test", "lint", "stubs"} <= named <= set(targets)


def test_links_and_files_exist():
    links = re.findall(r"\]\(([^)#]+)", PAGE)
    files = re.findall(r"`((?:docs|tests|benchmarks|cli|operators|plugin|readers)/[\w./]+)`", PAGE)
    made = {"operators/color/solarize.py", "tests/operators/color/test_solarize.py"}
    made |= {"plugin/tally.py", "tests/plugin/tally/test_tally.py"}
    assert made <= set(files)
    named = {*(link for link in links if link), *files} - made
    assert len(named) > 8
    missing = [name for name in named if not (ROOT / name).exists() and "NAME" not in name]
    assert missing == []


def section(title):
    """Return a section of the page."""
    return re.search(rf"^## {title}\n(.*?)^## ", PAGE, re.M | re.S)[1]


def entry(step, language, indentation=0, holds=""):
    """Return the block of a section that holds a text, indented as it is entered."""
    blocks = re.findall(rf"```{language}\n(.*?) *```", step, re.S)
    (block,) = (block for block in blocks if holds in block)
    return textwrap.indent(textwrap.dedent(block).rstrip(), " " * indentation)


def insert(path, line, after):
    """Insert a line after another one, with its indentation."""
    text = path.read_text(encoding="utf-8")
    assert text.count(after) == 1
    path.write_text(text.replace(after, f"{after}\n{line}"), encoding="utf-8")


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy of the tree in which the steps were taken, but for the generated files."""
    tree = tmp_path_factory.mktemp("tree") / "penstock"
    shutil.copytree(ROOT, tree, symlinks=True, ignore=LEFT_OUT)
    module, test = blocks("An operator in the tree")
    (tree / "operators/color/solarize.py").write_text(module)
    (tree / "tests/operators/color/test_solarize.py").write_text(test)
    insert(tree / "operators/table.py", "    solarize,", after="from .color import (")
    step = section("Adding an operator")
    insert(tree / "docs/augmentation.md", entry(step, "text"), after="|---|---|---|")
    case, call = (entry(step, "python", 4, holds) for holds in ("Case(", "lambda"))
    insert(tree / "benchmarks/operator_cases.py", case, after="CASES = {")
    insert(tree / "tests/operators/test_processes.py", call, after="CALLS = {")
    return tree


def run(tree, *arguments):
    """Run Python with the copy as the package; return what it prints."""
    result = subprocess.run(
        [sys.executable, *arguments],
        cwd=tree,
        env=os.environ | {"PYTHONPATH": str(tree / "src")},
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.mark.slow
def test_the_steps_add_an_operator(tree):
    run(tree, "docs/generate.py")
    generated = [path for path in tree.rglob("*.pyi") if "def solarize(" in path.read_text()]
    assert sorted(str(path.relative_to(tree)) for path in generated) == [
        "experimental/dynamic/__init__.pyi",
        "src/penstock/fn/__init__.pyi",
    ]
    assert "| `fn.solarize` |" in (tree / "docs/operators.md").read_text(encoding="utf-8")
    tests = (
        "operators/color/test_solarize.py::TestSolarize::test_the_gpu_agrees",
        "operators/test_processes.py::test_every_operator_is_tried",
        "benchmarks/test_operator_cases.py",
        "test_augmentation_page.py::test_the_table_names_operators_and_their_devices",
        "test_docstrings.py",
        "test_site.py::test_every_operator_has_an_example",
    )
    select = "solarize or not (benchmarks or docstrings)"
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-k", select]
    printed = run(tree, "-m", "pytest", *options, *(f"tests/{test}" for test in tests))
    assert re.search(r"\b6 passed", printed)


@pytest.mark.slow
def test_a_command(tree):
    main = tree / "cli/main.py"
    source, test = blocks("A command")
    (tree / "cli/classes.py").write_text(source)
    (tree / "tests/cli/test_classes.py").write_text(test)
    summary = re.search(r'"""(Print.*)"""', source)[1]
    insert(main, f'    "classes": "{summary}",', after="COMMANDS = {")
    tests = "tests/cli/test_classes.py", "tests/cli/test_main.py"
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-k", "classes or help"]
    printed = run(tree, "-m", "pytest", *options, *tests)
    assert int(re.search(r"\b(\d+) passed", printed)[1]) > 10
    assert summary in run(tree, "-m", "penstock", "--help")
    assert "penstock classes photos/" in run(tree, "-m", "penstock", "classes", "--help")


TALLY = """import numpy as np


class Tensor:
    def __init__(self, array):
        self.array = array

    def numpy(self):
        return self.array

    def __getitem__(self, key):
        return Tensor(self.array[key])


def from_numpy(array):
    assert array.dtype not in (np.uint16, np.float16)
    return Tensor(array)
"""


@pytest.fixture
def with_framework(tree):
    """The copy of the tree with the framework, of which the library is not installed."""
    module, test = blocks("A framework in the tree")
    (tree / "plugin/tally.py").write_text(module)
    (tree / "tests/plugin/tally").mkdir()
    (tree / "tests/plugin/tally/test_tally.py").write_text(test)
    room = tree / "plugin/__init__.py"
    named, count = re.subn(r" and (`\w+`) each", r", \1 and `tally` each", room.read_text())
    assert count == 1
    room.write_text(named)
    step = section("Adding a framework")
    insert(tree / "pyproject.toml", entry(step, "toml"), "[project.optional-dependencies]")
    insert(tree / "tests/frameworks.py", entry(step, "python", 4), "FRAMEWORKS = {")
    insert(tree / "docs/frameworks.md", entry(step, "text"), "|---|---|---|---|---|")
    return tree


@pytest.mark.slow
def test_the_steps_add_a_framework(with_framework):
    tree = with_framework
    options = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    page = "tests/test_frameworks_page.py::test_a_module_is_there_or_says_what_it_needs"
    named = "penstock.plugin.tally"
    printed = run(tree, *options, "tests/plugin/tally", f"{page}[{named}]")
    assert re.search(r"\b1 passed, 1 skipped", printed)  # the module says how to install Tally
    assert re.search(r"of .*\btally\b", run(tree, "tests/frameworks.py", "--help"))
    site = (
        "import sys; sys.path.insert(0, 'docs/site'); import name_pages as n; print(n.FRAMEWORKS)"
    )
    assert f"'{named}'" in run(tree, "-c", site)
    (tree / "src/tally.py").write_text(TALLY)  # as installed
    printed = run(tree, *options, "tests/plugin/tally", f"{page}[{named}]")
    assert int(re.search(r"(\d+) passed", printed)[1]) > 25
    roll_calls = (
        "plugin/test_options.py::test_each_iterator_takes_the_arguments_of_all[tally]",
        "test_architecture.py::test_a_room_that_lists_its_modules_lists_all[plugin/__init__.py]",
        "test_architecture.py::test_imports_point_one_way",
    )
    printed = run(tree, *options, *(f"tests/{test}" for test in roll_calls))
    assert re.search(r"\b3 passed", printed)
