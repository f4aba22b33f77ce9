"""Servers on loopback for tests and benchmarks: HTTP with faults on demand, and S3.

`range_server.py` is faster, and a process of its own.
"""

from __future__ import annotations

import http.client
import re
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

HOST = "127.0.0.1"
Body = bytes | memoryview
_STALL_SECONDS = 30  # far longer than any test waits; `close` ends it


@dataclass
class ObjectServer:
    """Serves `objects` by path over HTTP/1.1, with ranges; folders are pages of links.

    Attributes:
        objects: content by path, without the leading slash.
        upstream: host and port of a server that requests are passed on to instead.
        ranges, lengths: whether the server knows `Range`, and tells lengths.
        tags: ETags by path, for objects that have one.
        claims: by path, the bytes that an object has by the headers, if they lie.
        latency: seconds before each answer.
        idle_limit: seconds after which an idle connection is closed; None for never.
        faults: what goes wrong with the next requests, one after the other: "" for nothing, a
            status such as "503", or one of
                loop   the answer is a redirect to the same URL
                drop   the connection is closed without an answer
                cut    it is closed in the middle of the body
                stall  nothing more comes after half of the body
                mute   no answer comes at all
                short  one byte fewer than asked for, with headers that say so
                shift  the range after the one asked for
        always: what goes wrong when `faults` is empty.
        requests: (path, Range header or "") of each request, in order of arrival.
        most_at_once: the largest number of requests that waited for `latency` together.
    """

    objects: dict[str, bytes] = field(default_factory=dict)
    upstream: tuple[str, int] | None = None
    ranges: bool = True
    lengths: bool = True
    tags: dict[str, str] = field(default_factory=dict)
    claims: dict[str, int] = field(default_factory=dict)
    latency: float = 0.0
    idle_limit: float | None = None
    faults: deque[str] = field(default_factory=deque)
    always: str = ""
    requests: list[tuple[str, str]] = field(default_factory=list)
    most_at_once: int = 0

    def __post_init__(self) -> None:
        self.closed = threading.Event()
        self._under_way = 0
        self._lock = threading.Lock()
        handler = type("Handler", (_Handler,), {"state": self})
        self._server = QuietServer((HOST, 0), handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self._server.server_port}"

    def close(self) -> None:
        self.closed.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def __enter__(self) -> ObjectServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def begin(self, path: str, wanted: str) -> str:
        """Note a request; return what shall go wrong with it."""
        with self._lock:
            self._under_way += 1
            self.most_at_once = max(self.most_at_once, self._under_way)
            self.requests.append((path, wanted))
            return self.faults.popleft() if self.faults else self.always

    def end(self) -> None:
        with self._lock:
            self._under_way -= 1


class QuietServer(ThreadingHTTPServer):
    request_queue_size = 256
    daemon_threads = True
    block_on_close = False

    def handle_error(self, *_: object) -> None:
        """Say nothing: clients that give up are what the tests are about."""


