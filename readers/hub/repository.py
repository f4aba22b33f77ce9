"""The commit and the files of a data set on the Hub."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from errno import EACCES, ENOENT
from functools import lru_cache
from threading import Lock
from types import ModuleType
from typing import NamedTuple

from ...engine.errors import ArgumentError, MissingDependencyError, SourceError, install_hint
from ..source import UnavailableError
from ..storage.urls import shown
from .names import HubName, hub_name, is_on_hub

_KEPT = 32
"""Commits whose lists of files a process keeps."""

_SECONDS = 60.0
"""Seconds until a request to the API is given up; the list of a large data set takes some."""


class HubFile(NamedTuple):
    """A file: its size in bytes, and the Hub's name for its content."""

    size: int
    mark: str


class Repository:
    """A data set at one commit.

    Attributes:
        name: of its root, with the commit.
        files: all files, by path.
    """

    def __init__(self, name: HubName, files: Mapping[str, HubFile]) -> None:
        self.name = name
        self.files = dict(sorted(files.items()))
        self._names: dict[str, list[str]] = {}
        self._inner: dict[str, set[str]] = {}
        for path in self.files:
            folder, _, file = path.rpartition("/")
            self._names.setdefault(folder, []).append(file)
            while folder:
                above, _, inner = folder.rpartition("/")
                self._inner.setdefault(above, set()).add(inner)
                folder = above

    def folder(self, path: str) -> tuple[list[str], list[str]]:
        """Return the names of the files and of the folders in a folder, sorted; or none."""
        path = path.strip("/")
        return self._names.get(path, []), sorted(self._inner.get(path, ()))

    def file(self, path: str) -> HubFile:
        """Return a file.

        Raises:
            FileNotFoundError: there is no such file.
        """
        if path not in self.files:
            name = str(self.name._replace(path=path))
            raise FileNotFoundError(ENOENT, "There is no such file on the Hub", name)
        return self.files[path]


def hub_library() -> ModuleType:
    """Import huggingface_hub; say what to install if it is missing."""
    try:
        import huggingface_hub.constants
        import huggingface_hub.errors
        import huggingface_hub.utils
    except ImportError as error:
        raise MissingDependencyError(
            f"hf:// names need huggingface_hub ({error}): {install_hint('hub')}"
        ) from error
    return huggingface_hub


def pinned(path: str, known: Mapping[str, str] | None = None) -> str:
    """Return a name with the commit that its revision stands for; other paths as they are.

    Args:
        path: a path, a URL or a name on the Hub.
        known: commits by "user/name@revision", which are not asked for.

    Raises:
        ArgumentError: it is no name of a data set, or there is no such revision.
        OSError: there is no such data set, or it may not be read.
    """
    if not is_on_hub(path):
        return path
    name = hub_name(path)
    if name.is_pinned:
        return str(name)
    commit = (known or {}).get(revision_key(name)) or repository(name).name.revision
    return str(name._replace(revision=commit))


def pinned_once(url: str) -> str:
    """Return a name with a commit; a process asks for each revision once.

    For names that come with samples, such as those of a list. Readers pin their arguments.
    """
    name = hub_name(url)
    if name.is_pinned:
        return str(name)
    with _ASKING:  # other threads wait for the answer
        commit = _commit_of(_endpoint(), name._replace(path=""))
    return str(name._replace(revision=commit))


_ASKING = Lock()


@lru_cache(_KEPT)
def _commit_of(_: str, root: HubName) -> str:
    return repository(root).name.revision


def pins(paths: Sequence[str], known: Mapping[str, str]) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return paths with commits in place of revisions, and the commits: see `pinned`."""
    found: list[str] = []
    commits: dict[str, str] = {}
    for path in paths:
        found.append(pinned(path, {**known, **commits}))
        if is_on_hub(path):
            commits[revision_key(hub_name(path))] = hub_name(found[-1]).revision
    return tuple(found), commits


def revision_key(name: HubName) -> str:
    """Return what names a data set and a revision, such as "user/name@main"."""
    return f"{name.repo}@{name.revision or 'main'}"


def repository(name: HubName) -> Repository:
    """Return the data set that a name belongs to; the list of a commit is asked for once."""
    root = name._replace(path="")
    return _LISTS.get(root) if name.is_pinned else _LISTS.keep(_listed(root))


def _endpoint() -> str:
    return str(hub_library().constants.ENDPOINT)


class _Lists:
    """The data sets that were asked for last, by endpoint, name and commit. Thread-safe."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, HubName], Repository] = OrderedDict()
        self._lock = Lock()

    def get(self, name: HubName) -> Repository:
        """Return the data set at a commit; threads that ask for one list wait for one request."""
        with self._lock:
            found = self._kept.get((_endpoint(), name))
            return found or self._entered(_listed(name))

    def keep(self, found: Repository) -> Repository:
        """Keep a list."""
        with self._lock:
            return self._entered(found)

    def _entered(self, found: Repository) -> Repository:
        self._kept[_endpoint(), found.name] = found
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return found


_LISTS = _Lists()


def _listed(name: HubName) -> Repository:
    hub = hub_library()
    try:
        info = hub.HfApi(library_name="penstock").dataset_info(
            name.repo, revision=name.revision or None, files_metadata=True, timeout=_SECONDS
        )
    except Exception as error:
        raise refusal(name, error) from None
    files = {
        file.rfilename: HubFile(int(file.size or 0), str(file.blob_id or ""))
        for file in info.siblings or ()
    }
    return Repository(HubName(name.repo, str(info.sha), ""), files)


def refusal(name: HubName, error: Exception) -> Exception:
    """Return the exception for an error of huggingface_hub."""
    errors = hub_library().errors
    root = str(name._replace(path=""))
    if isinstance(error, RuntimeError) and isinstance(error.__cause__, Exception):
        error = error.__cause__  # of a file that could not be sent
    reason = shown(str(error).strip().split("\n", 1)[0][:300])
    if isinstance(error, errors.GatedRepoError):
        return PermissionError(EACCES, gated(name), root)
    if isinstance(error, errors.RevisionNotFoundError):
        return ArgumentError(f"{root}: the Hub has no revision {name.revision or 'main'!r} of it")
    if isinstance(error, errors.RepositoryNotFoundError):
        return FileNotFoundError(
            ENOENT,
            "There is no such data set on the Hub, or it is private: for a private one, log in by "
            "`hf auth login` or set HF_TOKEN",
            root,
        )
    if isinstance(error, errors.HfHubHTTPError):
        status = getattr(error.response, "status_code", 0)
        if status in (401, 403):
            return PermissionError(
                EACCES, f"The Hub refuses access (status {status}); see `hf auth login`", root
            )
        if status < 500 and status not in (408, 429):
            return SourceError(f"{root}: the Hub answered: {reason}")
    if isinstance(error, errors.HFValidationError):
        return ArgumentError(f"{root}: {reason}")
    named = f"{type(error).__name__}: {reason}"
    is_of_network = type(error).__module__.partition(".")[0].startswith("httpx")
    if is_of_network or isinstance(error, (OSError, errors.OfflineModeIsEnabled)):
        return UnavailableError(f"{root}: the Hub does not answer ({named})")
    return SourceError(f"{root}: huggingface_hub failed ({named})")


def gated(name: HubName) -> str:
    """Return what to do if a data set is gated or private."""
    return (
        f"The Hub refuses access: ask for it at {_endpoint()}/datasets/{name.repo}, then log in by "
        "`hf auth login` or set HF_TOKEN"
    )
