"""A destination in an object store: shards appear under their final names, `dataset.json` last.

A conversion keeps what it needs in `.penstock-convert/` of the destination, so that another machine
can go on with it:

writer.json            who is writing: see `Claim`
plan.json              the plan, and when the first run began
shard-00000.json ...   the shards that are whole: names, sizes, SHA-256 and ETags of their files
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from inspect import getattr_static
from pathlib import Path
from typing import Any

from ...engine.errors import ArgumentError
from ...readers.remote.writing import WritableFolder
from ...readers.storage.read_team import READ_TEAM
from ...readers.storage.urls import is_url, shown
from ..dataset import Dataset
from ..formats.writer import Target, Writer
from ..manifest import NAME, Manifest, ShardInfo, tombstone_text
from .claim import Claim
from .destination import OpenedDestination, advice
from .plan import ConvertPlan, run_before
from .task import WORK

_PLAN = f"{WORK}/plan.json"


class StoredDestination:
    """The destination of a conversion in a store: see `Destination`.

    Attributes:
        path: URL of the folder.
        store: its objects.
    """

    def __init__(
        self, store: WritableFolder, source: Dataset, *, overwrite: bool, resume: bool
    ) -> None:
        """Take the folder.

        Raises:
            ArgumentError: the folder and the source overlap.
        """
        self.path, self.store = store.url, store
        self._source, self._overwrite, self._resume = source, overwrite, resume
        self._claim = Claim(self.store, f"{WORK}/writer.json")
        own = f"{self.path.text}/"
        for path in filter(is_url, [source.path, *source.stored.files()]):
            if own.startswith(f"{path.rstrip('/')}/") or path.startswith(own):
                raise ArgumentError(
                    f"the destination {self.path} and the source {source.place} overlap: "
                    f"{shown(path)} belongs to both"
                )

    def complete(self, plan: ConvertPlan) -> Manifest | None:
        manifest = self._manifest()
        if manifest is None or not self._resume or manifest.plan != plan.digest:
            return None
        self._remove_work(self.store.listed())
        return manifest

    def _manifest(self) -> Manifest | None:
        """Return the manifest; None if there is none, or that of a data set being replaced."""
        try:
            text = self.store.read(NAME).decode("utf-8", "replace")
        except FileNotFoundError:
            return None
        if text == tombstone_text():
            return None
        return Manifest.from_json(text, str(self.path / NAME))

    @contextmanager
    def opened(self, plan: ConvertPlan) -> Iterator[OpenedDestination]:
        """See `Destination.opened`. Files are made in a local folder, which goes at the end."""
        found = self.store.listed()
        unfinished = any(name.startswith(f"{WORK}/") for name in found)
        if found and not self._overwrite and not (self._resume and unfinished):
            raise FileExistsError(f"{self.path} exists; {advice(unfinished=unfinished)}")
        if found and self._overwrite and not unfinished and self._manifest() is None:
            raise FileExistsError(
                f"{self.path} holds objects, but no data set that a conversion wrote; "
                "overwrite=True replaces data sets only, so delete them yourself"
            )
        self._claim.take()
        try:
            found = self.store.listed()
            before = self._run_before(plan, found)
            if before is None:
                before = self._begin(plan, found)
                found = {}
            root = _new_folder(self.path.text)
            (root / WORK).mkdir()
            try:
                yield OpenedDestination(root, *before, self.store, self._whole(found))
            finally:
                shutil.rmtree(root)
        except BaseException:
            self._claim.release()
            raise

    def _run_before(
        self, plan: ConvertPlan, found: Mapping[str, object]
    ) -> tuple[int, dict[str, int]] | None:
        if not self._resume or _PLAN not in found:
            return None
        return run_before(self.store.read(_PLAN), plan, str(self.path / _PLAN))

    def _begin(self, plan: ConvertPlan, found: Mapping[str, Any]) -> tuple[int, dict[str, int]]:
        """Write the plan. Readers of an old data set get an error from now on, and no mixture."""
        if NAME in found:
            self.store.write(NAME, tombstone_text().encode(), known=found[NAME])
        kept = {NAME, self._claim.name}
        READ_TEAM.run_jobs(self.store.delete, [name for name in found if name not in kept])
        started = time.time_ns()
        ahead = dict(self._source.stored.times_ahead(started))
        content = {"plan": plan.fields, "started": started, "ahead": ahead}
        self.store.write(_PLAN, json.dumps(content).encode())
        return started, ahead

    def _whole(self, found: Mapping[str, Any]) -> dict[int, ShardInfo]:
        """Return the shards that are recorded, and whose files have their sizes and ETags."""
        whole: dict[int, ShardInfo] = {}

        def look(name: str) -> None:
            try:
                record = json.loads(self.store.read(name))
                shard = ShardInfo.from_json(record)
                for file in shard.files:
                    there, tag = found[file.name], record["tags"][file.name]
                    # Azure lists its tags without the quotes that they have elsewhere.
                    if there.size != file.bytes or there.tag.strip('"') != tag.strip('"'):
                        return
            except (ValueError, KeyError, TypeError):
                return
            whole[int(name.rpartition("-")[2].partition(".")[0])] = shard

        begin = f"{WORK}/shard-"
        READ_TEAM.run_jobs(look, [n for n in found if n.startswith(begin) and n.endswith(".json")])
        return whole

    def beat(self) -> None:
        """Say from time to time that this process is at work.

        Raises:
            FileExistsError: another process took over.
        """
        self._claim.renew()

    def complete_files(
        self,
        writer: type[Writer],
        opened: OpenedDestination,
        target: Target,
        shards: tuple[ShardInfo, ...],
    ) -> Target:
        """Write the files that all shards share, out of those that the shards have for this."""
        if getattr_static(writer, "complete") is getattr_static(Writer, "complete"):
            return target
        names = [file.name for shard in shards for file in shard.files]
        folders = {name.rpartition("/")[0] for name in self.store.listed() if "/" in name}
        for folder in folders:
            (opened.root / folder).mkdir(parents=True, exist_ok=True)
        READ_TEAM.run_jobs(partial(self._fetch, opened.root), names)
        target = writer.complete(opened.root, target, shards)
        for path in sorted(opened.root.rglob("*")):
            name = path.relative_to(opened.root).as_posix()
            if path.is_file() and name not in names:
                self.store.write(name, path)
        return target

    def _fetch(self, root: Path, name: str) -> None:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(self.store.read(name))

    def write_manifest(self, opened: OpenedDestination, manifest: Manifest) -> None:
        """Make the data set visible, unless another process took over."""
        self._claim.renew(at_once=True)
        found = self.store.listed().get(NAME)
        content = manifest.to_json().encode()
        self.store.write(NAME, content, known=found, create=found is None)

    def put_in_place(self, opened: OpenedDestination) -> None:
        """Remove what the conversion needed."""
        self._remove_work(self.store.listed())

    def discard(self, root: Path) -> None:
        """Remove what the conversion wrote."""
        found = self.store.listed()
        READ_TEAM.run_jobs(self.store.delete, [n for n in found if n != self._claim.name])
        self._claim.release()

    def _remove_work(self, found: Mapping[str, object]) -> None:
        """Remove the plan last but the claim: without it, nothing could go on."""
        work = [name for name in found if name.startswith(f"{WORK}/")]
        last = [_PLAN, self._claim.name]
        READ_TEAM.run_jobs(self.store.delete, [name for name in work if name not in last])
        for name in last:
            if name in work:
                self.store.delete(name)


def _new_folder(url: str) -> Path:
    """Return a new local folder for the files on their way; remove those of killed runs."""
    prefix = f"penstock-convert-{hashlib.sha256(url.encode()).hexdigest()[:16]}-"
    for old in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
        shutil.rmtree(old, ignore_errors=True)  # another user's stays
    return Path(tempfile.mkdtemp(prefix=prefix))
