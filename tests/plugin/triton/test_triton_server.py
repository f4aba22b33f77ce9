"""Exported models in Triton's own server, from the package nvidia-pytriton."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import signal
import socket
import subprocess
import sys
import time

import numpy as np
import pytest

if importlib.util.find_spec("pytriton") is None:  # its import needs gRPC
    pytest.skip("nvidia-pytriton brings Triton's server", allow_module_level=True)
clients = pytest.importorskip("tritonclient.http", reason="Triton's client, with its extra http")
aio = pytest.importorskip("tritonclient.http.aio", reason="Triton's client, with its extra http")
from tritonclient.utils import InferenceServerException  # noqa: E402  (after the skip)

from penstock.tests.checkout import SOURCES  # noqa: E402

WAIT = 120  # seconds, for a hang alone
SERVED = """
import numpy as np
from penstock import fn, pipeline_def, types

def roots(numbers):
    if any(number < 0 for number in numbers):
        raise ValueError("a root of a negative number")
    return [np.sqrt(np.asarray(number)) for number in numbers]

@pipeline_def(batch_size=8, num_threads=1)
def inference():
    images = fn.external_source(name="images", dtype=types.UINT8, ndim=3, layout="HWC")
    numbers = fn.external_source(name="numbers", dtype=types.FLOAT, ndim=0)
    return (fn.resize(images, size=(4, 4)), images > 3,
            fn.python_function(numbers, function=roots, batch_processing=True))

@pipeline_def(batch_size=8, num_threads=1)
def of_bytes():
    return fn.decoders.image(fn.external_source(name="encoded"))
"""


@pytest.fixture(scope="module")
def environment():
    return {**os.environ, "PYTHONPATH": str(SOURCES)}


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    path = tmp_path_factory.mktemp("triton") / "my_models.py"
    path.write_text(SERVED)
    return path


@pytest.fixture(scope="module")
def port(environment, program):
    """The port of a server, which a signal ends."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "penstock", "serve", f"{program}:inference"]
    command += ["--server", "triton", "--port", str(port), "--max-delay", "50"]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        try:
            wait_until_ready(process, port)
            yield port
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=WAIT)
            assert process.returncode == 0
            with pytest.raises(OSError):
                socket.create_connection(("127.0.0.1", port))
        finally:
            process.kill()


def wait_until_ready(process, port):
    deadline = time.monotonic() + WAIT
    with clients.InferenceServerClient(f"127.0.0.1:{port}") as client:
        while True:
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < deadline
            try:
                if client.is_server_ready():
                    return
            except OSError:
                pass
            time.sleep(0.1)


def inputs(numbers, height=6):
    images = np.arange(len(numbers) * height * 5 * 3, dtype=np.uint8)
    images = images.reshape(len(numbers), height, 5, 3)
    return [
        clients.InferInput("images", images.shape, "UINT8").set_data_from_numpy(images),
        clients.InferInput("numbers", [len(numbers), 1], "FP32").set_data_from_numpy(
            np.float32(numbers).reshape(-1, 1)
        ),
    ]


def test_a_model_answers_as_its_metadata_say(port):
    with clients.InferenceServerClient(f"127.0.0.1:{port}") as client:
        metadata = client.get_model_metadata("inference")
        shapes = {each["name"]: each["shape"] for each in metadata["inputs"]}
        assert shapes == {"images": [-1, -1, -1, -1], "numbers": [-1, 1]}
        given = inputs([4, 9])
        result = client.infer("inference", given)
        assert result.as_numpy("OUTPUT_0").shape == (2, 4, 4, 3)
        assert result.as_numpy("OUTPUT_1").dtype == np.bool_
        assert result.as_numpy("OUTPUT_1").sum() == 2 * 6 * 5 * 3 - 4
        assert result.as_numpy("OUTPUT_2").tolist() == [[2], [3]]
        only = [clients.InferRequestedOutput("OUTPUT_2")]
        assert client.infer("inference", given, outputs=only).as_numpy("OUTPUT_0") is None


def test_a_bad_request_in_a_batch_fails_alone(port):
    async def ask(client, number):
        try:
            result = await client.infer("inference", inputs([number]))
        except InferenceServerException as error:
            return str(error)
        return result.as_numpy("OUTPUT_2").tolist()

    async def ask_all():
        async with aio.InferenceServerClient(f"127.0.0.1:{port}") as client:
            return await asyncio.gather(*(ask(client, number) for number in (1, 4, -1, 9, 16, 25)))

    answers = asyncio.run(ask_all())
    assert "ValueError: a root of a negative number" in answers.pop(2)
    assert answers == [[[1]], [[2]], [[3]], [[4]], [[5]]]


def test_inputs_of_bytes_are_refused_by_a_server_before_numpy_2(environment, program):
    command = [sys.executable, "-m", "penstock", "serve", f"{program}:of_bytes"]
    result = subprocess.run(
        [*command, "--server", "triton"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 1
    assert "was built before NumPy 2, and hands wrong bytes" in " ".join(result.stderr.split())
