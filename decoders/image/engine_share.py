"""How much of a batch the hardware JPEG engine decodes, and how much CUDA cores.

The engine decodes what it can, because it takes nothing from other work on the GPU. Where it limits
a pipeline, CUDA cores decode more files from batch to batch, until the engine is idle at times. So
their share follows the rates of both, and of all else that limits the pipeline.
"""

from __future__ import annotations

from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class ShareTuning(NamedTuple):
    """When CUDA cores help, and how much.

    Attributes:
        limiting: parts of the time that the engine is busy: below the first the help shrinks, above
            the second it grows.
        step: part of the files by which the help grows or shrinks with a batch.
        newest: weight of the newest batch in the running mean of that time.
    """

    limiting: tuple[float, float] = (0.6, 0.75)
    step: float = 0.03
    newest: float = 0.3


TUNING = ShareTuning()


class EngineShare:
    """Shares out the files of batches; several threads may use it for different batches.

    Args:
        fixed: the part of each batch's files for the engine; None to adapt to the rates.
    """

    def __init__(self, fixed: float | None) -> None:
        self._fixed = fixed
        self._lock = Lock()
        self._busy = 0.0  # part of the time that the engine decodes
        self._help = 0.0  # part of the files that CUDA cores decode

    def of_engine(self, lengths: NDArray[np.int64]) -> NDArray[np.intp]:
        """Return the numbers of the files for the engine.

        CUDA cores get the smallest files, because one file takes them as long as its bytes do.

        Args:
            lengths: of the files in bytes.
        """
        if self._fixed is None:
            helped = int(self._help * len(lengths))  # not all, or nothing would be noted any more
        else:
            helped = round((1 - self._fixed) * len(lengths))
        return np.argsort(lengths, kind="stable")[helped:]

    def note_engine(self, seconds: float, idle: float) -> None:
        """Note a call of the engine.

        Args:
            seconds: that the call took.
            idle: seconds without work between the call before and this one.
        """
        with self._lock:
            self._busy += TUNING.newest * (seconds / (seconds + idle) - self._busy)
            least, most = TUNING.limiting
            change = TUNING.step * (int(self._busy > most) - int(self._busy < least))
            self._help = min(max(self._help + change, 0.0), 1 - TUNING.step)
