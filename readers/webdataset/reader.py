"""Samples in tar archives: `fn.readers.webdataset`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine.graph.inputs import Resources
from ...engine.graph.operator import Array, register
from ...engine.graph.params import BOOL, DTYPES, INTS, REQUIRED, STR, STRS, ArgumentType, param
from ...engine.order.selection import Selection
from ...engine.order.shard_permutation import Walk
from ...engine.ranks.discovery import say_once
from ...engine.tensors.dtypes import to_numpy_type
from ..listing.path_patterns import expand_paths
from ..reading.carriers import Carrier
from ..record_reader import RecordReader
from ..storage.urls import is_url
from . import notices
from .choosing import MISSING, outputs_of
from .following import FollowingThreads
from .opener import ArchiveOpener
from .shards import Shards, open_shards, shards_of
from .source import ComponentSource, open_archives
from .walked import WalkedSource, open_walked

WALK_WINDOW = 2
"""Shards whose samples are mixed in the first epoch: both are needed before the first batch."""

_NEED_ALL = ("indices", "batch_cost", "shuffle_block")
"""Arguments whose order takes samples of all shards from the start."""


@register
class WebDataset(RecordReader):
    """Reads samples from tar archives of the WebDataset format.

    Files that follow one another and agree in folder and name up to the first dot are the
    components of a sample; the rest of the name is the extension. Where several components of
    a sample match an output, the first one counts; a warning tells of files of one name. Files
    whose names start with a dot are left out. v7, ustar, PAX and GNU archives are read, sparse
    files and compressed archives are not.

    On four cores and more, processes of the reader's own read local files after a fifth of a second
    of reading, unless the pipeline has `exec_processes=False`.

    Labels such as `cat.cls` are text. With a type of several bytes they become numbers:

    >>> import io, tarfile
    >>> from penstock import fn, pipeline_def, types
    >>> with tarfile.open("train.tar", "w") as archive:
    ...     for name, content in {"cat.jpg": b"...", "cat.cls": b"12"}.items():
    ...         member = tarfile.TarInfo(name)
    ...         member.size = len(content)
    ...         archive.addfile(member, io.BytesIO(content))
    >>> @pipeline_def(batch_size=1, num_threads=1)
    ... def samples():
    ...     return fn.readers.webdataset(
    ...         paths="train.tar", ext=["jpg", "cls"], dtypes=[types.UINT8, types.INT32]
    ...     )
    >>> with samples() as pipe:
    ...     images, labels = pipe.run()
    >>> labels.as_array().tolist()
    [[12]]

    Outputs:
        for each entry of `ext`, the component's bytes: of the type in `dtypes`, shape (size,). A
            number that is written as text: shape (1,).

    Differences from DALI: components cls, cls2, class, count, id, index, inx and txt become numbers
    if their `dtypes` entry has several bytes and they are printable text; DALI takes the text for
    elements. Without `dtypes` the bytes are DALI's; then a warning tells of components of labels.
    Without `case_sensitive_extensions`, `a.JPEG` is found by "jpeg"; DALI gives an empty array.

    Raises:
        SourceError: an archive is damaged, or its index belongs to another one.
        DecodeError: a component is text where a number is wanted (see `on_error` of the pipeline).
        OSError: an archive cannot be read (see `on_error` of the pipeline).
    """

    name = "readers.webdataset"
    aliases = ("webdataset_reader",)
    names_all_outputs = True

    paths = param(
        STRS,
        REQUIRED,
        "Paths of the archives. Braces ('shard-{000..127}.tar'), globs and folders stand for the "
        "files that they name. Of a folder with Energon's metadata (.nv-meta), the shards of a "
        "split are read. The URL of a folder ends with a slash.",
    )
    ext = param(
        STRS,
        REQUIRED,
        "An entry for each output: extensions, separated by ';', such as 'jpg;jpeg;png'. They may "
        "hold dots. Names of fields are those that the field map of Energon's metadata has.",
    )
    index_paths = param(
        STRS,
        None,
        "Index files of DALI (v1.1 or v1.2), one for each archive. Without them the archives are "
        "scanned, and the result is kept beside the file, or in the user's cache folder, for the "
        "next time.",
    )
    missing_component_behavior = param(
        ArgumentType("str", lambda value: STR.convert(value).lower() or "empty"),
        "empty",
        "What to do with a sample that has no component for an output: 'empty' gives an empty "
        "array, 'skip' leaves the sample out, 'error' raises. Without this argument a warning "
        "counts such samples.",
        choices=MISSING,
    )
    dtypes = param(
        DTYPES,
        None,
        "Types that the outputs' bytes are taken for, one each; by default UINT8. Integers and "
        "real numbers in decimal digits are read for cls, cls2, class, count, id, index, inx and "
        "txt, if the type has several bytes.",
    )
    split = param(
        STR,
        None,
        "Split of the folders that `paths` names, such as 'train', as Energon's metadata, "
        "README.md, or the names of files and folders tell it. Needed for data sets of Energon and "
        "of the Hub if several splits have shards.",
    )
    config = param(
        STR,
        None,
        "Configuration of the folders that `paths` names: one that README.md lists, or a folder.",
    )
    case_sensitive_extensions = param(
        BOOL,
        True,
        "Whether `ext` distinguishes case (of ASCII). If this is not given, a component whose name "
        "differs in case alone counts for samples without the exact one. Two such components of a "
        "sample are an error.",
    )
    samples_per_shard = param(
        INTS,
        None,
        "Numbers of samples of the archives, in the order of `paths`; or one number, of which the "
        "last archive may have fewer. Archives behind URLs are then opened when their turn comes. "
        "An archive with another number is an error.",
    )
    extension_dot = param(
        STR,
        "first",
        "Which dot of a file's name the extension starts behind: the 'first' or the 'last'. Index "
        "files of DALI always mean the first.",
        choices=("first", "last"),
    )

    source: ComponentSource | WalkedSource

    def num_outputs(self) -> int:
        return len(self.ext)

    def open(self, batch_size: int, state: Any) -> None:
        super().open(batch_size, state)
        if isinstance(self.source, WalkedSource) and (
            self.random_shuffle or self.shuffle_after_epoch
        ):
            self._tell_order()

    def open_source(self) -> ComponentSource | WalkedSource:
        shards = shards_of(self.paths, self.split or "", self.config or "", self.storage_options)
        if self.samples_per_shard is not None:
            shards.declare(self.samples_per_shard)
        ext = tuple(shards.extensions(self.ext))
        states_case = "case_sensitive_extensions" in self.given
        case_sensitive = self.case_sensitive_extensions if states_case else None
        opened, is_indexed = None, False
        may_walk = any(map(is_url, shards.paths)) and not self.index_paths
        if may_walk and all(map(is_url, shards.paths)):
            opened, is_indexed = open_shards(shards, self.storage_options, self.damages)
        if may_walk and not is_indexed and self._may_walk(shards):
            assert opened is not None
            outputs_of(f"fn.{self.name}", ext, self.dtypes or ())
            opener = ArchiveOpener(
                ext,
                tuple(self.dtypes or ()),
                self.missing_component_behavior,
                case_sensitive,
                self.extension_dot,
            )
            return open_walked(shards, opened, opener, self.damages)
        source = open_archives(
            shards.paths,
            ext,
            index_paths=expand_paths(self.index_paths or (), "*.idx", self.storage_options),
            missing=self.missing_component_behavior,
            dtypes=self.dtypes or (),
            case_sensitive=case_sensitive,
            extension_dot=self.extension_dot,
            storage_options=self.storage_options,
            damages=self.damages,
            counts=shards.counts,
            excluded=shards.excluded,
            told_by=shards.told_by,
            largest=shards.largest,
            opened=opened,
        )
        if "missing_component_behavior" not in self.given:
            source.warn_of_missing(ext)
        return source

    def _may_walk(self, shards: Shards) -> bool:
        """Return whether archives are opened when their turn comes; say what is fetched before."""
        line = notices.why_whole(shards, self.missing_component_behavior)
        if said := line or notices.why_last(shards):
            self._say(said)
        return not line

    def _tell_order(self) -> None:
        """Say how a shuffle reads archives that are opened when their turn comes."""
        order = self.sampler.of_epochs
        if order is not None and order.begins_with_shards:
            self._say(notices.of_walk(self._window()))
        else:
            given = [f"{name}=" for name in _NEED_ALL if getattr(self, name) is not None]
            self._say(notices.why_all(given[0] if given else ""))

    def note_shuffle(self, by: str) -> None:
        if isinstance(self.source, WalkedSource):
            self._say(notices.why_all(by))

    def _say(self, line: str) -> None:
        say_once(f"fn.{self.name}: {line}")

    def _window(self) -> int:
        return int(self.shuffle_window) if "shuffle_window" in self.given else WALK_WINDOW

    def walk(self, *, continues: bool) -> Walk | None:
        if continues or isinstance(self.source, WalkedSource):
            return Walk(self.source.counts, self._window())
        return None

    def carrier(self, resources: Resources) -> Carrier:
        depth = self.read_depth()
        if isinstance(self.source, WalkedSource) and self._blocks is None and depth:
            return FollowingThreads(self.source, depth, self.waits, self._shards_to_come)
        return super().carrier(resources)

    def _shards_to_come(self, selection: Selection) -> list[int]:
        """Return the archives of a batch that is read, and behind them those that come later."""
        first, last = int(selection.epoch[0]), int(selection.epoch[-1])
        begin, end = int(selection.position[0]), int(selection.position[-1])
        order = self.sampler.of_epochs
        if order is not None and (self.random_shuffle or self.shuffle_after_epoch):
            return order.shards_from(first, begin, 1) + order.shards_from(last, end, 2)
        bounds = np.cumsum(self.source.counts)
        now = sorted(set(np.searchsorted(bounds, selection.index, "right").tolist()))
        return [*now, min(now[-1] + 1, len(bounds) - 1)]

    def _digest_of_names(self) -> str:
        if isinstance(self.source, WalkedSource):
            from ...engine.ranks.agreement import digest  # only several ranks compare

            return digest(self.source.names())
        return super()._digest_of_names()

    def order_facts(self) -> dict[str, Any]:
        walk = self.walk(continues=False)
        return super().order_facts() | {"shards mixed at first": walk and walk.window}

    def placeholder(self) -> tuple[Array, ...]:
        dtypes = self.dtypes or (np.uint8,) * len(self.ext)
        return tuple(np.empty(0, to_numpy_type(dtype)) for dtype in dtypes)
