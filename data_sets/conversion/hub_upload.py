"""Conversions to the Hugging Face Hub: shards are staged here, and go there in one commit.

`HfApi.create_commit` takes all files at once: readers see the old data set or the new one, and
never a half. Files that an earlier attempt has sent are not sent again, because the Hub knows them
by their content.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path

from ...engine.errors import ArgumentError
from ...readers.hub.names import HubName, hub_name, is_on_hub
from ...readers.hub.repository import Repository, hub_library, refusal, repository
from ...readers.listing.cards import NAME as CARD
from ...readers.storage.index_cache import cache_folder
from ...readers.storage.urls import place_of
from ..formats.dataset_format import DatasetFormat
from ..formats.loose_files import LooseFileWriter
from ..manifest import NAME, Manifest, read_manifest

_CHANGED = 412  # the status for a commit whose parent is no longer the newest one


class HubUpload:
    """The upload of a conversion.

    Attributes:
        folder: where the shards are staged; the same for each run to one destination.
    """

    def __init__(self, destination: str, format: DatasetFormat, *, overwrite: bool) -> None:
        """Take the destination.

        Raises:
            ArgumentError: the name has a commit, or the format writes a file for each sample.
            FileExistsError: a data set lies there already, and `overwrite` is not set.
            OSError: there is no such data set on the Hub, or it may not be read.
        """
        name = hub_name(destination)
        self._to = name._replace(path=name.path.strip("/"))
        if name.is_pinned:
            raise ArgumentError(f"{destination} names a commit; name a branch to write to")
        if format.writer is not None and issubclass(format.writer, LooseFileWriter):
            raise ArgumentError(
                f"{destination}: the format {format.name!r} writes a file for each sample, which "
                "are too many for one commit; choose one of shards, such as 'parquet'"
            )
        self._before = repository(name)
        self._old = self._old_files(overwrite)
        digest = hashlib.sha256(str(self._to).encode()).hexdigest()[:16]
        self.folder = cache_folder() / "hub" / f"{name.repo.replace('/', '--')}-{digest}"
        self.folder.parent.mkdir(parents=True, exist_ok=True)

    def _old_files(self, overwrite: bool) -> list[str]:
        """Return the paths of the files of the data set that is replaced."""
        inside = [path for path in self._before.files if path.startswith(self._prefix)]
        if self._prefix + NAME not in self._before.files:
            data = [path for path in inside if not _describes(path)]
            if data:
                raise FileExistsError(
                    f"{self._to} holds files, such as {data[0]!r}, but no data set that a "
                    "conversion wrote; choose a folder in it, or delete them yourself"
                )
            return []
        if not overwrite:
            raise FileExistsError(
                f"{self._to} holds a data set; choose another folder, or pass overwrite=True to "
                "replace it"
            )
        pinned = self._before.name._replace(path=self._to.path)
        manifest = read_manifest(place_of(str(pinned)))
        named = manifest.files() if manifest else []
        return [self._prefix + file for file in (NAME, *named) if self._prefix + file in inside]

    @property
    def _prefix(self) -> str:
        return f"{self._to.path}/" if self._to.path else ""

    def publish(self) -> str:
        """Commit the staged data set; return its name with the commit, and remove the stage.

        Raises:
            OSError: the Hub refuses the commit, or does not answer. The shards stay.
        """
        hub = hub_library()
        manifest = read_manifest(self.folder)
        assert manifest is not None
        files = [path for path in sorted(self.folder.rglob("*")) if path.is_file()]
        names = [self._prefix + str(path.relative_to(self.folder)) for path in files]
        changes = [
            hub.CommitOperationAdd(path_in_repo=name, path_or_fileobj=str(path))
            for name, path in zip(names, files, strict=True)
        ]
        if not self._prefix and CARD not in self._before.files:
            changes.append(hub.CommitOperationAdd(CARD, _card(manifest)))
        changes += [hub.CommitOperationDelete(old) for old in set(self._old).difference(names)]
        try:
            made = hub.HfApi(library_name="penstock").create_commit(
                self._to.repo,
                changes,
                commit_message=f"{manifest.samples:,} samples as {manifest.format}, by Penstock",
                repo_type="dataset",
                revision=self._to.revision or None,
                parent_commit=self._before.name.revision,
            )
        except Exception as error:
            failure = _failure(self._to, self._before, error)
            failure.add_note(f"the shards stay in {self.folder}: go on with resume=True")
            raise failure from error
        shutil.rmtree(self.folder)
        return str(self._to._replace(revision=made.oid))


def upload_of(
    destination: str | os.PathLike[str], format: DatasetFormat, *, overwrite: bool
) -> HubUpload | None:
    """Return the upload to a destination; None if it is not on the Hub: see `HubUpload`."""
    text = os.fspath(destination)
    return HubUpload(text, format, overwrite=overwrite) if is_on_hub(text) else None


def _failure(to: HubName, before: Repository, error: Exception) -> Exception:
    status = getattr(getattr(error, "response", None), "status_code", 0)
    if status == _CHANGED:
        return FileExistsError(
            f"{to} has a newer commit than {before.name.revision}, on which this conversion is "
            "based; look at it, and convert again"
        )
    return refusal(to, error)


def _describes(path: str) -> bool:
    """Return whether a file of a data set on the Hub belongs to no data."""
    name = Path(path).name
    return name.startswith(".") or name in (CARD, "LICENSE", "LICENSE.md")


def _card(manifest: Manifest) -> bytes:
    """Return a README.md that names the shards, for the Hub's viewer and for `datasets`."""
    ending = Path(manifest.files()[0]).suffix
    return (
        "---\nconfigs:\n- config_name: default\n  data_files:\n  - split: train\n"
        f'    path: "**/*{ending}"\n---\n'
    ).encode()
