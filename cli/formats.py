"""What the help says of data sets: the names of formats come from their table."""

from __future__ import annotations

from ..datasets.formats.table import FORMATS
from ..engine.suggestions import listed

FORMATS_READ = f"Formats: {listed(FORMATS)}."
DATA_SET = f"Data set: a folder, a file, a pattern or a URL. {FORMATS_READ}"
"""The help of an argument that takes a data set."""

INDEXED = listed([name for name, row in FORMATS.items() if row.index is not None])
"""Formats whose files have indexes."""
