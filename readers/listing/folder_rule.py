"""What a folder holds: which names are data, and which belong to systems and programs.

Readers, data sets and commands all ask here, so that they list the same files and number the same
classes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence

from ..storage.index_cache import SUFFIX
from .globs import name_filter

MANIFEST = "dataset.json"
"""Name of the file with the counts and the schema of a data set that a conversion wrote."""

_HIDDEN = re.compile(
    rb"\.|(?:thumbs\.db|ehthumbs\.db|desktop\.ini|icon\r|__macosx|@eadir|\$recycle\.bin"
    rb"|system volume information|lost\+found|__pycache__)\Z",
    re.IGNORECASE,
)
"""What the names begin with, or are, that desktops, editors and file systems give of their own."""

_DESCRIPTIONS = (
    *(".idx", ".json", ".jsonl", ".pbtxt", ".txt", ".md", ".rst", ".html", ".pdf", ".log"),
    *(".csv", ".tsv", ".yaml", ".yml", ".xml", ".toml", ".sha256", ".md5", ".py", ".ipynb"),
)
_DESCRIPTION_NAMES = ("readme", "license", "licence", "checksum", "checksums", "sha256sums")

Matches = Callable[[bytes], bool]


def is_hidden(name: str | bytes) -> bool:
    """Return whether a file or folder belongs to a desktop, an editor or a file system.

    >>> [is_hidden(name) for name in (".ipynb_checkpoints", "._1.jpg", "Thumbs.db", "_1.jpg")]
    [True, True, True, False]
    """
    return _HIDDEN.match(os.fsencode(name)) is not None


def visible_filter(patterns: Sequence[str], *, case_sensitive: bool) -> Matches:
    """Return a function that returns whether a name matches and is not hidden.

    A hidden name matches, as in a shell, only patterns that spell its first character.

    >>> matches = visible_filter(["*", ".secret*"], case_sensitive=True)
    >>> matches(b"a"), matches(b".b"), matches(b".secret1")
    (True, False, True)
    """
    matches = name_filter(patterns, case_sensitive=case_sensitive)
    spelled = [pattern for pattern in patterns if pattern[:1] not in "*?["]
    hidden = _HIDDEN.match
    if not spelled:
        return lambda name: matches(name) and not hidden(name)
    spells = name_filter(spelled, case_sensitive=case_sensitive)
    return lambda name: matches(name) and (not hidden(name) or spells(name))


def is_beside_data(name: str) -> bool:
    """Return whether a file in a folder of data files holds no data itself, whatever its content.

    Spark and others write names without an ending that begin with an underscore: "_SUCCESS".

    >>> [is_beside_data(name) for name in ("_SUCCESS", "dataset.json", "part-0000", "_1.jpg")]
    [True, True, False, False]
    """
    is_mark = name[:1] == "_" and "." not in name
    return is_hidden(name) or is_mark or name == MANIFEST or name.endswith(SUFFIX)


def describes_data(name: str) -> bool:
    """Return whether the name of a file tells that it describes data files, such as an index.

    >>> [describes_data(name) for name in ("label_map.pbtxt", "README", "a.idx", "part-0000")]
    [True, True, True, False]
    """
    lowered = os.path.basename(name).lower()
    return lowered.endswith(_DESCRIPTIONS) or lowered in _DESCRIPTION_NAMES
