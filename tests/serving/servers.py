"""Servers in threads of the test's process, and plain HTTP requests to them."""

from __future__ import annotations

import asyncio
import http.client
import json
import struct
import threading
from contextlib import contextmanager

import cv2
import numpy as np

from penstock import fn, pipeline_def, types
from penstock.serving.http_server import Server, ServerLimits
from penstock.serving.model import Model

WAIT = 60  # seconds, for a hang alone


class Running:
    """A server in a thread.

    Attributes:
        port: that it listens to.
        error: of `run`, or None.
    """

    def __init__(self, model, limits, port):
        self.model = model
        self.port = port
        self.error = None
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(limits,))
        self._thread.start()
        assert self._ready.wait(WAIT)

    def _run(self, limits):
        async def run():
            self.loop = asyncio.get_running_loop()
            self.server = Server(self.model, limits)
            await self.server.run("127.0.0.1", self.port, self._started)

        try:
            asyncio.run(run())
        except Exception as error:
            self.error = error
        finally:
            self._ready.set()

    def _started(self, address):
        self.port = int(address.rpartition(":")[2])
        self._ready.set()

    def end(self):
        """Ask the server to end."""
        if self._thread.is_alive():
            self.loop.call_soon_threadsafe(self.server.end)

    def join(self):
        """Wait until the server has ended."""
        self._thread.join(WAIT)
        assert not self._thread.is_alive()

    @property
    def is_alive(self):
        return self._thread.is_alive()


@contextmanager
def running(pipeline, name="model", port=0, **limits):
    """Serve a pipeline; end the server after the block."""
    with served(Model(name, pipeline), port, **limits) as server:
        yield server


@contextmanager
def served(model, port=0, **limits):
    """Serve a model; end the server after the block."""
    server = Running(model, ServerLimits(**limits), port)
    try:
        yield server
    finally:
        server.end()
        server.join()


def request(port, method, path, body=b"", headers=None):
    """Return the status, the headers and the body of a response."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=WAIT)
    try:
        connection.request(method, path, body, headers or {})
        response = connection.getresponse()
        return response.status, response.headers, response.read()
    finally:
        connection.close()


def get(port, path):
    """Return the status and the JSON of a response."""
    status, _, body = request(port, "GET", path)
    return status, json.loads(body)


def infer(port, message, binary=b"", path="/v2/models/model/infer"):
    """Return the status and the JSON of the response to a request, with or without binary data."""
    text = json.dumps(message).encode()
    headers = {"Inference-Header-Content-Length": str(len(text))} if binary else {}
    status, _, body = request(port, "POST", path, text + binary, headers)
    return status, json.loads(body)


def as_elements(samples):
    """Return samples of bytes as the data of a BYTES tensor."""
    return b"".join(struct.pack("<I", len(sample)) + bytes(sample) for sample in samples)


def images_request(files, name="encoded"):
    """Return the message and the binary data of a request with encoded images."""
    data = as_elements(files)
    tensor = {"name": name, "datatype": "BYTES", "shape": [len(files), 1]}
    return {"inputs": [tensor | {"parameters": {"binary_data_size": len(data)}}]}, data


def numbers_request(values, name="numbers"):
    """Return the message of a request with one FP32 number a sample."""
    tensor = {"name": name, "datatype": "FP32", "shape": [len(values), 1], "data": values}
    return {"inputs": [tensor]}


def jpeg(height=40, width=60, value=128):
    """Return a JPEG file of one color."""
    pixels = np.full((height, width, 3), value, np.uint8)
    return cv2.imencode(".jpg", pixels)[1].tobytes()


@pipeline_def(batch_size=8, num_threads=2)
def mean_colors():
    """The mean color of encoded images, and their shapes."""
    encoded = fn.external_source(name="encoded")
    images = fn.decoders.image(encoded)
    return fn.reductions.mean(images, axes=(0, 1)), fn.peek_image_shape(encoded)


@pipeline_def(batch_size=8, num_threads=2)
def doubled():
    """Numbers times two."""
    return fn.external_source(name="numbers", dtype=types.FLOAT, ndim=0) * 2


def by_function(function, **options):
    """Return a pipeline that calls a function for the numbers of a whole batch."""

    @pipeline_def(**{"batch_size": 8, "num_threads": 1, **options})
    def calling():
        numbers = fn.external_source(name="numbers", dtype=types.FLOAT, ndim=0)
        return fn.python_function(numbers, function=function, batch_processing=True)

    return calling()
