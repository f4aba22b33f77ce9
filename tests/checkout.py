"""Where the files of the checkout are."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

SOURCES = ROOT / "src"
"""What a new interpreter has to have on its path, in order to import this checkout."""

PACKAGE = SOURCES / "penstock"
"""The package, as it is imported: modules of its own, and links to folders of the root."""
