"""The file of a stored pipeline: a line that names the format, and JSON.

    penstock pipeline 1 <SHA-256 of all further bytes, in hexadecimal>
    {"options": {...}, "output_names": [...], "nodes": [...], "outputs": [...]}

The number is the version of the format. The sum tells damage from a file of another program.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

from ..errors import SerializationError

VERSION = 1

MAX_DEPTH = 100
"""Levels of arrays and objects in the JSON: what is deeper would use up Python's stack."""

_HEAD = re.compile(rb"penstock pipeline (\d{1,9})(?: ([0-9a-f]{64}))?\n")
_START = b"penstock pipeline "


def dump(document: dict[str, object]) -> bytes:
    """Return a document as the bytes of a file.

    Raises:
        SerializationError: values are nested too deeply.
    """
    _check_depth(document)
    body = json.dumps(document, separators=(",", ":"), allow_nan=False).encode() + b"\n"
    return _START + b"%d %s\n" % (VERSION, hashlib.sha256(body).hexdigest().encode()) + body


def load(data: object) -> dict[str, Any]:
    """Return the document that a file consists of.

    Raises:
        SerializationError: the bytes are no stored pipeline, of another version, or damaged.
        TypeError: `data` is neither bytes nor text.
    """
    if isinstance(data, str):
        data = data.encode()
    if not isinstance(data, bytes | bytearray | memoryview):
        raise TypeError(f"a stored pipeline is bytes, not {type(data).__name__}")
    data = bytes(data)
    head = _HEAD.match(data)
    if head is None:
        raise SerializationError(
            f"these {len(data)} bytes are no pipeline that Penstock has stored: they start with "
            f"{data[:24]!r}, and not with {_START.decode()!r}. A pipeline that DALI has stored "
            "cannot be read: run its definition with Penstock, and call serialize"
        )
    version, wanted = int(head[1]), head[2]
    if version != VERSION:
        raise SerializationError(
            f"the pipeline is stored in version {version} of the format, and this release of "
            f"Penstock reads version {VERSION}: use a release as new as the one that stored it"
        )
    body = data[head.end() :]
    if wanted is None or hashlib.sha256(body).hexdigest().encode() != wanted:
        raise SerializationError(
            f"the stored pipeline is damaged or cut off: its SHA-256 does not fit its {len(body)} "
            "bytes. Store it again"
        )
    try:
        document = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise SerializationError(f"the stored pipeline is no JSON: {error}") from None
    if not isinstance(document, dict):
        raise SerializationError("the stored pipeline is no JSON object")
    _check_depth(document)
    return document


def _check_depth(document: Any) -> None:
    """Raise SerializationError if arrays and objects are nested too deeply."""
    level = [document]
    for _ in range(MAX_DEPTH + 1):
        parts = [each.values() if isinstance(each, dict) else each for each in level]
        level = [each for part in parts for each in part if isinstance(each, list | dict)]
    if level:
        raise SerializationError(
            f"the stored pipeline has arrays and objects in more than {MAX_DEPTH} levels"
        )
