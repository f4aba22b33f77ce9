"""The composite operators are entered together, and load what they consist of."""

from __future__ import annotations

from ..interpreters import output_of

PROGRAM = """
import penstock
from penstock.engine.graph.operator import OPERATORS
import penstock.composite.table
names = {c.name for c in OPERATORS.values() if c.__module__.startswith("penstock.composite.")}
print(*sorted(names))
"""


def test_all_are_entered():
    assert output_of(PROGRAM).split() == [
        "decoders.image_list",
        "decoders.numpy",
        "experimental.readers.video",
        "readers.coco",
        "readers.nemo_asr",
        "readers.sequence",
        "readers.video",
        "readers.video_resize",
    ]
