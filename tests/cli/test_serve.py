"""`penstock serve`: servers in processes of their own, and exported models."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager

import pytest

from penstock import Pipeline

from ..serving.servers import WAIT, get, images_request, infer, jpeg

SERVED = """
import numpy as np
from penstock import Pipeline, fn, pipeline_def, types

@pipeline_def(batch_size=4, num_threads=1)
def inference(size=8):
    images = fn.decoders.image(fn.external_source(name="encoded"))
    return fn.resize(images, size=(size, size))

def halves(numbers):
    return [np.asarray(number) / 2 for number in numbers]

@pipeline_def(batch_size=4, num_threads=1)
def calling():
    numbers = fn.external_source(name="numbers", dtype=types.FLOAT, ndim=0)
    return fn.python_function(numbers, function=halves, batch_processing=True)

@pipeline_def(batch_size=4, num_threads=1)
def training():
    return fn.readers.file(files=[__file__])[0]

ready = calling()
"""


@pytest.fixture
def served(tmp_path, monkeypatch):
    """A Python file with pipelines to serve, which no other test has imported."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    path = tmp_path / "my_servers.py"
    path.write_text(SERVED)
    before = set(sys.modules)
    yield path
    for name in set(sys.modules) - before:
        if name.startswith("my_servers"):
            del sys.modules[name]


@contextmanager
def started(command, environment, *arguments):
    """Start a server in a process; yield the process and the port."""
    process = subprocess.Popen(
        [*command, "serve", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )
    try:
        line = process.stdout.readline()
        found = re.fullmatch(r"serving (\w+) at http://127.0.0.1:(\d+) .*\n", line)
        assert found, process.communicate()
        yield process, int(found[2])
    finally:
        process.kill()
        process.communicate()


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_server_answers_until_a_signal_ends_it(command, environment, served, number):
    options = ("--port", 0, "--arg", "size=3", "--max-batch-size", 2, "--max-delay", 1)
    with started(command, environment, f"{served}:inference", *options) as (process, port):
        message = images_request([jpeg(20, 30), jpeg(9, 9)])
        status, answer = infer(port, *message, path="/v2/models/inference/infer")
        assert status == 200
        assert answer["outputs"][0]["shape"] == [2, 3, 3, 3]
        config = get(port, "/v2/models/inference/config")[1]
        assert config["max_batch_size"] == 2
        assert config["dynamic_batching"] == {"max_queue_delay_microseconds": 1000}
        process.send_signal(number)
        output, errors = process.communicate(timeout=WAIT)
        assert (process.returncode, output, errors) == (0, "", "")


def test_a_port_that_is_taken(penstock_in_process, served):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        result = penstock_in_process("serve", f"{served}:inference", "--port", port)
    assert result.status == 1
    assert str(port) in result.errors
    assert "address already in use" in result.errors


@pytest.mark.parametrize("library", ["aiohttp", "orjson"])
def test_a_server_without_its_library(penstock_in_process, served, monkeypatch, library):
    monkeypatch.setitem(sys.modules, library, None)
    for module in ("http_server", "open_inference"):
        monkeypatch.delitem(sys.modules, f"penstock.serving.{module}", raising=False)
    result = penstock_in_process("serve", f"{served}:inference", "--port", 0)
    assert result.status == 1
    assert "a server needs aiohttp and orjson" in result.errors
    assert library in result.errors.partition("(")[2]
    assert "pip install" in result.errors


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["{file}:inference", "repository"], "expected `serve PIPELINE` or `serve export PIPELINE"),
        (["export", "{file}:inference"], "expected `serve PIPELINE`"),
        (["{file}"], "is no pipeline; a pipeline is given as FILE.py:NAME"),
        (["{file}:nothing"], "has no 'nothing'"),
        (["{file}:training"], "has data of its own"),
        (["{file}:inference", "--name", "a/b"], "is no name of a model"),
        (["{file}:ready", "--max-batch-size", "2"], "has its arguments already"),
        (["{file}:inference", "--max-batch-size", "0"], "is not a whole number from 1 on"),
        (["{file}:inference", "--server", "triton"], "nvidia-pytriton"),
    ],
)
def test_wrong_usage(penstock_in_process, served, monkeypatch, words, text):
    monkeypatch.setenv("PATH", "")
    result = penstock_in_process("serve", *(word.format(file=served) for word in words))
    assert result.status in (1, 2)
    assert text in " ".join(result.errors.split())


def test_an_exported_model(penstock_in_process, served, tmp_path):
    options = ("--name", "thumbnails", "--instances", 2, "--max-delay", 0.5, "--arg", "size=5")
    target = f"{served}:inference"
    result = penstock_in_process("serve", "export", target, tmp_path / "models", *options)
    assert result.status == 0, result.errors
    folder = tmp_path / "models" / "thumbnails"
    assert str(folder) in result.output.replace("\n", "")
    files = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
    assert files == ["1/model.py", "1/pipeline.penstock", "config.pbtxt"]
    config = (folder / "config.pbtxt").read_text()
    for line in ('name: "thumbnails"', "max_batch_size: 4", "data_type: TYPE_STRING", "count: 2"):
        assert line in config
    assert "max_queue_delay_microseconds: 500" in config
    compile((folder / "1" / "model.py").read_text(), "model.py", "exec")
    assert "allow_pickle = False" in (folder / "1" / "model.py").read_text()
    with Pipeline.deserialize(filename=folder / "1" / "pipeline.penstock") as pipeline:
        assert pipeline.batch_size == 4


@pytest.mark.parametrize("name", ["calling", "ready"])
def test_functions_of_the_program_are_exported_with_their_code(
    penstock_in_process, served, tmp_path, name, run
):
    result = penstock_in_process("serve", "export", f"{served}:{name}", tmp_path / "models")
    assert result.status == 0, result.errors
    version = tmp_path / "models" / name / "1"
    assert "allow_pickle = True" in (version / "model.py").read_text()
    program = (
        "import numpy as np; from penstock import Pipeline; "
        f"pipe = Pipeline.deserialize(filename={str(version / 'pipeline.penstock')!r}, "
        "allow_pickle=True); "
        "print(pipe.run(numbers=np.float32([4, 6]))[0].as_array().tolist())"
    )
    served.unlink()
    from ..interpreters import output_of

    assert json.loads(output_of(program)) == [2, 3]


def test_an_export_takes_the_place_of_an_export_alone(penstock_in_process, served, tmp_path):
    models = tmp_path / "models"
    for size in (3, 4):
        given = ["--arg", f"size={size}"]
        target = f"{served}:inference"
        assert penstock_in_process("serve", "export", target, models, *given).status == 0
    (models / "inference" / "config.pbtxt").write_text('name: "inference"\n')
    result = penstock_in_process("serve", "export", f"{served}:inference", models)
    assert result.status == 2
    assert "a model that Penstock has not written" in result.errors
    assert (models / "inference" / "config.pbtxt").read_text() == 'name: "inference"\n'
