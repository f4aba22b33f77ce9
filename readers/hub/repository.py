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
    return hub().repository(name)


class Hub:
    """The Hub at one address, and the data sets that were asked for last. Thread-safe.

    Attributes:
        address: the URL that all its files and its API lie below.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self._kept: OrderedDict[HubName, Repository] = OrderedDict()
        self._commits: dict[HubName, str] = {}
        self._keeping, self._asking = Lock(), Lock()

    def repository(self, name: HubName) -> Repository:
        """Return the data set at a commit; threads that ask for one list wait for one request.

        Of another revision, the list is asked for each time.
        """
        root = name._replace(path="")
        found = None if name.is_pinned else self._listed(root)
        with self._keeping:
            found = found or self._kept.get(root) or self._listed(root)
            self._kept[found.name] = found
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return found

    def pinned_once(self, url: str) -> HubName:
        """Return the parts of a name with a commit; each revision is asked for once.

        For names that come with samples, such as those of a list. Readers pin their arguments.
        """
        name = hub_name(url)
        if name.is_pinned:
            return name
        root = name._replace(path="")
        with self._asking:  # other threads wait for the answer
            commit = self._commits.get(root) or self.repository(root).name.revision
            self._commits[root] = commit
        return name._replace(revision=commit)

    def _listed(self, name: HubName) -> Repository:
        library = hub_library()
        try:
            info = library.HfApi(endpoint=self.address, library_name="penstock").dataset_info(
                name.repo, revision=name.revision or None, files_metadata=True, timeout=_SECONDS
            )
        except Exception as error:
            raise refusal(name, error) from None
        files = {
            file.rfilename: HubFile(int(file.size or 0), str(file.blob_id or ""))
            for file in info.siblings or ()
        }
        return Repository(HubName(name.repo, str(info.sha), ""), files)


_hub_at = lru_cache(Hub)


def hub() -> Hub:
    """Return the Hub that huggingface_hub asks."""
    return _hub_at(str(hub_library().constants.ENDPOINT))


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
        f"The Hub refuses access: ask for it at {hub().address}/datasets/{name.repo}, then log in "
        "by `hf auth login` or set HF_TOKEN"
    )
