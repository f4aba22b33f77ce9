"""A fast server of ranges, in a process of its own: over HTTP, and as a bucket of S3.

    python range_server.py FOLDER [--delay SECONDS] [--fault STATUS --every N]

Serves the files of a folder from memory, with ETags and `If-Match`. Prints its URL. Answers
`/stats` with the requests and bytes since the last such question. Ends with its input.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import re
import sys
from pathlib import Path

from aiohttp import web

HOST = "127.0.0.1"
_RANGE = re.compile(r"bytes=(\d*)-(\d*)")


class Objects:
    """The files, and what was asked for."""

    def __init__(self, folder: Path, delay: float, fault: int, every: int) -> None:
        files = [path for path in folder.rglob("*") if path.is_file()]
        self._contents = {str(path.relative_to(folder)): path.read_bytes() for path in files}
        self._tags = {n: f'"{hashlib.md5(c).hexdigest()}"' for n, c in self._contents.items()}
        self._delay, self._fault, self._every = delay, fault, every
        self._requests = self._bytes = self._all = 0

    async def get(self, request: web.Request) -> web.StreamResponse:
        self._requests += 1
        self._all += 1
        if self._delay:
            await asyncio.sleep(self._delay)
        if self._every and self._all % self._every == 0:
            return web.Response(status=self._fault)
        name = request.match_info["name"]
        if name not in self._contents:
            return web.Response(status=404)
        content, headers = memoryview(self._contents[name]), {"ETag": self._tags[name]}
        if request.headers.get("If-Match", headers["ETag"]) != headers["ETag"]:
            return web.Response(status=412)
        found = _RANGE.fullmatch(request.headers.get("Range", ""))
        if not found:
            self._bytes += len(content)
            return web.Response(body=bytes(content), headers=headers)
        last = len(content) - 1
        first, end = (int(found[1]), int(found[2] or last)) if found[1] else (-1, last)
        first = max(0, len(content) - int(found[2])) if first < 0 else first
        end = min(end, last)
        headers["Content-Range"] = f"bytes {first}-{end}/{len(content)}"
        self._bytes += end + 1 - first
        return web.Response(status=206, body=bytes(content[first : end + 1]), headers=headers)

    async def stats(self, _: web.Request) -> web.Response:
        answer = web.json_response({"requests": self._requests, "bytes": self._bytes})
        self._requests = self._bytes = 0
        return answer


async def serve(objects: Objects) -> None:
    application = web.Application()
    application.add_routes(
        [
            web.get("/stats", objects.stats),
            web.get("/bucket/{name:.*}", objects.get),
            web.get("/{name:.*}", objects.get),
        ]
    )
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, HOST, 0)
    await site.start()
    print(f"http://{HOST}:{runner.addresses[0][1]}", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    await runner.cleanup()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--delay", type=float, default=0.0)
    parser.add_argument("--fault", type=int, default=503)
    parser.add_argument("--every", type=int, default=0)
    options = parser.parse_args()
    asyncio.run(serve(Objects(options.folder, options.delay, options.fault, options.every)))


if __name__ == "__main__":
    main()
