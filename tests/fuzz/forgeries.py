"""Arrays of cached indexes that are well-formed, but lie."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = list[NDArray[Any]]

_HUGE = (-1, -(1 << 63), (1 << 62) + 1, 1 << 40)
_DTYPES = ("|u1", "<u4", "<i4", "<i8", "<f4", "<f8")


def forged(arrays: Arrays, chance: Random) -> tuple[Arrays, bool]:
    """Return the arrays with one lie, and whether the arrays alone show the lie.

    A number is negative or huge or close to the right one, the order is reversed, an array is
    shorter or longer or has another dtype, an array is missing or there twice.
    """
    arrays = [array.copy() for array in arrays]
    which = chance.randrange(len(arrays))
    array = arrays[which]
    way = chance.randrange(8)
    if way <= 1 and len(array):
        place = chance.randrange(len(array))
        if array.dtype == np.int64:
            array[place] = chance.choice(_HUGE)
            return arrays, True
        array[place] = np.iinfo(array.dtype).max
        return arrays, False
    if way == 2 and len(array):
        array[chance.randrange(len(array))] ^= chance.choice((1, 2, 8, 64))
        return arrays, False
    if way == 3:
        arrays[which] = array[::-1].copy()
        return arrays, False
    if way == 4 and len(array):
        arrays[which] = array[: chance.randrange(len(array))]
        return arrays, True
    if way == 5 and len(array):
        arrays[which] = np.concatenate([array, array[-1:]])
        return arrays, True
    if way == 6:
        arrays[which] = array.astype(chance.choice(_DTYPES))
        return arrays, bool(arrays[which].dtype != array.dtype)
    if chance.random() < 0.5 and len(arrays) > 1:
        del arrays[which]
    else:
        arrays.insert(which, array)
    return arrays, True
