"""What the help says of data sets: the names of formats come from their table."""

from ..datasets.formats.table import FORMATS
from ..engine.suggestions import listed

FORMATS_READ = f"Formats: {listed(FORMATS)}."
DATA_SET = f"Data set: a folder, a file, a pattern, a URL or hf://user/name. {FORMATS_READ}"
"""The help of an argument that takes a data set."""

SPLIT = "Split of a folder, such as train."
CONFIG = "Configuration of a folder, as its README.md lists them."

INDEXED = listed([name for name, row in FORMATS.items() if row.index is not None])
"""Formats whose files have indexes."""
