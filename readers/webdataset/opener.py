"""What opens one archive: the whole of it, or the samples at its front while others are to come."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from ..archives.tar_index import ArchiveIndex, FrontIndex, index_archive
from ..storage.damage import Damages
from ..storage.kept import KeptObject
from .choosing import chosen_archives, component_outputs, without
from .source import ComponentSource, sound_index


@dataclass(frozen=True)
class ArchiveOpener:
    """Opens one archive; the attributes are those of `fn.readers.webdataset`, and exclusions."""

    ext: tuple[str, ...]
    dtypes: tuple[Any, ...]
    missing: str
    case_sensitive: bool | None
    extension_dot: str
    excluded: tuple[frozenset[bytes], ...] = ()

    def __call__(
        self, number: int, kept: KeptObject, damages: Damages, front: Front | None = None
    ) -> ComponentSource:
        """Open an archive, whose number is given; damage is left out and noted."""
        walk = None if front is None else front.index
        return self.source(number, kept, index_archive(kept, self.extension_dot, damages, walk))

    def source(
        self, number: int, kept: KeptObject, index: ArchiveIndex, *, is_front: bool = False
    ) -> ComponentSource:
        """Return the samples of an archive with this index, which may be that of its front."""
        (archive,) = chosen_archives(
            [kept],
            [index],
            self.ext,
            self.missing,
            case_sensitive=self.case_sensitive,
            tells=not is_front,
        )
        excluded = self.excluded[number]
        if is_front:
            excluded = excluded.intersection(index.keys)
        return ComponentSource(
            [without(archive, excluded)],
            component_outputs(self.ext, self.dtypes),
            has_headers=True,
            index_again=partial(sound_index, self.extension_dot),
        )


class Front:
    """The first samples of an archive that is on its way.

    Attributes:
        index: walks the archive.
        source: those that were asked for, and perhaps more; None before the first call.
    """

    def __init__(self, opener: ArchiveOpener, number: int, kept: KeptObject) -> None:
        """Take what opens archives, and one of them with its number."""
        self._opener = opener
        self._number, self._kept = number, kept
        self.index = FrontIndex(kept, opener.extension_dot)
        self.source: ComponentSource | None = None

    def first(self, samples: int) -> ComponentSource | None:
        """Return so many samples or more; None if the archive's last one is among them.

        Raises:
            SourceError: the archive is damaged. OSError: it cannot be read.
        """
        if self.source is None or len(self.source) < samples:
            index = self.index.first(samples + len(self._opener.excluded[self._number]))
            if index is None:
                return None
            self.source = self._opener.source(self._number, self._kept, index, is_front=True)
        return self.source
