"""How streams and operators may run side by side, as DALI's programs ask for it.

Penstock decides both itself, so a pipeline accepts the values and does nothing with them.
"""

from __future__ import annotations

from enum import Enum

from ..graph.portable import portable


class StreamPolicy(Enum):
    """Assignment of CUDA streams to operators; without effect."""

    UNSPECIFIED = "unspecified"
    SINGLE = "single"
    PER_BACKEND = "per_backend"
    PER_OPERATOR = "per_operator"


class OperatorConcurrency(Enum):
    """Which operators may run at one time; without effect."""

    UNSPECIFIED = "unspecified"
    NONE = "none"
    BACKEND = "backend"
    FULL = "full"


portable(StreamPolicy)
portable(OperatorConcurrency)
