"""The decoded length of TIFF's LZW data, without decoding.

Between two clear codes the width of each code follows from its number alone, so NumPy reads all
codes of such a block at once. A code stands for one byte, or for the string of an earlier code
and one byte more; following those references, all at once, gives the lengths.

Source: TIFF 6.0 (Adobe, 1992), section 13.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_CLEAR, _END, _FIRST = 256, 257, 258
_MAX_CODES = 4096 - _FIRST + 1  # of a block: then all codes of 12 bits are in use
_NUMBERS = np.arange(_MAX_CODES + 1)


def _widths() -> NDArray[np.intp]:
    """Return the width of each code of a block; the width grows one code before it has to."""
    used = _FIRST + np.maximum(_NUMBERS - 1, 0)
    return 9 + np.searchsorted([511, 1023, 2047], used, side="right")


_WIDTHS = _widths()
_MASKS = (1 << _WIDTHS) - 1
_ENDS = np.cumsum(_WIDTHS)  # in bits from the start of the block
_STARTS = _ENDS - _WIDTHS
_BYTES = [_STARTS + phase >> 3 for phase in range(8)]
_SHIFTS = [24 - (_STARTS + phase & 7) - _WIDTHS for phase in range(8)]
"""The first of the three bytes that hold each code of a block, and how far to shift these three.
One entry each for a block that starts at bit 0 to 7 of a byte."""


def lzw_length(strip: memoryview, nbytes: int) -> int:
    """Return the decoded length of a strip, or a length of at least `nbytes`.

    Raises:
        ValueError: the data are damaged, or cut off.
    """
    data = np.frombuffer(bytes(strip) + bytes(3), np.uint8).astype(np.intp)
    triples = data[:-2] << 16 | data[1:-1] << 8 | data[2:]
    bit, end, length = 0, 8 * len(strip), 0
    while length < nbytes:
        codes = _block(triples, bit, end)
        stops = codes >> 1 == _CLEAR >> 1  # a clear code or an end code
        count = int(stops.argmax()) if len(stops) else 0
        is_stopped = bool(len(stops) and stops[count])
        length += _length(codes[:count] if is_stopped else codes)
        if length >= nbytes:
            break
        if not is_stopped:
            raise ValueError("the compressed data are cut off, or a clear code is missing")
        if codes[count] == _END:
            break
        bit += int(_ENDS[count])
    return length


def _block(triples: NDArray[np.intp], bit: int, end: int) -> NDArray[np.intp]:
    """Return the codes from `bit` on, as if there were no clear code among them."""
    count = int(np.searchsorted(_ENDS, end - bit, side="right"))
    phase = bit & 7
    codes: NDArray[np.intp] = triples[bit >> 3 :][_BYTES[phase][:count]]
    codes >>= _SHIFTS[phase][:count]
    codes &= _MASKS[:count]
    return codes


def _length(codes: NDArray[np.intp]) -> int:
    """Return the number of bytes that the codes of one block stand for."""
    numbers = _NUMBERS[: len(codes)]
    earlier = codes - _FIRST  # the code whose string this one continues
    if (earlier >= numbers).any():
        raise ValueError("a code is used before it is defined")
    continues = earlier >= 0
    ancestor = np.where(continues, earlier, numbers)
    distance = continues.astype(np.intp)  # in codes, to the ancestor
    while ((older := ancestor[ancestor]) != ancestor).any():
        distance += distance[ancestor]
        ancestor = older
    return int(distance.sum()) + len(codes)