class _Handler(BaseHTTPRequestHandler):
    state: ObjectServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def setup(self) -> None:
        self.timeout = self.state.idle_limit
        super().setup()

    def log_message(self, *_: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    do_PUT = do_POST = do_DELETE = do_GET  # noqa: N815  (for an upstream)

    def _answer(self) -> None:
        state = self.state
        self._body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        fault = state.begin(self.path.lstrip("/"), self.headers.get("Range", ""))
        if state.latency:
            time.sleep(state.latency)
        state.end()  # before the reply, after which the client may ask again
        self._answer_with(fault)

    def _answer_with(self, fault: str) -> None:
        if fault == "mute":
            self.state.closed.wait(_STALL_SECONDS)
        if fault in ("drop", "mute"):
            self.close_connection = True
        elif fault == "loop":
            self._send(302, {"Location": self.path}, b"")
        elif fault.isdigit():
            self._send(int(fault), {}, b"")
        else:
            reply = self._pass_on() if self.state.upstream else self._reply(fault)
            self._send(*reply, fault)

    def _pass_on(self) -> tuple[int, dict[str, str], Body]:
        connection = http.client.HTTPConnection(*self.state.upstream, timeout=20)
        connection.request(self.command, self.path, self._body, dict(self.headers))
        response = connection.getresponse()
        body = response.read()
        connection.close()
        headers = {k: v for k, v in response.getheaders() if k.lower() not in _OWN_HEADERS}
        return response.status, headers, body

    def _reply(self, fault: str) -> tuple[int, dict[str, str], Body]:
        path = self.path.lstrip("/")
        if path not in self.state.objects:
            return self._folder(path)
        content = self.state.objects[path]
        headers = {"ETag": self.state.tags[path]} if path in self.state.tags else {}
        if self.headers.get("If-Match", headers.get("ETag")) != headers.get("ETag"):
            return 412, headers, b""
        found = re.fullmatch(r"bytes=(\d+)-(\d*)|bytes=-(\d+)", self.headers.get("Range", ""))
        if not found or not self.state.ranges:
            return 200, headers, content
        if found[1]:
            first, last = int(found[1]), min(int(found[2] or len(content)), len(content) - 1)
        else:
            first, last = max(0, len(content) - int(found[3])), len(content) - 1
        if first >= len(content):
            return 416, {"Content-Range": f"bytes */{len(content)}"}, b""
        first, last = first + (fault == "shift"), last - (fault == "short")
        size = self.state.claims.get(path, len(content))
        headers["Content-Range"] = f"bytes {first}-{last}/{size}"
        return 206, headers, memoryview(content)[first : last + 1]

    def _folder(self, path: str) -> tuple[int, dict[str, str], Body]:
        prefix = path.rstrip("/") + "/" if path else ""
        below = [name[len(prefix) :] for name in self.state.objects if name.startswith(prefix)]
        if not below:
            return 404, {}, b"nothing here"
        names = {name.partition("/")[0] + "/" * ("/" in name) for name in below}
        page = "".join(f'<a href="{name}">{name}</a>\n' for name in sorted(names))
        return 200, {"Content-Type": "text/html"}, page.encode()

    def _send(self, status: int, headers: dict[str, str], body: Body, fault: str = "") -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        claim = self.state.claims.get(self.path.lstrip("/"))
        if claim is not None and status == 200:
            self.send_header("Content-Length", str(claim))
            self.close_connection = True
        elif self.state.lengths:
            self.send_header("Content-Length", str(len(body)))
        else:
            self.close_connection = True
        self.end_headers()
        half = len(body) // 2 if fault in ("cut", "stall") else len(body)
        if self.command != "HEAD":
            self.wfile.write(body[:half])
        self.wfile.flush()
        if fault == "stall":
            self.state.closed.wait(_STALL_SECONDS)
        if fault in ("cut", "stall"):
            self.close_connection = True


_OWN_HEADERS = frozenset({"content-length", "transfer-encoding", "connection", "date", "server"})


class S3Server:
    """An S3 service with one bucket, "bucket"; `options` are the `storage_options` for it.

    Requests come through `front`, which can inject faults.
    """

    def __init__(self) -> None:
        from moto.server import ThreadedMotoServer

        self._server = ThreadedMotoServer(ip_address=HOST, port=0, verbose=False)
        self._server.start()
        self.front = ObjectServer(upstream=self._server.get_host_and_port())
        self.options: dict[str, Any] = {
            "key": "test",
            "secret": "test",
            "endpoint_url": self.front.url,
            "client_kwargs": {"region_name": "us-east-1"},
        }
        self._client("PUT", "/bucket")

    def put(self, key: str, content: bytes) -> str:
        """Store an object; return its URL."""
        self._client("PUT", f"/bucket/{key}", content)
        return f"s3://bucket/{key}"

    def _client(self, method: str, path: str, body: bytes = b"") -> None:
        # Any signature will do.
        signed = "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/s3/aws4_request"
        connection = http.client.HTTPConnection(*self._server.get_host_and_port(), timeout=20)
        connection.request(method, path, body, {"Authorization": signed})
        response = connection.getresponse()
        text = response.read()
        connection.close()
        if response.status != 200:
            raise RuntimeError(f"{method} {path}: {response.status} {text!r}")

    def close(self) -> None:
        self.front.close()
        self._server.stop()
