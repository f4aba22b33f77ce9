"""docs/serving.md: its program is served, and its clients get answers."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys

import pytest

from penstock.cli.main import GROUP
from penstock.tests.checkout import ROOT, SOURCES

from ...serving.servers import WAIT, jpeg

pytestmark = pytest.mark.slow
TEXT = (ROOT / "docs" / "serving.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the page's program and two photographs."""
    folder = tmp_path_factory.mktemp("serving")
    (folder / "inference.py").write_text(blocks("python")[0])
    for name in ("cat", "dog"):
        (folder / f"{name}.jpg").write_bytes(jpeg(50, 70))
    return folder


@pytest.fixture(scope="module")
def address(folder):
    """The address of a server of the page's program, in place of the page's."""
    environment = {**os.environ, "PYTHONPATH": str(SOURCES)}
    (line,) = (text for text in blocks("sh") if "--port" in text)
    command = [sys.executable, "-m", *line.split()]
    command[-1] = "0"
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield re.search(r"http://(\S+)", process.stdout.readline())[1]
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=WAIT)
            assert process.returncode == 0
        finally:
            process.kill()


def test_the_program_of_triton_s_client(address, folder, monkeypatch):
    pytest.importorskip("tritonclient.http", reason="Triton's client, with its extra http")
    monkeypatch.chdir(folder)
    program = blocks("python")[1].replace("127.0.0.1:8000", address)
    assert len(program.splitlines()) <= 40
    exec(compile(program, "serving.md", "exec"), {})


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl")
def test_the_command_of_curl(address, folder):
    (command,) = (text for text in blocks("sh") if "curl" in text)
    result = subprocess.run(
        ["bash", "-c", command.replace("127.0.0.1:8000", address)],
        cwd=folder,
        capture_output=True,
        check=True,
    )
    (output,) = json.loads(result.stdout)["outputs"]
    assert (output["name"], output["datatype"]) == ("OUTPUT_0", "FP32")
    assert output["shape"] == [1, 3, 224, 224]
    assert len(output["data"]) == 3 * 224 * 224


def test_the_exported_files_are_those_of_the_page(folder, monkeypatch):
    (line,) = (text for text in blocks("sh") if "serve export" in text)
    environment = {**os.environ, "PYTHONPATH": str(SOURCES)}
    subprocess.run([sys.executable, "-m", *line.split()], cwd=folder, env=environment, check=True)
    model = folder / "repository" / "inference"
    files = {str(path.relative_to(model)) for path in model.rglob("*") if path.is_file()}
    assert files == {"config.pbtxt", "1/model.py", "1/pipeline.penstock"}
    assert all(f"`{name}`" in TEXT for name in files)


def test_the_options_exist():
    options = {option for parameter in GROUP.commands["serve"].params for option in parameter.opts}
    named = set(re.findall(r"`[^`\n]*?(--[\w-]+)", TEXT)) - {"--no-deps"}
    assert named
    assert named <= options
