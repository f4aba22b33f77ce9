"""The files of a Shar data set: `cuts.000000.jsonl.gz`, and `FIELD.000000.tar` for each field."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, cast

from ...engine.errors import SourceError
from ...formats.shar import Cut, parse_cut
from ..listing.folder import Folder
from ..listing.folder_rule import is_beside_data
from ..storage.opening import opened
from ..storage.urls import Place, place_of, shown, text_of

CUTS, RECORDING = "cuts", "recording"
_NAME = re.compile(r"([^.]+)(?:\.([^.]+))?\.(tar|jsonl|jsonl\.gz)")
_LONGEST_LINE = 64 << 20
"""Bytes of a line: cuts with the words of an hour have a megabyte."""


@dataclass(frozen=True)
class SharShard:
    """The files of one shard, paths or URLs.

    Attributes:
        number: the text between the dots of the files' names.
        cuts: JSON lines.
        fields: the archive, or the JSON lines, of each field.
    """

    number: str
    cuts: str
    fields: Mapping[str, str] = field(default_factory=dict)


def shar_shards(place: Place, options: Mapping[str, object] | None = None) -> list[SharShard]:
    """Return the shards of a folder.

    Raises:
        SourceError: there are none, or a field lacks the file of a shard.
    """
    found: dict[str, dict[str, str]] = {}
    for name in Folder(place, options or {}).files:
        if (match := _NAME.fullmatch(name)) and not is_beside_data(name):
            found.setdefault(match[1], {})[match[2] or ""] = text_of(place / name)
    cuts = found.pop(CUTS, {})
    if not cuts:
        raise SourceError(f"{place} holds no cuts.*.jsonl.gz, so it is no Shar data set")
    for name, files in found.items():
        if odd := sorted(cuts.keys() ^ files.keys()):
            missing, there = (name, CUTS) if odd[0] in cuts else (CUTS, name)
            raise SourceError(
                f"{place}: there is {there}.{odd[0]}, but no {missing}.{odd[0]}: {len(cuts)} files "
                f"of cuts and {len(files)} of {name!r} must be as many"
            )
    return [
        SharShard(number, cuts[number], {name: files[number] for name, files in found.items()})
        for number in sorted(cuts)
    ]


def lines_of(path: str, options: Mapping[str, object] | None = None) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file that may be compressed with gzip, with their numbers from 1 on.

    Raises:
        SourceError: the file is damaged. OSError: it cannot be read.
    """
    with opened(place_of(path), options) as file, _inflated(file, path) as lines:
        number = 0
        try:
            while line := lines.readline(_LONGEST_LINE + 1):
                number += 1
                if len(line) > _LONGEST_LINE:
                    raise SourceError(f"{shown(path)}, line {number}: more than {_LONGEST_LINE} B")
                if line.strip():
                    yield number, line
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise SourceError(f"{shown(path)} is damaged behind line {number}: {error}") from None


def _inflated(file: IO[bytes], path: str) -> IO[bytes]:
    return cast(IO[bytes], gzip.GzipFile(fileobj=file)) if path.endswith(".gz") else file


def cuts_of(path: str, options: Mapping[str, object] | None = None) -> Iterator[tuple[bytes, Cut]]:
    """Yield the lines of a file of cuts, with what they hold."""
    for number, line in lines_of(path, options):
        yield line, parse_cut(line, f"{shown(path)}, line {number}")


def check_pairs(
    field_file: str, ids: Sequence[str], cuts_file: str, cut_ids: Sequence[str]
) -> None:
    """Raise SourceError unless a field has the cuts, in their order.

    Args:
        field_file, cuts_file: names of the files, for messages.
        ids, cut_ids: of the cuts in both.
    """
    for number, (own, cut) in enumerate(zip(ids, cut_ids, strict=False)):
        if own != cut:
            raise SourceError(
                f"{shown(field_file)}: pair {number} is {own!r:.200}, but cut {number} of "
                f"{shown(cuts_file)} is {cut!r:.200}: the files belong to different data sets, or "
                "one was cut off"
            )
    if len(ids) != len(cut_ids):
        raise SourceError(
            f"{shown(field_file)} has {len(ids)} pairs, but {shown(cuts_file)} has {len(cut_ids)} "
            "cuts: one of the files was cut off, or belongs to another data set"
        )
