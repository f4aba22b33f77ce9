"""Pillow behind one function: its errors are ours."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.decoders.image.engines import pillow
from penstock.engine.errors import DecodeError

# Codes of 3 bits, the lowest bits first, in a sub-block: clear (4), 0, 1, 0, end (5).
CODES = bytes([2, *(4 | 0 << 3 | 1 << 6 | 0 << 9 | 5 << 12).to_bytes(2, "little"), 0])


def test_color_numbers():
    result = pillow.gif_indices("GIF", CODES, (1, 3), 2, False)
    assert result.dtype == np.uint8
    assert result.tolist() == [[0, 1, 0]]


@pytest.mark.parametrize(("code_bits", "size"), [(2, (1, 4)), (13, (1, 3))])
def test_what_the_library_refuses_is_a_decode_error(code_bits, size):
    with pytest.raises(DecodeError, match=r"^GIF: Pillow cannot decode the picture .*fetch it"):
        pillow.gif_indices("GIF", CODES, size, code_bits, False)
