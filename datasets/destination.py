"""The folder that a conversion writes: refused, continued, or replaced as a whole."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from ..engine.errors import ArgumentError, SourceError
from ..readers.storage.index_cache import replace_file
from .manifest import Manifest, read_manifest
from .tasks import WORK, sync_folder

_PLAN = "plan.json"
_DONE = f"{WORK}-done"
"""What `WORK` is renamed to before its files go, so that it is whole as long as it is there."""


@dataclass(frozen=True)
class ConvertPlan:
    """What determines the result of a conversion.

    Attributes:
        fields: the source and the options, as JSON.
        stamp: state of the source's files.
    """

    fields: str
    stamp: str

    @classmethod
    def of(cls, *, stamp: str, **fields: Any) -> ConvertPlan:
        """Return the plan with these fields."""
        return cls(json.dumps(fields | {"stamp": stamp}, sort_keys=True), stamp)

    @property
    def digest(self) -> str:
        """A text that only equal plans share."""
        return hashlib.sha256(self.fields.encode()).hexdigest()

    def difference(self, other: str) -> str:
        """Return the names of the fields that differ from other fields, as JSON."""
        ours, theirs = json.loads(self.fields), json.loads(other)
        names = sorted(name for name in ours if ours[name] != theirs.get(name))
        return ", ".join("the source's files" if name == "stamp" else name for name in names)


@dataclass(frozen=True)
class OpenedDestination:
    """A folder that is ready to be written.

    Attributes:
        root: the folder; not the destination itself if an old data set is to be replaced.
        started: when the first run started, in nanoseconds since the epoch.
    """

    root: Path
    started: int


class Destination:
    """The destination of a conversion."""

    def __init__(self, path: Path, source: str, *, overwrite: bool, resume: bool) -> None:
        """Take the folder.

        Raises:
            ArgumentError: the folder lies in the source, or the source in the folder.
        """
        self.path = Path(os.path.abspath(path))
        origin = Path(os.path.abspath(source))
        if origin == self.path or self.path in origin.parents or origin in self.path.parents:
            raise ArgumentError(f"the destination {path} and the source {origin} overlap")
        self._overwrite, self._resume = overwrite, resume
        self._old = self.path.with_name(f".{self.path.name}.penstock-old")
        self._new = self.path.with_name(f".{self.path.name}.penstock-new")

    def complete(self, plan: ConvertPlan) -> Manifest | None:
        """Return the manifest if `resume` is set and the plan was carried out before."""
        manifest = read_manifest(self.path)
        if manifest is None or not self._resume or (self.path / WORK).exists():
            return None
        shutil.rmtree(self.path / _DONE, ignore_errors=True)
        return manifest if manifest.plan == plan.digest else None

    @contextmanager
    def opened(self, plan: ConvertPlan) -> Iterator[OpenedDestination]:
        """Make the folder ready, and keep other conversions out of it.

        Raises:
            FileExistsError: the destination holds files that the arguments do not allow to touch.
            ArgumentError: another conversion was cut off there.
        """
        if self._overwrite and self._old.exists() and not self.path.exists():
            os.replace(self._old, self.path)  # a run was cut off while it exchanged the folders
        root = self._root()
        if not self._resume and root != self.path:
            shutil.rmtree(root, ignore_errors=True)
        started = self._started(root, plan)
        if started is None:
            started = time.time_ns()
            content = json.dumps({"plan": plan.fields, "started": started}).encode()
            replace_file(root / WORK / _PLAN, [content])
        with (root / WORK / _PLAN).open("rb") as lock:
            self._lock(lock)
            for staging in (root / WORK).glob("*.partial"):
                shutil.rmtree(staging)
            yield OpenedDestination(root, started)

    def _lock(self, file: IO[bytes]) -> None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise FileExistsError(f"another process is converting to {self.path}") from None

    def _root(self) -> Path:
        """Return the folder to write."""
        if not self.path.exists() or (self.path.is_dir() and not any(self.path.iterdir())):
            return self.path
        unfinished = (self.path / WORK).exists()
        if self._overwrite:
            if not unfinished and read_manifest(self.path) is None:
                raise FileExistsError(
                    f"{self.path} holds files, but no data set that a conversion wrote; "
                    "overwrite=True replaces data sets only, so delete it yourself"
                )
            return self._new
        if self._resume and unfinished:
            return self.path
        advice = (
            "resume=True goes on with the conversion that was cut off there"
            if unfinished
            else "choose another destination, or pass overwrite=True to replace the data set"
        )
        raise FileExistsError(f"{self.path} exists; {advice}")

    def _started(self, root: Path, plan: ConvertPlan) -> int | None:
        """Return when the run began that is to go on; None without such a run."""
        try:
            content = json.loads((root / WORK / _PLAN).read_text("utf-8"))
            started, difference = int(content["started"]), plan.difference(content["plan"])
        except FileNotFoundError:
            return None
        except (ValueError, TypeError, KeyError, AttributeError, ArithmeticError) as error:
            raise SourceError(
                f"{root / WORK / _PLAN} is damaged ({type(error).__name__}: {error}); start anew "
                "with overwrite=True"
            ) from None
        if difference:
            raise ArgumentError(
                f"{root}: the conversion that was cut off there had other values of: {difference}; "
                "repeat it with the same values, or start anew with overwrite=True"
            )
        return started

    def put_in_place(self, opened: OpenedDestination) -> None:
        """Remove what the conversion needed, and put the new data set in the old one's place."""
        os.replace(opened.root / WORK, opened.root / _DONE)
        shutil.rmtree(opened.root / _DONE)
        if opened.root != self.path:
            shutil.rmtree(self._old, ignore_errors=True)
            os.replace(self.path, self._old)
            os.replace(opened.root, self.path)
            shutil.rmtree(self._old)
        sync_folder(self.path.parent)
