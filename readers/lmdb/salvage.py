"""The whole samples among the entries that are left of a damaged database.

Where keys are names of files, the values of a sample are neighbors. A sample of which one value is
lost must not be handed out without it:

    a.cls  a.jpg  b.cls   ?    c.jpg  d.cls  d.jpg      ?: a page that is lost
    '--- a -----' '--- b ... c ---'   '--- d -----'     a and d are whole
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..archives.tar_index import split_name
from ..storage.strings import StringTable


def whole_samples(
    keys: StringTable, sound: NDArray[np.bool_], gaps: Sequence[int]
) -> NDArray[np.bool_]:
    """Return which entries are sound, and lack no value of their sample.

    Args:
        keys: of all entries, in order.
        sound: whether each entry's value can be read.
        gaps: numbers of the entries before which other entries are lost.

    >>> keys = StringTable.of([b"a.cls", b"a.jpg", b"b.cls", b"c.jpg", b"d.cls"])
    >>> whole_samples(keys, np.ones(5, bool), [3]).tolist()
    [True, True, False, False, True]
    """
    whole = sound.copy()
    doubtful = np.flatnonzero(~sound).tolist()
    doubtful += [entry for gap in gaps for entry in (gap - 1, gap) if 0 <= entry < len(keys)]
    for number in doubtful:
        sample, extension = split_name(keys[number], "first")
        for step in (-1, 1) if extension else ():
            entry = number
            while 0 <= entry < len(keys) and split_name(keys[entry], "first")[0] == sample:
                whole[entry] = False
                entry += step
    return whole
