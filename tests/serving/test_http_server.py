"""The HTTP server: its pages, its errors, many clients at a time, and its end."""

from __future__ import annotations

import gzip
import http.client
import json
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import numpy as np
import pytest

import penstock
from penstock import fn, pipeline_def, types
from penstock.serving.model import Model, WholeBatchError

from .servers import (
    WAIT,
    by_function,
    doubled,
    get,
    images_request,
    infer,
    jpeg,
    mean_colors,
    numbers_request,
    request,
    running,
    served,
)

INFER = "/v2/models/model/infer"


class Gate:
    """A function of a pipeline that waits until it is opened."""

    def __init__(self):
        self.open = threading.Event()
        self.open.set()
        self.entered = threading.Semaphore(0)

    def __call__(self, batch):
        self.entered.release()
        assert self.open.wait(WAIT)
        return [np.asarray(sample) * 2 for sample in batch]

    def shut(self):
        """Have the next batches wait."""
        while self.entered.acquire(blocking=False):
            pass
        self.open.clear()


@pytest.fixture
def gate():
    gate = Gate()
    yield gate
    gate.open.set()


@pytest.fixture(scope="module")
def images():
    """A server of images, for tests that leave it as it is."""
    with running(mean_colors(), max_request_bytes=1 << 20) as server:
        yield server


def test_pages(images):
    port = images.port
    assert get(port, "/v2/health/live") == (200, {"live": True})
    for path in ("/v2/health/ready", "/v2/models/model/ready", "/v2/models/model/versions/1/ready"):
        assert get(port, path) == (200, {"ready": True})
    status, server = get(port, "/v2")
    assert (status, server["name"]) == (200, "penstock")
    assert server["version"] == penstock.__version__
    assert "binary_tensor_data" in server["extensions"]
    for path in ("/v2/models/model", "/v2/models/model/versions/1"):
        assert get(port, path)[1] == {
            "name": "model",
            "versions": ["1"],
            "platform": "penstock",
            "inputs": [{"name": "encoded", "datatype": "BYTES", "shape": [-1, 1]}],
            "outputs": [
                {"name": "OUTPUT_0", "datatype": "FP32", "shape": [-1, -1]},
                {"name": "OUTPUT_1", "datatype": "INT64", "shape": [-1, -1]},
            ],
        }
    assert get(port, "/v2/models/model/config")[1]["max_batch_size"] == 8
    status, _, body = request(port, "POST", "/v2/repository/index", b"{}")
    assert json.loads(body) == [{"name": "model", "version": "1", "state": "READY"}]


@pytest.mark.parametrize(
    ("method", "path", "status", "text"),
    [
        ("GET", "/v2/models/other", 404, "no model 'other'; the model here is 'model'"),
        ("GET", "/v2/models/model/versions/2/ready", 404, "'model' of version '2'"),
        ("POST", "/v2/models/other/infer", 404, "no model 'other'"),
        ("GET", "/v3", 404, "GET /v3: Not Found"),
        ("GET", INFER, 405, "Method Not Allowed"),
        ("POST", INFER, 400, "is not JSON"),
    ],
)
def test_wrong_requests_get_an_error_in_json(images, method, path, status, text):
    given, headers, body = request(images.port, method, path)
    assert given == status
    assert headers["Content-Type"].startswith("application/json")
    assert text in json.loads(body)["error"]


def test_a_bad_image_among_concurrent_good_ones_fails_alone(images):
    files = [jpeg(10 + i, 20) if i % 5 else jpeg()[:150] for i in range(40)]
    with ThreadPoolExecutor(16) as clients:
        answers = list(clients.map(lambda file: infer(images.port, *images_request([file])), files))
    for i, (status, message) in enumerate(answers):
        if i % 5:
            shape = message["outputs"][1]
            assert (status, shape["data"], shape["shape"]) == (200, [10 + i, 20, 3], [1, 3])
        else:
            assert status == 400
            assert "DecodeError: JPEG" in message["error"]


def test_the_log_tells_the_operator_that_failed(images, caplog):
    status, message = infer(images.port, *images_request([b"no image"]))
    assert status == 400
    assert "made at" not in message["error"]
    (record,) = caplog.records
    assert record.name == "penstock.serving"
    assert message["error"] in record.getMessage()
    assert "in fn.decoders.image" in record.getMessage()


def test_a_compressed_request(images):
    text, data = images_request([jpeg(), jpeg(5, 6)])
    head = json.dumps(text).encode()
    headers = {"Inference-Header-Content-Length": str(len(head)), "Content-Encoding": "gzip"}
    body = gzip.compress(head + data)
    status, _, body = request(images.port, "POST", INFER, body, headers)
    assert status == 200
    assert json.loads(body)["outputs"][1]["data"] == [40, 60, 3, 5, 6, 3]
    status, _, body = request(images.port, "POST", INFER, b"no gzip", headers)
    assert status == 400


