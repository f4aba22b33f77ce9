"""Cuts of lhotse: JSON lines, a stretch of a recording with its supervisions in each.

Format: lhotse's `MonoCut` and `MultiCut` as its Shar writers store them (lhotse/shar/writers). A
line is an object such as

    {"type": "MonoCut", "id": "a", "start": 0, "duration": 3.4, "custom": {"snr": 20},
     "supervisions": [{"text": "hello", "speaker": "s", "language": "en"}]}

Lines come from anywhere, so every field is checked, and an error names file and line.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..engine.errors import SourceError
from .nemo import LONGEST

KINDS = ("MonoCut", "MultiCut")
_OWN = ("audio", "text", "duration", "offset", "speaker", "language")
"""Names of components that fields of `custom` do not replace."""


@dataclass(frozen=True)
class Cut:
    """One line.

    Attributes:
        id: name of the cut, which its data have, too.
        start: where the cut begins in its recording, in seconds.
        duration: in seconds.
        text: the texts of its supervisions, joined by spaces.
        speaker, language: of its supervisions; different ones are joined by commas.
        custom: further values: numbers, texts, or JSON in bytes. Data in archives are none.
    """

    id: str
    start: float
    duration: float
    text: str = ""
    speaker: str = ""
    language: str = ""
    custom: Mapping[str, float | str | bytes] = field(default_factory=dict)


def parse_cut(line: bytes, where: str) -> Cut:
    """Return the cut of a line.

    Args:
        line: JSON in UTF-8.
        where: file and number of the line, for messages.

    Raises:
        SourceError: the line is no cut, or one of a kind that is not read.
    """
    try:
        content = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise SourceError(f"{where} is no JSON: {error!s:.200}") from None
    if not isinstance(content, dict):
        raise SourceError(f"{where}: {content!r:.80} is no cut")
    kind = content.get("type", KINDS[0])
    if kind not in KINDS:
        raise SourceError(
            f"{where} is a {kind!r:.60}, which has no recording of its own; {' and '.join(KINDS)} "
            "are read. `CutSet.save_audios` of lhotse writes such cuts as recordings"
        )
    name = content.get("id")
    if not isinstance(name, str) or not name:
        raise SourceError(f"{where}: the id {name!r:.60} is no text")
    told = content.get("supervisions") or []
    if not isinstance(told, list) or not all(isinstance(one, dict) for one in told):
        raise SourceError(f"{where}: 'supervisions' is no list of objects")
    custom = content.get("custom") or {}
    if not isinstance(custom, dict):
        raise SourceError(f"{where}: 'custom' is no object")
    return Cut(
        name,
        _seconds(content, "start", where),
        _seconds(content, "duration", where),
        " ".join(_texts(told, "text", where)),
        ",".join(dict.fromkeys(_texts(told, "speaker", where))),
        ",".join(dict.fromkeys(_texts(told, "language", where))),
        {key: value for key, value in map(_custom, custom.items()) if value is not None},
    )


def _seconds(content: Mapping[str, object], name: str, where: str) -> float:
    value: Any = content.get(name)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not math.isfinite(value) or not 0 <= value <= LONGEST:
        raise SourceError(f"{where}: {name} is {value!r:.60}, and no time in seconds")
    return float(value)


def _texts(told: list[dict[str, Any]], name: str, where: str) -> list[str]:
    texts = [one[name] for one in told if one.get(name) is not None]
    if odd := [text for text in texts if not isinstance(text, str)]:
        raise SourceError(f"{where}: {name} of a supervision is {odd[0]!r:.60}, and no text")
    return [text for text in texts if text]


def _custom(item: tuple[str, object]) -> tuple[str, float | str | bytes | None]:
    """Return the component of a custom value; None for data, which lie in an archive."""
    name, value = item
    name = f"custom_{name}" if name in _OWN else name
    if isinstance(value, int | float):  # truth values, too
        return name, float(value)
    if isinstance(value, str) or value is None:
        return name, value
    if isinstance(value, dict) and not {"sources", "storage_type", "array"}.isdisjoint(value):
        return name, None
    return name, json.dumps(value).encode()
