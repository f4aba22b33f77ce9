"""The routes of the Hugging Face Hub for data sets, on loopback, for tests and benchmarks.

The real huggingface_hub is the client: the variable HF_ENDPOINT leads it here.
`python hub_server.py user/name FOLDER` serves a folder until its input ends, and prints the URL.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import re
import sys
import threading
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from aiohttp import web

HOST = "127.0.0.1"
_RANGE = re.compile(r"bytes=(\d+)-(\d+)")


def lead_client(monkeypatch, server):
    """Have huggingface_hub, here and in other processes, take a server for the Hub."""
    from huggingface_hub import constants

    monkeypatch.setenv("HF_ENDPOINT", server.url)
    monkeypatch.setenv("HF_HUB_DISABLE_XET", "1")
    monkeypatch.delenv("HF_TOKEN", raising=False)
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):  # which other tests set
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    if "datasets" in sys.modules:
        monkeypatch.setattr(sys.modules["datasets"].config, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "ENDPOINT", server.url)
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
    monkeypatch.setattr(constants, "HF_TOKEN_PATH", "/nowhere/token")


def commit_of(files):
    """Return the name of a commit that holds files."""
    names = [[path, hashlib.sha1(content).hexdigest()] for path, content in sorted(files.items())]
    return hashlib.sha1(json.dumps(names).encode()).hexdigest()


@dataclass
class Repo:
    """A data set: its commits, its branches, and who may read what.

    Attributes:
        commits: files by path, by commit.
        branches: commits by name.
        token: what readers need if it is private or gated; "" if all may read.
        gated: whether all may list it, but only the token may read it.
    """

    commits: dict[str, dict[str, bytes]] = field(default_factory=dict)
    branches: dict[str, str] = field(default_factory=dict)
    token: str = ""
    gated: bool = False

    def push(self, files, branch="main"):
        """Add a commit with these files alone; return it."""
        commit = commit_of(files)
        self.commits[commit] = dict(files)
        self.branches[branch] = commit
        return commit

    def commit(self, revision):
        """Return the commit of a revision; None if there is none."""
        commit = self.branches.get(revision, revision)
        return commit if commit in self.commits else None


@dataclass
class HubServer:
    """Attributes:
    repos: by "user/name".
    redirects: whether files lie behind another URL, as large ones do on the Hub.
    delay: seconds before each answer with bytes of files.
    requests: (method, path, Range) of each request.
    nbytes: bytes of files that were sent.
    refused: tokens of URLs of files that are not served any longer: they have expired.
    """

    repos: dict[str, Repo] = field(default_factory=dict)
    redirects: bool = False
    delay: float = 0.0
    requests: list[tuple[str, str, str]] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)
    nbytes: int = 0
    uploads: dict[str, bytes] = field(default_factory=dict)
    signature: int = 0
    refuses_commits: bool = False

    def __enter__(self):
        self._loop = asyncio.new_event_loop()
        started = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(started,), daemon=True)
        self._thread.start()
        assert started.wait(30)
        return self

    def __exit__(self, *_):
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def counts(self):
        """Return how many requests came, by kind: "api", "resolve" and "cdn"."""
        kinds = {"datasets": "resolve"}
        parts = [path.split("/")[1] for _, path, _ in self.requests if "harness" not in path]
        return Counter(kinds.get(part, part) for part in parts)

    def _run(self, started):
        asyncio.set_event_loop(self._loop)
        app = web.Application(middlewares=[self._note], client_max_size=1 << 30)
        api, repo = "/api/datasets/{user}/{name}", "/datasets/{user}/{name}"
        app.add_routes(
            [
                web.get(api, self._info),
                web.get(api + "/revision/{revision}", self._info),
                web.get(repo + "/resolve/{revision}/{path:.*}", self._resolve),
                web.get("/cdn/{signature}/{user}/{name}/{revision}/{path:.*}", self._cdn),
                web.post("/api/repos/create", self._create),
                web.post("/api/validate-yaml", self._no_warnings),
                web.post(api + "/preupload/{revision}", self._preupload),
                web.post(repo + ".git/info/lfs/objects/batch", self._batch),
                web.put("/upload/{oid}", self._upload),
                web.post(api + "/commit/{revision}", self._commit),
            ]
        )
        runner = web.AppRunner(app, access_log=None)
        self._loop.run_until_complete(runner.setup())
        site = web.TCPSite(runner, HOST, 0)
        self._loop.run_until_complete(site.start())
        self.url = f"http://{HOST}:{runner.addresses[0][1]}"
        self._loop.call_soon(started.set)
        self._loop.run_forever()
        self._loop.run_until_complete(runner.cleanup())

    @web.middleware
    async def _note(self, request, handler):
        self.requests.append((request.method, request.path, request.headers.get("Range", "")))
        self.tokens.append(request.headers.get("Authorization", ""))
        return await handler(request)

    def _repo(self, request, *, of_files=False):
        """Return the data set of a request; raise the Hub's answer if it may not be seen."""
        repo = self.repos.get(f"{request.match_info['user']}/{request.match_info['name']}")
        may = repo and repo.token in ("", request.headers.get("Authorization", "")[7:])
        if repo is None or not (may or repo.gated):
            raise _refused(web.HTTPUnauthorized, "RepoNotFound")
        if of_files and not may:
            raise _refused(web.HTTPForbidden, "GatedRepo")
        revision = request.match_info.get("revision", "main")
        commit = repo.commit(revision)
        if commit is None:
            raise _refused(web.HTTPNotFound, "RevisionNotFound")
        return repo, commit

    async def _info(self, request):
        repo, commit = self._repo(request)
        blobs = request.query.get("blobs", "").lower() == "true"
        files = [
            {
                "rfilename": path,
                **({"size": len(c), "blobId": hashlib.sha1(c).hexdigest()} if blobs else {}),
            }
            for path, c in repo.commits[commit].items()
        ]
        name = f"{request.match_info['user']}/{request.match_info['name']}"
        common = {"private": bool(repo.token), "tags": [], "downloads": 0, "likes": 0}
        return web.json_response({"id": name, "sha": commit, "siblings": files, **common})

    async def _resolve(self, request):
        repo, commit = self._repo(request, of_files=True)
        path = request.match_info["path"]
        content = repo.commits[commit].get(path)
        if content is None:
            raise _refused(web.HTTPNotFound, "EntryNotFound")
        headers = {
            "ETag": f'"{hashlib.sha1(content).hexdigest()}"',
            "X-Repo-Commit": commit,
            "X-Linked-Size": str(len(content)),
        }
        if self.redirects:
            user, name = request.match_info["user"], request.match_info["name"]
            host = self.url.replace(HOST, "localhost")  # another one, as on the Hub
            place = f"{host}/cdn/{self.signature}/{user}/{name}/{commit}/{path}"
            return web.Response(status=302, headers={**headers, "Location": place})
        return await self._ranged(request, content, headers)

    async def _cdn(self, request):
        if int(request.match_info["signature"]) != self.signature:
            return web.Response(status=403, text="Request has expired")
        repo = self.repos[f"{request.match_info['user']}/{request.match_info['name']}"]
        content = repo.commits[request.match_info["revision"]][request.match_info["path"]]
        return await self._ranged(request, content, {"ETag": '"another"'})

    async def _ranged(self, request, content, headers):
        if self.delay:
            await asyncio.sleep(self.delay)
        match = _RANGE.fullmatch(request.headers.get("Range", ""))
        status, size = 200, len(content)
        if match and int(match[1]) >= size:
            return web.Response(status=416, headers={"Content-Range": f"bytes */{size}"})
        if match:
            first, last = int(match[1]), min(int(match[2]), size - 1)
            content, status = content[first : last + 1], 206
            headers = {**headers, "Content-Range": f"bytes {first}-{last}/{size}"}
        if request.method == "GET":
            self.nbytes += len(content)
        return web.Response(status=status, body=content, headers=headers)

    async def _create(self, request):
        body = await request.json()
        name = f"{body.get('organization') or 'user'}/{body['name']}"
        if name in self.repos:
            return web.json_response({"error": "exists"}, status=409)
        self.repos[name] = Repo()
        self.repos[name].push({".gitattributes": b""})
        return web.json_response({"url": f"{self.url}/datasets/{name}"})

    async def _no_warnings(self, _):
        return web.json_response({"errors": [], "warnings": []})

    async def _preupload(self, request):
        self._repo(request)
        rows = [
            {
                "path": file["path"],
                "uploadMode": "lfs" if file["size"] > 1000 else "regular",
                "shouldIgnore": False,
            }
            for file in (await request.json())["files"]
        ]
        return web.json_response({"files": rows})

    async def _batch(self, request):
        objects = [
            {**row, "actions": {"upload": {"href": f"{self.url}/upload/{row['oid']}"}}}
            for row in (await request.json())["objects"]
        ]
        return web.json_response({"objects": objects, "transfer": "basic"})

    async def _upload(self, request):
        content = await request.read()
        if hashlib.sha256(content).hexdigest() != request.match_info["oid"]:
            return web.Response(status=400)
        self.uploads[request.match_info["oid"]] = content
        return web.Response()

    async def _commit(self, request):
        repo, commit = self._repo(request)
        if self.refuses_commits:
            return web.json_response({"error": "no right to write"}, status=403)
        files = dict(repo.commits[commit])
        for line in (await request.text()).splitlines():
            entry = json.loads(line)
            value = entry["value"]
            parent = value.get("parentCommit") if entry["key"] == "header" else None
            if parent and parent != commit:
                return web.json_response({"error": "A commit has happened since"}, status=412)
            if entry["key"] == "file":
                files[value["path"]] = base64.b64decode(value["content"])
            elif entry["key"] == "lfsFile":
                files[value["path"]] = self.uploads[value["oid"]]
            elif entry["key"] == "deletedFile":
                del files[value["path"]]
            elif entry["key"] == "deletedFolder":
                files = {p: c for p, c in files.items() if not p.startswith(value["path"])}
        made = repo.push(files, request.match_info["revision"])
        place = f"{self.url}{request.path.replace('/api', '')}".rpartition("/")[0]
        return web.json_response({"commitOid": made, "commitUrl": f"{place}/{made}"})


def _refused(status, code):
    return status(headers={"X-Error-Code": code, "X-Error-Message": code})


def main():
    """Serve a folder."""
    name, folder = sys.argv[1:]
    root = Path(folder)
    files = {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}
    with HubServer() as server:
        server.repos[name] = Repo()
        server.repos[name].push(files)
        print(server.url, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