def test_requests_that_are_too_large(images):
    size = (1 << 20) + 1
    large = b"{" + b" " * size
    for body, headers in (
        (large, {}),
        (gzip.compress(large), {"Content-Encoding": "gzip"}),
        (iter([large[: size // 2], large[size // 2 :]]), {}),  # in chunks, of no declared length
    ):
        connection = http.client.HTTPConnection("127.0.0.1", images.port, timeout=WAIT)
        connection.request("POST", INFER, body, headers)
        response = connection.getresponse()
        assert response.status == 413
        assert "the server takes 1,048,576" in json.loads(response.read())["error"]
        connection.close()
    assert infer(images.port, *images_request([jpeg()]))[0] == 200


def test_statistics_count_requests_and_batches():
    with running(doubled()) as server:
        for values in ([1.0], [2.0, 3.0]):
            assert infer(server.port, numbers_request(values))[0] == 200
        statistics = get(server.port, "/v2/models/model/stats")[1]["model_stats"][0]
    assert (statistics["inference_count"], statistics["execution_count"]) == (3, 2)
    assert statistics["inference_stats"]["success"]["count"] == 2
    assert statistics["inference_stats"]["fail"]["count"] == 0
    assert [statistic["batch_size"] for statistic in statistics["batch_stats"]] == [1, 2]
    assert statistics["last_inference"] > 0


def test_requests_that_come_while_the_pipeline_works_share_a_batch(gate):
    with running(by_function(gate)) as server:
        gate.shut()
        ahead = server.model.ahead
        with ThreadPoolExecutor(16) as clients:
            early = []
            for i in range(ahead):
                early.append(clients.submit(infer, server.port, numbers_request([float(i)])))
                wait_for_requests(server, i + 1)
            late = [
                clients.submit(infer, server.port, numbers_request([float(i), 0.5]))
                for i in range(6)
            ]
            wait_for_requests(server, ahead + 6)
            gate.open.set()
            for i, answer in enumerate(early):
                assert answer.result(WAIT)[1]["outputs"][0]["data"] == [i * 2]
            for i, answer in enumerate(late):
                assert answer.result(WAIT)[1]["outputs"][0]["data"] == [i * 2, 1]
        sizes = batch_sizes(server)
    assert sizes == {1: ahead, 8: 1, 4: 1}


def test_threads_without_work_get_requests_at_once(gate):
    with running(by_function(gate, num_threads=6)) as server, ThreadPoolExecutor(9) as clients:
        gate.shut()
        answers = []
        for i in range(9):
            answers.append(clients.submit(infer, server.port, numbers_request([float(i)])))
            wait_for_requests(server, i + 1)
        gate.open.set()
        for i, answer in enumerate(answers):
            assert answer.result(WAIT)[1]["outputs"][0]["data"] == [i * 2]
        assert batch_sizes(server) == {1: 6, 3: 1}


def test_a_batch_waits_for_more_requests_if_it_may():
    with (
        running(doubled(), max_delay=WAIT) as server,
        ThreadPoolExecutor(8) as clients,
    ):
        answers = [
            clients.submit(infer, server.port, numbers_request([float(i)])) for i in range(8)
        ]
        for i, answer in enumerate(answers):
            assert answer.result(WAIT)[1]["outputs"][0]["data"] == [i * 2]
        assert batch_sizes(server) == {8: 1}  # full, so it waited no longer
    with running(doubled(), max_delay=0.05) as server:
        started = time.perf_counter()
        assert infer(server.port, numbers_request([1.0]))[0] == 200
        assert time.perf_counter() - started >= 0.05


def test_a_full_server_refuses_requests(gate):
    with running(by_function(gate), max_requests=4) as server, ThreadPoolExecutor(8) as clients:
        gate.shut()
        answers = [clients.submit(infer, server.port, numbers_request([1.0])) for _ in range(4)]
        wait_for_requests(server, 4)
        status, message = infer(server.port, numbers_request([1.0]))
        assert status == 503
        assert "has 4 requests already" in message["error"]
        assert get(server.port, "/v2/health/ready")[0] == 200
        gate.open.set()
        assert {answer.result(WAIT)[0] for answer in answers} == {200}
        assert infer(server.port, numbers_request([1.0]))[0] == 200


def test_the_bytes_of_all_requests_are_bounded(gate, tuned):
    from penstock.serving import http_server

    tuned(http_server, MOST_BYTES=3000)
    limits = {"max_request_bytes": 2000, "max_response_bytes": 1000}
    with running(by_function(gate), **limits) as server:
        gate.shut()
        with ThreadPoolExecutor(2) as clients:
            padded = numbers_request([1.0]) | {"padding": " " * 1700}
            first = clients.submit(infer, server.port, padded)
            wait_for_requests(server, 1)
            status, message = infer(server.port, padded)
            assert status == 503
            assert "takes no more than 3,000" in message["error"]
            gate.open.set()
            assert first.result(WAIT)[0] == 200


def test_the_request_of_a_client_that_is_gone_is_dropped(gate):
    with running(by_function(gate)) as server, ThreadPoolExecutor(8) as clients:
        gate.shut()
        ahead = server.model.ahead
        answers = []
        for i in range(ahead):
            answers.append(clients.submit(infer, server.port, numbers_request([1.0])))
            wait_for_requests(server, i + 1)
        body = json.dumps(numbers_request([5.0, 6.0])).encode()
        with socket.create_connection(("127.0.0.1", server.port)) as gone:
            head = f"POST {INFER} HTTP/1.1\r\nHost: a\r\nContent-Length: {len(body)}\r\n\r\n"
            gone.sendall(head.encode() + body)
            wait_for_requests(server, ahead + 1)
        wait_for_requests(server, ahead)
        gate.open.set()
        assert {answer.result(WAIT)[0] for answer in answers} == {200}
        assert batch_sizes(server) == {1: ahead}
        assert infer(server.port, numbers_request([1.0]))[0] == 200


def test_a_client_that_breaks_off_its_request_leaves_nothing(images):
    with socket.create_connection(("127.0.0.1", images.port)) as gone:
        gone.sendall(f"POST {INFER} HTTP/1.1\r\nHost: a\r\nContent-Length: 999\r\n\r\n{{".encode())
        wait_for_requests(images, 1)
    wait_for_requests(images, 0)


def test_a_slow_client_loses_its_place(images, tuned):
    from penstock.serving import bodies

    tuned(bodies, BODY_SECONDS=0.1)
    with socket.create_connection(("127.0.0.1", images.port), timeout=WAIT) as slow:
        slow.sendall(f"POST {INFER} HTTP/1.1\r\nHost: a\r\nContent-Length: 999\r\n\r\n{{".encode())
        assert b" 408 " in slow.recv(1000).split(b"\r\n")[0]
    wait_for_requests(images, 0)


def test_a_client_that_does_not_take_its_response_loses_its_place(tuned):
    from penstock.serving import bodies

    @pipeline_def(batch_size=4, num_threads=1)
    def large():
        images = fn.decoders.image(fn.external_source(name="encoded"))
        return fn.resize(images, size=(3000, 3000))

    message, data = images_request([jpeg()])
    head = json.dumps(message | {"parameters": {"binary_data_output": True}}).encode()
    lines = f"POST {INFER} HTTP/1.1\r\nHost: a\r\nContent-Length: {len(head + data)}\r\n"
    lines += f"Inference-Header-Content-Length: {len(head)}\r\n\r\n"
    with running(large()) as server, socket.socket() as slow:
        tuned(bodies, BODY_SECONDS=0.5)
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.connect(("127.0.0.1", server.port))
        slow.sendall(lines.encode() + head + data)
        wait_for_requests(server, 1)
        wait_for_requests(server, 0)


@pipeline_def(batch_size=4, num_threads=1, output_dtype=types.FLOAT, output_ndim=3)
def sized():
    """Images of the size that the request says."""
    image = fn.external_source(name="image", dtype=types.FLOAT, ndim=3, layout="HWC")
    return fn.resize(image, size=fn.external_source(name="size", dtype=types.FLOAT, ndim=1))


def sized_request(side, samples=1, **more):
    """Return the message of a request for images of side x side pixels."""
    image = {"shape": [samples, 2, 2, 3], "data": [0.5] * 12 * samples}
    size = {"shape": [samples, 2], "data": [side, side] * samples}
    tensors = {"image": image, "size": size}
    return {"inputs": [{"name": n, "datatype": "FP32"} | t for n, t in tensors.items()], **more}


@pytest.mark.parametrize("processes", [False, True])
def test_the_size_of_outputs_is_bounded(processes, importable_tests):
    most = 100 * 100 * 3 * 4
    pipeline = sized(exec_processes=processes)
    model = Model("model", pipeline, most_output_bytes=most)
    with served(model, max_response_bytes=most) as server:
        # No memory is taken for it: it would not suffice.
        status, message = infer(server.port, sized_request(250_000))
        assert status == 400
        assert "an output of shape (250000, 250000, 3) and type float32 takes" in message["error"]
        assert f"750,000,000,000 bytes, but may take {most:,}" in message["error"]
        status, message = infer(server.port, sized_request(100))
        assert status == 413
        assert (
            f"the outputs take up to 450,000 bytes; the server sends {most:,}" in message["error"]
        )
        binary = {"parameters": {"binary_data_output": True}}
        for samples, status in ((1, 200), (2, 413)):
            body = json.dumps(sized_request(100, samples, **binary)).encode()
            assert request(server.port, "POST", INFER, body)[0] == status
        assert infer(server.port, sized_request(2))[1]["outputs"][0]["data"] == [0.5] * 12


def test_pages_answer_while_a_large_response_is_written(tuned, monkeypatch):
    from penstock.serving import http_server

    write, writes, go_on = http_server.write_response, threading.Event(), threading.Event()

    def held(*arguments):
        writes.set()
        assert go_on.wait(WAIT)
        return write(*arguments)

    monkeypatch.setattr(http_server, "write_response", held)
    tuned(http_server, LARGE_BYTES=1000)
    with running(sized()) as server, ThreadPoolExecutor(1) as clients:
        answer = clients.submit(infer, server.port, sized_request(300))
        assert writes.wait(WAIT)
        assert get(server.port, "/v2/health/live")[0] == 200
        go_on.set()
        assert answer.result(WAIT)[1]["outputs"][0]["data"] == [0.5] * 300 * 300 * 3


def test_a_batch_that_hangs_makes_the_server_not_ready(gate, tuned):
    from penstock.serving import http_server

    with running(by_function(gate)) as server, ThreadPoolExecutor(1) as clients:
        tuned(http_server, STUCK_SECONDS=0.01)
        gate.shut()
        answer = clients.submit(infer, server.port, numbers_request([2.0]))
        wait_until(lambda: get(server.port, "/v2/health/ready") == (503, {"ready": False}))
        assert get(server.port, "/v2/health/live")[0] == 200
        gate.open.set()
        assert answer.result(WAIT)[0] == 200
        assert get(server.port, "/v2/health/ready") == (200, {"ready": True})


def test_the_end_waits_for_the_requests_in_the_server(gate):
    with (
        running(by_function(gate)) as server,
        ThreadPoolExecutor(4) as clients,
        ExitStack() as ends,
    ):
        gate.shut()
        answers = [clients.submit(infer, server.port, numbers_request([2.0])) for _ in range(4)]
        wait_for_requests(server, 4)
        alive = http.client.HTTPConnection("127.0.0.1", server.port, timeout=WAIT)
        ends.callback(alive.close)
        alive.request("GET", "/v2/health/ready")
        assert alive.getresponse().read() == b'{"ready": true}'
        server.end()
        wait_until(lambda: not server.server._admission.is_open)
        with pytest.raises(ConnectionRefusedError):
            infer(server.port, numbers_request([1.0]))
        alive.request("GET", "/v2/health/ready")
        assert alive.getresponse().status == 503
        assert server.is_alive
        gate.open.set()
        for answer in answers:
            assert answer.result(WAIT)[1]["outputs"][0]["data"] == [4]
        server.join()
    assert server.error is None


def test_a_second_call_ends_the_server_at_once(gate):
    with running(by_function(gate)) as server, ThreadPoolExecutor(1) as clients:
        gate.shut()
        answer = clients.submit(infer, server.port, numbers_request([2.0]))
        wait_for_requests(server, 1)
        server.end()
        server.end()
        with pytest.raises((ConnectionError, http.client.HTTPException)):
            answer.result(WAIT)
        gate.open.set()
        server.join()


def test_a_broken_pipeline_ends_the_server_with_its_error(monkeypatch):
    with running(doubled()) as server:

        def fail(_):
            raise RuntimeError("a thread ended")

        monkeypatch.setattr(server.model, "feed", fail)
        status, message = infer(server.port, numbers_request([1.0]))
        assert status == 500
        assert "the model is broken: a thread ended" in message["error"]
        server.join()
    assert "a thread ended" in str(server.error)


def test_a_server_without_worker_processes_ends(monkeypatch):
    with running(doubled()) as server:
        failed = WholeBatchError("WorkerError: a process died", 500)
        monkeypatch.setattr(server.model, "_result", lambda *_: failed)
        status, message = infer(server.port, numbers_request([1.0]))
        assert status == 500
        assert "WorkerError: a process died" in message["error"]
        server.join()
    assert "a process died" in str(server.error)


def test_a_server_starts_again_on_its_port():
    port = 0
    for _ in range(3):
        with running(doubled(), port=port) as server:
            assert server.port == port or not port
            port = server.port
            assert infer(port, numbers_request([3.0]))[1]["outputs"][0]["data"] == [6]


def batch_sizes(server):
    """Return how many batches of each size the server has computed."""
    statistics = get(server.port, "/v2/models/model/stats")[1]["model_stats"][0]
    return {
        statistic["batch_size"]: statistic["compute_infer"]["count"]
        for statistic in statistics["batch_stats"]
    }


def wait_for_requests(server, count):
    """Wait until so many requests are in the server."""
    wait_until(lambda: server.server._admission._requests == count)


def wait_until(condition):
    deadline = time.monotonic() + WAIT
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)
