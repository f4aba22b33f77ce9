"""What the import of the readers loads, in a new interpreter."""

from __future__ import annotations

from collections import Counter

from ..interpreters import output_of

PROGRAM = """
import sys, penstock
before = set(sys.modules)
import penstock.readers.table
print(*(name.split(".")[1] for name in set(sys.modules) - before if name.startswith("penstock.")))
"""


def test_readers_load_nothing_that_decodes_or_computes():
    loaded = Counter(output_of(PROGRAM).split())
    assert loaded["readers"] > 50
    assert set(loaded) <= {"readers", "formats", "engine", "signals", "geometry"}, loaded
