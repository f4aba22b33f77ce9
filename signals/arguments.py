"""Arguments that several operators of signals have."""

from __future__ import annotations

from ..engine.graph.params import BOOL, DTYPE, FLOAT, param
from ..engine.tensors.dtypes import FLOAT as FLOAT32

QUALITY = param(
    FLOAT,
    50.0,
    "Of resampling, from 0 (3 lobes of the sinc filter) over 50 (16 lobes) to 100 (64 lobes).",
    minimum=0,
    maximum=100,
)

ANTIALIAS = param(
    BOOL,
    False,
    "Whether resampling to a lower rate removes the frequencies that this rate cannot hold. "
    "Without it they fold back, as in DALI.",
)

DECODED_DTYPE = param(DTYPE, FLOAT32, "FLOAT (-1 to 1), INT16 or INT32 (full range).")
