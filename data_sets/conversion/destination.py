"""The folder that a conversion writes: refused, continued, or replaced as a whole.

`stored_destination` writes to object stores by the same methods.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING

from ...engine.errors import ArgumentError
from ...readers.storage.index_cache import replace_file
from ...readers.storage.urls import Url, place_of
from ..dataset import Dataset
from ..formats.hashed_file import write_new
from ..formats.writer import Target, Writer
from ..manifest import NAME, Manifest, ShardInfo, read_manifest
from .overlap import check_apart
from .plan import ConvertPlan, run_before
from .task import WORK, sync_folder

if TYPE_CHECKING:
    from ...readers.remote.writing import WritableFolder  # needs optional libraries

_PLAN = "plan.json"
_DONE = f"{WORK}-done"
"""What `WORK` is renamed to before its files go, so that it is whole as long as it is there."""


@dataclass(frozen=True)
class OpenedDestination:
    """A folder that is ready to be written.

    Attributes:
        root: the folder; not the destination itself if an old data set is to be replaced.
        started: when the first run started, in nanoseconds since the epoch.
        ahead: times of change that were later then: see `StoredSamples.times_ahead`.
        store: where the files go that are made in `root`; None if they stay there.
        whole: shards by number that are in the store.
    """

    root: Path
    started: int
    ahead: Mapping[str, int]
    store: WritableFolder | None = None
    whole: Mapping[int, ShardInfo] = field(default_factory=dict)


class Destination:
    """The destination of a conversion.

    If the path is a link to a folder, that folder is written, and the link stays.

    Attributes:
        path: of the folder, without links.
    """

    def __init__(self, path: Path, source: Dataset, *, overwrite: bool, resume: bool) -> None:
        """Take the folder.

        Raises:
            ArgumentError: the folder lies in the source, or the source in the folder.
            FileExistsError: the path is a link that leads nowhere.
        """
        for folder in (path, *path.parents):
            if folder.is_symlink() and not folder.exists():
                raise FileExistsError(
                    f"{folder} is a link to {os.path.realpath(folder)}, which does not exist; "
                    "make that folder, or remove the link"
                )
        self.path = Path(os.path.realpath(path))
        check_apart(self.path, source, replaces=overwrite)
        self._source = source
        self._overwrite, self._resume = overwrite, resume
        self._old = self.path.with_name(f".{self.path.name}.penstock-old")
        self._new = self.path.with_name(f".{self.path.name}.penstock-new")

    def complete(self, plan: ConvertPlan) -> Manifest | None:
        """Return the manifest if `resume` is set and the plan was carried out before.

        An exchange of folders that a run before left unfinished is finished first.
        """
        if os.path.lexists(self._old):
            with self._exchanging():
                self._finish_exchange()
        manifest = read_manifest(self.path)
        if manifest is None or not self._resume or (self.path / WORK).exists():
            return None
        shutil.rmtree(self.path / _DONE, ignore_errors=True)
        return manifest if manifest.plan == plan.digest else None

    @contextmanager
    def _exchanging(self) -> Iterator[None]:
        """Keep other processes from exchanging the folders meanwhile."""
        descriptor = os.open(self.path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            with suppress(OSError):  # some file systems lock no folders
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def _finish_exchange(self) -> None:
        """Put the new data set in the old one's place, and remove the old one.

        A run that was killed may have left the old data set behind, or both beside an empty place.
        """
        if not os.path.lexists(self._old):
            return
        if _is_free(self.path):
            os.replace(self._new if _is_whole(self._new) else self._old, self.path)
        if _is_whole(self.path):
            _remove(self._old)
        sync_folder(self.path.parent)

    @contextmanager
    def opened(self, plan: ConvertPlan) -> Iterator[OpenedDestination]:
        """Make the folder ready, and keep other conversions out of it.

        Raises:
            FileExistsError: the destination holds files that the arguments do not allow to touch.
            ArgumentError: another conversion was cut off there.
        """
        root = self._root()
        if root != self.path and not (self._resume and (root / WORK / _PLAN).exists()):
            shutil.rmtree(root, ignore_errors=True)
        start = self._start_of_run_before(root, plan)
        if start is None:
            started = time.time_ns()
            start = started, self._source.stored.times_ahead(started)
            content = {"plan": plan.fields, "started": started, "ahead": start[1]}
            replace_file(root / WORK / _PLAN, [json.dumps(content).encode()])
        with (root / WORK / _PLAN).open("rb") as lock:
            self._lock(lock)
            for staging in (root / WORK).glob("*.partial"):
                shutil.rmtree(staging)
            yield OpenedDestination(root, *start)

    def _lock(self, file: IO[bytes]) -> None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise FileExistsError(f"another process is converting to {self.path}") from None

    def _root(self) -> Path:
        """Return the folder to write."""
        if _is_free(self.path):
            return self.path
        unfinished = (self.path / WORK).exists()
        if self._overwrite:
            if not unfinished and read_manifest(self.path) is None:
                raise FileExistsError(
                    f"{self.path} holds files, but no data set that a conversion wrote; "
                    "overwrite=True replaces data sets only, so delete it yourself"
                )
            if os.path.ismount(self.path):
                raise FileExistsError(
                    f"{self.path} is a mount point, which no other folder can replace; convert to "
                    "a folder in it"
                )
            return self._new
        if self._resume and unfinished:
            return self.path
        raise FileExistsError(f"{self.path} exists; {advice(unfinished=unfinished)}")

    def _start_of_run_before(
        self, root: Path, plan: ConvertPlan
    ) -> tuple[int, dict[str, int]] | None:
        """Return when the run began that is to go on, and `ahead`; None without such a run."""
        try:
            content = (root / WORK / _PLAN).read_bytes()
        except FileNotFoundError:
            return None
        return run_before(content, plan, str(root / WORK / _PLAN))

    def beat(self) -> None:
        """Do nothing: see `StoredDestination.beat`."""

    def complete_files(
        self,
        writer: type[Writer],
        opened: OpenedDestination,
        target: Target,
        shards: tuple[ShardInfo, ...],
    ) -> Target:
        """See `Writer.complete`."""
        return writer.complete(opened.root, target, shards)

    def write_manifest(self, opened: OpenedDestination, manifest: Manifest) -> None:
        """Make the data set visible."""
        work = opened.root / WORK
        (work / NAME).unlink(missing_ok=True)
        write_new(work / NAME, manifest.to_json().encode(), work)
        os.replace(work / NAME, opened.root / NAME)
        sync_folder(opened.root)

    def discard(self, root: Path) -> None:
        """Remove what the conversion needed, and the folder if nothing else is in it."""
        shutil.rmtree(root / WORK)
        if _is_free(root):
            root.rmdir()

    def put_in_place(self, opened: OpenedDestination) -> None:
        """Remove what the conversion needed, and put the new data set in the old one's place."""
        os.replace(opened.root / WORK, opened.root / _DONE)
        shutil.rmtree(opened.root / _DONE)
        if opened.root != self.path:
            with self._exchanging():
                _remove(self._old)
                os.replace(self.path, self._old)
                self._finish_exchange()
        sync_folder(self.path.parent)


def local_folder(destination: str | os.PathLike[str]) -> Path:
    """Return the path of a folder to write.

    Raises:
        ArgumentError: the destination is a URL.
    """
    place = place_of(destination)
    if isinstance(place, Url):
        raise ArgumentError(
            f"the destination {place} is a URL, but Ray writes data sets to local folders; write a "
            "local folder, and convert it to the URL"
        )
    return place


def advice(*, unfinished: bool) -> str:
    """Return what to do about a destination that exists."""
    if unfinished:
        return "resume=True goes on with the conversion that was cut off there"
    return "choose another destination, or pass overwrite=True to replace the data set"


def _is_free(path: Path) -> bool:
    """Return whether there is nothing, or an empty folder."""
    return not path.exists() or (path.is_dir() and not any(path.iterdir()))


def _is_whole(path: Path) -> bool:
    """Return whether a conversion to a folder was completed."""
    return (path / NAME).exists() and not (path / WORK).exists()


def _remove(path: Path) -> None:
    """Remove a folder, or a link to one, as far as the file system lets us."""
    if path.is_symlink():
        path.unlink()
    else:
        shutil.rmtree(path, ignore_errors=True)
