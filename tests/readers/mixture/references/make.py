"""Writes `resolved.json`: random documents with references, and what OmegaConf makes of them.

    pip install 'omegaconf>=2.3,<3'
    python make.py

Left out are documents that OmegaConf refuses, and those in which it writes a mapping or a list into
a text, which Penstock refuses.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

RESOLVED = Path(__file__).resolve().parent / "resolved.json"
DOCUMENTS = 150
NAMES = ("a", "b", "c", "d")


def reference(draw: random.Random) -> str:
    """Return a reference from the document's top, or from the place where it stands."""
    path = ".".join(draw.choices(NAMES, k=draw.randint(1, 2)))
    return "${" + "." * draw.choice((0, 0, 1, 2)) + path + "}"


def value(draw: random.Random, depth: int) -> Any:
    """Return a mapping, a list, a number, a text, or a text with one or two references."""
    kind = draw.random()
    if depth and kind < 0.4:
        return {name: value(draw, depth - 1) for name in draw.sample(NAMES, draw.randint(1, 4))}
    if depth and kind < 0.5:
        return [value(draw, depth - 1) for _ in range(draw.randint(1, 2))]
    if kind < 0.65:
        return draw.choice((7, 0.5, True, None, "text"))
    if kind < 0.85:
        return reference(draw)
    return f"/{reference(draw)}/x{reference(draw) if draw.random() < 0.3 else ''}"


def main() -> None:
    """Write the file."""
    draw, found = random.Random(5), []
    while len(found) < DOCUMENTS:
        document = {name: value(draw, 2) for name in NAMES}
        if "${" not in json.dumps(document):
            continue
        try:
            resolved = OmegaConf.to_container(OmegaConf.create(document), resolve=True)
        except (OmegaConfBaseException, RecursionError):
            continue
        if not any(mark in json.dumps(resolved) for mark in ("/{", "/[", "x{", "x[")):
            found.append([document, resolved])
    lines = ",\n".join(json.dumps(pair) for pair in found)
    RESOLVED.write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main()
