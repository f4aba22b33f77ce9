"""The files of batches, shared out between the GPU's JPEG engine and CUDA cores."""

from __future__ import annotations

from threading import Lock

import numpy as np
from numpy.typing import NDArray

from ...engine.control.engine_share import EngineReading, Share, ShareLimits, decide
from ...engine.control.readings import Decision, Decisions

_LIMITS = ShareLimits()


class EngineShare:
    """Shares out the files of batches; several threads may use it for different batches.

    Args:
        fixed: the part of each batch's files for the engine; None to have the rule adapt it.
    """

    def __init__(self, fixed: float | None) -> None:
        self._fixed = fixed
        self._share = Share()
        self._lock = Lock()

    def of_engine(self, lengths: NDArray[np.int64]) -> NDArray[np.intp]:
        """Return the numbers of the files for the engine.

        CUDA cores get the smallest files, because one file takes them as long as its bytes do.

        Args:
            lengths: lengths of the files in bytes.
        """
        if self._fixed is None:  # not all, or nothing would be noted any more
            helped = int(self._share.help * len(lengths))
        else:
            helped = round((1 - self._fixed) * len(lengths))
        return np.argsort(lengths, kind="stable")[helped:]

    def note(self, reading: EngineReading, decisions: Decisions) -> None:
        """Have the rule decide anew, after a batch's calls of the engine."""
        with self._lock:
            before = self._share
            share = self._share = decide(before, reading, _LIMITS)
        if self._fixed is None and share.help != before.help:
            decisions["JPEG engine"] = Decision(
                f"CUDA cores decode {share.help:.0%} of the files",
                f"the engine is busy for {share.busy:.0%} of the time, lanes wait for "
                f"{share.starved:.0%}, and the consumer for {share.waiting:.0%}",
            )
