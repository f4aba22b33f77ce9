"""The verdicts that a judge gives on a file, and the contract of a judge."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple


class Kind(StrEnum):
    """The classes of verdicts, as the table of a corpus names them."""

    AGREE = "agree"
    REFUSED_BY_ALL = "refused by all"
    REFUSED_WITH_REASON = "refused with a reason"
    REFUSED_THOUGH_WHOLE = "refused though whole"
    DIFFERS = "differs"
    BY_CONVENTION = "differs by convention"
    CRASH = "crash"
    HANG = "hang"


FAULTS = frozenset({Kind.REFUSED_THOUGH_WHOLE, Kind.DIFFERS, Kind.CRASH, Kind.HANG})
"""Each of these is a fault of Penstock, or a judge that must learn."""


class Verdict(NamedTuple):
    """The judgment on one file.

    Attributes:
        kind: class of the verdict.
        detail: the error's text, the difference, or the reason of the convention.
    """

    kind: Kind
    detail: str = ""


Judge = Callable[[Path], Verdict]
"""Decodes one file with Penstock and with independent libraries, and compares."""
